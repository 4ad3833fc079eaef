"""`motherlode admin`, with a real server: what it shows, what it does, and who is not let in."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from support.administrator import Administrator, reason_of_close
from support.command_line import Run
from support.generated_requests import ADMIN, Request, http_requests
from support.local_server import Server, Visitor, play_out, serving
from support.lookalike_games import twins
from support.twin_games import LENGTH
from support.viewer_tape import OPTIONS, Table, Tape, World, begin, chance_of, compare, play, sit_down
from websockets.exceptions import InvalidStatus

from motherlode import engine, proof, text
from motherlode.games import GAMES
from motherlode.server import admin, queries, schema
from motherlode.server.housekeeping import BATCH, DAY, SWEEP_EVERY
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.refusals import Unstored
from motherlode.server.told_logs import ToldLogs

SINGLE_DEAL = {"target": 0}


def stored(server: Server) -> str:
    """Everything in the database, as text."""
    with server.parlour.storage.engine.connect() as db:
        rows = [row for table in schema.METADATA.sorted_tables for row in db.execute(sa.select(table))]
    return repr(rows)


def rows_of(server: Server, table: str) -> int:
    with server.parlour.storage.engine.connect() as db:
        found = [one for one in schema.METADATA.sorted_tables if "sitting" in one.c]
        counts = [db.scalar(sa.select(sa.func.count()).where(one.c.sitting == table)) or 0 for one in found]
        return sum(counts) + (db.scalar(sa.select(sa.func.count()).where(schema.SITTING.c.id == table)) or 0)


def execute(server: Server, statement: Any) -> None:
    """Behind the server's back, as another process would."""
    with server.parlour.storage.engine.begin() as db:
        db.execute(statement)


def two_players(ada: Visitor, bob: Visitor, game: str = "goldmine", **more: Any) -> str:
    card = ada.make(game, "me", "anyone", **more)
    bob.take(card["id"], 1)
    return str(card["id"])


# Looking


def test_tables_and_guests_are_listed(host: Administrator, ada: Visitor, bob: Visitor) -> None:
    key = two_players(ada, bob)
    bob.open(key, 1).send(do="chat", text="hello")
    host.server.move_clock(60)
    waiting = ada.make("claimpoker", "me", "random", "link")["id"]
    listed = host.does("tables", "--guest", ada.keys["id"])
    assert [line.split()[:3] for line in listed.splitlines()[1:]] == [
        [waiting, "claimpoker", "waiting"],
        [key, "goldmine", "running"],
    ]
    assert "Ada, random, (open)" in listed and "Ada, Bob" in listed
    shown = host.sees("table", key)
    assert [player["guest"] for player in shown["players"]] == [ada.keys["id"], bob.keys["id"]]
    assert shown["present"] == [False, True] and shown["watchers"] == 0 and shown["maker"] == ada.keys["id"]
    assert bob.keys["id"] in host.does("table", key) and "chat" in host.does("table", key)
    running = host.sees("tables", "--state", "running", "--guest", bob.keys["id"])["tables"]
    assert [table["id"] for table in running] == [key]
    (guest,) = [one for one in host.sees("guests", "--name", "bO")["guests"] if one["id"] == bob.keys["id"]]
    assert guest["tables"] == 1 and guest["banned"] is guest["muted"] is None
    assert key in host.does("guest", bob.keys["id"])
    assert len(host.sees("tables", "--most", 1)["tables"]) == 1


def test_names_cannot_steer_a_terminal(server: Server, host: Administrator, ada: Visitor) -> None:
    """Not even those that were stored before names were checked."""
    execute(server, schema.GUEST.update().where(schema.GUEST.c.id == ada.keys["id"]).values(name="[red]\x1b[2JAda"))
    assert "[red]?[2JAda" in host.does("guests")


@pytest.mark.parametrize("first", ["-", "--", "-h", "-y"])
def test_ids_that_begin_with_a_hyphen(host: Administrator, first: str) -> None:
    key = first.ljust(22, "x")
    assert host.is_refused("table", key) == "there is no such table"
    assert host.is_refused("close", "--yes", key) == "there is no such table"
    assert host.is_refused("ban", key, "--for", "2h") == "there is no such guest"
    assert host.sees("tables", "--guest", key) == {"tables": []}


# Closing


def test_a_closed_game_ends_unfinished(server: Server, host: Administrator, ada: Visitor, bob: Visitor) -> None:
    key = two_players(ada, bob, hints=True, clock=60)
    path = f"/api/tables/{key}"
    one, two = ada.open(key, 0), bob.open(key, 1)
    (one if one.table["legal"] else two).act()
    at, told = len(server.parlour.tables[key].core.log), ada.get(f"{path}/log", seat=0)
    host.does("close", key, "--reason", "they were rude", "--yes")
    for page in (one, two):
        message = page.wait("table", lambda table: table["closed"])
        assert (message["legal"], message["clock"], message["result"], message["seal"]["secret"]) == (
            [],
            None,
            None,
            None,
        )
    seat = message["turn"]
    page, visitor = ((one, ada), (two, bob))[seat]
    closed = "whoever runs this server has closed this table: its game ends here, unfinished"
    action = next(iter(engine.legal(GAMES["goldmine"], server.parlour.tables[key].core.position)))
    for asked in (
        {"do": "act", "at": page.table["at"], "action": action},
        {"do": "chat", "text": "what?"},
        {"do": "leave"},
        {"do": "rematch"},
        {"do": "hint"},
    ):
        assert page.ask(**asked)["no"] == closed, asked
    answer = visitor.http.post(f"{path}/act", json={"seat": seat, "at": page.table["at"], "action": action})
    assert answer.status_code == 409 and answer.json()["no"] == closed
    assert ada.get(f"{path}/log", seat=0) == told and len(server.parlour.tables[key].core.log) == at
    record = ada.http.get(f"{path}/record", params={"seat": 0}).text
    assert record.startswith("motherlode told log") and "secret" not in record
    assert ada.http.get(f"{path}/replay").status_code == 400
    (listed,) = [one for one in ada.get("/api/tables", mine=True)["tables"] if one["id"] == key]
    for card in (ada.get(path), listed):
        assert card["closed"] and not card["over"]
    assert host.sees("table", key)["state"] == "closed"
    assert host.is_refused("close", key, "--yes") == "this table is closed already"
    assert server.parlour.tables[key].clock.timer is None


def test_what_was_decided_early_stays_on_the_page_of_a_closed_game(
    host: Administrator, ada: Visitor, bob: Visitor
) -> None:
    """A message that goes back would be ignored there."""
    key = two_players(ada, bob, "gold_hunting")
    page = bob.open(key, 1)
    page.act()
    before = page.act()
    host.does("close", key, "--yes")
    after = page.wait("table", lambda table: table["closed"])
    assert (after["at"], after["view"]) == (before["at"], before["view"]) and after["legal"] == []
    page.send(do="act", at=after["at"], action=before["legal"][0]["action"])
    assert "closed this table" in page.wait("no")["no"]


def test_the_bots_of_a_closed_game_stop_also_after_a_restart(tmp_path: Path, run: Run) -> None:
    database = f"sqlite:///{tmp_path}/parlour.db"
    with serving(database, pace=60.0) as server, Visitor(server) as ada:
        key = ada.make("goldmine", "random", "random")["id"]
        at = ada.get(f"/api/tables/{key}/now")["at"]
        host = Administrator(server, run)
        host.does("close", key, "--yes")
        host.http.close()
        server.move_clock(600)
        assert ada.get(f"/api/tables/{key}/now")["at"] == at
    with serving(database) as server, Visitor(server) as ada:
        now = ada.get(f"/api/tables/{key}/now")
        assert now["closed"] and now["at"] == at and server.parlour.tables[key].bot_task is None


def test_a_waiting_table_is_closed_and_no_seat_taken(host: Administrator, ada: Visitor, bob: Visitor) -> None:
    key = ada.make("goldmine", "me", "anyone")["id"]
    assert key in str(bob.get("/api/tables"))
    host.does("close", key, "--yes")
    assert key not in str(bob.get("/api/tables"))
    answer = bob.http.post(f"/api/tables/{key}/seats/1/take", json={})
    assert answer.status_code == 409 and "closed" in answer.json()["no"]


def test_a_finished_game_cannot_be_closed(host: Administrator, ada: Visitor) -> None:
    key = ada.make("goldmine", "me", "random", options=SINGLE_DEAL)["id"]
    play_out([ada.open(key, 0)])
    assert "over" in host.is_refused("close", key, "--yes")


def test_nothing_is_stored_at_a_table_closed_or_deleted_by_another_process(server: Server, ada: Visitor) -> None:
    """This process does not know of it yet: the database refuses."""
    for change, status in (
        (schema.SITTING.update().values(closed=1.0, ended=1.0), 409),
        (schema.SITTING.delete(), 404),
    ):
        key = ada.make("china_gold", "me", "me", shared=True)["id"]
        now = ada.get(f"/api/tables/{key}/now", seat=0)
        execute(server, change.where(schema.SITTING.c.id == key))
        rows = rows_of(server, key)
        act = {"seat": now["turn"], "at": now["at"], "action": now["legal"][0]["action"] if now["legal"] else 0}
        assert ada.http.post(f"/api/tables/{key}/act", json=act).status_code == status
        page = ada.open(key, 0)
        assert "table" in page.ask(do="chat", text="hello")["no"]
        assert rows_of(server, key) == rows


# Deleting


def test_a_deleted_table_is_gone(server: Server, host: Administrator, ada: Visitor, bob: Visitor) -> None:
    key = two_players(ada, bob)
    kept = ada.make("goldmine", "me", "random")["id"]
    one, watching = ada.open(key, 0), bob.open(key)
    one.send(do="chat", text="soon gone")
    one.wait("chat")
    assert rows_of(server, key) > 4
    ran = host.command("delete-table", key, stdin="n\n")
    assert ran.status == 2 and "nothing was done" in ran.err and rows_of(server, key) > 4
    host.does("delete-table", key, "--yes")
    assert reason_of_close(one) == reason_of_close(watching) == "this table was deleted"
    assert rows_of(server, key) == 0 and rows_of(server, kept) > 4
    for path in ("", "/now", "/log", "/record", "/replay"):
        assert ada.http.get(f"/api/tables/{key}{path}").status_code == 404
    with pytest.raises(InvalidStatus, match="404"):
        ada.open(key, 0)
    assert key not in server.parlour.tables
    assert key not in str(ada.get("/api/tables", mine=True))
    assert host.is_refused("delete-table", key, "--yes") == "there is no such table"


def test_a_table_that_is_just_loaded_does_not_stay(server: Server, host: Administrator, ada: Visitor) -> None:
    """Its rows were read before they were deleted, and it comes into memory afterwards."""
    key = ada.make("goldmine", "me", "random")["id"]
    server.parlour.tables.pop(key)
    read, deleted, real = threading.Event(), threading.Event(), queries.read_chat

    def slow(db: Any, sitting: str, after: int, most: int) -> Any:
        if sitting == key and not read.is_set():
            read.set()
            deleted.wait(5)
        return real(db, sitting, after, most)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "read_chat", slow)
        asking = threading.Thread(target=lambda: ada.http.get(f"/api/tables/{key}"))
        asking.start()
        assert read.wait(60)
        deleting = threading.Thread(target=lambda: host.http.delete(f"/tables/{key}"))
        deleting.start()
        while rows_of(server, key):
            pass
        deleted.set()
        asking.join()
        deleting.join()
    assert key not in server.parlour.tables
    assert ada.http.get(f"/api/tables/{key}").status_code == 404


def test_a_damaged_table_can_be_shown_closed_and_deleted(server: Server, host: Administrator, ada: Visitor) -> None:
    key = ada.make("goldmine", "me", "random")["id"]
    server.parlour.tables.pop(key).clock.stop()
    execute(server, schema.LOG.update().where(schema.LOG.c.sitting == key).values(link=bytes(32)))
    assert "changed" in host.sees("table", key)["fault"] and "fault" in host.does("table", key)
    host.does("close", key, "--yes")
    assert host.sees("export", ada.keys["id"])["tables"][-1]["seats"][0]["left_out"] == "its log cannot be replayed"
    host.does("delete-table", key, "--yes")
    assert rows_of(server, key) == 0


def test_a_damaged_table_does_not_hide_the_others(server: Server, host: Administrator, ada: Visitor) -> None:
    sound, damaged = (ada.make("goldmine", "me", "anyone")["id"] for _ in range(2))
    execute(server, schema.SEAT.delete().where(schema.SEAT.c.sitting == damaged, schema.SEAT.c.seat == 1))
    for tables in (host.sees("tables")["tables"], host.sees("export", ada.keys["id"])["tables"]):
        listed = [table["id"] for table in tables]
        assert sound in listed and damaged not in listed
    host.does("delete-table", damaged, "--yes")


# Bans and mutes


def test_a_banned_guest_is_refused_until_then(server: Server, host: Administrator, ada: Visitor, bob: Visitor) -> None:
    key = two_players(ada, bob)
    one, two = ada.open(key, 0), bob.open(key, 1)
    host.does("ban", bob.keys["id"], "--for", "2h", "--reason", "he threw a chair")
    until = host.sees("guest", bob.keys["id"])["banned"]
    said = f"you may not play here before {until[:10]} {until[11:16]} UTC"
    assert reason_of_close(two) == said
    for method, path in (
        ("GET", "/api/guests/me"),
        ("GET", "/api/tables"),
        ("GET", f"/api/tables/{key}"),
        ("GET", f"/api/tables/{key}/now?seat=1"),
        ("POST", "/api/tables"),
    ):
        answer = bob.http.request(method, path)
        assert answer.status_code == 403 and answer.json()["no"] == f"{said}: he threw a chair", path
    with pytest.raises(InvalidStatus, match="403"):
        bob.open(key, 1)
    assert one.wait("table", lambda table: table["players"][1]["left"])
    one.send(do="substitute", seat=1)
    assert one.wait("table", lambda table: table["players"][1]["bot"] == "greedy")
    server.move_clock(2 * 3600 - 1)
    assert bob.http.get("/api/guests/me").status_code == 403
    server.move_clock(1)
    assert bob.get("/api/guests/me")["name"] == "Bob" and host.sees("guest", bob.keys["id"])["banned"] is None
    page = bob.open(key, 1)
    page.send(do="return")
    assert page.wait("table", lambda table: not table["players"][1]["bot"])


def test_a_ban_is_lifted(host: Administrator, bob: Visitor) -> None:
    host.does("ban", bob.keys["id"], "--for", "4w")
    assert bob.http.get("/api/guests/me").status_code == 403
    host.does("unban", bob.keys["id"])
    assert bob.http.get("/api/guests/me").status_code == 200


def test_the_recovery_code_does_not_lift_a_ban(host: Administrator, bob: Visitor) -> None:
    host.does("ban", bob.keys["id"], "--for", "1d")
    keys = bob.http.post("/api/guests/recover", json={"code": bob.keys["recovery"]}).json()
    bob.http.headers["authorization"] = f"Bearer {keys['token']}"
    assert bob.http.get("/api/guests/me").status_code == 403


def test_a_muted_guest_chats_nowhere(server: Server, host: Administrator, ada: Visitor, bob: Visitor) -> None:
    key, elsewhere = two_players(ada, bob), ada.make("goldmine", "me", "random", watch=True)["id"]
    pages = bob.open(key, 1), bob.open(elsewhere)
    host.does("mute", bob.keys["id"], "--for", "30m")
    for page in pages:
        assert page.ask(do="chat", text="hello")["no"].startswith("you may not chat before ")
    assert rows_of(server, key) and "hello" not in str(host.sees("export", bob.keys["id"])["chat"])
    server.move_clock(1800)
    pages[0].send(do="chat", text="hello")
    assert pages[0].wait("chat")["lines"][0]["text"] == "hello"
    host.does("mute", bob.keys["id"], "--for", "30m")
    host.does("unmute", bob.keys["id"])
    pages[0].send(do="chat", text="again")
    assert pages[0].wait("chat")["lines"][-1]["text"] == "again"


# One person's data


def test_everything_of_a_guest_is_exported(server: Server, host: Administrator, ada: Visitor, bob: Visitor) -> None:
    key = two_players(ada, bob, options=SINGLE_DEAL)
    one, two = ada.open(key, 0), bob.open(key, 1)
    two.send(do="chat", text="hello from Bob")
    one.send(do="chat", text="hello from Ada")
    one.wait("chat", lambda chat: "Ada" in str(chat))
    play_out([one, two])
    made = ada.make("goldmine", "random", "random", options=SINGLE_DEAL)["id"]
    data = host.sees("export", ada.keys["id"])
    assert data["guest"]["name"] == "Ada" and {table["id"] for table in data["tables"]} == {key, made}
    (table,) = [one for one in data["tables"] if one["id"] == key]
    log = server.parlour.tables[key].core.log
    own = [at for at, did in enumerate(ada.get(f"/api/tables/{key}/log", seat=0)["did"]) if did["actor"] == 0]
    assert [did["at"] for did in table["seats"][0]["actions"]] == own
    assert [did["action"] for did in table["seats"][0]["actions"]] == [log[at] for at in own]
    assert [line["text"] for line in data["chat"]] == ["hello from Ada"]
    assert "Bob" not in str(data) and bob.keys["id"] not in str(data)
    with server.parlour.storage.engine.connect() as db:
        guest = db.execute(sa.select(schema.GUEST).where(schema.GUEST.c.id == ada.keys["id"])).one()
    for secret in (ada.keys["token"], ada.keys["recovery"], guest.token.hex(), guest.recovery.hex()):
        assert secret not in str(data)


def test_a_deleted_guest_leaves_no_trace_and_the_others_their_games(
    server: Server, host: Administrator, ada: Visitor
) -> None:
    with Visitor(server, "Zebedee") as zebedee:
        over, running = (two_players(ada, zebedee, options=SINGLE_DEAL) for _ in range(2))
        waiting, alone = ada.make("goldmine", "me", "anyone")["id"], zebedee.make("goldmine", "me", "random")["id"]
        ada.take(zebedee.make("goldmine", "anyone", "anyone")["id"], 0)
        play_out([ada.open(over, 0), zebedee.open(over, 1)])
        verdict = proof.verify(text.read_record(ada.http.get(f"/api/tables/{over}/record").text))
        page, own = ada.open(running, 0), zebedee.open(running, 1)
        own.send(do="chat", text="a word of his")
        page.wait("chat")
        own.until_turn() if own.table["turn"] == 1 else page.until_turn()
        solo = zebedee.open(alone, 0)
        answer = host.does("delete-guest", zebedee.keys["id"], "--yes")
        assert "tables of its own deleted: 1" in answer
        assert reason_of_close(own).startswith("you may not play") and reason_of_close(solo)
        for path in ("/api/guests/me", "/api/tables"):
            assert zebedee.http.get(path).status_code in (200, 401)
        assert zebedee.http.get("/api/guests/me").status_code == 401
        with pytest.raises(InvalidStatus, match="401"):
            zebedee.open(running, 1)
        recovered = zebedee.http.post("/api/guests/recover", json={"code": zebedee.keys["recovery"]})
        assert recovered.status_code == 400
        message = page.wait("table", lambda table: table["players"][1]["bot"])
        assert message["players"][1]["kind"] == "bot" and message["players"][1]["name"] == "greedy"
        play_out([page])
        record = ada.http.get(f"/api/tables/{over}/record").text
        assert "a former guest" in record and proof.verify(text.read_record(record)) == verdict and verdict.is_good
        assert ada.get(f"/api/tables/{over}")["players"][1]["name"] == "a former guest"
        again = ada.open(over, 0)
        again.send(do="rematch")
        rematch = ada.get(f"/api/tables/{again.wait('rematch')['table']}")
        assert sorted(player["kind"] for player in rematch["players"]) == ["bot", "person"]
        assert rows_of(server, alone) == 0 and rows_of(server, waiting) > 0
        kept = stored(server)
        assert "Zebedee" not in kept and "a word of his" not in kept
        assert kept.count(zebedee.keys["id"]) == 2  # what was done
        assert [line for line in server.parlour.tables[running].chat.players if "his" in line.text] == []
        assert host.is_refused("delete-guest", zebedee.keys["id"], "--yes") == "there is no such guest"


def test_what_is_deleted_is_overwritten(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "parlour.db"
    with serving(f"sqlite:///{file}") as server, Visitor(server, "Zebedee") as zebedee:
        page = zebedee.open(zebedee.make("goldmine", "me", "random")["id"], 0)
        page.send(do="chat", text="a word of his")
        page.wait("chat")
        host = Administrator(server, run)
        host.does("delete-guest", zebedee.keys["id"], "--yes")
        host.http.close()
    kept = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert b"a word of his" not in kept and b"Zebedee" not in kept


def test_a_deletion_that_was_interrupted_is_done_again(
    server: Server, host: Administrator, ada: Visitor, bob: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = two_players(ada, bob)

    async def fail(*_: Any) -> None:
        raise Unstored("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr("motherlode.server.housekeeping.Housekeeping.replace", fail)
        assert "away" in host.is_refused("delete-guest", bob.keys["id"], "--yes")
    assert bob.http.get("/api/guests/me").status_code == 403
    host.does("delete-guest", bob.keys["id"], "--yes")
    assert bob.keys["id"] not in str(host.sees("table", key))


# Retention


def test_old_tables_are_deleted_where_that_is_asked_for(tmp_path: Path, run: Run) -> None:
    database = f"sqlite:///{tmp_path}/parlour.db"
    with serving(database, retention=30.0) as server, Visitor(server) as ada:
        host = Administrator(server, run)
        over, closed, running = (ada.make("goldmine", "me", "random", options=SINGLE_DEAL)["id"] for _ in range(3))
        play_out([ada.open(over, 0)])
        host.does("close", closed, "--yes")
        page = ada.open(over, 0)
        for _ in range(BATCH + 3):
            copy_of(server, over)
        server.move_clock(30 * DAY - 1)
        server.move_clock(SWEEP_EVERY)
        assert reason_of_close(page) == "this table was deleted"
        while host.sees("tables")["tables"][1:]:
            pass
        assert [table["id"] for table in host.sees("tables")["tables"]] == [running]
        done = [(entry["what"], entry["reason"]) for entry in host.sees("log")["entries"]]
        assert done[:2] == [("retention", "5 tables"), ("retention", f"{BATCH} tables")]
        host.http.close()


def copy_of(server: Server, key: str) -> None:
    copy = os.urandom(11).hex()
    with server.parlour.storage.engine.begin() as db:
        for table, column in ((schema.SITTING, "id"), (schema.SEAT, "sitting"), (schema.SEAL, "sitting")):
            for row in db.execute(sa.select(table).where(table.c[column] == key)).all():
                db.execute(table.insert().values({**row._asdict(), column: copy}))


def test_nothing_is_deleted_by_itself_otherwise(server: Server, host: Administrator, ada: Visitor) -> None:
    key = ada.make("goldmine", "me", "random")["id"]
    host.does("close", key, "--yes")
    server.move_clock(10_000 * DAY)
    assert host.sees("table", key)["state"] == "closed"


# What was done


def test_what_was_done_is_noted(host: Administrator, ada: Visitor) -> None:
    key = ada.make("goldmine", "me", "random")["id"]
    host.does("close", key, "--reason", "spam", "--yes")
    host.does("mute", ada.keys["id"], "--for", "2h")
    host.does("export", ada.keys["id"])
    host.does("queue", "--clear", "--yes")
    done = [(entry["what"], entry["whom"], entry["reason"]) for entry in host.sees("log", "--most", 4)["entries"]]
    assert done == [
        ("clear-queue", "", ""),
        ("export", ada.keys["id"], ""),
        ("mute", ada.keys["id"], ""),
        ("close", key, "spam"),
    ]
    assert "spam" in host.does("log")


# The thinking queue


def test_the_queue_is_listed_and_cleared(tmp_path: Path, run: Run) -> None:
    with serving(f"sqlite:///{tmp_path}/parlour.db", bots=1) as server, Visitor(server) as ada:
        host = Administrator(server, run)
        for _ in range(3):
            ada.make("goldmine", "search:2000", "search:2000")
        while len(host.sees("queue")["questions"]) < 2:
            pass
        asked = host.sees("queue")["questions"]
        assert {question["game"] for question in asked} == {"goldmine"} and "search:2000" in host.does("queue")
        assert int(host.does("queue", "--clear", "--yes").split()[-1]) >= 1
        assert "--clear" in host.is_refused("queue", "--guest", ada.keys["id"])
        host.http.close()


# What is hidden stays hidden


def looks(world: World, tapes: list[Tape]) -> Tape:
    """Whoever runs the server asks everything that only reads: of the viewer, of the table, and all that is listed."""
    host = Tape(world, "whoever runs the server", tapes[0].key, None)
    ids = {keys["id"].encode() for keys in [p.keys for p in world.players] + [t.keys for t in tapes if t.keys]}
    host.forbidden = [needle for needle in tapes[-1].forbidden if needle not in ids]
    scene = tapes[0].scene()

    async def ask() -> None:
        await fetch(host, "guests", most=10_000)  # of whom the ids are written over from now on
        for request in http_requests(world.app, scene, is_admin=True):
            if request.path.startswith(ADMIN) and request.method == "GET":
                await fetch(host, request.path.removeprefix(ADMIN), **request.query)

    world.run(ask())
    return host


async def fetch(host: Tape, path: str, **query: Any) -> Any:
    status, answer = await host.fetch(
        Request("GET", ADMIN + path, query, None), host.world.app.state.administration.token
    )
    assert status == 200, answer
    return json.loads(answer)


def check_twins(worlds: list[World], table: Table) -> None:
    log = twins(table.game, table.seats, table.options, table.seat, LENGTH)
    seen = []
    for world in worlds:
        tapes = sit_down(world, table, chance_of(log, world.number))
        begin(world, tapes)
        play(world, tapes, log)
        world.move_clock(1)
        seen.append([looks(world, tapes)])
    assert len(seen[0][0].kept) > 10
    compare(*seen)


def export_with_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ToldLogs.told

    def leaky(logs: ToldLogs, seat: int, since: int = 0, until: int | None = None) -> Any:
        told = real(logs, seat, since, until)
        for did in told:
            did.words += f" {bytes(logs.core.positions[did.at]).hex()}"
        return told

    monkeypatch.setattr(ToldLogs, "told", leaky)


def list_with_some_of_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    real = admin.show_table

    def leaky(facts: Any, chairs: Any) -> Any:
        shown = real(facts, chairs)
        shown.maker += facts.seal.secret.hex()[:4]
        return shown

    monkeypatch.setattr(admin, "show_table", leaky)


class TestLeaks:
    @pytest.mark.parametrize("seat", [0, PUBLIC])
    @pytest.mark.parametrize("game", ["goldmine", "blue_creek"])
    def test_twin_games_look_alike(self, worlds: list[World], game: str, seat: int) -> None:
        check_twins(worlds, Table(GAMES[game], 2, {}, seat, program=True))

    @pytest.mark.parametrize("plant", [export_with_positions, list_with_some_of_the_secret])
    def test_planted_leaks_are_caught(
        self, worlds: list[World], monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None]
    ) -> None:
        plant(monkeypatch)
        with pytest.raises(AssertionError, match="differs"):
            check_twins(worlds, Table(GAMES["goldmine"], 2, {}, 0, program=True))

    def build(self, world: World, pieces: int) -> Tape:
        """One piece a second, then nothing until five seconds have passed."""
        table = Table(GAMES["gold_hunting"], 2, OPTIONS["gold_hunting"], PUBLIC)
        log: list[int] = []
        s = engine.start(table.game, 2, **table.options)
        while len(log) < 2 + pieces:
            log.append(engine.legal(table.game, s)[0])
            table.game.apply(s, log[-1])
        tapes = sit_down(world, table, {0: log[0], 1: log[1]})
        begin(world, tapes)
        for at in range(2, 7):
            if at < len(log):
                world.act(tapes[0].key, 0, at, log[at])
            world.move_clock(1)
        return looks(world, tapes)

    def check_building(self, worlds: list[World]) -> None:
        compare(*([self.build(world, pieces)] for world, pieces in zip(worlds, (2, 5), strict=True)))

    def test_how_far_somebody_has_got_in_secret_is_not_shown(self, worlds: list[World]) -> None:
        self.check_building(worlds)

    def test_a_planted_count_is_caught(self, worlds: list[World], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(LiveTable, "told_count", lambda table, seat: table.core.at)
        with pytest.raises(AssertionError, match="differs"):
            self.check_building(worlds)

    def test_a_person_who_has_to_remember_is_not_told_by_an_export(self, worlds: list[World]) -> None:
        world, table = worlds[0], Table(GAMES["mount_goldrush"], 2, {}, 0)
        log = twins(table.game, 2, {}, 0, LENGTH)
        tapes = sit_down(world, table, chance_of(log, 0))
        begin(world, tapes)
        play(world, tapes, log)
        exported = world.run(fetch(looks(world, tapes), f"guests/{tapes[0].scene().guest}/export"))["tables"][0]
        assert exported["seats"][0]["actions"] == [] and "remember" in exported["seats"][0]["left_out"]
