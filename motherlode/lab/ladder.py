"""How strong the levels of a game are: each against the level below, and the strongest against random.

The results are kept in the game's own `levels.json`; the table and the plot in the documents are drawn from there.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from motherlode.bots import levels
from motherlode.bots.levels import Row
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.lab.match import match

FEW = 100  # games against random
BUDGET = 2 * 30 * 60.0  # core seconds per pair of levels
Rows = dict[str, list[Row]]  # by game

HEAD = """\
# The ladder

Written by `motherlode ladder GAME --docs docs`: do not edit. Every level plays the one below in all other seats, each
deal from every seat, under the game's default options with its smallest number of players. *Score* is how often it
finishes ahead of one of them (a tie counts half), so 50 % is equal strength for any number of seats; with two seats it
is the share of games won. The last row of a game is its strongest level against random: where that is far from 100 %,
the game is mostly luck. Intervals are 95 %. A thousand games are played, fewer where they take long, and about a
hundred against random; times are of one core.

![how often each level beats the one below](ladder.svg)

"""


def measure(
    game: Game, *, games: int, seed: int = 0, cores: int | None = None, progress: Callable[[int], None] | None = None
) -> Iterator[Row]:
    """Each level against the one below, from the weakest to the strongest, then the strongest against random.

    Fewer games are played where they would take more than half an hour on two cores.
    """
    seats, bots = game.SEATS[0], levels.read(game).bots
    names = list(bots)
    for level, below in [*zip(names[1:], names, strict=False), (names[-1], "random")]:
        players, most = [level] + [below] * (seats - 1), min(games, FEW) if below == "random" else games
        answer = match(game, players, games=most, seed=seed, cores=cores, progress=progress, budget=BUDGET)
        if answer["interrupted"]:
            raise KeyboardInterrupt
        first = answer["players"][0]
        yield {
            "level": level,
            "bot": bots[level],
            "against": below,
            "games": answer["games"],
            "seed": seed,
            "score": round(first["score"], 4),
            "interval": [round(end, 4) for end in first["score_interval"]],
            "milliseconds": round(1000 * first["core_seconds_per_decision"], 2),
        }


def read() -> Rows:
    """What was measured, of every game."""
    return {name: rows for name, game in GAMES.items() if (rows := levels.read(game).measured)}


def write(docs: Path, game: Game, rows: list[Row]) -> None:
    """Keep a game's results in its folder, and draw table and plot again."""
    levels.write(game, rows)
    (docs / "ladder.md").write_text(table(read()), "utf-8")
    (docs / "ladder.svg").write_text(plot(read()), "utf-8")


def table(every: Rows) -> str:
    parts = [HEAD]
    for name, rows in every.items():
        parts.append(f"## {GAMES[name].TITLE}\n\n| level | bot | against | score | 95 % | games | ms per decision |\n")
        parts.append("|---|---|---|---|---|---|---|\n")
        first, bot = next(iter(levels.read(GAMES[name]).bots.items()))
        parts.append(f"| {first} | `{bot}` | | | | | |\n")
        for row in rows:
            low, high = row["interval"]
            cells = [row["level"], f"`{row['bot']}`", row["against"], f"{row['score']:.1%}", f"{low:.1%} – {high:.1%}"]
            parts.append("| " + " | ".join([*cells, f"{row['games']:,}", f"{row['milliseconds']:g}"]) + " |\n")
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


# The plot: one line per result, its score as a dot with its interval; the wanted range of 60 to 85 % is shaded.
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
