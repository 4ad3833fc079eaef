// The hexagon as a drawing: where sites lie, how areas are bounded, where rivers run, what an action touches.
import { CHINA_GOLD, type ChinaGold, type Did } from "../../wire";
import { has, read } from "../tables";

const { facts, words, actions } = CHINA_GOLD;

export const FRAME = "-33 -8.5 116 104"; // the hexagon, as a viewBox
export const MARKED_FRAME = "-36 -12 122 111"; // and the marks of rows and columns around it
export const SIZE = 10; // from site to site
const CORNER = SIZE / Math.sqrt(3);
const STEPS = [[0, 1], [1, 1], [1, 0], [0, -1], [-1, -1], [-1, 0]] as const; // rows and columns, clockwise from the right

export interface Point {
  x: number;
  y: number;
}

export const names = [...words.north_down, ...words.south_down];
export const sites: readonly Point[] = facts.places.map(([row, column]) => ({
  x: SIZE * (column - row / 2),
  y: (SIZE * row * Math.sqrt(3)) / 2,
}));

/** The coordinates at the edge: a row's letter before it, the number of its last site after it, and all above and below. */
export const marks: readonly (Point & { name: string })[] = names.flatMap((name, site) => {
  const { x, y } = sites[site]!;
  const [row, column] = [name[0]!, name.slice(1)];
  const isFirst = column === "1";
  const isLast = names[site + 1]?.[0] !== row;
  const isTop = row === names[0]![0];
  const isBottom = row === names.at(-1)![0];
  return [
    ...(isFirst ? [{ name: row, x: x - 0.83 * SIZE, y }] : []),
    ...(isLast ? [{ name: column, x: x + 0.83 * SIZE, y }] : []),
    ...(isTop ? [{ name: column, x, y: y - 0.9 * SIZE }] : []),
    ...(isBottom ? [{ name: column, x, y: y + 0.9 * SIZE }] : []),
  ];
});

const index = new Map(facts.places.map(([row, column], site) => [`${row} ${column}`, site]));
const neighbours = facts.places.map(([row, column]) => STEPS.map(([down, right]) => index.get(`${row + down} ${column + right}`) ?? -1));

/** The site an arrow key leads to, or -1. */
export function step(site: number, key: string): number {
  const [right, downRight, downLeft, left, upLeft, upRight] = neighbours[site]! as [number, number, number, number, number, number];
  if (key === "ArrowRight") return right;
  if (key === "ArrowLeft") return left;
  if (key === "ArrowDown") return downLeft >= 0 ? downLeft : downRight;
  if (key === "ArrowUp") return upRight >= 0 ? upRight : upLeft;
  return -1;
}

/** Corner k of a site's cell: corners k-1 and k bound it towards neighbour k. */
function corner(site: number, k: number): Point {
  const angle = (Math.PI / 3) * k + Math.PI / 6;
  return { x: sites[site]!.x + CORNER * Math.cos(angle), y: sites[site]!.y + CORNER * Math.sin(angle) };
}
const at = ({ x, y }: Point) => `${x.toFixed(2)} ${y.toFixed(2)}`;
export const cell = (site: number) => `M${[0, 1, 2, 3, 4, 5].map((k) => at(corner(site, k))).join("L")}z`;

export interface Area {
  name: string; // a mountain's letter, a river's number
  sites: number[];
  outline: string; // its bounds, piece by piece
  course: string; // a way through all its sites, as a river takes it, in bends
  peak: Point; // a corner well inside it
  ford: Point; // half-way between two of its sites
  tint: number; // neighbouring areas have different ones
}

/** A river at one of its sites: from half-way to each of its neighbours there. */
function bends(site: number, joins: [number, number][]): string {
  const here = sites[site]!;
  const halves = joins
    .filter((join) => join.includes(site))
    .map(([from, to]) => ({ x: (sites[from]!.x + sites[to]!.x) / 2, y: (sites[from]!.y + sites[to]!.y) / 2 }));
  if (halves.length === 1) return `M${at(here)}L${at(halves[0]!)}`;
  return halves.slice(1).map((half, i) => `M${at(halves[i]!)}Q${at(here)} ${at(half)}`).join("");
}

/** A seat's areas on a map with one letter per site; their fords keep away from the peaks of another map. */
function areas(seat: 0 | 1, letters: string, peaks: readonly Point[] = []): Area[] {
  const found: Area[] = [];
  for (const [i, letter] of [...new Set(letters)].sort().entries()) {
    const own = names.map((_, site) => site).filter((site) => letters[site] === letter);
    const bounds = own.flatMap((site) =>
      [0, 1, 2, 3, 4, 5]
        .filter((k) => letters[neighbours[site]![k]!] !== letter)
        .map((k) => `M${at(corner(site, k + 5))}L${at(corner(site, k))}`),
    );
    // From site to site, each joined to one already reached.
    const reached = [own[0]!];
    const joins: [number, number][] = [];
    for (const site of reached)
      for (const next of neighbours[site]!)
        if (own.includes(next) && !reached.includes(next)) {
          reached.push(next);
          joins.push([site, next]);
        }
    const inside = own
      .flatMap((site) => [0, 1, 2, 3, 4, 5].map((k) => ({ site, k, near: [k, (k + 1) % 6].map((n) => neighbours[site]![n]!) })))
      .map((one) => ({ ...one, count: one.near.filter((n) => own.includes(n)).length }))
      .sort((a, b) => b.count - a.count)[0]!;
    const fords = joins.map(([from, to]) => ({ x: (sites[from]!.x + sites[to]!.x) / 2, y: (sites[from]!.y + sites[to]!.y) / 2 }));
    const room = (ford: Point) => Math.min(...peaks.map((peak) => Math.hypot(peak.x - ford.x, peak.y - ford.y)));
    const beside = found.filter((other) => own.some((site) => neighbours[site]!.some((n) => other.sites.includes(n))));
    found.push({
      name: facts.called[seat][i]!,
      sites: own,
      outline: bounds.join(""),
      course: own.map((site) => bends(site, joins)).join(""),
      peak: corner(inside.site, inside.k),
      ford: fords.sort((a, b) => room(b) - room(a))[0]!,
      tint: [0, 1, 2, 3, 4, 5].find((tint) => beside.every((other) => other.tint !== tint))!,
    });
  }
  return found;
}

export const MOUNTAINS = areas(0, facts.mountains);
const peaks = MOUNTAINS.map((area) => area.peak);
/** The rivers of a board, by its number among the values of `overlay`. */
export const rivers = (overlay: number): Area[] => areas(1, facts.rivers[overlay]!, peaks);

export type Marker = "down" | "open" | "taken";
export const markers = (view: ChinaGold): Marker[] =>
  names.map((_, site) => {
    const north = site < facts.half;
    const bit = north ? site : site - facts.half;
    if (has(north ? view.north_down : view.south_down, bit)) return "down";
    return has(north ? view.north_open : view.south_open, bit) ? "open" : "taken";
  });

/** What the rules say of a view: `drawn` of the game's Python module. */
export interface Drawn {
  faces: (number | null)[]; // by tablet: what it shows; null: it is not thrown
  longest: { length: number; left: number } | null; // the longest lines of this stage, and how many there are
  lengths: number[]; // how many in line may be dug now
  reburials: (number | null)[]; // by seat: how often it may still rebury, when few are left
  finishes: Record<number, { seat: number; area: string; gold: number }[]>; // by dig: the areas it finishes, with their gold
}

/** An area as it is now. */
export interface Land extends Area {
  seat: number; // its owner
  down: number; // stones to dig
  gold: number; // that lies there
}
export const land = (seat: number, area: Area, now: Marker[]): Land => {
  const count = (what: Marker) => area.sites.filter((site) => now[site] === what).length;
  return { ...area, seat, down: count("down"), gold: count("open") };
};

/** What finished areas have brought, as the log tells it: "A" or "12" -> gold. */
export function brought(log: readonly Did[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { kind, args } of log.flatMap((did) => did.events)) {
    const area = args["mountain"] ?? args["river"];
    if (area !== undefined && /^(empty_)?(mountain|river)$/.test(kind)) found[area] = Number(args["points"] ?? 0);
  }
  return found;
}

export interface Plan {
  action: number;
  digs: boolean; // else it reburies
  sites: number[];
}

/** Which sites an action touches: one, or a line of the longest length there is now. */
export function plan(drawn: Drawn, action: number): Plan {
  const { kind, args } = read(actions, action);
  const line = [args[0]!];
  const way = kind.args[1] ? facts.ways.findIndex((word) => word === kind.args[1]!.words[0]) : -1;
  if (way >= 0) while (line.length < Math.max(...drawn.lengths)) line.push(facts.next[way]![line.at(-1)!]!);
  return { action, digs: kind.verb === "dig", sites: line };
}
