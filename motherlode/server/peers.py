"""The other processes on the same PostgreSQL: their notices, their heartbeats, and who drives which bots."""

import asyncio
import contextlib
import hashlib
import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
import sqlalchemy as sa

from motherlode.server.faults import Fault
from motherlode.server.refusals import Unstored
from motherlode.server.schema import LogRow
from motherlode.server.storage import CHANNEL

if TYPE_CHECKING:
    from motherlode.server.parlour import Parlour

log = logging.getLogger("motherlode")
MISSED_HEARTBEATS = 4  # after which a process counts as dead


class Notice(NamedTuple):
    """What a process tells the others. With a table alone: it has changed. With nothing: a heartbeat."""

    process: str = ""
    table: str = ""
    rows: list[list[Any]] | None = None  # these, and nothing else of the table, were added to its log
    guest: str = ""  # whose name or token has changed, or who was banned or deleted …
    revoked: str = ""  # … and the token's hash that is not valid any more
    here: list[int] | None = None  # the seats that have a page in that process …
    watchers: int = 0  # … and how many spectators
    who: bool = False  # it asks who is there
    gone: bool = False  # it stops
    clear: bool = False  # questions to bots that wait, of this guest or table or all, are to be dropped


MOST_ROWS = 50  # in a notice, which has at most 8,000 bytes


def pack_rows(rows: Sequence[LogRow]) -> list[list[Any]] | None:
    """Rows of a log, for a notice; too many are rather read."""
    return [[*row[:4], row.link.hex() if row.link else None] for row in rows] if len(rows) <= MOST_ROWS else None


def unpack_rows(rows: list[list[Any]]) -> list[LogRow]:
    return [LogRow(at, actor, a, made, link and bytes.fromhex(link)) for at, actor, a, made, link in rows]


def lock_number(key: str) -> int:
    """A table's advisory lock: 63 bits of its id."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 1


class Peers:
    def __init__(self, parlour: "Parlour") -> None:
        self.parlour = parlour
        self.process = parlour.storage.process
        address = sa.make_url(parlour.storage.url).set(drivername="postgresql")
        self.address = address.render_as_string(hide_password=False)
        self.last_notice: dict[str, float] = {}  # when each process last told something, by the event loop's time
        self.ahead = 0.0  # of our steady time: the database's clock, by which all processes go
        self.leases: psycopg.AsyncConnection[Any] | None = None
        self.leasing = asyncio.Lock()  # one statement at a time on that connection
        self.listening = asyncio.Event()
        self.presence: dict[str, tuple[list[int], int]] = {}  # by table, what is still to be told
        self.telling = asyncio.Lock()
        self.notices = Fault("notices from the database")

    def now(self) -> float:
        return self.parlour.steady() + self.ahead

    async def open(self) -> None:
        await self._read_clock()
        self.listener = asyncio.create_task(self._listen())
        self.heartbeat = asyncio.create_task(self._beat())
        await self.listening.wait()

    async def close(self) -> None:
        for task in (self.listener, self.heartbeat):
            task.cancel()
        await asyncio.gather(self.listener, self.heartbeat, return_exceptions=True)
        if self.leases:
            await self.leases.close()

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        return await psycopg.AsyncConnection.connect(self.address, autocommit=True, connect_timeout=10)

    async def _listen(self) -> None:
        """Receive notices; after a lost connection every table is read again."""
        is_first = True
        while True:
            try:
                async with await self._connect() as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self.listening.set()
                    self.notices.works()
                    if not is_first:
                        for table in list(self.parlour.tables.values()):
                            table.is_stale = True
                            self.parlour.spawn(self.parlour.refresh(table))
                        for guest in self.parlour.guests.listening():
                            self.parlour.spawn(self.parlour.guests.refresh(guest))
                    is_first = False
                    async for notify in connection.notifies():
                        self._receive(Notice(**json.loads(notify.payload)))
            except psycopg.Error as error:
                self.notices.failed(str(error).partition("\n")[0])
                await asyncio.sleep(1)

    def _receive(self, notice: Notice) -> None:
        if notice.process == self.process:
            return
        if notice.process:
            self.last_notice[notice.process] = asyncio.get_running_loop().time()
        if notice.gone:
            self.last_notice.pop(notice.process, None)
            self.parlour.lose(notice.process)
        self.parlour.receive(notice)

    async def _read_clock(self) -> None:
        asked = sa.select(sa.extract("epoch", sa.func.clock_timestamp()))
        there = await self.parlour.storage.read(lambda db: db.scalar(asked))
        self.ahead = float(there or 0.0) - self.parlour.steady()

    async def _beat(self) -> None:
        seconds = self.parlour.settings.heartbeat
        while True:
            await self._tell()
            with contextlib.suppress(Unstored):
                await self._read_clock()
            now = asyncio.get_running_loop().time()
            for process, last in list(self.last_notice.items()):
                if now - last > MISSED_HEARTBEATS * seconds:
                    del self.last_notice[process]
                    log.warning("a process fell silent", extra={"peer": process})
                    self.parlour.lose(process)
            await asyncio.sleep(seconds)

    async def _tell(self, **what: Any) -> None:
        with contextlib.suppress(Exception):  # heartbeats and presence are told again
            await self.parlour.storage.write(lambda db: self.parlour.storage.notify(db, **what))

    def tell_presence(self, key: str, here: tuple[list[int], int]) -> None:
        """Soon, with the others that are due: many come and go at once, and only the last word on a table counts."""
        self.presence[key] = here
        if len(self.presence) == 1:
            self.parlour.spawn(self._tell_presence())

    async def _tell_presence(self) -> None:
        """In one transaction; what comes while that one waits for its commit goes into the next."""
        async with self.telling:
            due, self.presence = self.presence, {}

            def work(db: sa.Connection) -> None:
                for key, (seats, watchers) in due.items():
                    self.parlour.storage.notify(db, table=key, here=seats, watchers=watchers)

            with contextlib.suppress(Exception):  # it is told again
                await self.parlour.storage.write(work)

    def ask_presence(self, key: str) -> None:
        self.parlour.spawn(self._tell(table=key, who=True))

    async def lease(self, key: str) -> bool:
        return await self._lock("SELECT pg_try_advisory_lock(%s)", key)

    async def release(self, key: str) -> None:
        await self._lock("SELECT pg_advisory_unlock(%s)", key)

    async def _lock(self, statement: str, key: str) -> bool:
        async with self.leasing:
            try:
                if self.leases is None:
                    self.leases = await self._connect()
                row = await (await self.leases.execute(statement, (lock_number(key),))).fetchone()
                return bool(row and row[0])
            except psycopg.Error:
                self.leases = None  # its locks are gone with it
                return False
