// Reading the tables of wire.ts: numbers of actions, and sets kept as bits.

export interface KindTable {
  readonly verb: string;
  readonly first: number;
  readonly clause: string;
  readonly args: readonly { readonly name: string; readonly words: readonly string[] }[];
}

/** The number of an action: number(GOLDMINE.actions, "play", card), arguments as places in their words. */
export function number(kinds: readonly KindTable[], verb: string, ...args: number[]): number {
  const kind = kinds.find((one) => one.verb === verb)!;
  return kind.args.reduce((sum, arg, i) => sum * arg.words.length + args[i]!, 0) + kind.first;
}

/** The kind of an action and its arguments, as places in their words. */
export function read(kinds: readonly KindTable[], action: number): { kind: KindTable; args: number[] } {
  const kind = [...kinds].sort((a, b) => b.first - a.first).find((one) => one.first <= action)!;
  const args: number[] = [];
  let rest = action - kind.first;
  for (const arg of [...kind.args].reverse()) {
    args.unshift(rest % arg.words.length);
    rest = Math.floor(rest / arg.words.length);
  }
  return { kind, args };
}

/** Is this bit in the set? Sets may be longer than 32 bits. */
export const has = (set: number, bit: number): boolean => Math.floor(set / 2 ** bit) % 2 === 1;

/** The bits of a set, ascending. */
export function members(set: number): number[] {
  const found = [];
  for (let bit = 0; 2 ** bit <= set; bit++) if (has(set, bit)) found.push(bit);
  return found;
}
