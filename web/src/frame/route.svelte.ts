// The address: / is the lobby, /#make/goldmine a new table, /#record a record from a file, /table/ID a table,
// /learn/goldmine its guided first game, /rules/goldmine its rulebook (with #GM-3.2 its referee's text), /games my games,
// /my-record my record.
// The seat and the code of an invitation come after the #, so that they never reach a server's log.
type Place = { path: string; hash: string };

const here = (): Place => ({ path: location.pathname, hash: location.hash.slice(1) });
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
  get table() {
    return /^\/table\/([\w-]+)$/.exec(place.path)?.[1] ?? null;
  },
  get lesson() {
    return /^\/learn\/(\w+)$/.exec(place.path)?.[1] ?? null;
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
