"""Bots run here, in worker processes: each is given what its seat may know and answers with an action.

There are at most `processes` of them, at the lowest priority, so that tables are served first. One starts with the
server, others when there are more questions than free workers. Questions wait in one queue, `fair_queue`, so that
nobody's tables keep those of others waiting. Nobody has two of them there for the same seat: a table asks for its next
bot action when the one before is done, a guest for a hint when the last one has been given.

No answer may take more than `thinking_time` of a core. A search, or `greedy`, that comes to it answers with the best it
has found so far. A bot that goes on all the same, for three times that long, is ended with its worker, and chance acts.

For whoever runs the server: `BotWorkers.thinking` lists what is asked and worked on, `BotWorkers.clear` empties the
queue, or what one guest or one table has in it. A bot whose question was cleared asks again after `CLEARED` seconds.

Where a search is needed but not compiled yet, the game's policy answers, by NumPy, or else a much shorter interpreted
search (`plain`): see `BotSpec.policy_stands_in`. One worker compiles what a game needs, one game at a time, in a thread
beside its other work; the other workers then load it from the cache on disk. The server's own process never compiles.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from motherlode import GAMES, bots
from motherlode.bots import hint, network
from motherlode.game import Game, new_rng
from motherlode.parent import exit_with_parent
from motherlode.server.fair_queue import Asker, FairQueue, Waiting
from motherlode.server.processes import (
    ignore_stop_signals,
    lower_priority,
    stop_signals_held,
)
from motherlode.table import Ask, Told

log = logging.getLogger("motherlode")
MOST_TRIES = 2  # to compile a game's search, should a worker die of it
COMPILED = ("search", f"greedy:{bots.greedy.FEW + 1}")  # bots that are compiled in every game
BY_POLICY = ("policy", "policy+search")  # and where the game brings a policy
NOBODY = Asker()
CLEARED = 60.0  # seconds until a bot whose question was cleared asks again
GRACE = 3  # how many times its core time a bot may take before it is ended
LOOKS = 10  # at the core time of a bot, while it has some left


class Question(NamedTuple):
    """Which action this bot chooses; without a bot, what a hint suggests."""

    bot: str | None
    game: str
    seat: int
    view: bytes
    legal: list[int]
    log: list[tuple[Any, ...]]
    seed: int
    plain: bool
    core_seconds: float


class Compile(NamedTuple):
    game: str


class Answer(NamedTuple):
    answer: Any
    core_seconds: float


class Failure(NamedTuple):
    """The bot raised an exception."""

    reason: str
    core_seconds: float


class Overrun(NamedTuple):
    """The bot does not stop thinking."""

    core_seconds: float


class Compiled(NamedTuple):
    game: str
    error: str = ""


Reply = Answer | Failure | Overrun | Compiled


# In a worker process


class Stopwatch:
    """The core time that the main thread has used for a question; other threads, which compile, do not count."""

    def __init__(self) -> None:
        self.began: float | None = None
        self.is_running = threading.Event()
        if hasattr(time, "pthread_getcpuclockid"):
            clock = time.pthread_getcpuclockid(threading.main_thread().ident or 0)
            self.now: Callable[[], float] = lambda: time.clock_gettime(clock)
        else:
            self.now = time.process_time

    def start(self) -> None:
        self.began = self.now()
        self.is_running.set()

    def read(self) -> float:
        return 0.0 if self.began is None else self.now() - self.began

    def stop(self) -> float:
        spent, self.began = self.read(), None
        self.is_running.clear()
        return spent


def work(pipe: Connection, longest: float) -> None:
    """Answer questions, and compile, until the server closes the pipe."""
    ignore_stop_signals()
    lower_priority()
    exit_with_parent()
    sending, compiling, stopwatch = threading.Lock(), threading.Lock(), Stopwatch()

    def send(reply: Reply) -> None:
        with sending:
            pipe.send(reply)

    def watch() -> None:
        """Tell the server when a bot does not stop: it ends this process."""
        is_over = False
        while not is_over:
            stopwatch.is_running.wait()
            time.sleep(longest / LOOKS)
            with sending, contextlib.suppress(OSError):
                is_over = stopwatch.read() > GRACE * longest
                if is_over:
                    pipe.send(Overrun(stopwatch.read()))

    threading.Thread(target=watch, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):  # the server has gone
        while True:
            asked = pipe.recv()
            if isinstance(asked, Compile):
                threading.Thread(
                    target=lambda game=asked.game: send(compile_bots(game, compiling)), daemon=True
                ).start()
                continue
            error, found = "", None
            try:
                load(asked, compiling)
                stopwatch.start()
                found = answer(asked)
            except Exception:  # noqa: BLE001 - the server raises it for whoever asked
                error = traceback.format_exc()
            with sending:
                spent = stopwatch.stop()
                pipe.send(Failure(error, spent) if error else Answer(found, spent))


def compile_bots(name: str, compiling: Any) -> Compiled:
    """Compile what any bot of a game, or a hint, can need."""
    try:
        game = GAMES[name]
        with compiling:
            for player in (*COMPILED, bots.levels.names(game)[-1], *(BY_POLICY if network.brings(game) else ())):
                bots.warm(player, game)
    except Exception:  # noqa: BLE001 - the server logs it
        return Compiled(name, traceback.format_exc())
    return Compiled(name)


def load(question: Question, compiling: Any) -> None:
    """Load what another worker has compiled: that takes a moment, which is not the bot's."""
    game = GAMES[question.game]
    player = question.bot or hint.judge(game)
    if not question.plain and not bots.is_warm(player, game):
        with compiling:
            bots.warm(player, game)


def answer(question: Question) -> Any:
    game, rng, plain, core_seconds = GAMES[question.game], new_rng(question.seed), question.plain, question.core_seconds
    told = [Told(*entry) for entry in question.log]
    ask = Ask(game, question.seat, game.RECORD.from_buffer_copy(question.view), question.legal, told)
    if question.bot is None:
        return hint.suggest(ask, rng, plain=plain, core_seconds=core_seconds)
    bots.BotSpec.parse(question.bot, game).check_own()
    return int(bots.make(question.bot, game, plain=plain, core_seconds=core_seconds)(ask, rng))


# In the server


class Died(Exception):
    """A worker process ended (out of memory, a signal) before it had answered."""


class Failed(Exception):
    """A bot raised an exception."""


class Overran(Exception):
    """A bot did not stop thinking when its core time was over."""


class Cleared(Exception):
    """Whoever runs the server has cleared the queue."""


class Asked(NamedTuple):
    question: Question
    future: "asyncio.Future[Any]"


class Thinking(NamedTuple):
    """A question, for whoever runs the server: nothing in it is hidden from anybody at the table."""

    guest: str  # on whose account it is
    table: str
    game: str
    bot: str  # "" for a hint
    is_working: bool  # a worker has it; if not, it waits
    seconds: float  # since it was asked


class BotWorker:
    """One process, and the question it is working on."""

    def __init__(self, receive: Callable[["BotWorker", Reply | None], None], longest: float) -> None:
        """`receive` is called with every reply, and with None when the process has ended."""
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, longest), daemon=True)
        with stop_signals_held():
            self.process.start()
        theirs.close()
        self.asked: Waiting[Asked] | None = None
        self.compiles: str | None = None
        self.loop = asyncio.get_running_loop()
        self.reader = threading.Thread(target=self._read, args=(receive,), daemon=True)
        self.reader.start()

    def _read(self, receive: Callable[["BotWorker", Reply | None], None]) -> None:
        """In a thread: not every system lets an event loop wait for a pipe."""
        reply: Reply | None = None
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            while True:
                try:
                    reply = self.pipe.recv()
                except (EOFError, OSError):
                    reply = None
                self.loop.call_soon_threadsafe(receive, self, reply)
                if reply is None:
                    return

    def send(self, what: Question | Compile) -> None:
        with contextlib.suppress(OSError):  # it has died; the reader notices in a moment
            self.pipe.send(what)

    def end(self) -> None:
        """End it, whatever it is working on."""
        self.process.kill()
        self.process.join()
        self.reader.join()
        self.pipe.close()
        self.process.close()


def settle(future: "asyncio.Future[Any]", answer: Any) -> None:
    """Give the answer, or the exception, to whoever waits for it, if anybody still does."""
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)


class BotWorkers:
    def __init__(
        self,
        processes: int,
        announce: Callable[[str], None] = lambda game: None,
        thinking_time: float = 2.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`announce` is called with the name of a game when its search has been compiled."""
        self.processes, self.announce, self.thinking_time, self.now = processes, announce, thinking_time, now
        self.all: list[BotWorker] = []
        self.waiting: FairQueue[Asked] = FairQueue(thinking_time, now)
        self.core_seconds = 0.0  # spent by all bots and hints
        self.warm: set[str] = set()  # games whose search is compiled
        self.cold: deque[str] = deque()  # games whose search is to be compiled; the first is being compiled
        self.tries: Counter[str] = Counter()

    def open(self) -> None:
        """Start one worker, so that the first bot need not wait for it."""
        if not self.all:
            self._start()

    def close(self) -> None:
        while self.all:
            self.all.pop().end()
        for entry in list(self.waiting):
            entry.what.future.cancel()

    # For whoever runs the server

    def thinking(self) -> list[Thinking]:
        """What is worked on, then what waits, the oldest first."""
        working = [worker.asked for worker in self.all if worker.asked]
        found = [(True, entry) for entry in working] + [(False, entry) for entry in self.waiting]
        return [
            Thinking(
                *entry.asker,
                game=entry.what.question.game,
                bot=entry.what.question.bot or "",
                is_working=is_working,
                seconds=self.now() - entry.since,
            )
            for is_working, entry in sorted(found, key=lambda each: (not each[0], each[1].since))
        ]

    def clear(self, guest: str | None = None, table: str | None = None) -> int:
        """Drop the questions that wait: all, or those of a guest, or of a table. How many there were.

        Bots ask again after a while, guests who asked for a hint are told to. What is worked on is soon done.
        """
        meant = [
            entry
            for entry in self.waiting
            if guest in (None, entry.asker.guest)
            and table in (None, entry.asker.table)
            and not entry.what.future.done()
        ]
        for entry in meant:
            entry.what.future.set_exception(Cleared())
            self.waiting.remove(entry)
        log.info("thinking cleared", extra={"questions": len(meant)})
        return len(meant)

    # Compiling

    def is_cold(self, bot: str, game: Game) -> bool:
        """Whether something that this bot needs is not compiled yet, and a plain one answers for it."""
        return game.NAME not in self.warm and bool(bots.compiled_parts(bot, game))

    def is_warming(self, bot: str, game: Game) -> bool:
        """Whether this bot plays more weakly for now, because something that it needs is not compiled yet."""
        return self.is_cold(bot, game) and not bots.BotSpec.parse(bot, game).policy_stands_in(game)

    def prepare(self, bot: str, game: Game) -> None:
        """Compile in the background what this bot needs."""
        if self.is_cold(bot, game) and game.NAME not in self.cold and self.tries[game.NAME] < MOST_TRIES:
            self.cold.append(game.NAME)
            if len(self.cold) == 1:
                self._compile()

    # Asking

    async def choose(self, bot: str, ask: Ask, seed: int, *, asker: Asker = NOBODY) -> int:
        """The bot's action."""
        action: int = await self._ask(bot, ask, seed, asker, plain=self.is_cold(bot, ask.game))
        return action

    async def suggest(self, ask: Ask, seed: int, *, asker: Asker = NOBODY) -> tuple[list[hint.Suggestion], bool]:
        """What a hint suggests, and whether it was found without the compiled search."""
        plain = self.is_cold(hint.judge(ask.game), ask.game)
        return await self._ask(None, ask, seed, asker, plain=plain), plain

    async def _ask(self, bot: str | None, ask: Ask, seed: int, asker: Asker, *, plain: bool) -> Any:
        """If the worker dies, another one is asked, once."""
        told = [tuple(entry) for entry in ask.log]
        question = Question(
            bot, ask.game.NAME, ask.seat, bytes(ask.view), ask.legal, told, seed, plain, self.thinking_time
        )
        try:
            return await self._queue(question, asker)
        except Died:
            return await self._queue(question, asker)

    def _queue(self, question: Question, asker: Asker) -> "asyncio.Future[Any]":
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        entry = self.waiting.add(asker, Asked(question, future))
        future.add_done_callback(lambda _: self.waiting.remove(entry))  # whoever asked may go
        self._hand_out()
        return future

    def _hand_out(self) -> None:
        """Give waiting questions to free workers."""
        while self.waiting.lines:
            free = next((worker for worker in self.all if worker.asked is None), None)
            if free is None and len(self.all) == self.processes:
                return
            entry = self.waiting.take()
            if entry.what.future.done():
                self.waiting.finish(entry, 0.0)
                continue
            free = free or self._start()
            free.asked = entry
            free.send(entry.what.question)

    def _start(self) -> BotWorker:
        self.all.append(BotWorker(self._receive, self.thinking_time))
        return self.all[-1]

    def _settle(self, worker: BotWorker, answer: Any, core_seconds: float) -> None:
        """A worker has answered, or never will."""
        entry, worker.asked = worker.asked, None
        if entry:
            self.core_seconds += core_seconds
            self.waiting.finish(entry, core_seconds)
            settle(entry.what.future, answer)

    def _receive(self, worker: BotWorker, reply: Reply | None) -> None:
        if worker not in self.all:
            return  # it was ended meanwhile
        if reply is None:
            self._lose(worker)
            return
        if isinstance(reply, Compiled):
            worker.compiles = None
            self._note_compiled(reply)
            return
        if isinstance(reply, Overrun):
            self._end_overrun(worker, reply.core_seconds)
        elif isinstance(reply, Answer):
            self._settle(worker, reply.answer, reply.core_seconds)
        else:
            self._settle(worker, Failed(reply.reason), reply.core_seconds)
        self._hand_out()

    def _lose(self, worker: BotWorker) -> None:
        log.warning("a bot worker died")
        self._end(worker, Died(), self.thinking_time, "the worker died")
        self._hand_out()

    def _end_overrun(self, worker: BotWorker, core_seconds: float) -> None:
        question = worker.asked.what.question if worker.asked else None
        log.warning(
            "a bot thought for too long; its worker is ended",
            extra={"game": question and question.game, "bot": question and question.bot, "core_seconds": core_seconds},
        )
        if worker.compiles:
            self.tries[worker.compiles] -= 1  # not the fault of what it compiled
        self._end(worker, Overran(), core_seconds, "the worker was ended")

    def _end(self, worker: BotWorker, error: Exception, core_seconds: float, why: str) -> None:
        self.all.remove(worker)
        self._settle(worker, error, core_seconds)
        worker.end()
        if worker.compiles:
            self._note_compiled(Compiled(worker.compiles, why))

    def _compile(self) -> None:
        """Compile the search of the first cold game."""
        worker = self.all[0] if self.all else self._start()
        worker.compiles = self.cold[0]
        self.tries[self.cold[0]] += 1
        log.info("compiling", extra={"game": self.cold[0]})
        worker.send(Compile(self.cold[0]))

    def _note_compiled(self, done: Compiled) -> None:
        """One game is compiled, or could not be; go on with the next."""
        self.cold.popleft()
        if done.error:
            log.error("not compiled", extra={"game": done.game, "reason": done.error})
            if self.tries[done.game] < MOST_TRIES:
                self.cold.append(done.game)
        else:
            log.info("compiled", extra={"game": done.game})
            self.warm.add(done.game)
        if self.cold:
            self._compile()
        if not done.error:
            self.announce(done.game)
