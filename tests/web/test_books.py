"""The rulebooks: one page per game, with pictures drawn by the board's own components, for everybody."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.access import check_access
from support.layout import Faults, arrive
from support.local_server import Server
from support.visiting import DESK, PHONE, Visit

from motherlode.games import GAMES

LOOKS = {
    "desk": {"viewport": DESK, "color_scheme": "light", "locale": "en-GB"},
    "phone": {"viewport": PHONE, "color_scheme": "dark", "locale": "fr-CA"},
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("game", GAMES)
def test_a_rulebook(server: Server, visit: Callable[..., Visit], game: str, look: str) -> None:
    ada, faults = visit(**LOOKS[look]), Faults()
    arrive(ada)
    ada.turn_to(f"/rules/{game}")
    chapters = ada.page.locator("[data-book] .chapter")
    expect(chapters.nth(3)).to_be_visible()
    pictures = chapters.locator(".picture")
    assert pictures.count() >= 3
    for picture in pictures.all():
        expect(picture.locator("> * *").first).to_be_attached()  # something is drawn on it
    check_access(ada.page)
    faults.look(ada, f"rules of {game}")
    clauses = (chapters.first.get_attribute("data-clauses") or "").split()
    expect(chapters.first.locator(".clauses")).to_contain_text(", ".join(clauses))
    clause = clauses[0]
    ada.turn_to(f"/rules/{game}#{clause}")
    expect(ada.page.locator(f'[id="{clause}"]')).to_be_in_viewport()
    faults.check()
