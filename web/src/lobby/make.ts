// Creating tables.
import { beGuest } from "../frame/me.svelte";
import { post } from "../frame/api";
import type { GameCard, NewTable, NewTableCard, TableCard } from "../wire";

export const USUAL_BOT = "greedy";

/** "2–4" for 2, 3, 4. */
export const between = (seats: number[]): string => [...new Set([seats[0]!, seats.at(-1)!])].join("–");

export async function make(table: NewTable): Promise<NewTableCard> {
  await beGuest();
  return post<NewTableCard>("/api/tables", table);
}

/** Create a table with as few bots of a level as the game allows and with advice; returns its id. */
export async function playNow(game: GameCard, level: string): Promise<string> {
  const bots = Array.from({ length: game.seats[0]! - 1 }, () => ({ player: level }));
  return (await make({ game: game.name, seats: [{ player: "me" }, ...bots], hints: true })).id;
}

/** The same game and settings anew, with the same opponents or with bots of a level; other people get a link. */
export function sameAgain({ game, options, players, mine, watch, delay, chat, open_memory, hints, clock, substitute, shared }: TableCard, level?: string): NewTable {
  const seats = players.map(({ seat, kind, bot }) => ({ player: mine.includes(seat) ? "me" : kind === "bot" ? (level ?? bot!) : "link" }));
  return { game, options, seats, watch, delay, chat, open_memory, hints, clock, substitute, shared };
}
