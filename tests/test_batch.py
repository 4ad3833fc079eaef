"""Batches: every row is the single game of its number, byte for byte."""

import contextlib
import copy
import gc
import json
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
from motherlode.games import GAMES, variant
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

    def state(self, seat: int, dtype: Any) -> Any:
        row = self.layout.encode(self.s, seat, (), dtype)
        row[self.layout.knowledge :] = 0
        return row

    def mask(self) -> list[int]:
        actions = self.game.ACTIONS if self.s.turn == OVER else engine.legal(self.game, self.s)
        return [int(a in actions) for a in self.game.ACTIONS]

    def check(self, batch: Batch, row: int) -> None:
        s = self.s
        assert bytes(batch.position(row)) == bytes(s)
        assert batch.seat[row] == s.turn
        observer = self.last if s.turn == OVER else s.turn
        assert (batch.observation[row] == self.observation(observer, batch.dtype)).all()
        assert (batch.state()[row] == self.state(observer, batch.dtype)).all()
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
            before = never.work.rows._asdict() | {"reward": 0, "points": 0, "done": False}  # the result is told once
            before = {name: np.broadcast_to(array, np.shape(array)).copy() for name, array in before.items()}
            never.step(np.where(over, 0, -1))  # does nothing: a game is over, or its row is left
            for name, now in never.work.rows._asdict().items():
                assert (before[name] == now).all(), name
            never.reset(over)
            assert not never.done[over].any()
        for name in ("records", "observation", "mask", "seat", "stream"):
            assert getattr(same, name).tobytes() == getattr(never, name).tobytes(), name
        assert (same.seat >= 0).all()


class Counting:
    """A policy that plays legal actions and keeps what it was handed."""

    def __init__(self) -> None:
        self.handed: list[tuple[Any, Any]] = []

    def __call__(self, observation: Any, mask: Any) -> Any:
        self.handed.append((observation, mask))
        return mask.argmax(1)


@EVERY_GAME
def test_a_policy_is_handed_its_own_turns_and_nothing_else(game: Game) -> None:
    seats, policy = max(game.SEATS), Counting()
    batch = Batch(game, 8, seats=seats, seed=6, players={seats - 1: policy})
    for _ in range(20):
        batch.step(batch.sample())
    whom = layout(game).features[0].columns
    for observation, mask in policy.handed:
        mine = observation[:, seats - 1] == 1
        assert mine.any()
        assert not observation[~mine].any()
        assert mask[~mine].all()
        assert (observation[mine][:, whom].sum(1) == 1).all()


@EVERY_GAME
@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_a_finished_game_is_shown_and_credited_to_the_seats_outside(game: Game, autoreset: str) -> None:
    """Whoever ends it: the observation is that of the seat outside that acted last, the result that of its game."""
    seats = max(game.SEATS)
    others: dict[int, Any] = {seat: Counting() if seat % 2 else "random" for seat in range(seats - 1)}
    batch = Batch(game, 4, seats=seats, seed=7, players=others, autoreset=autoreset)
    ended = 0
    while ended < 8:
        streams = batch.stream.copy()
        assert {*batch.seat.tolist()} <= {seats - 1, OVER}
        batch.step(batch.sample())
        over = np.flatnonzero(batch.seat == OVER)
        assert (batch.observer == seats - 1).all()
        assert (batch.observation == batch.observe(seats - 1)).all()
        assert (batch.done[over]).all()
        if autoreset == "same_step":
            assert (batch.done == (batch.stream != streams)).all()
        for row in over.tolist():
            s = batch.position(row)
            assert batch.reward[row].tolist() == pytest.approx(engine.utility(game, s))
            assert batch.points[row].tolist() == engine.points(game, s)
        ended += int(batch.done.sum())


@EVERY_GAME
def test_the_first_of_several_games_in_a_step_counts(game: Game) -> None:
    """A step of the loops that ends a second game in a row keeps the result of the first."""
    batch = Batch(game, 1, seed=1, autoreset="same_step")
    while not batch.done[0]:
        batch.step(batch.sample())
    first = batch.reward.copy(), batch.points.copy()
    while batch.stream[0] < 2:  # as policies act: without clearing what has been told
        chosen = batch.sample()
        batch.work.step(chosen, False, batch.settings)
        assert batch.done[0]
        assert (batch.reward == first[0]).all()
        assert (batch.points == first[1]).all()


def play_on(batch: Batch) -> None:
    while not batch.done.all():
        batch.step(batch.sample())


def test_a_policy_that_fails_stops_the_batch() -> None:
    def fail(_observation: Any, mask: Any) -> Any:
        if is_broken:
            raise ZeroDivisionError
        return mask.argmax(1)

    is_broken = False
    batch = Batch("goldmine", 4, players={1: fail}, autoreset="disabled")
    is_broken = True
    with pytest.raises(ZeroDivisionError):
        play_on(batch)
    with pytest.raises(Refusal, match="a policy failed in the middle of a step"):
        batch.step(batch.sample())
    is_broken = False
    batch.reset()
    batch.step(batch.sample())


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


def check_handed_out(batch: Batch) -> None:
    """What is handed out is of the positions that the rows have."""
    for row in range(batch.rows):
        s = batch.position(row)
        known = batch.layout.encode(engine.view(batch.game, s, s.turn), s.turn, dtype=batch.dtype)
        columns = batch.layout.knowledge
        assert (batch.observation[row, :columns] == known[:columns]).all()
        assert np.flatnonzero(batch.mask[row]).tolist() == engine.legal(batch.game, s)


@pytest.mark.parametrize("game", ["goldmine", "claimpoker"])
def test_a_guess_has_the_chance_of_no_game_ahead(game: str) -> None:
    """Not even with the batch's own seed: random numbers that dealt must not decide again."""
    batch = Batch(game, 4, seed=5)
    guessed = batch.guess(seed=5).work.rows.rngs
    used = {int(new_rng(5, stream)[0]) for stream in range(-64, 64)}
    assert not used & {*guessed.flatten().tolist()}
    assert len({*guessed.flatten().tolist()}) == guessed.size


def test_a_guess_of_some_rows_is_a_batch_of_its_own() -> None:
    """In floats too, and its next games are those of its own seed and rows."""
    batch = Batch("goldmine", 3, seed=8, dtype="float32", autoreset="same_step")
    batch.step(batch.sample())
    for seat in (-1, 0, 1):
        guessed = batch.copy([2, 1]).guess(seed=6, seat=seat)
        check_handed_out(guessed)
    while guessed.stream[1] == 1:
        guessed.step(guessed.sample())
    assert guessed.stream[1] == 3
    assert bytes(guessed.position(1)) == bytes(Single(guessed.game, guessed.opening, 6, 3).s)


@EVERY_GAME
def test_some_rows_copied_go_on_as_they_would_have(game: Game) -> None:
    """Into their next games too."""
    batch = Batch(game, 3, seed=8, autoreset="same_step")
    few = batch.copy([2, 2])
    few = pickle.loads(pickle.dumps(few))
    while batch.stream[2] == 2:
        actions = batch.sample()
        batch.step(actions)
        few.step(actions[[2, 2]])
        assert few.records.tobytes() == batch.records[[2, 2]].tobytes()
    assert few.stream.tolist() == [5, 5]


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
        for seat in range(-1, seats):  # also for a seat that is not to act
            world = batch.copy(list(range(12))).guess(seed=3, seat=seat)
            check_handed_out(world)
            for row in range(12):
                views = [engine.view(game, s, seat) for s in (world.position(row), batch.position(row))]
                assert bytes(views[0]) == bytes(views[1])
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
    for kind, large in ((np.uint64, (1 << 64) - 1), (np.uint64, 1 << 63), (np.int64, 1 << 40), (np.int8, -128)):
        other = actions.clip(0).astype(kind)
        other[2] = large
        with pytest.raises(Refusal, match=r"row 2: -?\d+ is no action"):
            batch.step(other)
    assert [array.tobytes() for array in batch.work.rows] == before


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", ">i4", "uint64"])
def test_actions_may_be_of_any_whole_kind_and_memory(kind: str) -> None:
    wide, other = Batch("goldmine", 4, seed=1), Batch("goldmine", 4, seed=1)
    compiled = len(wide.work.loops.step.signatures)
    for _ in range(6):
        actions = wide.sample()
        wide.step(actions)
        apart = np.zeros(8, kind)[::2]
        apart[:] = actions
        apart.flags.writeable = False
        other.step(apart)
        assert other.records.tobytes() == wide.records.tobytes()
    assert len(wide.work.loops.step.signatures) == compiled  # it is not compiled for every kind of memory


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([1, 2], r"Goldmine: step takes 4 whole numbers, one per row, not int64 of shape \(2,\)"),
        (np.zeros((4, 1), int), r"of shape \(4, 1\)"),
        (np.zeros(4), "not float64"),
        (np.zeros(4, bool), "not bool"),
        ("look", "step takes 4 whole numbers"),
        ([[1], [1, 2], 3, 4], "not an array in memory"),
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
        ({"dtype": "int32"}, "observations are uint8 or float32, not 'int32'"),
        ({"dtype": "number"}, "observations are uint8 or float32, not 'number'"),
        ({"autoreset": "never"}, "autoreset can be next_step or same_step or disabled, not 'never'"),
        ({"chance": "fair"}, "chance can be drawn or caller, not 'fair'"),
        ({"players": {2: "random"}}, "players are for seats 0 to 1, not 2"),
        ({"players": {1: "digger"}}, "a player is 'random' or a function of observation and mask, not 'digger'"),
        ({"players": {0: "random", 1: "random"}}, "leave one to the caller"),
        ({"players": {0.5: "random"}}, "a seat in players is a whole number, not 0.5"),
        ({"players": ["random"]}, "players are given by their seats"),
        ({"game": None}, "a game is named, or is one of motherlode.GAMES, not None"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"threads": 0}, "threads must be 1 or more, not 0"),
        ({"threads": 1.5}, "threads is a whole number, not 1.5"),
        ({"seed": 1.5}, "seed is a whole number, not 1.5"),
        ({"log": 1.5}, "log is a whole number, not 1.5"),
        ({"seed": 1 << 63}, "a seed is a number from"),
        ({"gold": 3}, "Goldmine has no option 'gold'"),
        ({"log": -1}, "the last 0 to 1000 entries"),
    ],
)
def test_bad_settings_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        Batch(**{"game": "goldmine", "rows": 2, **arguments})


def test_bad_calls_are_refused(tmp_path: Path) -> None:
    batch = Batch("goldmine", 2)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: batch.observe(2), "seats 0 to 1 here, and -1 for the public, not 2"),
        (lambda: batch.guess(seed=1, seat=5), "not 5"),
        (lambda: batch.observe(0.5), "seat is a whole number, not 0.5"),  # type: ignore[arg-type]
        (lambda: batch.copy([2]), "rows 0 to 1, not 2"),
        (lambda: batch.copy([]), "a batch has 1 to .* rows, not 0"),
        (lambda: batch.reset([True]), "rows are numbers, or 2 booleans"),
        (lambda: batch.reset([0], seed=1), "leave out either"),
        (lambda: batch.position("0"), "row is a whole number, not '0'"),  # type: ignore[arg-type]
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


@EVERY_GAME
def test_options_that_only_earlier_records_have_are_refused(game: Game) -> None:
    for option in game.OPTIONS:
        for value in option.retired:
            with pytest.raises(Refusal, match="only for records of earlier versions"):
                Batch(game, 1, **dict[str, Any]({option.name: value}))


def test_numbers_may_be_numpys(tmp_path: Path) -> None:
    number: Any = np.int64
    batch = Batch("goldmine", number(2), seats=number(2), seed=number(3), log=number(1), players={number(1): "random"})
    batch.save(tmp_path / "batch")
    assert Batch.load(tmp_path / "batch").records.tobytes() == batch.records.tobytes()


def change(path: Path, name: str, content: Any) -> None:
    """Put another array into a saved batch; None takes it away."""
    with np.load(path) as saved:
        arrays = {key: saved[key] for key in saved.files}
    arrays |= {name: content(arrays[name])}
    with path.open("wb") as file:
        np.savez(file, **{key: array for key, array in arrays.items() if array is not None})


def header(**changes: Any) -> Callable[[Any], Any]:
    def changed(content: Any) -> Any:
        return np.frombuffer(json.dumps(json.loads(content.tobytes()) | changes).encode(), np.uint8)

    return changed


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("mask", lambda _: None, "a saved batch has the arrays"),
        ("mask", lambda mask: mask[:, :-1], r"mask .* is uint8 of shape \(3, 42\), not uint8 of shape \(3, 41\)"),
        ("mask", lambda mask: mask[:1], "of shape"),
        ("legal", lambda legal: legal.astype(np.int32), "legal .* is int64 of shape .* not int32"),
        ("records", lambda records: records[:, 1:], "records .* of shape"),
        ("records", lambda records: records + 120, "of a saved batch of Goldmine is from"),
        ("told", lambda told: told[:1], "not for 3 rows"),
        ("seat", lambda seat: seat.astype(object), "not a saved batch"),
        ("header", lambda _: None, "not a saved batch"),
        ("header", lambda _: np.zeros(3, np.uint8), "not a saved batch"),
        ("header", header(rows=1 << 27), "not for 134217728 rows"),
        ("header", header(game="/tmp/rules.py"), "there is no game"),
        ("header", header(game="china_gold"), "another|version|option"),
        ("header", header(data={"gold": [1, 2, 4], "ranks": [5, 6, 7]}, variant="cut"), "under version"),
        ("header", header(rules=99), "under version 99 of Goldmine's rules"),
        ("header", header(saved=1), "in another format than 2"),
        ("header", header(extra=1), "should not have: extra"),
        ("header", header(seats=3), "not for 3 rows"),
        ("header", header(autoreset="never"), "autoreset can be"),
        ("header", header(options={"rows": 5}), "has no option 'rows'"),
        ("header", header(options=[]), "options"),
        ("header", header(random=5), "header"),
        ("header", header(apart="x"), "apart is a whole number"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(name: str, content: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / "batch.npz"
    Batch("goldmine", 3).save(path)
    change(path, name, content)
    with pytest.raises(Refusal, match=said):
        Batch.load(path)


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "batch.npz"
    Batch("goldmine", 3).save(path)
    whole = path.read_bytes()
    for size in (0, 3, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(Refusal, match="is not a saved batch"):
            Batch.load(path)
    for at in range(60, len(whole), 97):  # or damaged: refused, or found to be whole by its checksums
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        with contextlib.suppress(Refusal):
            Batch.load(path)


def test_variants_are_saved_and_pickled(tmp_path: Path) -> None:
    game = variant(GAMES["goldmine"], {"gold": [1, 2, 4], "ranks": [5, 6, 7]}, "short")
    batch = Batch(game, 3, seed=1)
    batch.save(tmp_path / "batch")
    for other in (Batch.load(tmp_path / "batch"), pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert other.game is game
        assert other.records.tobytes() == batch.records.tobytes()


def test_memory_outlives_the_batch() -> None:
    batch = Batch("goldmine", 3)
    observation, twin = batch.observation, batch.copy()
    content = observation.copy()
    del batch
    twin.step(twin.sample())
    gc.collect()
    assert (observation == content).all()


FORK = """
import multiprocessing, warnings
from motherlode.envs.batch import Batch

warnings.simplefilter("ignore")
batch = Batch("goldmine", 5000, threads=2)
batch.step(batch.sample())
child = multiprocessing.get_context("fork").Process(target=lambda: batch.step(batch.sample()), daemon=True)
child.start()
child.join(60)
assert child.exitcode == 0, child.exitcode
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_steps_on() -> None:
    subprocess.run([sys.executable, "-c", FORK], check=True)


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
