"""ChinaGold's stage 4, solved: no chance is left, everything is open, and more gold wins.

What is open follows from what is face down: gold lies open at a site exactly while its mountain and its river both have
markers face down. So a position is a set of sites and the seat to dig, and the table of the alpha-beta search has exact
keys. The search is a loop with a stack of its own.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode.game import Record

from .rules import AREAS, DIG, HALF, LAST_STAGE, LINE, MAPS, MARKERS, PLACES, STEPS

MARGIN_FROM, WINNER_FROM = 22, 25  # markers face down from which the greatest margin, or just a win, is found
MOST_NODES = 4_000_000  # then the search gives up: a few seconds
ENTRIES = 1 << 20  # of the table; the newest stays
LARGEST = max(MAPS[0].count(letter) for letter in AREAS)  # sites in an area
GAVE_UP = 127
NODE = ("left", "gold", "low", "high", "first_low", "best", "dug", "number", "tried", "count")


class Solved(NamedTuple):
    """A dig, and the margin that it gains from here on: exact, or a bound that shows who wins."""

    action: int
    margin: int
    utility: tuple[float, ...] = ()  # of each seat

    @property
    def mix(self) -> dict[int, float]:
        return {self.action: 1.0}


def solve(s: Record) -> Solved | None:
    """The dig with the greatest margin; with more markers one that wins if any does; None with too many."""
    if s.stage != LAST_STAGE or len(face_down(s)) > WINNER_FROM:
        return None
    behind = s.gold[1 - s.active] - s.gold[s.active]
    window = (-MARKERS, MARKERS) if len(face_down(s)) <= MARGIN_FROM else (behind, behind + 1)
    solved = search(Ending(s), s.active, *window)
    if solved is None:
        return None
    winner = s.active if solved.margin > behind else 1 - s.active
    return solved._replace(utility=(1.0, -1.0) if winner == 0 else (-1.0, 1.0))


def search(ending: "Ending", active: int, low: int, high: int) -> Solved | None:
    """Alpha-beta with this window."""
    from motherlode.compiled import build

    rows = len(ending.sites) + 1
    nodes = np.zeros(rows, np.dtype([(name, np.int64) for name in NODE]))
    margin = build(programs).search(
        (1 << len(ending.sites)) - 1, active, low, high, ending.gold, ending.dig, ending.touch, ending.down,
        ending.cross, np.full(ENTRIES, -1, np.int64), nodes, np.zeros((rows, len(ending.dig)), np.int64), MOST_NODES,
    )  # fmt: skip
    return None if margin == GAVE_UP else Solved(ending.actions[nodes[0]["dug"]], int(margin))


def size(s: Record) -> str:
    return f"{len(face_down(s))} face down"


def face_down(s: Record) -> list[int]:
    both = s.north_down | s.south_down << HALF
    return [site for site in range(MARKERS) if both >> site & 1]


class Ending:
    """A position as the search needs it: its face-down sites numbered from 0, and its digs as sets of them."""

    def __init__(self, s: Record) -> None:
        self.sites = face_down(s)
        number = {site: i for i, site in enumerate(self.sites)}
        digs: list[tuple[int, tuple[int, ...]]] = [(DIG + site, (site,)) for site in self.sites]
        for way, (y, x) in enumerate(STEPS):
            for site in self.sites:
                r, c = PLACES[site]
                beside = PLACES.index((r + y, c + x)) if (r + y, c + x) in PLACES else -1
                if beside in number:
                    digs.append((LINE + MARKERS * way + site, (site, beside)))
        self.actions = [a for a, _ in digs]
        # The areas of the mountains come first, then those of the rivers.
        maps = [MAPS[0], MAPS[1 + s.overlay]]
        area = [[AREAS.index(maps[x][site]) + len(AREAS) * x for site in range(MARKERS)] for x in (0, 1)]
        self.down = np.zeros(2 * len(AREAS), np.int64)
        for site in self.sites:
            for x in (0, 1):
                self.down[area[x][site]] |= 1 << number[site]
        # For each area: the other seat's areas in which its sites with gold lie.
        self.cross = np.full((2 * len(AREAS), LARGEST + 1), -1, np.int64)
        self.gold = 0
        for site in range(MARKERS):
            if self.down[area[0][site]] and self.down[area[1][site]]:
                self.gold += 1
                for x in (0, 1):
                    row = self.cross[area[x][site]]
                    row[list(row).index(-1)] = area[1 - x][site]
        self.dig = np.array([sum(1 << number[site] for site in dug) for _, dug in digs], np.int64)
        # By dig and seat: the one or two areas it touches.
        self.touch = np.full((len(digs), 2, 2), -1, np.int64)
        for k, (_, dug) in enumerate(digs):
            for x in (0, 1):
                for i, touched in enumerate(sorted({area[x][site] for site in dug})):
                    self.touch[k, x, i] = touched


def programs(inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The search: `entry` compiles what is called from Python, `inner` what that calls."""

    @inner
    def worth(down: Any, cross: Any, area: int, there: int) -> int:
        """The gold still in an area while the sites `there` are face down."""
        gold = 0
        for k in range(LARGEST):
            other = cross[area, k]
            if other < 0:
                break
            gold += 1 if down[other] & there != 0 else 0
        return gold

    @inner
    def gain(down: Any, cross: Any, touch: Any, seat: int, after: int, there: int) -> int:
        """What a dig gains for a seat: the gold of its areas that are now finished."""
        gold = 0
        for i in range(2):
            area = touch[seat, i]
            if area >= 0 and down[area] & after == 0:
                gold += worth(down, cross, area, there)
        return gold

    @inner
    def ripe(down: Any, cross: Any, touch: Any, seat: int, after: int) -> int:
        """The gold in a seat's areas that a dig leaves with one marker face down."""
        gold = 0
        for i in range(2):
            area = touch[seat, i]
            if area >= 0:
                rest = down[area] & after
                if rest != 0 and rest & (rest - 1) == 0:
                    gold += worth(down, cross, area, after)
        return gold

    @inner
    def place(key: int, size: int) -> int:
        """The place of a key in the table."""
        return ((key * 0x9E3779B97F4A7C1) >> 21) & (size - 1)

    @entry
    def search(
        root: int, first: int, low: int, high: int, gold: int, dig: Any, touch: Any, down: Any, cross: Any,
        table: Any, nodes: Any, digs: Any, limit: int,
    ) -> int:  # fmt: skip
        """The margin of the seat to dig: exact if it lies between low and high, else a bound.

        An entry of `table` is a key, the least and the greatest margin it can have and the best dig, in 36 + 8 + 8 + 8
        bits. `nodes` and `digs` are the stack: the open nodes, and their digs in the order they are tried.
        """
        size = len(table)
        at = 0
        node = nodes[0]
        node.left, node.gold, node.low, node.high = root, gold, low, high
        while True:
            # Open the node, unless bounds or the table settle it.
            node = nodes[at]
            left, seat = node.left, first ^ (at & 1)
            value = 0
            is_settled = left == 0
            if not is_settled:
                least, most, known = -node.gold, node.gold, -1
                key = left << 1 | seat
                entry = table[place(key, size)]
                if entry >> 24 == key:
                    least, most = max(least, (entry >> 16 & 255) - 128), min(most, (entry >> 8 & 255) - 128)
                    known = entry & 255
                is_settled = least >= node.high or most <= node.low or least == most
                value = least if least >= node.high else most
            if not is_settled:
                node.low = max(node.low, least)
                node.high = min(node.high, most)
                node.first_low = node.low
                node.best = -MARKERS
                node.dug = 0
                node.tried = 0
                nodes[0].count += 1
                if nodes[0].count > limit:
                    return GAVE_UP
                lasts = 0  # sites in areas with at most two face down: no other dig gains anything yet
                for area in range(len(down)):
                    rest = down[area] & left
                    rest2 = rest & (rest - 1)
                    if rest2 & (rest2 - 1) == 0:
                        lasts |= rest
                number = 0
                for k in range(len(dig)):
                    if dig[k] & ~left != 0:
                        continue
                    after = left & ~dig[k]
                    lead = 0
                    rank = 0
                    taken = 0
                    if dig[k] & lasts != 0:
                        own = gain(down, cross, touch[k], seat, after, left)
                        theirs = gain(down, cross, touch[k], 1 - seat, after, after)
                        lead = own - theirs
                        taken = own + theirs
                        rank = 64 * lead + 10 * ripe(down, cross, touch[k], seat, after)
                        rank -= 20 * ripe(down, cross, touch[k], 1 - seat, after)
                    key = after << 1 | (1 - seat)
                    entry = table[place(key, size)]
                    if entry >> 24 == key and lead + 128 - (entry >> 8 & 255) >= node.high:
                        node.best = lead + 128 - (entry >> 8 & 255)  # the table has a refutation
                        node.dug = k
                        number = 0
                        break
                    if k == known:
                        rank = 1 << 20
                    packed = rank << 24 | (lead + 128) << 16 | taken << 8 | k
                    i = number
                    while i > 0 and digs[at, i - 1] < packed:
                        digs[at, i] = digs[at, i - 1]
                        i -= 1
                    digs[at, i] = packed
                    number += 1
                node.number = number
            # Go on with the next dig, or close nodes until there is one.
            while True:
                if not is_settled:
                    node = nodes[at]
                    if node.tried < node.number and node.best < node.high:
                        break
                    value = node.best
                    key = node.left << 1 | (first ^ (at & 1))
                    slot = place(key, size)
                    least, most = -MARKERS, MARKERS
                    if table[slot] >> 24 == key:
                        least, most = (table[slot] >> 16 & 255) - 128, (table[slot] >> 8 & 255) - 128
                    if value > node.first_low:
                        least = value
                    if value < node.high:
                        most = value
                    table[slot] = key << 24 | (least + 128) << 16 | (most + 128) << 8 | node.dug
                is_settled = False
                if at == 0:
                    return value
                at -= 1
                node = nodes[at]
                done = digs[at, node.tried - 1]
                value = (done >> 16 & 255) - 128 - value
                if value > node.best:
                    node.best = value
                    node.dug = done & 255
                    node.low = max(node.low, value)
            following = digs[at, node.tried]
            node.tried += 1
            child = nodes[at + 1]
            lead = (following >> 16 & 255) - 128
            child.left = node.left & ~dig[following & 255]
            child.gold = node.gold - (following >> 8 & 255)
            child.low = lead - node.high
            child.high = lead - node.low
            at += 1

    return SimpleNamespace(search=search)
