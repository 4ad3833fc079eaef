// The levels of bots, in words: what each was measured to win against the one below.
import type { LevelCard } from "../wire";
import { language, t } from "../words";
import { botName } from "./who";

const LITTLE = 0.6; // a share of games won that is only a little more than half

export const percent = (share: number): string => new Intl.NumberFormat(language(), { style: "percent" }).format(share);

/** "Digger: beats the panner in 68% (65% to 71%) of the games". */
export function levelName(level: LevelCard): string {
  const name = botName(level.name);
  if (level.against === null || level.score === null || level.interval === null) return t("lobby.level.lowest", { name });
  const [low, high] = level.interval.map(percent) as [string, string];
  return t("lobby.level.beats", { name, below: t(`lobby.level.${level.against}`), score: percent(level.score), low, high });
}

/** Does chance decide so much that no level is far from the one below? */
export function isLuck(levels: LevelCard[]): boolean {
  const scores = levels.flatMap((level) => level.score ?? []);
  return scores.length > 0 && scores.every((score) => score < LITTLE);
}
