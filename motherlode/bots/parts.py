"""The optional modules of a game's own package, such as its `ending` and its `additions`."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from motherlode.game import Game


@cache
def part(game: Game, name: str) -> ModuleType | None:
    """The module of this name beside a game's rules; None if the game brings none."""
    package = getattr(game, "__package__", None)
    if not package or find_spec(f"{package}.{name}") is None:
        return None
    return import_module(f"{package}.{name}")
