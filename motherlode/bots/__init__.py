"""Bots: each is given what its seat may know (`table.Ask`) and answers with a legal action.

`make("search:1000")` makes one from its name; `spec.BotSpec` says which names there are.
"""

from types import ModuleType

from motherlode.bots import exact, function, greedy, guided, levels, memory, outside, policy, programs, random, search
from motherlode.bots.function import FunctionFailed
from motherlode.bots.spec import BOTS, LIMIT, PLAIN, BotSpec
from motherlode.game import Game
from motherlode.table import Bot, Table

__all__ = [
    "BOTS", "LIMIT", "PLAIN", "BotSpec", "FunctionFailed", "compiled_parts", "end", "end_programs", "exact",
    "function", "greedy", "guided", "is_warm", "levels", "lost", "make", "memory", "outside", "policy", "programs",
    "random", "search", "warm",
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


def end(bot: Bot, table: Table | None = None) -> str | None:
    """The game is over for this bot, at this table; why it lost its seat, if it did.

    A program is ended here; with the table, one that stays is told the result and kept for the next game.
    """
    return bot.end(table) if isinstance(bot, outside.Outside) else None


def end_programs() -> None:
    """End the programs that have stayed for the next game; a process also does this when it ends."""
    programs.end_waiting()
