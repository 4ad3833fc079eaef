// The address: / is the lobby, /#make/goldmine a new table, /#record a record from a file, /table/ID a table,
// /learn/goldmine its guided first game, /rules/goldmine its rulebook (with #GM-3.2 its referee's text), /games my games,
// /my-record my record, /review/ID the review of a finished game (/table/ID?at=17&from=0#replay a place of its replay, as a seat
// saw it), /mistakes my mistakes (with #ID/SEAT/AT one of them), /table/ID/text a table as text, /puzzles the puzzles,
// /puzzles/goldmine-001 one of them, /puzzles/goldmine the next one of a game, /puzzles/day that of the day.
// The seat and the code of an invitation come after the #, so that they never reach a server's log.
type Place = { path: string; search: string; hash: string };

const here = (): Place => ({ path: location.pathname, search: location.search, hash: location.hash.slice(1) });
let place = $state.raw<Place>(here());
const update = () => (place = here());
addEventListener("popstate", update);
addEventListener("hashchange", update);

export const route = {
  get path() {
    return place.path;
  },
  get hash() {
    return place.hash;
  },
  /** A number after the ?. */
  number(name: string): number | undefined {
    const given = new URLSearchParams(place.search).get(name);
    return given !== null && /^\d{1,6}$/.test(given) ? Number(given) : undefined;
  },
  get review() {
    return /^\/review\/([\w-]+)$/.exec(place.path)?.[1] ?? null;
  },
  get table() {
    return /^\/table\/([\w-]+)(?:\/text)?$/.exec(place.path)?.[1] ?? null;
  },
  get isText() {
    return /^\/table\/[\w-]+\/text$/.test(place.path);
  },
  get lesson() {
    return /^\/learn\/(\w+)$/.exec(place.path)?.[1] ?? null;
  },
  get puzzle() {
    return /^\/puzzles\/([\w~-]+)$/.exec(place.path)?.[1] ?? null;
  },
  get book() {
    return /^\/rules\/(\w+)$/.exec(place.path)?.[1] ?? null;
  },
};

export function go(address: string, replace = false): void {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  update();
  if (!replace) scrollTo(0, 0);
}

/** For links inside the parlour: <a href="/table/x" onclick={follow}>. Other clicks (a new tab, …) are left to the browser. */
export function follow(event: MouseEvent): void {
  const link = event.currentTarget as HTMLAnchorElement;
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute("href")!);
}
