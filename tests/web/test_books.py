"""The rulebooks: one page per game, with pictures drawn by the board's own components, for everybody."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from support.access import check_access
from support.layout import WIDTHS, Faults, arrive
from support.local_server import Server
from support.visiting import DESK, PHONE, Contexts, Visit

from motherlode.games import GAMES

LOOKS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": DESK, "color_scheme": "light", "locale": "en-GB"},
    "phone": {"viewport": PHONE, "color_scheme": "dark", "locale": "fr-CA"},
}
SCREENS = {"en-GB": WIDTHS[:1], "fr-CA": (WIDTHS[0], WIDTHS[-1])}


@pytest.fixture(scope="module", params=LOOKS)
def reader(contexts: Contexts, server: Server, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Who reads one book after the other."""
    ada = Visit(contexts, server, **LOOKS[request.param])
    arrive(ada)
    yield ada
    assert ada.leave() == []


@pytest.mark.parametrize("game", GAMES)
def test_a_rulebook(reader: Visit, game: str) -> None:
    ada, faults = reader, Faults()
    ada.page.set_viewport_size(ada.settings["viewport"])
    ada.turn_to(f"/rules/{game}")
    ada.page.wait_for_selector(f"[data-book='{game}']")
    chapters = ada.page.locator("[data-book] .chapter")
    expect(chapters.nth(3)).to_be_visible()
    expect(chapters.locator(".picture :is(svg, button, img)").nth(2)).to_be_visible()
    check_access(ada.page)
    faults.look(ada, f"rules of {game}", widths=SCREENS[ada.settings["locale"]])
    clause = (chapters.first.get_attribute("data-clauses") or "").split()[0]
    ada.turn_to(f"/rules/{game}#{clause}")
    expect(ada.page.locator(f'[id="{clause}"]')).to_be_in_viewport()
    faults.check()
