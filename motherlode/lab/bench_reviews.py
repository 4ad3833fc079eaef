"""How long the reviews of the longest games take: those of careless players, with every option and number of seats."""

import time
from collections.abc import Callable
from datetime import date
from typing import Any

from motherlode import bots, contract, text
from motherlode.game import Game
from motherlode.lab.bench_envs import machine
from motherlode.review import mistakes
from motherlode.review.review import review
from motherlode.table import Table

PLAYERS = ("random", "greedy")
GAMES_EACH = 4  # with the same seats, options and players


def run(games: list[Game], say: Callable[[str], None]) -> list[dict[str, Any]]:
    rows = []
    for game in games:
        say(f"reviewing the longest game of {game.TITLE} …")
        players, played = max(((each, one) for each in PLAYERS for one in record(game, each)), key=length)
        review(played, seconds=0.1)  # compiles what judges, or loads it
        began = time.process_time()
        found = review(played)
        rows.append(
            {
                "game": game.NAME,
                "seats": played.seats,
                "options": played.own_options(),
                "players": players,
                "entries": len(played.actions),
                "decisions": decisions(played),
                "judged": sum(seat["decisions"] for seat in found["seats"]),
                "seconds": time.process_time() - began,
            }
        )
    return rows


def length(found: tuple[str, text.Played]) -> int:
    return len(found[1].actions)


def record(game: Game, player: str) -> list[text.Played]:
    """Games of one bot against itself."""
    records = []
    for seats, options in contract.tables(game):
        for seed in range(GAMES_EACH):
            table = Table(game, seats, seed=seed, **options)
            table.play(*[bots.make(player)] * seats)
            records.append(table.record())
    return records


def decisions(played: text.Played) -> int:
    """How many decisions there are to judge."""
    positions = played.positions()
    return sum(len(mistakes.decisions(played.game, positions, played.actions, seat)) for seat in range(played.seats))


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as a table for docs/review.md."""
    lines = [
        f"Measured on {date.today().isoformat()} on one core of {machine()}.",  # noqa: DTZ011 - the day where it is
        "",
        "| game | seats | players | entries of the log | decisions | of these judged | core time |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (row["game"], row["seats"], f"`{row['players']}`", row["entries"], row["decisions"], row["judged"])
        lines.append("| " + " | ".join(map(str, cells)) + f" | {row['seconds']:.1f} s |")
    return "\n".join(lines)
