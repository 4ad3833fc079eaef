"""How strong the levels of a game are: each against the level below, and the strongest against random.

Where a game brings a policy, it plays against the baron. All of it is measured for one number of seats at a time.

The results are kept in the game's own `levels.json`; the table and the plot in the documents are drawn from there.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from motherlode.bots import levels, network
from motherlode.bots.levels import Row
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.lab.match import match

FEW = 100  # games against random
BUDGET = 2 * 30 * 60.0  # core seconds per pair of levels
Rows = dict[str, list[Row]]  # by game

HEAD = """\
# The ladder

Written by `motherlode ladder GAME --docs docs`: do not edit. Every level plays the one below in all other seats, each
deal from every seat, under the game's default options. *Score* is how often it finishes ahead of one of them (a tie
counts half), so 50 % is equal strength for any number of seats; with two seats it is the share of games won. The last
rows are the strongest level against random (where that is far from 100 %, the game is mostly luck), and the network
alone against the baron. Intervals are 95 %; times are of one core, beside whatever else it did.

![how often each level beats the one below](ladder.svg)

"""


def measure(
    game: Game,
    *,
    games: int,
    seats: int | None = None,
    seed: int = 0,
    cores: int | None = None,
    only: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Iterator[Row]:
    """Every pair of `pairs`, or only those of these levels, at a table of so many seats (by default the fewest).

    Fewer games are played where they would take more than half an hour on two cores.
    """
    seats = game.SEATS[0] if seats is None else seats
    if seats not in game.SEATS:
        raise Refusal(f"{game.TITLE} has {' or '.join(map(str, game.SEATS))} seats, not {seats}")
    for level, below in pairs(game, only):
        players, most = [level] + [below] * (seats - 1), min(games, FEW) if below == "random" else games
        answer = match(game, players, games=most, seed=seed, cores=cores, progress=progress, budget=BUDGET)
        if answer["interrupted"]:
            raise KeyboardInterrupt
        first = answer["players"][0]
        yield {
            "level": level,
            "bot": levels.read(game).bots.get(level, level),
            "seats": seats,
            "against": below,
            "games": answer["games"],
            "seed": seed,
            "score": round(first["score"], 4),
            "interval": [round(end, 4) for end in first["score_interval"]],
            "milliseconds": round(1000 * first["core_seconds_per_decision"], 2),
        }


def pairs(game: Game, only: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Who is measured against whom: levels against the one below, the last against random, a policy against baron."""
    names = levels.names(game)
    policy = [("policy", "baron")] if network.brings(game) else []
    every = [*zip(names[1:], names, strict=False), (names[-1], "random"), *policy]
    for level in only:
        if level not in (known := dict(every)):
            raise Refusal(f"{game.TITLE} measures {', '.join(known)}, not {level!r}")
    return [pair for pair in every if not only or pair[0] in only]


def read() -> Rows:
    """What was measured, of every game."""
    return {name: rows for name, game in GAMES.items() if (rows := levels.read(game).measured)}


def write(docs: Path, game: Game, rows: list[Row]) -> None:
    """Keep a game's results in its folder, instead of those of the same pairs and seats; draw table and plot again."""
    every, results = pairs(game), {}
    for row in [*levels.read(game).measured, *rows]:
        if (row["level"], row["against"]) in every:
            results[row["seats"], every.index((row["level"], row["against"]))] = row
    levels.write(game, [results[key] for key in sorted(results)])
    (docs / "ladder.md").write_text(table(read()), "utf-8")
    (docs / "ladder.svg").write_text(plot(read()), "utf-8")


def table(every: Rows) -> str:
    parts = [HEAD]
    for name, rows in every.items():
        heads = ("level", "bot", "seats", "against", "score", "95 %", "games", "ms per decision")
        parts.append(f"## {GAMES[name].TITLE}\n\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n")
        first, bot = next(iter(levels.read(GAMES[name]).bots.items()))
        parts.append(f"| {first} | `{bot}` | | | | | | |\n")
        for row in rows:
            low, high = row["interval"]
            cells = [row["level"], f"`{row['bot']}`", str(row["seats"]), row["against"]]
            cells += [f"{row['score']:.1%}", f"{low:.1%} – {high:.1%}"]
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
            lines.append(f'<text x="20" y="{y}">{row["level"]} against {row["against"]}, {row["seats"]} seats</text>')
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
