// The sheets of games, fetched once per language.
import { get } from "./api";
import type { GameSheet } from "../wire";
import { language } from "../words";

const sheets = $state<Record<string, GameSheet>>({});
const asked: Record<string, boolean> = {};

/** The sheet of a game in the language spoken, once it is here. */
export function sheetOf(game: string): GameSheet | undefined {
  const key = `${game} ${language()}`;
  if (!asked[key]) {
    asked[key] = true;
    get<GameSheet>(`/api/games/${game}?language=${language()}`).then(
      (sheet) => (sheets[key] = sheet),
      () => (asked[key] = false),
    );
  }
  return sheets[key];
}

export const clauseText = (game: string, clause: string, otherwise: string): string => {
  const text = sheetOf(game)?.clauses[clause];
  return text ? `${clause}: ${text}` : otherwise;
};
