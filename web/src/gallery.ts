// For those who draw boards: /gallery.html?game=goldmine&sample=3 mounts one board with a sample view and logs its actions.
// Samples are written by `python -m motherlode.server.samples GAME > web/gallery/GAME.json`; they are not part of the build.
import { mount } from "svelte";
import { boards } from "./games/boards";
import type { Sample } from "./games/board";

const asked = new URLSearchParams(location.search);
const game = asked.get("game") ?? "goldmine";
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
