"""Batches: every row is the single game of its number, byte for byte."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motherlode import contract, engine
from motherlode.engine import Refusal
from motherlode.envs.batch import Batch
from motherlode.envs.observation import layout
from motherlode.game import CHANCE, OVER, Game, Record, Rng, new_rng
from motherlode.games import GAMES
from motherlode.table import Told

EVERY_GAME = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.NAME)
ROWS, STEPS = 3, 60


class Single:
    """Game `number` of a seed, interpreted: what a row of a batch must be."""

    def __init__(self, game: Game, opening: Record, seed: int, number: int, log: int = 0) -> None:
        self.game, self.s, self.rng = game, engine.copy(opening), new_rng(seed, number)
        self.layout = layout(game, log)
        self.told: list[list[Told]] = [[] for _ in range(opening.seats)]
        self.last = 0  # the seat that acted last
        self.draw()

    def act(self, a: int) -> None:
        self.last = self.s.turn
        self.apply(a)
        self.draw()

    def draw(self) -> None:
        while self.s.turn == CHANCE:
            self.apply(engine.draw(self.game, self.s, self.rng))

    def apply(self, a: int) -> None:
        before, self.s = self.s, engine.after(self.game, self.s, a)
        for seat, log in enumerate(self.told):
            told = self.game.told(before, a, seat)
            log.append(Told(before.turn, told, engine.shown(self.game, self.s, seat)))

    def observation(self, seat: int, dtype: Any = np.uint8) -> Any:
        return self.layout.encode(engine.view(self.game, self.s, seat), seat, self.told[seat], dtype)

    def mask(self) -> list[int]:
        actions = self.game.ACTIONS if self.s.turn == OVER else engine.legal(self.game, self.s)
        return [int(a in actions) for a in self.game.ACTIONS]

    def check(self, batch: Batch, row: int) -> None:
        s = self.s
        assert bytes(batch.position(row)) == bytes(s)
        assert batch.seat[row] == s.turn
        observer = self.last if s.turn == OVER else s.turn
        assert (batch.observation[row] == self.observation(observer, batch.dtype)).all()
        assert batch.mask[row].tolist() == self.mask()
        is_over = s.turn == OVER
        assert batch.done[row] == is_over
        assert batch.reward[row].tolist() == pytest.approx(engine.utility(self.game, s) if is_over else [0] * s.seats)
        assert batch.points[row].tolist() == (engine.points(self.game, s) if is_over else [0] * s.seats)


@EVERY_GAME
def test_a_row_is_the_single_game_of_its_number(game: Game) -> None:
    """At every seat count and with options, from game to game."""
    for at, (seats, options) in enumerate(contract.tables(game, most_combinations=3)):
        log, dtype = at % 3, ("uint8", "float32")[at % 2]
        batch = Batch(game, ROWS, seats=seats, seed=at, log=log, dtype=dtype, **options)
        singles = [Single(game, batch.opening, at, row, log) for row in range(ROWS)]
        for _ in range(STEPS):
            for row, single in enumerate(singles):
                assert batch.stream[row] % ROWS == row
                single.check(batch, row)
            over = [row for row in range(ROWS) if batch.seat[row] == OVER]
            actions = batch.sample()
            batch.step(actions)
            for row in range(ROWS):
                if row in over:
                    singles[row] = Single(game, batch.opening, at, int(batch.stream[row]), log)
                else:
                    singles[row].act(int(actions[row]))
        assert log or batch.stream.max() >= 0


@EVERY_GAME
def test_games_start_again_in_the_same_step_or_when_they_are_told_to(game: Game) -> None:
    same = Batch(game, 2, seed=5, autoreset="same_step")
    never = Batch(game, 2, seed=5, autoreset="disabled")
    games = 0
    while games < 4:
        actions = same.sample()
        assert (never.sample() == actions).all()
        same.step(actions)
        never.step(actions)
        assert (same.done == never.done).all()
        assert (same.reward == never.reward).all()
        assert (same.points == never.points).all()
        if (over := never.done.copy()).any():
            games += int(over.sum())
            before = [array.copy() for array in never.work.rows]
            never.step(np.where(over, 0, -1))  # does nothing: a game is over, or its row is left
            for array, now in zip(before, never.work.rows, strict=True):
                assert array.tobytes() == now.tobytes()
            never.reset(over)
            assert not never.done[over].any()
        for name in ("records", "observation", "mask", "seat", "stream"):
            assert getattr(same, name).tobytes() == getattr(never, name).tobytes(), name
        assert (same.seat >= 0).all()


def test_the_mode_can_be_gymnasiums() -> None:
    from gymnasium.vector import AutoresetMode

    names = {mode: Batch("goldmine", 1, autoreset=mode).autoreset for mode in AutoresetMode}
    assert names == {mode: mode.name.lower() for mode in AutoresetMode}


@EVERY_GAME
def test_seats_can_be_played_inside(game: Game) -> None:
    """Random players and a policy: the caller decides only for the others, and the results are those of whole games."""
    seats = max(game.SEATS)
    asked = []

    def first_legal(observation: Any, mask: Any) -> Any:
        asked.append(observation[:, :seats].argmax(1))  # whom it is asked for, in the rows where it is its turn
        return mask.argmax(1)

    players: dict[int, Any] = {0: first_legal} if seats == 2 else {0: first_legal, 2: "random"}
    batch = Batch(game, 5, seats=seats, seed=1, players=players)
    outside = {*range(seats)} - {*players}
    ended = 0
    for _ in range(3 * STEPS):
        assert {*batch.seat.tolist()} <= {*outside, OVER}
        batch.step(batch.sample())
        ended += int(batch.done.sum())
        assert batch.reward[batch.done].sum(axis=1) == pytest.approx(0, abs=1e-6)
    assert ended
    assert any((whom == 0).any() for whom in asked)


@EVERY_GAME
def test_chance_can_be_decided_by_the_caller(game: Game) -> None:
    """With the outcomes that would have been drawn it is the same game; mask and odds say what can be decided."""
    drawn, decided = Batch(game, 2, seed=9), Batch(game, 2, seed=9, chance="caller")
    rngs: list[Rng] = [new_rng(9, row) for row in range(2)]
    for _ in range(STEPS):
        while (decided.seat == CHANCE).any():
            chosen = []
            for row in range(2):
                s = decided.position(row)
                if s.turn != CHANCE:
                    chosen.append(-1)
                    continue
                outcomes = engine.legal(game, s)
                assert np.flatnonzero(decided.mask[row]).tolist() == outcomes
                odds = {a: int(game.odds(s, a)) for a in outcomes}
                assert {a: int(w) for a, w in enumerate(decided.odds[row]) if w} == odds
                chosen.append(engine.draw(game, s, rngs[row]))
            decided.step(np.array(chosen))
        assert decided.records.tobytes() == drawn.records.tobytes()
        actions = drawn.sample()
        actions[drawn.seat == OVER] = -1
        drawn.step(actions)
        decided.step(actions)


@EVERY_GAME
def test_copies_and_files_go_on_alike(game: Game, tmp_path: Path) -> None:
    batch = Batch(game, 4, seats=max(game.SEATS), seed=3, log=2, dtype="float32", players={1: "random"})
    for _ in range(20):
        batch.step(batch.sample())
    batch.save(tmp_path / "batch.npz")
    others = [
        batch.copy(),
        batch.copy([3, 2, 1, 0]),
        Batch.load(tmp_path / "batch.npz"),
        pickle.loads(pickle.dumps(batch)),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["batch.npz"]
    for _ in range(20):
        for other, order in zip(others, ([0, 1, 2, 3], [3, 2, 1, 0], [0, 1, 2, 3], [0, 1, 2, 3]), strict=True):
            assert other.records.tobytes() == batch.records[order].tobytes()
            for name in ("observation", "mask", "seat", "reward", "done", "points"):
                assert (getattr(other, name) == getattr(batch, name)[order]).all()
            assert (other.sample() == batch.copy().sample()[order]).all()
        actions = batch.sample()
        for other in (*others[:1], *others[2:]):
            other.step(actions)
        others[1].step(actions[::-1].copy())
        batch.step(actions)


@EVERY_GAME
def test_a_guess_keeps_what_the_seat_knows_and_nothing_else(game: Game) -> None:
    for seats in game.SEATS:
        batch = Batch(game, 64, seats=seats, seed=2, log=3, autoreset="same_step")
        for _ in range(12):
            batch.step(batch.sample())
        worlds, again, others = (batch.guess(seed=seed) for seed in (1, 1, 2))
        assert worlds.records.tobytes() == again.records.tobytes()
        differs = others.records.tobytes() != worlds.records.tobytes()
        is_hidden = False
        for row in range(64):
            s, w, seat = batch.position(row), worlds.position(row), int(batch.seat[row])
            assert bytes(engine.view(game, w, seat)) == bytes(engine.view(game, s, seat))
            is_hidden |= bytes(s) != bytes(engine.view(game, s, seat))
        assert differs == is_hidden
        for seat in range(seats):  # what the observer was told stays, what others were told does not
            mine, known = worlds.seat == seat, layout(game).size
            assert (worlds.observe(seat)[mine] == batch.observe(seat)[mine]).all()
            hidden = [name.endswith(".told=hidden") for name in worlds.layout.names()]
            entries = worlds.observe(seat)[~mine][:, hidden]
            assert entries.all() or not entries.size
            assert known < worlds.layout.size
        assert not (worlds.work.rows.rngs == batch.work.rows.rngs).any()  # nor can the next card be looked up


def test_an_illegal_action_is_refused_and_nothing_changes() -> None:
    batch = Batch("goldmine", 4, seed=1)
    actions = batch.sample()
    before = [array.tobytes() for array in batch.work.rows]
    actions[2] = 40
    with pytest.raises(
        Refusal, match=r"Goldmine, row 2: 40 'play .*' is not legal for seat \d \(GM-.*\)\. Legal: 0 'look"
    ):
        batch.step(actions)
    actions[2] = 1000
    with pytest.raises(Refusal, match="row 2: 1000 is no action; they are numbered 0 to 41"):
        batch.step(actions)
    actions[2] = -2
    with pytest.raises(Refusal, match="row 2: -2 is no action"):
        batch.step(actions)
    assert [array.tobytes() for array in batch.work.rows] == before


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([1, 2], r"Goldmine: step takes 4 whole numbers, one per row, not int64 of shape \(2,\)"),
        (np.zeros((4, 1), int), r"of shape \(4, 1\)"),
        (np.zeros(4), "not float64"),
        (np.zeros(4, bool), "not bool"),
        ("look", "step takes 4 whole numbers"),
    ],
)
def test_actions_of_a_wrong_shape_or_kind_are_refused(actions: Any, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        Batch("goldmine", 4).step(actions)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"rows": 0}, "a batch has 1 to .* rows, not 0"),
        ({"rows": 2.5}, "not 2.5"),
        ({"seats": 3}, "Goldmine is for 2 seats, not 3"),
        ({"device": "tpu"}, "device can be cpu or cuda, not 'tpu'"),
        ({"dtype": "int32"}, "observations are uint8 or float32, not int32"),
        ({"dtype": "number"}, "observations are uint8 or float32, not number"),
        ({"autoreset": "never"}, "autoreset can be next_step or same_step or disabled, not 'never'"),
        ({"chance": "fair"}, "chance can be drawn or caller, not 'fair'"),
        ({"players": {2: "random"}}, "players are for seats 0 to 1, not 2"),
        ({"players": {1: "digger"}}, "a player is 'random' or a function of observation and mask, not 'digger'"),
        ({"players": {0: "random", 1: "random"}}, "leave one to the caller"),
        ({"threads": 0}, "threads must be 1 or more, not 0"),
        ({"seed": 1 << 63}, "a seed is a number from"),
        ({"gold": 3}, "Goldmine has no option 'gold'"),
        ({"log": -1}, "the last 0 to 1000 entries"),
    ],
)
def test_bad_settings_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        Batch("goldmine", **{"rows": 2, **arguments})


def test_bad_calls_are_refused(tmp_path: Path) -> None:
    batch = Batch("goldmine", 2)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: batch.observe(2), "seats 0 to 1 here, and -1 for the public, not 2"),
        (lambda: batch.guess(seed=1, seat=5), "not 5"),
        (lambda: batch.copy([2]), "rows 0 to 1, not 2"),
        (lambda: batch.reset([True]), "rows are numbers, or 2 booleans"),
        (lambda: batch.reset([0], seed=1), "leave out either"),
        (lambda: batch.position(-1), "rows 0 to 1, not -1"),
        (lambda: Batch.load(tmp_path / "none"), "is not a saved batch"),
    ]
    for call, said in calls:
        with pytest.raises(Refusal, match=said):
            call()
    (tmp_path / "text").write_text("not a batch", encoding="utf-8")
    with pytest.raises(Refusal, match="is not a saved batch"):
        Batch.load(tmp_path / "text")
    Batch("goldmine", 2, players={0: lambda _, mask: mask.argmax(1)}).save(tmp_path / "policy")
    with pytest.raises(Refusal, match=r"policies played seats \[0\]"):
        Batch.load(tmp_path / "policy")


def test_threads_change_nothing() -> None:
    alone, together = (Batch("goldmine", 5000, seed=4, threads=threads) for threads in (1, 2))
    for _ in range(5):
        actions = alone.sample()
        assert (together.sample() == actions).all()
        alone.step(actions)
        together.step(actions)
    assert together.work.pool is not None
    assert alone.records.tobytes() == together.records.tobytes()
    assert (alone.observation == together.observation).all()
    assert (alone.observe(1) == together.observe(1)).all()


JAX = """
import jax.dlpack
import jax.numpy as jnp
import numpy as np
from motherlode.envs.batch import Batch

batch = Batch("goldmine", 64)
observation, mask = np.from_dlpack(batch.observation), np.from_dlpack(batch.mask)
assert np.shares_memory(observation, batch.observation) and np.shares_memory(mask, batch.mask)
batch.step(jnp.argmax(jax.dlpack.from_dlpack(batch.mask), axis=1))  # their arrays are actions
assert (observation == batch.observation).all()
assert (np.asarray(jax.dlpack.from_dlpack(batch.observation)) == batch.observation).all()
"""


def test_memory_is_handed_over_without_copying() -> None:
    """In a process of its own: JAX warns of every fork after it."""
    subprocess.run([sys.executable, "-c", JAX], check=True, env={**os.environ, "JAX_PLATFORMS": "cpu"})


def test_memory_is_handed_to_torch_without_copying() -> None:
    torch = pytest.importorskip("torch")
    batch = Batch("goldmine", 64)
    observation, mask = torch.from_dlpack(batch.observation), torch.as_tensor(batch.mask)
    assert observation.data_ptr() == batch.observation.ctypes.data
    batch.step(mask.argmax(dim=1))
    assert (observation.numpy() == batch.observation).all()
