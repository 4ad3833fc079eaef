"""Friends: invitations, who can open them, leaving honestly, taking back, reactions, watching, notifications, names."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, expect
from support.access import check_access
from support.layout import Faults
from support.local_server import Server
from support.visiting import PHONE, Visit, make_table

from motherlode.server import addresses
from motherlode.server.addresses import Listens

COMMAND = "motherlode serve --host 0.0.0.0 --port 8000"
LAN = "http://192.168.7.5:8000"


@pytest.fixture
def listens(monkeypatch: pytest.MonkeyPatch, server: Server) -> Iterator[Callable[[str], None]]:
    """Let the server believe that it was started on this address."""
    monkeypatch.setattr(addresses, "lan_host", lambda: "192.168.7.5")

    def start(host: str) -> None:
        server.app.state.listens = Listens(host, 8000, COMMAND)

    yield start
    server.app.state.listens = None


@pytest.fixture
def two(server: Server, visit: Callable[..., Visit]) -> tuple[Visit, Visit]:
    """Ada and Bo, on a phone, at a table; it is Bo's turn."""
    ada, bo = visit(), visit(viewport=PHONE)
    make_table(ada, "Goldmine", {1: "A friend, by a link"}, seat_0="Ada")
    link = ada.page.get_by_label("Link to seat 2").input_value()
    bo.page.goto(link)
    bo.page.get_by_label("Your name at the table").fill("Bo")
    bo.page.get_by_role("button", name="Sit down").click()
    bo.wait_for("true")
    return ada, bo


def player(one: Visit, seat: int) -> Locator:
    return one.page.locator("aside section > ul > li").nth(seat)


def leave(one: Visit, way: str, yes: str) -> None:
    one.page.get_by_role("button", name="Leave the table …").click()
    one.page.get_by_role("radio", name=way, exact=True).check()
    one.page.get_by_role("button", name=yes).click()


def test_an_invitation_says_who_invites_to_what(server: Server, visit: Callable[..., Visit]) -> None:
    ada, bo = visit(), visit()
    ada.page.evaluate(
        "window.shared = []; navigator.share = async (data) => { window.shared.push(data) };"
        "navigator.clipboard.writeText = async (text) => { window.copied = text }"
    )
    make_table(ada, "Goldmine", {1: "A friend, by a link"}, seat_0="<b>Ada</b> & Co")
    link = ada.page.get_by_label("Link to seat 2").input_value()
    sentence = "<b>Ada</b> & Co invites you to Goldmine, seat 2."
    ada.page.get_by_role("button", name="Share …").click()
    assert ada.page.evaluate("window.shared") == [{"title": "Goldmine", "text": sentence, "url": link}]
    ada.page.get_by_role("button", name="Copy").click()
    expect(ada.page.get_by_role("button", name="Copied")).to_be_visible()
    assert ada.page.evaluate("window.copied") == f"{sentence} {link}"
    bo.page.goto(link)
    expect(bo.page.locator("form .invited")).to_have_text(sentence)  # words, not markup
    expect(bo.page.get_by_text("At the table: <b>Ada</b> & Co")).to_be_visible()
    check_access(bo.page)


def test_links_say_who_can_open_them(
    server: Server, visit: Callable[..., Visit], listens: Callable[[str], None]
) -> None:
    listens("127.0.0.1")
    ada = visit()
    make_table(ada, "Goldmine", {1: "A friend, by a link"}, seat_0="Ada")
    expect(ada.page.get_by_role("note")).to_contain_text("serves only this computer")
    expect(ada.page.locator("main code")).to_have_text(COMMAND)
    expect(ada.page.get_by_role("note")).to_contain_text(LAN)
    check_access(ada.page)
    faults = Faults()
    faults.look(ada, "links that open nowhere else")
    faults.check()
    listens("0.0.0.0")
    ada.page.reload()
    expect(ada.page.get_by_role("button", name="Show the links")).to_be_visible()  # those of before open nowhere else
    ada.page.goto(server.url)
    make_table(ada, "Goldmine", {1: "A friend, by a link"}, seat_0="Ada")
    expect(ada.page.get_by_role("note")).to_contain_text(f"in the local network, {LAN}")
    assert ada.page.get_by_label("Link to seat 2").input_value().startswith(f"{LAN}/table/")


def test_the_links_of_a_table_stay_valid_until_new_ones_are_made(visit: Callable[..., Visit]) -> None:
    ada = visit()
    make_table(ada, "Goldmine", {1: "A friend, by a link"}, seat_0="Ada")
    link = ada.page.get_by_label("Link to seat 2")
    sent = link.input_value()
    ada.page.reload()
    expect(link).to_have_value(sent)
    expect(ada.page.get_by_text("Links made before stop working.")).to_be_visible()
    ada.page.get_by_role("button", name="Make new links").click()
    expect(link).not_to_have_value(sent)


def test_what_is_said_shows_on_a_phone_where_the_chat_is_out_of_sight(two: tuple[Visit, Visit]) -> None:
    ada, bo = two
    ada.page.get_by_role("tab", name="Chat").click()
    ada.page.get_by_label("Write a message").fill("Good luck, Bo!")
    ada.page.get_by_role("button", name="Send").click()
    heard = bo.page.locator(".heard")
    expect(heard).to_contain_text("Good luck, Bo!")
    expect(heard.locator("p")).to_be_in_viewport()
    ada.page.get_by_role("button", name="React", exact=True).click()
    ada.page.get_by_role("button", name="Well played!").click()
    expect(heard).to_contain_text("Well played!")
    expect(ada.page.locator(".heard p")).to_have_count(0)  # one's own words


def test_resigning(two: tuple[Visit, Visit]) -> None:
    ada, bo = two
    bo.page.get_by_role("button", name="Leave the table …").click()
    expect(bo.page.get_by_text("You give up: the game is over, and Ada wins.")).to_be_visible()
    check_access(bo.page)
    bo.page.get_by_role("button", name="Stay").click()
    leave(bo, "Resign", "Yes, resign")
    expect(ada.page.locator(".outcome")).to_contain_text("You have won!")
    expect(ada.page.locator(".outcome")).to_contain_text("Bo resigned.")
    expect(bo.page.locator(".outcome")).to_contain_text("You have lost")
    expect(player(ada, 1)).to_contain_text("resigned")
    expect(bo.page.get_by_role("button", name="Leave the table …")).to_have_count(0)
    ada.page.get_by_role("link", name="Replay").click()
    ada.page.get_by_role("button", name="End", exact=True).click()
    expect(ada.page.get_by_role("status")).to_contain_text("Bo resigned.")


def test_adjourning_together(two: tuple[Visit, Visit]) -> None:
    ada, bo = two
    leave(ada, "Adjourn", "Yes, ask the others")
    expect(ada.page.get_by_text("You have asked to adjourn")).to_be_visible()
    expect(ada.page.locator(".cover")).to_have_count(0)  # nothing lies over the board of who plays on
    expect(bo.page.locator(".cover")).to_contain_text("Ada would like to adjourn")
    check_access(bo.page)
    bo.page.locator(".cover").get_by_role("button", name="Play on").click()
    expect(ada.page.get_by_text("You have asked to adjourn")).to_have_count(0)
    leave(ada, "Adjourn", "Yes, ask the others")
    bo.page.get_by_role("button", name="Agree").click()
    for one in two:
        expect(one.page.get_by_role("heading", name="The game is adjourned").first).to_be_visible()
    bo.page.get_by_role("link", name="To the lobby").click()
    expect(ada.page.locator(".cover")).to_contain_text("waiting for Bo")
    ada.page.get_by_role("button", name="Go on with the game").click()
    expect(ada.page.locator(".notice")).to_contain_text("not everybody is here")
    bo.page.get_by_role("link", name="Continue: Goldmine, Ada, Bo").click()
    bo.page.get_by_role("button", name="Go on with the game").click()
    bo.wait_for("true")
    expect(ada.page.locator(".cover")).to_have_count(0)


def test_taking_back(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(viewport=PHONE)
    ada.play_now("Goldmine")
    expect(ada.page.get_by_role("button", name="Take back")).to_have_count(0)
    before = ada.at()
    hand = ada.page.locator("[data-board]").inner_text()
    ada.click_something()
    ada.wait_for("true")
    old = ada.table()
    ada.page.get_by_role("button", name="Take back").click()
    expect(ada.page.get_by_role("dialog")).to_contain_text("will not count")
    check_access(ada.page)
    ada.page.get_by_role("dialog").get_by_role("button", name="Take back").click()
    ada.page.wait_for_selector(f"[data-table]:not([data-table='{old}'])[data-mine=true]")
    assert ada.at() == before and ada.page.locator("[data-board]").inner_text() == hand
    expect(ada.page.get_by_text("Taken back: this game does not count.")).to_be_visible()
    ada.turn_to(f"/table/{old}")
    expect(ada.page.get_by_role("heading", name="A decision was taken back").first).to_be_visible()
    ada.page.get_by_role("link", name="Go there").click()
    ada.wait_for("true")


def test_reactions_in_everybodys_language(
    server: Server, two: tuple[Visit, Visit], visit: Callable[..., Visit]
) -> None:
    ada, bo = two
    eve = visit(locale="fr-FR")
    eve.turn_to(f"/table/{ada.table()}")
    expect(eve.page.locator(".want")).to_contain_text("Vous regardez\u00a0: ce que les joueurs")
    bo.page.get_by_role("button", name="React").click()
    check_access(bo.page)
    bo.page.get_by_role("button", name="Well played!").click()
    expect(player(ada, 1)).to_contain_text("Well played!")
    expect(player(eve, 1)).to_contain_text("Bien joué\u00a0!")
    eve.page.locator("#tab-chat").click()
    eve.page.get_by_role("button", name="Joueurs").click()
    expect(eve.page.get_by_role("tabpanel").get_by_role("listitem")).to_contain_text("Bien joué")
    # Whoever hides Bo's messages is not shown them as reactions either, and they go away by themselves.
    expect(player(ada, 1).locator(".said")).to_have_count(0)
    ada.page.get_by_text("Other people here").click()
    ada.page.get_by_role("button", name="Hide messages Bo").click()
    bo.page.get_by_role("button", name="React").click()
    bo.page.get_by_role("button", name="Oops!").click()
    expect(player(eve, 1)).to_contain_text("Oups")
    expect(player(ada, 1).locator(".said")).to_have_count(0)


def test_games_to_watch_and_a_program_among_people(server: Server, visit: Callable[..., Visit]) -> None:
    ada, eve = visit(), visit(viewport=PHONE)
    ada.ask("/api/guests", name="Ada")
    server.move_clock(1)  # the newest of all: only so many are listed
    seats = [{"player": "me", "program": True}, {"player": "random"}]
    card = ada.ask("/api/tables", game="goldmine", seats=seats, delay=60, watch=True)
    server.move_clock(60)
    eve.page.reload()
    row = eve.page.locator("section:has(#watch) li").filter(has_text="Ada (program)")
    expect(row.first).to_contain_text("with a delay")
    check_access(eve.page)
    eve.turn_to(f"/table/{card['id']}")
    expect(eve.page.locator(".want")).to_contain_text("You see everything one minute later than the players.")
    expect(player(eve, 0)).to_contain_text("Ada (program)")


def test_a_new_name_shows_at_the_table_and_in_its_chat(two: tuple[Visit, Visit]) -> None:
    ada, bo = two
    bo.page.get_by_role("tab", name="Chat").click()
    bo.page.get_by_label("Write a message").fill("hello")
    bo.page.get_by_role("button", name="Send").click()
    ada.page.get_by_role("tab", name="Chat").click()
    said = ada.page.get_by_role("tabpanel").get_by_role("listitem")
    expect(said).to_contain_text("Bo")
    bo.page.get_by_role("button", name="Your name and preferences").click()
    bo.page.get_by_label("Your name at the table").fill("Bonnie")
    bo.page.get_by_role("button", name="Save").click()
    expect(player(ada, 1)).to_contain_text("Bonnie")
    expect(said).to_contain_text("Bonnie")
    expect(ada.page.get_by_role("heading", name="Bonnie's turn")).to_be_visible()


NOTICES = """(answer) => {
  window.told = []; window.asked = 0;
  window.Notification = class {
    static permission = "default";
    static async requestPermission() { window.asked += 1; return (this.permission = answer); }
    constructor(title, options) { window.told.push(`${title}: ${options.body}`); }
    close() {}
  };
}"""
HIDDEN = "Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })"


def end_turn(one: Visit, table: str, seat: int) -> None:
    now = one.context.request.get(f"{one.parlour.url}/api/tables/{table}/now?seat={seat}").json()
    while now["turn"] == seat:
        now = one.ask(f"/api/tables/{table}/act", seat=seat, at=now["at"], action=now["legal"][0]["action"])


@pytest.mark.parametrize("answer", ["granted", "denied"])
def test_a_notification_only_for_who_asks_for_it(server: Server, visit: Callable[..., Visit], answer: str) -> None:
    ada = visit(only_once=True)
    ada.context.add_init_script(f"({NOTICES})('{answer}')")
    ada.page.reload()
    card = ada.ask("/api/guests", name="Ada") and ada.ask(
        "/api/tables", game="goldmine", seats=[{"player": "me"}, {"player": "link"}]
    )
    ada.page.evaluate("localStorage['motherlode.known'] = '1'")
    ada.page.reload()
    bo = visit()
    bo.ask("/api/guests", name="Bo")
    bo.ask(f"/api/tables/{card['id']}/seats/1/take", code=card["links"][0]["code"])
    ada.turn_to(f"/table/{card['id']}")
    expect(player(ada, 1)).to_contain_text("Bo")
    assert ada.page.evaluate("window.asked") == 0
    ada.page.get_by_text("My seat").click()
    box = ada.page.get_by_label("Notify me when it is my turn")
    box.click()
    expect(ada.page.locator("aside").get_by_text("does not let the parlour notify you")).to_have_count(
        int(answer == "denied")
    )
    expect(box).to_be_checked(checked=answer == "granted")
    assert ada.page.evaluate("window.asked") == 1
    end_turn(bo, card["id"], 1)
    ada.page.wait_for_function("() => document.title.includes('Your turn')")
    assert ada.page.evaluate("window.told") == []  # who sees the page is not told
    end_turn(ada, card["id"], 0)
    ada.page.wait_for_function("() => !document.title.includes('Your turn')")
    ada.page.evaluate(HIDDEN)
    end_turn(bo, card["id"], 1)
    ada.page.wait_for_function("() => document.title.includes('Your turn')")
    assert ada.page.evaluate("window.told") == (
        ["Your turn: Goldmine is waiting for you."] if answer == "granted" else []
    )
