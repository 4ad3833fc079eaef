"""For everybody: keyboard alone, French, a phone's width, light and dark, and what axe has to say of every page.

A board is looked at in every phase of its game, on tables that go on from records, so that no deal matters.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from support.access import check_access
from support.local_server import Server
from support.positions import ending, find, is_to_look, last_of, phases, sit
from support.visiting import DESK, PHONE, Visit

from motherlode.games import GAMES

LOOKS: dict[str, dict[str, Any]] = {
    "desk, light, English": {"viewport": DESK, "color_scheme": "light", "locale": "en-GB"},
    "phone, dark, French": {"viewport": PHONE, "color_scheme": "dark", "locale": "fr-CA"},
    "phone, light, French": {"viewport": PHONE, "color_scheme": "light", "locale": "fr-CA"},
    "desk, dark, English": {"viewport": DESK, "color_scheme": "dark", "locale": "en-GB"},
}
BOARD_LOOKS = list(LOOKS)[:2]  # both sizes, both lights and both languages


@pytest.mark.parametrize("look", LOOKS)
def test_pages_are_for_everybody(server: Server, visit: Callable[..., Visit], look: str) -> None:
    ada = visit(**LOOKS[look])
    page = ada.page
    expect(page.locator(".game")).to_have_count(len(GAMES))
    check_access(page)
    page.locator("header button").click()
    page.locator("dialog details summary").click()
    check_access(page)
    page.keyboard.press("Escape")
    page.goto(f"{server.url}/#record")
    expect(page.locator("input[type=file]")).to_be_visible()
    check_access(page)
    for game in GAMES:
        page.goto(f"{server.url}/#make/{game}")
        expect(page.locator("form option[value=me]").first).to_be_attached()
        for option in page.locator("form details summary").all():
            option.click()
        page.locator("form ol select").last.select_option("anyone")
        check_access(page)
    page.locator("form ol select").last.select_option("link")
    page.locator("form button.main").click()
    expect(page.locator("main img")).to_be_visible()  # the QR code
    check_access(page)
    page.locator("main a.main").click()
    ada.table()
    page.locator(".top section button").click()
    expect(page.locator("main img")).to_be_visible()
    check_access(page)  # the table waits
    link = page.locator("main input[readonly]").input_value()
    page.locator("header a").click()
    expect(page.locator(".tables li a").first).to_be_visible()
    check_access(page)  # a lobby with tables
    page.goto(link)
    expect(page.locator("#my-name")).to_be_visible()
    check_access(page)


@pytest.mark.parametrize("look", BOARD_LOOKS)
def test_a_table_and_what_is_beside_it_is_for_everybody(server: Server, visit: Callable[..., Visit], look: str) -> None:
    ada = visit(**LOOKS[look])
    page = ada.page
    page.locator(".game:last-child .do button").wait_for()
    sit(ada, find(GAMES["goldmine"], is_to_look))
    for tab in ("log", "chat", "rules", "seal"):
        page.locator(f"#tab-{tab}").click()
        if tab == "rules":
            page.locator(".sheet").wait_for()
        check_access(page)
    page.locator("aside section details summary").click()
    page.locator("aside section details button").first.click()
    expect(page.locator("dialog img")).to_be_visible()
    check_access(page)  # the link to this seat
    page.keyboard.press("Escape")
    page.locator("details.words summary").click()
    page.locator("[data-board] button[aria-disabled=true]").first.click(
        force=True
    )  # Playwright takes it for unclickable
    expect(page.locator(".notice")).to_be_visible()
    check_access(page)  # what cannot be done, and why
    page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 0, ask: true})")
    page.reload()
    ada.wait_for("true")
    page.locator("[data-board] .can").first.click()
    expect(page.get_by_role("alertdialog")).to_be_visible()
    check_access(page)
    page.locator(".ask button").last.click()
    ada.allowed = ["ERR_INTERNET_DISCONNECTED", "WebSocket"]
    ada.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    check_access(page)
    ada.context.set_offline(False)
    expect(page.locator(".lost")).to_have_count(0)
    together = ada.ask("/api/tables", game="goldmine", seats=[{"player": "me"}] * 2)["id"]
    page.goto(f"{server.url}/table/{together}")
    expect(page.locator(".curtain")).to_be_visible()
    check_access(page)
    page.goto(f"{server.url}/table/{together}#watch")
    page.locator("[data-board] .hand").first.wait_for()
    check_access(page)


@pytest.mark.parametrize("look", BOARD_LOOKS)
@pytest.mark.parametrize("game", GAMES)
def test_every_phase_is_for_everybody(server: Server, visit: Callable[..., Visit], game: str, look: str) -> None:
    """The pictures go to the folder MOTHERLODE_SHOTS, if there is one."""
    folder = os.environ.get("MOTHERLODE_SHOTS")
    ada = visit(**LOOKS[look])

    def keep(name: str) -> None:
        check_access(ada.page)
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            ada.page.screenshot(
                path=Path(folder) / f"{game}-{name}-{'desk' if 'desk' in look else 'phone'}.png", full_page=True
            )

    for phase, played in phases(GAMES[game]).items():
        position = last_of(played)
        sit(ada, played, seat=position.turn)
        keep(phase)
        if phase == "end":
            ada.do(ending(GAMES[game], position) or 0)
            expect(ada.page.locator(".outcome")).to_be_visible()
            keep("outcome")
            ada.page.locator(".outcome a").first.click()
            expect(ada.page.locator("input[type=range]")).to_be_visible()
            keep("replay")


@pytest.mark.parametrize("game", GAMES)
def test_with_motion(server: Server, visit: Callable[..., Visit], game: str) -> None:
    """Whoever has not asked for less motion plays as well; the console says nothing."""
    ada = visit(reduced_motion="no-preference", color_scheme="dark")
    ada.play_now(GAMES[game].TITLE)
    before = ada.at()
    while ada.at() < before + 4:
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
    expect(page.get_by_role("heading", name="Jeux d'or")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "fr"
    page.get_by_role("button", name="Jouer: Goldmine").click()
    ada.wait_for("true")
    expect(page.get_by_role("heading", name="À vous")).to_be_visible()
    ada.play_on(400)
    expect(page.locator(".outcome h2")).to_contain_text("gagne")
    expect(page.get_by_role("tabpanel")).to_contain_text("joue le")
    page.get_by_role("tab", name="Règles").click()
    expect(page.locator(".sheet")).to_contain_text("cartes")
    page.get_by_role("button", name="Votre nom et vos préférences").click()
    page.get_by_label("Langue").select_option("en")
    expect(page.locator(".outcome h2")).to_contain_text("wins")
    page.reload()
    expect(page.locator(".outcome h2")).to_contain_text("wins")
