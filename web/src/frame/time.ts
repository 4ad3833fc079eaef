// Dates, times and numbers in the language spoken, as they are written where the reader lives.
import { language, t } from "../words";

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

const locale = (): string => navigator.languages.find((tag) => tag.startsWith(language())) ?? language();

/** "3 minutes ago", "yesterday". */
export function ago(when: string): string {
  const seconds = (Date.now() - Date.parse(when)) / 1000;
  const step = STEPS.find(([, size]) => seconds >= size);
  return step ? new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(-Math.floor(seconds / step[1]), step[0]) : t("own.now");
}

/** "07:32". */
export const hour = (when: string): string => new Intl.DateTimeFormat(locale(), { timeStyle: "short" }).format(new Date(when));

export const percent = (share: number): string => new Intl.NumberFormat(language(), { style: "percent" }).format(share);

/** "16 November 2026 at 07:32". */
export const day = (when: string): string => new Intl.DateTimeFormat(locale(), { dateStyle: "long", timeStyle: "short" }).format(new Date(when));

/** A day without a time, "2026-11-18": "18 November 2026". */
export const dayOf = (date: string): string => new Intl.DateTimeFormat(locale(), { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${date}T00:00Z`));
