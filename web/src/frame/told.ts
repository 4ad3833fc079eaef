// What happened and what is expected, in the language spoken; the catalogues' keys are told in words/index.ts.
import { read, type KindTable } from "../games/tables";
import * as wire from "../wire";
import type { Did } from "../wire";
import { knows, t } from "../words";

interface Tables {
  readonly words: Record<string, readonly string[]>;
  readonly actions: readonly KindTable[];
  readonly outcomes: readonly KindTable[];
  readonly memory: boolean; // there is something to remember in it
}

/** The generated tables of a game: GOLDMINE for goldmine. */
export const tables = (game: string): Tables => (wire as unknown as Record<string, Tables>)[game.toUpperCase()]!;

/** A word of the game's tables, in the language spoken; one of an argument may be another than elsewhere. */
export function word(game: string, plain: string, arg?: string): string {
  const key = [`${game}.word.${arg}.${plain}`, `${game}.word.${plain}`].find(knows);
  return key === undefined ? plain : t(key);
}

type View = Record<string, number | number[]>;

/** What an argument stands for in the view before the action, where its own word says little: a card, not "first". */
const MEANT: Record<string, (view: View, value: number) => string | undefined> = {
  "claimpoker which": (view, which) => {
    const { top, taken } = view as unknown as wire.Claimpoker;
    return wire.CLAIMPOKER.words.top[top[taken[which]!]!];
  },
};

/** An action's arguments by their names; a seat is its player. */
function words(game: string, kind: KindTable, args: number[], names: string[], before?: View | null): Record<string, string> {
  return Object.fromEntries(
    kind.args.map((arg, i) => {
      const plain = arg.words[args[i]!]!;
      const meant = before && MEANT[`${game} ${arg.name}`]?.(before, args[i]!);
      const said = (arg.name === "seat" && names[Number(plain)]) || (meant ? word(game, meant) : word(game, plain, arg.name));
      return [arg.name.replaceAll(" ", "_"), said];
    }),
  );
}

/** The sentence for a kind of action: "did.VERB.ARG" with its last argument, else "did.VERB", if there is one. */
function sentence(game: string, room: "did" | "act" | "chance" | "ask", kind: KindTable): string | undefined {
  const key = `${game}.${room}.${kind.verb}`;
  return [`${key}.${kind.args.at(-1)?.name}`, key].find(knows);
}

/** What the engine adds in brackets to a seat's action, as a whole or each word of it in the language spoken. */
function turnedUp(game: string, told: string): string {
  const found = / \(([^()]*)\)$/.exec(told)?.[1];
  if (found && word(game, found) !== found) return ` (${word(game, found)})`;
  return found ? ` (${found.replace(/[^\s,]+/g, (plain) => word(game, plain))})` : "";
}

/** One line of the log; `before` is the view before it, where it is known. */
export function tell(game: string, did: Did, names: string[], before?: View | null): string {
  const who = did.actor >= 0 ? (names[did.actor] ?? String(did.actor)) : t("table.chance");
  if (did.action === null) {
    const key = `${game}.hidden.${did.words.split(" ")[0]}`;
    return knows(key) ? t(key, { who }) : `${who}: ${did.words}`;
  }
  const { actions, outcomes } = tables(game);
  const { kind, args } = read(did.actor >= 0 ? actions : outcomes, did.action);
  const key = sentence(game, did.actor >= 0 ? "did" : "chance", kind);
  if (!key) return `${who}: ${did.words}`;
  // What chance decides after an action comes with the same words in brackets: they are told once.
  return t(key, { who, ...words(game, kind, args, names, before) }) + (did.actor >= 0 ? turnedUp(game, did.words) : "");
}

/** The name of an action as a choice: "act.VERB", else the engine's words. */
export function nameOf(game: string, action: number, plain: string, names: string[] = [], view?: View | null): string {
  const { kind, args } = read(tables(game).actions, action);
  const key = sentence(game, "act", kind);
  return key ? t(key, words(game, kind, args, names, view)) : plain;
}

/** The question before a costly action, if there is one. */
export function question(game: string, action: number, names: string[] = []): string | null {
  const { kind, args } = read(tables(game).actions, action);
  const key = sentence(game, "ask", kind);
  return key ? t(key, words(game, kind, args, names)) : null;
}

/** What the one to act is expected to do: "phase.PHASE.VERB+VERB" if that is known, else "phase.PHASE". */
export function expected(game: string, view: Record<string, number | number[]>, legal: { action: number }[]): string {
  const phase = tables(game).words["phase"]?.[view["phase"] as number];
  if (phase === undefined) return knows(`${game}.phase`) ? t(`${game}.phase`) : "";
  const verbs = new Set(legal.map((one) => read(tables(game).actions, one.action).kind.verb));
  const exact = `${game}.phase.${phase}.${[...verbs].join("+")}`;
  const key = knows(exact) ? exact : `${game}.phase.${phase}`;
  return knows(key) ? t(key) : "";
}
