// Checks a finished game in the browser: see "Checking the shuffles" in docs/api.md.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { DeckProof, Replay, ReplaySeal } from "../wire";
import { hashOf, isHead, type Seen, type SeenSeal } from "./seal";

/** What a check found: a sentence of the page's words, `note` if it is neither right nor wrong. */
export interface Finding {
  is: "good" | "bad" | "note";
  key: string;
  values: Record<string, string | number>;
}
const found = (is: Finding["is"], key: string, values: Finding["values"] = {}): Finding => ({ is, key, values });

// Outcomes

/** What chance draws from under a seal: the secret of the server and the bytes of the seats. */
const jointSecret = ({ secret, shares }: ReplaySeal): Uint8Array =>
  shares.length ? hmac(sha256, hexToBytes(secret), utf8ToBytes(shares.join(", "))) : hexToBytes(secret);

/** A number from 0 to below - 1, all equally likely: by rejection, from 64 bits of HMAC-SHA256 at a time. */
function number(secret: Uint8Array, what: string, below: bigint): bigint {
  const fair = 2n ** 64n - (2n ** 64n % below);
  for (let n = 0; ; n++) {
    const mac = hmac(sha256, secret, utf8ToBytes(`${what} ${n}`));
    const x = BigInt("0x" + bytesToHex(mac.slice(0, 8)));
    if (x < fair) return x % below;
  }
}

/** The outcome of chance that follows from the secret at one point of the log. */
function outcome(secret: Uint8Array, at: number, outcomes: number[], odds: number[]): number {
  let k = number(secret, `${at}`, odds.reduce((sum, width) => sum + BigInt(width), 0n));
  for (let i = 0; ; i++) {
    k -= BigInt(odds[i]!);
    if (k < 0n) return outcomes[i]!;
  }
}

type Thing = DeckProof["things"][number];

/** A deck as the secret shuffles it: labels are the places of its things before. */
class Deck {
  readonly things: Thing[];
  readonly order: number[];
  readonly fixed = new Set<number>(); // positions whose thing is known

  constructor(secret: Uint8Array, { deck, things }: DeckProof) {
    this.things = things;
    this.order = things.map((_, label) => label);
    for (let step = 0; step < things.length - 1; step++) {
      const other = step + Number(number(secret, `deck ${deck} step ${step}`, BigInt(things.length - step)));
      this.exchange(step, this.order[other]!);
    }
  }

  at = (position: number): Thing => this.things[this.order[position]!]!;

  /** The labels that are not fixed, in ascending order. */
  loose = (): number[] => this.order.filter((_, position) => !this.fixed.has(position)).sort((a, b) => a - b);

  /** Put a label at a position, in exchange for the one that lies there. */
  exchange(position: number, label: number) {
    this.order[this.order.indexOf(label)] = this.order[position]!;
    this.order[position] = label;
  }
}

/** The decks of a game, which say what follows from the secret and from what was decided before. */
class Decks {
  readonly decks: Map<number, Deck>;

  constructor(secret: Uint8Array, proofs: DeckProof[]) {
    this.decks = new Map(proofs.map((one) => [one.deck, new Deck(secret, one)]));
  }

  thing(deck: number, position: number): number | undefined {
    const held = this.decks.get(deck)?.at(position);
    return Array.isArray(held) ? this.thing(...held) : held;
  }

  /** Whether this is the thing, or refers to a deck where it lies. */
  private canBe(held: Thing | undefined, thing: number): boolean {
    if (!Array.isArray(held)) return held === thing;
    const other = this.decks.get(held[0])!;
    return other.loose().some((label) => other.things[label] === thing);
  }

  /** Fix a thing at a position. If another one lies there, the equal one of the lowest label is put there. */
  put(deck: number, position: number, thing: number) {
    const own = this.decks.get(deck)!;
    if (!this.canBe(own.at(position), thing)) {
      const label = own.loose().find((one) => this.canBe(own.things[one], thing));
      if (label !== undefined) own.exchange(position, label);
    }
    own.fixed.add(position);
    const held = own.at(position);
    if (Array.isArray(held)) this.put(...held, thing);
  }
}

/** The outcomes that were drawn at the table: those that no record gave. */
export const drawnOutcomes = ({ proofs, given }: Replay) => proofs.filter((one) => one.at >= given);

/** The points of the log whose outcome does not follow from its seal, or has no proof at all. */
export function wrongOutcomes(replay: Replay): number[] {
  const proofs = new Map(replay.proofs.map((one) => [one.at, one]));
  const isChance = replay.positions.filter(({ at, turn, next }) => turn === -1 && next && at >= replay.given);
  const unproved = isChance.filter(({ at, next }) => proofs.get(at)?.action !== next!.action).map(({ at }) => at);
  const wrong = replay.seals.flatMap((seal, n) => wrongUnder(seal, replay.seals[n + 1]?.place ?? Infinity, replay));
  return [...new Set([...unproved, ...wrong])].sort((a, b) => a - b);
}

/** Of the outcomes that a seal decides, which are those before `end`. */
function wrongUnder(seal: ReplaySeal, end: number, { drawn, proofs, decks: contents }: Replay): number[] {
  const secret = jointSecret(seal);
  const known = proofs.filter(({ at }) => at < end);
  if (drawn !== "decks") {
    const own = known.filter(({ at }) => at >= seal.place);
    return own.filter((one) => outcome(secret, one.at, one.outcomes, one.odds) !== one.action).map(({ at }) => at);
  }
  const decks = new Decks(secret, contents);
  const wrong: number[] = [];
  for (const { at, action, deck, position, first } of known) {
    const thing = decks.thing(deck!, position!);
    const isRight = thing !== undefined && first! + thing === action;
    if (at >= seal.place && !isRight) wrong.push(at);
    else decks.put(deck!, position!, action - first!);
  }
  return wrong;
}

// The chain

/** All links of the log, in hex, by the number of seals and of actions that they cover. */
function chainLinks({ seals, facts, positions }: Replay): Map<string, string> {
  const first = seals[0];
  const key = first?.shares.length ? hmac(sha256, hexToBytes(first.secret), utf8ToBytes("chain")) : null;
  let link: Uint8Array = new Uint8Array();
  let sealed = 0;
  const links = new Map<string, string>();
  const add = (what: string, at: number) => {
    const data = concatBytes(link, utf8ToBytes(what));
    link = key ? hmac(sha256, key, data) : sha256(data);
    links.set(`${sealed} ${at}`, bytesToHex(link));
  };
  add(facts, 0);
  for (const { at, turn, next } of positions) {
    for (; seals[sealed]?.place === at; ) {
      const { place, commitment, shares } = seals[sealed++]!;
      if (key) add(`seal ${place} ${commitment} ${shares.join(", ")}`, at);
      else links.set(`${sealed} ${at}`, bytesToHex(link));
    }
    if (next) add(`${at} ${turn} ${next.action}`, at + 1);
  }
  return links;
}

/** Whether the facts that the chain begins with are those of the replay. */
function areFactsRight({ facts, game, given, seals, options }: Replay): boolean {
  const [name, , , chosen, commitment, first] = JSON.parse(facts) as [string, number, number, object, string, number];
  const own = Object.entries(chosen).every(([option, value]) => options[option] === value);
  return name === game && own && first === given && commitment === (seals[0]?.commitment ?? "");
}

// Everything

/** Check a finished game, with everything open, and whether it is the one that was seen. */
export function checkGame(replay: Replay, seen: Seen, names: string[]): Finding[] {
  const isSecret = replay.seals.length > 0 && replay.seals.every((seal) => hashOf(seal.secret) === seal.commitment);
  const wrong = wrongOutcomes(replay);
  const links = chainLinks(replay);
  const isChain = areFactsRight(replay) && [...links.values()].at(-1) === replay.chain;
  return [
    isSecret ? found("good", "secret") : found("bad", "secret.bad"),
    wrong.length ? found("bad", "bad", { at: wrong.map((at) => at + 1).join(", ") }) : found("good", "good", { n: drawnOutcomes(replay).length }),
    isChain ? found("good", "chain") : found("bad", "chain.bad"),
    ...checkSeen(replay, seen, links),
    ...replay.seals.flatMap((seal) => whoTookPart(seal, names)),
    ...(replay.given ? [found("note", "given", { n: replay.given })] : []),
    ...replay.seals.slice(1).map(({ place }) => found("note", "anew", { at: place + 1 })),
  ];
}

/** Who added bytes to a seal. */
export function whoTookPart({ shares }: { shares: string[] }, names: string[]): Finding[] {
  if (!shares.length) return [found("note", "old")];
  const of = (is: (share: string) => boolean) => shares.flatMap((share, seat) => (is(share) ? [names[seat] ?? `${seat + 1}`] : []));
  const isAway = (share: string) => share === "left out";
  const mixed = of((share) => share !== "bot" && !isAway(share));
  const away = of(isAway);
  return [
    mixed.length ? found("note", "mixed", { names: mixed.join(", ") }) : found("note", "mixed.none"),
    ...(away.length ? [found("note", "away", { names: away.join(", ") })] : []),
  ];
}

function checkSeen(replay: Replay, { seen, seat, given }: Seen, links: Map<string, string>): Finding[] {
  const numberOf = (entry: SeenSeal) => replay.seals.findIndex(({ commitment }) => commitment === entry.commitment);
  const findings: Finding[] = [];
  let heads = 0;
  let lost = 0;
  let latest = -1; // the last seal of the record that was seen so far
  for (const [i, entry] of seen.entries()) {
    const later = seen.slice(i + 1).flatMap((one) => (isHead(one) ? [] : [numberOf(one)]));
    const begunAnew = later.filter((number) => number > 0).map((number) => replay.seals[number]!.place); // what was seen after these is lost
    if (!isHead(entry)) {
      const number = numberOf(entry);
      latest = Math.max(latest, number);
      if (entry.shares?.length && !seen.slice(i + 1).some(isHead)) findings.push(found("bad", "heads.none"));
      if (begunAnew.some((place) => place <= entry.place)) continue;
      findings.push(...(number < 0 ? [found("bad", "same.bad")] : checkSeal(replay.seals[number]!, entry, seat)));
      continue;
    }
    const under = replay.seals[entry.seals - 1]?.place ?? entry.at;
    if (begunAnew.some((place) => place < entry.at || place <= under)) {
      lost++;
      continue;
    }
    if (links.get(`${entry.seals} ${entry.at}`) !== entry.link.slice(0, 64)) {
      findings.push(found("bad", "heads.bad", { n: entry.at }));
      break;
    }
    if (latest < entry.seals - 1) {
      findings.push(found("bad", "anew.bad", { at: replay.seals[entry.seals - 1]!.place + 1 }));
      break;
    }
    heads++;
  }
  if (seen.length && given !== replay.given) findings.push(found("bad", "given.bad", { n: replay.given }));
  if (!seen.length) findings.push(found("note", "unseen"));
  else if (heads) findings.push(found("good", "heads", { n: heads }));
  if (lost) findings.push(found("note", "lost", { n: lost }));
  return findings;
}

/** A seal of the record, and what was seen of it before and after it was opened. */
function checkSeal(seal: ReplaySeal, entry: SeenSeal, seat: number | null): Finding[] {
  const isBytes = (share: string) => /^[0-9a-f]{64}$/.test(share);
  const isOther = entry.commitments.some((hash, n) => isBytes(seal.shares[n] ?? "") && hashOf(seal.shares[n]!) !== hash);
  const isChanged = entry.shares !== null && entry.shares.join() !== seal.shares.join();
  const mine = seat === null ? undefined : seal.shares[seat];
  const isStripped = !seal.shares.length && (entry.opened || entry.commitments.some((hash) => hash !== null));
  if (seal.place !== entry.place || isOther || isChanged || isStripped) return [found("bad", "same.bad")];
  if (entry.opened && entry.mine !== mine) return [found("bad", "mine.bad")];
  return [found("good", mine !== undefined && mine === entry.mine ? "same.mine" : "same")];
}
