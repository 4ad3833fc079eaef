// What every board is given. A board knows no rules: it draws `view` and `drawn`, and offers what is `legal`.
import type { Did, Legal } from "../wire";

export interface BoardProps<View, Drawn = unknown> {
  view: View; // every field of the game's record as this seat may know it; -1 is unseen, -2 is hidden
  drawn: Drawn; // what the game's rules say of this view (`drawn` of its Python module); null if it has none
  seat: number | null; // whose screen this is; null: a spectator
  legal: Legal[]; // what this seat may do now; empty when it is not its turn
  did: Did[]; // what happened since the last view, to be animated
  log?: Did[]; // all that this page has been told of the game
  names: string[]; // the players, by seat
  hinted?: number[]; // suggested actions, to be marked
  act: (action: number, isSure?: boolean) => void; // do one of `legal`; `isSure`: the board has asked already
  why?: (action: number) => void; // show the clause that forbids an action which is not in `legal`
}

// A board's props without its functions, as the gallery's files have them.
export type Sample = Omit<BoardProps<never>, "act" | "why">;
