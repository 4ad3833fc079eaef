// Reading a view of Gold Hunting: pieces as lists of their sizes, and what happened between two views.
import { GOLD_HUNTING, type Did, type GoldHunting } from "../../wire";
import { read } from "../tables";

export interface Drawn {
  stack: number[]; // gold, by seat
  kept: number[];
  points: number[];
}

export const PILES = [0, 1, 2, 3];
export const SIZES = [1, 2, 3];
export const MINING = GOLD_HUNTING.words.phase.indexOf("mining");
export const BUILDING = GOLD_HUNTING.words.phase.indexOf("building");
export const REBUILDING = GOLD_HUNTING.words.phase.indexOf("rebuilding");
export const HIDDEN = -2;

/** The pieces of a pile from the bottom up; none where they are hidden. */
export const inside = (pile: number): number[] => (pile > 0 ? [...String(pile)].map(Number) : []);

/** How many pieces of each size a field of six counts for a seat. */
export const counts = (field: number[], seat: number): number[] => field.slice(3 * seat, 3 * seat + 3);

/** The same as a list of sizes, large ones first. */
export const sizes = (field: number[], seat: number): number[] =>
  [3, 2, 1].flatMap((size) => Array<number>(Math.max(0, counts(field, seat)[size - 1]!)).fill(size));

export type Event =
  | { what: "lift"; at: number; actor: number; pile: number; called: number; rush: boolean; piece: number; lost: number[] }
  | { what: "keep"; at: number; actor: number }
  | { what: "fall"; at: number; owner: number };

/** What can be told of the actions that led from one view to the next; `before` is null when this is the first. */
export function events(before: GoldHunting | null, view: GoldHunting, did: Did[]): Event[] {
  const found: Event[] = [];
  const lifts = did.filter((one) => one.actor >= 0 && one.action !== null && isLift(one.action));
  for (const one of did) {
    if (one.action === null) continue;
    if (one.actor < 0) {
      const last = [...found].reverse().find((event) => event.what === "lift");
      if (read(GOLD_HUNTING.outcomes, one.action).kind.verb === "fall")
        found.push({ what: "fall", at: one.at, owner: last?.what === "lift" ? 1 - last.actor : view.turn });
      continue;
    }
    const { kind, args } = read(GOLD_HUNTING.actions, one.action);
    if (kind.verb === "keep") found.push({ what: "keep", at: one.at, actor: one.actor });
    if (!isLift(one.action)) continue;
    const alone = lifts.filter((other) => other.actor === one.actor).length === 1;
    const gone = before && alone ? SIZES.filter((size) => differs(before.left, view.left, 1 - one.actor, size)) : [];
    const piece = gone[0] ?? (one === lifts.at(-1) ? view.shown[0]! : 0);
    if (!piece) continue;
    const rush = kind.verb === "rush";
    const called = rush ? view.marker[one.actor]! : args[0]! + 1;
    const kept = did.some((other) => other.action !== null && other.actor === one.actor && isKeep(other.action));
    const stack = before && alone && !kept ? sizes(before.stack, one.actor) : [];
    const broken = piece !== called && stack.join() !== sizes(view.stack, one.actor).join();
    found.push({ what: "lift", at: one.at, actor: one.actor, pile: args.at(-1)!, called, rush, piece, lost: broken ? stack : [] });
  }
  return found;
}

const isLift = (action: number): boolean => ["mine", "rush"].includes(read(GOLD_HUNTING.actions, action).kind.verb);
const isKeep = (action: number): boolean => read(GOLD_HUNTING.actions, action).kind.verb === "keep";
const differs = (a: number[], b: number[], seat: number, size: number): boolean =>
  counts(a, seat)[size - 1] !== counts(b, seat)[size - 1];
