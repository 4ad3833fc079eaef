"""The other processes on the same PostgreSQL: their notifications, their signs of life, and who drives which bots."""

import asyncio
import contextlib
import hashlib
import json
import logging
from typing import TYPE_CHECKING, Any

import psycopg
import sqlalchemy as sa

from motherlode.server.listener import PUBLIC
from motherlode.server.storage import CHANNEL

if TYPE_CHECKING:
    from motherlode.server.live_table import LiveTable
    from motherlode.server.parlour import Parlour

log = logging.getLogger("motherlode")


def lock_number(key: str) -> int:
    """A table's advisory lock: 63 bits of its key."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 1


class Peers:
    def __init__(self, parlour: "Parlour") -> None:
        self.parlour = parlour
        self.process = parlour.storage.process
        self.address = (
            sa.make_url(parlour.storage.url).set(drivername="postgresql").render_as_string(hide_password=False)
        )
        self.heard: dict[str, float] = {}  # when each other process last gave a sign of life, by the loop's time
        self.leases: psycopg.AsyncConnection[Any] | None = None
        self.leasing = asyncio.Lock()  # one statement at a time on that connection
        self.listening = asyncio.Event()

    async def open(self) -> None:
        self.listener = asyncio.create_task(self._listen())
        self.pulse = asyncio.create_task(self._pulse())
        await self.listening.wait()

    async def close(self) -> None:
        for task in (self.listener, self.pulse):
            task.cancel()
        await asyncio.gather(self.listener, self.pulse, return_exceptions=True)
        if self.leases:
            await self.leases.close()

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        return await psycopg.AsyncConnection.connect(self.address, autocommit=True, connect_timeout=10)

    async def _listen(self) -> None:
        """Hear what others tell; after a lost connection everything is read again."""
        is_first = True
        while True:
            try:
                async with await self._connect() as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self.listening.set()
                    if not is_first:
                        for sitting in list(self.parlour.tables.values()):
                            self.parlour.spawn(self.parlour.refresh(sitting))
                    is_first = False
                    async for notice in connection.notifies():
                        self._hear(notice.payload)
            except psycopg.Error as error:
                log.warning("the database is not heard", extra={"reason": str(error).splitlines()[0]})
                await asyncio.sleep(1)

    def _hear(self, payload: str) -> None:
        told = json.loads(payload)
        process = told.get("process")
        if process == self.process:
            return
        if process:
            self.heard[process] = asyncio.get_running_loop().time()
        if told.get("gone"):
            self.heard.pop(process, None)
            self.parlour.lose(process)
        self.parlour.hear(payload)

    async def _pulse(self) -> None:
        beat = self.parlour.settings.heartbeat
        while True:
            await self._tell()
            now = asyncio.get_running_loop().time()
            for process, last in list(self.heard.items()):
                if now - last > 4 * beat:
                    del self.heard[process]
                    log.warning("a process fell silent", extra={"peer": process})
                    self.parlour.lose(process)
            await asyncio.sleep(beat)

    async def _tell(self, **what: Any) -> None:
        with contextlib.suppress(Exception):  # signs of life and presence are told again
            await self.parlour.storage.write(lambda db: self.parlour.storage.tell(db, **what))

    def tell_presence(self, sitting: "LiveTable") -> None:
        here = sorted({listener.seat for listener in sitting.listeners if listener.seat != PUBLIC})
        watchers = sum(listener.seat == PUBLIC for listener in sitting.listeners)
        self.parlour.spawn(self._tell(table=sitting.id, here=here, watchers=watchers))

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
                self.leases = None  # its locks went with it
                return False
