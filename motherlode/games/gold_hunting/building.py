"""How to build in Gold Hunting: by lot from a table of good ways, the piles in any order. Mining is another bot's.

The table, `building.txt`, was found by `solve_building.py`: on each line how often, and the piles from the bottom up.
"""

from functools import cache
from itertools import permutations
from pathlib import Path

from motherlode.game import Rng, below, nth_of
from motherlode.table import Ask, Bot

from .rules import BUILDING, NAME, PLACE

TABLE = Path(__file__).with_name("building.txt")


@cache
def ways() -> list[tuple[int, list[str]]]:
    """How often, and which piles."""
    lines = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines()]
    return [(int(weight), piles) for weight, *piles in lines]


def bot(mining: Bot) -> Bot:
    """Builds by the table; all else is what another bot plays, a building begun in another way too."""

    def choose(ask: Ask, rng: Rng) -> int:
        a = place(ask, rng) if ask.game.NAME == NAME and ask.view.phase == BUILDING else None
        return mining(ask, rng) if a is None else a

    return choose


def place(ask: Ask, rng: Rng) -> int | None:
    """The next piece, or None if somebody else began in another way.

    Pile after pile is built, so a way drawn from those that agree with what stands goes on as if it had been drawn at
    the beginning.
    """
    built = [str(pile or "") for pile in ask.view.pile[4 * ask.seat : 4 * ask.seat + 4]]
    agreeing = [(weight, order) for weight, order in orders() if agrees(built, order)]
    if not agreeing:
        return None
    order = agreeing[nth_of([weight for weight, _ in agreeing], below(rng, sum(weight for weight, _ in agreeing)))][1]
    pile = next(p for p in range(4) if built[p] != order[p])
    return PLACE + 4 * (int(order[pile][len(built[pile])]) - 1) + pile


@cache
def orders() -> list[tuple[int, tuple[str, ...]]]:
    """The ways with their piles in every order."""
    return [(weight, order) for weight, piles in ways() for order in permutations(piles)]


def agrees(built: list[str], order: tuple[str, ...]) -> bool:
    """Whether this is what stands, as far as it stands: whole piles, one begun or not, and no more."""
    whole = next((p for p in range(4) if built[p] != order[p]), 4)
    return whole == 4 or (order[whole].startswith(built[whole]) and not any(built[whole + 1 :]))
