// Claimpoker's cards in words, and what the rules say of a view (`drawn` of the game's Python module).
import { CLAIMPOKER } from "../../wire";
import { t } from "../../words";
import { number } from "../tables";

export interface Counted {
  looks: number[]; // the cards, as places in FACTS.looks
  showing: number[]; // by kind: cards that show it without a figure
  numbers: number[]; // by kind, the adjustment included
  even: boolean[]; // by kind: is that number even?
  worth: number[]; // by kind, what it counts
  added: number; // the adjustment
  adjusted: number; // the kind it goes to, or -1
  points: number;
}

export interface Drawn {
  now: Counted[]; // by seat
  before: number[]; // points of earlier rounds
  after: Record<string, Record<string, Counted>>; // by action, then by seat: what deciding about a gift makes of claims
  odd: "nothing" | "minus"; // what odd numbers count in this round
  taken: number[]; // the cards taken, -1 while they are face down
  doubles: number[][] | null; // by pile, the doubles that lie in it unseen, where chance placed them
}

export const FACTS = CLAIMPOKER.facts;
export const PHASE = CLAIMPOKER.words.phase;
export const MORE = FACTS.kinds.length; // the last column of a claim: cards without a figure

export const kindName = (kind: number): string => t(`claimpoker.word.${FACTS.kinds[kind]!}`);
export const cardName = (look: number): string =>
  look < 0 ? t("claimpoker.face_down") : t(`claimpoker.word.${FACTS.looks[look]!.name}`);
export const signed = (n: number): string => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");

/** The column of a claim in which a card lies. */
export const columnOf = (look: number): number => (FACTS.looks[look]!.figure ? FACTS.looks[look]!.kinds[0]! : MORE);

// Spots, by name, for effects.ts and for the lesson.
export const topSpot = (pile: number): string => `top ${pile + 1}`;
export const takenSpot = (which: number): string => `taken ${which + 1}`;
export const columnSpot = (seat: number, column: number): string => `player ${seat + 1} ${FACTS.kinds[column] ?? "more"}`;
export const cardSpot = (seat: number, look: number): string => `player ${seat + 1} card ${FACTS.looks[look]!.name}`;
export const pointsSpot = (seat: number): string => `player ${seat + 1} points`;

export const giveOf = (which: number, to: number): number => number(CLAIMPOKER.actions, "give", which, to);
export const ACCEPT = number(CLAIMPOKER.actions, "accept");
export const REJECT = number(CLAIMPOKER.actions, "reject");

const [TWO, TWICE] = CLAIMPOKER.actions.filter((kind) => kind.verb === "take");
/** Taking the tops of two piles, or of one pile twice. */
export function takeOf(x: number, y: number): number {
  if (x === y) return TWICE!.first + x;
  const pairs: readonly string[] = TWO!.args[0]!.words;
  return TWO!.first + pairs.indexOf(`${FACTS.piles[Math.min(x, y)]!} ${FACTS.piles[Math.max(x, y)]!}`);
}
