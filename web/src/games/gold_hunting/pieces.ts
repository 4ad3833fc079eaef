// Reading a view of Gold Hunting: pieces as lists of their sizes, and what happened between two views.
import { GOLD_HUNTING, type Did, type GoldHunting } from "../../wire";

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

export type Event =
  | { what: "lift"; at: number; actor: number; pile: string; called: number; rush: boolean; piece: number; lost: number[] }
  | { what: "keep"; at: number; actor: number }
  | { what: "fall"; at: number; owner: number };

export interface Seen {
  view: GoldHunting;
  drawn: Drawn;
}

/** What happened between two views; where this is the first (`before` is null), only the last lift and what followed. */
export function events(before: Seen | null, now: Seen, did: Did[]): Event[] {
  const found: Event[] = [];
  for (const { at, actor, verb, args, turned_up: shown } of did) {
    if (verb === "keep") found.push({ what: "keep", at, actor });
    else if (verb === "fall") {
      const lift = found.findLast((event) => event.what === "lift");
      found.push({ what: "fall", at, owner: lift ? 1 - lift.actor : now.view.turn });
    } else if (verb === "mine" || verb === "rush") {
      const called = Number(verb === "rush" ? shown!.args["number"] : args["size"]);
      const own = did.filter((one) => one.actor === actor && one.verb !== "place");
      const shrank = before !== null && own.length === 1 && now.drawn.stack[actor]! < before.drawn.stack[actor]!;
      const lost = shrank ? sizes(before.view.stack, actor) : [];
      const piece = Number(shown!.args["size"]);
      found.push({ what: "lift", at, actor, pile: args["pile"]!, called, rush: verb === "rush", piece, lost });
    }
  }
  return before ? found : found.slice(Math.max(0, found.findLastIndex((event) => event.what === "lift")));
}
