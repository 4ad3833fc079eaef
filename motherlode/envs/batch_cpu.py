"""A batch on the CPU: the loops of `stepping.py` in native code, in threads; and a batch's arrays on any device."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

import numpy as np

from motherlode import engine
from motherlode.compiled import as_array, compiled, dtype
from motherlode.engine import Refusal
from motherlode.envs import clues, stepping
from motherlode.envs.stepping import Rows, Scratch, Settings, new_scratch

if TYPE_CHECKING:
    from motherlode.envs.batch import Batch

CHUNK = 2048  # rows that a thread is handed at least
LARGEST = np.iinfo(np.int64).max
Array = np.ndarray[Any, Any]


class OnCpu:
    """A batch's rows in memory, stepped by compiled loops in threads."""

    def __init__(self, batch: "Batch") -> None:
        self.batch, game = batch, batch.game
        self.loops = compiled(game, stepping.programs)
        self.rows = new_rows(batch, batch.rows, np.zeros)
        self.observation = self.rows.observation
        if batch.dtype == np.float32:
            self.observation = np.zeros(self.rows.observation.shape, np.float32)
        self.opening = as_array(game, batch.opening).copy()
        self.pool: ThreadPoolExecutor | None = None
        self.process = os.getpid()  # whose the pool is: a fork has none of its threads
        self.scratch: list[Scratch] = []

    def in_chunks(self, loop: Callable[[int, int, Scratch], None]) -> None:
        """Run loop(first, stop, scratch) over all rows, in threads if there are many."""
        n, batch = self.batch.rows, self.batch
        parts = max(1, min(batch.threads, n // CHUNK))
        while len(self.scratch) < parts:
            self.scratch.append(new_scratch(batch.game))
        bounds = [n * k // parts for k in range(parts + 1)]

        def work(k: int) -> None:
            loop(bounds[k], bounds[k + 1], self.scratch[k])

        if parts == 1:
            work(0)
            return
        if self.pool is None or self.process != os.getpid():
            self.pool, self.process = ThreadPoolExecutor(parts), os.getpid()
        tasks: list[Future[None]] = []
        try:
            tasks.extend(self.pool.submit(work, k) for k in range(parts))
            for task in tasks:
                task.result()
        finally:
            wait(tasks)  # after Ctrl-C too: nobody may go on while they still write

    def to_host(self, array: Any) -> Array:
        return np.asarray(array)

    def read_actions(self, actions: Any) -> Array:
        """Actions for all rows as whole numbers, from any library whose arrays are in this memory."""
        try:
            chosen = as_numpy(actions)
        except (ValueError, TypeError, RuntimeError) as error:
            raise Refusal(f"{self.batch.game.TITLE}: these actions are not an array in memory: {error}") from None
        check_actions(self.batch, chosen)
        if chosen.dtype == np.uint64:
            chosen = np.minimum(chosen, LARGEST)  # it must not become negative
        return np.require(chosen, np.int64, ["C", "A", "W"])  # other memory would be compiled for once more

    def number_games(self, streams: Array) -> None:
        self.rows.stream[:] = streams

    def check(self, chosen: Array) -> None:
        """Refuse actions of which one is not legal."""
        illegal = self.loops.first_illegal(chosen, self.rows)
        if illegal < len(chosen):
            self.batch.refuse_action(illegal, int(chosen[illegal]))

    def step(self, chosen: Array, fresh: bool, settings: Settings, *, is_reset: bool = False) -> None:
        """Step all rows: the actions have been checked, or start games anew."""
        step, rows, opening = self.loops.step, self.rows, self.opening

        def loop(first: int, stop: int, to: Scratch) -> None:
            step(first, stop, chosen, fresh, rows, settings, opening, to)
            self.scale(first, stop)

        self.in_chunks(loop)

    def sample(self) -> Array:
        chosen = np.zeros(self.batch.rows, np.int64)
        sample, legal, rngs = self.loops.sample, self.rows.legal, self.rows.rngs
        self.in_chunks(lambda first, stop, to: sample(first, stop, legal, rngs, to.rng, chosen))
        return chosen

    def observe(self, seat: int) -> Array:
        observe = self.loops.observe
        return self.written(lambda first, stop, to, out: observe(first, stop, seat, self.rows, to, out))

    def reveal(self) -> Array:
        reveal = self.loops.reveal
        return self.written(lambda first, stop, to, out: reveal(first, stop, self.rows, to, out))

    def clues(self) -> Array:
        tell_clues = self.loops.tell_clues
        out: Array = np.zeros((self.batch.rows, clues.size(self.batch.game)), np.uint8)
        self.in_chunks(lambda first, stop, to: tell_clues(first, stop, self.rows, to, out))
        return out

    def written(self, loop: Callable[[int, int, Scratch, Array], None]) -> Array:
        """Rows of columns that a loop writes."""
        out: Array = np.zeros_like(self.rows.observation)
        self.in_chunks(lambda first, stop, to: loop(first, stop, to, out))
        return out if self.batch.dtype == np.uint8 else out / self.batch.layout.scale

    def guess(self, seats: Array, settings: Settings) -> None:
        guess = self.loops.guess
        self.in_chunks(lambda first, stop, to: guess(first, stop, seats, settings.number, self.rows, to))
        self.in_chunks(lambda first, stop, to: self.loops.show_all(first, stop, self.rows, to))
        self.scale()

    def of_seat(self, seat: int) -> tuple[Array, Array]:
        """Observation and mask where it is this seat's turn: what others know in their turns is blank."""
        mine = (self.rows.seat == seat)[:, None]
        blank, any_action = self.observation.dtype.type(0), np.uint8(1)
        return np.where(mine, self.observation, blank), np.where(mine, self.rows.mask, any_action)

    def take(self, other: "OnCpu", chosen: Array) -> None:
        """Copy these rows of another batch."""
        for mine, theirs in zip(self.rows, other.rows, strict=True):
            mine[:] = theirs[chosen]
        self.scale()

    def put(self, arrays: dict[str, Array]) -> None:
        """Take over saved arrays."""
        for name, mine in self.rows._asdict().items():
            saved = arrays[name]
            if name == "records":
                saved = saved.view(mine.dtype).reshape(mine.shape)
            mine[...] = saved
        self.scale()

    def scale(self, first: int = 0, stop: int | None = None) -> None:
        """Write the floats that are handed out, if they are."""
        if self.observation is not self.rows.observation:
            np.divide(self.rows.observation[first:stop], self.batch.layout.scale, out=self.observation[first:stop])


def mask_width(batch: "Batch") -> int:
    """The number of actions; where the caller decides for chance, at least that of outcomes."""
    actions, outcomes = len(batch.game.ACTIONS), len(batch.game.OUTCOMES)
    return max(actions, outcomes) if batch.chance == "caller" else actions


def new_rows(batch: "Batch", n: int, zeros: Callable[..., Any]) -> Rows:
    """Arrays for n rows of a batch, made by `zeros(shape, dtype)`."""
    game, layout = batch.game, batch.layout
    outcomes = len(game.OUTCOMES) if batch.chance == "caller" else 0
    return Rows(
        records=zeros(n, dtype(game)),
        rngs=zeros((n, stepping.STREAMS), np.uint64),
        stream=zeros(n, np.int64),
        legal=zeros((n, engine.words_of(game)), np.int64),
        told=zeros((n, batch.seats, layout.log, 2 + layout.shown.length), np.int16),
        told_count=zeros(n, np.int32),
        observation=zeros((n, layout.size), np.uint8),
        mask=zeros((n, mask_width(batch)), np.uint8),
        seat=zeros(n, np.int8),
        observer=zeros(n, np.int8),
        reward=zeros((n, batch.seats), np.float32),
        done=zeros(n, np.bool_),
        points=zeros((n, batch.seats), np.int32),
        odds=zeros((n, outcomes), np.int64),
        last=zeros(n, np.int8),
    )


def check_actions(batch: "Batch", chosen: Any) -> None:
    """Refuse an array, of any device, that has not a whole number for each row."""
    if chosen.shape != (batch.rows,) or chosen.dtype.kind not in "iu":
        raise Refusal(
            f"{batch.game.TITLE}: step takes {batch.rows} whole numbers, one per row, "
            f"not {chosen.dtype} of shape {chosen.shape}"
        )


def as_numpy(array: Any) -> Array:
    """An array of any library in this machine's memory, without a copy where it can be had."""
    if hasattr(array, "__dlpack__") and not isinstance(array, np.ndarray):
        try:
            found: Array = np.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError):
            pass
        else:
            return found
    return np.asarray(array)
