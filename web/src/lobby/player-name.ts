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

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name that is written from right to left must not turn the sentence around it. */
export const isolated = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);
