"""Several processes on one PostgreSQL: no process owns a table."""

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import sleeping_bots_server
from support.command_line import Run
from support.local_server import PATIENCE, Server, Visitor, play_out
from support.server_process import Process

from motherlode.server import queries
from motherlode.server.peers import Notice
from motherlode.server.refusals import NotYours


def test_a_game_through_two_processes(ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "link", options={"target": 0})
    with ada.open(card["id"], 0) as one:
        bob.take(card["id"], 1, code=card["links"][0]["code"])
        one.wait("table", lambda table: not table["waiting"])
        with bob.open(card["id"], 1) as two:
            one.wait("presence", lambda message: message["present"] == [True, True])
            two.wait("presence", lambda message: message["present"] == [True, True])
            two.send(do="chat", text="hello")
            assert one.wait("chat")["lines"][0]["text"] == "hello"
            play_out([one, two])
            assert one.table["result"] == two.table["result"]
            one.send(do="rematch")
            assert two.wait("table", lambda table: table["rematch"] is not None)
        one.wait("presence", lambda message: message["present"] == [True, False])


def test_the_primary_key_arbitrates(server: Server, other: Server, ada: Visitor, bob: Visitor) -> None:
    """The same guest acts at the same place through both processes, ten times: it is done once each time."""
    card = ada.make("china_gold", "me", "me")
    bob.http.headers["authorization"] = ada.http.headers["authorization"]
    message = ada.get(f"/api/tables/{card['id']}/now", seat=0)
    for _ in range(10):
        seat = message["turn"]
        message = ada.get(f"/api/tables/{card['id']}/now", seat=seat)
        with ada.open(card["id"], seat) as one, bob.open(card["id"], seat) as two:
            while two.table["at"] < message["at"]:
                two.wait("table")
            for page, pick in ((one, 0), (two, 1)):
                page.send(do="act", at=message["at"], action=message["legal"][pick % len(message["legal"])]["action"])
            for page in (one, two):
                while page.table["at"] == message["at"]:
                    page.wait("table")
            log = [visitor.get(f"/api/tables/{card['id']}/log", seat=seat)["did"] for visitor in (ada, bob)]
            assert log[0] == log[1] and log[0][message["at"]]["actor"] == seat
        message = ada.get(f"/api/tables/{card['id']}/now", seat=seat)


def test_building_at_the_same_time_through_two_processes(ada: Visitor, bob: Visitor) -> None:
    card = ada.make("gold_hunting", "me", "link")
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    with ada.open(card["id"], 0) as one, bob.open(card["id"], 1) as two:
        for _ in range(5):
            two.until_turn(), two.act()
        for _ in range(10):
            one.until_turn(), one.act()
        play_out([one, two])
    assert ada.get(f"/api/tables/{card['id']}/replay")["checked"]["chain"]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that a process has read, one entry per time."""
    found: list[str] = []
    read = queries.read_table

    def read_table(db: Any, key: str, *since: int) -> Any:
        found.append(key)
        return read(db, key, *since)

    monkeypatch.setattr(queries, "read_table", read_table)
    return found


def test_a_notice_brings_the_new_rows(other: Server, ada: Visitor, bob: Visitor, reads: list[str]) -> None:
    card = ada.make("china_gold", "me", "me", watch=True)
    with ada.open(card["id"], 0) as one, ada.open(card["id"], 1) as two, bob.open(card["id"]) as watcher:

        def act() -> None:
            page = next(page for page in (one, two) if page.table["legal"])
            page.act()
            for told in (one, two, watcher):
                while told.table["at"] < page.table["at"]:
                    told.wait("table")

        reads.clear()
        for _ in range(6):
            act()
        assert reads == []
        missed = Notice("somebody", card["id"], rows=[[watcher.table["at"] + 1, 0, 0, 0.0, None]])
        other.parlour.storage.loop.call_soon_threadsafe(other.parlour.receive, missed)
        act()
        assert reads == [card["id"]], "what comes after a notice that was missed is read"


def test_many_notices_are_one_read(other: Server, ada: Visitor, bob: Visitor, reads: list[str]) -> None:
    card = ada.make("china_gold", "me", "me", watch=True)
    with bob.open(card["id"]) as watcher:
        reads.clear()

        def tell() -> None:
            for _ in range(100):
                other.parlour.receive(Notice("somebody", card["id"]))

        other.parlour.storage.loop.call_soon_threadsafe(tell)
        watcher.send(do="chat", text="hello")  # comes after it
        watcher.wait("chat")
    assert set(reads) == {card["id"]} and len(reads) <= 2, "one more for those that came during a read"


def test_who_comes_from_another_process_is_not_told_less(
    other: Server, ada: Visitor, bob: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that it comes to has not heard of the last action yet."""
    card = ada.make("china_gold", "me", "me", watch=True)
    with bob.open(card["id"]) as watcher:
        before = watcher.table["at"]
    monkeypatch.setattr(other.parlour, "receive", lambda notice: None)
    with ada.open(card["id"], 0) as one, ada.open(card["id"], 1) as two:
        page = next(page for page in (one, two) if page.table["legal"])
        page.act()
        assert page.table["at"] > before
    with bob.open(card["id"], since=page.table["at"]) as back:
        assert back.table["at"] == page.table["at"]


def test_a_seat_handed_over_in_another_process(ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "random")
    with ada.open(card["id"], 0) as page:
        link = ada.http.post(f"/api/tables/{card['id']}/seats/0/link").json()
        bob.take(card["id"], 0, code=link["code"])
        with pytest.raises(Exception, match="no longer yours"):
            page.wait("no")
    assert ada.http.get(f"/api/tables/{card['id']}/now?seat=0").json()["no"] == str(NotYours("this seat is not yours"))


def test_a_seat_handed_over_while_the_table_is_read(
    server: Server, ada: Visitor, bob: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One notice comes while what another one told of is read: what is read is old already, and read again."""
    card = ada.make("goldmine", "me", "random")
    code = ada.http.post(f"/api/tables/{card['id']}/seats/0/link").json()["code"]
    table, real, taken = server.parlour.tables[card["id"]], queries.read_table, threading.Event()

    def read_and_then_hand_over(db: Any, key: str, since: int = 0) -> Any:
        stored = real(db, key, since)
        if is_here(threading.current_thread()) and not taken.is_set():
            taken.set()
            table.is_stale = False
            bob.take(card["id"], 0, code=code)
            while not table.is_stale:  # until the notice has come
                time.sleep(0.001)
        return stored

    def is_here(thread: threading.Thread) -> bool:
        return thread in server.parlour.storage.readers._threads

    with ada.open(card["id"], 0) as page:
        monkeypatch.setattr(queries, "read_table", read_and_then_hand_over)
        server.loop.call_soon_threadsafe(server.parlour.receive, Notice(table=card["id"]))
        with pytest.raises(Exception, match="no longer yours"):
            page.wait("no")


def until(process: Process, said: str) -> Iterator[str]:
    """What a process logs, up to a line that says this."""
    assert process.child.stdout is not None
    for line in process.child.stdout:
        yield line
        if said in line:
            return


def finish(visitor: Visitor, table: str) -> dict[str, Any]:
    with visitor.open(table) as page:
        while not page.table["result"]:
            page.wait("table")
        return page.table


class Sleepy(Process):
    program = (str(Path(sleeping_bots_server.__file__)),)


def test_another_process_carries_on_the_bots_of_one_that_died(new_postgresql: Callable[[], str]) -> None:
    """Its bots fell asleep before, so that no game is over when it dies, however slow the others are."""
    database = new_postgresql()
    fast = {"MOTHERLODE_HEARTBEAT": "0.2", "MOTHERLODE_LEASE_RETRY": "0.2"}
    with (
        Sleepy(database, **fast) as first,
        Process(database, **fast) as second,
        first.visitor("Ada") as ada,
        second.visitor("Bob") as bob,
    ):
        unwatched = ada.make("mount_goldrush", "random", "random", "random", open_memory=True)["id"]
        tables = [ada.make("mount_goldrush", "random", "random", open_memory=True)["id"] for _ in range(3)]
        assert "asleep" in list(until(first, "asleep"))[-1]
        first.child.kill()
        watchdog = threading.Timer(PATIENCE, second.child.kill)
        watchdog.start()
        said = [json.loads(line) for line in until(second, "tables taken up")]
        watchdog.cancel()
        assert "a process fell silent" in [line["message"] for line in said] and said[-1]["tables"] == 4
        for table in tables:
            assert finish(bob, table)["result"]
        assert finish(bob, unwatched)["result"]
        for table in [*tables, unwatched]:
            assert bob.get(f"/api/tables/{table}/replay")["checked"]["chance"]


def test_several_workers_serve_and_stop_gracefully(new_postgresql: Callable[[], str]) -> None:
    with Process(new_postgresql(), "--workers", "2") as process:
        with process.visitor("Ada") as ada:
            card = ada.make("goldmine", "me", "random", options={"target": 0})
            with ada.open(card["id"], 0) as page:
                while not page.until_turn()["result"]:
                    page.act()
        process.child.send_signal(signal.SIGTERM)
        assert process.child.wait(PATIENCE) == 0


def test_several_workers_need_postgresql(run: Run, tmp_path: Path) -> None:
    ran = run("serve", "--workers", 2, "--database", f"sqlite:///{tmp_path}/x")
    assert ran.status == 2 and "several workers share one PostgreSQL" in ran.err
