"""Everything that a decision needs is on the screen, in every phase of every game, with few and with many players.

At a desk nothing has to be scrolled. On a tablet or a phone the prompt stays in view, and whatever can be pressed can
be brought into view below it. Most players and the longer words come together; the long run tries every combination.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from support.local_server import Server
from support.positions import last_of, phases, sit
from support.visiting import Visit

from motherlode.games import GAMES
from motherlode.server.clicking import OFFERED

DESKS = [(1280, 720), (1440, 900), (2560, 1440)]
HANDS = [(320, 640), (390, 844), (820, 1180)]
SOME = {"en-GB": [DESKS[0], DESKS[2], HANDS[1]], "fr-CA": [DESKS[0], DESKS[1], HANDS[0], HANDS[2]]}

# What can be pressed, and what is outside the screen.
OUTSIDE = """(offered) => {
  const bad = [];
  const { scrollHeight, clientHeight } = document.documentElement;
  if (scrollHeight > clientHeight + 1) bad.push(`the page is ${scrollHeight} high`);
  const board = document.querySelector(".board");
  if (board.scrollHeight > board.clientHeight + 1)
    bad.push(`the board is ${board.scrollHeight} high in ${board.clientHeight}`);
  for (const one of document.querySelectorAll(`${offered}, .prompt button`)) {
    if (!one.checkVisibility()) continue;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
      bad.push(`${one.ariaLabel ?? one.textContent.trim()}: ${[left, top, right, bottom].map(Math.round)}`);
  }
  return bad.slice(0, 6);
}"""
BELOW = """(offered) => {
  const bad = [];
  for (const one of document.querySelectorAll(offered)) {
    if (!one.checkVisibility()) continue;
    one.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    const box = one.getBoundingClientRect(), prompt = document.querySelector(".prompt").getBoundingClientRect();
    if (prompt.top < -1 || prompt.bottom > innerHeight) bad.push(`the prompt is at ${Math.round(prompt.top)}`);
    if (box.top < prompt.bottom - 1 || box.bottom > innerHeight + 1)
      bad.push(`${one.ariaLabel ?? one.textContent.trim()}: ${Math.round(box.top)} to ${Math.round(box.bottom)}`);
  }
  return bad.slice(0, 6);
}"""


def combinations(name: str) -> Iterator[Any]:
    """A game with its fewest players in English and with most in French, at some sizes; the long run has all."""
    fewest, most = GAMES[name].SEATS[0], GAMES[name].SEATS[-1]
    yield pytest.param(name, fewest, "en-GB", SOME["en-GB"], id=f"{name}-fewest-English")
    yield pytest.param(name, most, "fr-CA", SOME["fr-CA"], id=f"{name}-most-French")
    for seats, locale in product(sorted({fewest, most}), SOME):
        every = f"{name}-{seats}-{locale}-every size"
        yield pytest.param(name, seats, locale, DESKS + HANDS, id=every, marks=pytest.mark.soak)


@pytest.mark.parametrize(("game", "seats", "locale", "sizes"), [one for game in GAMES for one in combinations(game)])
def test_every_phase_fits(
    server: Server, visit: Callable[..., Visit], game: str, seats: int, locale: str, sizes: list[tuple[int, int]]
) -> None:
    ada = visit(locale=locale, has_touch=True)
    ada.ask("/api/guests", name="Ada")
    bad: list[str] = []
    for phase, played in phases(GAMES[game], seats).items():
        sit(ada, played, seat=last_of(played).turn, name="")
        for width, height in sizes:
            ada.page.set_viewport_size({"width": width, "height": height})
            ada.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            found = ada.page.evaluate(OUTSIDE if (width, height) in DESKS else BELOW, OFFERED)
            bad += [f"phase {phase}, {width} x {height}: {one}" for one in found]
    assert not bad, "\n".join(bad)
