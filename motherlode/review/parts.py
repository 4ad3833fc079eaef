"""Where a result came from: deal + chance + own decisions + the others' decisions = result, for every seat.

A part is what the position was worth after it minus what it was worth before (`values`), so the parts always add up.
Before chance acts, a position is worth what it will be on average: exactly, where the outcomes can be listed, and else
by a sample that is drawn without looking at what came. The deal and the other chance are therefore 0 on average,
whoever plays and however good the values are.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from motherlode import engine
from motherlode.game import CHANCE, OVER, Game, Record
from motherlode.review import values
from motherlode.review.values import Array


class Sums(NamedTuple):
    """What a game brought a seat, in its chance to win or in points."""

    start: float  # what the seat was worth before the deal
    deal: float
    chance: float
    own: float
    others: float
    result: float  # deal + chance + own + others: the end minus the start
    final: float


class Parts(NamedTuple):
    seat: int
    wins: Sums
    points: Sums


class Course:
    """A finished game, judged at every place where something could have gone otherwise."""

    def __init__(self, game: Game, positions: Sequence[Record]) -> None:
        self.game, self.positions = game, positions
        self.seats = int(positions[0].seats)
        turns = [int(s.turn) for s in positions]
        # A place is where a seat is to act or the game is over, or where chance begins to act.
        self.places = [k for k, turn in enumerate(turns) if turn != CHANCE or k == 0 or turns[k - 1] != CHANCE]
        self.actors = [turns[k] for k in self.places]

    @cached_property
    def values(self) -> Array:
        """By place, the chance to win and the points of every seat: places × 2 × seats."""
        found = np.zeros((len(self.places), 2, self.seats))
        records = values.as_records(self.game, [self.positions[k] for k in self.places])
        is_chance = np.array(self.actors) == CHANCE
        if is_chance[0]:
            found[0] = values.start(self.game, self.positions[0])
            is_chance[0] = False
        for which, judge in ((is_chance, values.before_chance), (np.array(self.actors) != CHANCE, values.of_records)):
            worth = judge(self.game, records[which])
            found[which, 0], found[which, 1] = worth
        return found

    def parts(self) -> list[Parts]:
        """What the game brought every seat."""
        gains = np.diff(self.values, axis=0)
        actors = np.array(self.actors[:-1])
        first = next(i for i, actor in enumerate(self.actors) if actor != CHANCE)
        is_deal = np.arange(len(actors)) < first
        found = []
        for seat in range(self.seats):
            sums = []
            for what in range(2):
                own, total = gains[:, what, seat], self.values[:, what, seat]
                deal, chance = own[is_deal].sum(), own[(actors == CHANCE) & ~is_deal].sum()
                mine, theirs = own[actors == seat].sum(), own[(actors != CHANCE) & (actors != seat)].sum()
                sums.append(Sums(total[0], deal, chance, mine, theirs, total[-1] - total[0], total[-1]))
            found.append(Parts(seat, *(Sums(*map(float, each)) for each in sums)))
        return found


def parts(game: Game, positions: Sequence[Record]) -> list[Parts]:
    """What a finished game brought every seat; its positions from the opening to the end say it all."""
    if positions[-1].turn != OVER:
        raise engine.Refusal("the game is not over: a running game is never reviewed")
    return Course(game, positions).parts()
