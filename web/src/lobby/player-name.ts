// The names of players, as the page shows them.
import type { Player } from "../wire";
import { knows, t } from "../words";

/** A bot's name: "search:100" becomes "Thinking bot 100". */
export function botName(bot: string): string {
  const [kind, strength] = bot.split(":");
  const name = knows(`lobby.bot.${kind}`) ? t(`lobby.bot.${kind}`) : kind!;
  return strength ? `${name} ${strength}` : name;
}

/** A person's name, a bot's, or what an open seat waits for. */
export function playerName(player: Player): string {
  if (player.kind === "open") return t(player.takes === "anyone" ? "lobby.seat.anyone" : "lobby.seat.link");
  if (player.kind === "bot") return botName(player.bot ?? player.name);
  return player.program ? t("friends.program", { name: player.name }) : player.name;
}

/** A player as a record names it: a person, or a bot by the name that the table had for it. */
export const recordedName = (name: string): string => (knows(`lobby.bot.${name.split(/[:+@]/)[0]}`) ? botName(name) : name);

/** Players with the same name are numbered. */
export const numbered = (names: string[]): string[] =>
  names.map((name, i) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} ${names.slice(0, i + 1).filter((one) => one === name).length}`));

/** The names of a table's players; several people at this browser are called what they call themselves. */
export function tableNames(players: Player[], local: Record<number, string> = {}): string[] {
  const names = numbered(players.map((player) => local[player.seat] || playerName(player)));
  return players.map((player, i) => (player.kind === "open" ? playerName(player) : isolated(names[i]!)));
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name that is written from right to left must not turn the sentence around it. */
export const isolated = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);
