// Checks the shuffle in the browser: see "Checking the shuffles" in docs/api.md.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { DeckProof, Replay } from "../wire";

/** Whether the commitment is the hash of the secret. */
export const isSecretOf = (secret: string, commitment: string): boolean =>
  bytesToHex(sha256(hexToBytes(secret))) === commitment;

/** A number from 0 to below - 1, all equally likely: by rejection, from 64 bits of HMAC-SHA256 at a time. */
function number(secret: string, what: string, below: bigint): bigint {
  const fair = 2n ** 64n - (2n ** 64n % below);
  for (let n = 0; ; n++) {
    const mac = hmac(sha256, hexToBytes(secret), utf8ToBytes(`${what} ${n}`));
    const x = BigInt("0x" + bytesToHex(mac.slice(0, 8)));
    if (x < fair) return x % below;
  }
}

/** The outcome of chance that follows from the secret at one point of the log. */
export function outcome(secret: string, at: number, outcomes: number[], odds: number[]): number {
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

  constructor(secret: string, { deck, things }: DeckProof) {
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

/** The decks of a game, which say what follows from the secret and from what was given. */
class Decks {
  readonly decks: Map<number, Deck>;

  constructor(secret: string, proofs: DeckProof[]) {
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

/** The outcomes that should follow from the secret: those that were not given. */
export const drawnOutcomes = ({ proofs, given }: Replay) => proofs.filter((one) => one.at >= given);

/** The points of the log whose outcome does not follow from the secret. */
export function wrongOutcomes(secret: string, replay: Replay): number[] {
  if (replay.drawn !== "decks") {
    const wrong = drawnOutcomes(replay).filter((one) => outcome(secret, one.at, one.outcomes, one.odds) !== one.action);
    return wrong.map((one) => one.at);
  }
  const decks = new Decks(secret, replay.decks);
  const wrong: number[] = [];
  for (const { at, action, deck, position, first } of replay.proofs) {
    const thing = decks.thing(deck!, position!);
    const isRight = thing !== undefined && first! + thing === action;
    if (at >= replay.given && !isRight) wrong.push(at);
    else decks.put(deck!, position!, action - first!);
  }
  return wrong;
}
