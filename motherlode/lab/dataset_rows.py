"""The rows of a dataset: whole games in compiled loops, with what the seat to act knew and might do at every decision.

A game is a batch of one row whose caller decides everything, chance too. What is decided is drawn at random, as
`Batch.sample` and a batch's chance draw it, or given as a log; then every entry is checked.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.compiled import compiled, dtype
from motherlode.envs import observation, stepping
from motherlode.envs.stepping import DISABLED, OF_CHANCE, OF_SAMPLES, RESTART, Rows, Scratch, Settings, new_scratch
from motherlode.game import CHANCE, OVER, Game, below, count, has, new_rng, nth_action

Array = np.ndarray[Any, Any]

DRAWN, GIVEN, SEEDED = range(3)  # who decides: random numbers; a log; a log whose outcomes must be those of the seed
RIGHT, FULL, ILLEGAL, NOT_OF_SEED, LATE = range(5)  # how it ended; LATE: the log goes on after the end of the game
PLAYED, ROWS, OUTCOMES, LAST, ENDING = range(5)  # the places of `Made.reached`
GROUP_ROWS, GROUP_BYTES = 1 << 16, 1 << 24
DEAL = 256  # outcomes that there is room for beside one for every decision


class Games(NamedTuple):
    """Games to be played, one after the other."""

    number: Any  # of each game
    opening: Any
    log: Any  # of all games, actions and outcomes: read, or written if they are drawn
    end: Any  # where the log of each game ends


class Made(NamedTuple):
    """What the games have come to: a place per decision, if nothing else is said."""

    game: Any  # its place among the games
    decision: Any
    decisions: Any
    seat: Any
    known: Any  # the view of the seat to act (Numba allows no field named so)
    observation: Any  # where only views are wanted, a single row
    mask: Any
    action: Any
    utility: Any
    points: Any
    outcome: Any  # what chance decided before each decision, one after the other
    outcome_end: Any
    last: Any  # what it decided after the last decision of each game
    last_end: Any
    over: Any  # of each game: whether it was played to its end
    reached: Any  # how far this is filled


@engine.lean
def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The loop of one game, built from those of a batch."""
    step = stepping.programs(game, inner, entry)
    advance, find_legal, write_mask, write_observation = (
        step.advance, step.find_legal, step.write_mask, step.write_observation
    )  # fmt: skip
    draw = engine.programs(game, inner, entry).draw
    words = engine.words_of(game)

    @inner
    def decide(turn: int, rows: Rows, to: Scratch) -> int:
        """What chance draws, or a seat that plays at random."""
        stream = OF_CHANCE if turn == CHANCE else OF_SAMPLES
        to.rng[0] = rows.rngs[0, stream]
        if turn == CHANCE:
            a: int = draw(to.position[0], to.rng, to.bits)
        else:
            choices = 0
            for w in range(words):
                choices += count(rows.legal[0, w])
            a = nth_action(rows.legal[0], below(to.rng, choices))
        rows.rngs[0, stream] = to.rng[0]
        return a

    @inner
    def finish(first: int, row: int, g: int, rows: Rows, made: Made) -> None:
        """Write the result of a game into its rows, and take what chance decided last out of the outcomes."""
        made.over[g] = rows.seat[0] == OVER
        for r in range(first, row):
            made.decisions[r] = row - first
            made.utility[r] = rows.reward[0, made.seat[r]]
            made.points[r] = rows.points[0, made.seat[r]]
        if row > first:
            for k in range(made.outcome_end[row - 1], made.reached[OUTCOMES]):
                made.last[made.reached[LAST]] = made.outcome[k]
                made.reached[LAST] += 1
            made.last_end[row - 1] = made.reached[LAST]
        made.reached[OUTCOMES] = made.outcome_end[row - 1] if row > 0 else 0

    @entry
    def play(mode: int, games: Games, made: Made, rows: Rows, settings: Settings, to: Scratch) -> None:
        """Play games until one of them does not fit any more or is not right; `made.reached` says how far."""
        row = at = 0
        for g in range(len(games.number)):
            made.reached[PLAYED], made.reached[ROWS] = g, row
            rows.stream[0] = games.number[g] - settings.apart
            first = row
            a = RESTART
            while True:
                advance(0, a, True, rows, settings, games.opening[g : g + 1], to)
                turn = rows.seat[0]
                if turn == OVER or (mode != DRAWN and at == games.end[g]):
                    break
                if at == len(games.log) or row == len(made.action):
                    made.reached[ENDING] = FULL
                    return
                find_legal(0, rows, to)
                if mode == DRAWN or (mode == SEEDED and turn == CHANCE):
                    a = decide(turn, rows, to)
                    if mode == DRAWN:
                        games.log[at] = a
                    elif a != games.log[at]:
                        made.reached[ENDING], made.reached[ROWS] = NOT_OF_SEED, row
                        return
                a = games.log[at]
                if not (0 <= a < 64 * words and has(rows.legal[0], a)):
                    made.reached[ENDING], made.reached[ROWS] = ILLEGAL, row
                    return
                at += 1
                if turn == CHANCE:
                    made.outcome[made.reached[OUTCOMES]] = a
                    made.reached[OUTCOMES] += 1
                    continue
                made.game[row], made.decision[row], made.seat[row], made.action[row] = g, row - first, turn, a
                made.outcome_end[row], made.last_end[row] = made.reached[OUTCOMES], made.reached[LAST]
                write_mask(rows.legal[0], made.mask[row])
                out = made.observation[min(row, len(made.observation) - 1)]
                out[:] = 0
                write_observation(0, turn, rows, to, out)
                made.known[row] = to.seen[0]
                row += 1
            if mode == DRAWN:
                games.end[g] = at
            elif at < games.end[g]:
                made.reached[ENDING], made.reached[ROWS] = LATE, row
                return
            finish(first, row, g, rows, made)
        made.reached[PLAYED], made.reached[ROWS] = len(games.number), row

    return SimpleNamespace(play=play)


class Memory:
    """Arrays for compiled loops, or for these loops in plain Python, which take ctypes records and plain numbers."""

    def __init__(self, game: Game, *, is_compiled: bool) -> None:
        self.game, self.is_compiled = game, is_compiled

    def records(self, content: bytes) -> Any:
        """Records from their bytes."""
        if self.is_compiled:
            return np.frombuffer(content, dtype(self.game)).copy()
        many = len(content) // dtype(self.game).itemsize
        return (self.game.RECORD * many).from_buffer_copy(content)

    def blank(self, many: int) -> Any:
        return self.records(bytes(many * dtype(self.game).itemsize))

    def numbers(self, content: Any, kind: Any = np.int64) -> Array:
        return np.asarray(content, kind).astype(kind if self.is_compiled else object)

    def zeros(self, shape: int | tuple[int, ...], kind: Any = np.int64) -> Array:
        return self.numbers(np.zeros(shape, kind), kind)

    def scratch(self) -> Scratch:
        if self.is_compiled:
            return new_scratch(self.game)
        return Scratch(
            self.blank(1), self.blank(1), new_rng(0), new_rng(0), engine.new_bits(self.game), [0] * engine.MOST_SEATS
        )

    def rows(self, log: int) -> Rows:
        """A batch of one row."""
        layout, seats = observation.layout(self.game, log), max(self.game.SEATS)
        return Rows(
            records=self.blank(1),
            rngs=self.zeros((1, stepping.STREAMS), np.uint64),
            stream=self.zeros(1),
            legal=self.zeros((1, engine.words_of(self.game))),
            told=self.zeros((1, seats, log, 2 + layout.shown.length), np.int16),
            told_count=self.zeros(1, np.int32),
            observation=np.zeros((1, 0), np.uint8),
            mask=np.zeros((1, 0), np.uint8),
            seat=self.zeros(1, np.int8),
            observer=self.zeros(1, np.int8),
            reward=np.zeros((1, seats), np.float32),
            done=np.zeros(1, np.bool_),
            points=np.zeros((1, seats), np.int32),
            odds=np.zeros((1, 0), np.int64),
            last=self.zeros(1, np.int8),
        )

    def made(self, games: int, room: int, entries: int, columns: int, *, is_observed: bool) -> Made:
        """Room for so many games, decisions and entries of the log."""
        return Made(
            game=np.zeros(room, np.int64),
            decision=np.zeros(room, np.int32),
            decisions=np.zeros(room, np.int32),
            seat=np.zeros(room, np.int8),
            known=self.blank(room),
            observation=np.zeros((room if is_observed else 1, columns), np.uint8),
            mask=np.zeros((room, len(self.game.ACTIONS)), np.uint8),
            action=np.zeros(room, np.int32),
            utility=np.zeros(room, np.float32),
            points=np.zeros(room, np.int32),
            outcome=np.zeros(entries, np.int32),
            outcome_end=np.zeros(room, np.int32),
            last=np.zeros(entries, np.int32),
            last_end=np.zeros(room, np.int32),
            over=np.zeros(games, np.bool_),
            reached=np.zeros(ENDING + 1, np.int64),
        )


class Loop:
    """Makes the rows of one game: with observations that have `log` entries of what the seat was told, or views."""

    def __init__(self, game: Game, log: int | None, *, is_compiled: bool = True) -> None:
        self.game, self.is_observed = game, log is not None
        self.layout = observation.layout(game, log or 0)
        self.memory = Memory(game, is_compiled=is_compiled)
        self.rows, self.scratch = self.memory.rows(log or 0), self.memory.scratch()
        made = compiled(game, programs) if is_compiled else programs(game, engine.uncompiled, engine.uncompiled)
        self.program = made.play

    def room(self) -> int:
        """How many rows are kept in memory at a time, and so are a row group of the file: some 16 MB of them."""
        columns = self.layout.size if self.is_observed else 0
        size = dtype(self.game).itemsize + columns + len(self.game.ACTIONS)
        return max(1, min(GROUP_ROWS, GROUP_BYTES // size))

    def play(self, mode: int, games: Games, seed: int, room: int) -> Made:
        """Play these games, of which at most so many decisions are kept."""
        made = self.memory.made(len(games.number), room, len(games.log), self.layout.size, is_observed=self.is_observed)
        settings = Settings(seed, 1, DISABLED, 0, outside=(1 << engine.MOST_SEATS) - 1, by_caller=True)
        self.program(mode, games, made, self.rows, settings, self.scratch)
        return made

    def draw(self, opening: bytes, seed: int, first: int, *, room: int) -> tuple[Games, Made]:
        """Random games of a seed from number `first` on: as many as there is room for, at least one."""
        memory = self.memory
        while True:
            games = Games(
                memory.numbers(np.arange(first, first + room)),
                memory.records(opening * room),
                memory.zeros(2 * room + DEAL),
                memory.zeros(room),
            )
            made = self.play(DRAWN, games, seed, room)
            if made.reached[PLAYED]:
                return games, made
            room *= 2  # for one long game

    def replay(self, games: Games, seed: int | None) -> Made:
        """Play games by their logs; with a seed, chance must have decided what follows from it."""
        return self.play(GIVEN if seed is None else SEEDED, games, seed or 0, max(1, len(games.log)))
