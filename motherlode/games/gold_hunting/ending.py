"""The last lifts of Gold Hunting, solved by `equilibrium` when few enough worlds are possible."""

import sys
from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

from motherlode.bots import equilibrium
from motherlode.engine import copy, view
from motherlode.game import HIDDEN, Record, count, rule

from .rules import ASKED, MINING, TAKING, UNUSED, pieces, standing, unseen_markers

THIS = sys.modules[__name__]
FROM = 9  # lifts left from which it is worth counting the lines of play
MOST_NODES = 400_000
Pile = tuple[int, ...]  # the sizes of its pieces from the bottom up


def solve(s: Record) -> equilibrium.Solved | None:
    """An equilibrium of the last lifts; None with accidents, or if there are too many lines of play."""
    if s.phase not in (MINING, TAKING) or s.accident or sum(s.left) > FROM:
        return None
    found = worlds(s)
    if len(found) * lines_from(s) > MOST_NODES:
        return None
    return equilibrium.solve(s.GAME, THIS, s, found, most=2 * MOST_NODES)


def size(s: Record) -> str:
    return f"{sum(s.left)} lifts"


def lines_from(s: Record) -> int:
    """The most lines of play in one world from this position on."""
    x = s.turn if s.phase == MINING else 1 - s.turn  # who lifts next
    theirs, ours = (count(standing(s, 1 - x)), pieces(s.left, 1 - x)), (count(standing(s, x)), pieces(s.left, x))
    asks = s.breakdown > 2 and s.taking == ASKED
    found = lines(*theirs, *ours, s.used[x] == UNUSED, s.used[1 - x] == UNUSED, asks)
    return found if s.phase == MINING else 2 * found


@cache
def lines(
    piles: int, left: int, own_piles: int, own_left: int, is_unused: bool, others_is_unused: bool, asks: bool
) -> int:
    """The same for a seat that is to lift from `piles` piles of `left` pieces.

    Of the three calls two are wrong, and each of these can break the stack down; if that `asks`, there are two ways on.
    """
    if left == 0:
        return 1
    piles = min(piles, left)
    rest = (own_piles, own_left, piles, left - 1, others_is_unused)
    ways = (5 if asks else 3) * piles * lines(*rest, is_unused, asks)
    if is_unused:
        ways += ((2 if asks else 1) + 3) * piles * lines(*rest, False, asks)  # Gold Rush, or keep and mine
    return ways


@rule
def has_ended(s: Record, root: Record) -> bool:
    return False


def worlds(s: Record) -> list[tuple[Record, float]]:
    """All worlds that agree with the public position, equally likely as in `guess`."""
    public = view(s.GAME, s, -1)
    hidden = [x for x in range(2) if public.marker[x] == HIDDEN]
    free = [n for n in (1, 2, 3) if unseen_markers(public) >> n & 1]
    ranges = [list(arrangements(public, x)) for x in range(2)]
    return [
        (fill(public, both, hidden, markers), 1.0)
        for both in product(*ranges)
        for markers in permutations(free, len(hidden))
    ]


def arrangements(s: Record, x: int) -> Iterator[list[Pile]]:
    """Every way to arrange the pieces of seat x in the piles that stand, of their heights if these are open."""
    left = tuple(s.left[3 * x : 3 * x + 3])
    piles = [pile for pile in range(4) if standing(s, x) >> pile & 1]
    heights = [s.height[4 * x + pile] for pile in piles]

    def build(at: int, left: tuple[int, ...]) -> Iterator[list[Pile]]:
        if at == len(piles):
            if not any(left):
                yield []
            return
        for pile, rest in towers(left, heights[at]):
            for others in build(at + 1, rest):
                yield [pile, *others]

    for built in build(0, left):
        by_place = dict(zip(piles, built, strict=True))
        yield [by_place.get(pile, ()) for pile in range(4)]


def towers(left: tuple[int, ...], height: int) -> Iterator[tuple[Pile, tuple[int, ...]]]:
    """Every pile of this height (of any height if HIDDEN) that these pieces make, and the pieces left over."""
    for i, n in enumerate(left):
        size = i + 1
        if not n or (height != HIDDEN and size > height):
            continue
        rest = (*left[:i], n - 1, *left[i + 1 :])
        if height in (HIDDEN, size):
            yield (size,), rest
        if height != size:
            for pile, over in towers(rest, height if height == HIDDEN else height - size):
                yield (size, *pile), over


def fill(s: Record, ranges: tuple[list[Pile], ...], hidden: list[int], markers: tuple[int, ...]) -> Record:
    t = copy(s)
    for x, piles in enumerate(ranges):
        for pile, sizes in enumerate(piles):
            t.pile[4 * x + pile] = int("".join(map(str, sizes)) or "0")
            t.height[4 * x + pile] = sum(sizes)
    for x, marker in zip(hidden, markers, strict=True):
        t.marker[x] = marker
    return t
