// The guest at this browser, known to the server by a cookie that scripts cannot read. Playing needs no name.
import type { GuestCard, GuestKeys } from "../wire";
import { t } from "../words";
import { get, patch, post, Refusal, remove } from "./api";
import { go } from "./route.svelte";

const KNOWN = "motherlode.known"; // set while there should be a cookie; without it there is no guest to ask for

let guest = $state.raw<GuestCard | null>(null);
let code = $state<string | null>(null); // the server sends it only once

export const me = {
  get guest() {
    return guest;
  },
  get code() {
    return code;
  },
};

/** Ask the server who the guest is. */
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

/** The guest, created if there is none yet, renamed if `name` is new. */
export async function beGuest(name?: string): Promise<GuestCard> {
  if (guest === null) await recall();
  if (guest === null) keep(await post<GuestKeys>("/api/guests", { name: name ?? t("lobby.newcomer") }));
  else if (name && name !== guest.name) guest = await patch<GuestCard>("/api/guests/me", { name });
  return guest!;
}

export async function recover(recovery: string): Promise<void> {
  keep(await post<GuestKeys>("/api/guests/recover", { code: recovery }));
  go("/"); // a table that is open here was opened by somebody else
}

/** Sign out here; with `everything`, all that the server has stored of me is deleted. */
export async function forget(everything: boolean): Promise<void> {
  await (everything ? remove("/api/guests/me") : post("/api/guests/forget"));
  localStorage.removeItem(KNOWN);
  guest = null;
  code = null;
  go("/");
}

function keep(keys: GuestKeys): void {
  localStorage.setItem(KNOWN, "1");
  guest = { id: keys.id, name: keys.name };
  code = keys.recovery;
}
