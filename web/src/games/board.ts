// What every board is given. A board draws a view and offers the legal actions; it knows no rules.
import type { Did, Legal } from "../wire";

export interface BoardProps<View, Drawn = unknown> {
  view: View; // every field of the game's record as this seat may know it; -1 is unseen, -2 is hidden
  drawn: Drawn; // what the game's rules say of this view to help drawing it (its `drawn`); null where it has nothing to say
  seat: number | null; // whose screen this is; null: a spectator
  legal: Legal[]; // what may be done now by this seat; empty when it is not its turn
  did: Did[]; // what happened since the last view, to be animated
  names: string[]; // the players, by seat
  hinted?: number[]; // actions that were suggested, to be marked
  act: (action: number, isSure?: boolean) => void; // do one of `legal`; a board that has asked already is sure
  why?: (action: number) => void; // say why an action that is not in `legal` cannot be done, with its clause
}

// A board's props without the calls, as the gallery's files have them.
export type Sample = Omit<BoardProps<never>, "act" | "why">;
