// Where the page is: / is the lobby, /#make/goldmine a new table, /#record a record of one's own, /table/ID a table.
// What a link to a seat carries (seat and code) is behind the #, so that no server's log ever has it.
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
};

export function go(address: string, replace = false): void {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  update();
  if (!replace) scrollTo(0, 0);
}

/** For links inside the parlour: <a href="/table/x" onclick={follow}>; other clicks (a new tab, …) stay the browser's. */
export function follow(event: MouseEvent): void {
  const link = event.currentTarget as HTMLAnchorElement;
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute("href")!);
}
