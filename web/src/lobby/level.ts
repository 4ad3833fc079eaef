// The levels of bots in words, with how often each was measured to beat the one below.
import type { LevelCard } from "../wire";
import { percent } from "../frame/time";
import { t } from "../words";
import { botName } from "./player-name";

// How far above the weakest level, in rating points of the measured wins, each of these words begins.
const WORDS = { gentle: 0, mild: 100, steady: 300, sharp: 500, fierce: 700 };
const LITTLE = 0.6; // a win rate that is only a little more than half

/** What was measured of a level, as the values of a sentence; null for one that was not measured. */
function measured({ name, against, score, interval, games }: LevelCard): Record<string, string | number> | null {
  const [low, high] = (interval ?? []).map(percent);
  if (against === null || score === null || !low || !high) return null;
  return { name: botName(name), below: t(`lobby.level.${against}`), score: percent(score), low, high, n: games ?? 0 };
}

/** A level with its strength in one word, where that was measured: "Digger · steady". */
export function levelWord(level: LevelCard, levels: LevelCard[]): string {
  const found = strength(level, levels);
  return found ? t("tile.level", { name: botName(level.name), word: t(`tile.strength.${found}`) }) : botName(level.name);
}

/** "Digger: beats the panner in 68% (65% to 71%) of the games". */
export function levelName(level: LevelCard, levels: LevelCard[]): string {
  const values = measured(level);
  if (values) return t("lobby.level.beats", values);
  const isLowest = level === levels[0] && levels.some(measured);
  return t(isLowest ? "lobby.level.lowest" : "lobby.level.unmeasured", { name: botName(level.name) });
}

export function levelNote(level: LevelCard): string {
  const values = measured(level);
  return values ? t("lobby.level.measured", values) : "";
}

/** How strong a level was measured to be, in one of the WORDS; "" where that was not measured. */
function strength(level: LevelCard, levels: LevelCard[]): string {
  const above = levels.slice(1, levels.indexOf(level) + 1).map(({ score }) => (score === null ? NaN : 400 * Math.log10(score / (1 - score))));
  const rating = levels.some(measured) ? above.reduce((sum, one) => sum + one, 0) : NaN;
  return Object.entries(WORDS).findLast(([, from]) => rating >= from)?.[0] ?? "";
}

/** Whether no level beats the one below by much, so that luck decides most games. */
export function isLuck(levels: LevelCard[]): boolean {
  const scores = levels.flatMap((level) => level.score ?? []);
  return scores.length > 0 && scores.every((score) => score < LITTLE);
}
