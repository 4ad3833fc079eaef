"""More tables than are kept in memory: whoever looks at one hears what happens there, and memory stays bounded."""

import gc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection
from support.local_server import Page, Server, Visitor, play_out, serving

from motherlode.server import guest_requests, queries, schema
from motherlode.server.live_table import LiveTable
from motherlode.server.websocket import PageSocket


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    with serving(database, tables_in_memory=2, busy_tables=6, busy_tables_per_address=6) as running:
        yield running


@pytest.fixture
def busy(server: Server, ada: Visitor) -> Iterator[list[Page]]:
    """As many tables with a page as are kept in memory."""
    pages = [ada.open(ada.make("goldmine", "me", "me")["id"]) for _ in range(2)]
    yield pages
    for page in pages:
        page.close()


def act(visitor: Visitor, table: str) -> int:
    """Act without a socket; the table's `at` afterwards."""
    turn = visitor.get(f"/api/tables/{table}/now")["turn"]
    now = visitor.get(f"/api/tables/{table}/now", seat=turn)
    asked = {"seat": turn, "at": now["at"], "action": now["legal"][0]["action"]}
    return int(visitor.post(f"/api/tables/{table}/act", **asked)["at"])


@pytest.mark.usefixtures("busy")
def test_one_more_table_is_not_deaf(server: Server, ada: Visitor) -> None:
    table = ada.make("goldmine", "me", "me")["id"]
    with ada.open(table, 0) as page:
        for _ in range(3):
            at = act(ada, table)
            while page.table["at"] < at:
                page.wait("table")


@pytest.mark.usefixtures("busy")
def test_a_table_put_away_while_a_page_comes_is_not_deaf(server: Server, ada: Visitor) -> None:
    """Others are asked for between a page's request and its listening."""
    table = ada.make("goldmine", "me", "me")["id"]
    others = [ada.make("goldmine", "me", "me")["id"] for _ in range(3)]
    real = PageSocket.talk

    async def talk(socket: PageSocket, since: int | None) -> None:
        for other in others:
            await server.parlour.find(other)
        assert table not in server.parlour.kept
        gc.collect()
        await real(socket, since)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PageSocket, "talk", talk)
        page = ada.open(table, 0)
    at = act(ada, table)
    page.wait("table", lambda message: message["at"] == at)
    page.close()


def leave(server: Server, visitor: Visitor, page: Page) -> None:
    """Close a page, and wait until the server has noticed."""
    page.close()
    while server.parlour.tables[page.table["table"]].presence.listeners:
        visitor.get("/health")


def test_what_is_looked_at_does_not_stay_in_memory(server: Server, ada: Visitor) -> None:
    keys = [ada.make("goldmine", "me", "me", options={"target": 0})["id"] for _ in range(10)]
    with ada.open(keys[0], 0) as one, ada.open(keys[0], 1) as two:
        play_out([one, two])
    for key in keys * 2:
        result = ada.get(f"/api/tables/{key}/now")["result"]
        assert ada.get(f"/api/tables/{key}")["over"] == bool(result) == (key == keys[0])
    assert len(server.parlour.kept) <= 3
    gc.collect()
    assert len(server.parlour.tables) <= 4


def refused(visitor: Visitor) -> str:
    return str(visitor.post("/api/tables", 503, game="goldmine", seats=[{"player": "me"}] * 2)["no"])


def test_beyond_the_bound_new_tables_are_refused(server: Server, ada: Visitor, bob: Visitor) -> None:
    """Those that are there go on; when one is left there is room again."""
    pages = [ada.open(ada.make("goldmine", "me", "me", options={"target": 0})["id"]) for _ in range(6)]
    assert refused(ada) == refused(bob) == "all 6 tables are in use: come again when some games are over"
    at = act(ada, pages[0].table["table"])
    pages[0].wait("table", lambda message: message["at"] == at)
    leave(server, ada, pages.pop())
    assert bob.make("goldmine", "me", "me")["id"]
    for page in pages:
        page.close()


def test_one_address_does_not_take_all_tables(
    server: Server, ada: Visitor, bob: Visitor, eve: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.parlour, "settings", replace(server.parlour.settings, busy_tables_per_address=2))
    pages = [ada.open(ada.make("goldmine", "me", "me")["id"]) for _ in range(2)]
    said = "2 tables of yours, or of your address, are in use: finish some of these games first"
    assert refused(ada) == refused(bob) == said
    monkeypatch.setattr(guest_requests, "address", lambda connection: "192.0.2.7")
    assert eve.make("goldmine", "me", "me")["id"]
    for page in pages:
        page.close()


def test_a_rematch_needs_room_too(server: Server, ada: Visitor) -> None:
    card = ada.make("goldmine", "me", "me", options={"target": 0})
    one, two = (ada.open(card["id"], seat) for seat in range(2))
    play_out([one, two])
    pages = [ada.open(ada.make("goldmine", "me", "me")["id"]) for _ in range(5)]
    one.send(do="rematch")
    assert "all 6 tables are in use" in one.wait("no")["no"]
    leave(server, ada, pages.pop())
    one.send(do="rematch")
    assert one.wait("rematch")["table"]
    for page in [one, two, *pages]:
        page.close()


def test_a_table_looked_for_while_it_is_made_is_the_same(server: Server, ada: Visitor) -> None:
    """Its id is known when it is stored, a moment before whoever made it goes on."""
    write, add_table = server.parlour.storage.write, queries.add_table
    stored: list[str] = []
    found: list[LiveTable] = []

    def add(db: Connection, facts: schema.TableFacts, *more: Any) -> None:
        add_table(db, facts, *more)
        stored.append(facts.id)

    async def write_and_look(work: Any) -> Any:
        answer = await write(work)
        found.extend([await server.parlour.find(key) for key in stored])
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "add_table", add)
        patch.setattr(server.parlour.storage, "write", write_and_look)
        table = ada.make("goldmine", "me", "me")["id"]
    assert stored == [table] and server.parlour.tables[table] is found[0]
