"""Reviews of finished games: computed when somebody asks for the first time, stored, and read ever after.

One game at a time is reviewed, in a process of its own at the lowest priority: bots have their own, which leave it a
core, and tables go first. The rest waits in one queue, bounded, and shared fairly between those who ask (`fair_queue`).
Of several servers on one database one reviews a game. A process that dies is made good for once; then the game is not
tried again for a while. The queue is not stored: after a restart, whoever still waits asks again.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import signal
import time
import traceback
from collections import OrderedDict
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from pydantic import ValidationError

from motherlode import text
from motherlode.engine import Refusal
from motherlode.parent import exit_with_parent
from motherlode.review import review
from motherlode.server import review_queries, review_wire
from motherlode.server.bot_workers import Died
from motherlode.server.fair_queue import Asker, FairQueue, Waiting
from motherlode.server.live_table import LiveTable
from motherlode.server.parlour import Parlour
from motherlode.server.processes import ignore_stop_signals, lower_priority, stop_signals_held
from motherlode.server.refusals import BrokenLog, NoRoom, TooOften, Unstored
from motherlode.server.schema import DAMAGED

log = logging.getLogger("motherlode")
CORE_LIMIT = 300  # seconds of a core, with what has to be compiled first: then the process is ended
MOST_OF_ONE = 5  # games that one guest waits for
TRIES = 2
FAILED = "this game could not be reviewed; try again later"
NOT_AGAIN = 600.0  # seconds until a game that could not be reviewed is tried again
MOST_FAILED = 1000


class Reviewed(NamedTuple):
    review: dict[str, Any] | None
    why_not: str  # of a review that failed, for the log
    core_seconds: float


# In the process that reviews


def work(pipe: Connection, record: str) -> None:
    """Review one game and end."""
    ignore_stop_signals()
    lower_priority()
    exit_with_parent()
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, CORE_LIMIT)  # it ends the process
    try:
        found, why_not = review.review(text.read_record(record)), ""
    except Exception:  # noqa: BLE001 - the server logs it
        found, why_not = None, traceback.format_exc()
    pipe.send(Reviewed(found, why_not, time.process_time()))


# In the server


def receive(pipe: Connection) -> Reviewed:
    """In a thread: not every system lets an event loop wait for a pipe."""
    with pipe:
        found: Reviewed = pipe.recv()
        return found


class Reviews:
    def __init__(self, parlour: Parlour) -> None:
        self.parlour = parlour
        self.waiting: FairQueue[str] = FairQueue(review.SECONDS, parlour.clock.steady)
        self.asked: dict[str, Waiting[str]] = {}  # by table, also the one that is being reviewed
        self.failed: OrderedDict[str, float] = OrderedDict()  # tables, and when that was
        self.is_working = False
        self.current: str | None = None  # the table that is being reviewed
        self.process: BaseProcess | None = None
        self.made = 0  # how many were computed

    async def read(self, table: str) -> review_wire.Review | None:
        """The stored review, without the names of the players; none where it is damaged: then it is made again."""
        stored = await self.parlour.storage.read(lambda db: review_queries.read_review(db, table, review.VERSION))
        try:
            return None if stored is None else review_wire.Review(**stored)
        except (TypeError, ValidationError) as error:
            DAMAGED.name(table, f"its review: {str(error)[:200]}")
            return None

    def place(self, table: str) -> int | None:
        """How many games are reviewed before this one, as it looks now; None: nobody has asked for it."""
        if table not in self.asked:
            return None
        return 0 if table == self.current else max(1, list(self.asked).index(table))

    def has_failed(self, table: str) -> bool:
        since = self.failed.get(table)
        return since is not None and self.parlour.steady() - since < NOT_AGAIN

    def ask(self, who: str, address: str, table: str) -> None:
        """Have a finished game reviewed, on the account of whoever asks first."""
        if table in self.asked:
            return
        if len(self.waiting) >= self.parlour.settings.reviews_waiting:
            raise NoRoom(f"{len(self.waiting)} games wait to be reviewed: come again in some minutes")
        if sum(entry.asker.guest == who for entry in self.asked.values()) >= MOST_OF_ONE:
            raise TooOften(f"you wait for {MOST_OF_ONE} reviews already: look at one of them first")
        self.waiting.see(who, address)
        self.asked[table] = self.waiting.add(Asker(who, table), table)
        if not self.is_working:
            self.is_working = True
            self.parlour.spawn(self.work_through())

    async def work_through(self) -> None:
        try:
            while len(self.waiting):
                entry = self.waiting.take()
                self.current, spent = entry.what, review.SECONDS
                try:
                    spent = await self.review(entry.what)
                except (Refusal, BrokenLog, Unstored) as error:  # it was deleted, or cannot be stored now
                    log.warning("not reviewed", extra={"table": entry.what, "reason": str(error)})
                except Exception:
                    log.exception("a review failed", extra={"table": entry.what})
                    self.note_failed(entry.what)
                finally:
                    self.waiting.finish(entry, spent)
                    del self.asked[entry.what]
        finally:
            self.is_working, self.current = False, None

    async def review(self, table: str) -> float:
        """Compute and store it; the core seconds that it took."""
        parlour, lease = self.parlour, f"review {table}"
        live = await parlour.find(table)
        if not live.core.is_over or not await parlour.lease(lease):
            return 0.0  # another server reviews it
        try:
            if await self.read(table) is not None:
                return 0.0
            found = await self.compute(live)
            if found.review is None:
                log.error("not reviewed", extra={"table": table, "reason": found.why_not})
                self.note_failed(table)
                return found.core_seconds
            self.made += 1
            kept = {**found.review, "players": []}  # guests may be renamed, or go
            now = parlour.now()
            await parlour.storage.write(lambda db: review_queries.add_review(db, table, review.VERSION, kept, now))
            return found.core_seconds
        finally:
            await parlour.release(lease)

    async def compute(self, live: LiveTable) -> Reviewed:
        """In a process of its own; if it dies, in another one, once."""
        record = text.write_record(live.record())
        for _ in range(TRIES):
            with contextlib.suppress(Died):
                return await self.run(record)
            log.warning("a process that reviewed a game died", extra={"table": live.id})
        return Reviewed(None, "the process died", TRIES * review.SECONDS)

    async def run(self, record: str) -> Reviewed:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        self.process = process = context.Process(target=work, args=(theirs, record), daemon=True)
        with stop_signals_held():
            process.start()
        theirs.close()
        try:
            return await asyncio.to_thread(receive, ours)
        except (EOFError, OSError):
            raise Died from None
        finally:
            self.process = None
            process.kill()
            process.join()
            process.close()

    def note_failed(self, table: str) -> None:
        self.failed[table] = self.parlour.steady()
        self.failed.move_to_end(table)
        if len(self.failed) > MOST_FAILED:
            self.failed.popitem(last=False)
