"""Bots think here, in processes of their own: handed what their seat may know, they answer with an action.

There are at most `processes` of them, at the lowest priority, so that the tables go first; one is started with the
server, others when there is more to think about than they can. Questions wait in one queue and are answered in the
order in which they came. Nobody has two of them there: a table asks for its next bot when the one before has acted, a
guest for a hint when the last is told. So they take turns, bots and hints alike, however quick some of them are.

Where the search is needed and not compiled yet, a much shorter interpreted one (`plain`) answers. One process compiles
it, one game at a time, in a thread beside its thinking; the others then find it in the cache on the disk. The server's
own process never compiles.
"""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from motherlode import GAMES, bots
from motherlode.bots import hint
from motherlode.game import Game, new_rng
from motherlode.table import Ask, Told

log = logging.getLogger("motherlode")
LOWEST_PRIORITY = 19
MOST_TRIES = 2  # to compile a game's search, should a process die of it
SEARCH = "search"  # the bot that gives hints


class Question(NamedTuple):
    """Which action this bot would do; without a bot, what a hint suggests."""

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
    """The question met an exception."""

    why: str


class Compiled(NamedTuple):
    game: str
    why_not: str = ""


# In a thinking process


def watch_parent() -> None:
    """A process whose server was killed must not stay."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def think(pipe: Connection) -> None:
    """Answer questions, and compile, until the server closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends us
    os.nice(LOWEST_PRIORITY)
    watch_parent()
    sending, compiling = threading.Lock(), threading.Lock()

    def say(what: Answer | Failure | Compiled) -> None:
        with sending:
            pipe.send(what)

    with contextlib.suppress(EOFError, OSError):  # the server has gone
        while True:
            asked = pipe.recv()
            if isinstance(asked, Compile):
                threading.Thread(
                    target=lambda game=asked.game: say(compile_search(game, compiling)), daemon=True
                ).start()
                continue
            try:
                said: Answer | Failure = Answer(answer(asked, compiling))
            except Exception:  # noqa: BLE001 - it is the asker's
                said = Failure(traceback.format_exc())
            say(said)


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
        with compiling:  # another process has compiled it: it is loaded in a moment
            bots.warm(player, game)
    if question.bot is None:
        return hint.suggest(ask, rng, bots.PLAIN if question.plain else hint.ITERATIONS, plain=question.plain)
    return int(bots.make(player, game, plain=question.plain)(ask, rng))


# In the server


class Died(Exception):
    """A thinking process ended (memory, a signal) before it had answered."""


class Failed(Exception):
    """A bot met an exception."""


class BotWorker:
    """One process, and what it thinks about."""

    def __init__(self, hear: Callable[["BotWorker"], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=think, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.future: asyncio.Future[Any] | None = None
        self.compiles: str | None = None
        self.loop = asyncio.get_running_loop()
        self.loop.add_reader(self.pipe.fileno(), hear, self)

    def send(self, what: Question | Compile) -> None:
        with contextlib.suppress(OSError):  # it has died, which is heard in a moment
            self.pipe.send(what)

    def settle(self, answer: Any) -> None:
        """Give the answer, or the exception, to who waits for it, if anybody still does."""
        future, self.future = self.future, None
        if future is None or future.done():
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def end(self) -> None:
        """End it, whatever it thinks about."""
        self.loop.remove_reader(self.pipe.fileno())
        self.pipe.close()
        self.process.kill()
        self.process.join()
        self.process.close()


class BotWorkers:
    def __init__(self, processes: int, announce: Callable[[str], None] = lambda game: None) -> None:
        """`announce` is told the name of a game whose search has been compiled."""
        self.processes, self.announce = processes, announce
        self.all: list[BotWorker] = []
        self.waiting: deque[tuple[Question, asyncio.Future[Any]]] = deque()
        self.warm: set[str] = set()  # games whose search is compiled
        self.cold: deque[str] = deque()  # games whose search is to be compiled; the first is under way
        self.tries: Counter[str] = Counter()

    def open(self) -> None:
        """Start one, so that the first bot need not wait for it."""
        if not self.all:
            self._start()

    def close(self) -> None:
        while self.all:
            self.all.pop().end()
        for _, future in self.waiting:
            future.cancel()

    def is_plain(self, bot: str, game: Game) -> bool:
        """Whether this bot needs the compiled search and has to do without it for now."""
        return bool(bots.compiled_parts(bot, game)) and game.NAME not in self.warm

    def prepare(self, bot: str, game: Game) -> None:
        """Have compiled what this bot needs, in the background."""
        if self.is_plain(bot, game) and game.NAME not in self.cold and self.tries[game.NAME] < MOST_TRIES:
            self.cold.append(game.NAME)
            if len(self.cold) == 1:
                self._compile()

    async def choose(self, bot: str, ask: Ask, seed: int) -> int:
        """The bot's action."""
        action: int = await self._ask(bot, ask, seed, plain=self.is_plain(bot, ask.game))
        return action

    async def suggest(self, ask: Ask, seed: int) -> tuple[list[hint.Suggestion], bool]:
        """What a hint suggests, and whether that was found without the compiled search."""
        plain = self.is_plain(SEARCH, ask.game)
        return await self._ask(None, ask, seed, plain=plain), plain

    async def _ask(self, bot: str | None, ask: Ask, seed: int, *, plain: bool) -> Any:
        """If the process dies another one is asked, once."""
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
        """Give the questions that wait to processes that have none."""
        while self.waiting:
            question, future = self.waiting[0]
            if not future.done():  # who asked may have gone
                free = next((worker for worker in self.all if worker.future is None), None)
                if free is None and len(self.all) == self.processes:
                    return
                free = free or self._start()
                free.future = future
                free.send(question)
            self.waiting.popleft()

    def _start(self) -> BotWorker:
        self.all.append(BotWorker(self._hear))
        return self.all[-1]

    def _hear(self, worker: BotWorker) -> None:
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            self._lose(worker)
            return
        if isinstance(said, Compiled):
            worker.compiles = None
            self._note(said)
            return
        worker.settle(said.answer if isinstance(said, Answer) else Failed(said.why))
        self._hand_out()

    def _lose(self, worker: BotWorker) -> None:
        log.warning("a thinking process died")
        self.all.remove(worker)
        worker.settle(Died())
        worker.end()
        if worker.compiles:
            self._note(Compiled(worker.compiles, "the process died"))
        self._hand_out()

    def _compile(self) -> None:
        """The search of the first of the cold games."""
        worker = self.all[0] if self.all else self._start()
        worker.compiles = self.cold[0]
        self.tries[self.cold[0]] += 1
        log.info("compiling", extra={"game": self.cold[0]})
        worker.send(Compile(self.cold[0]))

    def _note(self, done: Compiled) -> None:
        """One game is compiled, or could not be; on to the next."""
        self.cold.popleft()
        if done.why_not:
            log.error("not compiled", extra={"game": done.game, "reason": done.why_not})
            if self.tries[done.game] < MOST_TRIES:
                self.cold.append(done.game)
        else:
            log.info("compiled", extra={"game": done.game})
            self.warm.add(done.game)
        if self.cold:
            self._compile()
        if not done.why_not:
            self.announce(done.game)
