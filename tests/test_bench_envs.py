"""Batches measured beside other libraries; and steps on a GPU, recorded there, that a CPU repeats byte for byte."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba import types

from motherlode import contract, cuda_kernels
from motherlode.envs import batch_cuda
from motherlode.envs.batch import Batch
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.lab import bench_envs, bench_others

FILE = Path(__file__).parent / "h200_batches.json"
RECORDED = json.loads(FILE.read_text(encoding="utf-8"))
TABLES = [(game.NAME, seats) for game in GAMES.values() for seats in game.SEATS]
HOW = ("options", "autoreset", "log", "seed")
KEYS = ["library", "game", "seats", "device", "batch", "steps_per_second"]


def repeated(run: dict[str, Any]) -> dict[str, Any]:
    return bench_envs.fingerprint(GAMES[run["game"]], run["seats"], **{name: run[name] for name in HOW})


@pytest.mark.parametrize(("name", "seats"), TABLES)
@pytest.mark.parametrize("which", [slice(1), pytest.param(slice(1, None), marks=pytest.mark.soak)], ids=["one", "rest"])
def test_batches_on_a_gpu_went_on_in_the_bytes_of_the_cpu(name: str, seats: int, which: slice) -> None:
    recorded = [run for run in RECORDED["fingerprints"] if (run["game"], run["seats"]) == (name, seats)]
    assert recorded[which]
    for run in recorded[which]:
        assert run["games"] > 0
        assert repeated(run) == run


def test_the_recorded_batches_are_of_every_game_seat_count_and_way_to_start_again() -> None:
    """Record them anew, on a GPU, with `python -m motherlode.lab.bench_envs tests/h200_batches.json`."""
    recorded = [(run["game"], run["seats"], {name: run[name] for name in HOW[:-1]}) for run in RECORDED["fingerprints"]]
    assert recorded == [(name, seats, how) for name, seats in TABLES for how in bench_envs.runs(GAMES[name])]


def test_what_is_recorded_has_options_logs_and_both_ways_to_start_again() -> None:
    for game in GAMES.values():
        found = bench_envs.runs(game)
        assert all(run["options"] in contract.options_to_compare(game, combinations=2) for run in found)
        assert len(found) == len({json.dumps(run) for run in found}) >= 3
        assert {run["autoreset"] for run in found} == {"next_step", "same_step"}
        assert {run["log"] for run in found} == {0, 2}


def test_a_fingerprint_notices_every_array(monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte of one array after one step changes its hash, and no other."""
    monkeypatch.setattr(bench_envs, "STEPS", 40)
    monkeypatch.setattr(bench_envs, "EVERY", 20)
    game, step, state = GAMES["goldmine"], Batch.step, Batch.state
    how: dict[str, Any] = {"options": {"target": 0}, "autoreset": "next_step", "log": 0}
    honest = bench_envs.fingerprint(game, 2, **how)
    assert honest == bench_envs.fingerprint(game, 2, **how) and honest["games"] >= 256
    for name in honest["sha256"]:
        calls: list[None] = []

        def step_wrongly(batch: Any, actions: Any, name: str = name, calls: list[None] = calls) -> None:
            step(batch, actions)
            calls.append(None)
            if name != "state" and len(calls) == (40 if name == "records" else 20):
                getattr(batch.work.rows, name).view("u1").reshape(-1)[7] ^= 1

        def reveal_wrongly(batch: Any, name: str = name) -> Any:
            found = state(batch)
            found[3, 7] ^= name == "state"
            return found

        monkeypatch.setattr(Batch, "step", step_wrongly)
        monkeypatch.setattr(Batch, "state", reveal_wrongly)
        other = bench_envs.fingerprint(game, 2, **how)["sha256"]
        assert [each for each in other if other[each] != honest["sha256"][each]] == [name]
        monkeypatch.setattr(Batch, "step", step)


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=() if game.NAME == "goldmine" else pytest.mark.soak) for game in GAMES.values()],
    ids=GAMES,
)
def test_the_kernel_that_steps_compiles_for_a_gpu(game: Game) -> None:
    ptx = batch_cuda.ptx(game)
    assert ".entry" in ptx and ".target sm_90" in ptx and ".shared" in ptx


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=() if game.NAME == "goldmine" else pytest.mark.soak) for game in GAMES.values()],
    ids=GAMES,
)
def test_the_other_kernels_of_a_batch_compile_for_a_gpu(game: Game) -> None:
    number, rows = types.int64, batch_cuda.rows_type(game)
    numbers, legal = types.Array(number, 1, "C"), types.Array(number, 2, "C")
    packed, rngs = types.Array(types.uint32, 2, "C"), types.Array(types.uint64, 2, "C")
    signatures = {
        "check": (numbers, rows, numbers),
        "sample": (legal, rngs, numbers),
        "observe": (number, rows, packed),
        "reveal": (rows, packed),
        "tell_clues": (rows, types.Array(types.uint8, 2, "C")),
        "guess": (numbers, number, rows),
    }
    kernels = vars(batch_cuda.kernels(game, 0))
    assert set(kernels) == set(signatures)
    for name, kernel in kernels.items():
        assert ".entry" in cuda_kernels.ptx(kernel.py_func, signatures[name])


HURRY = """
import sys
from motherlode import cli
from motherlode.lab import bench_envs, bench_others

bench_envs.SECONDS, bench_envs.BATCHES = 1e-9, {"cpu": (64, 128), "cuda": (64,)}
bench_others.PGX, bench_others.PGX_ROWS = ("kuhn_poker",), {"cpu": (16,), "gpu": (16,)}
bench_others.OPENSPIEL = ("kuhn_poker",)
sys.argv[0] = "motherlode"
cli.main()
"""


def test_batches_are_measured_beside_every_library(tmp_path: Path) -> None:
    """With measurements that are over at once; in a process of its own, because JAX warns of every fork after it."""
    document = tmp_path / "speed.md"
    document.write_text("<!-- envs -->\nof before\n<!-- /envs -->\n", "utf-8")
    command = [sys.executable, "-c", HURRY, "bench", "envs", "--json", "--games", "goldmine", "--write", str(document)]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "JAX_PLATFORMS": "cpu"})
    rows = json.loads(ran.stdout)
    assert all(list(row) == KEYS and row["steps_per_second"] > 0 for row in rows)
    named = {(row["library"], row["game"]) for row in rows}
    assert named >= {("motherlode", "goldmine"), ("pgx", "kuhn_poker"), ("pettingzoo", "connect_four_v3"),
                     ("pettingzoo", "motherlode/goldmine_v1"), ("openspiel", "kuhn_poker"),
                     ("openspiel", "motherlode_goldmine"), ("gymnasium", "CartPole-v1"),
                     ("gymnasium", "motherlode/Goldmine-v1")}  # fmt: skip
    written = document.read_text("utf-8")
    assert "of before" not in written and written.count("\n| ") == len(rows) + 1


def test_what_is_not_installed_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_envs, "SECONDS", 1e-9)
    monkeypatch.setattr(bench_envs, "BATCHES", {"cpu": (64,), "cuda": (64,)})
    monkeypatch.setattr(bench_others, "find_spec", lambda name: None)
    said: list[str] = []
    game = GAMES["claimpoker"]
    rows = [row for row in bench_envs.run([game], said.append) if row["device"] == "cpu"]
    assert [(row["library"], row["game"], row["seats"]) for row in rows] == [
        ("motherlode", game.NAME, seats) for seats in game.SEATS
    ]
    for needed, _ in bench_others.LIBRARIES:
        assert any(line.startswith(f"{needed[0]}: left out") and needed[-1] in line for line in said)


def test_the_best_of_three_times_counts_after_what_was_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of our own: the first round compiles, then rounds are doubled until they last long enough."""
    monkeypatch.setattr(bench_envs, "SECONDS", 4)
    now, paces, asked = [0.0], iter([100, 1, 1, 1, 2, 2, 1]), []

    def steps(rounds: int) -> int:
        asked.append(rounds)
        now[0] += rounds / next(paces)
        return 10 * rounds

    assert bench_envs.rate(steps, lambda: now[0]) == 20
    assert asked == [1, 1, 2, 4, 4, 8, 8]
