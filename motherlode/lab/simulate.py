"""Many games at once: what the rules do to the players. Random play is compiled; other bots play at tables."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from motherlode import bots, engine, text
from motherlode.compiled import as_array, compiled
from motherlode.engine import MOST_SEATS, SUMS, WIN, Refusal
from motherlode.game import Game, Record
from motherlode.table import Table

Sums = np.ndarray[Any, np.dtype[np.int64]]
Progress = Callable[[int], None]


def simulate(
    game: Game,
    *,
    seats: int | None = None,
    games: int = 1000,
    seed: int = 0,
    players: Iterable[str] | None = None,
    options: dict[str, Any] | None = None,
    cores: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Play so many games and sum them up. The same seed gives the same answer on any number of cores."""
    opening = engine.start(game, seats, **(options or {}))
    players = ["random"] * opening.seats if players is None else list(players)
    if len(players) != opening.seats:
        raise Refusal(f"{opening.seats} seats need {opening.seats} bots, not {len(players)}: {', '.join(players)}")
    if games < 1:
        raise Refusal(f"games must be 1 or more, not {games}")
    if cores is not None and cores < 1:
        raise Refusal(f"cores must be 1 or more, not {cores}")
    for name in players:
        if name.startswith("cmd:"):
            raise Refusal(f"bots from outside play in a match, not here: {name}")
        bots.make(name, game)
        bots.warm(name, game)
    workers = cores or os.cpu_count() or 1
    chosen = engine.options_of(game, opening)
    pool: Executor
    play: Callable[[int, int], Sums]
    if set(players) == {"random"}:
        play, size = partial(play_compiled, game, bytes(opening), seed), 1 << 14
        play(0, 1)  # compile before the threads ask for it
        pool = ThreadPoolExecutor(workers)
    else:
        play, size = partial(play_tables, game.NAME, opening.seats, chosen, seed, players), 4
        pool = ProcessPoolExecutor(min(workers, -(-games // size)))
    began = time.perf_counter()
    total: Sums = np.zeros(SUMS, np.int64)
    with pool:
        for sums in pool.map(play, *zip(*chunks(games, size), strict=True)):
            total += sums
            if progress:
                progress(int(sums[0]))
    answer = report(total, opening.seats, time.perf_counter() - began)
    return {"game": game.NAME, "seats": opening.seats, "options": chosen, "bots": players, "seed": seed, **answer}


def chunks(games: int, size: int) -> Iterator[tuple[int, int]]:
    return ((first, min(first + size, games)) for first in range(0, games, size))


def play_compiled(game: Game, opening: bytes, seed: int, first: int, stop: int) -> Sums:
    """Random games first…stop-1, in native code that lets other threads run."""
    return run_compiled(game, game.RECORD.from_buffer_copy(opening), seed, stop, first=first)[0]


def run_compiled(
    game: Game, opening: Record, seed: int, stop: int, *, first: int = 0, kept: int = 0
) -> tuple[Sums, Any]:
    """Random games first…stop-1: their sums, and the records that games 0…kept-1 end in."""
    start = as_array(game, opening)
    rng, bits, out = np.zeros(1, np.uint64), np.zeros(engine.words_of(game), np.int64), np.zeros(MOST_SEATS, np.int64)
    sums: Sums = np.zeros(SUMS, np.int64)
    ends = np.zeros(kept, start.dtype)
    compiled(game).simulate(start, seed, first, stop, 1, kept, ends, start.copy(), rng, bits, out, sums)
    return sums, ends


def play_tables(
    game: str, seats: int, options: dict[str, Any], seed: int, players: list[str], first: int, stop: int
) -> Sums:
    """Games first…stop-1 at tables, with any bots."""
    sums: Sums = np.zeros(SUMS, np.int64)
    chosen = [bots.make(name, text.find_game(game)) for name in players]
    for stream in range(first, stop):
        table = Table(game, seats, seed=seed, stream=stream, **options)
        table.play(*chosen)
        decisions = sum(s.turn >= 0 for s in table.positions)
        won = [WIN // len(table.winners) * (seat in table.winners) for seat in range(seats)]
        sums[:3] += (1, decisions, decisions * decisions)
        for seat, points in enumerate(table.points):
            sums[[3 + seat, 3 + MOST_SEATS + seat, 3 + 2 * MOST_SEATS + seat]] += (points, points * points, won[seat])
    return sums


def report(sums: Sums, seats: int, seconds: float) -> dict[str, Any]:
    n = int(sums[0])
    points, squares, wins = (sums[3 + k * MOST_SEATS :][:seats].tolist() for k in range(3))

    def deviation(total: int, squared: int) -> float:
        return sqrt(max(0.0, squared / n - (total / n) ** 2))

    return {
        "games": n,
        "mean_points": [total / n for total in points],
        "sd_points": [deviation(total, squared) for total, squared in zip(points, squares, strict=True)],
        "win_share": [won / n / WIN for won in wins],
        "mean_decisions": int(sums[1]) / n,
        "sd_decisions": deviation(int(sums[1]), int(sums[2])),
        "seconds": seconds,
        "decisions_per_second": int(sums[1]) / seconds,
    }
