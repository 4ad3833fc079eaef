"""The connection to the database. Writes go through one connection in one thread, which commits everything that is
waiting in one transaction (on SQLite a commit is synced to the disk); the caller is answered only after the commit. On
PostgreSQL every change notifies the other processes of the table that changed (NOTIFY).
"""

import asyncio
import json
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, event
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError

from motherlode.engine import Refusal
from motherlode.server.faults import Fault, end_if_unsynced
from motherlode.server.processes import locked
from motherlode.server.queries import check_open
from motherlode.server.refusals import Conflict, Unstored

CHANNEL = "motherlode"
NOTICES = "notices"  # of a transaction, in its connection's `info`
DEADLOCK = "40P01"  # two processes stored several tables in opposite orders; PostgreSQL has undone one of them

T = TypeVar("T")
Work = Callable[[Connection], T]


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
