// Which games have a guided first game and a rulebook.
import type { Component } from "svelte";

const lessons = import.meta.glob("../../../motherlode/games/*/lesson.json", { query: "?url" });
const found = import.meta.glob<{ default: Component }>("../games/*/Book.svelte");
const of = (path: string) => path.split("/").at(-2)!;
const taught = new Set(Object.keys(lessons).map(of));

export const books = Object.fromEntries(Object.entries(found).map(([path, load]) => [of(path), load]));
export const hasLesson = (game: string): boolean => taught.has(game);
export const hasBook = (game: string): boolean => game in books;
