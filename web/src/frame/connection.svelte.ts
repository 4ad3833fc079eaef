// The connection to a table from one seat: a socket that reconnects by itself, and the state of the table as runes.
import type { ChatLine, HintMessage, NoMessage, Reply, Request, TableCard, TableMessage, WhyMessage } from "../wire";
import { get, Refusal } from "./api";
import { lastHead, note, whatWasSeen } from "./seal";
import { Playback } from "./playback.svelte";
import { t } from "../words";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
const QUIET = 15_000; // after this long without a message, ping the server
const TIMEOUT = 10_000; // without an answer to a ping or an action, the connection counts as lost

const SEAT_LOST = 1008;
const SIGNED_OUT = 4001;
const REMOVED = 4003;
const DELETED = 4004;
const BANNED = 4005;

export type Status = "opening" | "open" | "lost" | "closed";
export type OwnNotice = { is: "own"; words: string; clause: null }; // a message of the page itself

export class TableConnection {
  readonly playback: Playback;
  chat = $state.raw<ChatLine[]>([]);
  fresh = $state.raw<ChatLine[]>([]); // the lines that came last, except those from before this page
  present = $state.raw<boolean[]>([]);
  watchers = $state(0);
  status = $state<Status>("opening");
  closed = $state(""); // why it will not reconnect
  closedBy = $state(SEAT_LOST); // the code of it
  refused = $state.raw<NoMessage | WhyMessage | OwnNotice | null>(null);
  rematch = $state.raw<{ table: string; seat: number | null } | null>(null);
  hint = $state.raw<HintMessage | null>(null); // for the current decision
  isThinking = $state(false); // the server looks for a hint
  clockEnds = $state<number | null>(null); // when the time for this turn is up, by performance.now()
  sent = $state<number | null>(null); // an action that was sent and not answered yet

  #socket: WebSocket | null = null;
  #wait = FIRST_WAIT;
  #reconnecting: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastAt = 0; // of the last message shown
  #hintAt = 0; // the `at` for which a hint was requested
  #left = false;

  constructor(
    readonly table: string,
    readonly seat: number | null,
    readonly isText = false, // the position is also sent as sentences, and nothing is shown over a board
  ) {
    this.playback = new Playback(seat);
    this.playback.isPlain = isText;
    this.playback.onDraw = this.#draw;
    this.#open();
    addEventListener("online", this.retry);
    addEventListener("offline", this.#drop);
    document.addEventListener("visibilitychange", this.#onVisibility);
  }

  get now(): TableMessage | null {
    return this.playback.now;
  }

  leave(): void {
    this.#left = true;
    clearTimeout(this.#reconnecting);
    this.playback.leave();
    clearTimeout(this.#timer);
    removeEventListener("online", this.retry);
    removeEventListener("offline", this.#drop);
    document.removeEventListener("visibilitychange", this.#onVisibility);
    this.#socket?.close();
  }

  send(request: Request): void {
    if (this.status === "open") this.#socket?.send(JSON.stringify(request));
  }

  act(action: number): void {
    if (!this.now || this.sent !== null) return;
    this.sent = action;
    this.send({ do: "act", at: this.now.at, action });
    this.#expectAnswer();
  }

  askHint(): void {
    this.hint = null;
    this.isThinking = true;
    this.#hintAt = this.now?.at ?? 0;
    this.send({ do: "hint" });
  }

  retry = (): void => {
    if (this.status !== "lost") return;
    clearTimeout(this.#reconnecting);
    this.#open();
  };

  #onVisibility = (): void => {
    if (document.hidden) return;
    this.retry();
    this.#ping();
  };

  /** A connection may be dead without the browser knowing it. */
  #ping = (): void => {
    if (this.status !== "open") return;
    this.send({ do: "ping" });
    this.#expectAnswer();
  };

  #expectAnswer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#drop, TIMEOUT);
  }

  /** Give up the socket without waiting for the other side to close it. */
  #drop = (): void => {
    if (this.status !== "open" && this.status !== "opening") return;
    this.#socket?.close();
    void this.#lose(1006, "");
  };

  #open(): void {
    const address = new URL(`/api/tables/${this.table}/socket`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    if (this.seat !== null) address.searchParams.set("seat", String(this.seat));
    if (this.isText) address.searchParams.set("described", "1");
    address.searchParams.set("since", String(this.#lastAt));
    const socket = new WebSocket(address);
    this.#socket?.close(); // one that hangs while it opens
    this.#socket = socket;
    socket.onopen = () => {
      this.status = "open";
      this.#wait = FIRST_WAIT;
      this.sent = null;
      this.#isFirstChat = this.#isFirstTable = true;
    };
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#ping, QUIET);
      this.#receive(JSON.parse(event.data) as Reply);
    };
    socket.onclose = (event) => {
      if (!this.#left && socket === this.#socket) void this.#lose(event.code, event.reason);
    };
  }

  async #lose(code: number, reason: string): Promise<void> {
    clearTimeout(this.#timer);
    const wasOpen = this.status === "open";
    this.#socket = null;
    this.status = "lost";
    this.sent = null;
    this.isThinking = false;
    if ([SEAT_LOST, SIGNED_OUT, REMOVED, DELETED, BANNED].includes(code)) return this.#end(reason, code);
    const why = wasOpen ? null : await this.#refusal();
    if (why !== null) return this.#end(why);
    if (this.#left || this.#socket) return; // another one was opened meanwhile
    clearTimeout(this.#reconnecting);
    this.#reconnecting = setTimeout(() => this.#open(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }

  /** Why a socket may not be opened, which a browser does not say; null: it was not refused. */
  async #refusal(): Promise<string | null> {
    try {
      const card = await get<TableCard>(`/api/tables/${this.table}`);
      const mayOpen = this.seat === null ? card.watch || card.over || card.mine.length > 0 : card.mine.includes(this.seat);
      return mayOpen ? null : "";
    } catch (no) {
      return no instanceof Refusal && [401, 403, 404].includes(no.status) ? no.message : null;
    }
  }

  #end(why: string, code = SEAT_LOST): void {
    this.status = "closed";
    this.closed = why;
    this.closedBy = code;
  }

  #receive(message: Reply): void {
    if (message.is === "table") {
      if (this.#isFirstTable) this.#compare(message);
      this.#isFirstTable = false;
      note(message);
      this.playback.push(message);
    } else if (message.is === "chat") {
      const lines = this.#isFirstChat ? message.lines : [...this.chat, ...message.lines];
      this.chat = lines.toSorted((a, b) => a.made.localeCompare(b.made)); // some are told late
      if (!this.#isFirstChat) this.fresh = message.lines;
      this.#isFirstChat = false;
    } else if (message.is === "presence") {
      this.#isFirstChat = false; // older lines come before it
      this.present = message.present;
      this.watchers = message.watchers;
    } else if (message.is === "no" || message.is === "why") {
      const isLate = message.is === "no" && message.do === "hint" && this.#hintAt !== this.now?.at; // the game has moved on
      if (!isLate && !(message.is === "no" && message.do === "seen")) this.refused = message;
      if (message.is === "no" && message.do === "act") this.sent = null;
      if (message.is === "no" && message.do === "hint") this.isThinking = false;
    } else if (message.is === "hint") {
      this.isThinking = false;
      if (message.at === this.now?.at) this.hint = message;
    } else if (message.is === "rematch") {
      this.rematch = { table: message.table, seat: message.seat };
    }
  }

  #isFirstChat = true; // the first chat message on a new socket holds all lines
  #isFirstTable = true;

  /** Show the server the last head this page saw. A server restored from a backup may have lost what followed. */
  #compare(message: TableMessage): void {
    const last = lastHead(whatWasSeen(this.table, this.seat));
    if (last && last.link !== message.head?.link) this.send({ do: "seen", ...last });
    if (!this.now || message.at >= this.now.at) return;
    this.playback.restart(message.at);
    this.refused = { is: "own", words: t("table.restored"), clause: null };
  }

  /** A message is about to be drawn. */
  #draw = (message: TableMessage): void => {
    if (message.at !== this.now?.at) {
      this.hint = null;
      this.isThinking = false;
    }
    if (!this.now || message.at > this.now.at) this.sent = null; // one that brings nothing new is no answer
    this.#lastAt = message.at;
    this.clockEnds = message.clock ? performance.now() + message.clock.left * 1000 : null;
  };
}
