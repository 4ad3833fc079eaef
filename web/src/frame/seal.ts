// This page's part in the shuffle, and what it saw of it: see "Sealing the shuffle" in docs/api.md.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { Head, TableMessage, Taken } from "../wire";
import { post } from "./api";

export interface SeenSeal {
  place: number;
  commitment: string;
  commitments: (string | null)[]; // as they were when they were fixed
  mine: string | null; // this seat's own bytes, in hex
  opened: boolean; // the server has taken them
  shares: string[] | null; // when all were open
}
/** What a seat saw of a table, in this order. `motherlode verify --seen` reads it. */
export interface Seen {
  table: string;
  seat: number | null;
  given: number;
  seen: (SeenSeal | Head)[];
  when: number;
}

const PREFIX = "motherlode.seen.";
const MOST = 60; // tables that are remembered
const keyOf = (table: string, seat: number | null) => `${PREFIX}${table}.${seat ?? "watch"}`;
export const isHead = (entry: SeenSeal | Head): entry is Head => "link" in entry;

const unkept = new Map<string, string>(); // what the browser had no room for, or was not allowed to keep

export function whatWasSeen(table: string, seat: number | null): Seen {
  const key = keyOf(table, seat);
  try {
    const kept = unkept.get(key) ?? localStorage.getItem(key);
    if (kept) return JSON.parse(kept) as Seen;
  } catch {
    // it cannot be read: begin anew
  }
  return { table, seat, given: 0, seen: [], when: Date.now() };
}

function keep(seen: Seen): void {
  const key = keyOf(seen.table, seen.seat);
  const written = JSON.stringify({ ...seen, when: Date.now() });
  try {
    if (localStorage.getItem(key) === null) forgetOldest();
    localStorage.setItem(key, written);
    unkept.delete(key);
  } catch {
    unkept.set(key, written); // until the page is closed
  }
}

function forgetOldest(): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  const when = (key: string) => (JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Seen>).when ?? 0;
  keys.sort((a, b) => when(b) - when(a));
  for (const key of keys.slice(MOST - 1)) localStorage.removeItem(key);
}

export const lastHead = ({ seen }: Seen): Head | undefined => seen.findLast(isHead);

function sealIn(seen: Seen, { seal }: TableMessage): SeenSeal {
  const known = seen.seen.find((entry): entry is SeenSeal => !isHead(entry) && entry.commitment === seal.commitment);
  if (known) return known;
  const fresh = { place: seal.place, commitment: seal.commitment, commitments: [], mine: null, opened: false, shares: null };
  seen.seen.push(fresh);
  return fresh;
}

/** Keep what a message shows: hashes before anybody opens their bytes, then the bytes, and the chain of the log. */
export function note(message: TableMessage): void {
  const seen = whatWasSeen(message.table, message.seat);
  if (!seen.seen.length) seen.given = message.given;
  const entry = sealIn(seen, message);
  if (message.seal.stage === "open" && !entry.commitments.length) entry.commitments = message.seal.commitments;
  if (message.seal.shares && !entry.shares) entry.shares = message.seal.shares;
  if (message.head && message.head.link !== lastHead(seen)?.link) seen.seen.push(message.head);
  keep(seen);
}

const asked = new Set<string>(); // of what was sent and not answered yet

/** Commit to bytes for these seats, or open them, if it is time. Whoever is refused is left out, and the page says so. */
export async function takePart(message: TableMessage, seats: number[]): Promise<void> {
  const { stage, commitment, commitments, awaited } = message.seal;
  for (const seat of seats) {
    const seen = whatWasSeen(message.table, seat);
    const entry = sealIn(seen, message);
    const once = `${commitment} ${seat} ${stage}`;
    if (asked.has(once)) continue;
    asked.add(once);
    const path = `/api/tables/${message.table}/seats/${seat}`;
    try {
      if (stage === "commit" && commitments[seat] === null) {
        if (!entry.mine || entry.opened) entry.mine = bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
        entry.opened = false;
        keep(seen);
        await post<Taken>(`${path}/take`, { commitment: hashOf(entry.mine) });
      } else if (stage === "open" && awaited.includes(seat) && entry.mine && commitments[seat] === hashOf(entry.mine)) {
        if (!entry.commitments.length) entry.commitments = commitments;
        keep(seen);
        await post(`${path}/open`, { share: entry.mine });
        const now = whatWasSeen(message.table, seat);
        sealIn(now, message).opened = true;
        keep(now);
      }
    } catch {
      // the next message tries again, if there is still time
    } finally {
      asked.delete(once);
    }
  }
}

/** The hash that commits to bytes in hex. */
export const hashOf = (bytes: string): string => bytesToHex(sha256(hexToBytes(bytes)));
