"""Thousands of games side by side: `Batch("goldmine", 4096)`, on the CPU or on a GPU by the same rules.

    batch = Batch("goldmine", 4096, seed=1)
    while …:
        actions = policy(batch.observation, batch.mask)
        batch.step(actions)                     # then batch.seat, batch.reward, batch.done are those after it

A row is a game. In `step` its seat to act takes an action, then chance and the seats in `players` act until another
seat is to decide; the arrays are written anew, always the same memory:

    observation   (rows, columns)   what the seat to act knows, see `observation.py`; of a finished game what the seat
                                    knows that acted last of those that the caller plays
    mask          (rows, actions)   1 for what is legal; all 1 in a finished game, where no action does anything
    seat          (rows,)           who is to act: -2 in a finished game, -1 where the caller decides for chance
    observer      (rows,)           the seat whose observation it is; -1 for the public
    reward        (rows, seats)     when a game ends, every seat's result as a zero-sum utility (ALL-6); else 0
    points        (rows, seats)     when a game ends, the points; else 0
    done          (rows,)           whether a game ended in this step. Where games start again in the same step and
                                    the seats in `players` end the next one too, it is the first that counts

An action of -1 leaves a row as it is. With autoreset="disabled" finished games wait for `reset(batch.done)`; steps do
nothing in them. One thread at a time may call a batch.

Row i plays games i, i + rows, i + 2·rows, … of the seed. Game k draws chance from `new_rng(seed, k)`, as a single game
with that generator does, so both are equal byte for byte, on either device.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, SupportsIndex

import numpy as np

from motherlode import engine
from motherlode.engine import Refusal
from motherlode.envs import observation, saved
from motherlode.envs.batch_cpu import Array, OnCpu
from motherlode.envs.checks import check_dtype, check_game, check_number, check_seed, check_word
from motherlode.envs.stepping import LEAVE, RESTART, Settings
from motherlode.game import CHANCE, OVER, Game, Record

AUTORESET = ("next_step", "same_step", "disabled")  # as in Gymnasium's AutoresetMode
MOST_ROWS = 1 << 28
MOST_LISTED = 20  # legal actions in an error
Policy = Callable[[Any, Any], Any]  # actions for all rows by observation and mask, which are blank in others' turns
Player = Literal["random"] | Policy


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
        self.game = check_game(game)
        self.log = check_number("log", log)
        self.layout = observation.layout(self.game, self.log)
        self.options = engine.check_new_options(self.game, options)
        self.opening = engine.start(self.game, seats, **self.options)
        self.seats, self.seed, self.debug = int(self.opening.seats), check_seed(seed), bool(debug)
        self.rows = self.apart = check_rows(rows)  # a row's games are numbered so far apart
        self.dtype = check_dtype(dtype)
        self.autoreset = check_word("autoreset", getattr(autoreset, "name", str(autoreset)).lower(), AUTORESET)
        self.chance = check_word("chance", chance, ("drawn", "caller"))
        self.players = check_players(players or {}, self.seats)
        self.device = check_word("device", device, ("cpu", "cuda"))
        self.threads = check_threads(threads)
        self.waits_for_policy = False  # one that failed in the middle of a step
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
            self.apart = self.rows
            self.work.number_games(np.arange(self.rows) - self.rows)  # a row's next game is this many after its last
        else:
            chosen[self.numbers(rows)] = RESTART
        self.work.step(self.work.read_actions(chosen), False, self.settings, is_reset=True)
        self.let_policies_act()

    def step(self, actions: Any) -> None:
        """Perform an action in every row. If one of them is illegal, it is refused and nothing has changed."""
        if self.waits_for_policy:
            raise Refusal(f"{self.game.TITLE}: a policy failed in the middle of a step: reset, or go on from a copy")
        chosen = self.work.read_actions(actions)
        self.work.check(chosen)
        self.work.step(chosen, True, self.settings)
        self.let_policies_act()

    def sample(self) -> Any:
        """A legal action for every row, at random: row by row the same on every device.

        Where the caller decides for chance, all outcomes are equally likely: `odds` says how likely they should be.
        """
        return self.work.sample()

    def observe(self, seat: int) -> Any:
        """What one seat (-1: the public) knows of every row, whoever is to act: a new array."""
        return self.work.observe(self.check_seat(seat))

    def state(self) -> Any:
        """The whole position of every row, counted from its observer, which no seat may know: a new array.

        It is for a critic that only trains. Of the log there is nothing in it.
        """
        return self.work.reveal()

    def clues(self) -> Any:
        """What a network is told of every row besides its observation (see `envs.clues`): a new array of bytes."""
        return self.work.clues()

    def copy(self, rows: Any = None) -> "Batch":
        """A copy that goes on by itself: of all rows, or of these, each as often as it is named.

        A row goes on as it would have here, with the same chance ahead; `guess` draws that anew.
        """
        chosen = np.arange(self.rows) if rows is None else self.numbers(rows)
        twin = self.empty_twin(check_rows(len(chosen)))
        twin.work.take(self.work, chosen)
        return twin

    def guess(self, *, seed: int, seat: int | None = None) -> "Batch":
        """A copy in which every row is a world that a seat holds possible, by default the seat to act.

        What that seat does not know is drawn anew, and so is everything that chance will decide. Of a finished game,
        and where the caller decides for chance, it is by default a world that the public holds possible.
        """
        if seat is None:
            seats = np.maximum(self.work.to_host(self.seat).astype(np.int64), CHANCE)
        else:
            seats = np.full(self.rows, self.check_seat(seat), np.int64)
        number, twin = check_seed(seed), self.copy()
        twin.seed, twin.apart = number, twin.rows
        twin.work.guess(seats, twin.settings)
        return twin

    def save(self, path: str | Path) -> None:
        """Write everything into a file, which `load` goes on from. It has no policies of `players` in it."""
        saved.write(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, *, device: str = "cpu", players: Mapping[int, Player] | None = None) -> "Batch":
        """A saved batch, on any device. Policies that played in it are given again.

        Compiled rules trust the positions in a file: load only what you or somebody you trust has saved.
        """
        return saved.read(Path(path), device, players)

    def __reduce__(self) -> tuple[Any, ...]:
        policies = {seat: player for seat, player in self.players.items() if player != "random"}
        return saved.restore, (saved.header(self), saved.arrays(self), self.device, policies, self.threads)

    @property
    def settings(self) -> Settings:
        inside = sum(1 << seat for seat, player in self.players.items() if player == "random")
        outside = sum(1 << seat for seat in range(self.seats) if seat not in self.players)
        autoreset = AUTORESET.index(self.autoreset)
        return Settings(self.seed, self.apart, autoreset, inside, outside, self.chance == "caller")

    def let_policies_act(self) -> None:
        """Let the policies of `players` act, in all rows where it is their turn, until it is nowhere."""
        policies = {seat: player for seat, player in self.players.items() if callable(player)}
        self.waits_for_policy = bool(policies)
        while policies:
            turns = self.work.to_host(self.seat)
            waiting = [seat for seat in policies if (turns == seat).any()]
            if not waiting:
                self.waits_for_policy = False
                return
            seat = waiting[0]
            answers = self.work.to_host(self.work.read_actions(policies[seat](*self.work.of_seat(seat))))
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
        number = check_number("row", row)
        if not 0 <= number < self.rows:
            raise Refusal(f"this batch has rows 0 to {self.rows - 1}, not {row}")
        return number

    def check_seat(self, seat: int) -> int:
        """A seat of these games, or -1 for the public."""
        number = check_number("seat", seat)
        if not -1 <= number < self.seats:
            raise Refusal(f"{self.game.TITLE} has seats 0 to {self.seats - 1} here, and -1 for the public, not {seat}")
        return number

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


def check_rows(rows: SupportsIndex) -> int:
    number = check_number("rows", rows)
    if not 1 <= number <= MOST_ROWS:
        raise Refusal(f"a batch has 1 to {MOST_ROWS} rows, not {rows}")
    return number


def check_threads(threads: SupportsIndex | None) -> int:
    """How many threads step the rows: by default as many as there are cores."""
    if threads is None:
        return os.cpu_count() or 1
    number = check_number("threads", threads)
    if number < 1:
        raise Refusal(f"threads must be 1 or more, not {threads}")
    return number


def check_players(players: Mapping[int, Player], seats: int) -> dict[int, Player]:
    if not isinstance(players, Mapping):
        raise Refusal(f"players are given by their seats, such as {{1: 'random'}}, not {players!r}")
    players = {check_number("a seat in players", seat): player for seat, player in players.items()}
    for seat, player in players.items():
        if seat not in range(seats):
            raise Refusal(f"players are for seats 0 to {seats - 1}, not {seat!r}")
        if player != "random" and not callable(player):
            raise Refusal(f"a player is 'random' or a function of observation and mask, not {player!r}")
    if len(players) == seats:
        raise Refusal("all seats are played inside the step: leave one to the caller")
    return dict(players)
