// Every game's board, loaded when it is needed.
import type { Component } from "svelte";

type Loader = () => Promise<{ default: Component<any> }>; // each board types its own view

const found = import.meta.glob<{ default: Component<any> }>("./*/Board.svelte");

/** By the game's name, which is its folder's. */
export const boards: Record<string, Loader> = Object.fromEntries(
  Object.entries(found).map(([path, load]) => [path.split("/")[1]!, load]),
);
