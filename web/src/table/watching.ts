// What a spectator is told: that they watch, and how late.
import { t } from "../words";

export function watching(delay: number): string {
  if (!delay) return t("friends.watching");
  return delay % 60 ? t("friends.watching.seconds", { n: delay }) : t("friends.watching.minutes", { n: delay / 60 });
}
