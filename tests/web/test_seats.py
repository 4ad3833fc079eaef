"""Seats: drawn by lot, open to anyone, watched with a delay, more than the fewest, handed on to another device."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.catalogues import catalogue
from support.local_server import Server
from support.visiting import PHONE, Visit, make_table

from motherlode import engine
from motherlode.games import GAMES
from motherlode.server import table_setup
from motherlode.server.clicking import OFFERED
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable

goldmine = GAMES["goldmine"]
WORDS = catalogue("goldmine")
CODE = re.compile(r"^[\w-]{20,}$")


def be_called(ada: Visit, name: str) -> None:
    ada.page.get_by_role("button", name="Your name and preferences").click()
    ada.page.get_by_label("Your name at the table").fill(name)
    ada.page.get_by_role("button", name="Save").click()
    expect(ada.page.get_by_role("button", name=name)).to_be_visible()


def hidden_cards(sitting: LiveTable, seat: int) -> list[str]:
    """The cards that a seat of Goldmine has in its hand and nobody else has seen, as the page calls them."""
    game, s = sitting.game, sitting.core.position
    hidden = s.hand[seat] & ~engine.view(game, s, PUBLIC).hand[seat]
    cards = [str(WORDS[f"word.{card}"]) for n, card in enumerate(goldmine.CARDS) if hidden >> n & 1]
    assert len(cards) >= 5
    return cards


def test_seats_are_drawn_by_lot(monkeypatch: pytest.MonkeyPatch, server: Server, visit: Callable[..., Visit]) -> None:
    """The lots are the test's: turned round they give the one at the page the last seat."""
    monkeypatch.setattr(table_setup.LOTS, "shuffle", lambda seats: seats.reverse())
    ada = visit()
    for ticked, seat in (((), 0), (("Assign the seats at random",), 2)):
        make_table(ada, "Claimpoker", {}, 3, *ticked, seat_0="Ada")
        players = ada.page.locator("aside section li")
        expect(players).to_have_count(3)
        expect(players.nth(seat)).to_contain_text("Ada (you)")
        ada.wait_for("true")
        expect(ada.page.get_by_role("heading", name="Your turn")).to_be_visible()
        ada.page.get_by_role("link", name="Motherlode").click()


@pytest.mark.parametrize(("game", "seats"), [("mount_goldrush", 5), ("claimpoker", 5), ("blue_creek", 4)])
def test_more_seats_than_the_fewest(server: Server, visit: Callable[..., Visit], game: str, seats: int) -> None:
    ada = visit(viewport=PHONE)
    bots = dict.fromkeys(range(1, seats), "Random bot")
    make_table(ada, GAMES[game].TITLE, bots, seats, seat_0="Ada")
    expect(ada.page.locator("aside section li")).to_have_count(seats)
    core = server.parlour.tables[ada.table()].core
    while {s.turn for s in core.positions} < {-1, *range(seats)}:  # until everybody has had a turn
        ada.wait_for("true")
        assert ada.turn() == 0
        for name in ("Ada", "Random bot 1", f"Random bot {seats - 1}"):
            expect(ada.page.locator("[data-board]").get_by_text(name).first).to_be_visible()
        ada.click_something()
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_table_open_to_anyone_is_joined_from_the_lobby(server: Server, visit: Callable[..., Visit]) -> None:
    ada, bo, eve = visit(), visit(), visit()
    make_table(ada, "Goldmine", {1: "Anyone"}, seat_0="Ada in the mine")
    expect(ada.page.get_by_role("heading", name="One seat is still open")).to_be_visible()
    table = ada.table()
    for one in (bo, eve):
        one.page.reload()
        one.page.get_by_role("link", name="Join or watch Goldmine, Ada in the mine, open to anyone").click()
        expect(one.page.get_by_text("A seat is open to anyone.")).to_be_visible()
    bo.page.get_by_label("Your name at the table").fill("Bella")
    bo.page.get_by_role("button", name="Sit down").click()
    expect(ada.page.locator("aside section li").nth(1)).to_contain_text("Bella")
    expect(bo.page.locator("aside section li").nth(1)).to_contain_text("Bella (you)")
    assert bo.table() == table
    (ada, bo)[0 if ada.turn() == 0 else 1].do()
    # Too late for the third, who watches.
    expect(eve.page.get_by_text("A seat is open to anyone.")).to_have_count(0)
    expect(eve.page.locator("[data-board] .hand").last).to_be_visible()
    assert eve.page.locator(OFFERED).count() == 0
    expect(ada.page.get_by_text("1 spectator")).to_be_visible()
    expect(eve.page.get_by_role("button", name="Let Greedy bot play")).to_have_count(0)


def test_a_spectator_from_the_lobby_is_behind_where_it_was_agreed(server: Server, visit: Callable[..., Visit]) -> None:
    ada, eve = visit(), visit()
    be_called(ada, "Ada of the delay")
    seats = [{"player": "me"}, {"player": "anyone"}]
    table = ada.ask("/api/tables", game="goldmine", seats=seats, delay=60)["id"]
    eve.page.reload()
    eve.page.get_by_role("link", name="Join or watch Goldmine, Ada of the delay, open to anyone").click()
    expect(eve.page.get_by_text("A seat is open to anyone.")).to_be_visible()
    bo = visit()
    be_called(bo, "Bo")
    bo.ask(f"/api/tables/{table}/seats/1/take")
    players = (ada, bo)
    for one in players:
        one.page.goto(f"{server.url}/table/{table}")
    began = ada.at()
    for _ in range(2):
        ada.page.wait_for_selector("[data-sent=false]:is([data-turn='0'],[data-turn='1'])")
        actor, before = players[ada.turn()], ada.at()
        actor.page.wait_for_selector(f"[data-mine=true][data-at='{before}']")
        actor.do()
        ada.page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
        server.move_clock(20)
    # 40 seconds after the first of two actions nothing has happened for her.
    expect(eve.page.get_by_text("Bo").first).to_be_visible()
    assert eve.at() == 0
    server.move_clock(20)
    eve.page.wait_for_selector("[data-table]:not([data-at='0'])")
    assert began <= eve.at() < ada.at()
    server.move_clock(20)
    eve.page.wait_for_selector(f"[data-at='{ada.at()}']")


def test_a_seat_is_handed_to_another_device(server: Server, visit: Callable[..., Visit]) -> None:
    desk, phone = visit(), visit(viewport=PHONE, has_touch=True, is_mobile=True)
    desk.play_now("Goldmine")
    table, before = desk.table(), desk.at()
    desk.page.get_by_text("My seat").click()
    desk.page.get_by_role("button", name="Continue on another device").click()
    expect(desk.page.get_by_role("img", name="QR code for the link to seat 1")).to_be_visible()
    link = desk.page.get_by_label("Link to seat 1").input_value()
    phone.page.goto(link)
    phone.page.get_by_label("Your name at the table").fill("Ada's phone")
    phone.page.get_by_role("button", name="Sit down").click()
    phone.wait_for("true")
    assert (phone.table(), phone.at()) == (table, before)
    expect(desk.page.get_by_role("alert")).to_contain_text("no longer yours")
    desk.page.keyboard.press("Escape")
    assert not server.parlour.tables[table].core.is_over
    phone.click_something()
    # The link was good once.
    thief = visit()
    thief.allowed = ["403"]
    thief.page.goto(link)
    thief.page.get_by_role("button", name="Sit down").click()
    expect(thief.page.get_by_role("alert")).to_contain_text("not good any more")


def test_a_phone_is_the_private_hand_at_a_shared_screen(server: Server, visit: Callable[..., Visit]) -> None:
    """The big screen shows what everybody may see; the phone holds the seat."""
    phone = visit(viewport=PHONE, has_touch=True, is_mobile=True)
    phone.play_now("Goldmine")
    phone.page.get_by_text("My seat").click()
    with phone.context.expect_page() as opened:
        phone.page.get_by_role("link", name="Open a shared screen").click()
    screen = opened.value
    screen.wait_for_selector("[data-board] .hand")
    assert screen.locator(OFFERED).count() == 0
    cards = hidden_cards(server.parlour.tables[phone.table()], 0)
    assert all(card in phone.page.content() for card in cards)
    assert not any(card in screen.content() for card in cards)
    before = phone.at()
    phone.click_something()
    phone.page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
    screen.wait_for_selector(f"[data-table]:not([data-at='{before}'])")


def test_a_guest_comes_back_by_the_code(server: Server, visit: Callable[..., Visit]) -> None:
    ada, again = visit(), visit()
    be_called(ada, "Ada the first")
    ada.play_now("Goldmine")
    table = ada.table()
    ada.page.get_by_role("button", name="Your name and preferences").click()
    ada.page.get_by_text("Use another device").click()
    code = ada.page.locator("dialog code").inner_text()
    assert CODE.match(code)
    again.page.get_by_role("button", name="Your name and preferences").click()
    again.page.get_by_text("Use another device").click()
    again.allowed = ["404", "403", "401", "400"]
    again.page.get_by_label("Recovery code").fill(code[:-1] + ("a" if code[-1] != "a" else "b"))
    again.page.get_by_role("button", name="Recover").click()
    expect(again.page.get_by_role("alert")).to_be_visible()
    again.page.get_by_label("Recovery code").fill(code)
    again.page.get_by_role("button", name="Recover").click()
    expect(again.page.get_by_role("button", name="Ada the first")).to_be_visible()
    again.page.get_by_role("link", name="Continue: Goldmine, Ada the first").click()
    again.wait_for("true")
    assert again.table() == table
    again.do()
    # And no longer there: the first browser is nobody now, and says so.
    ada.allowed = ["401", "403", "WebSocket"]
    ada.page.reload()
    expect(ada.page.get_by_role("button", name="Ada the first")).to_have_count(0)
