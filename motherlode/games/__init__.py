"""GAMES: every folder here is a game."""

from importlib import import_module
from pkgutil import iter_modules

from motherlode.game import Game

FOUND = sorted(found.name for found in iter_modules(__path__) if found.ispkg)
GAMES: dict[str, Game] = {name: import_module(f"{__name__}.{name}.rules") for name in FOUND}
