"""What fails around the server: its disk, its database, a second server, another process that was first."""

import logging
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import sqlalchemy as sa
from support import postgres, unsynced_server
from support.command_line import Run
from support.local_server import PATIENCE, Page, Server, Visitor, play_out, serving
from support.server_process import Process, free_port

from motherlode.engine import Refusal
from motherlode.server import wire
from motherlode.server.refusals import Conflict
from motherlode.server.storage import Storage, reserved


class Lines(logging.Handler):
    """What the server logs."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler = Lines()
    logging.getLogger("motherlode").addHandler(handler)
    yield handler
    logging.getLogger("motherlode").removeHandler(handler)


UNSTORED = "this cannot be stored now; try again"
UNREADY = {"status": "unready", "reason": "the database takes no writes now"}


def act(page: Page) -> dict[str, Any]:
    page.send(do="act", at=page.table["at"], action=page.table["legal"][0]["action"])
    return page.wait("no")


# Databases that fail for a while

FULL = ("PRAGMA max_page_count=1", "PRAGMA max_page_count=1000000")
READ_ONLY = ("PRAGMA query_only=1", "PRAGMA query_only=0")


@contextmanager
def on_every_connection(server: Server, pragma: str) -> Iterator[None]:
    def checkout(connection: Any, *_: Any) -> None:
        connection.execute(pragma)

    sa.event.listen(server.parlour.storage.engine, "checkout", checkout)
    yield
    sa.event.remove(server.parlour.storage.engine, "checkout", checkout)


def refusals(page: Page, many: int) -> Iterator[str]:
    """Chat until this many lines were refused: a full disk has room in its last page."""
    while many:
        page.send(do="chat", text="x" * 500)
        answer = page.take()
        while answer["is"] not in ("no", "chat"):
            answer = page.take()
        if answer["is"] == "no":
            many -= 1
            yield answer["no"]


@pytest.mark.parametrize("pragmas", [FULL, READ_ONLY], ids=["full", "read-only"])
def test_a_disk_that_takes_no_writes(server: Server, ada: Visitor, lines: Lines, pragmas: tuple[str, str]) -> None:
    """It is logged once, and once when it is back; whoever asks is told no more than that."""
    page = ada.open(ada.make("china_gold", "me", "me")["id"], 0)
    at = page.until_turn()["at"]
    with on_every_connection(server, pragmas[0]):
        assert set(refusals(page, 3)) == {UNSTORED}
        if pragmas is READ_ONLY:
            for _ in range(3):
                ready = ada.http.get("/ready")
                assert ready.status_code == 503 and ready.json() == UNREADY
            assert act(page)["no"] == ada.http.post("/api/guests", json={"name": "Cleo"}).json()["no"] == UNSTORED
        assert ada.get(f"/api/tables/{page.table['table']}/now", seat=0)["at"] == at
    with on_every_connection(server, pragmas[1]):
        assert ada.get("/ready")["status"] == "ok"
        page.act()
    faults = [line for line in lines.messages if "database" in line]
    assert faults == ["writing the database: failing", "writing the database: working again"]


@contextmanager
def stopped(pids: list[int]) -> Iterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_a_database_that_is_away_or_silent(lines: Lines) -> None:
    """PostgreSQL is stopped, and then made to hang: both are answered in time, and logged once."""
    with postgres.running() as address:
        database = postgres.new_database(address, "parlour")
        folder = database.rpartition("=")[2]
        with serving(database, store_timeout=0.2) as server, Visitor(server, "Ada") as ada:
            page = ada.open(ada.make("china_gold", "me", "me")["id"], 0)
            page.until_turn()
            unread = ada.make("china_gold", "me", "me")["id"]
            del server.parlour.tables[unread]
            address.stop()
            for _ in range(3):
                answer = ada.http.get("/ready")
                assert answer.status_code == 503 and answer.json() == UNREADY
            assert act(page)["no"] == UNSTORED
            answer = ada.http.get(f"/api/tables/{unread}")
            assert answer.status_code == 503 and folder not in answer.text
            address.start()
            while ada.http.get("/ready").status_code != 200:
                pass
            page.act()
            with psycopg.connect(database) as connection:
                found = connection.execute("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()").fetchall()
            postmaster = int((Path(folder) / "data" / "postmaster.pid").read_text().split()[0])
            with stopped([postmaster, *(pid for (pid,) in found)]):
                assert ada.http.get("/ready").json() == UNREADY
                page.send(do="chat", text="hello")
                assert page.wait("no")["no"] == UNSTORED
            while ada.http.get("/ready").status_code != 200:
                pass
            play_out([page, ada.open(page.table["table"], 1)])
    for what in ("reading the database", "writing the database", "notices from the database"):
        said = [line for line in lines.messages if line.startswith(what)]
        assert said == [f"{what}: failing", f"{what}: working again"] * (len(said) // 2) and len(said) <= 4, said
    assert not [line for line in lines.messages if "could not go on" in line]


# A disk that does not sync


class Unsynced(Process):
    program = (str(Path(unsynced_server.__file__)),)


def test_a_failed_sync_ends_the_process_before_it_answers_anything(tmp_path: Path) -> None:
    database, signal_file = f"sqlite:///{tmp_path / 'parlour.db'}", tmp_path / "now"
    with (
        Unsynced(database, UNSYNCED_WHEN=str(signal_file), MOTHERLODE_SEAL_WAIT="0") as process,
        process.visitor("Ada") as ada,
    ):
        table, token = ada.make("china_gold", "me", "me")["id"], ada.http.headers["authorization"]
        seat = ada.get(f"/api/tables/{table}/now")["turn"]
        before = ada.get(f"/api/tables/{table}/now", seat=seat)
        asked = {"seat": seat, "at": before["at"], "action": before["legal"][0]["action"]}
        signal_file.touch()
        with pytest.raises(httpx.TransportError):
            ada.http.post(f"/api/tables/{table}/act", json=asked)
        assert process.child.wait(PATIENCE) == 1
        assert process.child.stdout and "did not sync" in process.child.stdout.read()
    with serving(database) as server, Visitor(server, "Ada") as ada:
        ada.http.headers["authorization"] = token
        assert ada.get(f"/api/tables/{table}/now", seat=seat) == before


# A second server


def test_a_second_server_on_one_file_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, link = tmp_path / "parlour.db", tmp_path / "other" / "name.db"
    link.parent.mkdir()
    link.symlink_to(file)
    monkeypatch.chdir(tmp_path)
    with serving(f"sqlite:///{file}") as server, Visitor(server, "Ada") as ada:
        for name in (file, "parlour.db", "other/../parlour.db", link):
            ran = run("serve", "--port", free_port(), "--database", f"sqlite:///{name}")
            assert ran.status == 2 and f"another server uses the database {file}" in ran.err
        with sqlite3.connect(file) as reader:
            assert reader.execute("SELECT count(*) FROM guest").fetchone() == (1,)
        reader.close()
        assert ada.make("goldmine", "me", "me")["id"]
    with serving(f"sqlite:///{link}"):
        pass


HOLD = """
import sys
from motherlode.server.storage import reserved
with reserved(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_killed_server_lets_go_of_its_file(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'parlour.db'}"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        with pytest.raises(Refusal, match="another server uses"), reserved(database):
            pass
        holder.kill()
    with reserved(database):
        pass


# Another process was first


def play_to_the_end(ada: Visitor, bob: Visitor) -> tuple[Page, Page]:
    card = ada.make("goldmine", "me", "link", options={"target": 0})
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    pages = ada.open(card["id"], 0), bob.open(card["id"], 1)
    play_out(list(pages))
    return pages


# What each request of a socket asks for that is stored: of which game, and the message. The others store nothing.
STORED: dict[str, dict[str, Any]] = {
    "act": {"at": 13, "action": 0},
    "chat": {"text": "hello"},
    "react": {"what": "hello"},
    "leave": {},
    "return": {},
    "resign": {"at": 13},
    "adjourn": {},
    "resume": {},
    "substitute": {"seat": 0},
    "mute": {"who": "seat 0", "muted": True},
    "remove": {"who": "seat 0"},
    "rematch": {},
}
NOT_STORED = {"why", "hint", "ping", "seen"}  # (what was seen is, after a restore from a backup)


@contextmanager
def somebody_is_first(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Every write of an action, a line or a seat meets one that was stored just before."""
    met: list[int] = []

    async def write(_: Storage, work: Any) -> Any:
        met.append(1)
        raise Conflict("somebody else was first: look again")

    with monkeypatch.context() as patch:
        patch.setattr(Storage, "write", write)
        yield met


def test_every_conflict_is_answered(
    server: Server, ada: Visitor, bob: Visitor, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {model.model_fields["do"].annotation.__args__[0] for model in wire.SOCKET_REQUESTS}  # type: ignore[union-attr]
    assert names == STORED.keys() | NOT_STORED
    for do, more in STORED.items():
        if do == "rematch":
            one, two = play_to_the_end(ada, bob)
        else:
            maker, other = (bob, ada) if do in ("mute", "remove") else (ada, bob)
            card = maker.make("goldmine", "link", "me") if maker is bob else maker.make("goldmine", "me", "link")
            (link,) = card["links"]
            other.take(card["id"], link["seat"], code=link["code"])
            one, two = ada.open(card["id"], 0), bob.open(card["id"], 1)
        if "who" in more:
            more = {**more, "who": two.table["players"][0]["who"]}
        if do == "substitute":
            one.close()
            two.wait("presence", lambda presence: presence["present"] == [False, True])
            server.move_clock(21)
        if do == "resume":
            one.send(do="adjourn")
            two.wait("table", lambda table: table["players"][0]["adjourns"])
        with somebody_is_first(monkeypatch) as met:
            no = two.ask(do=do, **more)
        assert met and no["is"] == "no" and no["do"] == do and "again" in no["no"], no
        if do == "substitute":
            server.move_clock(21)
        two.send(do=do, **more)
        assert two.take()["is"] != "no", do
    early = bob.open(bob.make("gold_hunting", "me", "me")["id"], 1)
    with somebody_is_first(monkeypatch) as met:
        no = early.ask(do="act", at=12, action=0)
    assert met and "look again" in no["no"]
    early.send(do="act", at=12, action=0)
    assert early.wait("table")["at"] == 13
    card = ada.make("goldmine", "me", "anyone")
    with somebody_is_first(monkeypatch):
        for visitor, path, body in ((bob, "take", {}), (ada, "link", None)):
            answer = visitor.http.post(f"/api/tables/{card['id']}/seats/1/{path}", json=body)
            assert answer.status_code == 409 and "look again" in answer.json()["no"]
    assert not [line for line in lines.messages if "failed" in line]
