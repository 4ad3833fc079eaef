import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { files: ["**/*.svelte", "**/*.svelte.ts"], languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } } },
  {
    rules: {
      "@typescript-eslint/no-explicit-any": "off", // each board types its own view
      "@typescript-eslint/no-non-null-assertion": "off",
      "svelte/no-navigation-without-resolve": "off", // that is SvelteKit's
      "svelte/no-at-html-tags": "off", // only what the server itself wrote: rule sheets and QR codes
      "svelte/prefer-svelte-reactivity": "off", // a Set made and forgotten inside a function need not react
    },
  },
  { ignores: ["node_modules/", "gallery/", "src/wire.ts"] },
);
