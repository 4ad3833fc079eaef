"""People at a table: two browsers, a friend's link, a server that restarts; what cannot be done."""

import json
from collections.abc import Callable

from playwright.sync_api import expect
from support.local_server import Server
from support.positions import find, is_to_look, sit
from support.visiting import SINGLE_DEAL, Parlour, Visit, make_table

from motherlode import sheet
from motherlode.games import GAMES

CLICKS = 400


def invite(ada: Visit, bo: Visit) -> None:
    """Ada's first link, opened by Bo."""
    link = ada.page.get_by_label("Link to seat 2").input_value()
    bo.page.goto(link)
    bo.page.get_by_label("Your name at the table").fill("Bo")
    bo.page.get_by_role("button", name="Sit down").click()


def test_two_browsers_play_a_game(visit: Callable[..., Visit]) -> None:
    ada, bo = visit(seed=2), visit(seed=3)
    heard: list[str] = []  # all that Bo's browser was told
    bo.page.on("websocket", lambda socket: socket.on("framereceived", lambda data: heard.append(str(data))))
    make_table(ada, "Goldmine", {1: "A friend, by a link"}, options=SINGLE_DEAL, seat_0="Ada")
    invite(ada, bo)
    expect(bo.page.get_by_role("list").filter(has_text="Ada")).to_be_visible()
    for _ in range(CLICKS):
        ada.page.wait_for_selector("[data-table][data-sent=false]:is([data-turn='0'],[data-turn='1'],[data-turn='-2'])")
        if ada.turn() == -2:
            break
        actor = (ada, bo)[ada.turn()]
        before = ada.at()
        actor.page.wait_for_selector(f"[data-table][data-mine=true][data-at='{before}']")
        actor.click_something()
        ada.page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
    assert ada.turn() == -2
    told = [json.loads(message) for message in heard if '"is":"table"' in message]
    told = [message for message in told if not message["waiting"]]
    assert told and all(message["view"]["hand"][0] in (0, 1 << message["view"]["trump"]) for message in told)
    expect(bo.page.locator(".outcome")).to_be_visible()
    bo.page.get_by_role("button", name="Play again").click()
    ada.page.get_by_role("button", name="Go to the next game").click()
    expect(ada.page.get_by_role("heading", name="Your turn")).to_be_visible()  # one seat further
    assert ada.page.url == bo.page.url


def test_the_server_restarts_in_the_middle(visit: Callable[..., Visit], parlour: Parlour) -> None:
    ada = visit()
    ada.allowed = ["WebSocket", "Failed to load resource"]  # while the server is away
    ada.play_now("Goldmine")
    ada.click_something()
    ada.wait_for("true")
    before = ada.page.locator("[data-board]").inner_text()
    parlour.stop()
    expect(ada.page.get_by_text("The connection is lost")).to_be_visible()
    parlour.start()
    expect(ada.page.locator("[data-table]")).to_have_attribute("data-connection", "open")  # by itself
    assert ada.page.locator("[data-board]").inner_text() == before
    at = ada.at()
    while ada.at() < at + 4:
        assert ada.click_something()


def test_why_not_with_its_clause(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, find(GAMES["goldmine"], is_to_look))
    ada.page.locator(".hand.mine button").first.click(force=True)  # Playwright takes aria-disabled for unclickable
    expect(ada.page.locator(".notice p")).to_contain_text("Each trick has one look and one exchange")
    ada.page.get_by_role("button", name="Referee's text: GM-3.2").click()
    clause, words = sheet.clause(GAMES["goldmine"], "GM-3.2").split("  ", 1)
    expect(ada.page.locator(".sheet li.here")).to_contain_text(clause)
    expect(ada.page.locator(".sheet li.here")).to_contain_text(words)


def test_the_rules_can_be_narrowed_down_to_the_rulings(server: Server, visit: Callable[..., Visit]) -> None:
    """Each with what print says and why; a clause that is asked for shows all of the rules again."""
    ada, goldmine = visit(), GAMES["goldmine"]
    sit(ada, find(goldmine, is_to_look))
    ada.page.locator("#tab-rules").click()
    ada.page.get_by_label("Only our rulings").check()
    rulings = sheet.rulings(goldmine)
    expect(ada.page.locator(".sheet li:visible .clause")).to_have_text([ruling.clause for ruling in rulings])
    notes = ada.page.locator(".sheet .ruling")
    expect(notes).to_have_count(len(rulings))
    for note, ruling in zip(notes.all(), rulings, strict=True):
        expect(note).to_contain_text(
            f'Ruling: print says "{ruling.print}"' if ruling.print else "Ruling: print is silent"
        )
        expect(note).to_contain_text(ruling.why)
    ada.page.get_by_label("Go to a clause").select_option("ALL-5")
    expect(ada.page.locator(".sheet li.here")).to_contain_text("ALL-5")
    expect(ada.page.get_by_label("Only our rulings")).not_to_be_checked()
