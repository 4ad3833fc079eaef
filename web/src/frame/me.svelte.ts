// Who I am: a guest of this server, known by a cookie this page cannot read. Nobody has to say a name before playing.
import type { GuestCard, GuestKeys } from "../wire";
import { t } from "../words";
import { get, patch, post, Refusal } from "./api";

const KNOWN = "motherlode.known"; // set while there should be a cookie: without one there is no need to ask

let guest = $state.raw<GuestCard | null>(null);
let code = $state<string | null>(null); // given out once by the server, and kept by this page alone

export const me = {
  get guest() {
    return guest;
  },
  get code() {
    return code;
  },
};

/** Find out whether the server knows me. */
export async function recall(): Promise<void> {
  if (localStorage.getItem(KNOWN) === null) return;
  try {
    guest = await get<GuestCard>("/api/guests/me");
  } catch (no) {
    if (!(no instanceof Refusal && no.status === 401)) throw no;
    localStorage.removeItem(KNOWN);
    guest = null;
  }
}

/** Be a guest, a new one if need be. */
export async function beGuest(name?: string): Promise<GuestCard> {
  if (guest === null) await recall();
  if (guest === null) keep(await post<GuestKeys>("/api/guests", { name: name ?? t("lobby.newcomer") }));
  else if (name && name !== guest.name) guest = await patch<GuestCard>("/api/guests/me", { name });
  return guest!;
}

export async function recover(recovery: string): Promise<void> {
  keep(await post<GuestKeys>("/api/guests/recover", { code: recovery }));
}

export async function forget(): Promise<void> {
  await post("/api/guests/forget");
  localStorage.removeItem(KNOWN);
  guest = null;
  code = null;
}

function keep(keys: GuestKeys): void {
  localStorage.setItem(KNOWN, "1");
  guest = { id: keys.id, name: keys.name };
  code = keys.recovery;
}
