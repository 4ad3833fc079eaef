// The language spoken, and the sentences of it. See index.ts.
import { untrack } from "svelte";

export type Language = "en" | "fr";
type Sentence = string | { one: string; other: string };
type Files = Record<string, Record<string, unknown>>;

export const languages: Record<Language, { name: string; load: () => Promise<{ default: Files }> }> = {
  en: { name: "English", load: () => import("./en") },
  fr: { name: "Français", load: () => import("./fr") },
};

// What only some pages say, brought when such a page is opened: a game's lesson and its rulebook.
const more = import.meta.glob<Record<string, Sentence>>(["../games/*/book.*.json", "../../../motherlode/games/*/lesson.*.json"], { import: "default" });
const brought = new Set<string>(); // "goldmine/lesson"

const VOWEL = /^[aeiouàâéèêëîïôœ]/i; // French: "le tour d'Ada", but "le tour de Bob"
const KEPT = "motherlode.language";
let spoken = $state<Language>("en");
let plurals = new Intl.PluralRules("en"); // of the language spoken
let sentences = $state.raw<Record<string, Sentence>>({});

export const language = (): Language => spoken;

/** The language asked for, else the one remembered, else the browser's. */
export async function speak(wanted?: Language): Promise<void> {
  if (wanted) localStorage.setItem(KEPT, wanted);
  const liked = [localStorage.getItem(KEPT), ...navigator.languages.map((tag) => tag.slice(0, 2)), "en"];
  const next = liked.find((tag): tag is Language => tag !== null && tag in languages)!;
  const { default: files } = await languages[next].load();
  const all: Record<string, Sentence> = {};
  for (const [path, file] of Object.entries(files)) {
    const room = /games\/(\w+)\//.exec(path)?.[1] ?? path.slice("./".length, path.indexOf(".", 2));
    for (const [key, sentence] of Object.entries(file)) all[`${room}.${key}`] = sentence as Sentence;
  }
  Object.assign(all, ...(await Promise.all([...brought].map((what) => bringFile(what, next)))));
  sentences = all;
  plurals = new Intl.PluralRules(next);
  spoken = next;
  document.documentElement.lang = next;
}

async function bringFile(what: string, tag: Language): Promise<Record<string, Sentence>> {
  const found = Object.entries(more).find(([path]) => path.endsWith(`/games/${what}.${tag}.json`));
  const said = Object.entries((await found?.[1]()) ?? {});
  return Object.fromEntries(said.map(([key, sentence]) => [`${what.replace("/", ".")}.${key}`, sentence]));
}

/** Load the words of a game's lesson or book: its sentences are "goldmine.lesson.KEY". */
export async function bring(game: string, what: "lesson" | "book"): Promise<void> {
  brought.add(`${game}/${what}`);
  const file = await bringFile(`${game}/${what}`, untrack(() => spoken));
  sentences = { ...sentences, ...file };
}

export const knows = (key: string): boolean => key in sentences;

/** What there is to say; a missing sentence shows its key, and is an error in the console. */
export function t(key: string, values: Record<string, string | number> = {}): string {
  let sentence = sentences[key];
  if (sentence === undefined) {
    console.error(`no sentence for ${key} in ${spoken}`);
    return key;
  }
  if (typeof sentence !== "string") {
    const rule = plurals.select(Number(values["n"] ?? values["points"] ?? 0));
    sentence = rule === "one" ? sentence.one : sentence.other;
  }
  return sentence.replace(/(?:\b(d|qu)e )?\{(\w+)\}/gi, (_, elided: string | undefined, name: string) => {
    const value = String(values[name] ?? `{${name}}`);
    if (elided === undefined) return value;
    return spoken === "fr" && VOWEL.test(value) ? `${elided}'${value}` : `${elided}e ${value}`;
  });
}
