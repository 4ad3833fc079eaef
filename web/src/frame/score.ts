// How every point arose: what was told of it, with its points, for each player. Where `points` only tell how the score
// goes up and down, events with a `worth` say what counts in the end.
import type { Did } from "../wire";
import { knows, t } from "../words";
import { isStop } from "./playback.svelte";
import { tellEvents, values } from "./sentences";

export interface ScoreLine {
  words: string; // below its player's name
  whole: string; // as the log tells it
  points: number;
  isTitle?: boolean; // of a deal or round, with all its points
}

export const sum = (lines: ScoreLine[]): number => lines.reduce((all, { points, isTitle }) => (isTitle ? all : all + points), 0);

/** The score sheet of every player, by seat. */
export function score(game: string, log: Did[], names: string[]): ScoreLine[][] {
  const found: ScoreLine[][] = names.map(() => []);
  const what = log.some((did) => did.events.some(({ args }) => "worth" in args)) ? "worth" : "points";
  const begins = names.map(() => 0); // of the deal or round in each sheet
  for (const did of log) {
    const said = tellEvents(game, did, names);
    did.events.forEach((event, i) => {
      const points = Number(event.args[what] ?? 0);
      const short = `${game}.sheet.${event.kind}`;
      const whole = said[i]!;
      const words = knows(short) ? t(short, values(game, event.args, names)) : whole;
      if (points || "worth" in event.args) found[Number(event.args["seat"])]?.push({ words, whole, points });
    });
    const ended = did.events.find((event) => isStop(game, event));
    if (!ended || (did === log.at(-1) && !begins[0])) continue; // a single one needs no title
    const words = t(`${game}.summary.${ended.kind}`, values(game, ended.args, names));
    found.forEach((lines, seat) => {
      lines.splice(begins[seat]!, 0, { words, whole: words, points: sum(lines.slice(begins[seat])), isTitle: true });
      begins[seat] = lines.length;
    });
  }
  return found;
}
