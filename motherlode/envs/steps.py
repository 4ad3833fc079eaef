"""The loops of one game that is stepped from Python, as `engine.programs` builds others: interpreted or compiled."""

from functools import cache
from types import SimpleNamespace
from typing import Any

from motherlode import engine
from motherlode.engine import Decorator, uncompiled
from motherlode.envs import encoder, observation
from motherlode.game import CHANCE, Bits, Game, Rng


def programs(game: Game, inner: Decorator, entry: Decorator) -> SimpleNamespace:
    """`act` and `observe`, for a position `s[0]` with a place `s[1]` for a view of it."""
    game_legal, game_apply, game_hide = game.legal, game.apply, game.hide
    draw = engine.programs(game, inner, entry).draw
    encode = encoder.encoder(observation.layout(game), inner)

    @entry
    def act(s: Any, a: int, rng: Rng, bits: Bits, outcomes: Bits) -> int:
        """Perform an action (-1: none), then what chance decides; mark the legal actions of the seat that is to act.

        The outcomes of chance are written down; their number is returned. When there is no place left, it stops.
        """
        if a >= 0:
            game_apply(s[0], a)
        n = 0
        while s[0].turn == CHANCE and n < len(outcomes):
            outcome = draw(s[0], rng, bits)
            game_apply(s[0], outcome)
            outcomes[n] = outcome
            n += 1
        if s[0].turn >= 0:
            game_legal(s[0], bits)
        return n

    @entry
    def observe(s: Any, seat: int, row: Any) -> None:
        """Write what a seat knows into a row of zeros."""
        s[1] = s[0]
        game_hide(s[1], seat)
        encode(s[1], seat, row)

    return SimpleNamespace(act=act, observe=observe)


@cache
def interpreted(game: Game) -> SimpleNamespace:
    """The loops in plain Python, which need not be compiled first."""
    return programs(game, inner=uncompiled, entry=uncompiled)


def compiled(game: Game) -> SimpleNamespace:
    """The loops in native code."""
    from motherlode.compiled import compiled

    return compiled(game, programs)
