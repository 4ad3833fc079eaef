"""Exact endings: `search:1000+exact` asks the game's own solver first, and the other bot where that has no answer.

A game brings its solver as a module `ending` beside its rules:

    solve(view) -> Solved | None    how likely each action should be; None where the rest of the game is too large
    size(view) -> str               how far away the end is, in the game's own words, for `lab/endings.py`

The solver is given the seat's view and nothing else. `solving.py` also asks what the answer is worth: a solver that is
not `equilibrium`'s says it as `utility`, of each seat.
"""

from typing import Protocol

from motherlode import engine
from motherlode.bots import random
from motherlode.game import Game, Record, Rng, below
from motherlode.games import part
from motherlode.table import Ask, Bot, Table

FINE = 1 << 30  # the resolution of a draw


class Solved(Protocol):
    """What a solver found."""

    @property
    def mix(self) -> dict[int, float]:
        """How likely each action should be; actions that are left out are never played."""


class Ending(Protocol):
    """The module `ending` of a game."""

    def solve(self, view: Record, /) -> Solved | None: ...

    def size(self, view: Record, /) -> str: ...


def ending_of(game: Game) -> Ending | None:
    """The game's own solver, if it brings one."""
    ending: Ending | None = part(game, "ending")
    return ending


def solve(ask: Ask, rng: Rng | None = None) -> int | None:
    """The action of an exact ending, or None. From a mix one is drawn; without `rng` the likeliest is taken."""
    if len(ask.legal) == 1:
        return ask.legal[0]
    ending = ending_of(ask.game)
    solved = ending.solve(ask.view) if ending else None
    if solved is None:
        return None
    mix = solved.mix
    return likeliest(mix) if rng is None or len(mix) == 1 else draw(mix, rng)


def likeliest(mix: dict[int, float]) -> int:
    return max(mix, key=lambda a: mix[a])


def draw(mix: dict[int, float], rng: Rng) -> int:
    """One of the actions, each as likely as the mix says."""
    rest = below(rng, FINE) / FINE
    for a, share in mix.items():
        rest -= share
        if rest < 0:
            return a
    return likeliest(mix)  # the shares add up to 1 only up to rounding


def bot(player: Bot) -> Bot:
    """Plays exact endings, and everything before them as `player` does."""

    def choose(ask: Ask, rng: Rng) -> int:
        a = solve(ask, rng)
        return player(ask, rng) if a is None else a

    return choose


def warm(game: Game) -> None:
    """Compile the solver of a game, or load it from the cache, by solving the last decision of a random game."""
    if ending_of(game):
        table = Table(game, seed=0)
        table.play(*[random.bot()] * table.seats)
        for s in reversed(table.positions[:-1]):
            legal = engine.legal(game, s) if s.turn >= 0 else []
            if legal[1:] and solve(Ask(game, s.turn, engine.view(game, s, s.turn), legal, [])) is not None:
                break
    _warm.add(game)


_warm: set[Game] = set()  # games whose solver is compiled


def is_warm(game: Game) -> bool:
    return game in _warm
