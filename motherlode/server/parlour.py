"""All tables of one process: found in memory or loaded, let go when nobody looks, their bots driven.

A table is in memory once: as long as anybody refers to it (a page, a request, a bot), it is found in `tables`, which
holds nothing itself. `kept` holds those that are busy, and those asked for last.

Several processes on one PostgreSQL share all tables. What one changes, the others read again when they are notified. A
bot's turn is taken by the process that holds the table's lease (an advisory lock, free at once when its holder dies).
When a process falls silent, the others take over the tables that go on without anybody's page.
"""

import asyncio
import contextlib
import logging
import re
import secrets
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from itertools import islice
from math import ceil
from typing import Any
from weakref import WeakValueDictionary

from motherlode.bots import hint
from motherlode.engine import Refusal
from motherlode.server import queries, schema, storage
from motherlode.server.bot_workers import CLEARED, BotWorkers, Cleared
from motherlode.server.damage import check_loaded, check_stored
from motherlode.server.fair_queue import Asker
from motherlode.server.guests import Guests
from motherlode.server.listener import DELETED, Listener
from motherlode.server.live_table import LiveTable
from motherlode.server.metrics import Metrics
from motherlode.server.peers import Notice, Peers, unpack_rows
from motherlode.server.refusals import BrokenLog, Conflict, NoRoom, NoTable, TableClosed, Unstored
from motherlode.server.schema import LogRow, StoredTable
from motherlode.server.settings import Settings
from motherlode.server.storage import Storage
from motherlode.table import Stale

log = logging.getLogger("motherlode")
ID = re.compile(r"[A-Za-z0-9_-]{22}")


class Parlour:
    def __init__(self, settings: Settings) -> None:
        self.settings, self.clock = settings, settings.clock
        self.storage = Storage(settings.database, settings.store_timeout)
        self.bot_workers = BotWorkers(settings.bots, self.announce_warm, settings.thinking_time)
        self.waiting_for_hints: set[str] = set()  # guests
        self.metrics = Metrics(self)
        self.tables: WeakValueDictionary[str, LiveTable] = WeakValueDictionary()
        self.kept: OrderedDict[str, LiveTable] = OrderedDict()
        self.loading: dict[str, asyncio.Future[LiveTable]] = {}
        self.started = self.clock.steady()
        self.tasks: set[asyncio.Task[Any]] = set()
        self.guests = Guests(self)
        self.is_ready = self.is_stopping = False
        self.peers: Peers | None = None
        self.reservation = contextlib.ExitStack()
        self.trial: asyncio.Task[None] | None = None  # write

    def now(self) -> float:
        """Seconds since 1970, to store and to show. Processes on one PostgreSQL go by its clock."""
        return self.clock.now() if self.peers is None else self.peers.now()

    def steady(self) -> float:
        """For everything that waits: nobody can set this clock."""
        return self.clock.steady()

    def steady_time(self, made: float) -> float:
        """When something stored was done, in steady time: now, if the clock says that it is still to come."""
        return self.steady() - max(0.0, self.now() - made)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do this in the background, until the process stops."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def open(self) -> None:
        self.reservation.enter_context(storage.reserved(self.settings.database))
        await self.storage.open()
        self.storage.on_late_commit = self.doubt_all
        if self.storage.is_shared:
            self.peers = Peers(self)
            await self.peers.open()
        await self.take_up_all()
        self.is_ready = True
        self.bot_workers.open()
        log.info("ready")

    async def close(self) -> None:
        """Stop: what is being stored is stored, and every page is told to come again."""
        self.is_stopping, self.is_ready = True, False
        tables = list(self.tables.values())
        for table in tables:
            for listener in table.presence.listeners:
                listener.drop("the server is stopping; come again in a moment")
        bots = [table.bot_task for table in tables if table.bot_task]
        queues = [table.queue_task for table in tables if table.queue_task]
        for task in [*bots, *self.tasks]:
            task.cancel()
        await asyncio.gather(*bots, *self.tasks, *queues, return_exceptions=True)
        for table in tables:
            table.clock.stop()
            table.sealing.stop()
        self.bot_workers.close()
        if self.peers:
            await self.peers.close()
        await self.storage.close()
        self.reservation.close()

    async def try_write(self) -> None:
        """See that the database takes writes, by one that all who ask meanwhile share."""
        if self.trial is None or self.trial.done():
            self.trial = asyncio.create_task(self.storage.write(lambda db: queries.beat(db, self.now())))
        with contextlib.suppress(Conflict):  # another process has just done it
            await asyncio.shield(self.trial)

    def doubt_all(self) -> None:
        """Something was stored after it had been given up: every table is read again before anything else."""
        for table in self.tables.values():
            table.is_stale = True

    # Tables

    async def find(self, key: str) -> LiveTable:
        """A table, from memory or from its stored log."""
        if not ID.fullmatch(key):
            raise NoTable
        table = self.tables.get(key)
        if table is not None:
            self.keep(table)
            return table
        if key not in self.loading:
            self.loading[key] = asyncio.get_running_loop().create_future()
            self.spawn(self._load(key, self.loading[key]))
        return await asyncio.shield(self.loading[key])

    async def _load(self, key: str, future: "asyncio.Future[LiveTable]") -> None:
        try:
            stored = await self.storage.read(lambda db: queries.read_table(db, key))
            if stored is None:
                raise NoTable
            lines = await self.storage.read(lambda db: queries.read_chat(db, key, 0, self.settings.chat_lines))
            table = self.add_sound(stored)
            table.chat.deliver(lines)
            if self.peers:
                table.is_stale = True  # it may have gone on before we listened for it
                self.peers.ask_presence(key)
            future.set_result(table)
        except Exception as error:  # noqa: BLE001 - it is raised for whoever asked
            if isinstance(error, BrokenLog):
                schema.DAMAGED.name(key, str(error))
            future.set_exception(error)
            future.exception()
        finally:
            del self.loading[key]

    def add_sound(self, stored: StoredTable) -> LiveTable:
        """A table that was read from the database, unless it is damaged there."""
        try:
            check_stored(stored)
            table = self.add(stored)
            check_loaded(table)
        except (Refusal, BrokenLog):
            self.forget(stored.facts.id)
            raise
        except Exception as error:  # of what is stored, or of the rules of its game
            self.forget(stored.facts.id)
            raise BrokenLog(f"table {stored.facts.id}: {type(error).__name__}: {str(error)[:200]}") from error
        return table

    def forget(self, key: str) -> None:
        table = self.tables.pop(key, None)
        self.kept.pop(key, None)
        if table:
            table.clock.stop()
            table.sealing.stop()
            if table.bot_task:
                table.bot_task.cancel()

    def give_up(self, table: LiveTable, error: BrokenLog) -> None:
        """Its rows were damaged while it was in memory: whoever comes back is told so."""
        schema.DAMAGED.name(table.id, str(error))
        self.forget(table.id)
        for listener in table.presence.listeners:
            listener.drop("this table is damaged in the database; it cannot go on")

    def add(self, stored: StoredTable) -> LiveTable:
        table = self.tables.get(stored.facts.id)
        if table is not None:  # it was looked for, and loaded, before whoever made it came here
            return table
        table = self.tables[stored.facts.id] = LiveTable(self, stored)
        self.keep(table)
        self.prepare_bots(table)
        table.plan_to_wake_spectators()
        table.sealing.watch()
        table.clock.start()
        return table

    def keep(self, table: LiveTable) -> None:
        """Keep a table that was just asked for; let go of those that nobody looks at, not used for longest first."""
        is_new = table.id not in self.kept
        self.kept[table.id] = table
        self.kept.move_to_end(table.id)
        too_many = len(self.kept) - self.settings.tables_in_memory
        if is_new and too_many > 0:
            idle = (key for key, other in self.kept.items() if other.is_idle and other is not table)
            for key in list(islice(idle, too_many)):
                del self.kept[key]

    def check_room(self, maker: str) -> None:
        """Refuse a new table where too many are busy, of everybody or of whoever is at the maker's address."""
        settings, addresses = self.settings, self.bot_workers.waiting.addresses
        busy = [table.facts.maker for table in self.tables.values() if not table.is_idle]
        if len(busy) >= settings.busy_tables:
            raise NoRoom(f"all {settings.busy_tables} tables are in use: come again when some games are over")
        address = addresses.get(maker)
        here = sum(maker == other or (address is not None and addresses.get(other) == address) for other in busy)
        if here >= settings.busy_tables_per_address:
            raise NoRoom(f"{here} tables of yours, or of your address, are in use: finish some of these games first")

    async def take_up_all(self) -> None:
        """Load every table that goes on without anybody's page."""
        found = await self.storage.read(queries.list_unattended)
        log.info("tables taken up", extra={"tables": len(found)})
        for key in found:
            try:
                table = await self.find(key)
                if self.storage.is_shared:
                    await table.serially(table.refresh)
                table.clock.start()
            except BrokenLog:
                pass  # the log has named it
            except Refusal as error:
                log.error("table not taken up", extra={"table": key, "reason": str(error)})
            except Unstored:
                raise
            except Exception:  # such as one of a game whose rules fail: the others must go on
                log.exception("table not taken up", extra={"table": key})

    async def refresh(self, table: LiveTable, rows: Sequence[LogRow] = ()) -> None:
        """Bring a table up to date with what another process has stored: these rows, or what is to be read."""
        try:
            await table.serially(lambda: table.follow(rows))
        except Unstored:
            table.is_stale = True
        except NoTable:
            pass  # it was deleted, and is forgotten now

    def forget_deleted(self, table: LiveTable) -> None:
        """This table was deleted."""
        if self.tables.get(table.id) is table:
            self.forget(table.id)
        table.is_stale = True  # whoever still asks it for something is told that it is gone
        for listener in table.presence.listeners:
            listener.drop("this table was deleted", DELETED)

    async def changed(self, key: str) -> None:
        """A table was changed in the database alone, closed or deleted: look again if it is in memory."""
        if key in self.loading:
            with contextlib.suppress(Exception):  # it is raised for whoever asked
                await asyncio.shield(self.loading[key])
        if table := self.tables.get(key):
            table.is_stale = True
            await self.refresh(table)

    def listeners(self) -> list[Listener]:
        return [listener for table in self.tables.values() for listener in table.presence.listeners]

    # Bots

    def prepare_bots(self, table: LiveTable) -> None:
        """Compile in the background what the bots of a table, and hints at it, will need."""
        if table.is_over:
            return
        needed = [chair.bot for chair in table.chairs if chair.bot] + table.settings.hints * [hint.judge(table.game)]
        if table.settings.clock is not None:
            needed.append(table.substitute)
        for bot in needed:
            self.bot_workers.prepare(bot, table.game)

    def announce_warm(self, game: str) -> None:
        """The bots of this game have finished warming up."""
        for table in self.tables.values():
            if game == table.game.NAME and any(chair.bot for chair in table.chairs):
                table.notify(everyone=True)

    async def drive_bots(self, table: LiveTable) -> None:
        """Act for the bots of a table as long as it is their turn."""
        has_lease = False
        try:
            while (bot := table.clock.bot_to_act()) is not None and not self.is_stopping:
                if not has_lease:
                    has_lease = await self.lease(table.id)
                    if not has_lease:
                        await asyncio.sleep(self.settings.lease_retry)  # its holder may die
                        await table.serially(table.refresh)
                        continue
                    if self.storage.is_shared:
                        await table.serially(table.refresh)
                        continue
                await self.act_for(table, bot)
        except asyncio.CancelledError:
            raise
        except Unstored:
            await asyncio.sleep(1)  # a database that is away: try again in a moment
        except (BrokenLog, NoTable, TableClosed):
            return  # it has been given up, deleted or closed
        except Exception:
            log.exception("a table could not go on", extra={"table": table.id})
            await asyncio.sleep(1)
        finally:
            if has_lease:
                await self.release(table.id)
            table.bot_task = None
        if not self.is_stopping:
            table.clock.start()

    async def act_for(self, table: LiveTable, bot: str) -> None:
        ask, at = table.core.ask(), table.core.at
        try:
            asker = Asker(table.facts.maker, table.id)
            action = await self.bot_workers.choose(bot, ask, secrets.randbits(63), asker=asker)
        except Cleared:
            await self.sleep(CLEARED)
            return
        except Exception:  # the others at the table must not wait forever
            log.exception("a bot failed; chance acts for it", extra={"table": table.id})
            action = secrets.choice(ask.legal)
        if table.core.at == at and not table.logs.would_be_quiet(action):
            await self.pause(table.clock.turn_began())
        if table.core.at != at or table.clock.bot_to_act() != bot:
            return  # the player came back meanwhile
        try:
            await table.serially(lambda: table.act(ask.seat, at, action))
        except Stale:
            return
        except Unstored:
            await asyncio.sleep(1)  # a full disk, or a database that restarts

    async def pause(self, began: float) -> None:
        """Wait until a whole number of paces has passed.

        So the time of a bot's action does not reveal how long it computed, which may depend on what it holds.
        """
        pace = self.settings.pace
        if not pace:
            return
        taken = self.steady() - began
        await self.sleep(pace * max(1, ceil(taken / pace)) - taken)

    async def sleep(self, seconds: float) -> None:
        passed = asyncio.Event()
        timer = self.clock.call_later(seconds, passed.set)
        try:
            await passed.wait()
        finally:
            timer.cancel()

    async def lease(self, key: str) -> bool:
        return await self.peers.lease(key) if self.peers else True

    async def release(self, key: str) -> None:
        if self.peers:
            await self.peers.release(key)

    # Other processes

    def count_action(self) -> None:
        self.metrics.actions.inc()

    def tell_presence(self, table: LiveTable) -> None:
        if self.peers and not self.is_stopping:
            self.peers.tell_presence(table.id, table.presence.here())

    def receive(self, notice: Notice) -> None:
        """Another process says what has changed."""
        if notice.clear:
            self.bot_workers.clear(notice.guest or None, notice.table or None)
            return
        if notice.revoked:
            self.guests.revoke(bytes.fromhex(notice.revoked))
        if notice.guest:
            self.spawn(self.guests.refresh(notice.guest))
        table = self.tables.get(notice.table)
        if table is None:
            return
        if notice.here is not None:
            table.presence.update_elsewhere(notice.process, (notice.here, notice.watchers))
        elif notice.who:
            self.tell_presence(table)
        else:
            rows = unpack_rows(notice.rows or [])
            table.is_stale = table.is_stale or not rows
            self.spawn(self.refresh(table, rows))

    def lose(self, process: str) -> None:
        """Another process has stopped or fallen silent."""
        for table in self.tables.values():
            table.presence.update_elsewhere(process, None)
        self.spawn(self.take_up_all())
