// For drawing boards: /gallery.html?game=goldmine&sample=3 shows one board with a sample view and logs its actions to the
// console; add &language=fr or &theme=dark. The samples are not part of the build; write them with
// `python -m motherlode.server.samples GAME > web/gallery/GAME.json`.
import "./app.css";
import { mount } from "svelte";
import { boards } from "./games/boards";
import type { Sample } from "./games/board";
import { speak, type Language } from "./words";

const asked = new URLSearchParams(location.search);
const game = asked.get("game") ?? Object.keys(boards)[0]!;
await speak((asked.get("language") ?? "en") as Language);
document.documentElement.dataset["theme"] = asked.get("theme") ?? "";
const samples: Sample[] = await (await fetch(`/gallery/${game}.json`)).json();
const sample = samples[Number(asked.get("sample") ?? 0)];
const board = boards[game];
if (sample && board) {
  const Board = (await board()).default;
  mount(Board, {
    target: document.getElementById("gallery")!,
    props: { ...sample, act: (action: number) => console.log("act", action) },
  });
}
