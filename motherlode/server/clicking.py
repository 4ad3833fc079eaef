"""Playing a game in a browser by clicking what a person could click, for measurements and tests.

The page says in data attributes where the game is, whether it is its turn, and whether an action is under way.
"""

import random
from typing import Any

PATIENCE = 30_000  # milliseconds until waiting for what does not come is given up

# What a board offers now. A thing that only says why it cannot be done is aria-disabled; one that only shows the board
# otherwise carries data-aid.
OFFERED = "[data-board] :is(button, [role=button]):not([aria-disabled=true]):not(:disabled):not([data-aid])"

# The point in the middle of something that a person would click next: of what is offered, rather what the last click
# has brought (the main button first) or lit up; the answer if the page asks. What lies under something else is not
# clicked. It waits until it is this page's turn and something can be clicked, and finds nothing when the game is over.
CHOOSE = """async ({offered, last, random, patience}) => {
  const middle = (one) => {
    one.scrollIntoView({block: "nearest", inline: "nearest"});
    const {left, top, width, height} = one.getBoundingClientRect();
    const point = {x: left + width / 2, y: top + height / 2};
    const hit = document.elementFromPoint(point.x, point.y);
    return hit && one.contains(hit) ? point : null;
  };
  const mixed = (all) => {
    const from = Math.floor(random * all.length);
    return [...all.slice(from), ...all.slice(0, from)];
  };
  const deadline = performance.now() + patience;
  while (performance.now() < deadline) {
    const table = document.querySelector("[data-table][data-sent=false]");
    if (table?.dataset.turn === "-2") return {over: true};
    const asked = document.querySelector(".ask button.main, .go-on");
    if (asked && middle(asked)) return {...middle(asked), at: last.at, names: last.names};
    if (table?.dataset.mine === "true") {
      const at = Number(table.dataset.at);
      const all = [...document.querySelectorAll(offered)].filter((one) => one.checkVisibility());
      const name = (one) => one.ariaLabel ?? one.textContent;
      const news = all.filter((one) => at === last.at && !last.names.includes(name(one)));
      const lit = all.filter((one) => one.matches(".choosing .offered:not(.anchor)"));
      const mains = news.filter((one) => one.matches(".main"));
      const rest = [mains, news, lit].find((some) => some.length) ?? all;
      for (const one of mixed(rest)) {
        const point = middle(one);
        if (point) return {...point, at, names: all.map(name)};
      }
    }
    await new Promise(requestAnimationFrame);
  }
  throw new Error("nothing can be clicked");
}"""


class Player:
    """Who clicks what a board offers, in any browser engine."""

    rng: random.Random
    last: dict[str, Any]  # what was offered when something was clicked

    def run(self, script: str, given: Any) -> Any:
        """The answer of a JavaScript function in the page."""
        raise NotImplementedError

    def press(self, x: float, y: float) -> None:
        raise NotImplementedError

    def click_something(self) -> bool:
        """Wait for our turn and click one of the things offered; False if the game is over."""
        given = {"offered": OFFERED, "last": self.last, "random": self.rng.random(), "patience": PATIENCE}
        found = self.run(CHOOSE, given)
        if "over" in found:
            return False
        self.last = {"at": found["at"], "names": found["names"]}
        self.press(found["x"], found["y"])
        return True

    def play_on(self, clicks: int) -> None:
        """Click until the game is over."""
        for _ in range(clicks):
            if not self.click_something():
                return
        raise AssertionError(f"after {clicks} clicks the game is not over")
