// Preferences, stored in the browser.
const KEY = "motherlode.preferences";

export type Theme = "auto" | "light" | "dark";
interface Preferences {
  theme: Theme;
  ask: boolean; // before every action, not only where a mistake is costly
  pace: number; // milliseconds between two actions of other players, at least
  volume: number; // of the sounds, 0 (off) to 100
  chat: boolean; // show the chat of tables
  notify: boolean; // by the browser, when it is one's turn
  text: boolean; // tables as pages of text
}

const defaults: Preferences = { theme: "auto", ask: false, pace: 700, volume: 40, chat: true, notify: false, text: false };
export const preferences = $state<Preferences>({ ...defaults, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") });

export function changePreferences(change: Partial<Preferences>): void {
  Object.assign(preferences, change);
  localStorage.setItem(KEY, JSON.stringify(preferences));
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = preferences.theme;
}
