"""Resigning, adjourning, taking back and renaming through two processes on one PostgreSQL."""

import asyncio
import threading
from typing import Any

import pytest
from support.local_server import PATIENCE, Page, Server, Visitor

from motherlode.server import queries


def sit(ada: Visitor, bob: Visitor, **more: Any) -> tuple[str, Page, Page]:
    card = ada.make("goldmine", "me", "link", **more)
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    one, two = ada.open(card["id"], 0), bob.open(card["id"], 1)
    while one.table["waiting"]:
        one.wait("table")
    return card["id"], one, two


def answer_of(page: Page) -> dict[str, Any]:
    """The refusal of what was asked, or the table when it is over."""
    while True:
        message = page.take()
        if message["is"] == "no" or (message["is"] == "table" and message["result"]):
            return message


def test_both_resign_at_once_and_one_has_lost(ada: Visitor, bob: Visitor) -> None:
    for _ in range(3):
        table, one, two = sit(ada, bob)
        for page in (one, two):
            page.send(do="resign", at=page.table["at"])
        answers = [answer_of(page) for page in (one, two)]
        for page in (one, two):
            while not page.table["result"]:
                page.wait("table")
        assert one.table["result"] == two.table["result"] and len(one.table["result"]["resigned"]) == 1
        assert sum(answer["is"] == "no" for answer in answers) <= 1
        shown = [visitor.get(f"/api/tables/{table}")["over"] for visitor in (ada, bob)]
        assert shown == [True, True]


def test_who_acts_in_one_process_while_the_other_resigns(ada: Visitor, bob: Visitor) -> None:
    """Either the action comes before the end, or it is refused; nothing follows the end."""
    for _ in range(5):
        table, one, two = sit(ada, bob)
        two.send(do="act", at=two.table["at"], action=two.table["legal"][0]["action"])
        one.send(do="resign", at=one.table["at"])
        for page in (one, two):
            while not page.table["result"]:
                if page.take()["is"] == "no" and page is one:
                    while not page.table["legal"]:  # the action came first
                        page.wait("table")
                    page.send(do="resign", at=page.table["at"])
        logs = [visitor.get(f"/api/tables/{table}/replay")["positions"] for visitor in (ada, bob)]
        assert len(logs[0]) == len(logs[1]) and one.table["result"] == two.table["result"]


def test_adjourned_here_and_resumed_there(ada: Visitor, bob: Visitor) -> None:
    _, one, two = sit(ada, bob, clock=30)
    while one.present != [True, True]:
        one.wait("presence")
    one.send(do="adjourn")
    two.wait("table", lambda message: message["players"][0]["adjourns"])
    two.send(do="adjourn")
    one.wait("table", lambda message: message["adjourned"] is not None)
    assert one.table["clock"] is None
    one.send(do="resume")
    two.wait("table", lambda message: message["adjourned"] is None)
    assert two.table["clock"] is not None and two.table["legal"]


# What another process has stored, and this one has not heard of yet


def deafen(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    monkeypatch.setattr(server.parlour, "receive", lambda notice: None)


def test_who_resigns_has_seen_the_last_action(
    monkeypatch: pytest.MonkeyPatch, other: Server, ada: Visitor, bob: Visitor
) -> None:
    """Otherwise the score that is stored would be that of an earlier position."""
    _, one, two = sit(bob, ada, options={"target": 0})
    deafen(monkeypatch, other)
    at = two.act()["at"]
    assert one.table["at"] < at and "moved on" in one.ask(do="resign", at=one.table["at"])["no"]
    while one.table["at"] < at:
        one.wait("table")
    one.send(do="resign", at=at)
    result = one.wait("table", lambda message: message["result"] is not None)["result"]
    assert bob.get("/api/guests/me/games", over=True)["tables"][0]["points"] == result["points"]


def test_who_has_said_no_is_not_adjourned(
    monkeypatch: pytest.MonkeyPatch, server: Server, ada: Visitor, bob: Visitor
) -> None:
    _, one, two = sit(ada, bob)
    two.send(do="adjourn")
    one.wait("table", lambda message: message["players"][1]["adjourns"])
    deafen(monkeypatch, server)
    two.send(do="resume")
    two.wait("table", lambda message: not message["players"][1]["adjourns"])
    assert "moved on" in one.ask(do="adjourn")["no"]
    assert one.table["adjourned"] is None and not one.table["players"][1]["adjourns"]


def test_of_the_last_two_the_other_wins_though_a_bot_played_for_who_resigned(
    monkeypatch: pytest.MonkeyPatch, server: Server, other: Server, ada: Visitor, bob: Visitor
) -> None:
    with Visitor(server, "Zoe") as zoe:
        table = ada.make("claimpoker", "me", "anyone", "anyone", substitute="random")["id"]
        zoe.take(table, 2)
        bob.take(table, 1)
        one, two = ada.open(table, 0), bob.open(table, 1)
        two.send(do="leave")
        for page in (one, two):
            page.wait("table", lambda message: message["players"][1]["bot"] is not None)
        deafen(monkeypatch, server)
        two.send(do="resign", at=two.table["at"])
        two.wait("table", lambda message: message["players"][1]["resigned"])
        assert "moved on" in one.ask(do="resign", at=one.table["at"])["no"]
        one.send(do="resign", at=one.table["at"])
        assert one.wait("table", lambda message: message["result"] is not None)["result"]["winners"] == [2]


def test_a_seat_that_was_given_away_takes_nothing_back(
    monkeypatch: pytest.MonkeyPatch, server: Server, ada: Visitor, bob: Visitor
) -> None:
    table = ada.make("goldmine", "me", "random", options={"target": 0})["id"]
    with ada.open(table, 0) as page:
        page.until_turn(), page.act(), page.until_turn()
        code = ada.post(f"/api/tables/{table}/seats/0/link")["code"]
        deafen(monkeypatch, server)
        bob.take(table, 0, code=code)
        answer = ada.http.post(f"/api/tables/{table}/undo", json={"seat": 0, "at": page.table["at"]})
        assert answer.status_code == 409 and not bob.get(f"/api/tables/{table}")["closed"]


def test_taken_back_twice_at_once_it_goes_on_at_one_table(server: Server, other: Server, ada: Visitor) -> None:
    table = ada.make("goldmine", "me", "random", options={"target": 0})["id"]
    with ada.open(table, 0) as page, ada.elsewhere(other) as twin:
        page.until_turn(), page.act(), page.until_turn()
        twin.get(f"/api/tables/{table}/now", seat=0)
        asked = {"seat": 0, "at": page.table["at"]}
        found: list[Any] = []
        threads = [
            threading.Thread(
                target=lambda who=who: found.append(who.http.post(f"/api/tables/{table}/undo", json=asked))
            )
            for who in (ada, twin)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        tables = {answer.json()["table"] for answer in found if answer.status_code == 200}
        assert len(tables) == 1 and {answer.status_code for answer in found} <= {200, 409}
        page.wait("table", lambda message: message["closed"])
        assert page.table["goes_on"] in tables


def test_a_new_name_shows_in_every_process(server: Server, other: Server, ada: Visitor, bob: Visitor) -> None:
    table, one, two = sit(ada, bob)
    with bob.open(table) as watching:
        assert bob.http.patch("/api/guests/me", json={"name": "Bobby"}).status_code == 200
        for page in (one, two, watching):
            page.wait("table", lambda message: message["players"][1]["name"] == "Bobby")
        two.send(do="chat", text="hello")
        assert one.wait("chat")["lines"][-1]["name"] == "Bobby"


def test_an_old_answer_does_not_undo_a_new_name(server: Server, ada: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that began before the name was changed comes last."""
    table = ada.make("goldmine", "me", "random")["id"]
    key, guests = ada.keys["id"], server.parlour.guests
    began, go_on = threading.Event(), threading.Event()
    find = queries.find_guest

    def slow(db: Any, **by: Any) -> Any:
        found = find(db, **by)
        if "id" in by:
            began.set()
            assert go_on.wait(PATIENCE)
        return found

    monkeypatch.setattr(queries, "find_guest", slow)
    reading = asyncio.run_coroutine_threadsafe(guests.refresh(key), server.loop)
    assert began.wait(PATIENCE)
    ada.http.patch("/api/guests/me", json={"name": "Ada II"}).raise_for_status()
    go_on.set()
    reading.result(PATIENCE)
    assert ada.get(f"/api/tables/{table}")["players"][0]["name"] == "Ada II"
    assert not guests.last and not guests.reading
