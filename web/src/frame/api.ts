// Requests to the server. An answer other than 2xx is thrown as a `Refusal` with the server's message.
import type { Refused } from "../wire";
import { t } from "../words";

export class Refusal extends Error {
  constructor(
    readonly status: number, // 0: the server could not be reached
    no: string,
    readonly clause: string | null = null,
  ) {
    super(no);
  }
}

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  const init: RequestInit = { method, credentials: "same-origin" };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new Refusal(0, t("lobby.unreachable"));
  }
  if (answer.ok) return answer;
  const refused = (await answer.json().catch(() => null)) as Refused | null;
  throw new Refusal(answer.status, refused?.no ?? `${answer.status} ${answer.statusText}`, refused?.clause ?? null);
}

export const get = async <T>(path: string): Promise<T> => (await ask("GET", path)).json();
export const getText = async (path: string): Promise<string> => (await ask("GET", path)).text();
export const post = async <T>(path: string, body: unknown = {}): Promise<T> => {
  const answer = await ask("POST", path, body);
  return answer.status === 204 ? (undefined as T) : answer.json();
};
export const remove = async (path: string): Promise<void> => void (await ask("DELETE", path));
export const patch = async <T>(path: string, body: unknown): Promise<T> => (await ask("PATCH", path, body)).json();
