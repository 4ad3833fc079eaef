// What is to be seen and heard when something happens. A game's effects.ts says it for each of its actions and events;
// table/stage.ts shows it over the board. A spot is whatever carries that name in data-spot: a card, a pile, a player.
import type { Sound } from "../frame/sound";
import type { Did, Event } from "../wire";

export type Effect =
  | { do: "fly"; from: string; to: string; as?: "gold" | "spot" | HTMLElement; n?: number; stays?: boolean; lands?: boolean } // a copy of the spot (or n pieces of gold, or what is given) travels; it may stay until the board changes; where it lands, nothing is seen before
  | { do: "flip"; at: string } // it turns over: what lay there before, then what lies there now
  | { do: "change"; at: string; lands?: boolean } // until now it is shown as it was; or until what flies has landed
  | { do: "glow"; at: string }
  | { do: "shake"; at: string }
  | { do: "bang"; at: string }
  | { do: "say"; at: string; words: string; tone?: "good" | "bad" };

export interface Scene {
  effects: Effect[];
  sound?: Sound;
  length?: number; // in beats; 1 if it is not said
}

/** An action (event null) or what came of it, with what was drawn before and what will be drawn after it. */
export interface Happening<View, Drawn> {
  did: Did;
  event: Event | null;
  before: { view: View; drawn: Drawn };
  after: { view: View; drawn: Drawn };
  seat: number | null; // whose screen it is
  names: string[];
}

/** Null: it is told in the log and not shown. Without a scene the actions of others and all events are said. */
export type SceneOf<View, Drawn = unknown> = (happening: Happening<View, Drawn>) => Scene | null | undefined;

type File = { sceneOf: SceneOf<never, never> };
const files = import.meta.glob<File>("./*/effects.ts");
export const effects = Object.fromEntries(Object.entries(files).map(([path, load]) => [path.split("/")[1]!, load]));
