import { readFileSync } from "node:fs";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** The typeface's licence must travel with its files. */
const typefaceLicence: Plugin = {
  name: "typeface-licence",
  generateBundle() {
    const source = readFileSync("node_modules/@fontsource-variable/faustina/LICENSE", "utf-8");
    this.emitFile({ type: "asset", fileName: "assets/faustina-LICENSE.txt", source });
  },
};

// The built files become part of the Python package, which serves them. `npm run dev` also shows gallery.html: each
// game's board with sample views.
export default defineConfig({
  plugins: [svelte(), typefaceLicence],
  base: "/",
  build: {
    outDir: "../motherlode/web",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox121", "safari17.5"], // they know light-dark()
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true } } },
});
