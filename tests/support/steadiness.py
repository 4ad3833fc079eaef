"""Does anything move that should stay where it is? Watched in the page at every frame of a game.

What carries data-fixed (the prompt, the board, fixed places on it) has to keep its box through the whole game. It is
measured against the table, so that scrolling does not matter; the prompt of a phone stays in view, so of it only the
size counts.
"""

from support.visiting import Visit

NEAR = 1  # pixels
WATCH = """(near) => {
  const seen = new Map();
  window.moved = new Map();
  const look = () => {
    const table = document.querySelector(".table");
    if (table?.querySelector("[data-board] > div")) {
      const from = table.getBoundingClientRect();
      for (const one of document.querySelectorAll("[data-fixed]")) {
        if (!one.checkVisibility()) continue;
        const { x, y, width, height } = one.getBoundingClientRect();
        const name = one.dataset.fixed;
        const box = name === "prompt" ? [width, height] : [x - from.x, y - from.y, width, height];
        const first = seen.get(name);
        if (!first) seen.set(name, box);
        else if (box.some((side, i) => Math.abs(side - first[i]) > near)) {
          const [was, is] = [first, box].map((sides) => sides.map(Math.round));
          window.moved.set(name, `${name}: ${was} became ${is} after action ${table.dataset.at}`);
        }
      }
    }
    window.watched = seen.size;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


def watch(visit: Visit) -> None:
    visit.page.evaluate(WATCH, NEAR)


def moved(visit: Visit) -> list[str]:
    """What has moved since `watch`, if anything was watched."""
    assert visit.page.evaluate("window.watched") >= 2, "nothing is fixed"
    found: list[str] = visit.page.evaluate("[...window.moved.values()]")
    return found
