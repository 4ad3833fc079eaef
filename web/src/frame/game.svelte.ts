// What the pages know of a game. Tables and words of the package's own games come with the page; any other game's
// tables are asked from the server, and its words are its own.
import type { KindTable } from "../games/tables";
import * as wire from "../wire";
import type { GameSheet } from "../wire";
import { knows, t } from "../words";
import { sheetOf } from "./sheets.svelte";

export interface Tables {
  readonly words: Record<string, readonly string[]>; // of fields
  readonly actions: readonly KindTable[];
  readonly outcomes: readonly KindTable[];
  readonly memory: boolean; // there is something to remember in it
}

const generated = wire as unknown as Record<string, Tables | undefined>; // GOLDMINE for goldmine

/** The tables of any game; undefined until the server has sent them. */
export const tables = (game: string): Tables | undefined => generated[game.toUpperCase()] ?? read(sheetOf(game));

function read(sheet: GameSheet | undefined): Tables | undefined {
  if (!sheet) return undefined;
  const { fields, actions, outcomes, has_memory: memory } = sheet;
  return { words: Object.fromEntries(fields.map((field) => [field.name, field.words])), actions, outcomes, memory };
}

/** The title of any game; `own` is what the game calls itself, where it is known already. */
export function title(game: string, own?: string): string {
  return knows(`${game}.title`) ? t(`${game}.title`) : (own ?? sheetOf(game)?.title ?? game);
}
