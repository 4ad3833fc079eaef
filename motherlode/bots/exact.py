"""Exact endings: what can be computed is computed. `solve` is asked first, another bot where it has no answer.

    china_gold       stage 4                                last_digs     the greatest margin in gold
    mount_goldrush   the last cards                         last_cards    every seat for its own expected utility
    claimpoker       the last turns                         last_takes    every seat for its own expected utility
    goldmine         the last two tricks                    last_tricks   an equilibrium from the public position
    gold_hunting     the last lifts                         last_lifts    an equilibrium from the public position

Each of these says itself, by a cheap test, from where on. All are given the seat's view and nothing else.
"""

from motherlode import engine
from motherlode.bots import random
from motherlode.game import Game, Rng, below
from motherlode.games.china_gold import ending as last_digs
from motherlode.games.claimpoker import ending as last_takes
from motherlode.games.gold_hunting import ending as last_lifts
from motherlode.games.goldmine import ending as last_tricks
from motherlode.games.mount_goldrush import ending as last_cards
from motherlode.table import Ask, Bot, Table

SURE = {"china_gold": last_digs.solve, "mount_goldrush": last_cards.solve, "claimpoker": last_takes.solve}
MIXED = {"goldmine": last_tricks.solve, "gold_hunting": last_lifts.solve}
FINE = 1 << 30  # how finely lots are drawn


def solve(ask: Ask, rng: Rng | None = None) -> int | None:
    """The action of an exact ending, or None. Of a mixture one is drawn by lot, or the likeliest without `rng`."""
    if len(ask.legal) == 1:
        return ask.legal[0]
    name = ask.game.NAME
    if name in SURE:
        solved = SURE[name](ask.view)
        return solved.action if solved else None
    equilibrium = MIXED[name](ask.view) if name in MIXED else None
    if equilibrium is None:
        return None
    mix: list[float] = equilibrium.mix(ask.view)
    if rng is None:
        return ask.legal[mix.index(max(mix))]
    return draw(mix, ask.legal, rng)


def draw(mix: list[float], actions: list[int], rng: Rng) -> int:
    """One of the actions, each as likely as the mixture says."""
    lot = below(rng, FINE) / FINE
    for a, share in zip(actions, mix, strict=True):
        lot -= share
        if lot < 0:
            return a
    return actions[mix.index(max(mix))]  # shares add up to 1 but for rounding


def bot(before: Bot) -> Bot:
    """Plays exact endings, and before them what another bot plays."""

    def choose(ask: Ask, rng: Rng) -> int:
        a = solve(ask, rng)
        return before(ask, rng) if a is None else a

    return choose


def warm(game: Game) -> None:
    """Compile the solver of a game, or load it from the cache, by solving the last decision of some game."""
    table = Table(game, seed=0)
    table.play(*[random.bot()] * table.seats)
    for s in reversed(table.positions[:-1]):
        legal = engine.legal(game, s) if s.turn >= 0 else []
        if legal[1:] and solve(Ask(game, s.turn, engine.view(game, s, s.turn), legal, [])) is not None:
            break
    _warm.add(game.NAME)


_warm: set[str] = set()


def is_warm(game: Game) -> bool:
    return game.NAME in _warm
