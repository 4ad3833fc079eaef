// Choosing a dig: first a site, then a line from it, whose effect is shown before it is dug.
import { sites, type Plan } from "./map";

export class Choice {
  anchor = $state<number | null>(null); // the first site
  chosen = $state.raw<Plan | null>(null); // waits for a yes
  over = $state<number | null>(null); // where a mouse or the arrow keys are

  constructor(readonly plans: () => Plan[]) {}

  /** By site: the lines that begin or end there, or else those through it. */
  readonly #lines = $derived.by(() => {
    const ending: Plan[][] = sites.map(() => []);
    const through: Plan[][] = sites.map(() => []);
    for (const one of this.plans()) {
      for (const end of new Set([one.sites[0]!, one.sites.at(-1)!])) ending[end]!.push(one);
      for (const site of one.sites) through[site]!.push(one);
    }
    return ending.map((ends, site) => (ends.length ? ends : through[site]!));
  });
  readonly offered = $derived.by(() => (this.anchor !== null ? this.from(this.anchor) : this.over !== null ? this.from(this.over) : []));
  readonly hovered = $derived.by(() => (this.anchor !== null && this.over !== null ? this.#towards(this.over) : null));
  /** What is previewed. */
  readonly shown = $derived.by(() => this.chosen ?? this.hovered ?? (this.offered.length === 1 ? this.offered[0]! : null));

  from(site: number): Plan[] {
    return this.#lines[site]!;
  }

  #towards(site: number): Plan | null {
    const near = this.offered.filter((one) => one.sites.includes(site) && (one.sites.length === 1 || site !== this.anchor));
    return near.find((one) => one.sites[0] === site || one.sites.at(-1) === site) ?? near[0] ?? null;
  }

  /** A site is pressed: what is to be done at once, if that was seen before. */
  pick(site: number): Plan | null {
    const sure = this.chosen ?? this.hovered;
    if (sure?.sites.includes(site) && (site !== this.anchor || sure === this.chosen)) return sure;
    const line = this.anchor !== null ? this.#towards(site) : null;
    if (line) {
      this.chosen = line;
    } else {
      const next = site === this.anchor ? [] : this.from(site);
      this.anchor = next.length ? site : null;
      this.chosen = next.length === 1 ? next[0]! : null;
    }
    return null;
  }

  cancel = (): void => {
    this.anchor = null;
    this.chosen = null;
  };

  /** What to press next for a plan: a site, "do" (the button that does it), "cancel". */
  next(plan: Plan): number | "do" | "cancel" {
    const [first, last] = [plan.sites[0]!, plan.sites.at(-1)!];
    if (this.chosen) return this.chosen.action === plan.action ? "do" : "cancel";
    return this.anchor === first ? last : this.anchor === last ? first : this.anchor === null ? first : this.anchor;
  }
}
