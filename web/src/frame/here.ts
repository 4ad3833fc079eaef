// Whether this page is open on the server's own machine, and how others would reach it.
import type { Here } from "../wire";
import { get } from "./api";

const isLocal = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);
let asked: Promise<Here> | undefined;

/** Asked once; null: this page has an address that others can open too. */
export async function here(): Promise<Here | null> {
  if (!isLocal) return null;
  asked ??= get<Here>("/api/here");
  return asked;
}
