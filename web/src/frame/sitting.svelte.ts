// A page's seat at a table: one socket, opened again by itself when it breaks, and what it was told, as runes.
import type { ChatLine, Did, HintMessage, NoMessage, Reply, Request, TableCard, TableMessage, WhyMessage } from "../wire";
import { get, Refusal } from "./api";
import { taste } from "./taste.svelte";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
const QUIET = 15_000; // after so long without a word the server is asked for one …
const DEAF = 10_000; // … and when none comes, or no answer to an action, the line is lost

export type Line = "opening" | "open" | "lost" | "closed";
export type Own = { is: "own"; words: string; clause: null }; // what this page itself has to say
export type Told = Did & { before: TableMessage["drawn"] }; // with what was drawn before it, where this page knows it

export class Sitting {
  now = $state.raw<TableMessage | null>(null);
  log = $state.raw<Told[]>([]);
  chat = $state.raw<ChatLine[]>([]);
  present = $state.raw<boolean[]>([]);
  watchers = $state(0);
  line = $state<Line>("opening");
  closed = $state(""); // why the line will not be opened again
  refused = $state.raw<NoMessage | WhyMessage | Own | null>(null);
  rematch = $state.raw<{ table: string; seat: number | null } | null>(null);
  hint = $state.raw<HintMessage | null>(null); // of what is to be done now
  isThinking = $state(false); // about a hint
  clockEnds = $state<number | null>(null); // when the running turn is over, by this browser's performance.now()
  sent = $state<number | null>(null); // the action under way

  #socket: WebSocket | null = null;
  #wait = FIRST_WAIT;
  #again: ReturnType<typeof setTimeout> | undefined;
  #queue: TableMessage[] = [];
  #shownAt = 0;
  #showing: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #heard = 0;
  #wondered = 0; // the `at` for which a hint was asked
  #left = false;

  constructor(
    readonly table: string,
    readonly seat: number | null,
  ) {
    this.#open();
    addEventListener("online", this.retry);
    addEventListener("offline", this.#drop);
    document.addEventListener("visibilitychange", this.#look);
  }

  leave(): void {
    this.#left = true;
    clearTimeout(this.#again);
    clearTimeout(this.#showing);
    clearTimeout(this.#silence);
    removeEventListener("online", this.retry);
    removeEventListener("offline", this.#drop);
    document.removeEventListener("visibilitychange", this.#look);
    this.#socket?.close();
  }

  say(request: Request): void {
    if (this.line === "open") this.#socket?.send(JSON.stringify(request));
  }

  act(action: number): void {
    if (!this.now || this.sent !== null) return;
    this.sent = action;
    this.say({ do: "act", at: this.now.at, action });
    this.#expect();
  }

  askHint(): void {
    this.hint = null;
    this.isThinking = true;
    this.#wondered = this.now?.at ?? 0;
    this.say({ do: "hint" });
  }

  retry = (): void => {
    if (this.line !== "lost") return;
    clearTimeout(this.#again);
    this.#open();
  };

  #look = (): void => {
    if (document.hidden) return;
    this.retry();
    this.#ask();
  };

  /** Is anybody there? A line may be dead without anybody having told. */
  #ask = (): void => {
    if (this.line !== "open") return;
    this.say({ do: "ping" });
    this.#expect();
  };

  #expect(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.#drop, DEAF);
  }

  /** Give up a line without waiting for the other side to agree. */
  #drop = (): void => {
    if (this.line !== "open" && this.line !== "opening") return;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    void this.#lose(1006, "");
  };

  #open(): void {
    const address = new URL(`/api/tables/${this.table}/socket`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    if (this.seat !== null) address.searchParams.set("seat", String(this.seat));
    address.searchParams.set("since", String(this.#heard));
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => {
      this.line = "open";
      this.#wait = FIRST_WAIT;
      this.sent = null;
      this.#isFirst = true;
    };
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      clearTimeout(this.#silence);
      this.#silence = setTimeout(this.#ask, QUIET);
      this.#hear(JSON.parse(event.data) as Reply);
    };
    socket.onclose = (event) => {
      if (!this.#left && socket === this.#socket) void this.#lose(event.code, event.reason);
    };
  }

  async #lose(code: number, reason: string): Promise<void> {
    clearTimeout(this.#silence);
    this.line = "lost";
    this.sent = null;
    this.isThinking = false;
    if (code === 1008) return this.#end(reason);
    try {
      const card = await get<TableCard>(`/api/tables/${this.table}`);
      if (this.seat !== null && !card.mine.includes(this.seat)) return this.#end("");
      if (this.seat === null && !card.watch && !card.over && !card.mine.length) return this.#end("");
    } catch (no) {
      if (no instanceof Refusal && [401, 403, 404].includes(no.status)) return this.#end(no.message);
    }
    if (this.#left || this.line !== "lost") return; // it may have been opened meanwhile
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#open(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }

  #end(why: string): void {
    this.line = "closed";
    this.closed = why;
  }

  #hear(message: Reply): void {
    if (message.is === "table") {
      this.#queue.push(message);
      if (!this.#showing) this.#show();
    } else if (message.is === "chat") {
      this.chat = this.#isFirst ? message.lines : [...this.chat, ...message.lines];
      this.#isFirst = false;
    } else if (message.is === "presence") {
      this.present = message.present;
      this.watchers = message.watchers;
    } else if (message.is === "no" || message.is === "why") {
      const isLate = message.is === "no" && message.do === "hint" && this.#wondered !== this.now?.at; // nobody waits for it
      if (!isLate) this.refused = message;
      if (message.is === "no" && message.do === "act") this.sent = null;
      if (message.is === "no" && message.do === "hint") this.isThinking = false;
    } else if (message.is === "hint") {
      this.isThinking = false;
      if (message.at === this.now?.at) this.hint = message;
    } else if (message.is === "rematch") {
      this.rematch = { table: message.table, seat: message.seat };
    }
  }

  #isFirst = true; // the lines told first, when a socket opens, are all there are

  /** Show what was told one after the other, so that eyes can follow; an answer to my own action is shown at once. */
  #show = (): void => {
    this.#showing = undefined;
    const message = this.#queue[0];
    if (!message) return;
    const isOthers = message.did.some((did) => did.actor >= 0 && did.actor !== this.seat);
    const rest = isOthers && !document.hidden ? this.#shownAt + taste.pace - performance.now() : 0;
    if (rest > 0) {
      this.#showing = setTimeout(this.#show, rest);
      return;
    }
    this.#queue.shift();
    this.#draw(message);
    this.#show();
  };

  #draw(message: TableMessage): void {
    if (this.now && message.at < this.now.at) return;
    if (message.did.length) this.#shownAt = performance.now();
    if (message.at !== this.now?.at) {
      this.hint = null;
      this.isThinking = false;
    }
    if (!this.now || message.at > this.now.at || message.legal.length) this.sent = null;
    const before = this.now?.drawn ?? null;
    const news = message.did.filter((did) => !this.log.some((old) => old.at === did.at));
    const told = news.map((did) => ({ ...did, before: did === message.did[0] ? before : null }));
    this.log = [...this.log, ...told].sort((a, b) => a.at - b.at); // what is done early is told before its time
    this.#heard = message.at;
    this.clockEnds = message.clock ? performance.now() + message.clock.left * 1000 : null;
    this.now = message;
  }
}
