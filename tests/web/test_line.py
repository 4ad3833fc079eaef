"""A player who goes: a bot sits in and gives the seat back; chat, leaving, playing again; and a line that breaks."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, WebSocketRoute, expect
from support.local_server import Server
from support.visiting import SINGLE_DEAL, Visit, make_table


@pytest.fixture
def two(server: Server, visit: Callable[..., Visit]) -> tuple[Visit, Visit]:
    """Ada on seat 0 and Bella on seat 1 of a table of Goldmine, for a single deal."""
    ada, bella = visit(), visit()
    make_table(ada, "Goldmine", {1: "A friend, by a link"}, options=SINGLE_DEAL, seat_0="Ada")
    link = ada.page.get_by_label("Link to seat 2").input_value()
    bella.page.goto(link)
    bella.page.get_by_label("Your name at the table").fill("Bella")
    bella.page.get_by_role("button", name="Sit down").click()
    for one in (ada, bella):
        one.page.wait_for_selector("[data-table]:is([data-turn='0'],[data-turn='1']) [data-board] > div")
    return ada, bella


def player(ada: Visit, seat: int) -> Locator:
    return ada.page.locator("aside section li").nth(seat)


def act(two: tuple[Visit, Visit]) -> int:
    """Whoever is to act does; who it was."""
    ada = two[0]
    ada.page.wait_for_selector("[data-sent=false]:is([data-turn='0'],[data-turn='1'])")
    turn, before = ada.turn(), ada.at()
    two[turn].page.wait_for_selector(f"[data-mine=true][data-at='{before}'][data-sent=false]")
    two[turn].do()
    ada.page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
    return turn


def test_a_gone_players_seat_is_given_to_a_bot_and_taken_back(server: Server, two: tuple[Visit, Visit]) -> None:
    ada, bella = two
    address = bella.page.url
    expect(player(ada, 1)).to_contain_text("Bella here")
    bella.page.goto(server.url)
    expect(player(ada, 1)).to_contain_text("Bella away")
    ada.page.get_by_role("button", name="Let Greedy bot play").click()
    expect(ada.page.locator(".notice")).to_contain_text("may come back")  # not so fast
    ada.page.locator(".notice").get_by_role("button", name="All right").click()
    server.move_clock(20)
    ada.page.get_by_role("button", name="Let Greedy bot play").click()
    expect(player(ada, 1)).to_contain_text("plays for them")
    ada.wait_for("true")  # the bot does act
    bella.page.goto(address)
    expect(bella.page.get_by_role("button", name="Take your seat again").first).to_be_visible()
    assert bella.page.locator("[data-table]").get_attribute("data-mine") == "false"
    bella.page.get_by_role("button", name="Take your seat again").first.click()
    expect(player(ada, 1)).to_contain_text("Bella here")
    while act(two) != 1:
        pass


def test_leave_and_come_back(two: tuple[Visit, Visit]) -> None:
    ada, bella = two
    bella.page.get_by_role("button", name="Leave the table …").click()
    expect(bella.page.get_by_role("radio", name="Leave it to a bot")).to_be_checked()
    bella.page.get_by_role("button", name="Yes, let the bot play").click()
    expect(player(ada, 1)).to_contain_text("Greedy bot plays for them")
    bella.page.get_by_role("link", name="Continue: Goldmine, Ada, Bella").click()  # in the lobby
    bella.page.get_by_role("button", name="Take your seat again").click()
    expect(player(ada, 1)).to_contain_text("Bella here")
    while act(two) != 1:
        pass


def test_chat_is_told_once_and_counted_until_read(two: tuple[Visit, Visit]) -> None:
    ada, bella = two

    def say(one: Visit, words: str) -> None:
        one.page.get_by_role("tab", name="Chat").click()
        one.page.get_by_label("Write a message").fill(words)
        one.page.get_by_label("Write a message").press("Enter")

    say(ada, "Good luck!")
    expect(bella.page.get_by_role("tab", name="Chat 1 new")).to_be_visible()
    say(bella, "<b>You</b> too")
    lines = ada.page.locator("[role=tabpanel] li")
    expect(lines).to_have_count(2)
    expect(lines.nth(1)).to_contain_text("<b>You</b> too")  # words, not markup
    expect(bella.page.get_by_role("tab", name="Chat", exact=True)).to_be_visible()
    # Who comes back, by itself or not, is told the lines again and shows them once.
    ada.allowed = ["ERR_INTERNET_DISCONNECTED", "WebSocket"]
    cut(ada)
    mend(ada)
    say(bella, "Still there?")
    expect(lines).to_have_count(3)
    ada.page.reload()
    ada.page.get_by_role("tab", name="Chat").click()
    expect(lines).to_have_count(3)


def cut(ada: Visit) -> None:
    ada.context.set_offline(True)
    expect(ada.page.get_by_text("The connection is lost. Reconnecting")).to_be_visible()
    expect(ada.page.locator("[data-table]")).to_have_attribute("data-connection", "lost")


def mend(ada: Visit) -> None:
    ada.context.set_offline(False)
    expect(ada.page.locator("[data-table]")).to_have_attribute("data-connection", "open")
    expect(ada.page.get_by_text("The connection is lost")).to_have_count(0)


def test_a_lost_line_says_so_and_is_found_again(server: Server, two: tuple[Visit, Visit]) -> None:
    ada, bella = two
    ada.allowed = ["ERR_INTERNET_DISCONNECTED", "WebSocket"]
    while ada.turn() != 1:
        act(two)
    before = ada.at()
    cut(ada)
    bella.page.wait_for_selector("[data-mine=true][data-sent=false]")
    bella.do()  # the table goes on without her
    expect(player(bella, 0)).to_contain_text("Ada away")
    assert ada.at() == before
    mend(ada)
    ada.page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
    lines = ada.page.locator("[role=tabpanel] li")
    expect(lines.first).to_contain_text("Bella")  # and what happened meanwhile is told
    while act(two) != 0:
        pass


def test_what_is_done_while_the_line_is_lost_is_not_done(two: tuple[Visit, Visit]) -> None:
    ada = two[0]
    ada.allowed = ["ERR_INTERNET_DISCONNECTED", "WebSocket"]
    while ada.turn() != 0:
        act(two)
    before = ada.at()
    cut(ada)
    ada.do()
    assert ada.at() == before
    mend(ada)
    ada.page.wait_for_selector(f"[data-mine=true][data-sent=false][data-at='{before}']")
    act(two)


def test_a_dead_line_is_noticed_though_nobody_told(server: Server, visit: Callable[..., Visit]) -> None:
    """The socket stays open but nothing comes through it any more: the page asks, hears nothing, and says so."""
    ada = visit(only_once=True)
    dead: list[str] = []
    opened: list[WebSocketRoute] = []
    pongs: list[str | bytes] = []

    def stand_between(page: WebSocketRoute) -> None:
        opened.append(page)
        there = page.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            pongs.extend([message] if '"pong"' in str(message) else [])
            if not dead:
                page.send(message)

        page.on_message(lambda message: there.send(message))  # noqa: PLW0108
        there.on_message(pass_on)

    start = datetime(2030, 1, 1, tzinfo=UTC)
    ada.page.route_web_socket(re.compile("/socket"), stand_between)
    ada.page.clock.install(time=start)
    ada.page.reload()
    ada.page.clock.pause_at(start + timedelta(hours=1))
    ada.play_now("Goldmine")
    table = ada.page.locator("[data-table]")
    for heard in (1, 2):
        ada.page.clock.run_for(15_000)
        while len(pongs) < heard:
            ada.page.evaluate("0")
        expect(table).to_have_attribute("data-connection", "open")
    dead.append("yes")
    ada.page.clock.run_for(15_000)
    expect(table).to_have_attribute("data-connection", "open")
    ada.page.clock.run_for(10_000)
    expect(ada.page.get_by_text("The connection is lost")).to_be_visible()
    dead.clear()
    ada.page.get_by_role("button", name="Try now").click()
    expect(table).to_have_attribute("data-connection", "open")
    ada.page.clock.run_for(5_000)
    expect(table).to_have_attribute("data-connection", "open")
    assert len(opened) == 2
    # An action that is not answered.
    dead.append("yes")
    before = ada.at()
    ada.page.locator("[data-board] .can").first.click()
    expect(table).to_have_attribute("data-sent", "true")
    ada.page.clock.run_for(10_000)
    expect(table).to_have_attribute("data-connection", "lost")
    dead.clear()
    ada.page.get_by_role("button", name="Try now").click()
    ada.page.wait_for_selector(f"[data-mine=true][data-sent=false]:not([data-at='{before}'])")  # it was done


def test_a_rematch_brings_everybody_one_seat_further(server: Server, two: tuple[Visit, Visit]) -> None:
    ada, bella = two
    table = ada.table()
    sitting = server.parlour.tables[table]
    while not sitting.is_over:
        act(two)
    for one in two:
        expect(one.page.locator(".outcome")).to_be_visible()
    ada.page.get_by_role("button", name="Play again").click()
    ada.page.wait_for_selector(f"[data-table]:not([data-table='{table}'])")
    expect(player(ada, 1)).to_contain_text("Ada (you)")
    expect(bella.page.get_by_role("button", name="Play again")).to_have_count(0)
    bella.page.get_by_role("button", name="Go to the next game").click()
    expect(player(bella, 0)).to_contain_text("Bella (you)")
    assert ada.table() == bella.table()
