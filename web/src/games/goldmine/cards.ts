// Goldmine's cards in words, and what the rules say of a view (`drawn` of the game's Python module).
import { GOLDMINE, type Goldmine } from "../../wire";
import { t } from "../../words";

export interface Drawn {
  trumps: number[]; // the cards of the trump suit
  deck: number; // how many cards it has
  use: "discard" | "play"; // what the cards in hand are for now
  leader: number; // the seat that leads this trick
  taken: number[][]; // gold taken in this deal, by seat
  lost: boolean[]; // whether it was lost at the end of the deal, by seat
  before: number[]; // points of earlier deals, by seat
  gone: number[]; // how many cards each seat has played and thrown away in this deal
  last: { seat: number; value: number } | null; // who took the gold of the last trick
  unknown: number[]; // gold that this seat has not seen
}

export const FACTS = GOLDMINE.facts;

export const cardName = (card: number): string => t(`goldmine.word.${GOLDMINE.words.trump[card]}`);
export const suitName = (card: number): string => t(`goldmine.suit.${FACTS.cards[card]!.suit}`);
export const phaseOf = (view: Goldmine): string => GOLDMINE.words.phase[view.phase]!;
