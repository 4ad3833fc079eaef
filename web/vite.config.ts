import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The built files become part of the Python package, which serves them and has the games' sentences. `npm run dev` also shows gallery.html: each
// game's board with sample views.
export default defineConfig({
  plugins: [svelte()],
  base: "/",
  build: {
    outDir: "../motherlode/web",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox121", "safari17.5"], // they know light-dark()
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { fs: { allow: [".."] }, proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true } } },
});
