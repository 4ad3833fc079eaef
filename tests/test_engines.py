"""Three ways to run, equal bytes: interpreted, compiled by Numba, and on a GPU (compared with a recorded run)."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import numba.cuda
import pytest

from motherlode import compiled, contract, engine
from motherlode.game import SHOWN, Game, Record, Rng, below, count, has, lowest, new_rng, nth, nth_action, nth_of, put
from motherlode.games import GAMES
from motherlode.games.gold_hunting import solve_building
from motherlode.lab import cuda
from motherlode.lab.simulate import play_tables, simulate
from motherlode.table import Ask, Table

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
PACKAGE = Path(engine.__file__).parent
RECORDED = json.loads((Path(__file__).parent / "h200.json").read_text(encoding="utf-8"))


@GAME
def test_interpreted_and_compiled_end_in_equal_bytes(game: Game) -> None:
    contract.check_compiled(game)


@GAME
def test_a_record_has_no_holes_and_one_layout(game: Game) -> None:
    layout = compiled.dtype(game)
    assert layout.itemsize == len(bytes(game.RECORD()))
    assert layout.fields is not None
    assert layout.itemsize == sum(kind.itemsize for kind, *_ in layout.fields.values())
    for name, (_, offset, *_) in layout.fields.items():
        assert offset == getattr(game.RECORD, name).offset


@pytest.mark.parametrize("which", [4, -1])  # a value alone; the last combination
def test_engines_that_differ_under_some_options_are_caught(which: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game, honest = GAMES["gold_hunting"], engine.simulate
    options = contract.options_to_compare(game)[which]

    def win_too_often(game: Game, opening: Record, number: int, games: int) -> tuple[list[int], list[Record]]:
        sums, ends = honest(game, opening, number, games)
        if engine.options_of(game, opening) == options:
            sums[engine.WINS] += 1
        return sums, ends

    monkeypatch.setattr(engine, "simulate", win_too_often)
    with pytest.raises(contract.Broken, match="compiled games end as interpreted ones do"):
        contract.check_compiled(game)


def test_engines_are_compared_with_every_value_alone_and_in_combinations() -> None:
    options = contract.options_to_compare(GAMES["gold_hunting"], combinations=4)
    default, alone, combined = options[0], options[1:7], options[7:]
    assert list(default.values()) == ["open", 2, 0, "asked"]
    changes = [{name: value for name, value in chosen.items() if value != default[name]} for chosen in alone]
    accidents = [{"accident": 2}, {"accident": 10}, {"accident": 100}]
    assert changes == [{"heights": "hidden"}, {"breakdown": 3}, *accidents, {"taking": "always"}]
    assert len(combined) == 4 and all(chosen not in options[:at] for at, chosen in enumerate(options))


@pytest.mark.parametrize(("name", "seats"), [(game.NAME, seats) for game in GAMES.values() for seats in game.SEATS])
def test_the_recorded_gpu_runs_ended_in_the_bytes_of_the_cpu(name: str, seats: int) -> None:
    recorded = [run for run in RECORDED["fingerprints"] if (run["game"], run["seats"]) == (name, seats)]
    assert recorded
    for run in recorded:
        assert run == cuda.fingerprint(
            GAMES[name], seats, run["options"], seed=run["seed"], games=run["games"], on_gpu=False
        )


def test_the_recorded_gpu_runs_are_of_every_game_and_seat_count_and_option() -> None:
    """Record them anew, on a GPU, with `python -m motherlode.lab.cuda tests/h200.json`."""
    recorded = [(run["game"], run["seats"], run["options"], run["games"]) for run in RECORDED["fingerprints"]]
    assert recorded == [
        (game.NAME, seats, options, games)
        for game in GAMES.values()
        for seats in game.SEATS
        for options, games in cuda.runs(game)
    ]


def test_the_recorded_gpu_runs_read_back() -> None:
    assert json.loads(cuda.lines_of(RECORDED)) == RECORDED


@GAME
@pytest.mark.parametrize("opt", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["as it is", "optimised"])
def test_every_game_compiles_for_a_gpu(game: Game, opt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.cuda.compile", partial(numba.cuda.compile, opt=opt))
    ptx = cuda.ptx(game)
    assert ".entry" in ptx and ".target sm_90" in ptx


@GAME
def test_compiled_perft_counts_as_the_interpreted(game: Game) -> None:
    s = engine.start(game)
    assert compiled.perft(game, s, 3) == engine.perft(game, s, 3)
    assert engine.perft(game, s, 1) == dict.fromkeys(engine.legal(game, s), 1)


def test_the_same_seed_gives_the_same_answer_on_any_number_of_cores() -> None:
    for players in (None, ["random", "greedy"]):
        games = 40_000 if players is None else 10
        answers = [simulate(GAMES["goldmine"], games=games, seed=5, players=players, cores=cores) for cores in (1, 2)]
        for answer in answers:
            del answer["seconds"], answer["decisions_per_second"]
        assert answers[0] == answers[1]
    assert simulate(GAMES["goldmine"], games=100, seed=6)["mean_points"] != answers[0]["mean_points"]


@pytest.mark.parametrize("empties", ["alike", "marked"])
def test_actions_and_events_are_counted(empties: str) -> None:
    """In Blue Creek every doubt is right or not, and cards seen to be empty can be turned again unless marked."""
    answer = simulate(GAMES["blue_creek"], games=12, seed=3, options={"empties": empties}, count=True, cores=2)
    actions, events = answer["counts"]["actions"], answer["counts"]["events"]
    assert sum(times["chosen"] for times in actions.values()) == round(12 * answer["mean_decisions"])
    assert actions["doubt"]["chosen"] == events["right"] + events["mistaken"] > 0
    assert events["over"] + events["guard"] == 12
    assert (actions["turn"]["useless"] > 0) == (empties == "alike")
    assert 0 < actions["rob"]["forced"] == actions["rob"]["chosen"]  # of two, one can only rob the other
    again = simulate(GAMES["blue_creek"], games=12, seed=3, options={"empties": empties}, count=True, cores=1)
    assert again["counts"] == answer["counts"]


def test_bots_take_nothing_from_the_random_numbers_of_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same deals to bots that act alike and draw more often."""
    logs: dict[int, list[int]] = {0: [], 5: []}

    def play(draws: int) -> None:
        class Recorded(Table):
            def act(self, action: int | str, *, seat: int | None = None, at: int | None = None) -> None:
                super().act(action, seat=seat, at=at)
                logs[draws].append(self.log[-1])

        def bot(ask: Ask, rng: Rng) -> int:
            for _ in range(draws):
                below(rng, 10)
            return ask.legal[0]

        monkeypatch.setattr("motherlode.lab.simulate.Table", Recorded)
        monkeypatch.setattr("motherlode.bots.make", lambda *_, **__: bot)
        play_tables(GAMES["claimpoker"], 3, {}, 1, ["greedy"] * 3, False, 0, 2)

    for draws in logs:
        play(draws)
    assert logs[0] == logs[5] != []


def test_random_play_at_tables_and_compiled_have_one_distribution() -> None:
    """Tables with random bots against compiled random play: means within five standard errors."""
    game = GAMES["goldmine"]
    fast = simulate(game, games=100_000, seed=1, options={"target": 0})
    slow = engine.simulate(game, engine.start(game, target=0), 2, 400)[0]
    error = fast["sd_points"][0] / 400**0.5
    assert slow[engine.POINTS] / 400 == pytest.approx(fast["mean_points"][0], abs=5 * error)
    assert fast["mean_decisions"] == 24 and fast["sd_decisions"] == 0
    assert sum(fast["win_share"]) == pytest.approx(1)


PLAY_ONE = """
from motherlode import engine
from motherlode.games import GAMES
from motherlode.games.gold_hunting import solve_building
from motherlode.lab.simulate import run_compiled
from motherlode.compiled import compiled
game = GAMES["goldmine"]
print(run_compiled(game, engine.start(game, target=0), 1, 50)[0].tolist())
print(compiled(game).simulate.stats.cache_path)
print(sum(compiled(game).simulate.stats.cache_hits.values()))
"""


def run_copy(folder: Path) -> list[str]:
    env = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", PLAY_ONE], env=env, cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.splitlines()


def test_a_changed_rule_is_never_played_from_the_cache(tmp_path: Path) -> None:
    """Play from a copy of the package, again from its cache, then with a rule edited in another file than the loops.

    What only tells people about the game can be edited without compiling it again.
    """
    shutil.copytree(PACKAGE, tmp_path / "motherlode", ignore=shutil.ignore_patterns("__pycache__"))
    sums, folder, hits = run_copy(tmp_path)
    assert hits == "0"
    game = tmp_path / "motherlode" / "games" / "goldmine"
    rules, showing = game / "rules.py", game / "showing.py"
    showing.write_text(showing.read_text(encoding="utf-8").replace("a single deal", "one deal"), encoding="utf-8")
    assert run_copy(tmp_path) == [sums, folder, "1"]
    lead_wins_ties = rules.read_text(encoding="utf-8").replace("return card > led", "return card < led")
    rules.write_text(lead_wins_ties, encoding="utf-8")
    changed, other_folder, hits = run_copy(tmp_path)
    assert (changed != sums, other_folder != folder, hits) == (True, True, "0")


def test_what_shows_a_game_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its source nor its tables are in the name of a cache folder, also where loops take rules from a game."""
    game = GAMES["gold_hunting"]
    sources = [*compiled.rule_modules(game), *compiled.program_modules(solve_building.programs)]
    assert game in sources and not any(module.__name__.endswith(".showing") for module in sources)
    before = compiled.sources_hash(sources)
    for name in SHOWN:
        monkeypatch.setattr(game, name, (1, 2, 3))
    assert compiled.sources_hash(sources) == before
    monkeypatch.setattr(game, "SIZES", (1, 2, 3))
    assert compiled.sources_hash(sources) != before


def test_bits() -> None:
    for x in (0, 1, 0b1011, (1 << 63) - 1, -1, -(1 << 63), 0x0F0F << 40):
        places = [b for b in range(64) if x >> b & 1]
        assert count(x) == len(places)
        assert [nth(x, k) for k in range(len(places))] == places
        if places:
            assert lowest(x) == places[0]
    bits = [0, 0, 0]
    for a in (3, 63, 64, 190):
        put(bits, a)
        assert has(bits, a)
    assert [nth_action(bits, k) for k in range(4)] == [3, 63, 64, 190]
    assert [nth_of([2, 0, 1], k) for k in range(3)] == [0, 0, 2]


def test_below_is_uniform_and_repeatable() -> None:
    rng, again = new_rng(1), new_rng(1)
    seen = [0] * 7
    for _ in range(70_000):
        a = below(rng, 7)
        assert a == below(again, 7)
        seen[a] += 1
    assert all(abs(n - 10_000) < 500 for n in seen)
    assert below(rng, 1) == 0
    assert [below(new_rng(1, stream), 1 << 30) for stream in range(3)] != [
        below(new_rng(2, s), 1 << 30) for s in range(3)
    ]
