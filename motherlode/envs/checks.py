"""What the doors are given: refused unless it is what it should be."""

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from motherlode import engine, games
from motherlode.engine import Refusal
from motherlode.game import Game


def check_game(game: Game | str) -> Game:
    if not isinstance(game, Game | str):
        raise Refusal(f"a game is named, or is one of motherlode.GAMES, not {game!r}")
    return games.find(game) if isinstance(game, str) else game


def check_number(name: str, given: SupportsIndex) -> int:
    """A whole number, also one of NumPy's."""
    try:
        return operator.index(given)
    except TypeError:
        raise Refusal(f"{name} is a whole number, not {given!r}") from None


def check_seed(seed: SupportsIndex) -> int:
    return engine.check_seed(check_number("a seed", seed))


def check_word(name: str, given: str, allowed: Sequence[str]) -> str:
    if given not in allowed:
        raise Refusal(f"{name} can be {' or '.join(allowed)}, not {given!r}")
    return given


def check_dtype(given: Any) -> np.dtype[Any]:
    for allowed in (np.dtype(np.uint8), np.dtype(np.float32)):
        try:
            if np.dtype(given) == allowed:
                return allowed
        except TypeError:
            break
    raise Refusal(f"observations are uint8 or float32, not {given!r}")
