"""Bots: each is given what its seat may know (`table.Ask`) and answers with a legal action.

`make("search:1000")` makes one from its name; `spec.BotSpec` says which names there are.
"""

from types import ModuleType

from motherlode.bots import exact, greedy, levels, memory, outside, random, search
from motherlode.bots.spec import BOTS, LIMIT, PLAIN, BotSpec
from motherlode.game import Game
from motherlode.table import Bot

__all__ = [
    "BOTS", "LIMIT", "PLAIN", "BotSpec", "compiled_parts", "end", "exact", "greedy", "is_warm", "levels", "lost",
    "make", "memory", "outside", "random", "search", "warm",
]  # fmt: skip


def make(
    name: str,
    game: Game | None = None,
    *,
    limit: float = LIMIT,
    plain: bool = False,
    core_seconds: float | None = None,
) -> Bot:
    """The bot of this name, checked for a game if one is given; see `BotSpec.make`."""
    return BotSpec.parse(name, game).make(game, limit=limit, plain=plain, core_seconds=core_seconds)


def warm(name: str, game: Game) -> None:
    """Compile what this bot needs for this game, so that its first answer comes at once."""
    BotSpec.parse(name, game).warm(game)


def is_warm(name: str, game: Game) -> bool:
    """Whether this bot would answer at once; until then a plain one can stand in for it."""
    return BotSpec.parse(name, game).is_warm(game)


def compiled_parts(name: str, game: Game) -> list[ModuleType]:
    """The modules that have to be compiled for this bot."""
    return BotSpec.parse(name, game).compiled_parts(game)


def lost(bot: Bot) -> str | None:
    """Why a program has lost its seat, if it has."""
    return bot.lost if isinstance(bot, outside.Outside) else None


def end(bot: Bot) -> str | None:
    """The game is over for this bot; why it lost its seat, if it did."""
    return bot.end() if isinstance(bot, outside.Outside) else None
