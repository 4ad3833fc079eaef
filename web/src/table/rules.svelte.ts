// The rule sheets, fetched once a language.
import { get } from "../frame/api";
import type { GameSheet } from "../wire";
import { language } from "../words";

const sheets = $state<Record<string, GameSheet>>({});
const asked = new Set<string>();

/** The sheet of a game in the language spoken, once it is here. */
export function sheetOf(game: string): GameSheet | undefined {
  const key = `${game} ${language()}`;
  if (!asked.has(key)) {
    asked.add(key);
    get<GameSheet>(`/api/games/${game}?language=${language()}`).then(
      (sheet) => (sheets[key] = sheet),
      () => asked.delete(key),
    );
  }
  return sheets[key];
}

export const clauseText = (game: string, clause: string, otherwise: string): string => {
  const text = sheetOf(game)?.clauses[clause];
  return text ? `${clause}: ${text}` : otherwise;
};
