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
  return player.kind === "bot" ? botName(player.bot ?? player.name) : player.name;
}

/** A player as a record names them: a bot by its kind. */
export const recordedName = (name: string): string => (knows(`lobby.bot.${name.split(":")[0]}`) ? botName(name) : name);

/** Players with the same name are numbered. */
export const tellApart = (names: string[]): string[] =>
  names.map((name, i) => {
    const same = names.filter((other) => other === name).length;
    return same > 1 ? `${name} ${names.slice(0, i + 1).filter((other) => other === name).length}` : name;
  });

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name that is written from right to left must not turn the sentence around it. */
export const isolated = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);
