"""How the table of ways to build was found: the miner's answer against plain Python, and the equilibrium's bounds."""

from functools import cache

import numpy as np
import pytest

from motherlode.games.gold_hunting import building
from motherlode.games.gold_hunting.solve_building import Mine, Way, find, orders, ways

HEIGHTS = (9, 4, 4, 1)


def some(number: int) -> list[Way]:
    return [way for way in ways() if tuple(map(sum, way)) == HEIGHTS][:number]


@cache
def mined(left: tuple[tuple[float, Way], ...], stack: int) -> float:
    """What the best miner gets, weighted: `left` are the orders it may still be facing."""
    if not any(left[0][1]):
        return stack * sum(weight for weight, _ in left)
    values = []
    for pile in range(4):
        if not left[0][1][pile]:
            continue
        for declared in (1, 2, 3):
            value = 0.0
            for size in (1, 2, 3):
                here = tuple(
                    (weight, (*order[:pile], order[pile][:-1], *order[pile + 1 :]))
                    for weight, order in left
                    if order[pile][-1] == size
                )
                if here:
                    value += mined(here, stack + size if size == declared else min(stack, size))
            values.append(value)
    return max(values)


def test_the_miner_answers_best() -> None:
    chosen = [way for way in some(145) if len(way[0]) <= 4][:3]
    mixture = np.array([0.5, 0.3, 0.2])
    pairs = [
        (share / len(orders(way)), order) for way, share in zip(chosen, mixture, strict=True) for order in orders(way)
    ]
    got = Mine(chosen).answer(mixture) @ mixture
    assert got == pytest.approx(mined(tuple(pairs), 0), abs=1e-6)


def test_bounds_close_in_on_the_equilibrium() -> None:
    mine = Mine(some(12))
    early, late = find(mine, 20), find(mine, 400)
    assert early.least <= late.most and late.least <= early.most
    assert 0 <= late.most - late.least < early.most - early.least
    even = np.full(12, 1 / 12)
    assert late.most <= mine.answer(even) @ even


def test_there_are_as_many_ways_as_the_module_says() -> None:
    every = ways()
    assert len(every) == len(set(every)) == 13_114
    listed = {tuple(sorted(tuple(map(int, pile)) for pile in piles)) for _, piles in building.ways()}
    assert listed <= {tuple(sorted(way)) for way in every}
