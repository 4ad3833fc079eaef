"""The ladder: named levels of each game, from a child's first opponent to the strongest we have.

A level is a bot with a strength by iterations, so it is repeatable. How much each beats the one below is measured by
`motherlode ladder` and kept in ladder.json beside this file.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from motherlode.engine import Refusal
from motherlode.game import Game, Rng
from motherlode.table import Ask, Bot

LADDER = Path(__file__).with_name("ladder.json")
NAMES = ("greenhorn", "panner", "digger", "prospector", "baron")  # from the weakest up

LEVELS: dict[str, dict[str, str]] = {
    "blue_creek": {
        "greenhorn": "search:100@55",
        "panner": "search:300@78",
        "digger": "search:300@90",
        "prospector": "search:300",
        "baron": "search:4000",
    },
    "china_gold": {
        "greenhorn": "search:160",
        "panner": "search:420",
        "digger": "search:1200",
        "prospector": "search:3000",
        "baron": "search:7000+exact",
    },
    "claimpoker": {
        "greenhorn": "random",
        "panner": "search:5",
        "digger": "search:60",
        "prospector": "search:500",
        "baron": "search:5000",
    },
    "gold_hunting": {
        "greenhorn": "random",
        "panner": "search:2",
        "digger": "search:80",
        "prospector": "search:1000",
        "baron": "search:8000+building+exact",
    },
    "goldmine": {
        "greenhorn": "random",
        "panner": "search:4",
        "digger": "search:40",
        "prospector": "search:200",
        "baron": "search:8000",
    },
    "mount_goldrush": {
        "greenhorn": "random",
        "panner": "search:80@92",
        "digger": "search:200@98",
        "prospector": "search:300",
        "baron": "search:3000",
    },
}


def names(game: Game | None = None) -> list[str]:
    """The names of a game's levels, from the weakest up; without a game, of all."""
    return [name for name in NAMES if game is None or name in LEVELS[game.NAME]]


def is_level(name: str) -> bool:
    return name in NAMES


def spelled(name: str, game: Game) -> str:
    """The bot that a level of this game is; any other name is its own spelling."""
    if not is_level(name):
        return name
    if name not in LEVELS[game.NAME]:
        raise Refusal(f"{game.TITLE} has no level {name!r}; its levels are: {', '.join(names(game))}")
    return LEVELS[game.NAME][name]


def bot(name: str, game: Game | None, make: Callable[[str], Bot]) -> Bot:
    """This level of the game it is given, or of whichever game it is asked in."""
    if game is not None:
        return make(spelled(name, game))

    def choose(ask: Ask, rng: Rng) -> int:
        return make(spelled(name, ask.game))(ask, rng)

    return choose


def measured(game: Game) -> list[dict[str, Any]]:
    """The levels of a game, from the weakest up, with how each did against the one below: score, interval, games.

    A row of the ladder for another bot than the level now is says nothing of it.
    """
    ladder = json.loads(LADDER.read_text("utf-8")).get(game.NAME, [])
    rows = {(row["level"], row["bot"], row["against"]): row for row in ladder}
    steps: list[dict[str, Any]] = []
    below = None
    for name in names(game):
        row = rows.get((name, spelled(name, game), below))
        step = {key: row[key] if row else None for key in ("against", "score", "interval", "games")}
        steps.append({"name": name, "bot": spelled(name, game), **step})
        below = name
    return steps
