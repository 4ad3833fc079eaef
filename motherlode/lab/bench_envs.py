"""How fast batches of games are stepped, beside other libraries in the same run; and that CPU and GPU step them alike.

`python -m motherlode.lab.bench_envs OUT.json` on a machine with a GPU measures and records runs, which the tests repeat
on the CPU; with `--runs` behind it, it only records them. `python -m motherlode.lab.bench_envs OUT.json docs/speed.md`
writes what was measured into that document, which needs no GPU.
"""

import gc
import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from motherlode.compiled import dtype
from motherlode.contract import options_to_compare
from motherlode.envs import Batch, layout
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.lab import bench
from motherlode.lab.workers import in_processes

Say = Callable[[str], None]
Run = Callable[[int], int]  # runs so many rounds; the number of steps that were taken
SECONDS = 0.3  # a measurement lasts at least this long, and the best of three counts
BATCHES = {"cpu": (1024, 4096, 16384), "cuda": (1 << 22,)}  # rows that are tried
OF_MEMORY = 0.7  # the share of a GPU's memory that is used
ROWS, STEPS = 256, 1000  # of a recorded run
HASHED = ("seat", "done", "reward", "points")  # after every step
SAMPLED = ("observation", "mask")  # after some, and what these make:
MADE = ("state", "clues")
EVERY = 100  # steps
ONLY_RUNS = "--runs"


def rate(run: Run, clock: Callable[[], float], finish: Callable[[], None] = lambda: None) -> float:
    """Steps per second, the best of three times; the first round is not counted, as it may compile."""
    run(1)
    finish()
    fastest, rounds, times = 0.0, 1, 0
    while times < 3:
        began = clock()
        steps = run(rounds)
        finish()
        if (spent := clock() - began) < SECONDS:
            rounds *= 2
            continue
        fastest, times = max(fastest, steps / spent), times + 1
    return fastest


def per_core(run: Run) -> float:
    """Steps per second of the time that this process, with all its threads, has had of the cores."""
    return rate(run, time.process_time)


def row(
    library: str, game: str, seats: int, batch: int, steps_per_second: float, device: str = "cpu"
) -> dict[str, Any]:
    return {"library": library, "game": game, "seats": seats, "device": device, "batch": batch,
            "steps_per_second": round(steps_per_second)}  # fmt: skip


def random_play(game: Game, rows: int, **settings: Any) -> Run:
    """Every step of every row is a decision: games start again in the same step."""
    batch = Batch(game, rows, autoreset="same_step", **settings)

    def run(rounds: int) -> int:
        for _ in range(rounds):
            batch.step(batch.sample())
        return rounds * batch.rows

    return run


def on_cpu(game: Game, seats: int) -> dict[str, Any]:
    """Random play in batches on one core, with the best of some numbers of rows."""
    speeds = {n: per_core(random_play(game, n, seats=seats, threads=1)) for n in BATCHES["cpu"]}
    rows = max(speeds, key=lambda n: speeds[n])
    return row("motherlode", game.NAME, seats, rows, speeds[rows])


def on_gpu(game: Game, seats: int) -> dict[str, Any]:
    from numba import cuda

    each = layout(game).size + len(game.ACTIONS) + dtype(game).itemsize + 200  # bytes of a row, about
    gc.collect()  # a batch and its worker know each other, so memory is freed late
    context = cuda.current_context()
    context.memory_manager.deallocations.clear()
    free = context.get_memory_info().free
    speeds = {}
    for rows in BATCHES["cuda"]:
        while rows * each > OF_MEMORY * free:
            rows //= 2
        play = random_play(game, rows, seats=seats, device="cuda")
        speeds[rows] = rate(play, time.perf_counter, cuda.synchronize)
    rows = max(speeds, key=lambda n: speeds[n])
    return row("motherlode", game.NAME, seats, rows, speeds[rows], "cuda")


def has_gpu() -> bool:
    from numba import cuda

    return bool(cuda.is_available())


def run(games: list[Game], say: Say) -> list[dict[str, Any]]:
    """A row for every game, number of seats and device, then for other libraries' games."""
    return list(measure(games, say))


def measure(games: list[Game], say: Say, devices: Sequence[str] = ("cpu", "cuda")) -> Iterator[dict[str, Any]]:
    from motherlode.lab import bench_others

    with_gpu = has_gpu()
    if not with_gpu:
        say("no GPU that Numba can use: left out")
    with one_core():
        for game in games:
            for seats in game.SEATS:
                say(f"{game.TITLE}: {seats} seats")
                if "cpu" in devices:
                    yield on_cpu(game, seats)
                if "cuda" in devices and with_gpu:
                    yield on_gpu(game, seats)
        yield from bench_others.run(games, say)


@contextmanager
def one_core() -> Iterator[None]:
    """Have this thread, and those that it starts, run on one core where that can be had: sharing work costs time."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def table(rows: list[dict[str, Any]], where: str | None = None, day: str | None = None) -> str:
    """Rows as a table for docs/speed.md."""
    lines = [
        f"Measured on {day or date.today().isoformat()} on {where or machine()}.",  # noqa: DTZ011 - the day where it is
        "",
        "| library | game | seats | device | rows | steps per second |",
        "|---|---|---|---|---|---|",
    ]
    for each in rows:
        speed = shorten(each["steps_per_second"])
        cells = (each["library"], each["game"], each["seats"], each["device"], f"{each['batch']:,}", speed)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def recorded_table(recorded: dict[str, Any]) -> str:
    """What was measured on a machine with a GPU."""
    if not recorded["speed"]:
        return "Not measured yet."
    return table(recorded["speed"], f"one {recorded['device']}, and {recorded['machine']}", recorded["date"])


def shorten(number: float) -> str:
    for size, word in ((1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:.2f} {word}"
    return f"{number:,.0f}"


# What must be the same on every device.


def runs(game: Game) -> list[dict[str, Any]]:
    """What is recorded at every seat count: both ways to start again, and other options, one of them with a log."""
    default, *others = [
        options
        for options in options_to_compare(game, combinations=2)
        if all(options[option.name] in option.values for option in game.OPTIONS)  # of new games only
    ]
    return [
        {"options": default, "autoreset": "next_step", "log": 0},
        {"options": default, "autoreset": "same_step", "log": 0},
        *({"options": options, "autoreset": "same_step", "log": 0} for options in others[-2:-1]),
        *({"options": options, "autoreset": "next_step", "log": 2} for options in others[-1:]),
    ]


def fingerprint(
    game: Game, seats: int, *, options: dict[str, Any], autoreset: str, log: int, seed: int = 1, device: str = "cpu"
) -> dict[str, Any]:
    """A run of random actions that must be the same everywhere: a hash of every array that is handed out."""
    batch = Batch(game, ROWS, seats=seats, seed=seed, device=device, log=log, autoreset=autoreset, **options)
    made = MADE if game.CLUES else MADE[:1]
    hashes = {name: hashlib.sha256() for name in ("records", *SAMPLED, *made, *HASHED)}
    ended = 0
    for number in range(1, STEPS + 1):
        batch.step(batch.sample())
        arrays = {name: batch.work.to_host(getattr(batch, name)) for name in HASHED}
        ended += int(arrays["done"].sum())
        if number % EVERY == 0:
            arrays |= {name: batch.work.to_host(getattr(batch, name)) for name in SAMPLED}
            arrays |= {name: batch.work.to_host(getattr(batch, name)()) for name in made}
        for name, array in arrays.items():
            hashes[name].update(array.tobytes())
    hashes["records"].update(batch.records.tobytes())
    return {"game": game.NAME, "rules": game.RULES, "seats": seats, "options": options, "autoreset": autoreset,
            "log": log, "seed": seed, "games": ended,
            "sha256": {name: each.hexdigest()[:16] for name, each in hashes.items()}}  # fmt: skip


def record_runs(name: str) -> list[dict[str, Any]]:
    """All recorded runs of a game, on a GPU."""
    game = GAMES[name]
    return [fingerprint(game, seats, device="cuda", **how) for seats in game.SEATS for how in runs(game)]


def main(path: str, document: str | None = None) -> None:
    """Record runs on a GPU and measure, into a file that the tests read; or write that file into a document."""
    from motherlode.lab.cuda import device_name, lines_of

    if document and document != ONLY_RUNS:
        bench.write(Path(document), "batches", recorded_table(json.loads(Path(path).read_text("utf-8"))))
        return
    fingerprints: list[dict[str, Any]] = []
    for game in in_processes(record_runs, [(name,) for name in GAMES], len(GAMES)):  # most of the time they compile
        fingerprints += game
        print(f"{game[0]['game']}: recorded", flush=True)
    if document == ONLY_RUNS:
        kept = json.loads(Path(path).read_text("utf-8"))
        Path(path).write_text(lines_of(kept | {"fingerprints": fingerprints}), encoding="utf-8")
        return
    answers: dict[str, Any] = {
        "device": device_name(),
        "machine": machine(),
        "date": date.today().isoformat(),  # noqa: DTZ011 - the day where it was measured
        "fingerprints": fingerprints,
        "speed": [],
    }
    Path(path).write_text(lines_of(answers), encoding="utf-8")
    for each in measure([*GAMES.values()], lambda line: print(line, flush=True), devices=("cuda",)):
        answers["speed"].append(each)
        print(f"{each['game']}: {shorten(each['steps_per_second'])} steps per second", flush=True)
        Path(path).write_text(lines_of(answers), encoding="utf-8")  # should the rest take too long


if __name__ == "__main__":
    main(*sys.argv[1:])
