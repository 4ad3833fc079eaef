// Shows what happens over the board: copies of what lies there fly from spot to spot, turn over, glow. Nothing of it
// changes the board itself, and nothing of it can be clicked. With reduced motion things only light up; every beat is
// also said in words (Prompt.svelte).
import { tick } from "svelte";
import type { Beat, Shown, Stage } from "../frame/playback.svelte";
import { play as sound } from "../frame/sound";
import type { Effect, Scene, SceneOf } from "../games/effects";

interface Seen {
  box: DOMRect;
  copy: Copy;
}

/** A copy of a spot, in shells of what the spot lies in: so it looks the same elsewhere. */
interface Copy {
  whole: HTMLElement;
  spot: HTMLElement;
}

const GOLD =
  '<svg viewBox="0 0 24 24" width="26" height="26"><path d="M3 14 7 6l8-2 6 6-2 8-9 3z" fill="var(--gold)" stroke="var(--gold-dark)" stroke-width="1.500" stroke-linejoin="round"/><path d="m7 6 4 5 10-1M11 11l-1 10" fill="none" stroke="var(--gold-light)" stroke-width="1.500"/></svg>';
const BANG =
  '<svg viewBox="-50 -50 100 100" width="100%" height="100%"><path d="M0-48 9-20 34-34 20-9 48 0 20 9 34 34 9 20 0 48-9 20-34 34-20 9-48 0-20-9-34-34-9-20z" fill="var(--gold-light)" stroke="var(--bad)" stroke-width="5" stroke-linejoin="round"/></svg>';
const APART = 70; // milliseconds between two things that fly one after the other
const FLIGHT = 0.75; // of a beat

export class BoardStage implements Stage {
  #scenes = new WeakMap<Beat, Scene>();
  #seen = new Map<string, Seen>();
  #marked: HTMLElement[] = [];
  #coming: Effect[] = []; // what turns over or lands in a later beat; until then it is shown as it was
  #changing: string[] = []; // the spots that change in a later beat, once for each time

  constructor(
    readonly board: HTMLElement, // positioned, and holds the spots
    readonly layer: HTMLElement, // over it
    readonly sceneOf: SceneOf<never, never> | undefined,
    readonly names: () => string[],
  ) {}

  prepare(before: Shown, message: Shown, beats: Beat[]): Beat[] {
    this.clear();
    this.#seen.clear();
    return beats.filter((beat) => {
      const { did, event } = beat;
      const isOthers = did.actor >= 0 && did.actor !== message.seat;
      const scene = this.sceneOf?.({ ...beat, before, after: message, seat: message.seat, names: this.names() } as never);
      if (scene) {
        this.#scenes.set(beat, scene);
        this.#coming.push(...scene.effects.filter((effect) => effect.do === "flip" || effect.do === "change" || (effect.do === "fly" && effect.lands)));
        for (const effect of scene.effects) {
          this.#look("from" in effect ? effect.from : effect.do === "flip" || effect.do === "change" ? effect.at : null);
          if (effect.do === "change") this.#changing.push(effect.at);
        }
      }
      return scene !== null && (scene !== undefined || event !== null || (isOthers && did.action !== undefined));
    });
  }

  play(beat: Beat, milliseconds: number): number {
    this.#unmark();
    const scene = this.#scenes.get(beat);
    if (!scene) return milliseconds;
    if (scene.sound) sound(scene.sound);
    const length = milliseconds * (scene.length ?? 1);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const coming = isStill ? [] : this.#coming.splice(0);
    for (const effect of coming) if (effect.do === "flip" || effect.do === "change") this.#cover(effect.at);
    // The board changes after the first beat has begun.
    void tick().then(() => {
      for (const effect of coming) {
        if (effect.do === "fly") this.#find(effect.to)?.classList.add("coming");
        else if (effect.do === "change") this.#find(effect.at)?.classList.add("changing");
      }
      for (const effect of scene.effects) this.#show(effect, length, isStill);
    });
    return length;
  }

  clear(): void {
    this.#unmark();
    this.#coming = [];
    this.#changing = [];
    for (const one of this.board.querySelectorAll(".coming, .changing")) one.classList.remove("coming", "changing");
    this.layer.replaceChildren();
  }

  /** Remember a spot before the board changes. */
  #look(spot: string | null): void {
    const found = spot === null || this.#seen.has(spot) ? null : this.#find(spot);
    if (found) this.#seen.set(spot!, { box: found.getBoundingClientRect(), copy: this.#copy(found) });
  }

  #find(spot: string): HTMLElement | null {
    return this.board.querySelector<HTMLElement>(`[data-spot="${CSS.escape(spot)}"]`);
  }

  #show(effect: Effect, length: number, isStill: boolean): void {
    if (effect.do === "say") this.#say(effect.at, effect.words, effect.tone);
    else if (effect.do === "fly") this.#fly(effect, length, isStill);
    else if (effect.do === "glow" || (isStill && effect.do !== "change")) this.#mark(effect.at);
    else if (effect.do === "flip") this.#flip(effect.at, length);
    else if (effect.do === "change") this.#change(effect.at, effect.lands ? length * FLIGHT : 0);
    else if (effect.do === "bang") this.#bang(effect.at, length);
    else this.#find(effect.at)?.animate({ translate: ["0", "-4px", "4px", "-3px", "3px", "0"] }, Math.min(length, 450));
  }

  #fly({ from, to, as = "spot", n = 1, stays = false, lands = false }: Effect & { do: "fly" }, length: number, isStill: boolean): void {
    const there = this.#find(to), start = this.#seen.get(from);
    if (isStill) return this.#mark(to);
    if (!there || !start) return there?.classList.remove("coming");
    if (lands) there.classList.add("coming");
    if (stays) this.#find(from)?.classList.add("coming"); // it is there no longer
    const end = there.getBoundingClientRect();
    for (let i = 0; i < n; i++) {
      const flying = as === "gold" ? this.#make(GOLD) : as === "spot" ? again(start.copy) : { whole: as, spot: as };
      const size = as === "gold" ? new DOMRect(0, 0, 26, 26) : start.box;
      this.#place(flying, start.box.x + (start.box.width - size.width) / 2, start.box.y + (start.box.height - size.height) / 2, size);
      const dx = end.x + end.width / 2 - start.box.x - start.box.width / 2;
      const dy = end.y + end.height / 2 - start.box.y - start.box.height / 2;
      const scale = as === "gold" ? 1 : Math.min(1.2, end.width / start.box.width) || 1;
      const motion = flying.spot.animate(
        { transform: ["none", `translate(${dx / 2}px, ${dy / 2 - 24}px) scale(${(1 + scale) / 2})`, `translate(${dx}px, ${dy}px) scale(${scale})`] },
        { duration: Math.max(1, length * FLIGHT - i * APART), delay: i * APART, easing: "ease-in-out", fill: "both" },
      );
      motion.onfinish = () => {
        if (lands) there.classList.remove("coming");
        if (!stays) flying.whole.remove();
      };
    }
  }

  #flip(at: string, length: number): void {
    const now = this.#find(at), before = this.#seen.get(at);
    const half = Math.min(length / 2, 240);
    now?.animate({ transform: ["scaleX(0)", "scaleX(1)"] }, { duration: half, delay: half, fill: "backwards", easing: "ease-out" });
    if (!before) return;
    this.#cover(at);
    before.copy.spot.animate({ transform: ["scaleX(1)", "scaleX(0)"] }, { duration: half, easing: "ease-in", fill: "forwards" }).onfinish = () => before.copy.whole.remove();
  }

  /** A spot is shown as it is now, after the last of its changes. */
  #change(at: string, delay: number): void {
    this.#changing.splice(this.#changing.indexOf(at), 1);
    const before = this.#seen.get(at);
    if (this.#changing.includes(at) || !before) return;
    before.copy.spot.animate({ opacity: [1, 1] }, delay).onfinish = () => {
      before.copy.whole.remove();
      this.#find(at)?.classList.remove("changing");
    };
  }

  /** Show a spot as it was. */
  #cover(at: string): void {
    const before = this.#seen.get(at);
    if (before) this.#place(before.copy, before.box.x, before.box.y, before.box);
  }

  #bang(at: string, length: number): void {
    const box = this.#find(at)?.getBoundingClientRect();
    if (!box) return;
    const size = Math.max(box.width, box.height) * 1.4;
    const bang = this.#make(BANG);
    this.#place(bang, box.x + (box.width - size) / 2, box.y + (box.height - size) / 2, new DOMRect(0, 0, size, size));
    bang.spot.animate({ transform: ["scale(0)", "scale(1.1) rotate(20deg)", "scale(1)"], opacity: [1, 1, 0] }, { duration: length * 0.8, fill: "both" }).onfinish = () => bang.whole.remove();
  }

  #say(at: string, words: string, tone = "plain"): void {
    const box = (this.#find(at) ?? this.board).getBoundingClientRect(), outer = this.board.getBoundingClientRect();
    const said = this.#make("").spot;
    said.className = "said";
    said.dataset["tone"] = tone;
    said.textContent = words;
    this.layer.append(said);
    const middle = box.x + box.width / 2 - outer.x - said.offsetWidth / 2;
    said.style.left = `${Math.max(0, Math.min(middle, outer.width - said.offsetWidth))}px`;
    said.style.top = `${Math.max(0, box.y - outer.y + Math.min(0, box.height / 2) - said.offsetHeight * 0.6)}px`;
  }

  #mark(at: string): void {
    const found = this.#find(at);
    if (!found) return;
    found.classList.add("glowing");
    this.#marked.push(found);
  }

  #unmark(): void {
    for (const one of this.#marked.splice(0)) one.classList.remove("glowing");
    for (const said of this.layer.querySelectorAll(".said")) said.remove();
  }

  #make(html: string): Copy {
    const made = document.createElement("div");
    made.innerHTML = html;
    return { whole: made, spot: made };
  }

  #copy(found: HTMLElement): Copy {
    const spot = found.cloneNode(true) as HTMLElement;
    let whole = spot;
    for (let around = found.parentElement; around && around !== this.board && !around.dataset["board"]; around = around.parentElement) {
      const shell = around.cloneNode(false) as HTMLElement;
      shell.style.display = "contents";
      shell.append(whole);
      whole = shell;
    }
    for (const one of [whole, ...whole.querySelectorAll<HTMLElement>("*")]) {
      for (const name of ["id", "data-spot", "data-fixed", "data-site"]) one.removeAttribute(name);
      one.classList.remove("hinted", "ringed", "coming", "changing");
    }
    return { whole, spot };
  }

  /** Lay something over the board, where it was seen on the screen. */
  #place({ whole, spot }: Copy, x: number, y: number, { width, height }: DOMRect): void {
    const outer = this.layer.getBoundingClientRect();
    Object.assign(spot.style, { position: "absolute", margin: "0", listStyle: "none", left: `${x - outer.x}px`, top: `${y - outer.y}px`, width: `${width}px`, height: `${height}px` });
    this.layer.append(whole);
  }
}

/** The same copy once more. */
function again({ whole, spot }: Copy): Copy {
  const copied = whole.cloneNode(true) as HTMLElement;
  let found = copied;
  for (let shell = whole; shell !== spot; shell = shell.firstElementChild as HTMLElement) found = found.firstElementChild as HTMLElement;
  return { whole: copied, spot: found };
}
