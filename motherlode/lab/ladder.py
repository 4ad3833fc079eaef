"""How strong the levels are: each against the one below, and the strongest against random.

What was measured is kept in `bots/ladder.json`, the only place for it; the docs' table and plot are drawn from there.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from motherlode.bots.levels import LADDER, LEVELS, names
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.lab.match import match

FEW = 100  # games against random, which is no level's step
BUDGET = 2 * 30 * 60.0  # core seconds for a pair of levels
Rows = dict[str, list[dict[str, Any]]]  # by game

HEAD = """\
# The ladder

Written by `motherlode ladder GAME`: do not edit. Every level plays the one below in all other seats, each deal from
every seat, under the game's default options with its smallest number of players. *Score* is how often it comes out
before one of them (a tie counts half), so 50 % is equal strength for any number of seats; with two it is the
share of games won. The last row of a game is its strongest level against random: where that is far from 100 %, the
game is mostly luck. Intervals are 95 %. A thousand games are played, fewer where they take long, and a hundred or
two against random; times are those of one core.

![how much each level beats the one below](ladder.svg)

"""


def measure(
    game: Game, *, games: int, seed: int = 0, cores: int | None = None, progress: Callable[[int], None] | None = None
) -> Iterator[dict[str, Any]]:
    """Each level against the one below, from the weakest up, then the strongest against random.

    Fewer games are played where so many would take more than half an hour on two cores.
    """
    seats, levels = game.SEATS[0], names(game)
    for level, below in [*zip(levels[1:], levels, strict=False), (levels[-1], "random")]:
        players, most = [level] + [below] * (seats - 1), min(games, FEW) if below == "random" else games
        answer = match(game, players, games=most, seed=seed, cores=cores, progress=progress, budget=BUDGET)
        first = answer["players"][0]
        yield {
            "level": level,
            "bot": LEVELS[game.NAME][level],
            "against": below,
            "games": answer["games"],
            "seed": seed,
            "score": round(first["score"], 4),
            "interval": [round(end, 4) for end in first["score_interval"]],
            "milliseconds": round(1000 * first["core_seconds_per_decision"], 2),
        }


def read() -> Rows:
    rows: Rows = json.loads(LADDER.read_text("utf-8"))
    return rows


def write(docs: Path, game: Game, rows: list[dict[str, Any]]) -> None:
    """Put a game's rows in place of its old ones, and draw table and plot anew."""
    every = {**read(), game.NAME: rows}
    every = {name: every[name] for name in GAMES if name in every}
    LADDER.write_text(json.dumps(every, indent=1) + "\n", "utf-8")
    (docs / "ladder.md").write_text(table(every), "utf-8")
    (docs / "ladder.svg").write_text(plot(every), "utf-8")


def table(every: Rows) -> str:
    parts = [HEAD]
    for name, rows in every.items():
        parts.append(f"## {GAMES[name].TITLE}\n\n| level | bot | against | score | 95 % | games | ms a decision |\n")
        parts.append("|---|---|---|---|---|---|---|\n")
        first = names(GAMES[name])[0]
        parts.append(f"| {first} | `{LEVELS[name][first]}` | | | | | |\n")
        for row in rows:
            low, high = row["interval"]
            cells = [row["level"], f"`{row['bot']}`", row["against"], f"{row['score']:.1%}", f"{low:.1%} – {high:.1%}"]
            parts.append("| " + " | ".join([*cells, f"{row['games']:,}", f"{row['milliseconds']:g}"]) + " |\n")
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


# The plot: a row a level, its score as a dot with its interval; the wanted 60 to 85 % shaded.
LEFT, WIDE, TALL, TOP = 250, 420, 20, 40


def plot(every: Rows) -> str:
    lines, y = [], TOP

    def x(share: float) -> float:
        return round(LEFT + WIDE * share, 1)

    for name, rows in every.items():
        y += TALL
        lines.append(f'<text x="8" y="{y}" font-weight="bold">{GAMES[name].TITLE}</text>')
        for row in rows:
            y += TALL
            low, high = row["interval"]
            lines.append(f'<text x="20" y="{y}">{row["level"]} against {row["against"]}</text>')
            lines.append(f'<path d="M{x(low)} {y - 4}H{x(high)}" stroke="#555" stroke-width="2"/>')
            lines.append(f'<circle cx="{x(row["score"])}" cy="{y - 4}" r="4" fill="#b8860b"/>')
        y += TALL // 2
    marks = [f'<text x="{x(k / 4)}" y="28" text-anchor="middle">{25 * k} %</text>' for k in range(5)]
    marks += [f'<path d="M{x(k / 4)} {TOP}V{y}" stroke="#ccc"/>' for k in range(5)]
    band = f'<rect x="{x(0.6)}" y="{TOP}" width="{round(WIDE * 0.25, 1)}" height="{y - TOP}" fill="#f5ecd2"/>'
    size = f'width="{LEFT + WIDE + 30}" height="{y + 10}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">'
    paper = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, paper, band, *marks, *lines, "</svg>"]) + "\n"
