// What followed the answer, as sentences: what one sentence tells together is one line.
import { inRuns, tellEvents, tellRun } from "../frame/sentences";
import type { PuzzleSheet, PuzzleStep } from "../wire";

export interface Line {
  to: number; // how many steps lead there
  words: string;
}

export function linesOf({ game, drawn }: PuzzleSheet, steps: PuzzleStep[], names: string[]): Line[] {
  const all = steps.map(({ did }) => did);
  return inRuns(game, all).map((run) => {
    const [from, to] = [all.indexOf(run[0]!), all.indexOf(run.at(-1)!) + 1];
    const words = tellRun(game, run, names, from ? steps[from - 1]!.drawn : drawn);
    return { to, words: [words, ...tellEvents(game, all[to - 1]!, names)].join(". ") };
  });
}
