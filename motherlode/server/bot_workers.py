"""Bots run here, in worker processes: each is given what its seat may know and answers with an action.

There are at most `processes` of them, at the lowest priority, so that tables are served first. One starts with the
server, others when there are more questions than free workers. Questions wait in one queue and are answered in order.
Nobody has two of them there: a table asks for its next bot action when the one before is done, a guest for a hint when
the last one has been given. So tables and hints take turns, however quick some bots are.

Where the search is needed but not compiled yet, a much shorter interpreted one (`plain`) answers. One worker compiles
it, one game at a time, in a thread beside its other work; the other workers then load it from the cache on disk. The
server's own process never compiles.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from motherlode import GAMES, bots
from motherlode.bots import hint
from motherlode.game import Game, new_rng
from motherlode.server.processes import (
    exit_with_parent,
    ignore_stop_signals,
    lower_priority,
    stop_signals_held,
)
from motherlode.table import Ask, Told

log = logging.getLogger("motherlode")
MOST_TRIES = 2  # to compile a game's search, should a worker die of it
SEARCH = "search"  # the bot that gives hints


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


class Compile(NamedTuple):
    game: str


class Answer(NamedTuple):
    answer: Any


class Failure(NamedTuple):
    """The bot raised an exception."""

    reason: str


class Compiled(NamedTuple):
    game: str
    error: str = ""


Reply = Answer | Failure | Compiled


# In a worker process


def work(pipe: Connection) -> None:
    """Answer questions, and compile, until the server closes the pipe."""
    ignore_stop_signals()
    lower_priority()
    exit_with_parent()
    sending, compiling = threading.Lock(), threading.Lock()

    def send(reply: Reply) -> None:
        with sending:
            pipe.send(reply)

    with contextlib.suppress(EOFError, OSError):  # the server has gone
        while True:
            asked = pipe.recv()
            if isinstance(asked, Compile):
                threading.Thread(
                    target=lambda game=asked.game: send(compile_search(game, compiling)), daemon=True
                ).start()
                continue
            try:
                reply: Reply = Answer(answer(asked, compiling))
            except Exception:  # noqa: BLE001 - the server raises it for whoever asked
                reply = Failure(traceback.format_exc())
            send(reply)


def compile_search(game: str, compiling: Any) -> Compiled:
    try:
        with compiling:
            for player in (SEARCH, bots.levels.names(GAMES[game])[-1]):
                bots.warm(player, GAMES[game])
    except Exception:  # noqa: BLE001 - the server logs it
        return Compiled(game, traceback.format_exc())
    return Compiled(game)


def answer(question: Question, compiling: Any) -> Any:
    game, rng = GAMES[question.game], new_rng(question.seed)
    told = [Told(*entry) for entry in question.log]
    ask = Ask(game, question.seat, game.RECORD.from_buffer_copy(question.view), question.legal, told)
    player = question.bot or SEARCH
    if not question.plain and not bots.is_warm(player, game):
        with compiling:  # another worker has compiled it: loading takes a moment
            bots.warm(player, game)
    if question.bot is None:
        return hint.suggest(ask, rng, bots.PLAIN if question.plain else hint.ITERATIONS, plain=question.plain)
    return int(bots.make(player, game, plain=question.plain)(ask, rng))


# In the server


class Died(Exception):
    """A worker process ended (out of memory, a signal) before it had answered."""


class Failed(Exception):
    """A bot raised an exception."""


class Thinking(NamedTuple):
    """A question, for whoever runs the server: nothing in it is hidden from anybody at the table."""

    guest: str
    table: str
    game: str
    bot: str  # "" for a hint
    is_working: bool  # a worker has it; if not, it waits
    seconds: float  # since it was asked
    spent: float


class BotWorker:
    """One process, and the question it is working on."""

    def __init__(self, receive: Callable[["BotWorker", Reply | None], None]) -> None:
        """`receive` is called with every reply, and with None when the process has ended."""
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs,), daemon=True)
        with stop_signals_held():
            self.process.start()
        theirs.close()
        self.future: asyncio.Future[Any] | None = None
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

    def settle(self, answer: Any) -> None:
        """Give the answer, or the exception, to whoever waits for it, if anybody still does."""
        future, self.future = self.future, None
        if future is None or future.done():
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def end(self) -> None:
        """End it, whatever it is working on."""
        self.process.kill()
        self.process.join()
        self.reader.join()
        self.pipe.close()
        self.process.close()


class BotWorkers:
    def __init__(self, processes: int, announce: Callable[[str], None] = lambda game: None) -> None:
        """`announce` is called with the name of a game when its search has been compiled."""
        self.processes, self.announce = processes, announce
        self.all: list[BotWorker] = []
        self.waiting: deque[tuple[Question, asyncio.Future[Any]]] = deque()
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
        for _, future in self.waiting:
            future.cancel()

    def thinking(self) -> list[Thinking]:
        """What waits, the next first."""
        return [Thinking("", "", question.game, question.bot or "", False, 0.0, 0.0) for question, _ in self.waiting]

    def clear(self, guest: str | None = None, table: str | None = None) -> int:
        """Drop the questions that wait. How many there were."""
        meant = [] if guest or table else [future for _, future in self.waiting if not future.done()]
        for future in meant:
            future.set_exception(Failed("the questions that waited were cleared"))
        return len(meant)

    def is_warming(self, bot: str, game: Game) -> bool:
        """Whether this bot needs the compiled search and has to play without it for now."""
        return bool(bots.compiled_parts(bot, game)) and game.NAME not in self.warm

    def prepare(self, bot: str, game: Game) -> None:
        """Compile in the background what this bot needs."""
        if self.is_warming(bot, game) and game.NAME not in self.cold and self.tries[game.NAME] < MOST_TRIES:
            self.cold.append(game.NAME)
            if len(self.cold) == 1:
                self._compile()

    async def choose(self, bot: str, ask: Ask, seed: int) -> int:
        """The bot's action."""
        action: int = await self._ask(bot, ask, seed, plain=self.is_warming(bot, ask.game))
        return action

    async def suggest(self, ask: Ask, seed: int) -> tuple[list[hint.Suggestion], bool]:
        """What a hint suggests, and whether it was found without the compiled search."""
        plain = self.is_warming(SEARCH, ask.game)
        return await self._ask(None, ask, seed, plain=plain), plain

    async def _ask(self, bot: str | None, ask: Ask, seed: int, *, plain: bool) -> Any:
        """If the worker dies, another one is asked, once."""
        told = [tuple(entry) for entry in ask.log]
        question = Question(bot, ask.game.NAME, ask.seat, bytes(ask.view), ask.legal, told, seed, plain)
        try:
            return await self._queue(question)
        except Died:
            return await self._queue(question)

    def _queue(self, question: Question) -> "asyncio.Future[Any]":
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting.append((question, future))
        self._hand_out()
        return future

    def _hand_out(self) -> None:
        """Give waiting questions to free workers."""
        while self.waiting:
            question, future = self.waiting[0]
            if not future.done():  # whoever asked may have gone
                free = next((worker for worker in self.all if worker.future is None), None)
                if free is None and len(self.all) == self.processes:
                    return
                free = free or self._start()
                free.future = future
                free.send(question)
            self.waiting.popleft()

    def _start(self) -> BotWorker:
        self.all.append(BotWorker(self._receive))
        return self.all[-1]

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
        worker.settle(reply.answer if isinstance(reply, Answer) else Failed(reply.reason))
        self._hand_out()

    def _lose(self, worker: BotWorker) -> None:
        log.warning("a bot worker died")
        self.all.remove(worker)
        worker.settle(Died())
        worker.end()
        if worker.compiles:
            self._note_compiled(Compiled(worker.compiles, "the worker died"))
        self._hand_out()

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
