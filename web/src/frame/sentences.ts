// What happened and what may be done, as sentences; words/index.ts describes the keys of the catalogues.
import { read } from "../games/tables";
import type { Did, Event, Happening, TableMessage } from "../wire";
import { knows, language, t } from "../words";
import { tables } from "./game.svelte";

type Drawn = TableMessage["drawn"];
type Args = Record<string, string>; // name of an argument -> word of the game's tables

/** A word of the game's tables in the language spoken; an argument may have a word or a way to count of its own, and a
 * word may name players by their seats: "{0}'s left card". */
export function word(game: string, plain: string, arg?: string, names: string[] = []): string {
  const key = [`${game}.word.${arg}.${plain}`, `${game}.word.${plain}`].find(knows);
  if (key !== undefined) return t(key, seated(game, names));
  return knows(`${game}.number.${arg}`) ? t(`${game}.number.${arg}`, { n: Number(plain) + 1 }) : plain;
}

/** Who is where, by seat; a game may have names for seats that nobody takes. */
function seated(game: string, names: string[]): Args {
  const nobody = [0, 1, 2, 3, 4].filter((seat) => seat >= names.length && knows(`${game}.nobody.${seat}`));
  return { ...Object.fromEntries(nobody.map((seat) => [seat, t(`${game}.nobody.${seat}`)])), ...Object.fromEntries(names.entries()) };
}

const SEATS = ["seat", "other"]; // arguments that are seats
const NUMBERS = ["points", "n"]; // and those that are numbers, shown without their sign

/** Words of the game's tables, written with spaces between them: "the sieve and the shovel". */
const list = (game: string, plain: string): string =>
  new Intl.ListFormat(language()).format(plain.split(" ").map((one) => word(game, one)));

/** Arguments as values of a sentence: a seat is its player, words with commas between them are a list, and a word may
 * stand for others in this position. */
export function values(game: string, args: Args, names: string[], drawn?: Drawn): Args {
  const meant = (drawn?.["stands_for"] ?? {}) as Record<string, Args | undefined>;
  return Object.fromEntries(
    Object.entries(args).map(([arg, plain]) => {
      const other = meant[arg]?.[plain];
      if (NUMBERS.includes(arg)) return [arg, plain.replace("-", "")];
      const player = SEATS.includes(arg) ? names[Number(plain)] : undefined;
      const words = () => plain.split(",").map((one) => word(game, one, arg, names)).join(", ");
      return [arg.replaceAll(" ", "_"), player ?? (other === undefined ? words() : list(game, other))];
    }),
  );
}

/** The key of a kind of action: "did.VERB.ARG" with its last argument, else "did.VERB", if there is one. */
function keyOf(game: string, what: "did" | "act" | "chance" | "ask", verb: string, args: Args): string | undefined {
  const key = `${game}.${what}.${verb}`;
  return [`${key}.${Object.keys(args).at(-1)}`, key].find(knows);
}

/** The verb and the arguments of an action, by the game's tables. */
export function parts(game: string, action: number): { verb: string; args: Args } | undefined {
  const known = tables(game);
  if (!known) return undefined;
  const { kind, args } = read(known.actions, action);
  return { verb: kind.verb, args: Object.fromEntries(kind.args.map((arg, i) => [arg.name, arg.words[args[i]!]!])) };
}

/** One line of the log; `before` is what was drawn before it, where that is known. */
export function tell(game: string, did: Did, names: string[], before?: Drawn): string {
  const isChance = did.actor < 0;
  const who = isChance ? t("table.chance") : (names[did.actor] ?? String(did.actor));
  if (did.action === null) {
    const key = `${game}.hidden.${did.verb}`;
    return knows(key) ? t(key, { who }) : `${who}: ${did.words}`;
  }
  const key = keyOf(game, isChance ? "chance" : "did", did.verb, did.args);
  if (!key) return `${who}: ${did.words}`;
  const done = t(key, { ...values(game, did.args, names, before), who });
  // What a seat's action turned up is still to be seen when chance acts after it: it is told once.
  const shown = isChance ? null : did.turned_up;
  const seen = shown && t(`${game}.shown.${shown.kind}`, values(game, shown.args, names));
  return seen ? `${done} (${seen})` : done;
}

/** The sentence of an outcome of chance that only names something, "Dealt: {card}", and the argument it names. */
function naming(game: string, { actor, action, verb, args, events }: Did): { key: string; arg: string } | undefined {
  const [arg, ...others] = Object.keys(args);
  const key = keyOf(game, "chance", verb, args);
  if (actor >= 0 || action === null || !arg || others.length || events.length || !key) return undefined;
  return t(key, { [arg]: "\0" }).includes(": \0") ? { key, arg } : undefined;
}

/** What happened, with what one sentence can tell together: all cards of a deal. A hidden outcome of chance says nothing. */
export function inRuns<One extends Did>(game: string, all: One[]): One[][] {
  const runs: One[][] = [];
  for (const did of all) {
    if (did.actor < 0 && did.action === null && !did.events.length) continue;
    const last = runs.at(-1);
    const key = naming(game, did)?.key;
    if (last && key && naming(game, last[0]!)?.key === key) last.push(did);
    else runs.push([did]);
  }
  return runs;
}

/** One line of the log, or several that are told together: "Dealt: the 3 of hearts, the 7 of clubs". */
export function tellRun(game: string, run: Did[], names: string[], before?: Drawn): string {
  const named = run.length > 1 ? naming(game, run[0]!) : undefined;
  if (!named) return tell(game, run[0]!, names, before);
  return t(named.key, { [named.arg]: run.map((did) => values(game, did.args, names)[named.arg]!).join(", ") });
}

/** What came of an action, one sentence each. */
export function tellEvents(game: string, did: Did, names: string[]): string[] {
  return did.events.map((event) => tellEvent(game, event, names));
}

function tellEvent(game: string, event: Event, names: string[]): string {
  const key = `${game}.event.${event.kind}`;
  return knows(key) ? t(key, values(game, event.args, names)) : event.words;
}

/** An event, or something that was turned up, of which a review says how often it is: perhaps without all arguments. */
export function tellHappening(game: string, what: "event" | "thing", { kind, args, words }: Happening, names: string[]): string {
  const keys = (what === "event" ? ["event"] : ["shown", "chance"]).map((one) => `${game}.${one}.${kind}`);
  const said = keys.filter(knows).map((key) => t(key, values(game, args, names)));
  return said.find((one) => one && !one.includes("{")) ?? words;
}

/** A line as a whole sentence. */
export const stop = (line: string): string => (/[.!?…]\s*[”»"]?$/.test(line) ? line : `${line}.`);

/** What happened as lines: every action, or run of outcomes, and every event that came of it. */
export const tellLines = (game: string, news: (Did & { before?: Drawn })[], names: string[]): string[] =>
  inRuns(game, news).flatMap((run) => [tellRun(game, run, names, run[0]!.before), ...tellEvents(game, run[0]!, names)].map(stop));

/** A position as lines, one per fact, as the game's `describe` says it. */
export function describe(game: string, lines: Event[], names: string[]): string[] {
  return lines.map(({ kind, args, words }) => {
    const key = `${game}.position.${kind}`;
    const said = knows(key) ? t(key, values(game, args, names)) : words;
    return stop(said.slice(0, 1).toUpperCase() + said.slice(1));
  });
}

/** An action as a choice: "act.VERB", else the game's own words. */
export function nameOf(game: string, action: number, plain: string, names: string[] = [], drawn?: Drawn): string {
  const known = parts(game, action);
  const key = known && keyOf(game, "act", known.verb, known.args);
  return key ? t(key, values(game, known.args, names, drawn)) : plain;
}

/** A kind of action without what it is done to: "play …". */
export function kindOf(game: string, verb: string): string {
  const kind = tables(game)?.actions.find((one) => one.verb === verb);
  const args = Object.fromEntries((kind?.args ?? []).map((arg) => [arg.name.replaceAll(" ", "_"), "…"]));
  const key = kind && keyOf(game, "act", verb, args);
  return key ? t(key, args) : verb;
}

/** The question before a costly action, if there is one. */
export function question(game: string, action: number, names: string[] = []): string | null {
  const known = parts(game, action);
  const key = known && keyOf(game, "ask", known.verb, known.args);
  return key ? t(key, values(game, known.args, names)) : null;
}

/** What the one to act is to do, and what for: "phase.PHASE.WHAT" with what the game's `drawn` asks for, else
 * "phase.PHASE.VERB+VERB", else "phase.PHASE". */
export function expected(game: string, { view, drawn, legal }: Pick<TableMessage, "view" | "drawn" | "legal">, names: string[]): string {
  const known = tables(game);
  const phase = known?.words["phase"]?.[view["phase"] as number];
  const verbs = new Set(known ? legal.map((one) => read(known.actions, one.action).kind.verb) : []);
  const { what, ...args } = (drawn?.["asks"] ?? {}) as Args;
  const start = phase === undefined ? `${game}.phase` : `${game}.phase.${phase}`; // a game may have but one phase
  const keys = [`${start}.${what}`, `${start}.${[...verbs].join("+")}`, start, `${game}.phase`];
  const key = keys.find(knows);
  return key ? t(key, values(game, args, names, drawn)) : "";
}
