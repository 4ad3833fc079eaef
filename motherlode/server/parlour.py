"""All tables of one process: found in memory or loaded, dropped from memory when nobody looks, their bots driven.

Several processes on one PostgreSQL share all tables. What one changes, the others read again when they are notified. A
bot's turn is taken by the process that holds the table's lease (an advisory lock, free at once when its holder dies).
When a process falls silent, the others take over the tables that go on without anybody's page.
"""

import asyncio
import logging
import re
import secrets
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from math import ceil
from typing import Any

from motherlode.engine import Refusal
from motherlode.server import storage
from motherlode.server.bot_workers import SEARCH, BotWorkers
from motherlode.server.live_table import LiveTable
from motherlode.server.metrics import Metrics
from motherlode.server.peers import Notice, Peers, unpack_rows
from motherlode.server.refusals import BrokenLog, NoTable
from motherlode.server.settings import Settings
from motherlode.server.storage import LogRow, Storage, StoredTable, Unstored
from motherlode.table import Stale

log = logging.getLogger("motherlode")
ID = re.compile(r"[A-Za-z0-9_-]{22}")


class Parlour:
    def __init__(self, settings: Settings) -> None:
        self.settings, self.clock = settings, settings.clock
        self.storage = Storage(settings.database, settings.store_timeout)
        self.bot_workers = BotWorkers(settings.bots, self.announce_warm)
        self.waiting_for_hints: set[str] = set()  # guests
        self.metrics = Metrics(self)
        self.tables: OrderedDict[str, LiveTable] = OrderedDict()
        self.loading: dict[str, asyncio.Future[LiveTable]] = {}
        self.started = self.clock.now()
        self.tasks: set[asyncio.Task[Any]] = set()
        self.is_ready = self.is_stopping = False
        self.peers: Peers | None = None

    def now(self) -> float:
        return self.clock.now()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do this in the background, until the process stops."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def open(self) -> None:
        await self.storage.open()
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

    # Tables

    async def find(self, key: str) -> LiveTable:
        """A table, from memory or from its stored log."""
        if not ID.fullmatch(key):
            raise NoTable
        if key in self.tables:
            self.tables.move_to_end(key)
            return self.tables[key]
        if key not in self.loading:
            self.loading[key] = asyncio.get_running_loop().create_future()
            self.spawn(self._load(key, self.loading[key]))
        return await asyncio.shield(self.loading[key])

    async def _load(self, key: str, future: "asyncio.Future[LiveTable]") -> None:
        try:
            stored = await self.storage.read(lambda db: storage.read_table(db, key))
            if stored is None:
                raise NoTable
            lines = await self.storage.read(lambda db: storage.read_chat(db, key, 0, 1))
            table = self.add(stored)
            table.chat.last_line = lines[-1].id if lines else 0
            if self.peers:
                table.is_stale = True  # it may have gone on before we listened for it
                self.peers.ask_presence(key)
            future.set_result(table)
        except Exception as error:  # noqa: BLE001 - it is raised for whoever asked
            if isinstance(error, BrokenLog):
                log.error("broken", extra={"reason": str(error)})
            future.set_exception(error)
            future.exception()
        finally:
            del self.loading[key]

    def add(self, stored: StoredTable) -> LiveTable:
        table = self.tables[stored.facts.id] = LiveTable(self, stored)
        if len(self.tables) > self.settings.tables_in_memory:
            self.drop_idle_tables()
        self.prepare_bots(table)
        table.sealing.watch()
        table.clock.start()
        return table

    def drop_idle_tables(self) -> None:
        """Let go of tables nobody looks at, those not used for longest first."""
        for key in [key for key, table in self.tables.items() if table.is_idle]:
            if len(self.tables) <= self.settings.tables_in_memory:
                return
            del self.tables[key]

    async def take_up_all(self) -> None:
        """Load every table that goes on without anybody's page."""
        found = await self.storage.read(storage.list_unattended)
        log.info("tables taken up", extra={"tables": len(found)})
        for key in found:
            try:
                table = await self.find(key)
                if self.storage.is_shared:
                    await table.serially(table.refresh)
                table.clock.start()
            except (BrokenLog, Refusal) as error:
                log.error("table not taken up", extra={"reason": str(error)})
            except Unstored:
                raise
            except Exception:  # such as one of a game whose rules fail: the others must go on
                log.exception("table not taken up", extra={"table": key})

    async def refresh(self, table: LiveTable, rows: Sequence[LogRow] = ()) -> None:
        """Bring a table up to date with what another process has stored: these rows, or what is to be read."""
        try:
            await table.serially(lambda: table.follow(rows))
        except Unstored as error:
            log.warning("not read", extra={"reason": str(error)})

    # Bots

    def prepare_bots(self, table: LiveTable) -> None:
        """Compile in the background what the bots of a table, and hints at it, will need."""
        if table.is_over:
            return
        needed = [chair.bot for chair in table.chairs if chair.bot] + table.settings.hints * [SEARCH]
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
        except Exception:  # such as a database that is away: try again in a moment
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
            action = await self.bot_workers.choose(bot, ask, secrets.randbits(63))
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
        until = began + pace * max(1, ceil((self.now() - began) / pace))
        passed = asyncio.Event()
        timer = self.clock.call_at(until, passed.set)
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
        table = self.tables.get(notice.table)
        if table is None:
            return
        if notice.here is not None:
            table.presence.update_elsewhere(notice.process, (notice.here, notice.watchers))
        elif notice.who:
            self.tell_presence(table)
        elif not table.is_stale:  # else it is about to be read
            rows = unpack_rows(notice.rows or [])
            table.is_stale = not rows
            self.spawn(self.refresh(table, rows))

    def lose(self, process: str) -> None:
        """Another process has stopped or fallen silent."""
        for table in self.tables.values():
            table.presence.update_elsewhere(process, None)
        self.spawn(self.take_up_all())
