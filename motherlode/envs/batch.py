"""Thousands of games side by side: `Batch("goldmine", 4096)`, on the CPU or on a GPU by the same rules.

    batch = Batch("goldmine", 4096, seed=1)
    while …:
        actions = policy(batch.observation, batch.mask)
        batch.step(actions)                     # then batch.seat, batch.reward, batch.done are those after it

A row is a game. In `step` its seat to act takes an action, then chance and the seats in `players` act until another
seat is to decide; the arrays are written anew, always the same memory:

    observation   (rows, columns)   what the seat to act knows, see `observation.py`; of a finished game what the seat
                                    knows that acted last
    mask          (rows, actions)   1 for what is legal; all 1 in a finished game, where no action does anything
    seat          (rows,)           who is to act: -2 in a finished game, -1 where the caller decides for chance
    observer      (rows,)           the seat whose observation it is; -1 for the public
    reward        (rows, seats)     when a game ends, every seat's result as a zero-sum utility (ALL-6); else 0
    points        (rows, seats)     when a game ends, the points; else 0
    done          (rows,)           whether a game ended in this step

Row i plays games i, i + rows, i + 2·rows, … of the seed. Game k draws chance from `new_rng(seed, k)`, as a single game
with that generator does, so both are equal byte for byte, on either device.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motherlode import engine, text
from motherlode.compiled import as_array, compiled, dtype
from motherlode.engine import Refusal, check_seed
from motherlode.envs import observation, stepping
from motherlode.envs.stepping import LEAVE, RESTART, Rows, Scratch, Settings, new_scratch
from motherlode.game import CHANCE, OVER, Game, Record
from motherlode.games import load_variant

AUTORESET = ("next_step", "same_step", "disabled")  # as in Gymnasium's AutoresetMode
CHUNK = 2048  # rows that a thread is handed at least
MOST_ROWS = 1 << 28
MOST_LISTED = 20  # legal actions in an error
SAVED = 1  # the version of saved files
Policy = Callable[[Any, Any], Any]  # actions for all rows by observation and mask
Player = Literal["random"] | Policy
Array = np.ndarray[Any, Any]


class Batch:
    """Many games of one kind, stepped together. See the module."""

    def __init__(
        self,
        game: Game | str,
        rows: int,
        *,
        seats: int | None = None,
        seed: int = 0,
        device: str = "cpu",
        dtype: Any = "uint8",
        log: int = 0,
        autoreset: Any = "next_step",
        chance: Literal["drawn", "caller"] = "drawn",
        players: Mapping[int, Player] | None = None,
        threads: int | None = None,
        debug: bool = False,
        **options: Any,
    ) -> None:
        self.game = text.find_game(game) if isinstance(game, str) else game
        self.layout = observation.layout(self.game, log)
        self.options = engine.check_options(self.game, options)
        self.opening = engine.start(self.game, seats, **self.options)
        self.seats, self.seed, self.debug = int(self.opening.seats), check_seed(seed), debug
        self.rows = check_rows(rows)
        self.dtype = check_dtype(dtype)
        self.autoreset = check_word("autoreset", getattr(autoreset, "name", str(autoreset)).lower(), AUTORESET)
        self.chance = check_word("chance", chance, ("drawn", "caller"))
        self.players = check_players(players or {}, self.seats)
        self.device = check_word("device", device, ("cpu", "cuda"))
        if threads is not None and threads < 1:
            raise Refusal(f"threads must be 1 or more, not {threads}")
        self.threads = threads or os.cpu_count() or 1
        self.work = self.new_worker()
        self.reset()

    def new_worker(self) -> Any:
        """What steps the rows on this batch's device."""
        if self.device == "cpu":
            return OnCpu(self)
        from motherlode.envs.batch_cuda import OnGpu

        return OnGpu(self)

    # What is handed out: the same memory after every step.

    @property
    def observation(self) -> Any:
        return self.work.observation

    @property
    def mask(self) -> Any:
        return self.work.rows.mask

    @property
    def seat(self) -> Any:
        return self.work.rows.seat

    @property
    def observer(self) -> Any:
        return self.work.rows.observer

    @property
    def reward(self) -> Any:
        return self.work.rows.reward

    @property
    def done(self) -> Any:
        return self.work.rows.done

    @property
    def points(self) -> Any:
        return self.work.rows.points

    @property
    def odds(self) -> Any:
        """With chance="caller": the weight of every outcome, where chance is to be decided."""
        return self.work.rows.odds

    @property
    def records(self) -> Any:
        """The true positions, as NumPy records; a copy on a GPU."""
        return self.work.to_host(self.work.rows.records)

    @property
    def stream(self) -> Any:
        """The number of the game that each row plays."""
        return self.work.to_host(self.work.rows.stream)

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Batch({self.game.NAME!r}, {self.rows}, seats={self.seats}, seed={self.seed}, device={self.device!r})"

    def position(self, row: int) -> Record:
        """The true position of a row."""
        return self.game.RECORD.from_buffer_copy(self.records[self.check_row(row)].tobytes())

    def reset(self, rows: Any = None, *, seed: int | None = None) -> None:
        """Start games: in all rows those of the seed from 0 on, or in some (numbers or booleans) their next ones."""
        if seed is not None:
            if rows is not None:
                raise Refusal("a seed starts all rows: leave out either the seed or the rows")
            self.seed = check_seed(seed)
        chosen = np.full(self.rows, RESTART if rows is None else LEAVE)
        if rows is None:
            self.work.number_games(np.arange(self.rows) - self.rows)  # a row's next game is this many after its last
        else:
            chosen[self.numbers(rows)] = RESTART
        self.work.step(self.work.read_actions(chosen), True, self.settings, is_reset=True)
        self.let_policies_act()

    def step(self, actions: Any) -> None:
        """Perform an action in every row. If one of them is illegal, it is refused and nothing has changed."""
        chosen = self.work.read_actions(actions)
        self.work.check(chosen)
        self.work.step(chosen, True, self.settings)
        self.let_policies_act()

    def sample(self) -> Any:
        """A legal action for every row, at random: row by row the same on every device."""
        return self.work.sample()

    def observe(self, seat: int) -> Any:
        """What one seat (-1: the public) knows of every row, whoever is to act: a new array."""
        if not -1 <= seat < self.seats:
            raise Refusal(f"{self.game.TITLE} has seats 0 to {self.seats - 1} here, and -1 for the public, not {seat}")
        return self.work.observe(seat)

    def copy(self, rows: Any = None) -> "Batch":
        """A copy that goes on by itself: of all rows, or of these, each as often as it is named."""
        chosen = np.arange(self.rows) if rows is None else self.numbers(rows)
        twin = self.empty_twin(len(chosen))
        twin.work.take(self.work, chosen)
        return twin

    def guess(self, *, seed: int, seat: int | None = None) -> "Batch":
        """A copy in which every row is a world that a seat holds possible, by default the seat to act.

        What that seat does not know is drawn anew, and so is everything that chance will decide.
        """
        seats = self.work.to_host(self.seat).astype(np.int64) if seat is None else np.full(self.rows, seat)
        if seat is not None and not -1 <= seat < self.seats:
            raise Refusal(f"{self.game.TITLE} has seats 0 to {self.seats - 1} here, and -1 for the public, not {seat}")
        twin = self.copy()
        twin.seed = check_seed(seed)
        twin.work.guess(np.maximum(seats, -1), twin.settings)
        return twin

    def save(self, path: str | Path) -> None:
        """Write everything into a file, which `load` goes on from. It has no policies of `players` in it."""
        path = Path(path)
        half = path.with_name(path.name + ".part")
        with half.open("wb") as file:
            header = np.frombuffer(json.dumps(self.header()).encode(), np.uint8)
            np.savez_compressed(file, allow_pickle=False, header=header, **self.arrays())
        half.replace(path)

    @classmethod
    def load(cls, path: str | Path, *, device: str = "cpu", players: Mapping[int, Player] | None = None) -> "Batch":
        """A saved batch, on any device. Policies that played in it are given again."""
        try:
            with np.load(path, allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
            header = json.loads(arrays.pop("header").tobytes())
        except (OSError, ValueError, KeyError) as error:
            raise Refusal(f"{path} is not a saved batch: {error}") from None
        return cls.from_saved(header, arrays, device, players)

    @classmethod
    def from_saved(
        cls, header: dict[str, Any], arrays: dict[str, Array], device: str, players: Mapping[int, Player] | None
    ) -> "Batch":
        if header.pop("saved", None) != SAVED:
            raise Refusal(f"this batch was saved in another format than {SAVED}")
        game = text.find_game(header.pop("game"))
        if changes := header.pop("data"):
            game = load_variant(game.SOURCE, changes, header["variant"])
        header.pop("variant")
        if header.pop("rules") != game.RULES:
            raise Refusal(f"this batch was saved under another version of {game.TITLE}'s rules than {game.RULES}")
        wanted = {int(seat) for seat in header.pop("policies")}
        inside: dict[int, Player] = {int(seat): "random" for seat in header.pop("random")}
        given = dict(players or {})
        if wanted != {*given}:
            raise Refusal(
                f"policies played seats {sorted(wanted)} of this batch: give those with players=, not {given}"
            )
        batch = cls(game, device=device, players={**inside, **given}, **header.pop("options"), **header)
        batch.work.put(arrays)
        return batch

    def header(self) -> dict[str, Any]:
        random = [seat for seat, player in self.players.items() if player == "random"]
        return {
            "saved": SAVED,
            "game": self.game.SOURCE if self.game.CHANGES else self.game.NAME,
            "data": dict(self.game.CHANGES),
            "variant": self.game.VARIANT,
            "rules": self.game.RULES,
            "options": self.options,
            "rows": self.rows,
            "seats": self.seats,
            "seed": self.seed,
            "dtype": self.dtype.name,
            "log": self.layout.log,
            "autoreset": self.autoreset,
            "chance": self.chance,
            "debug": self.debug,
            "random": random,
            "policies": [seat for seat in self.players if seat not in random],
        }

    def arrays(self) -> dict[str, Array]:
        """Every array on the host; records as bytes."""
        arrays = {name: self.work.to_host(array) for name, array in self.work.rows._asdict().items()}
        return {**arrays, "records": arrays["records"].view(np.uint8).reshape(self.rows, -1)}

    def __reduce__(self) -> tuple[Any, ...]:
        policies = {seat: player for seat, player in self.players.items() if player != "random"}
        return Batch.from_saved, (self.header(), self.arrays(), self.device, policies)

    @property
    def settings(self) -> Settings:
        inside = sum(1 << seat for seat, player in self.players.items() if player == "random")
        return Settings(self.seed, self.rows, AUTORESET.index(self.autoreset), inside, self.chance == "caller")

    def let_policies_act(self) -> None:
        """Let the policies of `players` act, in all rows where it is their turn, until it is nowhere."""
        policies = {seat: player for seat, player in self.players.items() if callable(player)}
        while policies:
            turns = self.work.to_host(self.seat)
            waiting = [seat for seat in policies if (turns == seat).any()]
            if not waiting:
                return
            seat = waiting[0]
            answers = self.work.to_host(self.work.read_actions(policies[seat](self.observation, self.mask)))
            chosen = self.work.read_actions(np.where(turns == seat, answers, LEAVE))
            self.work.check(chosen)
            self.work.step(chosen, False, self.settings)

    def empty_twin(self, rows: int) -> "Batch":
        """A batch of the same kind, without games in it."""
        twin = Batch.__new__(Batch)
        vars(twin).update(vars(self))
        twin.rows = rows
        twin.work = twin.new_worker()
        return twin

    def check_row(self, row: int) -> int:
        if not 0 <= row < self.rows:
            raise Refusal(f"this batch has rows 0 to {self.rows - 1}, not {row}")
        return row

    def numbers(self, rows: Any) -> Array:
        """Rows as numbers: given as such, or as booleans."""
        chosen = self.work.to_host(rows) if not isinstance(rows, (list, tuple, np.ndarray)) else np.asarray(rows)
        if chosen.dtype == np.bool_ and chosen.shape == (self.rows,):
            return np.flatnonzero(chosen)
        if chosen.ndim != 1 or (len(chosen) and chosen.dtype.kind not in "iu"):
            raise Refusal(f"rows are numbers, or {self.rows} booleans, not {chosen.dtype} of shape {chosen.shape}")
        for row in chosen[(chosen < 0) | (chosen >= self.rows)][:1]:
            self.check_row(int(row))
        return chosen.astype(np.int64)

    def refuse_action(self, row: int, a: int) -> None:
        """Say why an action is refused: with the game, the row, the seat, the clause and what would be legal."""
        s = self.position(row)
        table = self.game.OUTCOMES if s.turn == CHANCE else self.game.ACTIONS
        legal = [f"{b} {table.name(b)!r}" for b in engine.legal(self.game, s)] if s.turn != OVER else ["any"]
        more = f" and {len(legal) - MOST_LISTED} more" if len(legal) > MOST_LISTED else ""
        who = {CHANCE: "chance", OVER: "a finished game"}.get(s.turn, f"seat {s.turn}")
        if 0 <= a < len(table):
            clause = self.game.why(engine.view(self.game, s, s.turn), a) if s.turn >= 0 else ""
            what = f"{a} {table.name(a)!r} is not legal for {who}" + (f" ({clause})" if clause else "")
        else:
            what = f"{a} is no action; they are numbered 0 to {len(table) - 1}, and {LEAVE} leaves a row as it is"
        raise Refusal(f"{self.game.TITLE}, row {row}: {what}. Legal: {', '.join(legal[:MOST_LISTED])}{more}")


class OnCpu:
    """A batch's rows in memory, stepped by compiled loops in threads."""

    def __init__(self, batch: Batch) -> None:
        self.batch, game = batch, batch.game
        self.loops = compiled(game, stepping.programs)
        self.rows = new_rows(batch, batch.rows, np.zeros)
        self.observation = self.rows.observation
        if batch.dtype == np.float32:
            self.observation = np.zeros(self.rows.observation.shape, np.float32)
        self.opening = as_array(game, batch.opening).copy()
        self.pool: ThreadPoolExecutor | None = None
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
        self.pool = self.pool or ThreadPoolExecutor(parts)
        for done in [self.pool.submit(work, k) for k in range(parts)]:
            done.result()

    def to_host(self, array: Any) -> Array:
        return np.asarray(array)

    def read_actions(self, actions: Any) -> Array:
        """Actions for all rows as whole numbers, from any library whose arrays are in this memory."""
        chosen = as_numpy(actions)
        if chosen.shape != (self.batch.rows,) or chosen.dtype.kind not in "iu":
            raise Refusal(
                f"{self.batch.game.TITLE}: step takes {self.batch.rows} whole numbers, one per row, "
                f"not {chosen.dtype} of shape {chosen.shape}"
            )
        return chosen.astype(np.int64, copy=False)

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
        self.in_chunks(lambda first, stop, to: self.loops.sample(first, stop, self.rows, to, chosen))
        return chosen

    def observe(self, seat: int) -> Array:
        out: Array = np.zeros_like(self.rows.observation)
        self.in_chunks(lambda first, stop, to: self.loops.observe(first, stop, seat, self.rows, to, out))
        if self.batch.dtype == np.float32:
            out = out / self.batch.layout.scale
        return out

    def guess(self, seats: Array, settings: Settings) -> None:
        guess = self.loops.guess
        self.in_chunks(lambda first, stop, to: guess(first, stop, seats, settings.number, self.rows, to))

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


def mask_width(batch: Batch) -> int:
    """The number of actions; where the caller decides for chance, at least that of outcomes."""
    actions, outcomes = len(batch.game.ACTIONS), len(batch.game.OUTCOMES)
    return max(actions, outcomes) if batch.chance == "caller" else actions


def new_rows(batch: Batch, n: int, zeros: Callable[..., Any]) -> Rows:
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


def check_rows(rows: int) -> int:
    if not isinstance(rows, int) or not 1 <= rows <= MOST_ROWS:
        raise Refusal(f"a batch has 1 to {MOST_ROWS} rows, not {rows}")
    return rows


def check_dtype(given: Any) -> np.dtype[Any]:
    for allowed in (np.dtype(np.uint8), np.dtype(np.float32)):
        try:
            if np.dtype(given) == allowed:
                return allowed
        except TypeError:
            break
    raise Refusal(f"observations are uint8 or float32, not {given}")


def check_word(name: str, given: str, allowed: Sequence[str]) -> str:
    if given not in allowed:
        raise Refusal(f"{name} can be {' or '.join(allowed)}, not {given!r}")
    return given


def check_players(players: Mapping[int, Player], seats: int) -> dict[int, Player]:
    for seat, player in players.items():
        if seat not in range(seats):
            raise Refusal(f"players are for seats 0 to {seats - 1}, not {seat!r}")
        if player != "random" and not callable(player):
            raise Refusal(f"a player is 'random' or a function of observation and mask, not {player!r}")
    if len(players) == seats:
        raise Refusal("all seats are played inside the step: leave one to the caller")
    return dict(players)
