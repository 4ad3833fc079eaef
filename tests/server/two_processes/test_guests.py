"""Who may do what: tokens that end, one guest and one seat, substitutes, the maker of a table. In two processes."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from support.local_server import PATIENCE, Page, Server, Visitor, play_out
from websockets.exceptions import ConnectionClosed, InvalidStatus

from motherlode.server import queries, schema
from motherlode.server.listener import GONE, REMOVED, SIGNED_OUT


def refused(answer: Any, status: int, said: str) -> None:
    assert answer.status_code == status, answer.text
    assert said in answer.json()["no"], answer.text


def closes(page: Page) -> int:
    """The code that the server closes a page with, whatever it says before."""
    with pytest.raises(ConnectionClosed) as closed:
        page.wait("the end")
    assert closed.value.rcvd is not None and closed.value.rcvd.reason
    return closed.value.rcvd.code


def begin(page: Page) -> None:
    """Wait until this page knows that the game has begun, in whichever process the last seat was taken."""
    while page.table["waiting"]:
        page.wait("table")


# Signing out


def recover(visitor: Visitor) -> str:
    with httpx.Client(base_url=visitor.server.url, verify=False) as anywhere:
        keys = anywhere.post("/api/guests/recover", json={"code": visitor.keys["recovery"]}).raise_for_status().json()
    visitor.keys |= keys
    return str(keys["token"])


def forget(visitor: Visitor) -> str:
    assert visitor.http.post("/api/guests/forget").status_code == 204
    return recover(visitor)


@pytest.mark.parametrize("sign_out", [recover, forget])
def test_an_old_token_ends_everywhere(
    server: Server, other: Server, ada: Visitor, sign_out: Callable[[Visitor], str]
) -> None:
    """Sockets at a seat and watching, waiting requests, in both processes; whoever came by the new token stays."""
    card = ada.make("goldmine", "me", "anyone")
    key = card["id"]
    with ada.elsewhere(other) as there, ThreadPoolExecutor(2) as threads:
        pages = [one.open(key, seat) for one in (ada, there) for seat in (0, None)]
        ask = f"/api/tables/{key}/now?seat=0&after=5"
        waiting = [threads.submit(one.http.get, ask) for one in (ada, there)]
        for running in (server, other):
            table = running.parlour.tables[key]
            while len(table.presence.listeners) < 3:  # the request listens, too
                pages[0].ask(do="ping"), pages[2].ask(do="ping")
        token = sign_out(ada)
        assert [closes(page) for page in pages] == [SIGNED_OUT] * 4
        assert [answer.result().status_code for answer in waiting] == [401, 401]
        for one in (ada, there):
            refused(one.http.get("/api/guests/me"), 401, "who are you?")
            one.http.headers["authorization"] = f"Bearer {token}"
            with one.open(key, 0) as page:
                assert page.ask(do="ping") == {"is": "pong"}


def test_what_an_old_token_asked_before_is_refused_in_its_turn(
    monkeypatch: pytest.MonkeyPatch, server: Server, ada: Visitor
) -> None:
    """The guest is looked up, then signed out, then its turn comes: over a socket and by every route."""
    card = ada.make("china_gold", "me", "me")
    path = f"/api/tables/{card['id']}"
    before = ada.get(f"{path}/now", seat=0)
    action = {"seat": 0, "at": before["at"], "action": before["legal"][0]["action"]}
    asked: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", f"{path}/act", action),
        ("POST", f"{path}/seats/0/link", {}),
        ("POST", f"{path}/seats/0/take", {}),
        ("POST", "/api/tables", {"game": "goldmine", "seats": [{"player": "me"}, {"player": "random"}]}),
        ("PATCH", "/api/guests/me", {"name": "Adeline"}),
        ("GET", f"{path}/now?seat=0", {}),
        ("GET", f"{path}/log?seat=0", {}),
        ("GET", f"{path}/record?seat=0", {}),
    ]
    real = queries.find_guest

    def and_then_sign_out(db: Any, **by: Any) -> schema.Guest | None:
        guest = real(db, **by)
        if guest and "token" in by:  # the answer is on its way when the guest is forgotten
            server.loop.call_soon_threadsafe(server.parlour.guests.revoke, guest.token)
        return guest

    page = ada.open(card["id"], 0)
    with monkeypatch.context() as patched:
        patched.setattr(queries, "find_guest", and_then_sign_out)
        for method, where, body in asked:
            answer = ada.http.request(method, where, json=body if method != "GET" else None)
            assert answer.status_code == 401, (where, answer.text)
    assert closes(page) == SIGNED_OUT
    ada.http.headers["authorization"] = f"Bearer {recover(ada)}"
    assert ada.get(f"{path}/now", seat=0) == before and ada.get("/api/guests/me")["name"] == "Ada"


def test_what_was_queued_is_refused(server: Server, ada: Visitor) -> None:
    """An action waits behind another change of its table while its guest is signed out."""
    card = ada.make("china_gold", "me", "me")
    page = ada.open(card["id"], 0)
    table = server.parlour.tables[card["id"]]
    guest = next(listener for listener in table.presence.listeners)

    async def sign_out_first() -> None:
        """Keeps the table busy until the action has joined the queue."""
        is_busy.set()
        while not table.queue:
            await asyncio.sleep(0.001)
        server.parlour.guests.revoke(guest.token or b"")

    at, is_busy = page.table["at"], threading.Event()
    server.loop.call_soon_threadsafe(lambda: server.parlour.spawn(table.serially(sign_out_first)))
    assert is_busy.wait(PATIENCE)
    page.send(do="act", at=at, action=page.table["legal"][0]["action"])
    assert closes(page) == SIGNED_OUT
    asyncio.run_coroutine_threadsafe(table.serially(table.follow), server.loop).result(PATIENCE)  # after the action
    assert table.core.at == at


# One guest, one seat


def test_one_guest_has_one_seat(server: Server, other: Server, ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    card = ada.make("claimpoker", "me", "link", "anyone", "anyone")
    key, code = card["id"], card["links"][0]["code"]
    take = f"/api/tables/{key}/seats/{{}}/take"
    assert not card["shared"]
    refused(ada.http.post(take.format(2), json={}), 403, "you have seat 0: one guest has one seat")
    refused(ada.http.post(take.format(1), json={"code": code}), 403, "one guest has one seat")
    bob.take(key, 1, code=code)
    refused(bob.http.post(take.format(2), json={}), 403, "you have seat 1")
    own = bob.http.post(f"/api/tables/{key}/seats/1/link").json()["code"]
    refused(ada.http.post(take.format(1), json={"code": own}), 403, "one guest has one seat")
    bob.take(key, 1, code=own)  # one's own seat, on another device
    eve.take(key, 2)
    assert [player["shared"] for player in ada.get(f"/api/tables/{key}")["players"]] == [False] * 4


def test_one_guest_has_one_seat_however_many_processes_are_asked(server: Server, other: Server, ada: Visitor) -> None:
    """All open seats are asked for at once through both: the guest gets one, and everybody agrees which."""

    def take(one: Visitor, key: str, seat: int) -> int:
        return one.http.post(f"/api/tables/{key}/seats/{seat}/take", json={}).status_code

    with Visitor(server, "Zoe") as zoe, zoe.elsewhere(other) as there, ThreadPoolExecutor(4) as threads:
        for _ in range(5):
            key = ada.make("claimpoker", "me", "anyone", "anyone", "anyone", "anyone")["id"]
            there.get(f"/api/tables/{key}")
            answers = list(threads.map(take, (zoe, there, zoe, there), [key] * 4, range(1, 5)))
            assert answers.count(200) == 1 and len(zoe.get(f"/api/tables/{key}")["mine"]) == 1, answers


def test_a_shared_screen_says_so(server: Server, ada: Visitor, eve: Visitor) -> None:
    card = ada.make("claimpoker", "me", "me", "anyone")
    assert card["shared"] and [player["shared"] for player in card["players"]] == [True, True, False]
    assert eve.get(f"/api/tables/{card['id']}")["shared"]
    seats = [{"player": "me"}, {"player": "me"}]
    asked = {"game": "goldmine", "seats": seats, "shared": False}
    refused(ada.http.post("/api/tables", json=asked), 400, "unless the table is a shared screen")
    card = ada.make("goldmine", "me", "link", shared=True)
    ada.take(card["id"], 1, code=card["links"][0]["code"])
    assert ada.get(f"/api/tables/{card['id']}")["mine"] == [0, 1]


@pytest.mark.parametrize("shared", [False, True])
def test_a_rematch_keeps_it(server: Server, ada: Visitor, bob: Visitor, shared: bool) -> None:
    card = ada.make("goldmine", "me", "link", options={"target": 0}, shared=shared, substitute="random")
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    with ada.open(card["id"], 0) as one, bob.open(card["id"], 1) as two:
        begin(one)
        play_out([one, two])
        one.send(do="rematch")
        again = one.wait("rematch")["table"]
    card = ada.get(f"/api/tables/{again}")
    assert (card["shared"], card["substitute"]) == (shared, "random")
    code = bob.http.post(f"/api/tables/{again}/seats/0/link").json()["code"]
    answer = ada.http.post(f"/api/tables/{again}/seats/0/take", json={"code": code})
    assert answer.status_code == (200 if shared else 403)


# The substitute is the table's


def test_the_substitute_is_the_tables_choice(server: Server, ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "link", substitute="random")
    assert card["substitute"] == "random" and ada.make("goldmine", "me", "random")["substitute"] == "greedy"
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    with ada.open(card["id"], 0) as one:
        begin(one)
        server.move_clock(21)
        assert "bot" in one.ask(do="substitute", seat=1, bot="greedy")["no"]  # no opponent chooses
        one.send(do="substitute", seat=1)
        one.wait("table", lambda table: table["players"][1]["bot"] == "random")
    seats = [{"player": "me"}, {"player": "anyone"}]
    for bot, said in (
        ("hal", "there is no bot"),
        ("cmd:true", "program"),
        ("py:os:abort", "a bot in Python"),
        ("search:999999", "at most"),
        ("", "no bot"),
    ):
        answer = ada.http.post("/api/tables", json={"game": "goldmine", "seats": seats, "substitute": bot})
        assert answer.status_code == 400 or not bot, (bot, answer.text)
        assert not bot or said in answer.json()["no"], answer.text


def test_it_acts_for_who_is_out_of_time(server: Server, ada: Visitor, eve: Visitor) -> None:
    card = ada.make("goldmine", "me", "link", substitute="random", clock=30)
    eve.take(card["id"], 1, code=card["links"][0]["code"])
    table = server.parlour.tables[card["id"]]
    server.move_clock(29)
    assert table.clock.bot_to_act() is None
    assert table.substitute == "random"
    old = table.settings.model_copy(update={"substitute": None})  # of a table that was stored before there was a choice
    table.facts.settings = old
    assert table.substitute == server.parlour.settings.substitute == "greedy"
    assert ada.get(f"/api/tables/{card['id']}")["substitute"] == "greedy"


# A person stays a person


def test_a_person_does_not_become_a_program_in_mid_game(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    """Nobody who has to remember reads the whole log, by whatever link: neither the same guest nor another."""
    seats = [{"player": "me"}, {"player": "anyone"}]
    card = ada.post("/api/tables", 201, game="mount_goldrush", seats=seats)
    key = card["id"]
    bob.take(key, 1, program=True)
    with ada.open(key, 0) as one, bob.open(key, 1) as two:
        begin(one)
        while one.table["view"]["card"] == two.table["view"]["card"]:  # until a card was turned and turned back
            page, watcher = (one, two) if one.table["turn"] == 0 else (two, one)
            page.act(7 * page.table["at"])
            while watcher.table["at"] != page.table["at"]:
                watcher.wait("table")
    refused(ada.http.get(f"/api/tables/{key}/log?seat=0"), 400, "ALL-5")
    for taker in (ada, eve):
        code = ada.http.post(f"/api/tables/{key}/seats/0/link").json()["code"]
        answer = taker.http.post(f"/api/tables/{key}/seats/0/take", json={"code": code, "program": True})
        refused(answer, 403, "this seat is a person's")
    refused(ada.http.get(f"/api/tables/{key}/log?seat=0"), 400, "ALL-5")
    code = bob.http.post(f"/api/tables/{key}/seats/1/link").json()["code"]
    eve.take(key, 1, code=code)  # and a program's seat stays one, so that everybody knows
    assert [player["program"] for player in eve.get(f"/api/tables/{key}")["players"]] == [False, True]


# The maker of a table


def who(visitor: Visitor, key: str, seat: int) -> str:
    return str(visitor.get(f"/api/tables/{key}")["players"][seat]["who"])


def test_the_maker_removes_a_person_before_the_game(server: Server, ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    card = ada.make("claimpoker", "me", "anyone", "anyone")
    key = card["id"]
    bob.take(key, 1)
    with ada.open(key, 0) as one, bob.open(key, 1) as two, bob.open(key) as watching:
        assert "only whoever made" in two.ask(do="remove", who=who(ada, key, 0))["no"]
        assert "that is you" in one.ask(do="remove", who=who(ada, key, 0))["no"]
        assert "nobody here" in one.ask(do="remove", who="nonsense")["no"]
        while one.table["players"][1]["kind"] == "open":
            one.wait("table")
        one.send(do="remove", who=who(ada, key, 1))
        one.wait("table", lambda table: table["players"][1]["kind"] == "open")
        assert closes(two) in (GONE, REMOVED) and closes(watching) == REMOVED
    refused(bob.http.post(f"/api/tables/{key}/seats/1/take", json={}), 403, "sent you away")
    refused(bob.http.get(f"/api/tables/{key}/now"), 403, "sent you away")
    with pytest.raises(InvalidStatus) as no:
        bob.open(key)
    assert no.value.response.status_code == 403
    eve.take(key, 1)
    assert [player["name"] for player in ada.get(f"/api/tables/{key}")["players"]][:2] == ["Ada", "Eve"]


def test_the_maker_removes_a_person_in_mid_game(server: Server, other: Server, ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "link", options={"target": 0}, substitute="random")
    key = card["id"]
    bob.take(key, 1, code=card["links"][0]["code"])
    with ada.open(key, 0) as one, bob.open(key, 1) as two:
        begin(one)
        at, action = two.table["at"], two.table["legal"][0]["action"]
        one.send(do="remove", who=who(ada, key, 1))
        changed = one.wait("table", lambda table: table["players"][1]["bot"] == "random")
        assert (changed["players"][1]["name"], changed["players"][1]["kind"]) == ("Bob", "person")
        assert closes(two) == REMOVED
        refused(bob.http.post(f"/api/tables/{key}/act", json={"seat": 1, "at": at, "action": action}), 403, "sent you")
        refused(bob.http.get(f"/api/tables/{key}/now?seat=1"), 403, "sent you away")
        play_out([one])
        one.send(do="rematch")
        again = one.wait("rematch")["table"]
    players = ada.get(f"/api/tables/{again}")["players"]
    assert [(player["name"], player["kind"]) for player in players] == [("random", "bot"), ("Ada", "person")]
    refused(bob.http.get(f"/api/tables/{again}/now"), 403, "sent you away")


def test_the_maker_mutes_and_lets_speak_again(server: Server, other: Server, ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "anyone")
    key = card["id"]
    assert card["maker"] and not bob.get(f"/api/tables/{key}")["maker"]
    with ada.open(key, 0) as one, bob.open(key) as watching:
        watching.send(do="chat", text="first!")
        heard = one.wait("chat")["lines"][0]
        one.send(do="mute", who=heard["who"])
        watching.wait("table", lambda table: table["muted"] == [heard["who"]])
        assert "muted you" in watching.ask(do="chat", text="hello?")["no"]
        bob.take(key, 1)  # and a seat does not help
        with bob.open(key, 1) as two:
            assert "muted you" in two.ask(do="chat", text="hello?")["no"]
            assert "only whoever made" in two.ask(do="mute", who=heard["who"], muted=False)["no"]
            one.send(do="mute", who=heard["who"], muted=False)
            two.wait("table", lambda table: table["muted"] == [])
            two.send(do="chat", text="thank you")
            assert one.wait("chat")["lines"][0]["seat"] == 1


def test_a_pseudonym_tells_nothing_beyond_its_table(ada: Visitor, bob: Visitor) -> None:
    keys = [ada.make("goldmine", "me", "anyone")["id"] for _ in range(2)]
    for key in keys:
        bob.take(key, 1)
    called = {who(ada, key, 1) for key in keys}
    assert len(called) == 2 and bob.keys["id"] not in str(called)
