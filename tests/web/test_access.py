"""For everybody: keyboard alone, French, a phone's width, light and dark, and what axe has to say of every page."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from visiting import DESK, PHONE, ROOT, Visit

from motherlode.games import GAMES

SERIOUS = ("serious", "critical")


def check_access(page: Page) -> None:
    """No serious violation by axe, nothing wider than the screen."""
    page.evaluate((ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8"))
    found: list[dict[str, Any]] = page.evaluate("axe.run().then(run => run.violations)")
    bad = [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found if one["impact"] in SERIOUS]
    assert not bad, page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than the screen"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_pages_are_for_everybody(visit: Callable[..., Visit], scheme: str, size: dict[str, int]) -> None:
    ada = visit(viewport=size, color_scheme=scheme)
    page = ada.page
    expect(page.locator(".game")).to_have_count(len(GAMES))
    check_access(page)
    page.get_by_role("button", name="You and your taste").click()
    check_access(page)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="New table …: Mount Goldrush").click()
    expect(page.get_by_role("button", name="Make the table")).to_be_visible()
    check_access(page)
    page.get_by_role("link", name="Motherlode").click()
    ada.play_now("Goldmine")
    for tab in ("Log", "Chat", "Rules", "Shuffle"):
        page.get_by_role("tab", name=tab).click()
        check_access(page)
    ada.play_on(400)
    check_access(page)
    page.get_by_role("link", name="Look back").click()
    expect(page.get_by_role("button", name="Next")).to_be_visible()
    check_access(page)


@pytest.mark.parametrize("game", GAMES)
def test_tables_are_for_everybody(visit: Callable[..., Visit], game: str) -> None:
    """Every board, at both widths; the pictures go to the folder MOTHERLODE_SHOTS, if there is one."""
    folder = os.environ.get("MOTHERLODE_SHOTS")
    for name, size, scheme in (("desk", DESK, "light"), ("phone", PHONE, "dark")):
        ada = visit(viewport=size, color_scheme=scheme, seed=5)
        ada.play_now(GAMES[game].TITLE)
        for moment in range(3):
            check_access(ada.page)
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
                ada.page.screenshot(path=Path(folder) / f"{game}-{name}-{moment}.png", full_page=True)
            for _ in range(6):
                if ada.turn() != -2:
                    ada.click_something()
                    ada.wait_for("true")


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
    for _ in range(400):
        ada.wait_for("true")
        if ada.turn() == -2:
            break
        offered = page.locator("[data-board] .can").nth(0).get_attribute("aria-label") or ""
        tab_to(offered, "[data-board]")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        keys.press("Enter")
        page.wait_for_selector("[data-table][data-sent=false]")
    expect(page.locator(".outcome")).to_be_visible()


def test_french(visit: Callable[..., Visit]) -> None:
    ada = visit(locale="fr-CA")
    page = ada.page
    expect(page.get_by_role("heading", name="Six jeux d'or")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "fr"
    page.get_by_role("button", name="Jouer: Goldmine").click()
    ada.wait_for("true")
    expect(page.get_by_role("heading", name="À vous")).to_be_visible()
    ada.play_on(400)
    expect(page.locator(".outcome h2")).to_contain_text("gagne")
    expect(page.get_by_role("tabpanel")).to_contain_text("joue le")
    page.get_by_role("tab", name="Règles").click()
    expect(page.locator(".sheet")).to_contain_text("cartes")
    page.get_by_role("button", name="Vous et vos goûts").click()
    page.get_by_label("Langue").select_option("en")
    expect(page.locator(".outcome h2")).to_contain_text("wins")
    page.reload()
    expect(page.locator(".outcome h2")).to_contain_text("wins")
