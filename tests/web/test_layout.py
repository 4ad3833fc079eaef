"""Nothing is wider than a phone's screen, in the page's own typeface and in a wide one: see `support.layout`."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.layout import Faults, arrive
from support.local_server import Server
from support.positions import ending, find, is_to_look, last_of, phases, sit
from support.visiting import Visit

from motherlode.games import GAMES

LANGUAGES = {"English": "en-GB", "French": "fr-CA"}


@pytest.fixture
def ada(server: Server, visit: Callable[..., Visit], request: pytest.FixtureRequest) -> Visit:
    visitor = visit(locale=LANGUAGES[request.param], has_touch=True)
    arrive(visitor)
    return visitor


@pytest.mark.parametrize("ada", LANGUAGES, indirect=True)
def test_pages(ada: Visit, server: Server) -> None:
    page, faults = ada.page, Faults()
    expect(page.locator(".game")).to_have_count(len(GAMES))
    faults.look(ada, "lobby")
    page.locator("header button").click()
    page.locator("dialog details summary").click()
    faults.look(ada, "preferences")
    page.keyboard.press("Escape")
    ada.turn_to("/#record")
    expect(page.locator("input[type=file]")).to_be_attached()
    faults.look(ada, "record")
    for game in GAMES:
        ada.turn_to(f"/#make/{game}")
        expect(page.locator(f"form[data-game={game}] option[value=me]").first).to_be_attached()
        if len(seats := GAMES[game].SEATS) > 1:
            page.locator("form select").first.select_option(str(seats[-1]))
        for option in page.locator("form details summary").all():
            option.click()
        page.locator("form ol select").last.select_option("link")
        faults.look(ada, f"new table: {game}")
    page.locator("form button.main").click()
    expect(page.locator("main img").first).to_be_visible()  # the QR code
    faults.look(ada, "links")
    page.locator("main a.main").click()
    ada.table()
    page.locator(".top section button").click()
    expect(page.locator("main img").first).to_be_visible()
    faults.look(ada, "waiting")
    link = page.locator("main input[readonly]").first.input_value()
    ada.turn_to("/")
    expect(page.locator(".tables li a").first).to_be_visible()
    faults.look(ada, "lobby with tables")
    ada.turn_to(link.removeprefix(server.url))
    expect(page.locator("#my-name")).to_be_visible()
    faults.look(ada, "invitation")
    faults.check()


@pytest.mark.parametrize("ada", LANGUAGES, indirect=True)
def test_a_table_and_what_is_beside_it(ada: Visit, server: Server) -> None:
    page, faults = ada.page, Faults()
    sit(ada, find(GAMES["goldmine"], is_to_look), name="")
    for tab in ("log", "chat", "rules", "seal"):
        page.locator(f"#tab-{tab}").click()
        if tab == "rules":
            page.locator(".sheet").wait_for()
        faults.look(ada, f"tab {tab}")
    page.locator("aside section details summary").click()
    page.locator("aside section details button").first.click()
    expect(page.locator("dialog img")).to_be_visible()
    faults.look(ada, "link to this seat")
    page.keyboard.press("Escape")
    page.locator("details.words summary").click()
    page.locator("[data-board] button[aria-disabled=true]").first.click(force=True)  # it is aria-disabled
    expect(page.locator(".notice")).to_be_visible()
    faults.look(ada, "why not")
    page.locator(".notice button").last.click()
    together = ada.ask("/api/tables", game="goldmine", seats=[{"player": "me"}] * 2, clock=30, hints=True)["id"]
    ada.turn_to(f"/table/{together}")
    expect(page.locator(".curtain")).to_be_visible()
    faults.look(ada, "curtain")
    page.locator(".curtain button").click()
    page.wait_for_selector("[data-mine=true] [data-board] > div")
    faults.look(ada, "clock")
    page.locator("section.hint > button").click()
    expect(page.locator(".hint li").first).to_be_visible()
    faults.look(ada, "advice")
    ada.do()
    faults.check()


@pytest.mark.parametrize("ada", LANGUAGES, indirect=True)
@pytest.mark.parametrize("game", GAMES)
def test_every_phase(ada: Visit, server: Server, game: str) -> None:
    """With as many players as there can be."""
    page, faults = ada.page, Faults()
    for phase, played in phases(GAMES[game], GAMES[game].SEATS[-1]).items():
        position = last_of(played)
        sit(ada, played, seat=position.turn, name="")
        page.locator("[data-board] details").evaluate_all("all => all.forEach((one) => (one.open = true))")
        faults.look(ada, phase)
        if phase == "end":
            ada.do(ending(GAMES[game], position) or 0)
            expect(page.locator(".outcome")).to_be_visible()
            faults.look(ada, "outcome")
            page.locator(".outcome a").first.click()
            expect(page.locator("input[type=range]")).to_be_visible()
            page.locator(".steps button").last.click()
            faults.look(ada, "replay")
    faults.check()
