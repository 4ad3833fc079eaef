"""All the SQL. The log is the table: no column holds a position, and a restart replays the log.

Writes go through one connection in one thread, which commits everything that is waiting in one transaction (on SQLite
a commit is synced to the disk); the caller is answered only after the commit. The primary key (sitting, at) of the log
makes a second action at the same place impossible, whichever process tries. On PostgreSQL every change notifies the
other processes of the table that changed (NOTIFY).
"""

import asyncio
import hmac
import json
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Boolean, Column, Connection, Float, Index, Integer, LargeBinary, String, Table, event
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError

from motherlode import proof, text
from motherlode.engine import Refusal
from motherlode.server import names
from motherlode.server.faults import Damaged, Fault, end_if_unsynced
from motherlode.server.keys import digest
from motherlode.server.processes import locked
from motherlode.server.refusals import BrokenLog, NoTable, NotYours, TableClosed, moment
from motherlode.server.table_settings import StoredSettings

METADATA = sa.MetaData()
Id = String(32)

GUEST = Table(
    "guest",
    METADATA,
    Column("id", Id, primary_key=True),
    Column("name", String(40), nullable=False),
    Column("token", LargeBinary(32), nullable=False, unique=True),  # only its hash
    Column("recovery", LargeBinary(32), nullable=False, unique=True),  # only its hash
    Column("made", Float(53), nullable=False),
    Column("banned", Float(53)),  # until when
    Column("muted", Float(53)),  # until when
    Column("ban_reason", String(200)),
)
SITTING = Table(
    "sitting",
    METADATA,
    Column("id", Id, primary_key=True),
    Column("game", String(40), nullable=False),
    Column("rules", Integer, nullable=False),
    Column("options", sa.JSON, nullable=False),
    Column("maker", Id, nullable=False),
    Column("settings", sa.JSON, nullable=False, server_default="{}"),
    Column("given", Integer, nullable=False),
    Column("rematch_of", Id, unique=True),
    Column("made", Float(53), nullable=False),
    Column("begun", Float(53)),  # when it was sealed, and the game began
    Column("ended", Float(53)),  # an index for finding running tables; the log decides
    Column("seats", Integer, nullable=False, server_default="0"),  # how many rows of `seat` there must be …
    Column("actions", Integer, nullable=False, server_default="0"),  # … and of `log`: a cut one is noticed
    Column("closed", Float(53)),  # when it was closed, unfinished; then it has also ended
    Index("sitting_by_end", "ended", "made"),
)
SEAL = Table(
    "seal",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("place", Integer, nullable=False),  # the first action that is drawn from it
    Column("secret", LargeBinary(32), nullable=False),
    Column("fixed", Float(53)),  # when the commitments of the seats were fixed
    Column("shares", String(1000)),  # when they were opened: as in a record; empty at tables of version 0.1
)
SHARE = Table(  # of a table's last seal, until it is closed
    "share",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("commitment", String(64), nullable=False),
    Column("share", String(64)),  # the seat's bytes in hex, once it has opened them
)
SEAT = Table(
    "seat",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("takes", String(6)),  # how it can be taken while nobody has it: link, anyone
    Column("guest", Id),
    Column("bot", String(40)),  # who acts, also for a guest who is gone
    Column("program", Boolean, nullable=False),
    Column("left", Boolean, nullable=False),
    Column("code", LargeBinary(32)),  # the hash of the code in its one-time link
    Index("seat_by_guest", "guest"),
)
LOG = Table(
    "log",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("at", Integer, primary_key=True),
    Column("actor", Integer, nullable=False),
    Column("action", Integer, nullable=False),
    Column("made", Float(53), nullable=False),
    Column("link", LargeBinary(32)),  # of the hash chain; missing while an action before it is
)
CHAT = Table(
    "chat",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("sitting", Id, nullable=False),
    Column("seat", Integer),  # null: a spectator
    Column("guest", Id),  # missing in lines of version 0.1
    Column("name", String(48), nullable=False),  # as the table showed it, with its number
    Column("text", String(500), nullable=False),
    Column("made", Float(53), nullable=False),
    Index("chat_by_sitting", "sitting", "id"),
    Index("chat_by_guest", "guest"),
)
AUDIT = Table(
    "audit",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("made", Float(53), nullable=False),
    Column("what", String(40), nullable=False),
    Column("whom", Id, nullable=False),  # a guest or a table
    Column("reason", String(200), nullable=False),
)
HEARTBEAT = Table(
    "heartbeat",
    METADATA,
    Column("id", Integer, primary_key=True),  # there is only 1
    Column("made", Float(53), nullable=False),
)
RESTRICTION = Table(
    "restriction",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("guest", Id, primary_key=True),
    Column("muted", Boolean, nullable=False),
    Column("removed", Boolean, nullable=False),
)
CHANNEL = "motherlode"
NOTICES = "notices"  # of a transaction, in its connection's `info`
DEADLOCK = "40P01"  # two processes stored several tables in opposite orders; PostgreSQL has undone one of them
FORMER, FORMER_NAME = "former", "a former guest"  # stand for every guest that was deleted

T = TypeVar("T")
Work = Callable[[Connection], T]


class Unstored(Exception):
    """The database did not take it; nothing was acknowledged."""


class Conflict(Exception):
    """Somebody else was first: look again."""


class Guest(NamedTuple):
    id: str
    name: str
    token: bytes = b""  # the hash of what it was known by
    banned: float | None = None  # until when
    ban_reason: str | None = None


@dataclass(frozen=True)
class Chair:
    """Who has a seat."""

    seat: int
    takes: str | None = None
    guest: str | None = None
    bot: str | None = None
    program: bool = False
    left: bool = False
    code: bytes | None = None
    name: str | None = None  # the guest's

    @property
    def is_open(self) -> bool:
        return self.guest is None and self.bot is None

    def fits(self, code: str) -> bool:
        """Whether this is the code of its link."""
        return self.code is not None and hmac.compare_digest(self.code, digest(code))


@dataclass
class StoredSeal:
    """What chance draws from, from a place of the log on, and how far the seats have come with it."""

    number: int
    place: int
    secret: bytes
    fixed: float | None = None
    shares: str | None = None
    commitments: dict[int, str] = field(default_factory=dict)  # by seat
    opened: dict[int, str] = field(default_factory=dict)  # by seat: bytes in hex

    @property
    def commitment(self) -> str:
        return proof.commit(self.secret)

    def closed(self) -> text.Seal:
        """As a record has it."""
        assert self.shares is not None, "it is still open"
        return close_seal(self.place, self.secret, self.shares)


@lru_cache(maxsize=1024)
def close_seal(place: int, secret: bytes, shares: str) -> text.Seal:
    return text.Seal(place, proof.commit(secret), secret.hex(), tuple(shares.split(", ")) if shares else ())


@dataclass
class TableFacts:
    """What is fixed when a table is made, and when it began and ended."""

    id: str
    game: str
    rules: int
    options: dict[str, Any]
    maker: str
    settings: StoredSettings
    seals: list[StoredSeal]
    given: int
    rematch_of: str | None
    made: float
    begun: float | None = None
    ended: float | None = None
    seats: int = field(default=0, compare=False)  # these two are counted by the functions below
    actions: int = field(default=0, compare=False)
    closed: float | None = None

    @property
    def seal(self) -> StoredSeal:
        """The last one."""
        return self.seals[-1]


class LogRow(NamedTuple):
    """One action of the log."""

    at: int
    actor: int
    action: int
    made: float
    link: bytes | None


class Restriction(NamedTuple):
    """What the maker of a table does not let a guest do there."""

    muted: bool = False
    removed: bool = False


class StoredTable(NamedTuple):
    """Everything that is stored about a table except its chat."""

    facts: TableFacts
    chairs: list[Chair]
    rows: list[LogRow]
    rematch: str | None
    restrictions: Mapping[str, Restriction] = MappingProxyType({})  # by guest


class ChatRow(NamedTuple):
    """One line of chat."""

    id: int
    seat: int | None
    guest: str | None
    name: str
    text: str
    made: float


def read_address(url: str) -> sa.URL:
    try:
        return sa.make_url(url)
    except ArgumentError:
        example = "sqlite:///parlour.db or postgresql://host/name"
        raise Refusal(f"{url!r} is not the address of a database; a correct one would be {example}") from None


def is_postgresql(url: str) -> bool:
    return read_address(url).get_backend_name() == "postgresql"


def sqlite_file(address: sa.URL) -> Path:
    """The file of a SQLite database; it is made if there is none."""
    if not address.database or address.database == ":memory:":
        raise Refusal("the database must be a file, as in sqlite:///parlour.db: one in memory would not outlive a stop")
    try:
        file = Path(address.database).resolve()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)  # it holds the secrets of running games
    except OSError as error:
        raise Refusal(f"the database {address.database} cannot be used: {error.strerror}") from None
    return file


def connect(url: str, timeout: float) -> sa.Engine:
    """An engine; on SQLite readers do not wait for the writer, and every commit is synced to the disk."""
    address = read_address(url)
    if address.get_backend_name() == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
        patience = {"connect_timeout": 10, "tcp_user_timeout": int(1000 * timeout) + 1000}
        return sa.create_engine(address, pool_size=4, pool_pre_ping=True, connect_args=patience)
    if address.get_backend_name() != "sqlite":
        raise Refusal(f"the database can be sqlite or postgresql, not {address.get_backend_name()}")
    sqlite_file(address)
    engine = sa.create_engine(address, connect_args={"timeout": timeout, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.text_factory = lambda text: text.decode("utf-8", "replace")  # garbage in one row is not an error
        connection.isolation_level = None  # the driver leaves transactions alone; `begin` below opens them
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten
        connection.execute(f"PRAGMA busy_timeout={int(1000 * timeout)}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")

    return engine


def migrate(engine: sa.Engine, revision: str = "head") -> None:
    """Bring the database to the newest form; of several processes one does it, the others wait."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(7061)"))
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


@contextmanager
def reserved(url: str) -> Iterator[None]:
    """Keep other servers away from a SQLite file, by a lock on a file beside it; whoever only reads it may."""
    address = read_address(url)
    if address.get_backend_name() != "sqlite":
        yield
        return
    file = sqlite_file(address)
    lock = locked(file.with_name(f"{file.name}.lock"))
    try:
        lock.__enter__()
    except BlockingIOError:
        raise Refusal(
            f"another server uses the database {file}; stop it, or choose another file: --database sqlite:///FILE"
        ) from None
    except OSError as error:
        raise Refusal(f"the database {file} cannot be used: {error.strerror}") from None
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def check_database(url: str, timeout: float) -> None:
    """Bring the database to the newest form, or say in one sentence why it cannot be used."""
    engine = connect(url, timeout)
    try:
        migrate(engine)
    except SQLAlchemyError as error:
        raise Refusal(f"the database cannot be used: {reason(error)}") from None
    except CommandError:
        raise Refusal("the database cannot be used: a newer version of Motherlode made it") from None
    finally:
        engine.dispose()


class Storage:
    """The database, from an event loop: `write` and `read` take a function of a connection and are awaited."""

    def __init__(self, url: str, timeout: float = 5.0) -> None:
        self.url, self.timeout = url, timeout
        self.engine = connect(url, timeout)
        self.is_shared = self.engine.dialect.name == "postgresql"
        self.jobs: queue.SimpleQueue[tuple[Work[Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self.readers = ThreadPoolExecutor(2, "reader")
        self.writer = threading.Thread(target=self._write, name="writer", daemon=True)
        self.commits, self.commit_seconds = 0, 0.0
        self.reads, self.writes = Fault("reading the database"), Fault("writing the database")
        self.patience = timeout + 1.0  # seconds until a database that does not answer counts as away
        self.on_late_commit: Callable[[], None] = lambda: None  # what was given up has been stored after all
        self.process = secrets.token_hex(8)  # the name of this process for the others

    async def open(self) -> None:
        self.loop = asyncio.get_running_loop()
        try:
            await self.loop.run_in_executor(self.readers, migrate, self.engine)
        except SQLAlchemyError as error:
            raise Refusal(f"the database cannot be used: {reason(error)}") from None
        self.writer.start()

    async def close(self) -> None:
        self.jobs.put(None)
        await self.loop.run_in_executor(None, self.writer.join)
        self.readers.shutdown()
        self.engine.dispose()

    async def write(self, work: Work[T]) -> T:
        """Do it in the next transaction; answers after its commit."""
        future: asyncio.Future[T] = self.loop.create_future()
        self.jobs.put((work, future))
        try:
            async with asyncio.timeout(self.patience):
                return await future
        except TimeoutError:
            raise self.unstored("no answer") from None

    async def read(self, work: Work[T]) -> T:
        def run() -> T:
            try:
                with self.engine.connect() as connection:
                    if self.is_shared:  # there a transaction would not make several reads agree, but cost two more
                        connection.execution_options(isolation_level="AUTOCOMMIT")
                    try:
                        answer = work(connection)
                    except Exception:
                        connection.invalidate()  # an unfinished statement would keep it at what is stored now
                        raise
            except SQLAlchemyError as error:
                raise self.unread(reason(error)) from None
            self.reads.works()
            return answer

        try:
            async with asyncio.timeout(self.patience):
                return await self.loop.run_in_executor(self.readers, run)
        except TimeoutError:
            raise self.unread("no answer") from None

    def unstored(self, why: str) -> Unstored:
        """For whoever asked; only the log says why."""
        self.writes.failed(why)
        return Unstored("this cannot be stored now; try again")

    def unread(self, why: str) -> Unstored:
        self.reads.failed(why)
        return Unstored("the database cannot be read now; try again")

    def _write(self) -> None:
        """The writer's thread: all waiting jobs go into one commit."""
        while (job := self.jobs.get()) is not None:
            group = [job]
            while not self.jobs.empty() and len(group) < 200:
                following = self.jobs.get()
                if following is None:
                    self.jobs.put(None)
                    break
                group.append(following)
            group = [(work, future) for work, future in group if not future.cancelled()]  # not those given up
            began = time.perf_counter()
            answers = self._commit([work for work, _ in group])
            self.commit_seconds += time.perf_counter() - began
            settled = [(future, answer) for (_, future), answer in zip(group, answers, strict=True)]
            self.loop.call_soon_threadsafe(self._settle, settled)

    def _settle(self, answers: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
        for future, answer in answers:
            if future.cancelled():
                if not isinstance(answer, Exception):
                    self.on_late_commit()
            elif isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def _commit(self, works: Sequence[Work[Any]], tries: int = 3) -> list[Any]:
        """The answer of every job, or the exception it raised; a job that fails does not affect the others.

        Most never fail, so they are tried without savepoints first, which cost two more statements each.
        """
        try:
            with self.engine.connect().execution_options(writes=True) as connection, connection.begin():
                connection.info.pop(NOTICES, None)  # of a transaction that failed
                answers = [work(connection) for work in works]
                send_notices(connection)
        except Exception as error:  # noqa: BLE001 - of one job, or of the database and thus of all
            if tries > 1 and getattr(getattr(error, "orig", None), "sqlstate", None) == DEADLOCK:
                return self._commit(works, tries - 1)
            if isinstance(error, SQLAlchemyError) and not isinstance(error, (IntegrityError, DataError)):
                return self._failed(error, works)
            return self._commit_each(works)
        self.commits += 1
        self.writes.works()
        return answers

    def _failed(self, error: Exception, works: Sequence[Work[Any]]) -> list[Any]:
        """Nothing was stored, unless nobody knows."""
        end_if_unsynced(error)
        why = self.unstored(reason(error) if isinstance(error, SQLAlchemyError) else type(error).__name__)
        return [why] * len(works)

    def _commit_each(self, works: Sequence[Work[Any]]) -> list[Any]:
        """One of them failed: nothing has been stored yet, and all are done again, each in its own savepoint."""
        answers: list[Any] = []
        try:
            with self.engine.connect().execution_options(writes=True) as connection, connection.begin():
                for work in works:
                    connection.info.pop(NOTICES, None)
                    try:
                        with connection.begin_nested():
                            answer = work(connection)
                            send_notices(connection)
                        answers.append(answer)
                    except IntegrityError:
                        answers.append(Conflict("somebody else was first: look again"))
                    except DataError:
                        answers.append(Refusal("this text cannot be stored: leave out unusual characters"))
                    except SQLAlchemyError:
                        raise
                    except Exception as error:  # noqa: BLE001 - it is raised for whoever asked
                        answers.append(error)
        except Exception as error:  # noqa: BLE001 - of the database
            return self._failed(error, works)
        self.commits += 1
        self.writes.works()
        return answers

    def notify(self, connection: Connection, **what: Any) -> None:
        """Let the other processes know, when this transaction is committed.

        A table that has changed must still be there and open: otherwise nothing of this transaction is stored.
        """
        if "table" in what and what.keys() <= {"table", "rows"}:
            check_open(connection, what["table"])
        self.tell(connection, **what)

    def tell(self, connection: Connection, **what: Any) -> None:
        """Let them know, whatever has become of the table."""
        if self.is_shared:
            payload = json.dumps({"process": self.process, **what})
            connection.info.setdefault(NOTICES, []).append(payload)


def send_notices(connection: Connection) -> None:
    """All of a transaction in one statement."""
    if notices := connection.info.pop(NOTICES, None):
        each = sa.func.unnest(sa.cast(notices, sa.ARRAY(sa.Text))).column_valued("notice")
        connection.execute(sa.select(sa.func.pg_notify(CHANNEL, each)))


def reason(error: SQLAlchemyError) -> str:
    """A database's own words in one line, without the statement, which may contain secrets."""
    words = str(error.orig) if isinstance(error, DBAPIError) else type(error).__name__
    return words.strip().splitlines()[0][:200] if words.strip() else type(error).__name__


def beat(db: Connection, now: float) -> None:
    """A write that only shows that the database takes writes."""
    if not db.execute(HEARTBEAT.update().where(HEARTBEAT.c.id == 1).values(made=now)).rowcount:
        db.execute(HEARTBEAT.insert().values(id=1, made=now))


# Damage: what a column holds that nobody can have stored there. SQLite takes anything, and disks and people err.

DAMAGED = Damaged()
END_OF_TIME = 2.5e11  # seconds; later there are no dates


def column_checks(table: Table) -> dict[str, tuple[tuple[type, ...], int | None]]:
    """What each column may hold: of which types, and its length: of a text at most, of bytes exactly."""
    checks = {}
    for column in table.columns:
        kinds: tuple[type, ...] = (dict, list) if isinstance(column.type, sa.JSON) else (column.type.python_type,)
        kinds += ((int,) if kinds == (float,) else ()) + ((type(None),) if column.nullable else ())
        checks[column.name] = kinds, getattr(column.type, "length", None)
    return checks


CHECKS = {table.name: column_checks(table) for table in METADATA.tables.values()}


def find_damage(table: Table, row: Sequence[Any], columns: Sequence[str] | None = None) -> str:
    """The column that is damaged, of all or of these; nothing where none is."""
    checks = CHECKS[table.name]
    for name, value in zip(columns or checks, row, strict=True):
        (kinds, length), kind = checks[name], type(value)
        if (
            kind not in kinds
            or (length is not None and kind is bytes and len(value) != length)
            or (length is not None and kind is str and len(value) > length)
            or (kind is float and not 0 <= value < END_OF_TIME)
        ):
            return f"{table.name}.{name}"
    return ""


def is_sound(table: Table, row: Sequence[Any], columns: Sequence[str] | None = None) -> bool:
    return not find_damage(table, row, columns)


def check_row(table: Table, row: Sequence[Any]) -> None:
    if damage := find_damage(table, row):
        raise BrokenLog(f"{damage} cannot be this")


def as_name(stored: Any) -> str:
    """A guest's name as it is shown: that of a damaged row is empty."""
    return names.shown(stored) if isinstance(stored, str) else ""


# Guests


def add_guest(db: Connection, key: str, name: str, token: bytes, recovery: bytes, made: float) -> None:
    db.execute(GUEST.insert().values(id=key, name=name, token=token, recovery=recovery, made=made))


def find_guest(db: Connection, **by: bytes | str) -> Guest | None:
    """The guest with this id, or with this hash of a token or a recovery code."""
    ((column, value),) = by.items()
    asked = sa.select(GUEST.c.id, GUEST.c.name, GUEST.c.token, GUEST.c.banned, GUEST.c.ban_reason)
    row = db.execute(asked.where(GUEST.c[column] == value)).first()
    if row is None:
        return None
    banned = row.banned if isinstance(row.banned, float | int) else None  # that of a damaged row is none
    return Guest(row.id, as_name(row.name), row.token, banned, as_name(row.ban_reason))


def rekey_guest(db: Connection, old: bytes, token: bytes, recovery: bytes) -> Guest:
    """Another token and recovery code; returns the guest as it was before."""
    guest = find_guest(db, recovery=old)
    changed = db.execute(GUEST.update().where(GUEST.c.recovery == old).values(token=token, recovery=recovery))
    if guest is None or changed.rowcount != 1:
        raise Refusal("no guest has this recovery code; each works once")
    return guest


def change_guest(db: Connection, guest: Guest, **change: str | bytes) -> bool:
    """Another name, or a token that nobody has; False if the guest's token is not valid any more."""
    is_known = (GUEST.c.id == guest.id) & (GUEST.c.token == guest.token)
    return db.execute(GUEST.update().where(is_known).values(**change)).rowcount == 1


# Tables


def add_table(db: Connection, facts: TableFacts, chairs: Sequence[Chair], rows: Sequence[LogRow]) -> None:
    columns = {key: value for key, value in vars(facts).items() if key != "seals"}
    counted = {"settings": facts.settings.model_dump(), "seats": len(chairs), "actions": 0}
    db.execute(SITTING.insert().values(**{**columns, **counted}))
    for seal in facts.seals:
        store_seal(db, facts.id, None, seal)
    for chair in chairs:
        columns = {key: value for key, value in vars(chair).items() if key != "name"}
        db.execute(SEAT.insert().values(sitting=facts.id, **columns))
    add_rows(db, facts.id, rows)


# Written out: these are done for every action.
COUNT = sa.text("UPDATE sitting SET actions = actions + :more WHERE id = :key AND closed IS NULL")
COLUMNS = ("sitting", *LogRow._fields)
ADD = sa.text(f"INSERT INTO log ({', '.join(COLUMNS)}) VALUES (:{', :'.join(COLUMNS)})")


def add_rows(db: Connection, sitting: str, rows: Sequence[LogRow]) -> None:
    """Add actions to the log of a table, if it is still there and open."""
    if rows:
        db.execute(ADD, [{"sitting": sitting, **row._asdict()} for row in rows])
        if not db.execute(COUNT, {"key": sitting, "more": len(rows)}).rowcount:
            check_open(db, sitting)


def link_rows(db: Connection, sitting: str, links: dict[int, bytes]) -> None:
    """Store the links of actions that were stored before the actions they follow."""
    for at, link in links.items():
        db.execute(LOG.update().where(LOG.c.sitting == sitting, LOG.c.at == at).values(link=link))


def end_table(db: Connection, key: str, ended: float) -> None:
    db.execute(SITTING.update().where(SITTING.c.id == key).values(ended=ended))


def begin_table(db: Connection, key: str, begun: float) -> None:
    db.execute(SITTING.update().where(SITTING.c.id == key, SITTING.c.begun.is_(None)).values(begun=begun))


def check_open(db: Connection, key: str) -> None:
    """Refuse to change a table that was deleted or closed; until this transaction is committed, neither happens."""
    asked = sa.select(SITTING.c.closed).where(SITTING.c.id == key)
    row = db.execute(asked.with_for_update(read=True, key_share=True)).first()
    if row is None:
        raise NoTable
    if row.closed is not None:
        raise TableClosed


def read_chairs(db: Connection, ids: Sequence[str]) -> dict[str, list[Chair]]:
    joined = SEAT.outerjoin(GUEST, GUEST.c.id == SEAT.c.guest)
    name = sa.case((SEAT.c.guest == FORMER, FORMER_NAME), else_=GUEST.c.name)
    asked = sa.select(SEAT, name).select_from(joined).where(SEAT.c.sitting.in_(ids)).order_by(SEAT.c.seat)
    found: dict[str, list[Chair]] = {key: [] for key in ids}
    for *seat, name in db.execute(asked).all():
        check_row(SEAT, seat)
        found[seat[0]].append(Chair(*seat[1:], *[as_name(name) if seat[3] else None]))
    return found


def read_rows(db: Connection, key: str, since: int = 0) -> list[LogRow]:
    asked = sa.select(LOG.c.at, LOG.c.actor, LOG.c.action, LOG.c.made, LOG.c.link)
    found = db.execute(asked.where(LOG.c.sitting == key, LOG.c.at >= since).order_by(LOG.c.at))
    rows = []
    for row in found.all():
        check_row(LOG, (key, *row))
        rows.append(LogRow(*row))
    return rows


def read_facts(row: sa.Row[Any], seals: list[StoredSeal]) -> TableFacts:
    check_row(SITTING, row)
    columns = dict(row._mapping)
    return TableFacts(**{**columns, "settings": StoredSettings(**columns["settings"]), "seals": seals})


@contextmanager
def reading(key: str) -> Iterator[None]:
    """Whatever goes wrong with the rows of a table is its damage."""
    try:
        yield
    except (SQLAlchemyError, BrokenLog):
        raise
    except Exception as error:  # noqa: BLE001 - such as JSON that is none
        raise BrokenLog(f"table {key}: {type(error).__name__}: {str(error)[:200]}") from None


def read_table(db: Connection, key: str, since: int = 0) -> StoredTable | None:
    with reading(key):
        cards = read_cards(db, [key])
        if not cards:
            return None
        facts, chairs = cards[0]
        rematch = db.scalar(sa.select(SITTING.c.id).where(SITTING.c.rematch_of == key))
        rows, restrictions = read_rows(db, key, since), read_restrictions(db, key)
        if since + len(rows) < facts.actions:  # another process may have added some since we read the facts
            raise BrokenLog(f"table {key}: of {facts.actions} actions {since + len(rows)} are stored")
        return StoredTable(facts, chairs, rows, rematch, restrictions)


def read_cards(db: Connection, ids: Sequence[str]) -> list[tuple[TableFacts, list[Chair]]]:
    chairs, seals = read_chairs(db, ids), read_seals(db, ids)
    rows = db.execute(sa.select(SITTING).where(SITTING.c.id.in_(ids))).all()
    found = {row.id: read_facts(row, seals[row.id]) for row in rows}
    for key, facts in found.items():
        if [chair.seat for chair in chairs[key]] != list(range(facts.seats)):
            raise BrokenLog(f"table {key}: its {facts.seats} seats are not all stored")
        if not facts.seals or [seal.number for seal in facts.seals] != list(range(len(facts.seals))):
            raise BrokenLog(f"table {key}: its seals are not all stored")
    return [(found[key], chairs[key]) for key in ids if key in found]


def read_sound_cards(db: Connection, ids: Sequence[str]) -> list[tuple[TableFacts, list[Chair]]]:
    """Without the damaged ones: all at once, or, if one of them is damaged, one by one."""
    try:
        return read_cards(db, ids)
    except SQLAlchemyError:
        raise
    except Exception:  # noqa: BLE001 - of a damaged row
        cards = []
        for key in ids:
            try:
                with reading(key):
                    cards += read_cards(db, [key])
            except BrokenLog as error:
                DAMAGED.name(key, str(error))
        return cards


def list_mine(db: Connection, guest: str, most: int) -> list[tuple[TableFacts, list[Chair]]]:
    asked = sa.select(SITTING.c.id).join(SEAT, SEAT.c.sitting == SITTING.c.id).where(SEAT.c.guest == guest)
    asked = asked.group_by(SITTING.c.id, SITTING.c.made).order_by(SITTING.c.made.desc()).limit(most)
    return read_sound_cards(db, list(db.scalars(asked)))


def list_open(db: Connection, most: int) -> list[tuple[TableFacts, list[Chair]]]:
    """Tables with a seat for anyone, the newest first. Those that begin from a record, whose maker knows and may have
    chosen what chance decided, are not among them."""
    free = sa.select(SEAT.c.sitting).where(SEAT.c.takes == "anyone", SEAT.c.guest.is_(None), SEAT.c.bot.is_(None))
    asked = sa.select(SITTING.c.id).where(SITTING.c.ended.is_(None), SITTING.c.begun.is_(None), SITTING.c.id.in_(free))
    asked = asked.where(SITTING.c.given == 0)
    return read_sound_cards(db, list(db.scalars(asked.order_by(SITTING.c.made.desc()).limit(most))))


def list_unattended(db: Connection) -> list[str]:
    """Running tables that go on without anybody's page: those with a bot or a clock."""
    has_clock = ~sa.cast(SITTING.c.settings, sa.Text).contains('"clock": null')  # as text: it may be damaged
    with_bot = sa.select(SEAT.c.sitting).where(SEAT.c.bot.is_not(None))
    asked = sa.select(SITTING.c.id).where(SITTING.c.ended.is_(None), SITTING.c.begun.is_not(None))
    return list(db.scalars(asked.where(has_clock | SITTING.c.id.in_(with_bot))))


def lock_chairs(db: Connection, sitting: str, known: Sequence[Chair]) -> None:
    """Keep other processes from changing who has which seat meanwhile; what they have changed is a conflict."""
    db.execute(sa.select(SITTING.c.id).where(SITTING.c.id == sitting).with_for_update())
    guests = sa.select(SEAT.c.guest, SEAT.c.bot).where(SEAT.c.sitting == sitting).order_by(SEAT.c.seat)
    if [tuple(row) for row in db.execute(guests)] != [(chair.guest, chair.bot) for chair in known]:
        raise Conflict("somebody else was first: look again")


def read_restrictions(db: Connection, sitting: str) -> dict[str, Restriction]:
    asked = sa.select(RESTRICTION.c.guest, RESTRICTION.c.muted, RESTRICTION.c.removed)
    found = db.execute(asked.where(RESTRICTION.c.sitting == sitting))
    return {guest: Restriction(muted, removed) for guest, muted, removed in found}


def restrict(db: Connection, sitting: str, guest: str, restriction: Restriction) -> None:
    db.execute(RESTRICTION.delete().where(RESTRICTION.c.sitting == sitting, RESTRICTION.c.guest == guest))
    if any(restriction):
        db.execute(RESTRICTION.insert().values(sitting=sitting, guest=guest, **restriction._asdict()))


def change_chair(db: Connection, sitting: str, seat: int, was: Chair, **change: Any) -> None:
    """Change who has a seat, unless somebody else has changed it meanwhile."""
    same = [SEAT.c[key].is_not_distinct_from(getattr(was, key)) for key in ("guest", "bot", "left", "code")]
    done = db.execute(SEAT.update().where(SEAT.c.sitting == sitting, SEAT.c.seat == seat, *same).values(**change))
    if done.rowcount != 1:
        raise Conflict("somebody else was first: look again")


# Seals


def store_seal(db: Connection, sitting: str, was: StoredSeal | None, seal: StoredSeal) -> None:
    """Store what has become of a seal, unless somebody else has changed it meanwhile."""
    mine = [SEAL.c.sitting == sitting, SEAL.c.number == seal.number]
    columns = {name: getattr(seal, name) for name in ("place", "secret", "fixed", "shares")}
    if was is None:
        db.execute(SEAL.insert().values(sitting=sitting, number=seal.number, **columns))
    else:
        db.execute(sa.select(SEAL.c.number).where(*mine).with_for_update())
        if was not in read_seals(db, [sitting])[sitting]:
            raise Conflict("somebody else was first: look again")
        db.execute(SEAL.update().where(*mine).values(**columns))
    db.execute(SHARE.delete().where(SHARE.c.sitting == sitting))
    for seat, commitment in seal.commitments.items():
        share = {"seat": seat, "commitment": commitment, "share": seal.opened.get(seat)}
        db.execute(SHARE.insert().values(sitting=sitting, **share))


def read_seals(db: Connection, ids: Sequence[str]) -> dict[str, list[StoredSeal]]:
    found: dict[str, list[StoredSeal]] = {key: [] for key in ids}
    for row in db.execute(sa.select(SEAL).where(SEAL.c.sitting.in_(ids)).order_by(SEAL.c.number)).all():
        check_row(SEAL, row)
        found[row[0]].append(StoredSeal(*row[1:]))
    for row in db.execute(sa.select(SHARE).where(SHARE.c.sitting.in_(ids))).all():
        check_row(SHARE, row)
        sitting, seat, commitment, share = row
        seal = found[sitting][-1]
        seal.commitments[seat] = commitment
        if share is not None:
            seal.opened[seat] = share
    return found


# Chat


def add_chat(db: Connection, sitting: str, seat: int | None, guest: str, name: str, text: str, made: float) -> ChatRow:
    """A line of chat, unless its guest is muted."""
    muted = db.scalar(sa.select(GUEST.c.muted).where(GUEST.c.id == guest))
    if muted is not None and made < muted:
        raise NotYours(f"you may not chat before {moment(muted)}")
    values = {"seat": seat, "guest": guest, "name": name, "text": text, "made": made}
    row = db.execute(CHAT.insert().values(sitting=sitting, **values).returning(CHAT.c.id))
    return ChatRow(row.scalar_one(), seat, guest, name, text, made)


def read_chat(db: Connection, sitting: str, after: int, most: int) -> list[ChatRow]:
    """The last lines of the players, and of the spectators."""
    asked = sa.select(CHAT.c.id, CHAT.c.seat, CHAT.c.guest, CHAT.c.name, CHAT.c.text, CHAT.c.made)
    asked = asked.where(CHAT.c.sitting == sitting, CHAT.c.id > after).order_by(CHAT.c.id.desc()).limit(most)
    kinds = [asked.where(CHAT.c.seat.is_not(None)), asked.where(CHAT.c.seat.is_(None))]
    rows = [row for kind in kinds for row in db.execute(kind).all() if is_sound(CHAT, (row.id, sitting, *row[1:]))]
    lines = sorted(ChatRow(*row) for row in rows)
    return [line._replace(name=names.shown(line.name), text=names.clean(line.text)) for line in lines]


def count_spectators_lines(db: Connection, sitting: str, guest: str) -> tuple[int, int]:
    """How many lines spectators have written at a table, and how many of them this guest."""
    asked = sa.select(sa.func.count()).where(CHAT.c.sitting == sitting, CHAT.c.seat.is_(None))
    return db.scalar(asked) or 0, db.scalar(asked.where(CHAT.c.guest == guest)) or 0
