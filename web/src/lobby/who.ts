// A player in a few words.
import type { Player } from "../wire";
import { knows, t } from "../words";

/** A bot's name for people: "search:100" is a searching bot of strength 100. */
export function botName(bot: string): string {
  const [kind, strength] = bot.split(":");
  const name = knows(`lobby.bot.${kind}`) ? t(`lobby.bot.${kind}`) : kind!;
  return strength ? `${name} ${strength}` : name;
}

export function who(player: Player): string {
  if (player.kind === "open") return t(player.takes === "anyone" ? "lobby.seat.anyone" : "lobby.seat.link");
  return player.kind === "bot" ? botName(player.bot ?? player.name) : player.name;
}
