// Every game's board, loaded when it is needed.
import type { Component } from "svelte";

type Loader = () => Promise<{ default: Component<any> }>; // each board types its own view

const found = import.meta.glob<{ default: Component<any> }>("./*.svelte");

/** By the game's name: ./MountGoldrush.svelte is mount_goldrush's. */
export const boards: Record<string, Loader> = Object.fromEntries(
  Object.entries(found).map(([path, load]) => [
    path.slice(2, -".svelte".length).replace(/(?<!^)([A-Z])/g, "_$1").toLowerCase(),
    load,
  ]),
);
