"""How to build in Gold Hunting: by a way drawn from a table, with its piles in any order. Another bot does the mining.

`solve_building.py` found the table, `building.txt`: each line has a weight and the four piles, from the bottom up.
"""

from functools import cache
from itertools import permutations
from pathlib import Path

from motherlode.game import Rng, below, nth_of
from motherlode.table import Ask, Bot

from .rules import BUILDING, PLACE

TABLE = Path(__file__).with_name("building.txt")


@cache
def ways() -> list[tuple[int, list[str]]]:
    """The table: weights and piles."""
    lines = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines()]
    return [(int(weight), piles) for weight, *piles in lines]


def bot(mining: Bot) -> Bot:
    """Builds by the table. Another bot does everything else, and goes on where the building fits no way."""

    def choose(ask: Ask, rng: Rng) -> int:
        a = place(ask, rng) if ask.view.phase == BUILDING else None
        return mining(ask, rng) if a is None else a

    return choose


def place(ask: Ask, rng: Rng) -> int | None:
    """The next piece, or None if no way of the table fits what stands or the pieces there are.

    Piles are built one after the other, so drawing among the ways that fit what stands is the same as having drawn one
    at the beginning.
    """
    built = [str(pile or "") for pile in ask.view.pile[4 * ask.seat : 4 * ask.seat + 4]]
    agreeing = [(weight, order) for weight, order in orders() if agrees(built, order)]
    if not agreeing:
        return None
    order = agreeing[nth_of([weight for weight, _ in agreeing], below(rng, sum(weight for weight, _ in agreeing)))][1]
    pile = next(p for p in range(4) if built[p] != order[p])
    a = PLACE + 4 * (int(order[pile][len(built[pile])]) - 1) + pile
    return a if a in ask.legal else None


@cache
def orders() -> list[tuple[int, tuple[str, ...]]]:
    """The ways with their piles in every order."""
    return [(weight, order) for weight, piles in ways() for order in permutations(piles)]


def agrees(built: list[str], order: tuple[str, ...]) -> bool:
    """Whether what stands is the beginning of this way: whole piles, at most one begun, and nothing after it."""
    whole = next((p for p in range(4) if built[p] != order[p]), 4)
    return whole == 4 or (order[whole].startswith(built[whole]) and not any(built[whole + 1 :]))
