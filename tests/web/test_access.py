"""For everybody: with motion, by the keyboard alone, in French. `test_every_page` looks at all pages with axe."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.local_server import Server
from support.positions import ending, last_of, phases, sit
from support.visiting import Visit

from motherlode.games import GAMES

ACTIONS = 8  # by the keyboard


@pytest.mark.parametrize("game", GAMES)
def test_with_motion(server: Server, visit: Callable[..., Visit], game: str) -> None:
    """Whoever has not asked for less motion plays as well; the console says nothing."""
    ada = visit(reduced_motion="no-preference", color_scheme="dark")
    ada.play_now(GAMES[game].TITLE)
    before = ada.at()
    while ada.at() < before + 4:
        assert ada.click_something()


def test_the_keyboard_alone(visit: Callable[..., Visit]) -> None:
    ada = visit()
    page, keys = ada.page, ada.page.keyboard
    expect(page.locator(".game")).to_have_count(len(GAMES))
    focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"

    def tab_to(words: str, where: str = "body") -> None:
        for _ in range(150):
            keys.press("Tab")
            if words in page.evaluate(focused) and page.evaluate(f"!!document.activeElement.closest('{where}')"):
                return
        pytest.fail(f"the keyboard does not reach {words!r}")

    tab_to("Play now: Goldmine")
    keys.press("Enter")
    for _ in range(ACTIONS):
        ada.wait_for("true")
        offered = page.locator("[data-board] .can").nth(0).get_attribute("aria-label") or ""
        tab_to(offered, "[data-board]")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        at = ada.at()
        keys.press("Enter")
        page.wait_for_selector(f"[data-table]:not([data-at='{at}'])")


def test_french(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(locale="fr-CA")
    page = ada.page
    expect(page.get_by_role("heading", name="Jeux d'or")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "fr"
    page.get_by_role("button", name="Jouer : Goldmine").click()
    ada.wait_for("true")
    expect(page.get_by_role("heading", name="À vous")).to_be_visible()
    end = phases(GAMES["goldmine"])["end"]
    sit(ada, end)
    ada.do(ending(GAMES["goldmine"], last_of(end)) or 0)
    expect(page.locator(".outcome h2")).to_contain_text("gagne")
    expect(page.get_by_role("tabpanel")).to_contain_text("joue le")
    page.get_by_role("tab", name="Règles").click()
    expect(page.locator(".sheet")).to_contain_text("cartes")
    page.get_by_role("button", name="Votre nom et vos préférences").click()
    page.get_by_label("Langue").select_option("en")
    expect(page.locator(".outcome h2")).to_contain_text("wins")
    page.reload()
    expect(page.locator(".outcome h2")).to_contain_text("wins")
