// Reading a view of Gold Hunting: pieces as lists of their sizes, and what is worth showing of what happened.
import { GOLD_HUNTING, type Did } from "../../wire";

/** What the rules say of a view: `drawn` of the game's Python module. */
export interface Drawn {
  stack: number[]; // gold, by seat
  kept: number[];
  rush: number[]; // points for a Gold Rush that was right
  points: number[];
  screens: boolean[]; // by seat: does a screen stand before its range?
  sites: number[][] | null; // for the one who builds: the piles that may get a piece, by pieces unbuilt and piles that stand
}

export const PILES = GOLD_HUNTING.facts.piles;
export const SIZES: readonly number[] = GOLD_HUNTING.facts.sizes;
export const HIDDEN = -2;

/** The pieces of a pile from the bottom up; none where they are hidden. */
export const inside = (pile: number): number[] => (pile > 0 ? [...String(pile)].map(Number) : []);

/** How many pieces of each size a field of six counts for a seat. */
export const counts = (field: number[], seat: number): number[] => field.slice(3 * seat, 3 * seat + 3);

/** The same as a list of sizes, large ones first. */
export const sizes = (field: number[], seat: number): number[] =>
  [...SIZES].reverse().flatMap((size) => Array<number>(Math.max(0, counts(field, seat)[size - 1]!)).fill(size));

/** What is worth showing of what was done: a page that is opened is told everything, and shows the last lift. */
export function happened(did: Did[]): Did[] {
  const found = did.filter((one) => one.events.some(({ kind }) => kind !== "built" && kind !== "screen"));
  return found.slice(Math.max(0, found.findLastIndex(({ turned_up }) => turned_up)));
}
