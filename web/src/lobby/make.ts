// Creating tables.
import { beGuest } from "../frame/me.svelte";
import { post } from "../frame/api";
import type { GameCard, NewTable, NewTableCard } from "../wire";

export const USUAL_BOT = "greedy";

/** "2–4" for 2, 3, 4. */
export const between = (seats: number[]): string => [...new Set([seats[0]!, seats.at(-1)!])].join("–");

export async function make(table: NewTable): Promise<NewTableCard> {
  await beGuest();
  return post<NewTableCard>("/api/tables", table);
}

/** Create a table with as few bots as the game allows and with advice; returns its id. */
export async function playNow(game: GameCard): Promise<string> {
  const bots = Array.from({ length: game.seats[0]! - 1 }, () => ({ player: USUAL_BOT }));
  return (await make({ game: game.name, seats: [{ player: "me" }, ...bots], hints: true })).id;
}
