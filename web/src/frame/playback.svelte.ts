// What happens at a table is shown one thing after the other, at the pace of the preferences: its messages wait here
// until they are drawn. The answer to one's own action is drawn at once. When a deal or round ends, the rest waits.
import type { Did, Event, TableMessage } from "../wire";
import { knows } from "../words";
import { preferences } from "./preferences.svelte";

/** What is drawn at one time: a table's message, or a position of a lesson. */
export type Shown = Pick<TableMessage, "game" | "at" | "seat" | "view" | "drawn" | "text" | "turn" | "legal" | "did" | "result" | "clock">;

export type LogEntry = Did & { before: TableMessage["drawn"] }; // with what was drawn before it, if this page has seen it

/** One thing that is shown: an action (event null), or what came of it. */
export interface Beat {
  did: Did;
  event: Event | null;
}

/** Shows beats over the board. */
export interface Stage {
  prepare(before: Shown, message: Shown, beats: Beat[]): Beat[]; // the board is about to change; the beats worth showing
  play(beat: Beat, milliseconds: number): number; // how long it takes in fact
  clear(): void;
}

const MOST_BEATS = 30; // of one message: whoever was away longer reads the log
const EVENT = 0.8; // of the pace
const LONGEST_STOP = 15_000; // where a clock runs, and for spectators

/** Whether an event ends a deal or round whose summary is shown: the game has a title for it. */
export const isStop = (game: string, event: Event): boolean => knows(`${game}.summary.${event.kind}`);

export class Playback<Message extends Shown = TableMessage> {
  now = $state.raw<Message | null>(null); // what is drawn
  log = $state.raw<LogEntry[]>([]);
  beat = $state.raw<Beat | null>(null); // what is shown
  summary = $state.raw<Message | null>(null); // this message ended a deal or round, and is drawn when one goes on
  isAgain = $state(false); // what happened since one's own last action is shown once more
  canAgain = $state(false);
  isPlain = false; // nothing is shown over a board: every message is drawn at once
  isMemoryGame = false; // earlier turns than the last one are for the players to remember (ALL-5)
  stage: Stage | null = null;
  onDraw: (message: Message) => void = () => undefined;

  #queue: Message[] = [];
  #beats: Beat[] = [];
  #next: Message | null = null; // is drawn after its beats: it ends a deal or round
  #timer: ReturnType<typeof setTimeout> | undefined;
  #past: Message[] = []; // since one's own last action
  #lastActor = -1;
  #latest: Message | null = null; // while the past is shown again

  constructor(readonly seat: number | null) {}

  get isPlaying(): boolean {
    return this.beat !== null;
  }

  push(message: Message): void {
    this.#queue.push(message);
    if (message.did.some((did) => did.actor === this.seat)) this.skip();
    else if (this.#timer === undefined && !this.summary) this.#go();
  }

  /** Begin again from where the server is. */
  restart(at: number): void {
    this.leave();
    this.now = this.summary = this.beat = this.#next = this.#latest = null;
    this.isAgain = this.canAgain = false;
    [this.#queue, this.#beats, this.#past] = [[], [], []];
    this.log = this.log.filter((did) => did.at < at);
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.stage?.clear();
  }

  /** Draw everything that waits; only a summary is not passed over. */
  skip = (): void => {
    this.leave();
    this.#beats = [];
    this.#go(true);
  };

  goOn = (): void => {
    const message = this.summary;
    if (!message) return;
    this.leave();
    this.summary = null;
    this.#draw(message);
    this.#go();
  };

  /** What happened since one's own last action, once more. */
  again = (): void => {
    if (!this.canAgain || this.isAgain || this.summary || !this.now) return;
    this.skip();
    if (this.summary) return; // it ends a deal
    this.#latest = this.now;
    this.isAgain = true;
    const [first, ...rest] = this.#past;
    this.now = { ...first!, did: [], legal: [], result: null };
    this.#queue = [...rest.map((message) => ({ ...message, legal: [], result: null })), ...this.#queue];
    this.#beats = this.#beatsOf(first!, first!);
    this.#go();
  };

  #go = (isSkipping = false): void => {
    this.#timer = undefined;
    for (;;) {
      const beat = this.#beats.shift();
      if (beat) {
        this.beat = beat;
        const length = preferences.pace * (beat.event ? EVENT : 1);
        this.#timer = setTimeout(this.#go, this.stage?.play(beat, length) ?? length);
        return;
      }
      if (this.beat && !this.#next) this.stage?.clear();
      this.beat = null;
      if (this.#next) return this.#stop(this.#next);
      const message = this.#queue[0];
      if (this.isAgain && (isSkipping || !this.#past.some((past) => past.at === message?.at))) this.#endAgain();
      if (!message) return;
      this.#queue.shift();
      const isPlayed = !isSkipping && !this.isPlain && this.now !== null && preferences.pace > 0 && !document.hidden;
      const isOwn = message.did.some((did) => did.actor === this.seat);
      const isNew = this.now !== null && !this.isAgain && !this.isPlain && !message.result;
      const endsDeal = isNew && this.#news(message).some((did) => did.events.some((event) => isStop(message.game, event)));
      this.#beats = (isPlayed || (isOwn && !this.isPlain && preferences.pace > 0)) && this.now ? this.#beatsOf(this.now, message) : [];
      if (endsDeal) this.#next = message;
      else this.#draw(message);
    }
  };

  /** A deal or round has ended: the board stays as it was until one goes on. */
  #stop(message: Message): void {
    this.#next = null;
    this.summary = message;
    this.#note(message);
    if (message.clock || this.seat === null) this.#timer = setTimeout(this.goOn, LONGEST_STOP);
  }

  #endAgain(): void {
    this.isAgain = false;
    this.now = this.#latest;
    this.#latest = null;
  }

  #beatsOf(before: Message, message: Message): Beat[] {
    const news = this.isAgain ? message.did : this.#news(message);
    const beats = news.flatMap((did) => [{ did, event: null }, ...did.events.map((event) => ({ did, event }))]);
    const worth = beats.filter(({ did, event }) => event !== null || (did.actor !== this.seat && did.actor >= 0));
    const found = this.stage?.prepare(before, message, beats) ?? worth;
    return found.length > MOST_BEATS ? [] : found;
  }

  /** What this page had not been told of: a new connection may tell it again. */
  #news(message: Message): Did[] {
    return message.did.filter((did) => !this.log.some((old) => old.at === did.at));
  }

  #note(message: Message): void {
    const before = this.now?.drawn ?? null;
    const told = this.#news(message).map((did) => ({ ...did, before: did === message.did[0] ? before : null }));
    this.log = [...this.log, ...told].sort((a, b) => a.at - b.at); // simultaneous actions may arrive out of order
  }

  #draw(message: Message): void {
    if (this.isAgain) {
      this.now = message;
      return;
    }
    if (this.now && message.at < this.now.at) return;
    this.#note(message);
    this.#remember(message);
    this.onDraw(message);
    // A message that brings nothing new may be drawn together with the one before it, which must not be lost.
    this.now = this.now && message.at === this.now.at && !message.did.length ? { ...message, did: this.now.did } : message;
  }

  /** Keep what can be shown again. */
  #remember(message: Message): void {
    if (!this.now) this.#past = [{ ...message, did: [] }];
    else if (message.did.length) {
      const actor = message.did.findLast((did) => did.actor >= 0)?.actor ?? this.#lastActor;
      if (message.did.some((did) => did.actor === this.seat)) this.#past = [];
      else if (this.isMemoryGame && actor !== this.#lastActor) this.#past = [{ ...this.now, did: [] }];
      this.#lastActor = actor;
      this.#past = [...this.#past, message];
    }
    this.canAgain = this.#past.some((past) => past.did.length > 0);
  }
}
