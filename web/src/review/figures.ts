// Chances as they are written, and what a review's reasons say.
import { tellHappening } from "../frame/sentences";
import type { Reason, SeatReview } from "../wire";
import { language, t } from "../words";

const CLEARLY = 1.5; // times as likely: worth saying so

/** "41%". */
export const chance = (share: number): string => new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: 0 }).format(share);

/** "1.3%": of small shares. */
export const fine = (share: number): string => new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: 1 }).format(share);

/** "+4.2", "−12.0": percentage points, or points. */
export const signed = (tenths: number): string =>
  new Intl.NumberFormat(language(), { signDisplay: "exceptZero", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(tenths / 10);

export const PARTS = ["deal", "chance", "own", "others"] as const;
type Sum = Pick<SeatReview, "start" | "result" | (typeof PARTS)[number]>;

/** The parts of a result in tenths, rounded so that they still add up. */
export function tenths(sum: Sum, unit: number): Record<"start" | "result" | "end" | (typeof PARTS)[number], number> {
  const round = (value: number) => Math.round(10 * unit * value);
  const start = round(sum.start);
  let so_far = sum.start;
  let rounded = start;
  const found = PARTS.map((part) => {
    so_far += sum[part];
    const before = rounded;
    rounded = round(so_far);
    return [part, rounded - before] as const;
  });
  return { start, ...(Object.fromEntries(found) as Record<(typeof PARTS)[number], number>), end: rounded, result: rounded - start };
}

/** Why another action is better, in one sentence. */
export function because(game: string, reason: Reason, names: string[]): string {
  const happening = reason.kind === "event" ? reason.event : reason.thing;
  if (!happening) return "";
  const what = tellHappening(game, reason.kind === "event" ? "event" : "thing", happening, names);
  const values = { what: what.charAt(0).toUpperCase() + what.slice(1), best: chance(reason.best), chosen: chance(reason.chosen) };
  const times = reason.best / reason.chosen;
  if (reason.kind === "event") return t("review.because.event", values);
  if (times < CLEARLY || !Number.isFinite(times)) return t("review.because.found", values);
  const n = new Intl.NumberFormat(language(), { maximumFractionDigits: times < 10 ? 1 : 0 }).format(times);
  return t("review.because.times", { ...values, times: n });
}
