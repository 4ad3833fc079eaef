"""All tables of one process: found in memory or loaded, put away when nobody looks, their bots driven.

Several processes on one PostgreSQL share all tables. What one changes the others read again when they are notified. A
bot's turn is taken by the process that has the table's lease (an advisory lock, free at once when its holder dies). A
process that falls silent leaves its tables to the others, which look after all that go on by themselves.
"""

import asyncio
import json
import logging
import re
import secrets
from collections import OrderedDict
from math import ceil
from typing import Any

from motherlode.engine import Refusal
from motherlode.server import storage
from motherlode.server.bot_workers import SEARCH, BotWorkers
from motherlode.server.live_table import Broken, LiveTable
from motherlode.server.metrics import Metrics
from motherlode.server.peers import Peers
from motherlode.server.settings import Settings
from motherlode.server.storage import Storage, StoredTable, Unstored
from motherlode.table import Stale

log = logging.getLogger("motherlode")
ID = re.compile(r"[A-Za-z0-9_-]{22}")


class NoTable(Refusal):
    """There is no such table."""


class Parlour:
    def __init__(self, settings: Settings) -> None:
        self.settings, self.clock = settings, settings.clock
        self.storage = Storage(settings.database, settings.store_timeout)
        self.bot_workers = BotWorkers(settings.bots, self.announce)
        self.hints: set[str] = set()  # guests a hint of whom is being thought about
        self.metrics = Metrics(self)
        self.tables: OrderedDict[str, LiveTable] = OrderedDict()
        self.loading: dict[str, asyncio.Future[LiveTable]] = {}
        self.started = self.clock.now()
        self.tasks: set[asyncio.Task[Any]] = set()
        self.is_ready = self.is_stopping = False
        self.peers: Peers | None = None

    def now(self) -> float:
        return self.clock.now()

    def spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def open(self) -> None:
        await self.storage.open()
        if self.storage.is_shared:
            self.peers = Peers(self)
            await self.peers.open()
        await self.look_after_all()
        self.is_ready = True
        self.bot_workers.open()
        log.info("ready")

    async def close(self) -> None:
        """Stop: what is being stored is stored, every page is told to come again."""
        self.is_stopping, self.is_ready = True, False
        for sitting in self.tables.values():
            for listener in sitting.listeners:
                listener.drop("the server is stopping; come again in a moment")
        drivers = [sitting.driver for sitting in self.tables.values() if sitting.driver]
        workers = [sitting.worker for sitting in self.tables.values() if sitting.worker]
        for task in [*drivers, *self.tasks]:
            task.cancel()
        await asyncio.gather(*drivers, *self.tasks, *workers, return_exceptions=True)
        for sitting in self.tables.values():
            if sitting.timer:
                sitting.timer.cancel()
        self.bot_workers.close()
        if self.peers:
            await self.peers.close()
        await self.storage.close()

    # Tables

    async def find(self, key: str) -> LiveTable:
        """A table, from memory or from its log."""
        if not ID.fullmatch(key):
            raise NoTable("there is no such table")
        if key in self.tables:
            self.tables.move_to_end(key)
            return self.tables[key]
        if key not in self.loading:
            self.loading[key] = asyncio.get_running_loop().create_future()
            self.spawn(self._load(key, self.loading[key]))
        return await asyncio.shield(self.loading[key])

    async def _load(self, key: str, future: "asyncio.Future[LiveTable]") -> None:
        try:
            kept = await self.storage.read(lambda db: storage.read_table(db, key))
            if kept is None:
                raise NoTable("there is no such table")
            lines = await self.storage.read(lambda db: storage.read_chat(db, key, 0, 1))
            sitting = self.add(kept)
            sitting.last_line = lines[-1].id if lines else 0
            if self.peers:
                sitting.is_stale = True  # it may have gone on before we listened for it
                self.peers.ask_presence(key)
            future.set_result(sitting)
        except Exception as error:  # noqa: BLE001 - it is the askers'
            if isinstance(error, Broken):
                log.error("broken", extra={"reason": str(error)})
            future.set_exception(error)
            future.exception()
        finally:
            del self.loading[key]

    def add(self, kept: StoredTable) -> LiveTable:
        sitting = self.tables[kept.facts.id] = LiveTable(self, kept)
        if len(self.tables) > self.settings.tables_in_memory:
            self.put_away()
        self.prepare(sitting)
        sitting.attend()
        return sitting

    def put_away(self) -> None:
        """Let go of tables nobody looks at, the longest untouched first."""
        for key in [key for key, sitting in self.tables.items() if sitting.is_idle]:
            if len(self.tables) <= self.settings.tables_in_memory:
                return
            del self.tables[key]

    async def look_after_all(self) -> None:
        """Take up every table that goes on without anybody's page."""
        found = await self.storage.read(storage.list_unattended)
        log.info("tables taken up", extra={"tables": len(found)})
        for key in found:
            try:
                sitting = await self.find(key)
                if self.storage.is_shared:
                    await sitting.serially(sitting.refresh)
                sitting.attend()
            except (Broken, Refusal) as error:
                log.error("table not taken up", extra={"reason": str(error)})

    # Bots

    def prepare(self, sitting: LiveTable) -> None:
        """Have compiled what the bots of a table, and hints at it, will need."""
        if sitting.is_over:
            return
        needed = [chair.bot for chair in sitting.chairs if chair.bot] + sitting.facts.hints * [SEARCH]
        for bot in needed:
            self.bot_workers.prepare(bot, sitting.game)

    def announce(self, game: str) -> None:
        """Bots that were warming up are warm."""
        for sitting in self.tables.values():
            if game == sitting.game.NAME and any(chair.bot for chair in sitting.chairs):
                sitting.changed(everyone=True)

    async def drive(self, sitting: LiveTable) -> None:
        """Act for the bots of a table as long as it is their turn."""
        has_lease = False
        try:
            while (bot := sitting.bot_to_act()) is not None and not self.is_stopping:
                if not has_lease:
                    has_lease = await self.lease(sitting.id)
                    if not has_lease:
                        await asyncio.sleep(self.settings.lease_retry)  # its holder may die
                        await sitting.serially(sitting.refresh)
                        continue
                    if self.storage.is_shared:
                        await sitting.serially(sitting.refresh)
                        continue
                await self.act_for(sitting, bot)
        except asyncio.CancelledError:
            raise
        except Exception:  # a database that is away: try again in a moment
            log.exception("a table could not go on", extra={"table": sitting.id})
            await asyncio.sleep(1)
        finally:
            if has_lease:
                await self.release(sitting.id)
            sitting.driver = None
        if not self.is_stopping:
            sitting.attend()

    async def act_for(self, sitting: LiveTable, bot: str) -> None:
        ask, at = sitting.core.ask(), sitting.core.at
        try:
            action = await self.bot_workers.choose(bot, ask, secrets.randbits(63))
        except Exception:  # the others at the table must not wait for ever
            log.exception("a bot failed; chance acts for it", extra={"table": sitting.id})
            action = secrets.choice(ask.legal)
        if sitting.core.at == at and not sitting.is_quiet(action):
            await self.pause(sitting.turn_began())
        if sitting.core.at != at or sitting.bot_to_act() != bot:
            return  # the player came back meanwhile
        try:
            await sitting.serially(lambda: sitting.act(ask.seat, at, action))
        except Stale:
            return
        except Unstored:
            await asyncio.sleep(1)  # a full disk, a database that restarts

    async def pause(self, began: float) -> None:
        """Wait until a whole number of paces has passed: so the time of a bot's action does not tell how long it had
        to think, which may depend on what it holds."""
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

    # Others

    def count_action(self) -> None:
        self.metrics.actions.inc()

    def tell_presence(self, sitting: LiveTable) -> None:
        if self.peers and not self.is_stopping:
            self.peers.tell_presence(sitting)

    def hear(self, payload: str) -> None:
        """What another process has told."""
        told = json.loads(payload)
        sitting = self.tables.get(told.get("table", ""))
        if sitting is None:
            return
        if "here" in told:
            sitting.elsewhere[told["process"]] = (told["here"], told["watchers"])
            sitting.presence_changed(is_ours=False)
        elif "who" in told:
            self.tell_presence(sitting)
        else:
            self.spawn(self.refresh(sitting))

    async def refresh(self, sitting: LiveTable) -> None:
        try:
            await sitting.serially(sitting.refresh)
        except Unstored as error:
            sitting.is_stale = True
            log.warning("not read", extra={"reason": str(error)})

    def lose(self, process: str) -> None:
        """Another process has fallen silent."""
        for sitting in self.tables.values():
            if sitting.elsewhere.pop(process, None) is not None:
                sitting.presence_changed(is_ours=False)
        self.spawn(self.look_after_all())
