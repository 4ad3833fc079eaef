"""Where a result came from: the parts add up, and luck is 0 on average, however good or bad the values are."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import example_game
from support.command_line import Run

from motherlode import bots, engine, games
from motherlode.engine import Refusal
from motherlode.game import CHANCE, OVER, Game, Record
from motherlode.games import GAMES
from motherlode.lab.match import SURE, match, owed_to_luck
from motherlode.review import parts, values
from motherlode.review.values import Array, Worth
from motherlode.table import Table

GOLDMINE = GAMES["goldmine"]
NIGHT_COACH = games.adopt_folder(
    games.check(games.load_file(example_game.FOLDER / "rules.py"), "example"), str(example_game.FOLDER / "rules.py")
)
JUDGED = [name for name, game in GAMES.items() if values.brings(game)]
by_the_game = values.of_records


def played(game: Game, seed: int, seats: int | None = None, **options: Any) -> list[Record]:
    table = Table(game, seats, seed=seed, **options)
    table.play(*[bots.make("random", game)] * table.seats)
    return table.positions


def strange(game: Game, records: Array) -> Worth:
    """Values that mean nothing: they follow from the position, and nothing else."""
    found = by_the_game(game, records[records["turn"] == OVER])
    seats = int(records["seats"][0]) if len(records) else 1
    wins, points = np.zeros((len(records), seats)), np.zeros((len(records), seats))
    for i, row in enumerate(records):
        draw = random.Random(row.tobytes())
        wins[i], points[i] = draw.random(), 10 * draw.random()
    wins[records["turn"] == OVER], points[records["turn"] == OVER] = found
    return Worth(wins, points)


@pytest.fixture
def strange_values(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(values, "of_records", strange)
    values._start.cache_clear()
    yield
    values._start.cache_clear()


def mean_luck(game: Game) -> Array:
    """What deal and chance bring on average, exactly: wins and points by seat, whatever the seats do."""
    total = np.zeros((2, min(game.SEATS)))
    waiting = [([engine.start(game)], Fraction(1))]
    while waiting:
        positions, share = waiting.pop()
        s = positions[-1]
        if s.turn == OVER:
            for part in parts.parts(game, positions):
                luck = [sums.deal + sums.chance for sums in (part.wins, part.points)]
                total[:, part.seat] += float(share) * np.array(luck)
            continue
        ways = engine.legal(game, s)
        odds = [game.odds(s, a) if s.turn == CHANCE else 1 + a * a % 5 for a in ways]
        for a, weight in zip(ways, odds, strict=True):
            waiting.append(([*positions, engine.after(game, s, a)], share * Fraction(weight, sum(odds))))
    return total


@pytest.mark.usefixtures("strange_values")
def test_luck_is_0_on_average_over_a_whole_game() -> None:
    assert np.abs(mean_luck(NIGHT_COACH)).max() < 1e-9


@pytest.mark.usefixtures("strange_values")
def test_a_planted_bias_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def biased(game: Game, records: Array, sample: int = 0) -> Worth:
        found = honest(game, records)
        return Worth(found.wins + 0.01, found.points)

    honest = values.before_chance
    monkeypatch.setattr(values, "before_chance", biased)
    values._start.cache_clear()
    assert np.abs(mean_luck(NIGHT_COACH)[0]).max() > 0.005


def standard_errors(game: Game, seed: int, number: int, **options: Any) -> Array:
    """How many standard errors the mean luck of random games is from 0: of the deal and of other chance, by seat."""
    lucky = np.array(
        [
            [
                [sums.deal, sums.chance]
                for part in parts.parts(game, played(game, seed + k, **options))
                for sums in part[1:]
            ]
            for k in range(number)
        ]
    )
    error = lucky.std(0) / number**0.5
    found: Array = np.divide(lucky.mean(0), error, out=np.zeros_like(error), where=error > 1e-12)
    return found


@pytest.mark.usefixtures("strange_values")
@pytest.mark.parametrize("options", [{"target": 0}, {"target": 30}])
def test_luck_is_0_on_average_where_deals_are_sampled(options: dict[str, int]) -> None:
    """Goldmine deals anew in the middle of a game, which has too many ways to list."""
    assert np.abs(standard_errors(GOLDMINE, 0, 150, **options)).max() < 3


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_luck_is_0_on_average_over_10000_games(game: Game) -> None:
    found = standard_errors(game, 0, 10_000)
    print(f"{game.NAME}: at most {np.abs(found).max():.2f} standard errors")
    assert np.abs(found).max() < 3


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_parts_add_up_to_the_result(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every seat count, and with a game that every option was changed in."""
    if game.NAME not in JUDGED:
        monkeypatch.setattr(values, "PLAYOUTS", 4)
    monkeypatch.setattr(values, "DEALS", 64)
    monkeypatch.setattr(values, "FEW_DEALS", 4)
    values._start.cache_clear()
    others = {option.name: option.values[-1] for option in game.OPTIONS}
    for seats in game.SEATS:
        for options in ({}, others):
            positions = played(game, seats, seats, **options)
            found = parts.parts(game, positions)
            won, points = engine.winners(game, positions[-1]), engine.points(game, positions[-1])
            for part in found:
                for sums in (part.wins, part.points):
                    assert abs(sums.deal + sums.chance + sums.own + sums.others - sums.result) < 1e-9
                    assert abs(sums.start + sums.result - sums.final) < 1e-9
                assert part.wins.final == pytest.approx((part.seat in won) / len(won))
                assert part.points.final == points[part.seat]
            for name in ("start", "deal", "chance", "result"):
                assert abs(sum(getattr(part.wins, name) for part in found) - (name == "start")) < 1e-6
    values._start.cache_clear()


def test_a_running_game_has_no_parts() -> None:
    with pytest.raises(Refusal, match="the game is not over: a running game is never reviewed"):
        parts.parts(GOLDMINE, played(GOLDMINE, 1)[:-1])


@pytest.mark.parametrize("name", JUDGED)
def test_a_value_depends_on_the_position_alone(name: str) -> None:
    game = GAMES[name]
    positions = [s for s in played(game, 2) if s.turn != CHANCE]
    together = values.worth(game, positions)
    for k in (0, len(positions) // 2, len(positions) - 1):
        alone = values.worth(game, positions[k : k + 1])
        assert alone.wins[0] == pytest.approx(together.wins[k], abs=1e-5)
        assert alone.points[0] == pytest.approx(together.points[k], abs=1e-3)
    assert together.wins.sum(1) == pytest.approx(1)


@pytest.mark.parametrize("name", JUDGED)
def test_values_were_better_than_knowing_nothing(name: str) -> None:
    card = values.of(GAMES[name]).card
    assert card["loss_of_wins"] < card["loss_of_wins_at_first"] and card["rules"] == GAMES[name].RULES


def test_a_damaged_file_counts_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = values.of(GOLDMINE)
    file = tmp_path / values.FILE
    values.write(net, file, GOLDMINE)
    monkeypatch.setattr(values, "path", lambda game: file)
    assert values.brings(GOLDMINE)
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    values.read.cache_clear()
    assert not values.brings(GOLDMINE) and values.name(GOLDMINE) == "200 games of random play"
    with pytest.raises(Refusal, match="is damaged, or was trained for another game than Goldmine as it is now"):
        values.of(GOLDMINE)
    values.read.cache_clear()


def test_a_match_without_luck() -> None:
    found = match(GOLDMINE, ["greedy:2", "random"], games=100, seed=2, options={"target": 0}, adjusted=True, cores=1)
    again = match(GOLDMINE, ["greedy:2", "random"], games=100, seed=2, options={"target": 0}, adjusted=True, cores=2)
    plain = match(GOLDMINE, ["greedy:2", "random"], games=100, seed=2, options={"target": 0}, cores=1)
    for one, two, three in zip(found["players"], again["players"], plain["players"], strict=True):
        assert one["adjusted"] == two["adjusted"] and "adjusted" not in three
        assert (one["win_share"], one["mean_points"]) == (three["win_share"], three["mean_points"])
        low, high = one["adjusted"]["win_share_interval"]
        assert low < one["adjusted"]["win_share"] < high and one["adjusted"]["as_many_games"]["wins"] > 0
    shares = [row["adjusted"]["win_share"] for row in found["players"]]
    assert sum(shares) == pytest.approx(1, abs=0.05)


def errors_from(truth: dict[str, float], found: dict[str, Any]) -> float:
    """How many standard errors what the first player won without luck is from the truth, at most."""
    row = found["players"][0]["adjusted"]
    return max(
        float(SURE * abs(row[name] - mean) / (row[f"{name}_interval"][1] - row[name])) for name, mean in truth.items()
    )


EQUAL = {"win_share": 0.5, "mean_points": 13.5}  # in a deal of Goldmine, of bots that are the same
ONE_DEAL = {"target": 0}


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(values, "DEALS", 4000)
    values._start.cache_clear()
    yield
    values._start.cache_clear()


@pytest.mark.usefixtures("few_deals")
def test_equal_bots_are_equal_without_luck() -> None:
    found = match(GOLDMINE, ["random", "random"], games=160, seed=3, options=ONE_DEAL, adjusted=True, cores=1)
    assert errors_from(EQUAL, found) < 3


@pytest.mark.usefixtures("few_deals")
def test_a_bias_that_a_match_would_have_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that know that somebody will have more than is expected."""

    def biased(game: Game, records: Array, sample: int = 64) -> Worth:
        found = honest(game, records, sample)
        return Worth(found.wins, found.points - 0.5)

    honest = values.before_chance
    monkeypatch.setattr(values, "before_chance", biased)
    found = match(GOLDMINE, ["random", "random"], games=160, seed=3, options=ONE_DEAL, adjusted=True, cores=1)
    assert errors_from(EQUAL, found) > 3


@pytest.mark.soak
def test_bots_are_as_strong_without_luck_over_10000_games() -> None:
    """The truth is known exactly of equal bots, and of others from a long plain match with other deals."""
    equal = match(GOLDMINE, ["random", "random"], games=10_000, seed=3, options=ONE_DEAL, adjusted=True)
    assert errors_from(EQUAL, equal) < 3
    players = ["greedy:2", "random"]
    found = match(GOLDMINE, players, games=10_000, seed=3, options=ONE_DEAL, adjusted=True)
    plain = match(GOLDMINE, players, games=40_000, seed=4, options=ONE_DEAL)["players"][0]
    for name, interval in (("win_share", "win_interval"), ("mean_points", "points_interval")):
        row = found["players"][0]["adjusted"]
        sure = np.hypot(row[f"{name}_interval"][1] - row[name], plain[interval][1] - plain[name])
        print(f"{name}: {row[name]:.4f} without luck, {plain[name]:.4f} in a plain match, {sure / SURE:.4f} for sure")
        assert abs(row[name] - plain[name]) < 3 * sure / SURE


def test_what_is_owed_to_luck_is_learned_from_other_deals() -> None:
    rng = np.random.default_rng(1)
    luck = rng.normal(size=(400, 4))
    rest = rng.normal(size=400)
    plain = 0.5 + luck @ np.array([2.0, 0.5, 0.0, -1.0]) + 0.1 * rest
    assert (plain - owed_to_luck(plain, luck)).std() < 0.12
    assert abs(owed_to_luck(rest, luck)).mean() < 0.2  # nothing is owed to luck that explains nothing
    changed = plain.copy()
    changed[0] += 100
    assert owed_to_luck(changed, luck)[0::2] == pytest.approx(owed_to_luck(plain, luck)[0::2])
    assert not owed_to_luck(plain[:30], luck[:30]).any()  # too few
    luck[:, 2] *= 1e-9  # luck that evens out in every deal, but for rounding
    assert owed_to_luck(plain, luck) == pytest.approx(owed_to_luck(plain, luck[:, [0, 1, 3]]), abs=1e-6)


def test_a_match_without_luck_on_the_command_line(run: Run) -> None:
    ran = run("match", "goldmine", "--bots", "greedy:1,random", "--games", 4, "--adjusted", "-o", "target=0")
    assert ran.status == 0 and "without luck" in ran.out and "as many games" in ran.out


def test_values_are_trained_from_games_of_bots(tmp_path: Path) -> None:
    """In a process of its own, for JAX; games that the folder has are not played again."""
    command = [sys.executable, "-m", "motherlode.cli", "values", "goldmine", "--out", str(tmp_path), "--bots", "random"]
    cards = []
    for number in ("24", "32"):
        more = ["--games", number, "--epochs", "1", "--width", "8", "--cores", "1"]
        cards.append(json.loads(subprocess.run([*command, *more], check=True, capture_output=True).stdout))
        assert len((tmp_path / "games.jsonl").read_text("utf-8").splitlines()) == int(number)
    assert cards[0]["positions"] < cards[1]["positions"] and cards[1]["game"] == "goldmine"
    assert (tmp_path / "values.npz").exists() and json.loads((tmp_path / "values.json").read_text("utf-8")) == cards[1]
