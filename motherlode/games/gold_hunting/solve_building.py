"""How to build in Gold Hunting, found by self-play: `python -m motherlode.games.gold_hunting.solve_building`.

A builder chooses among all 13,114 ways to build, not counting the order of piles. A miner who knows how likely each way
is, and sees the heights, lifts all ten pieces so as to maximise the expected stack. This is exact: what the miner can
come to know is a graph, and the best call at each of its nodes, for each stack, is computed from the last lifts back.
The builder wants that stack small. Both learn from each other: the miner answers the builder's present mix, the builder
weights each way by exp(-rate × loss) against the answers so far, and the average of its mixes approaches an
equilibrium. The distance is known: the miner's best against the average is an upper bound, the builder's best against
all answers a lower bound. The heights are open, so each choice of heights is a game of its own; the mix of the best
choice becomes the table that `building.py` plays from. Markers are ignored. Nothing is random: the result is always the
same.
"""

from collections.abc import Callable, Iterator
from itertools import permutations, product
from math import sqrt
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode.compiled import build
from motherlode.game import HIDDEN

from .building import TABLE
from .ending import Pile, towers
from .rules import SET

ROUNDS, MORE_ROUNDS = 150, 3000  # of each choice of heights, and of the best
GOLD = 18
FINE = 1000  # the weight of the likeliest way; the rarest has 1
Array = np.ndarray[Any, Any]
Way = tuple[Pile, ...]


def ways() -> list[Way]:
    """Every way to build four piles, higher ones first."""

    def stack(piles: int, left: tuple[int, ...], most: tuple[int, Pile]) -> Iterator[Way]:
        if piles == 0 and not any(left):
            yield ()
        for pile, rest in towers(left, HIDDEN) if piles else ():
            if (sum(pile), pile) <= most and sum(rest) >= piles - 1:
                for others in stack(piles - 1, rest, (sum(pile), pile)):
                    yield (pile, *others)

    return list(stack(4, SET, (GOLD, ())))


def orders(way: Way) -> list[Way]:
    """The orders of its piles with higher ones first: the miner sees no difference between them."""
    return sorted({order for order in permutations(way) if [sum(p) for p in order] == [sum(p) for p in way]})


class Mine:
    """All that a miner can come to know, as a graph: `child[state, pile, size - 1]`, or -1 where there is none.

    Children have lower numbers than their parents. `root` is the first state of an order of a way, `end` the last.
    """

    def __init__(self, chosen: list[Way]) -> None:
        built = [(k, order) for k, way in enumerate(chosen) for order in orders(way)]
        self.way = np.array([k for k, _ in built])
        self.share = 1 / np.bincount(self.way)[self.way]
        keys = {known(order, lifted): sum(lifted) for _, order in built for lifted in cuts(order)}
        number = {key: i for i, key in enumerate(sorted(keys, key=lambda key: -keys[key]))}
        self.child = np.full((len(number), 4, 3), -1, np.int32)
        self.end, self.root = np.zeros((2, len(built)), np.int32)
        self.pieces = np.zeros((len(built), 4, 7), np.int8)  # from the top
        for i, (_, order) in enumerate(built):
            self.root[i] = number[known(order, (0, 0, 0, 0))]
            self.end[i] = number[known(order, tuple(map(len, order)))]
            for p, pile in enumerate(order):
                self.pieces[i, p, : len(pile)] = pile[::-1]
            for lifted in cuts(order):
                here = number[known(order, lifted)]
                for p, n in enumerate(lifted):
                    if n < len(order[p]):
                        more = (*lifted[:p], n + 1, *lifted[p + 1 :])
                        self.child[here, p, order[p][-1 - n] - 1] = number[known(order, more)]
        self.worth = np.zeros((len(number), GOLD + 1))
        self.call = np.zeros((len(number), GOLD + 1), np.int8)

    def answer(self, mixture: Array) -> Array:
        """The stack that a miner who knows the mixture ends with, for each way."""
        self.worth[:] = 0
        weights = (mixture[self.way] + 1e-12) * self.share  # so that ways that are never built are mined sensibly too
        self.worth[self.end] = weights[:, None] * np.arange(GOLD + 1)
        loops = build(programs)
        loops.answer(self.child, self.worth, self.call)
        stacks = np.zeros(len(self.way))
        loops.follow(self.child, self.call, self.root, self.pieces, stacks)
        return np.bincount(self.way, stacks * self.share)


def cuts(order: Way) -> Iterator[tuple[int, ...]]:
    return product(*(range(len(pile) + 1) for pile in order))


def known(order: Way, lifted: tuple[int, ...]) -> tuple[Any, ...]:
    """What a miner knows after these numbers of lifts: the heights, and the pieces lifted."""
    return (*map(sum, order), *(pile[len(pile) - n :] for pile, n in zip(order, lifted, strict=True)))


def programs(inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The loops over the graph, compiled."""

    @inner
    def then(stack: int, size: int, declared: int) -> int:
        """GH-3.3, GH-3.4"""
        return stack + size if size == declared else min(stack, size)

    @entry
    def answer(child: Any, worth: Any, call: Any) -> None:
        """The best call in every state with every stack, and its worth, given the worth of the last states."""
        for s in range(len(child)):
            for stack in range(worth.shape[1]):
                best = -1.0
                for p in range(4):
                    for declared in range(1, 4):
                        value = 0.0
                        stands = False
                        for size in range(1, 4):
                            c = child[s, p, size - 1]
                            if c >= 0:
                                stands = True
                                value += worth[c, min(then(stack, size, declared), worth.shape[1] - 1)]
                        if stands and value > best:
                            best = value
                            call[s, stack] = 3 * p + declared - 1
                if best >= 0:
                    worth[s, stack] = best

    @entry
    def follow(child: Any, call: Any, root: Any, pieces: Any, stacks: Any) -> None:
        """The stack at the end of each order of a way."""
        lifted = np.zeros(4, np.int64)
        for i in range(len(root)):
            lifted[:] = 0
            s, stack = root[i], 0
            for _ in range(10):
                p, declared = call[s, stack] // 3, call[s, stack] % 3 + 1
                size = pieces[i, p, lifted[p]]
                lifted[p] += 1
                s, stack = child[s, p, size - 1], then(stack, size, declared)
            stacks[i] = stack

    return SimpleNamespace(answer=answer, follow=follow)


class Found(NamedTuple):
    """How likely each way should be, and the gold a miner then gets: at least, and at most."""

    mixture: Array
    least: float
    most: float


def find(mine: Mine, rounds: int) -> Found:
    number = int(mine.way[-1]) + 1
    lost, total = np.zeros((2, number))
    for t in range(1, rounds + 1):
        mixture = np.exp((lost.min() - lost) / sqrt(t))
        mixture /= mixture.sum()
        total += t * mixture
        lost += mine.answer(mixture)
    average = total / total.sum()
    return Found(average, float(lost.min() / rounds), float(mine.answer(average) @ average))


def main() -> None:
    by_heights: dict[tuple[int, ...], list[Way]] = {}
    for way in ways():
        by_heights.setdefault(tuple(map(sum, way)), []).append(way)
    print("heights, ways, gold of a miner if all are as likely, and at an equilibrium: at least, at most")
    most: dict[tuple[int, ...], float] = {}
    for heights, some in by_heights.items():
        mine = Mine(some)
        found = find(mine, ROUNDS)
        most[heights] = found.most
        print(*heights, f"{len(some):>5}{mine.answer(np.full(len(some), 1 / len(some))).mean():>8.2f}", end="")
        print(f"{found.least:>8.2f}{found.most:>7.2f}", flush=True)
    best = min(most, key=lambda heights: most[heights])
    some, mine = by_heights[best], Mine(by_heights[best])
    found = find(mine, MORE_ROUNDS)
    table = np.round(FINE * found.mixture / found.mixture.max())
    lines = [
        f"{weight:.0f} {' '.join(''.join(map(str, pile)) for pile in way)}"
        for weight, way in sorted(zip(table, some, strict=True), reverse=True)
        if weight
    ]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("best:", *best, f"{found.least:.3f} {found.most:.3f}; the table of {len(lines)} ways", end=" ")
    print(f"{mine.answer(table / table.sum()) @ table / table.sum():.3f}")


if __name__ == "__main__":
    main()
