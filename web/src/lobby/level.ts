// The levels of bots in words, with how often each was measured to beat the one below.
import type { LevelCard } from "../wire";
import { language, t } from "../words";
import { botName } from "./player-name";

const LITTLE = 0.6; // a win rate that is only a little more than half

export const percent = (share: number): string => new Intl.NumberFormat(language(), { style: "percent" }).format(share);

/** A level with its measurement; the lowest level has none. */
function say(key: string, { name, against, score, interval, games }: LevelCard): string {
  const [low, high] = (interval ?? []).map(percent);
  if (against === null || score === null || !low || !high) return t("lobby.level.lowest", { name: botName(name) });
  const values = { name: botName(name), below: t(`lobby.level.${against}`), score: percent(score), low, high, n: games ?? 0 };
  return t(key, values);
}

/** "Digger: beats the panner in 68% (65% to 71%) of the games". */
export const levelName = (level: LevelCard): string => say("lobby.level.beats", level);
export const levelNote = (level: LevelCard): string => (level.against === null ? "" : say("lobby.level.measured", level));

/** Whether no level beats the one below by much, so that luck decides most games. */
export function isLuck(levels: LevelCard[]): boolean {
  const scores = levels.flatMap((level) => level.score ?? []);
  return scores.length > 0 && scores.every((score) => score < LITTLE);
}
