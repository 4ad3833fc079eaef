"""Bots against each other: every deal from every seat, on all cores, with confidence intervals.

A deal is the shuffle of all decks. It is played once per rotation of the players, so that the luck of the deal and of
the seat evens out; every player draws from a generator of its own. The rotations of a deal are not independent, so a
deal counts as one observation wherever an interval is computed.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from math import inf, log10, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np

from motherlode import bots, engine
from motherlode.engine import Refusal
from motherlode.game import Game, new_rng
from motherlode.lab.workers import check_numbers, in_processes
from motherlode.review import values
from motherlode.review.parts import parts
from motherlode.review.values import Array
from motherlode.table import Bot, Table

SURE = 1.96  # standard errors: 95 %
# The sequential rule: after 16, 32, 64, … deals the match is decided if the leader is better than every other player by
# three standard errors. Ten such looks, up to 8,192 deals, are wrong in less than 3 % of all matches.
FIRST_LOOK, DECIDED = 16, 3.0
LEAST = 200  # games that are played whatever the budget
KINDS_OF_LUCK = 4  # that of the deal and of other chance, in wins and in points
LEAST_TO_LEARN_FROM = 20  # deals that say how luck counts; with fewer nothing is owed to it
LEAST_SPREAD = 1e-6  # of a kind of luck, as a share of the greatest: what is smaller is rounding

Progress = Callable[[int], None]
Maker = Callable[..., Bot]  # makes a bot from its name, as `bots.make` does
Warmer = Callable[[str, Game], None]  # compiles what a bot needs, as `bots.warm` does


class Deal(NamedTuple):
    """One deal from every seat, added up for each player."""

    beaten: list[list[float]]  # the share of its games in which a player finished ahead of another
    won: list[float]  # the share of its games that it won
    points: list[int]
    decisions: list[int]
    seconds: list[float]
    core_seconds: list[float]  # of this process alone, so that other work on the machine counts less
    lost: list[dict[str, Any]]  # outside bots that lost their seat
    luck: list[list[float]]  # what the deal and other chance brought a player on average: by KINDS_OF_LUCK


def match(
    game: Game, players: list[str], *, games: int = 100, seed: int = 0, options: dict[str, Any] | None = None,
    cores: int | None = None, save: Path | None = None, stop: bool = False, limit: float = bots.LIMIT,
    progress: Progress | None = None, budget: float | None = None, make: Maker = bots.make, warm: Warmer = bots.warm,
    adjusted: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Play a match in whole deals. Except for times, the same seed gives the same answer on any number of cores.

    `adjusted` also says what was won without luck, as deal and chance (`review.parts`) explain it.

    With a budget of core seconds the match ends when it is spent, but not before `LEAST` games. Ctrl-C ends it early:
    the answer then covers the deals played so far, and `interrupted` is true.
    """
    chosen = engine.check_options(game, options or {})
    seats = check_players(game, players, make)
    check_numbers(games, seed, cores)
    for name in dict.fromkeys(players):
        warm(name, game)
    if save:
        save.mkdir(parents=True, exist_ok=True)
    if adjusted:
        values.warm(game, seats, chosen)
    deals = -(-games // seats)
    workers = min(cores or os.cpu_count() or 1, deals)
    play = partial(play_deal, game, players, chosen, seed, save, partial(make, limit=limit), adjusted)
    began, spent, interrupted = time.perf_counter(), 0.0, False
    played: list[Deal] = []
    tasks = ((deal,) for deal in range(deals))
    try:
        with closing(in_processes(play, tasks, workers) if workers > 1 else (play(*task) for task in tasks)) as results:
            for deal in results:
                played.append(deal)
                if progress:
                    progress(seats)
                spent += sum(deal.core_seconds)
                is_spent = budget is not None and spent > budget and seats * len(played) >= LEAST
                if is_spent or (stop and is_look(len(played)) and is_decided(played)):
                    break
    except KeyboardInterrupt:
        if not played:
            raise
        interrupted = True
    finally:
        bots.end_programs()
    return {
        "game": game.NAME,
        "data": dict(game.CHANGES),
        "options": chosen,
        "seed": seed,
        "games": seats * len(played),
        "stopped": len(played) < deals and not interrupted,
        "interrupted": interrupted,
        "players": report(players, played, adjusted),
        "pairs": [[score([deal.beaten[i][j] for deal in played]) for j in range(seats)] for i in range(seats)],
        "lost": [lost for deal in played for lost in deal.lost],
        "seconds": time.perf_counter() - began,
    }


def check_players(game: Game, players: list[str], make: Maker) -> int:
    """Refuse a wrong number of players, and names of no bots."""
    if len(players) not in game.SEATS:
        allowed = " or ".join(map(str, game.SEATS))
        raise Refusal(f"{game.TITLE} is for {allowed} seats, and there are {len(players)} bots: {', '.join(players)}")
    for name in players:
        make(name, game)
    return len(players)


def play_deal(
    game: Game, players: list[str], options: dict[str, Any], seed: int, save: Path | None, make: Maker,
    adjusted: bool, deal: int,
) -> Deal:  # fmt: skip
    n = len(players)
    zeros, luck = [0.0] * n, [[0.0] * n for _ in range(KINDS_OF_LUCK)]
    sums = Deal([[0.0] * n for _ in players], [*zeros], [0] * n, [0] * n, [*zeros], [*zeros], [], luck)
    for rotation in range(n):
        table = Table(game, n, seed=seed, stream=deal, **options)
        player_in = [(seat - rotation) % n for seat in range(n)]  # by seat
        table.players = [players[player] for player in player_in]
        chosen = {player: make(players[player], table.game) for player in player_in}
        rngs = [new_rng(seed, -1 - ((deal * n + rotation) * n + player)) for player in range(n)]
        token = bots.programs.rotation.set(rotation)
        try:
            while not table.is_over:
                player, ask = player_in[table.turn], table.ask()
                began, core_began = time.perf_counter(), time.process_time()
                a = chosen[player](ask, rngs[player])
                sums.seconds[player] += time.perf_counter() - began
                sums.core_seconds[player] += time.process_time() - core_began
                sums.decisions[player] += 1
                table.act(a)
        finally:
            why_lost = {player: bots.end(bot, table) for player, bot in chosen.items()}
            bots.programs.rotation.reset(token)
        if adjusted:
            for part in parts(game, table.positions):
                lucky = (part.wins.deal, part.wins.chance, part.points.deal, part.points.chance)
                for kind, brought in enumerate(lucky):
                    sums.luck[kind][player_in[part.seat]] += brought / n
        place = {player: (seat in table.winners, table.points[seat]) for seat, player in enumerate(player_in)}
        for player in range(n):
            sums.won[player] += place[player][0] / len(table.winners) / n
            sums.points[player] += place[player][1]
            for other in range(n):
                beats, equals = place[player] > place[other], place[player] == place[other]
                sums.beaten[player][other] += (beats + equals / 2) / n
            if why := why_lost[player]:
                sums.lost.append({"deal": deal, "seat": player_in.index(player), "player": players[player], "why": why})
        if save:
            table.save(save / f"{game.NAME}-{deal:05}-{rotation}.txt")
    return sums


def interval(scores: Iterable[float], sure: float = SURE) -> tuple[float, float]:
    """A confidence interval of the mean. A deal won and one lost are added: few equal deals must not look certain."""
    sample = [*scores, 0.0, 1.0]
    n = len(sample)
    mean = sum(sample) / n
    error = sqrt(sum((x - mean) ** 2 for x in sample) / (n - 1) / n)
    return max(0.0, mean - sure * error), min(1.0, mean + sure * error)


def mean_and_interval(sample: list[float]) -> tuple[float, tuple[float, float]]:
    """The mean of a sample that may be anything, and its interval; with one observation, there is none."""
    mean = fmean(sample)
    error = stdev(sample) / sqrt(len(sample)) if len(sample) > 1 else inf
    return mean, (mean - SURE * error, mean + SURE * error)


def score(scores: list[float]) -> dict[str, Any]:
    return {"share": sum(scores) / len(scores), "interval": interval(scores)}


def elo(share: float) -> float:
    """The lead in Elo points that a score means; at most 800 either way."""
    p = min(max(share, 1e-9), 1 - 1e-9)
    return max(-800.0, min(800.0, 400 * log10(p / (1 - p))))


def is_look(deals: int) -> bool:
    return deals >= FIRST_LOOK and deals & (deals - 1) == 0


def is_decided(played: list[Deal]) -> bool:
    n = len(played[0].won)
    leader = max(range(n), key=lambda player: sum(sum(deal.beaten[player]) for deal in played))
    return all(
        interval((deal.beaten[leader][other] for deal in played), DECIDED)[0] > 0.5
        for other in range(n)
        if other != leader
    )


def without_luck(player: int, played: list[Deal]) -> dict[str, Any]:
    """What a player won and scored per game, less what is owed to luck.

    That is the same on average, for luck is 0 on average, but differs less from deal to deal: as much less as
    `as_many_games` times as many games would have made it.
    """
    n = len(played[0].won)
    luck = np.array([[kind[player] for kind in deal.luck] for deal in played])
    answer: dict[str, Any] = {"as_many_games": {}}
    for name, what in (("wins", "win_share"), ("points", "mean_points")):
        plain = np.array([deal.won[player] if name == "wins" else deal.points[player] / n for deal in played])
        rest = plain - owed_to_luck(plain, luck)
        answer[what], answer[f"{what}_interval"] = mean_and_interval(rest.tolist())
        spread = float(rest.var())
        answer["as_many_games"][name] = float(plain.var()) / spread if spread else None
    return answer


def owed_to_luck(plain: Array, luck: Array) -> Array:
    """How much of each deal's result follows from its luck, as the deals of the other half show: even ones and odd.

    A deal has no part in how its own luck counts, so what is owed is 0 on average, as luck is.
    """
    owed = np.zeros(len(plain))
    for half in range(2):
        others = slice(1 - half, None, 2)
        if len(plain[others]) >= LEAST_TO_LEARN_FROM:
            around = luck[others] - luck[others].mean(0), plain[others] - plain[others].mean()
            owed[half::2] = luck[half::2] @ np.linalg.lstsq(*around, rcond=LEAST_SPREAD)[0]
    return owed


def report(players: list[str], played: list[Deal], adjusted: bool) -> list[dict[str, Any]]:
    n, games = len(players), len(players) * len(played)

    def rows() -> Iterator[dict[str, Any]]:
        for player, name in enumerate(players):
            won = score([deal.won[player] for deal in played])
            others = [sum(deal.beaten[player]) - deal.beaten[player][player] for deal in played]
            before = score([x / (n - 1) for x in others])
            decisions = sum(deal.decisions[player] for deal in played)
            yield {
                "bot": name,
                "win_share": won["share"],
                "win_interval": won["interval"],
                "mean_points": sum(deal.points[player] for deal in played) / games,
                "points_interval": mean_and_interval([deal.points[player] / n for deal in played])[1],
                **({"adjusted": without_luck(player, played)} if adjusted else {}),
                "score": before["share"],
                "score_interval": before["interval"],
                "elo": elo(before["share"]),
                "elo_interval": [elo(end) for end in before["interval"]],
                "decisions": decisions,
                "seconds_per_decision": sum(deal.seconds[player] for deal in played) / max(1, decisions),
                "core_seconds_per_decision": sum(deal.core_seconds[player] for deal in played) / max(1, decisions),
            }

    return list(rows())
