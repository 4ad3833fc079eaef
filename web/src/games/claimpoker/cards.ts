// Claimpoker's cards in words, and what the rules say of a view (`drawn` of the game's Python module).
import { CLAIMPOKER } from "../../wire";
import { t } from "../../words";

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
  after: Record<string, Record<string, Counted>>; // by action, then by seat: what deciding about a gift makes of tableaux
  odd: "nothing" | "minus"; // what odd numbers count in this round
  taken: number[]; // the cards taken, -1 while they are face down
  doubles: number[][] | null; // by pile, the doubles that lie in it unseen, where chance placed them
}

export const FACTS = CLAIMPOKER.facts;
export const PHASE = CLAIMPOKER.words.phase;

export const kindName = (kind: number): string => t(`claimpoker.word.${FACTS.kinds[kind]!}`);
export const cardName = (look: number): string =>
  look < 0 ? t("claimpoker.face_down") : t(`claimpoker.word.${FACTS.looks[look]!.name}`);
export const signed = (n: number): string => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");
