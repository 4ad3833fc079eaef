"""Many games at once, added up. Random play is compiled; other bots play at tables."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from motherlode import bots, engine
from motherlode.bots import BotSpec
from motherlode.compiled import as_array, compiled
from motherlode.engine import (
    DECISIONS,
    GAMES_PLAYED,
    MOST_SEATS,
    POINTS,
    SQUARED_DECISIONS,
    SQUARED_POINTS,
    SUMS,
    WIN,
    WINS,
    Refusal,
)
from motherlode.game import Game, Record, new_rng
from motherlode.lab.workers import check_numbers, in_processes, in_threads
from motherlode.table import Table

Sums = np.ndarray[Any, np.dtype[np.int64]]
Times = Counter[tuple[str, str]]  # how often: (CHOSEN, a verb), (EVENT, a kind), …
Played = tuple[Sums, Times]
Progress = Callable[[int], None]
CHOSEN, FORCED, USELESS, EVENT = "chosen", "forced", "useless", "event"
COMPILED_CHUNK, TABLE_CHUNK = 1 << 14, 4  # games that are handed out at a time


def simulate(
    game: Game,
    *,
    seats: int | None = None,
    games: int = 1000,
    seed: int = 0,
    players: Iterable[str] | None = None,
    options: dict[str, Any] | None = None,
    cores: int | None = None,
    count: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Play many games and add them up. The same seed gives the same answer on any number of cores.

    With `count` all games are played at tables, random ones too, and the answer says how often each kind of action was
    chosen and what came of them.

    Ctrl-C ends the run early: the answer then covers the games played so far, and `interrupted` is true.
    """
    opening = engine.start(game, seats, **(options or {}))
    players = ["random"] * opening.seats if players is None else list(players)
    if len(players) != opening.seats:
        raise Refusal(f"{opening.seats} seats need {opening.seats} bots, not {len(players)}: {', '.join(players)}")
    check_numbers(games, seed, cores)
    for name in players:
        spec = BotSpec.parse(name, game)
        if spec.kind == "program":
            raise Refusal(f"bots from outside play in a match, not here: {name}")
        spec.warm(game)
    workers = cores or os.cpu_count() or 1
    chosen = engine.options_of(game, opening)
    play: Callable[[int, int], Played]
    if set(players) == {"random"} and not count:
        play, size = partial(play_compiled, game, bytes(opening), seed), COMPILED_CHUNK
        play(0, 1)  # compile before the threads ask for it
        results = in_threads(play, chunks(games, size), workers)
    else:
        play, size = partial(play_tables, game, opening.seats, chosen, seed, players, count), TABLE_CHUNK
        results = in_processes(play, chunks(games, size), min(workers, -(-games // size)))
    began = time.perf_counter()
    total: Sums = np.zeros(SUMS, np.int64)
    times = Times()
    interrupted = False
    try:
        with closing(results):
            for sums, counted in results:
                total += sums
                times += counted
                if progress:
                    progress(int(sums[GAMES_PLAYED]))
    except KeyboardInterrupt:
        if total[GAMES_PLAYED] == 0:
            raise
        interrupted = True
    answer = report(total, opening.seats, time.perf_counter() - began)
    facts = {"game": game.NAME, "data": dict(game.CHANGES), "seats": opening.seats, "options": chosen, "bots": players}
    counts = {"counts": report_counts(game, times)} if count else {}
    return {**facts, "seed": seed, "interrupted": interrupted, **answer, **counts}


def chunks(games: int, size: int) -> Iterator[tuple[int, int]]:
    return ((first, min(first + size, games)) for first in range(0, games, size))


def play_compiled(game: Game, opening: bytes, seed: int, first: int, stop: int) -> Played:
    """Random games first…stop-1, in native code that lets other threads run."""
    return run_compiled(game, game.RECORD.from_buffer_copy(opening), seed, stop, first=first)[0], Times()


def run_compiled(
    game: Game, opening: Record, seed: int, stop: int, *, first: int = 0, kept: int = 0
) -> tuple[Sums, Any]:
    """Random games first…stop-1: their sums, and the final records of games 0…kept-1."""
    start = as_array(game, opening)
    rng, bits, points = (
        np.zeros(1, np.uint64),
        np.zeros(engine.words_of(game), np.int64),
        np.zeros(MOST_SEATS, np.int64),
    )
    sums: Sums = np.zeros(SUMS, np.int64)
    ends = np.zeros(kept, start.dtype)
    compiled(game).simulate(start, seed, first, stop, 1, kept, ends, start.copy(), rng, bits, points, sums)
    return sums, ends


def play_tables(
    game: Game, seats: int, options: dict[str, Any], seed: int, players: list[str], count: bool, first: int, stop: int
) -> Played:
    """Games first…stop-1 at tables. Chance and every seat draw from generators of their own, as in a match."""
    sums: Sums = np.zeros(SUMS, np.int64)
    times = Times()
    chosen = [bots.make(name, game) for name in players]
    for stream in range(first, stop):
        table = Table(game, seats, seed=seed, stream=stream, **options)
        rngs = [new_rng(seed, -1 - (stream * seats + seat)) for seat in range(seats)]
        decisions = 0
        while not table.is_over:
            table.act(chosen[table.turn](table.ask(), rngs[table.turn]))
            decisions += 1
        sums[[GAMES_PLAYED, DECISIONS, SQUARED_DECISIONS]] += (1, decisions, decisions * decisions)
        for seat, points in enumerate(table.points):
            won = WIN // len(table.winners) * (seat in table.winners)
            sums[[POINTS + seat, SQUARED_POINTS + seat, WINS + seat]] += (points, points * points, won)
        if count:
            times += count_game(table)
    return sums, times


def count_game(table: Table) -> Times:
    """How often each kind of action was chosen at a table, and each kind of event came of one."""
    game, times = table.game, Times()
    for before, a, after in zip(table.positions, table.log, table.positions[1:], strict=False):
        if before.turn >= 0:
            verb = game.ACTIONS.read(a)[0].verb
            times[CHOSEN, verb] += 1
            useful = engine.useful(game, before)
            times[FORCED, verb] += useful == [a]
            times[USELESS, verb] += a not in useful
        for event in game.events(before, a, after):
            times[EVENT, event.kind] += 1
    return times


def report_counts(game: Game, times: Times) -> dict[str, Any]:
    """Every kind of action and of event, also those that never happened."""
    actions = {
        kind.verb: {what: times[what, kind.verb] for what in (CHOSEN, FORCED, USELESS)} for kind in game.ACTIONS.kinds
    }
    return {"actions": actions, "events": {kind.verb: times[EVENT, kind.verb] for kind in game.EVENTS}}


def report(sums: Sums, seats: int, seconds: float) -> dict[str, Any]:
    n, decisions = int(sums[GAMES_PLAYED]), int(sums[DECISIONS])
    points, squares, wins = (sums[first : first + seats].tolist() for first in (POINTS, SQUARED_POINTS, WINS))

    def deviation(total: int, squared: int) -> float:
        return sqrt(max(0.0, squared / n - (total / n) ** 2))

    return {
        "games": n,
        "mean_points": [total / n for total in points],
        "sd_points": [deviation(total, squared) for total, squared in zip(points, squares, strict=True)],
        "win_share": [won / n / WIN for won in wins],
        "mean_decisions": decisions / n,
        "sd_decisions": deviation(decisions, int(sums[SQUARED_DECISIONS])),
        "seconds": seconds,
        "decisions_per_second": decisions / seconds,
    }
