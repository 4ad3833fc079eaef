"""The last tricks of a deal of Goldmine, solved by `equilibrium` when few enough worlds are possible."""

import sys
from itertools import combinations, permutations

from motherlode.bots import equilibrium
from motherlode.engine import copy, view
from motherlode.game import HIDDEN, Record, count, rule

from .rules import ACT, LEAST_GOLD, LOOKING, PHASES, THROWING, TRICKS, unseen_cards, unseen_gold

THIS = sys.modules[__name__]
MOST_NODES = 2_000_000


def solve(s: Record) -> equilibrium.Solved | None:
    """An equilibrium of the rest of the deal; None before the second action of the last trick but one.

    Nor is there one for a seat that has forgotten cards played before: too many worlds would be possible.
    """
    is_early = s.trick < TRICKS - 2 or (s.trick == TRICKS - 2 and s.phase == ACT and s.left == LOOKING | THROWING)
    has_forgotten = count(s.played[0]) + count(s.played[1]) < 2 * s.trick
    return None if is_early or has_forgotten else equilibrium.solve(s.GAME, THIS, s, worlds(s), most=MOST_NODES)


def size(s: Record) -> str:
    return f"trick {s.trick + 1} {PHASES[s.phase]}"


@rule
def has_ended(s: Record, root: Record) -> bool:
    return s.deal != root.deal


def worlds(s: Record) -> list[tuple[Record, float]]:
    """All worlds that agree with the public position, equally likely as in `guess`."""
    public = view(s.GAME, s, -1)
    found = [public]
    for x in range(2):
        for field, held in (("hand", public.held), ("thrown", public.threw)):
            missing = held[x] - count(getattr(public, field)[x])
            found = [deal(t, field, x, cards) for t in found for cards in combinations(bits(unseen_cards(t)), missing)]
    places = [place for place in range(TRICKS) if public.gold[place] == HIDDEN]
    values = permutations(bits(unseen_gold(public)), len(places))
    return [(lay(t, places, row), 1.0) for row in values for t in found]


def bits(x: int) -> list[int]:
    return [i for i in range(x.bit_length()) if x >> i & 1]


def deal(s: Record, field: str, x: int, cards: tuple[int, ...]) -> Record:
    t = copy(s)
    getattr(t, field)[x] |= sum(1 << card for card in cards)
    return t


def lay(s: Record, places: list[int], row: tuple[int, ...]) -> Record:
    t = copy(s)
    for place, value in zip(places, row, strict=True):
        t.gold[place] = value + LEAST_GOLD
    return t
