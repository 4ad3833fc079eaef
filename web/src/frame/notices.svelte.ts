// Notifications of the browser, for whoever asks for them: it is your turn, and the page is in the background.
import { t } from "../words";
import { changePreferences, preferences } from "./preferences.svelte";

type Allowed = NotificationPermission | "unavailable";
const read = (): Allowed => ("Notification" in window && isSecureContext ? Notification.permission : "unavailable");
let allowed = $state<Allowed>(read());
let last: Notification | undefined;

export const notices = {
  /** What the browser says. */
  get allowed() {
    return allowed;
  },
  get isOn() {
    return preferences.notify && allowed === "granted";
  },
};

/** Only when a person asks for it: the browser may ask back. */
export async function wantNotices(wanted: boolean): Promise<void> {
  if (wanted && read() === "default") await Notification.requestPermission();
  allowed = read();
  changePreferences({ notify: wanted && allowed === "granted" });
}

export function tellTurn(game: string, table: string): void {
  if (!document.hidden || !preferences.notify || read() !== "granted") return;
  try {
    const notice = new Notification(t("friends.notify.title"), { body: t("friends.notify.body", { game }), tag: table, icon: "/icon.svg" });
    notice.onclick = () => (focus(), notice.close());
    last = notice;
  } catch {
    // Some browsers on phones notify only by a service worker: the title says it there.
  }
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) last?.close();
});
