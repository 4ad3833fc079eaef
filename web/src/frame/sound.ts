// The sounds of the parlour. They are made, not recorded: sounds.ts is loaded and makes them when the first one is wanted.
import { preferences } from "./preferences.svelte";

export type Sound = "card" | "pick" | "coins" | "dynamite" | "splash" | "turn" | "won" | "lost";

/** Play a sound, unless sounds are off. A browser allows none before the first click or key. */
export function play(sound: Sound): void {
  if (!preferences.volume || document.hidden) return;
  dispatchEvent(new CustomEvent("motherlode:sound", { detail: sound }));
  if (navigator.userActivation?.hasBeenActive === false) return;
  void import("./sounds").then(({ playNow }) => playNow(sound, preferences.volume / 100));
}
