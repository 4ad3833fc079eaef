"""What whoever runs the server does to tables and guests, each with a line in the log of what was done.

Everything is stored first. Then the table is read again where it is in memory, in this process and (told by the
database) in the others, and sockets that have to go are dropped.
"""

import contextlib
import logging
from collections.abc import AsyncIterator
from functools import partial

from sqlalchemy import Connection

from motherlode.engine import Refusal
from motherlode.server import admin_queries, storage
from motherlode.server.live_table import LiveTable
from motherlode.server.parlour import Parlour
from motherlode.server.refusals import BrokenLog, NoTable, Unstored

log = logging.getLogger("motherlode")
DAY = 24 * 3600.0
SWEEP_EVERY = 3600.0  # seconds
BATCH = 20  # tables that are deleted before others get a turn
FOREVER = 253_402_300_799.0  # the end of the year 9999


class Housekeeping:
    def __init__(self, parlour: Parlour) -> None:
        self.parlour = parlour

    def note(self, db: Connection, what: str, whom: str, reason: str = "") -> None:
        admin_queries.add_audit(db, self.parlour.now(), what, whom, reason)

    async def write(self, what: str, whom: str, work: storage.Work[None], reason: str = "") -> None:
        """Do this and note it, in one transaction."""

        def noted(db: Connection) -> None:
            work(db)
            self.note(db, what, whom, reason)

        await self.parlour.storage.write(noted)
        log.info("administration", extra={"what": what, "whom": whom or reason})

    # Tables

    async def close(self, key: str, reason: str) -> None:
        """The game ends unfinished. Its secret stays hidden: it would open hands that were never to be shown."""

        def work(db: Connection) -> None:
            admin_queries.close_table(db, key, self.parlour.now())
            self.parlour.storage.tell(db, table=key)

        await self.write("close", key, work, reason)
        await self.parlour.changed(key)

    async def delete(self, key: str, reason: str) -> None:
        await self.write("delete-table", key, lambda db: self.delete_rows(db, key), reason)
        await self.parlour.changed(key)

    def delete_rows(self, db: Connection, key: str) -> None:
        admin_queries.delete_table(db, key)
        self.parlour.storage.tell(db, table=key)

    # Guests

    async def ban(self, guest: str, seconds: float, reason: str) -> None:
        """Refuse the guest until then. Others may give its seats to a bot at once."""
        await self.shut_out(guest, self.parlour.now() + seconds, reason, "ban")
        async for live, seat in self.running_seats(guest):
            with contextlib.suppress(Refusal):  # somebody else has changed it meanwhile
                await live.serially(partial(self.get_up, live, seat, guest))

    async def shut_out(self, guest: str, until: float | None, reason: str, what: str) -> None:
        """Ban a guest, or end its ban, and let every process know."""

        def work(db: Connection) -> None:
            admin_queries.change_guest(db, guest, banned=until, ban_reason=reason or None)
            self.parlour.storage.tell(db, guest=guest)

        await self.write(what, guest, work, reason)
        await self.parlour.guests.refresh(guest)

    async def get_up(self, live: LiveTable, seat: int, guest: str) -> None:
        if live.chairs[seat].guest == guest and not live.is_over:
            await live.seating.change(seat, left=True)

    async def running_seats(self, guest: str) -> AsyncIterator[tuple[LiveTable, int]]:
        """The seats of a guest in games that have not ended, except where the log is damaged."""
        found = await self.parlour.storage.read(lambda db: admin_queries.list_seats(db, guest, running=True))
        for key, seat in found:
            try:
                yield await self.parlour.find(key), seat
            except (Refusal, BrokenLog):
                log.warning("a table could not be loaded", extra={"table": key})

    async def unban(self, guest: str, reason: str) -> None:
        await self.shut_out(guest, None, reason, "unban")

    async def mute(self, guest: str, seconds: float, reason: str) -> None:
        until = self.parlour.now() + seconds
        await self.write("mute", guest, lambda db: admin_queries.change_guest(db, guest, muted=until), reason)

    async def unmute(self, guest: str, reason: str) -> None:
        await self.write("unmute", guest, lambda db: admin_queries.change_guest(db, guest, muted=None), reason)

    async def delete_guest(self, guest: str, reason: str) -> tuple[int, int]:
        """Delete a guest; the number of tables that went with it, and of those that stay for others.

        The guest goes last. If the server is stopped before that, it is shut out, and can be deleted again.
        """
        parlour = self.parlour
        await self.shut_out(guest, FOREVER, "", "shut out for deletion")
        alone = await parlour.storage.read(lambda db: admin_queries.list_alone(db, guest))
        for key in alone:
            await parlour.storage.write(partial(self.delete_rows, key=key))
            await parlour.changed(key)
        async for live, seat in self.running_seats(guest):
            await live.serially(partial(self.replace, live, seat, guest))
        kept = {key for key, _ in await parlour.storage.read(lambda db: admin_queries.list_seats(db, guest))}

        def work(db: Connection) -> None:
            for key in kept:
                parlour.storage.tell(db, table=key)
            parlour.storage.tell(db, guest=guest)
            admin_queries.delete_guest(db, guest)

        await self.write("delete-guest", guest, work, reason)
        await parlour.guests.refresh(guest)
        for key in kept:
            await parlour.changed(key)
        return len(alone), len(kept)

    async def replace(self, live: LiveTable, seat: int, guest: str) -> None:
        """The seat goes to the table's substitute for good."""
        if live.chairs[seat].guest == guest and not live.is_over:
            bot = live.substitute
            await live.seating.change(seat, guest=None, name=None, bot=bot, left=False, code=None, adjourns=False)

    # What the bots compute

    async def clear_queue(self, guest: str | None, table: str | None, reason: str) -> int:
        """Drop the questions that wait, in every process; how many they were in this one."""
        meant = {"guest": guest or "", "table": table or ""}
        await self.write(
            "clear-queue",
            guest or table or "",
            lambda db: self.parlour.storage.tell(db, clear=True, **meant),
            reason,
        )
        return self.parlour.bot_workers.clear(guest, table)

    # Retention

    def start_retention(self) -> None:
        """Delete what has been over for too long, now and every hour."""
        if self.parlour.settings.retention:
            self.parlour.spawn(self.sweep())
            self.parlour.clock.call_later(SWEEP_EVERY, self.start_retention)

    async def sweep(self) -> None:
        """One of the processes on a database does it, a few tables at a time."""
        parlour = self.parlour
        before = parlour.now() - parlour.settings.retention * DAY
        if not await parlour.lease("retention"):
            return
        try:
            while keys := await parlour.storage.read(lambda db: admin_queries.list_expired(db, before, BATCH)):
                await self.delete_batch(keys)
        except (Unstored, NoTable) as error:  # or somebody has just deleted one of them
            log.warning("old tables not deleted", extra={"reason": str(error)})
        finally:
            await parlour.release("retention")

    async def delete_batch(self, keys: list[str]) -> None:
        def work(db: Connection) -> None:
            for key in keys:
                self.delete_rows(db, key)

        await self.write("retention", "", work, f"{len(keys)} tables")
        for key in keys:
            await self.parlour.changed(key)
