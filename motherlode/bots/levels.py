"""The named levels of each game, from a child's first opponent to the strongest bot there is.

A level is a bot whose strength is a number of iterations, so it plays the same on every machine. A game keeps its
levels in `levels.json` beside its rules, with the results that `motherlode ladder` measured for them. A game that
brings no such file gets the DEFAULT levels, which nobody has measured, and so does a variant.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.games import is_in_folder

NAMES = ("greenhorn", "panner", "digger", "prospector", "baron", "legend")  # from the weakest to the strongest
PLAIN = ("random", "search:10", "search:100", "search:700", "search:4000")  # a legend needs a network
DEFAULT = dict(zip(NAMES, PLAIN, strict=False))
FILE = "levels.json"

Row = dict[str, Any]  # one result of `motherlode ladder`


class Levels(NamedTuple):
    """The levels of a game: the bot of each name, and what was measured."""

    bots: dict[str, str]
    measured: list[Row]


def path(game: Game) -> Path | None:
    """Where a game keeps its levels; None if it has no folder of its own, or is a variant, which was never measured."""
    file = Path(game.__file__) if game.__file__ and not game.VARIANT else None
    return file.with_name(FILE) if file and is_in_folder(file) else None


def read(game: Game) -> Levels:
    """The levels that a game brings, or the default ones."""
    file = path(game)
    if file is None or not file.exists():
        return Levels(DEFAULT, [])
    found = json.loads(file.read_text("utf-8"))
    return Levels({name: found["levels"][name] for name in NAMES if name in found["levels"]}, found["measured"])


def write(game: Game, measured: list[Row]) -> None:
    """Replace what was measured of a game's levels."""
    file = path(game)
    if file is None:
        raise Refusal(f"{game.TITLE} has no folder of its own, so there is no place for its {FILE}")
    text = json.dumps({"levels": read(game).bots, "measured": measured}, indent=1)
    file.write_text(text + "\n", "utf-8")


def names(game: Game | None = None) -> list[str]:
    """The names of a game's levels, from the weakest to the strongest; without a game, all names there are."""
    return list(NAMES if game is None else read(game).bots)


def bot_name(level: str, game: Game) -> str:
    """The bot that a level of this game is."""
    bots = read(game).bots
    if level not in bots:
        raise Refusal(f"{game.TITLE} has no level {level!r}; its levels are: {', '.join(bots)}")
    return bots[level]


def strongest(game: Game, milliseconds: float) -> str | None:
    """The strongest level that was measured to take at most this long for a decision; None where none was."""
    for level in reversed(names(game)):
        took = milliseconds_of(game, level)
        if took is not None and took <= milliseconds:
            return level
    return None


def milliseconds_of(game: Game, level: str) -> float | None:
    """The longest that a level was measured to take for a decision, at any number of seats; None where it was not."""
    bots, rows = read(game)
    return max(
        (row["milliseconds"] for row in rows if (row["level"], row["bot"]) == (level, bots[level])), default=None
    )


def measured(game: Game) -> list[dict[str, Any]]:
    """Every level of a game, with its score against the level below: null where that was not measured.

    It is that of the fewest seats. A result that was measured for another bot than the level is now does not count.
    """
    bots, rows = read(game)
    results = {(row["level"], row["bot"], row["against"]): row for row in rows if row["seats"] == game.SEATS[0]}
    steps: list[dict[str, Any]] = []
    below = None
    for level, bot in bots.items():
        row = results.get((level, bot, below))
        step = {key: row[key] if row else None for key in ("against", "score", "interval", "games")}
        steps.append({"name": level, "bot": bot, **step})
        below = level
    return steps
