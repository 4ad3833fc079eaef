"""All the SQL. The log is the table: no column holds a position, and a restart replays the log.

Writes go through one connection in one thread, which commits everything that is waiting in one transaction (on SQLite
a commit is synced to the disk); the caller is answered only after the commit. The primary key (sitting, at) of the log
makes a second action at the same place impossible, whichever process tries. On PostgreSQL every change notifies the
other processes of the table that changed (NOTIFY).
"""

import asyncio
import json
import queue
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Boolean, Column, Connection, Float, Index, Integer, LargeBinary, String, Table, event
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError

from motherlode import proof, text
from motherlode.engine import Refusal
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
    Column("begun", Float(53)),  # when the last seat was taken
    Column("ended", Float(53)),  # an index for finding running tables; the log decides
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
    Column("seat", Integer),
    Column("name", String(40), nullable=False),
    Column("text", String(500), nullable=False),
    Column("made", Float(53), nullable=False),
    Index("chat_by_sitting", "sitting", "id"),
)
CHANNEL = "motherlode"
NOTICES = "notices"  # of a transaction, in its connection's `info`

T = TypeVar("T")
Work = Callable[[Connection], T]


class Unstored(Exception):
    """The database did not take it; nothing was acknowledged."""


class Conflict(Exception):
    """Somebody else was first: look again."""


class Guest(NamedTuple):
    id: str
    name: str


@dataclass
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
        shares = tuple(self.shares.split(", ")) if self.shares else ()
        return text.Seal(self.place, self.commitment, self.secret.hex(), shares)


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


class StoredTable(NamedTuple):
    """Everything that is stored about a table except its chat."""

    facts: TableFacts
    chairs: list[Chair]
    rows: list[LogRow]
    rematch: str | None


class ChatRow(NamedTuple):
    """One line of chat."""

    id: int
    seat: int | None
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


def connect(url: str, timeout: float) -> sa.Engine:
    """An engine; on SQLite readers do not wait for the writer, and every commit is synced to the disk."""
    address = read_address(url)
    if address.get_backend_name() == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
        return sa.create_engine(address, pool_size=4, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    if address.get_backend_name() != "sqlite":
        raise Refusal(f"the database can be sqlite or postgresql, not {address.get_backend_name()}")
    if not address.database or address.database == ":memory:":
        raise Refusal("the database must be a file, as in sqlite:///parlour.db: one in memory would not outlive a stop")
    try:
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
        Path(address.database).touch(mode=0o600)  # it holds the secrets of running games
    except OSError as error:
        raise Refusal(f"the database {address.database} cannot be used: {error.strerror}") from None
    engine = sa.create_engine(address, connect_args={"timeout": timeout, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver leaves transactions alone; `begin` below opens them
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
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
        return await future

    async def read(self, work: Work[T]) -> T:
        def run() -> T:
            try:
                with self.engine.connect() as connection:
                    if self.is_shared:  # there a transaction would not make several reads agree, but cost two more
                        connection.execution_options(isolation_level="AUTOCOMMIT")
                    return work(connection)
            except SQLAlchemyError as error:
                raise Unstored(f"the database cannot be read now ({reason(error)}); try again") from None

        return await self.loop.run_in_executor(self.readers, run)

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
            began = time.perf_counter()
            answers = self._commit([work for work, _ in group])
            self.commit_seconds += time.perf_counter() - began
            self.loop.call_soon_threadsafe(settle, [(future, a) for (_, future), a in zip(group, answers, strict=True)])

    def _commit(self, works: Sequence[Work[Any]]) -> list[Any]:
        """The answer of every job, or the exception it raised; a job that fails does not affect the others.

        Most never fail, so they are tried without savepoints first, which cost two more statements each.
        """
        try:
            with self.engine.connect().execution_options(writes=True) as connection, connection.begin():
                answers = [work(connection) for work in works]
                send_notices(connection)
        except Exception as error:  # noqa: BLE001 - of one job, or of the database and thus of all
            if isinstance(error, SQLAlchemyError) and not isinstance(error, (IntegrityError, DataError)):
                return [unstored(error)] * len(works)
            return self._commit_each(works)
        self.commits += 1
        return answers

    def _commit_each(self, works: Sequence[Work[Any]]) -> list[Any]:
        """One of them failed: nothing has been stored yet, and all are done again, each in its own savepoint."""
        answers: list[Any] = []
        try:
            with self.engine.connect().execution_options(writes=True) as connection, connection.begin():
                for work in works:
                    connection.info.pop(NOTICES, None)  # of one that failed
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
            self.commits += 1
        except SQLAlchemyError as error:
            return [unstored(error)] * len(works)
        return answers

    def notify(self, connection: Connection, **what: Any) -> None:
        """Let the other processes know, when this transaction is committed."""
        if self.is_shared:
            payload = json.dumps({"process": self.process, **what})
            connection.info.setdefault(NOTICES, []).append(payload)


def send_notices(connection: Connection) -> None:
    """All of a transaction in one statement."""
    if notices := connection.info.pop(NOTICES, None):
        each = sa.func.unnest(sa.cast(notices, sa.ARRAY(sa.Text))).column_valued("notice")
        connection.execute(sa.select(sa.func.pg_notify(CHANNEL, each)))


def settle(answers: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, answer in answers:
        if future.done():
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def reason(error: SQLAlchemyError) -> str:
    """A database's own words in one line, without the statement, which may contain secrets."""
    words = str(error.orig) if isinstance(error, DBAPIError) else type(error).__name__
    return words.strip().splitlines()[0][:200] if words.strip() else type(error).__name__


def unstored(error: SQLAlchemyError) -> Unstored:
    return Unstored(f"this cannot be stored now ({reason(error)}); try again")


# Guests


def add_guest(db: Connection, key: str, name: str, token: bytes, recovery: bytes, made: float) -> None:
    db.execute(GUEST.insert().values(id=key, name=name, token=token, recovery=recovery, made=made))


def find_guest(db: Connection, **by: bytes) -> Guest | None:
    """The guest of a token's or a recovery code's hash."""
    ((column, value),) = by.items()
    row = db.execute(sa.select(GUEST.c.id, GUEST.c.name).where(GUEST.c[column] == value)).first()
    return Guest(*row) if row else None


def rekey_guest(db: Connection, old: bytes, token: bytes, recovery: bytes) -> Guest:
    guest = find_guest(db, recovery=old)
    changed = db.execute(GUEST.update().where(GUEST.c.recovery == old).values(token=token, recovery=recovery))
    if guest is None or changed.rowcount != 1:
        raise Refusal("no guest has this recovery code; each works once")
    return guest


def rename_guest(db: Connection, key: str, name: str) -> None:
    db.execute(GUEST.update().where(GUEST.c.id == key).values(name=name))


# Tables


def add_table(db: Connection, facts: TableFacts, chairs: Sequence[Chair], rows: Sequence[LogRow]) -> None:
    columns = {key: value for key, value in vars(facts).items() if key != "seals"}
    db.execute(SITTING.insert().values(**{**columns, "settings": facts.settings.model_dump()}))
    for seal in facts.seals:
        store_seal(db, facts.id, None, seal)
    for chair in chairs:
        columns = {key: value for key, value in vars(chair).items() if key != "name"}
        db.execute(SEAT.insert().values(sitting=facts.id, **columns))
    add_rows(db, facts.id, rows)


def add_rows(db: Connection, sitting: str, rows: Sequence[LogRow]) -> None:
    if rows:
        db.execute(LOG.insert(), [{"sitting": sitting, **row._asdict()} for row in rows])


def link_rows(db: Connection, sitting: str, links: dict[int, bytes]) -> None:
    """Store the links of actions that were stored before the actions they follow."""
    for at, link in links.items():
        db.execute(LOG.update().where(LOG.c.sitting == sitting, LOG.c.at == at).values(link=link))


def end_table(db: Connection, key: str, ended: float) -> None:
    db.execute(SITTING.update().where(SITTING.c.id == key).values(ended=ended))


def begin_table(db: Connection, key: str, begun: float) -> None:
    db.execute(SITTING.update().where(SITTING.c.id == key, SITTING.c.begun.is_(None)).values(begun=begun))


def read_chairs(db: Connection, ids: Sequence[str]) -> dict[str, list[Chair]]:
    joined = SEAT.outerjoin(GUEST, GUEST.c.id == SEAT.c.guest)
    asked = sa.select(SEAT, GUEST.c.name).select_from(joined).where(SEAT.c.sitting.in_(ids)).order_by(SEAT.c.seat)
    found: dict[str, list[Chair]] = {key: [] for key in ids}
    for sitting, *rest in db.execute(asked):
        found[sitting].append(Chair(*rest))
    return found


def read_rows(db: Connection, key: str, since: int = 0) -> list[LogRow]:
    asked = sa.select(LOG.c.at, LOG.c.actor, LOG.c.action, LOG.c.made, LOG.c.link)
    found = db.execute(asked.where(LOG.c.sitting == key, LOG.c.at >= since).order_by(LOG.c.at))
    return [LogRow(*row) for row in found]


def read_facts(row: sa.Row[Any], seals: list[StoredSeal]) -> TableFacts:
    columns = dict(row._mapping)
    return TableFacts(**{**columns, "settings": StoredSettings(**columns["settings"]), "seals": seals})


def read_table(db: Connection, key: str, since: int = 0) -> StoredTable | None:
    row = db.execute(sa.select(SITTING).where(SITTING.c.id == key)).first()
    if row is None:
        return None
    rematch = db.scalar(sa.select(SITTING.c.id).where(SITTING.c.rematch_of == key))
    facts = read_facts(row, read_seals(db, [key])[key])
    return StoredTable(facts, read_chairs(db, [key])[key], read_rows(db, key, since), rematch)


def read_cards(db: Connection, ids: Sequence[str]) -> list[tuple[TableFacts, list[Chair]]]:
    chairs, seals = read_chairs(db, ids), read_seals(db, ids)
    found = {
        row.id: read_facts(row, seals[row.id]) for row in db.execute(sa.select(SITTING).where(SITTING.c.id.in_(ids)))
    }
    return [(found[key], chairs[key]) for key in ids if key in found]


def list_mine(db: Connection, guest: str, most: int) -> list[tuple[TableFacts, list[Chair]]]:
    asked = sa.select(SITTING.c.id).join(SEAT, SEAT.c.sitting == SITTING.c.id).where(SEAT.c.guest == guest)
    asked = asked.group_by(SITTING.c.id, SITTING.c.made).order_by(SITTING.c.made.desc()).limit(most)
    return read_cards(db, list(db.scalars(asked)))


def list_open(db: Connection, most: int) -> list[tuple[TableFacts, list[Chair]]]:
    """Tables with a seat for anyone, the newest first."""
    free = sa.select(SEAT.c.sitting).where(SEAT.c.takes == "anyone", SEAT.c.guest.is_(None), SEAT.c.bot.is_(None))
    asked = sa.select(SITTING.c.id).where(SITTING.c.ended.is_(None), SITTING.c.begun.is_(None), SITTING.c.id.in_(free))
    return read_cards(db, list(db.scalars(asked.order_by(SITTING.c.made.desc()).limit(most))))


def list_unattended(db: Connection) -> list[str]:
    """Running tables that go on without anybody's page: those with a bot or a clock."""
    has_clock = SITTING.c.settings["clock"].as_integer().is_not(None)
    with_bot = sa.select(SEAT.c.sitting).where(SEAT.c.bot.is_not(None))
    asked = sa.select(SITTING.c.id).where(SITTING.c.ended.is_(None), SITTING.c.begun.is_not(None))
    return list(db.scalars(asked.where(has_clock | SITTING.c.id.in_(with_bot))))


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
    for sitting, *columns in db.execute(sa.select(SEAL).where(SEAL.c.sitting.in_(ids)).order_by(SEAL.c.number)):
        found[sitting].append(StoredSeal(*columns))
    for sitting, seat, commitment, share in db.execute(sa.select(SHARE).where(SHARE.c.sitting.in_(ids))):
        seal = found[sitting][-1]
        seal.commitments[seat] = commitment
        if share is not None:
            seal.opened[seat] = share
    return found


# Chat


def add_chat(db: Connection, sitting: str, seat: int | None, name: str, text: str, made: float) -> ChatRow:
    row = db.execute(
        CHAT.insert().values(sitting=sitting, seat=seat, name=name, text=text, made=made).returning(CHAT.c.id)
    )
    return ChatRow(row.scalar_one(), seat, name, text, made)


def read_chat(db: Connection, sitting: str, after: int, most: int) -> list[ChatRow]:
    asked = sa.select(CHAT.c.id, CHAT.c.seat, CHAT.c.name, CHAT.c.text, CHAT.c.made)
    asked = asked.where(CHAT.c.sitting == sitting, CHAT.c.id > after).order_by(CHAT.c.id.desc()).limit(most)
    return [ChatRow(*row) for row in db.execute(asked)][::-1]
