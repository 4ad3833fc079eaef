// What the rules say of the cards in sight, and what came of a turn in a few words.
import { MOUNT_GOLDRUSH } from "../../wire";

export interface Drawn {
  turned: { place: number; kind: number; fate: "lies" | "got" | "left" }[]; // the cards of this turn, or of the last one
  came: Came | null; // of the last turn, while its cards are in sight
  turns: number; // how many cards a turn has now
  left: number; // cards on the table
  gold: (number | null)[]; // by seat; null where one does not know it
  won: [value: number, cards: number][][]; // by seat
}

export interface Came {
  kind: string; // of the game's events
  args: Record<string, string>;
}

const { words, facts } = MOUNT_GOLDRUSH;
const value = (card: string | undefined) => String(facts.kinds[(words.card as readonly (string | undefined)[]).indexOf(card)]?.value ?? "");

/** "4 beats 2": the key of the sentence, and what is in it. */
export function verdict({ kind, args }: Came): { key: string; args: Record<string, string> } {
  const numbers = { stronger: value(args["stronger"]), weaker: value(args["weaker"]), miner: value(args["miner"]), gold: value(args["gold"]) };
  return { key: `came.${kind}`, args: { ...args, ...numbers } };
}
