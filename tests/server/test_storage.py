"""Stored, then shown; commits in groups; one form of the database."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from support.local_server import PATIENCE, Server, Visitor, serving

from motherlode.engine import Refusal
from motherlode.server import queries, schema, storage


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path_factory.mktemp('parlour') / 'parlour.db'}"
    return str(request.getfixturevalue("new_postgresql")())


@contextmanager
def held(server: Server) -> Iterator[threading.Event]:
    """The writer stands still just before it commits; the event says that it does."""
    real = server.parlour.storage._commit
    waiting, go = threading.Event(), threading.Event()

    def commit(works: Any) -> Any:
        waiting.set()
        assert go.wait(PATIENCE)
        return real(works)

    server.parlour.storage._commit = commit  # type: ignore[assignment, method-assign]
    try:
        yield waiting
    finally:
        server.parlour.storage._commit = real  # type: ignore[method-assign]
        go.set()


@contextmanager
def counted_writes(server: Server, many: int) -> Iterator[threading.Event]:
    """The event is set when this many writes have been asked for."""
    real, count, reached = server.parlour.storage.write, [0], threading.Event()

    async def write(work: Any) -> Any:
        count[0] += 1
        if count[0] == many:
            reached.set()
        return await real(work)

    server.parlour.storage.write = write  # type: ignore[method-assign]
    try:
        yield reached
    finally:
        server.parlour.storage.write = real  # type: ignore[method-assign]


def test_the_migrations_make_what_the_code_expects(server: Server) -> None:
    with server.parlour.storage.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.METADATA) == []


def test_nothing_is_shown_before_it_is_stored(server: Server, ada: Visitor) -> None:
    table = ada.make("china_gold", "me", "me")["id"]
    with ada.open(table, 0) as one, ada.open(table, 1) as two:
        at = one.table["at"]
        with held(server) as waiting:
            one.send(do="act", at=at, action=one.table["legal"][0]["action"])
            assert waiting.wait(PATIENCE)
            assert two.ask(do="ping") == {"is": "pong"} and two.table["at"] == at
            assert ada.get(f"/api/tables/{table}/now", seat=0)["at"] == at
        assert one.wait("table")["at"] == two.wait("table")["at"] > at


def test_an_early_action_is_shown_to_its_seat_only_when_stored(server: Server, ada: Visitor) -> None:
    table = ada.make("gold_hunting", "me", "me")["id"]
    with ada.open(table, 1) as page:
        with held(server) as waiting:
            page.send(do="act", at=12, action=0)
            assert waiting.wait(PATIENCE)
            assert ada.get(f"/api/tables/{table}/now", seat=1)["at"] == 12
        assert page.wait("table")["at"] == 13


def test_what_gathers_is_committed_together_and_one_conflict_is_its_own(server: Server, ada: Visitor) -> None:
    """While one commit waits twenty more gather, one of which cannot be; they take one commit."""
    seats = [ada.open(ada.make("china_gold", "me", "me")["id"], 0) for _ in range(21)]

    async def clash() -> None:
        """An action that the table's process does not know of is stored by somebody else."""
        row = schema.LogRow(seats[-1].table["at"], 0, seats[-1].table["legal"][1]["action"], 0.0, None)
        await server.parlour.storage.write(lambda db: queries.add_rows(db, seats[-1].table["table"], [row]))

    asyncio.run_coroutine_threadsafe(clash(), server.loop).result(PATIENCE)
    with held(server) as waiting:
        before = server.parlour.storage.commits
        with counted_writes(server, len(seats)) as all_asked:
            for page in seats:
                page.send(do="act", at=page.table["at"], action=page.table["legal"][0]["action"])
            assert waiting.wait(PATIENCE) and all_asked.wait(PATIENCE)
    for page in seats[:-1]:
        assert page.wait("table", lambda table: table["at"] > 0)["did"]
    assert "look again" in seats[-1].wait("no")["no"]
    assert server.parlour.storage.commits <= before + 3  # what waited, what gathered, and perhaps a sign of life


def test_whoever_reads_after_a_failure_reads_what_is_stored(server: Server, ada: Visitor) -> None:
    """A statement that failed half-way would keep its connection at what was stored then."""
    table = ada.make("goldmine", "me", "me")["id"]

    both = threading.Barrier(2)

    def fail_half_way(db: sa.Connection) -> None:
        found = iter(db.execute(sa.select(schema.LOG.c.at).where(schema.LOG.c.sitting == table)))
        both.wait(PATIENCE)
        raise LookupError(next(found))

    async def fail() -> list[Any]:
        reads = [server.parlour.storage.read(fail_half_way) for _ in range(2)]
        return await asyncio.gather(*reads, return_exceptions=True)

    failed = asyncio.run_coroutine_threadsafe(fail(), server.loop).result(PATIENCE)
    with Visitor(server, "Bob") as bob:
        for _ in range(8):
            assert bob.get("/api/guests/me")["name"] == "Bob"
    assert [type(error) for error in failed] == [LookupError] * 2  # they hold their frames, and these the statements


def test_who_loses_a_deadlock_tries_again(new_postgresql: Callable[[], str]) -> None:
    deadlock, tried = "DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$", []

    def work(db: sa.Connection) -> str:
        tried.append(1)
        if len(tried) == 1:
            db.exec_driver_sql(deadlock)
        return "stored"

    with serving(new_postgresql()) as server:
        written = asyncio.run_coroutine_threadsafe(server.parlour.storage.write(work), server.loop)
        assert written.result(PATIENCE) == "stored" and len(tried) == 2


def test_sqlite_syncs_every_commit(tmp_path: Path) -> None:
    engine = storage.connect(f"sqlite:///{tmp_path / 'new' / 'x.db'}", 1.0)
    assert (tmp_path / "new" / "x.db").stat().st_mode & 0o077 == 0
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "is not the address of a database"),
        ("mysql://host/name", "can be sqlite or postgresql, not mysql"),
        ("sqlite://", "must be a file"),
    ],
)
def test_a_database_that_will_not_do_is_refused(url: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        storage.connect(url, 1.0)


def test_only_hashes_of_tokens_and_codes_are_stored(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'parlour.db'}"
    with serving(database) as server, Visitor(server, "Ada") as ada:
        code = ada.make("goldmine", "me", "link")["links"][0]["code"]
        keys = [ada.keys["token"], ada.keys["recovery"], code]
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Ada" in stored and not any(key.encode() in stored for key in keys)


def test_a_migration_waits_for_another(new_postgresql: Callable[[], str]) -> None:
    """Several processes start on an empty database at the same time."""
    database = new_postgresql()
    engines = [storage.connect(database, 5.0) for _ in range(4)]
    failures: list[Exception] = []

    def migrate(engine: sa.Engine) -> None:
        try:
            storage.migrate(engine)
        except sa.exc.SQLAlchemyError as error:
            failures.append(error)

    threads = [threading.Thread(target=migrate, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    for engine in engines:
        engine.dispose()


OLD_SITTING = """INSERT INTO sitting (id, game, rules, options, maker, watch, delay, chat, open_memory, hints, clock,
    secret, given, made, begun) VALUES (:id, :game, 1, '{"target": 0}', 'ada', :watch, 30, :chat, :open_memory,
    :hints, :clock, :secret, 0, 1.0, 2.0)"""


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_settings_of_tables_made_before_are_kept(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Revision 0003 gathers what were columns; a table with a clock still goes on without anybody's page."""
    address = f"sqlite:///{tmp_path}/old.db" if kind == "sqlite" else str(request.getfixturevalue("new_postgresql")())
    engine = storage.connect(address, 5.0)
    storage.migrate(engine, "0002")
    old: dict[str, Any] = {"watch": False, "chat": True, "open_memory": True, "hints": True, "clock": 60}
    with engine.begin() as connection:
        connection.execute(sa.text(OLD_SITTING), {**old, "id": "x", "game": "goldmine", "secret": b"s" * 32})
    storage.migrate(engine)
    with engine.connect() as connection:
        stored = queries.read_table(connection, "x")
        assert queries.list_unattended(connection) == ["x"]
    engine.dispose()
    assert stored is not None and stored.facts.settings.model_dump() == {
        **old, "delay": 30, "drawn": "", "substitute": None, "shared": False,
    }  # fmt: skip
    assert stored.facts.options == {"target": 0} and stored.facts.begun == 2.0


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_tables_where_one_guest_has_several_seats_are_shared_screens(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Revision 0006; and the chat of before is kept."""
    address = f"sqlite:///{tmp_path}/old.db" if kind == "sqlite" else str(request.getfixturevalue("new_postgresql")())
    engine = storage.connect(address, 5.0)
    storage.migrate(engine, "0002")
    old = {"watch": True, "chat": True, "open_memory": False, "hints": False, "clock": None, "secret": b"s" * 32}
    seats = {"shared": ("ada", "ada"), "two": ("ada", "bob"), "bots": (None, None)}
    with engine.begin() as connection:
        for key, guests in seats.items():
            connection.execute(sa.text(OLD_SITTING), {**old, "id": key, "game": "china_gold"})
            for seat, guest in enumerate(guests):
                values = {"sitting": key, "seat": seat, "guest": guest, "program": False, "left": False}
                connection.execute(schema.SEAT.insert().values(**values))
            line = "INSERT INTO chat (sitting, seat, name, text, made) VALUES (:key, 0, 'Ada\u200b', 'hello', 1.0)"
            connection.execute(sa.text(line), {"key": key})
    storage.migrate(engine)
    with engine.connect() as connection:
        found = {key: queries.read_table(connection, key) for key in seats}
        lines = [queries.read_chat(connection, key, 0, 5)[0] for key in seats]
    engine.dispose()
    assert [table is not None and table.facts.settings.shared for table in found.values()] == [True, False, False]
    assert {(line.seat, line.guest, line.name, line.text) for line in lines} == {(0, None, "Ada", "hello")}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_goldmine_goes_on_showing_what_was_seen(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Revision 0004: there was nothing to remember in its tables, whatever they had been made with."""
    address = f"sqlite:///{tmp_path}/old.db" if kind == "sqlite" else str(request.getfixturevalue("new_postgresql")())
    engine = storage.connect(address, 5.0)
    storage.migrate(engine, "0002")
    old = {"watch": True, "chat": True, "open_memory": False, "hints": False, "clock": None, "secret": b"s" * 32}
    opened = {"goldmine": True, "goldmine~short": True, "goldmines": False, "mount_goldrush": False}
    with engine.begin() as connection:
        for game in opened:
            connection.execute(sa.text(OLD_SITTING), {**old, "id": game, "game": game})
    storage.migrate(engine)
    with engine.connect() as connection:
        for game, is_open in opened.items():
            stored = queries.read_table(connection, game)
            assert stored is not None and stored.facts.settings.open_memory == is_open and stored.facts.settings.watch
    engine.dispose()


def test_nobody_is_notified_of_what_was_not_stored(new_postgresql: Callable[[], str]) -> None:
    address = new_postgresql()
    store = storage.Storage(address)
    storage.migrate(store.engine)

    def tell(what: str, *, then: str | Exception = "SELECT 1") -> storage.Work[None]:
        def work(db: sa.Connection) -> None:
            store.tell(db, table=what)
            if isinstance(then, Exception):
                raise then
            db.execute(sa.text(then))

        return work

    with psycopg.connect(address, autocommit=True) as listening:
        listening.execute(f"LISTEN {storage.CHANNEL}")
        store._commit([tell("not stored", then="SELECT nonsense")])
        store._commit([tell("stored")])
        store._commit([tell("not stored", then=Refusal("no")), tell("stored too")])
        told = [json.loads(notice.payload)["table"] for notice in listening.notifies(timeout=PATIENCE, stop_after=2)]
    store.engine.dispose()
    assert told == ["stored", "stored too"]
