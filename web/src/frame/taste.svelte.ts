// What one likes, remembered by the browser.
const KEPT = "motherlode.taste";

export type Theme = "auto" | "light" | "dark";
interface Taste {
  theme: Theme;
  ask: boolean; // before every action, not only where a slip is costly
  pace: number; // the least milliseconds between two things that others do
}

const usual: Taste = { theme: "auto", ask: false, pace: 700 };
export const taste = $state<Taste>({ ...usual, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") });

export function like(change: Partial<Taste>): void {
  Object.assign(taste, change);
  localStorage.setItem(KEPT, JSON.stringify(taste));
  dress();
}

export function dress(): void {
  document.documentElement.dataset["theme"] = taste.theme;
}
