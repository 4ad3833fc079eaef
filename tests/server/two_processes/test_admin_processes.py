"""`motherlode admin` asks one process on a PostgreSQL; pages at the other one hear of it as well."""

from collections.abc import Iterator

import pytest
from support.administrator import Administrator, reason_of_close
from support.command_line import Run
from support.local_server import Server, Visitor, play_out, serving
from websockets.exceptions import InvalidStatus

from motherlode.server.housekeeping import DAY

TOKEN = "for-both-of-the-processes"
SINGLE_DEAL = {"target": 0}


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    with serving(database, admin_token=TOKEN, retention=30.0) as running:
        yield running


@pytest.fixture(scope="module")
def other(database: str, server: Server) -> Iterator[Server]:
    with serving(database, admin_token=TOKEN) as running:
        yield running


def two_players(ada: Visitor, bob: Visitor) -> str:
    key = str(ada.make("goldmine", "me", "anyone", options=SINGLE_DEAL)["id"])
    bob.take(key, 1)
    return key


def test_tables_are_closed_and_deleted_everywhere(
    other: Server, host: Administrator, ada: Visitor, bob: Visitor
) -> None:
    key = two_players(ada, bob)
    page = bob.open(key, 1)
    assert host.sees("table", key)["present"] in ([False, True], [False, False])  # it may have to be told
    host.does("close", key, "--yes")
    assert page.wait("table", lambda table: table["closed"])["legal"] == []
    host.does("delete-table", key, "--yes")
    assert reason_of_close(page) == "this table was deleted"
    assert key not in other.parlour.tables
    assert bob.http.get(f"/api/tables/{key}").status_code == 404


def test_guests_are_banned_muted_and_deleted_everywhere(
    other: Server, host: Administrator, ada: Visitor, bob: Visitor
) -> None:
    key, over = two_players(ada, bob), two_players(ada, bob)
    play_out([ada.open(over, 0), bob.open(over, 1)])
    page = bob.open(key, 1)
    host.does("mute", bob.keys["id"], "--for", "2h")
    assert "you may not chat" in page.ask(do="chat", text="hello")["no"]
    host.does("ban", bob.keys["id"], "--for", "2h")
    assert reason_of_close(page).startswith("you may not play here before")
    with pytest.raises(InvalidStatus, match="403"):
        bob.open(key, 1)
    host.does("unban", bob.keys["id"])
    while bob.http.get("/api/guests/me").status_code == 403:
        pass  # until the other process has been told
    page = bob.open(key, 1)
    host.does("delete-guest", bob.keys["id"], "--yes")
    assert reason_of_close(page)
    assert bob.http.get("/api/guests/me").status_code == 401
    with Visitor(other, "Eve") as eve:
        while eve.get(f"/api/tables/{over}")["players"][1]["name"] != "a former guest":
            pass
        while eve.get(f"/api/tables/{key}")["players"][1]["kind"] != "bot":
            pass


def test_the_queue_of_one_process_is_listed_and_all_are_cleared(other: Server, host: Administrator) -> None:
    assert host.sees("queue")["processes"] == 2 and "one of 2" in host.does("queue")
    host.does("queue", "--clear", "--yes")


def test_old_tables_are_deleted_by_one_process(server: Server, host: Administrator, ada: Visitor) -> None:
    key = ada.make("goldmine", "me", "random", options=SINGLE_DEAL)["id"]
    play_out([ada.open(key, 0)])
    page = ada.open(key, 0)
    server.move_clock(31 * DAY)
    assert reason_of_close(page) == "this table was deleted"


def test_without_the_setting_there_is_no_administration(database: str, run: Run) -> None:
    with serving(database) as server:
        host = Administrator(server, run)
        host.file.write_text(TOKEN)
        assert "does not take this token" in host.is_refused("tables")
        host.http.close()
