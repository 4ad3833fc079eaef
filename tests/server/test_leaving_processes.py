"""Resigning, adjourning, taking back and renaming through two processes on one PostgreSQL."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.local_server import PATIENCE, Page, Server, Visitor, serving

from motherlode.server import queries


@pytest.fixture(scope="module")
def database(new_postgresql: Callable[[], str]) -> str:
    return new_postgresql()


@pytest.fixture(scope="module")
def other(database: str, server: Server) -> Iterator[Server]:
    with serving(database) as running:
        yield running


@pytest.fixture
def bob(other: Server) -> Iterator[Visitor]:
    """Bob comes by the other process."""
    with Visitor(other, "Bob") as visitor:
        yield visitor


def sit(ada: Visitor, bob: Visitor, **more: Any) -> tuple[str, Page, Page]:
    card = ada.make("goldmine", "me", "link", **more)
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    one, two = ada.open(card["id"], 0), bob.open(card["id"], 1)
    while one.table["waiting"]:
        one.wait("table")
    return card["id"], one, two


def elsewhere(visitor: Visitor, server: Server) -> Visitor:
    twin = Visitor(server, "Twin")
    twin.http.headers["authorization"] = visitor.http.headers["authorization"]
    return twin


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
    one.wait("presence", lambda message: message["present"] == [True, True])
    one.send(do="adjourn")
    two.wait("table", lambda message: message["players"][0]["adjourns"])
    two.send(do="adjourn")
    one.wait("table", lambda message: message["adjourned"] is not None)
    assert one.table["clock"] is None
    one.send(do="resume")
    two.wait("table", lambda message: message["adjourned"] is None)
    assert two.table["clock"] is not None and two.table["legal"]


def test_taken_back_twice_at_once_it_goes_on_at_one_table(server: Server, other: Server, ada: Visitor) -> None:
    table = ada.make("goldmine", "me", "random", options={"target": 0})["id"]
    with ada.open(table, 0) as page, elsewhere(ada, other) as twin:
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
