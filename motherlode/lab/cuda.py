"""The same rules on a GPU: a kernel of one game, built like its compiled loops, in which each thread plays many games.

Equal random numbers give equal bytes: game `stream` of seed `number` ends in the same record here as on the CPU.
`ptx` compiles without a GPU, for the tests.

`python -m motherlode.lab.cuda OUT.json` measures every game and records runs under its options;
`python -m motherlode.lab.cuda OUT.json docs/speed.md` writes what was measured into that document, which needs no GPU.
"""

import hashlib
import json
import sys
import time
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import cuda, types
from numba.extending import register_jitable

from motherlode import cuda_kernels, engine
from motherlode import game as contract
from motherlode.compiled import as_array, dtype, register
from motherlode.contract import options_to_compare
from motherlode.engine import MOST_SEATS, SUMS
from motherlode.game import Game, Record
from motherlode.games import GAMES
from motherlode.lab.bench import write
from motherlode.lab.simulate import report, run_compiled

THREADS, BLOCKS = 128, 132 * 64  # an H200 has 132 multiprocessors


@cache
def kernel(game: Game) -> Any:
    """Plays games 0…games-1: thread t plays t, t + number of threads, …"""
    register(contract)
    register(import_module(game.__name__))
    simulate = engine.programs(game, inner=register_jitable, entry=register_jitable).simulate
    record, words = dtype(game), engine.words_of(game)

    def play(opening: Any, number: int, games: int, kept: int, ends: Any, sums: Any) -> None:
        position = cuda.local.array(1, record)
        rng = cuda.local.array(1, types.uint64)
        bits = cuda.local.array(words, types.int64)
        points = cuda.local.array(MOST_SEATS, types.int64)
        mine = cuda.local.array(SUMS, types.int64)
        for k in range(SUMS):
            mine[k] = 0
        simulate(opening, number, cuda.grid(1), games, cuda.gridsize(1), kept, ends, position, rng, bits, points, mine)
        for k in range(SUMS):
            cuda.atomic.add(sums, k, mine[k])

    return play


def signature(game: Game) -> tuple[Any, ...]:
    records = numba.from_dtype(dtype(game))[::1]
    return (records, types.int64, types.int64, types.int64, records, types.int64[::1])


def ptx(game: Game) -> str:
    """The kernel as PTX, compiled without a GPU."""
    return cuda_kernels.ptx(kernel(game), signature(game))


@cache
def on_device(game: Game) -> Any:
    return cuda.jit(signature(game))(kernel(game))


def run(game: Game, opening: Record, number: int, games: int, *, kept: int = 0) -> tuple[Any, Any, float]:
    """Random games on the GPU: their sums, the final records of games 0…kept-1, and the seconds it took."""
    start = cuda.to_device(as_array(game, opening).copy())
    ends = cuda.to_device(np.zeros(max(kept, 1), dtype(game)))
    sums = cuda.to_device(np.zeros(SUMS, np.int64))
    play = on_device(game)
    cuda.synchronize()
    began = time.perf_counter()
    play[BLOCKS, THREADS](start, number, games, kept, ends, sums)
    added = sums.copy_to_host()
    return added, ends.copy_to_host()[:kept], time.perf_counter() - began


def measure(game: Game, *, seats: int | None = None, games: int, seed: int = 0, **options: Any) -> dict[str, Any]:
    """Random play on the GPU, reported as `simulate` reports it."""
    opening = engine.start(game, seats, **options)
    run(game, opening, seed, THREADS)
    sums, _, seconds = run(game, opening, seed, games)
    return {"game": game.NAME, "seats": opening.seats, **report(sums, opening.seats, seconds)}


def fingerprint(
    game: Game, seats: int, options: dict[str, Any], *, seed: int, games: int, on_gpu: bool
) -> dict[str, Any]:
    """A short run that must be the same everywhere: a hash of all final records, and the sums."""
    opening = engine.start(game, seats, **options)
    play = run if on_gpu else run_compiled
    sums, ends, *_ = play(game, opening, seed, games, kept=games)
    digest = hashlib.sha256(ends.tobytes()).hexdigest()
    return {"game": game.NAME, "rules": game.RULES, "seats": seats, "options": options, "seed": seed, "games": games,
            "records_sha256": digest, "sums": sums.tolist()}  # fmt: skip


def runs(game: Game) -> list[tuple[dict[str, Any], int]]:
    """What is recorded at every seat count: options and a number of games, most with the defaults."""
    default, *others = options_to_compare(game)
    return [(default, 4096), *((options, 256) for options in others)]


def lines_of(answers: dict[str, Any]) -> str:
    """As JSON, with a line for every run."""
    parts = []
    for key, value in answers.items():
        rows = ",\n".join(map(json.dumps, value)) if isinstance(value, list) else ""
        parts.append(f'"{key}": ' + (f"[\n{rows}\n]" if rows else json.dumps(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def device_name() -> str:
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def table(answers: dict[str, Any]) -> str:
    """What was measured, as a table for docs/speed.md."""
    lines = [
        f"Measured on {answers['date']} on one {answers['device']}.",
        "",
        "| game | seats | decisions per second | compiled in |",
        "|---|---|---|---|",
    ]
    for row in answers["speed"]:
        speed = f"{row['decisions_per_second'] / 1e9:.2f} billion"
        lines.append(f"| {row['game']} | {row['seats']} | {speed} | {row['compile_seconds']:.1f} s |")
    return "\n".join(lines)


def main(path: str, document: str | None = None) -> None:
    """Measure every game at every seat count into a file, which the tests read; or write that file into a document."""
    if document:
        write(Path(document), "gpu", table(json.loads(Path(path).read_text("utf-8"))))
        return
    answers: dict[str, Any] = {
        "device": device_name(),
        "date": date.today().isoformat(),  # noqa: DTZ011 - the day where it was measured
        "fingerprints": [],
        "speed": [],
    }
    for game in GAMES.values():
        began = time.perf_counter()
        on_device(game)
        compiled_in = time.perf_counter() - began
        for seats in game.SEATS:
            for options, games in runs(game):
                answers["fingerprints"].append(fingerprint(game, seats, options, seed=1, games=games, on_gpu=True))
            games = 1 << 20
            while (speed := measure(game, seats=seats, games=games))["seconds"] < 1:
                games *= 4
            answers["speed"].append({**speed, "compile_seconds": compiled_in})
            rate = speed["decisions_per_second"] / 1e9
            print(f"{game.NAME}, {seats} seats: {rate:.2f} billion decisions per second", flush=True)
    Path(path).write_text(lines_of(answers), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
