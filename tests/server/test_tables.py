"""Seats, guests, chat, presence, substitutes, clocks, rematches: what happens around a game."""

from pathlib import Path
from typing import Any

import pytest
from support.local_server import Page, Server, Visitor, play_out, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """All of it on both databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path_factory.mktemp('parlour') / 'parlour.db'}"
    return str(request.getfixturevalue("new_postgresql")())


def two_at_a_table(ada: Visitor, bob: Visitor, game: str = "goldmine", **more: Any) -> tuple[str, Page, Page]:
    card = ada.make(game, "me", "link", **more)
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    return card["id"], ada.open(card["id"], 0), bob.open(card["id"], 1)


def refused(answer: Any, status: int, said: str) -> None:
    assert answer.status_code == status, answer.text
    assert said in answer.json()["no"], answer.text


# Guests


def test_a_guest_is_known_by_cookie_and_by_token(server: Server, ada: Visitor) -> None:
    assert ada.get("/api/guests/me") == {"id": ada.keys["id"], "name": "Ada"}
    with_cookie = ada.http.post("/api/guests", json={"name": "Cleo"})
    cookie = with_cookie.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Secure" not in cookie
    del ada.http.headers["authorization"]
    assert ada.get("/api/guests/me")["name"] == "Cleo"
    assert ada.http.patch("/api/guests/me", json={"name": "Cleopatra"}).json()["name"] == "Cleopatra"
    assert ada.http.post("/api/guests/forget").status_code == 204
    refused(ada.http.get("/api/guests/me"), 401, "who are you?")


def test_a_recovery_code_brings_a_guest_back_once(server: Server, ada: Visitor, bob: Visitor) -> None:
    keys = bob.post("/api/guests/recover", code=ada.keys["recovery"])
    assert keys["id"] == ada.keys["id"] and keys["token"] != ada.keys["token"]
    refused(ada.http.get("/api/guests/me"), 401, "who are you?")
    refused(bob.http.post("/api/guests/recover", json={"code": ada.keys["recovery"]}), 400, "recovery code")
    bob.http.cookies.clear()
    ada.http.headers["authorization"] = f"Bearer {keys['token']}"
    assert ada.get("/api/guests/me")["id"] == ada.keys["id"]


# Seats


def test_a_link_takes_a_seat_once(server: Server, ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "link")
    code = card["links"][0]["code"]
    take = f"/api/tables/{card['id']}/seats/1/take"
    refused(bob.http.post(take, json={}), 403, "is for whoever has its link")
    refused(bob.http.post(take, json={"code": "nonsense"}), 403, "not good any more")
    bob.take(card["id"], 1, code=code)
    refused(ada.http.post(take, json={"code": code}), 403, "not good any more")
    assert [player["name"] for player in ada.get(f"/api/tables/{card['id']}")["players"]] == ["Ada", "Bob"]


def test_anyone_takes_a_seat_and_the_game_begins(server: Server, ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    card = ada.make("goldmine", "me", "anyone")
    with ada.open(card["id"], 0) as page:
        assert page.table["waiting"] and page.table["legal"] == [] and page.table["at"] == 0
        assert page.ask(do="act", at=0, action=0)["no"] == "the game has not begun: not all seats are taken"
        assert card["id"] in [table["id"] for table in bob.get("/api/tables")["tables"]]
        bob.take(card["id"], 1)
        assert page.wait("table", lambda table: not table["waiting"])["at"] == 13
    assert card["id"] not in [table["id"] for table in bob.get("/api/tables")["tables"]]
    assert card["id"] in [table["id"] for table in bob.get("/api/tables", mine=True)["tables"]]
    refused(eve.http.post(f"/api/tables/{card['id']}/seats/1/take", json={}), 403, "is taken")


def test_a_seat_is_handed_over_and_the_old_page_is_told_no_more(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    table, one, _two = two_at_a_table(ada, bob)
    refused(eve.http.post(f"/api/tables/{table}/seats/0/link"), 403, "not yours to give away")
    link = ada.http.post(f"/api/tables/{table}/seats/0/link").json()
    assert link["qr"].startswith("<svg") and link["code"] in link["path"]
    eve.take(table, 0, code=link["code"])
    with pytest.raises(ConnectionClosed) as closed:
        one.wait("no")
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008
    with eve.open(table, 0) as page:
        assert page.table["seat"] == 0
    with pytest.raises(InvalidStatus) as status:
        ada.open(table, 0)
    assert status.value.response.status_code == 403


def test_seating_may_be_by_lot(ada: Visitor) -> None:
    seats = {ada.make("goldmine", "me", "random", seating="random")["mine"][0] for _ in range(40)}
    assert seats == {0, 1}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"game": "chess", "seats": [{"player": "me"}]}, "there is no game 'chess'"),
        ({"game": "goldmine", "seats": [{"player": "me"}]}, "Goldmine is for 2 seats, not 1"),
        ({"game": "goldmine", "seats": [{"player": "me"}, {"player": "hal"}]}, "there is no bot 'hal'"),
        (
            {"game": "goldmine", "seats": [{"player": "me"}, {"player": "me"}], "options": {"target": 7}},
            "GM-4.2: target can be",
        ),
        ({"game": "goldmine", "seats": [{"player": "me"}, {"player": "me"}], "at": 3}, "there is no record"),
    ],
)
def test_a_table_that_cannot_be_is_refused(ada: Visitor, asked: dict[str, Any], said: str) -> None:
    refused(ada.http.post("/api/tables", json=asked), 400, said)


# Playing


def test_refusals_change_nothing_and_go_to_the_asker_alone(ada: Visitor, bob: Visitor) -> None:
    table, one, two = two_at_a_table(ada, bob)
    at = two.table["at"]
    assert one.ask(do="act", at=at, action=0)["no"] == "it is not your turn"
    stale = two.ask(do="act", at=at - 1, action=0)
    assert "look again" in stale["no"] and stale["at"] == at and stale["do"] == "act"
    play = 24  # play H2: nobody plays before acting
    illegal = two.ask(do="act", at=at, action=play)
    assert illegal["clause"] == "GM-3.5" and illegal["no"].startswith("GM-3.5: 'play H2' is not legal")
    why = two.ask(do="why", action=play)
    assert why["clause"] == "GM-3.5" and "GM-3.5" in why["words"]
    assert two.ask(do="why", action=two.table["legal"][0]["action"])["clause"] is None
    assert "there is no action 999" in two.ask(do="act", at=at, action=999)["no"]
    for bad in ('{"do":"act"}', "[", '{"do":"act","at":0,"action":true}', "null"):
        two.socket.send(bad)
        assert two.wait("no")["at"] == at
    two.socket.send(b"\x00\x01")
    assert two.wait("no")["no"] == "messages are text, not bytes"
    assert ada.get(f"/api/tables/{table}/now", seat=0)["at"] == at
    two.act()
    twice = two.ask(do="act", at=at, action=0)
    assert "look again" in twice["no"]
    assert one.wait("table")["at"] == two.table["at"]  # and nothing came before it


def test_two_tabs_act_once(ada: Visitor, bob: Visitor) -> None:
    table, _one, two = two_at_a_table(ada, bob)
    with bob.open(table, 1) as tab:
        action, at = two.table["legal"][0]["action"], two.table["at"]
        for page in (two, tab):
            page.send(do="act", at=at, action=action)
        answers = []
        for page in (two, tab):
            while page.take()["is"] != "no" and page.table["at"] == at:
                pass
            answers.append(page.table["at"])
        assert ada.get(f"/api/tables/{table}/log", seat=0)["did"][at]["actor"] == 1
        assert ada.get(f"/api/tables/{table}/now", seat=0)["at"] == at + 1 + (action < 6)


def test_reconnecting_gets_the_same_message(ada: Visitor, bob: Visitor) -> None:
    table, one, two = two_at_a_table(ada, bob)
    two.act()
    one.wait("table", lambda message: message["at"] == two.table["at"])
    with ada.open(table, 0) as again:
        assert {**again.table, "did": []} == {**one.table, "did": []} and again.table["did"] == []
    with ada.open(table, 0, since=13) as again:
        assert again.table["did"] == one.table["did"] != []
    assert ada.get(f"/api/tables/{table}/now", seat=0) == {**one.table, "did": []}


def test_acting_and_waiting_without_a_socket(ada: Visitor) -> None:
    card = ada.make("goldmine", "me", "random", options={"target": 0})
    path = f"/api/tables/{card['id']}"
    message = ada.get(f"{path}/now", seat=0, after=0)
    while not message["result"]:
        if message["legal"]:
            message = ada.post(f"{path}/act", seat=0, at=message["at"], action=message["legal"][0]["action"])
        else:
            message = ada.get(f"{path}/now", seat=0, after=message["at"])
    refused(ada.http.post(f"{path}/act", json={"seat": 0, "at": message["at"], "action": 0}), 409, "the game is over")
    refused(ada.http.post(f"{path}/act", json={"seat": 1, "at": message["at"], "action": 0}), 403, "not yours")


def test_wrong_tokens_seats_and_origins_open_no_socket(server: Server, ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "link", watch=False)
    for seat, status in ((0, 403), (1, 403), (7, 400), (None, 403)):
        with pytest.raises(InvalidStatus) as refusal:
            bob.open(card["id"], seat)
        assert refusal.value.response.status_code == status
    bob.http.headers["authorization"] = "Bearer nonsense"
    with pytest.raises(InvalidStatus) as refusal:
        bob.open(card["id"])
    assert refusal.value.response.status_code == 401
    with pytest.raises(InvalidStatus) as refusal:
        ada.open("nonsense", 0)
    assert refusal.value.response.status_code == 404
    with ada.open(card["id"]) as page:  # a player may look on as well
        assert page.table["seat"] is None


# Watching


def test_a_spectator_sees_the_public_view(ada: Visitor, bob: Visitor, server: Server, eve: Visitor) -> None:
    table, one, two = two_at_a_table(ada, bob)
    with eve.open(table) as watching:
        assert watching.table["view"]["hand"] == [0, 0] and one.table["view"]["hand"][0] != 0
        assert watching.table["legal"] == [] and watching.table["seat"] is None
        assert "only watches" in watching.ask(do="act", at=13, action=0)["no"]
        two.act()
        assert watching.wait("table")["did"][0]["actor"] == 1


def test_spectators_may_be_behind(ada: Visitor, bob: Visitor, server: Server, eve: Visitor) -> None:
    table, _one, two = two_at_a_table(ada, bob, delay=60)
    with eve.open(table) as watching:
        assert watching.table["at"] == 0 and watching.table["turn"] == -1
        server.move_clock(61)
        assert watching.wait("table")["at"] == 13
        two.act()
        assert watching.ask(do="ping") == {"is": "pong"}
        assert watching.table["at"] == 13
        server.move_clock(61)
        assert watching.wait("table")["at"] == two.table["at"]


def test_who_is_behind_does_not_know_that_the_game_is_over(
    ada: Visitor, bob: Visitor, server: Server, eve: Visitor
) -> None:
    table, one, two = two_at_a_table(ada, bob, delay=60, options={"target": 0})
    with eve.open(table) as watching:
        play_out([one, two])
        one.send(do="rematch")
        again = one.wait("rematch")["table"]
        watching.send(do="ping")
        heard = [watching.take()]
        while heard[-1]["is"] != "pong":
            heard.append(watching.take())
        assert "rematch" not in {message["is"] for message in heard} and watching.table["rematch"] is None
        assert not eve.get(f"/api/tables/{table}")["over"] and ada.get(f"/api/tables/{table}")["over"]
        server.move_clock(61)
        assert watching.wait("table", lambda told: told["result"])["rematch"] == again
        assert eve.get(f"/api/tables/{table}")["over"]


# Chat and presence


def test_chat_and_presence(ada: Visitor, bob: Visitor, server: Server, eve: Visitor) -> None:
    table, one, two = two_at_a_table(ada, bob)
    one.wait("presence", lambda message: message["present"] == [True, True])
    two.send(do="chat", text="  good \n luck ")
    line = one.wait("chat")["lines"][0]
    assert (line["name"], line["seat"], line["text"]) == ("Bob", 1, "good luck")
    with eve.open(table) as watching:
        assert watching.wait("chat")["lines"] == [line]
        assert one.wait("presence")["watchers"] == 1
    two.close()
    one.wait("presence", lambda message: message["present"] == [True, False] and not message["watchers"])
    one.close()


def test_a_table_without_chat(ada: Visitor) -> None:
    card = ada.make("goldmine", "me", "random", chat=False)
    with ada.open(card["id"], 0) as page:
        assert page.ask(do="chat", text="hello")["no"] == "this table has no chat"


# Going and coming back


def test_a_bot_stands_in_for_a_player_who_is_gone(server: Server, ada: Visitor, bob: Visitor) -> None:
    table, one, two = two_at_a_table(ada, bob, options={"target": 0}, substitute="random")
    assert one.ask(do="substitute", seat=1)["no"] == "Bob is still here"
    two.close()
    one.wait("presence", lambda message: message["present"] == [True, False])
    assert one.ask(do="substitute", seat=1)["no"] == "wait 20 seconds more: Bob may come back"
    assert "no player who could be replaced" in one.ask(do="substitute", seat=0)["no"]
    server.move_clock(21)
    one.send(do="substitute", seat=1)
    changed = one.wait("table", lambda message: message["players"][1]["bot"] == "random")
    assert changed["players"][1]["name"] == "Bob" and changed["players"][1]["kind"] == "person"
    one.until_turn()
    one.act()
    with bob.open(table, 1) as back:
        assert "return to your seat" in back.ask(do="act", at=back.table["at"], action=0)["no"]
        back.send(do="return")
        back.wait("table", lambda message: message["players"][1]["bot"] is None)
        play_out([one, back])


def test_who_leaves_is_replaced_at_once(ada: Visitor, bob: Visitor) -> None:
    _, one, two = two_at_a_table(ada, bob)
    two.send(do="leave")
    one.wait("table", lambda message: message["players"][1]["left"] and message["players"][1]["bot"] == "greedy")
    one.wait("table", lambda message: message["turn"] == 0)
    assert "no player who could be replaced" in one.ask(do="substitute", seat=1)["no"]
    two.send(do="return")
    one.wait("table", lambda message: message["players"][1]["bot"] is None and not message["players"][1]["left"])


def test_the_clock(server: Server, ada: Visitor, bob: Visitor) -> None:
    """The time is the turn's, and when it is over a bot acts, once."""
    _, one, two = two_at_a_table(ada, bob, clock=30)
    assert one.table["clock"] == {"seat": 1, "left": 30.0, "turn": 30}
    server.move_clock(29)
    assert two.ask(do="ping") == {"is": "pong"} and two.table["at"] == 13
    server.move_clock(1)
    two.wait("table", lambda message: message["turn"] == 0)
    assert two.table["clock"]["left"] == 30.0 and two.table["players"][1]["bot"] is None
    one.until_turn()
    one.act()


def test_a_rematch_one_seat_further(ada: Visitor, bob: Visitor) -> None:
    table, one, two = two_at_a_table(ada, bob, options={"target": 0})
    assert one.ask(do="rematch")["no"] == "the game is not over yet"
    play_out([one, two])
    one.send(do="rematch")
    two.send(do="rematch")
    again = one.wait("rematch")
    assert two.wait("rematch") == {**again, "seat": 0} and again["seat"] == 1
    with ada.open(again["table"], 1) as page:
        assert [player["name"] for player in page.table["players"]] == ["Bob", "Ada"]
        assert page.table["seal"]["commitment"] != one.table["seal"]["commitment"]
    assert ada.get(f"/api/tables/{table}/now", seat=0)["rematch"] == again["table"]


# Secrets of the table itself


def test_building_at_the_same_time_shows_nothing(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    """Gold Hunting: seat 1 need not wait, and neither sees how far the other is."""
    table, one, two = two_at_a_table(ada, bob, "gold_hunting")
    watching = eve.open(table)
    assert one.table["at"] == 2 and two.table["at"] == 12 and two.table["turn"] == 1
    seen = {**two.table}
    for _ in range(4):
        one.act()
    assert bob.get(f"/api/tables/{table}/now", seat=1) == seen
    for _ in range(10):
        two.act()
        assert two.table["did"][0]["words"].startswith("place")
    assert two.table["legal"] == [] and two.table["turn"] == 0 and two.table["at"] == 22
    assert "wait for the others" in two.ask(do="act", at=22, action=0)["no"]
    assert len(bob.get(f"/api/tables/{table}/log", seat=1)["did"]) == 12  # the markers and its own
    assert len(ada.get(f"/api/tables/{table}/log", seat=0)["did"]) == 6
    assert len(ada.get(f"/api/tables/{table}/log")["did"]) == 2
    for _ in range(6):
        before = one.table["at"]
        assert watching.ask(do="ping") == {"is": "pong"} and watching.table["at"] == 2
        one.act()
    assert before == 11 and one.table["at"] == 22 and one.table["view"]["phase"] == 2
    assert [did["at"] for did in two.wait("table")["did"]] == list(range(2, 12))
    assert watching.wait("table")["at"] == 22
    play_out([one, two])


def test_a_person_has_to_remember_and_a_program_need_not(server: Server, ada: Visitor, bob: Visitor) -> None:
    card = ada.post(
        "/api/tables",
        201,
        game="mount_goldrush",
        seats=[{"player": "me"}, {"player": "me", "program": True}],
    )
    assert [player["program"] for player in card["players"]] == [False, True]
    with ada.open(card["id"], 0) as person, ada.open(card["id"], 1) as program:
        while person.table["view"]["card"] == program.table["view"]["card"]:  # until a card was turned and turned back
            page, other = (person, program) if person.table["turn"] == 0 else (program, person)
            page.act(7 * page.table["at"])
            while other.table["at"] != page.table["at"]:
                other.wait("table")
        refused(ada.http.get(f"/api/tables/{card['id']}/log?seat=0"), 400, "ALL-5")
        refused(ada.http.get(f"/api/tables/{card['id']}/log"), 400, "ALL-5")
        assert len(ada.get(f"/api/tables/{card['id']}/log", seat=1)["did"]) == program.table["at"]
        with ada.open(card["id"], 0, since=0) as again:
            assert again.table["did"] == []
    card = ada.make("mount_goldrush", "me", "me", open_memory=True)
    assert ada.get(f"/api/tables/{card['id']}/log")["did"] == []


@pytest.mark.parametrize(
    ("game", "asked", "is_open"),
    [
        ("goldmine", {}, True),
        ("goldmine", {"open_memory": False}, False),
        ("goldmine", {"open_memory": True}, True),
        ("mount_goldrush", {}, False),
        ("mount_goldrush", {"open_memory": True}, True),
    ],
)
def test_memory_is_open_by_default_where_remembering_is_not_the_game(
    server: Server, ada: Visitor, game: str, asked: dict[str, bool], is_open: bool
) -> None:
    card = ada.make(game, "me", "me", **asked)
    assert card["open_memory"] == server.parlour.tables[card["id"]].settings.open_memory == is_open
    assert (card["chat"], card["hints"], card["clock"]) == (True, False, None)


# Restarts


def test_a_restart_replays(database: str, tmp_path: Path) -> None:
    """The log is the table: what was there is there, early actions, chat and all; a bot's turn goes on."""
    if database.startswith("sqlite"):  # a file has one server
        database = f"sqlite:///{tmp_path}/parlour.db"
    with serving(database) as server:
        ada, bob = Visitor(server, "Ada"), Visitor(server, "Bob")
        table, one, two = two_at_a_table(ada, bob, "gold_hunting")
        one.act(), two.act(), two.act()
        two.send(do="chat", text="hello")
        one.wait("chat")
        before = [ada.get(f"/api/tables/{table}/now", seat=0), bob.get(f"/api/tables/{table}/now", seat=1)]
        bots = ada.make("goldmine", "random", "random")["id"]
        one.close()
        two.close()
    with serving(database) as server:
        ada.server = bob.server = server
        ada.http.base_url = bob.http.base_url = server.url
        assert [ada.get(f"/api/tables/{table}/now", seat=0), bob.get(f"/api/tables/{table}/now", seat=1)] == before
        with ada.open(table, 0) as one, bob.open(table, 1) as two:
            assert one.wait("chat")["lines"][0]["text"] == "hello"
            play_out([one, two])
        with ada.open(bots) as page:
            while not page.table["result"]:
                page.wait("table")
    ada.close()
    bob.close()


def test_the_rules_come_in_the_language_asked_for(ada: Visitor) -> None:
    english, french = ada.get("/api/games/goldmine"), ada.get("/api/games/goldmine", language="fr")
    assert english["clauses"].keys() == french["clauses"].keys() and "Traduction" in french["sheet"]
    assert english["clauses"]["GM-4.3"].startswith("A tie") and french["clauses"]["GM-4.3"].startswith("Une égalité")
    assert ada.http.get("/api/games/goldmine?language=../x").status_code == 400
