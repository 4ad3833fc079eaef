// Goldmine's cards in words.
import { GOLDMINE, type Goldmine } from "../../wire";
import { t } from "../../words";

export const cardName = (card: number): string => t(`goldmine.word.${GOLDMINE.words.trump[card]}`);
export const suitName = (card: number): string => t(`goldmine.suit.${GOLDMINE.words.trump[card]![0]}`);
export const isTrump = (view: Goldmine, card: number): boolean =>
  view.trump >= 0 && Math.floor(card / 6) === Math.floor(view.trump / 6);
export const phaseOf = (view: Goldmine): string => GOLDMINE.words.phase[view.phase]!;
