"""Each game against bots, by clicking what a person could click: the short ones to their end, the others to begin with.

The long run plays all of them to their end.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.visiting import PHONE, ROOT, SINGLE_DEAL, Visit, make_table

from motherlode.games import GAMES
from motherlode.server.messages import has_board

DRAWN = {path.parent.name for path in (ROOT / "web" / "src" / "games").glob("*/Board.svelte")}
CLICKS = 3000
FIRST_CLICKS = 12
SHORT = ("gold_hunting", "goldmine")
LONG = [game for game in GAMES if game not in SHORT]


def test_every_game_has_a_board() -> None:
    assert {name for name, game in GAMES.items() if has_board(game)} == DRAWN


@pytest.mark.parametrize("game", [*SHORT, *(pytest.param(game, marks=pytest.mark.soak) for game in LONG)])
def test_a_whole_game_by_clicking(visit: Callable[..., Visit], game: str) -> None:
    ada = visit()
    ada.play_now(GAMES[game].TITLE)
    ada.play_on(CLICKS)
    page = ada.page
    expect(page.locator(".outcome h2")).to_contain_text(re.compile("wins|share"))
    page.get_by_role("tab", name="Shuffle").click()
    page.get_by_role("button", name="Check it here").click()
    findings = page.locator("[role=tabpanel] [role=status]")
    expect(findings.locator(".good")).to_have_count(5)
    expect(findings.locator(".bad")).to_have_count(0)
    expect(findings).to_contain_text("Bytes were mixed in by Guest.")


@pytest.mark.parametrize("game", LONG)
def test_the_first_clicks(visit: Callable[..., Visit], game: str) -> None:
    ada = visit()
    ada.play_now(GAMES[game].TITLE)
    before = ada.at()
    for _ in range(FIRST_CLICKS):
        assert ada.click_something()
    assert ada.at() > before + FIRST_CLICKS / 4  # a turn of ChinaGold takes three clicks


def test_goldmine_on_a_phone(visit: Callable[..., Visit]) -> None:
    ada = visit(viewport=PHONE, has_touch=True, is_mobile=True)
    make_table(ada, "Goldmine", {1: "Greedy bot"}, options=SINGLE_DEAL)
    ada.play_on(CLICKS)
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
