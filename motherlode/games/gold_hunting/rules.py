"""Gold Hunting: two miners lift the tops of each other's secret piles. Read it beside its sheet, `sheet.md`.

Chance hands out the MARKERS, seat 0 and then seat 1 do their BUILDING behind the screen, and the rest is MINING, one
lift a turn; after a break-down the miner may be asked about TAKING the piece. With accidents, chance decides after a
lift whether the range stands (ACCIDENT); if not, its owner does the REBUILDING. A range is built of its pieces in
`unbuilt`; those in `left` are not lifted yet, which is open.
"""

from collections.abc import Sequence
from itertools import product
from math import factorial, prod

import numpy as np

from motherlode.data import Data
from motherlode.game import (
    CHANCE,
    HIDDEN,
    OVER,
    UNSEEN,
    Actions,
    Arg,
    Bits,
    Field,
    Kind,
    Numbers,
    Option,
    Record,
    Rng,
    Source,
    below,
    count,
    nth,
    record,
    rule,
    words,
)

NAME = "gold_hunting"
TITLE = "Gold Hunting"
CREDIT = "Naotaka Shimamoto, itten 2021"
RULES = 2
OLDEST_RULES = 1
SEATS = (2,)
OPTIONS = (
    Option("heights", ("open", "hidden"), "GH-2.2", "whether the heights of piles are open"),
    Option("breakdown", (2, 3), "GH-3.4", "the least stack, in gold, that can break down"),
    Option("accident", (0, *range(2, 101)), "GH-4.1", "a range falls after one lift in this many; 0 is never"),
    Option(
        "taking",
        ("asked",),
        "GH-3.4",
        "whether to take the piece of a break-down is asked under breakdown=3",
        since=2,
        was="always",
        retired=("always",),
    ),
)

SIZES = ("1", "2", "3")  # a piece is its size in gold
PILES = ("0", "1", "2", "3")

# The three sizes with their markers are not in the table: the rules are made of them. There is always room for four
# piles; with fewer, the others stay empty.
DATA = Data(__name__)
SET = DATA.numbers("pieces", (4, 4, 2), 0, 6, "GH-1.1", "a player's pieces of 1, of 2 and of 3 gold")
BUILT = DATA.number("piles", 4, 1, 4, "GH-2.1", "how many piles a player's pieces are built into")
RUSH_POINTS = DATA.number("rush_points", 2, 0, 20, "GH-3.5", "points for a successful Gold Rush")
KEPT_PER_POINT = DATA.number("kept_per_point", 2, 1, 10, "GH-5.1", "how much kept gold is worth a point")

PIECES = sum(SET)
DATA.require(
    BUILT <= PIECES <= 12 + BUILT,
    "GH-2.1",
    f"a range of {BUILT} piles is built of {BUILT} to {12 + BUILT} pieces, not of {PIECES}",
)
# Placed, lifted, kept, and all but one, all but two, … pieces of each range rebuilt; at most all lifted pieces but a
# seat's first are taken or left after a break-down.
ASKED_AT_MOST = 2 * (PIECES - 1)
LENGTH = 2 * PIECES + 2 * PIECES + 2 + 2 * (PIECES * (PIECES - 1) // 2) + ASKED_AT_MOST
# A pile has all pieces but one for each of the others.
LARGEST = sorted(size for size, number in enumerate(SET, 1) for _ in range(number))[BUILT - 1 :][::-1]
GOLD = SET[0] + 2 * SET[1] + 3 * SET[2]
TALLEST = sum(LARGEST)  # gold in one pile
FULLEST = int("".join(map(str, LARGEST)))  # as `pile` has it
EVERY_MARKER = 0b1110
# A pile's contents are none to all of the 2s with none to all of the 3s, as one number; its height then gives the 1s.
PER_TWO = SET[2] + 1
CONTENTS = (SET[1] + 1) * PER_TWO

MARKERS, BUILDING, MINING, TAKING, ACCIDENT, REBUILDING, END = range(7)
PHASES = ("markers", "building", "mining", "taking", "accident", "rebuilding", "end")
ASKED = 0  # of `taking`
UNUSED, UP, FAILED, KEPT = range(4)
USES = ("unused", "up", "failed", "kept")
PIECE, NUMBER, ENDED, HEIGHTS = 0, 1, 2, 3  # places of `shown`

# Fields of 6 count pieces: the 1s, 2s and 3s of seat 0, then of seat 1. Fields of 8 are piles 0…3 of seat 0, then of 1.
FIELDS = (
    Field("turn", OVER, 1, 0, "who is to act"),
    Field("seats", 2, 2, 0, "number of players"),
    *(option.field() for option in OPTIONS),
    Field(
        "shown",
        0,
        max(TALLEST, 3),
        11,
        "what the last decision showed to all: the piece lifted; the marker of a Gold Rush; 1 if that pile is gone or, "
        "of two ranges to be built, one is done, 2 if the screen has gone; then the heights that this laid open",
    ),
    words("phase", PHASES, 0, "what is to be decided"),
    Field(
        "pile",
        0,
        FULLEST,
        8,
        "the pieces of a pile as digits, from the bottom up; 0 does not stand",
        blank=True,
        by_seat=True,
        largest_digit=3,
    ),
    Field("height", 0, TALLEST, 8, "gold in a pile", blank=True, by_seat=True),
    Field("unbuilt", 0, max(SET), 6, "pieces of a range not built in yet, or knocked over", blank=True, by_seat=True),
    Field("left", 0, max(SET), 6, "pieces of a range not lifted yet, standing or unbuilt", by_seat=True),
    Field("stack", 0, max(SET), 6, "pieces in the stack of a seat", by_seat=True),
    Field("kept", 0, max(SET), 6, "pieces a seat has kept", by_seat=True),
    Field("box", 0, 2 * max(SET), 3, "pieces in the box"),
    Field("lifted", 0, 3, 0, "the piece of a break-down while it is asked whether to take it, else 0"),
    Field("marker", 1, 3, 2, "the Gold Rush marker a seat has drawn", blank=True, by_seat=True),
    words("used", USES, 2, "what became of a seat's marker", by_seat=True),
)

RECORD = record(FIELDS)

SIZE, PILE = Arg("size", SIZES), Arg("pile", PILES)
ACTIONS = Actions(
    Kind("place", (SIZE, PILE), "GH-2.1"),
    Kind("mine", (SIZE, PILE), "GH-3.2"),
    Kind("rush", (PILE,), "GH-3.5"),
    Kind("keep", (), "GH-3.6"),
    Kind("take", (), "GH-3.4"),
    Kind("leave", (), "GH-3.4"),
)
PLACE, MINE, RUSH, KEEP, TAKE, LEAVE = ACTIONS.first
OUTCOMES = Actions(
    Kind("marker", (Arg("number", SIZES),), "GH-1.2"),
    Kind("stand", (), "GH-4.1"),
    Kind("fall", (), "GH-4.1"),
)
MARKER, STAND, FALL = OUTCOMES.first
EACH_SIZE = 0b0001_0001_0001  # times a set of piles: these piles with every size


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    s.turn = CHANCE
    s.phase = MARKERS
    for x in range(2):
        s.marker[x] = UNSEEN
        for i in range(3):
            s.unbuilt[3 * x + i] = SET[i]
            s.left[3 * x + i] = SET[i]


@rule
def pieces(counts: Bits, x: int) -> int:
    """How many pieces of seat x a field of 6 counts."""
    return counts[3 * x] + counts[3 * x + 1] + counts[3 * x + 2]


@rule
def gold(counts: Numbers, x: int) -> int:
    """How much gold they are."""
    return counts[3 * x] + 2 * counts[3 * x + 1] + 3 * counts[3 * x + 2]


@rule
def standing(s: Record, x: int) -> int:
    """The piles of seat x that stand, as bits."""
    piles = 0
    for pile in range(4):
        if s.pile[4 * x + pile] != 0:
            piles |= 1 << pile
    return piles


@rule
def ground(s: Record, x: int) -> int:
    """The piles of seat x that there is to build, as bits: GH-2.1 four, GH-4.1 fewer for fewer pieces."""
    return (1 << min(BUILT, pieces(s.left, x))) - 1


@rule
def sites(s: Record) -> int:
    """Where the builder may place a piece, as bits: no pile stays empty."""
    piles = ground(s, s.turn)
    empty = piles & ~standing(s, s.turn)
    return piles if pieces(s.unbuilt, s.turn) > count(empty) else empty


@rule
def unseen_markers(s: Record) -> int:
    """Markers that nobody has seen (in a view: the seat), bit n for number n."""
    free = EVERY_MARKER
    for x in range(2):
        if s.marker[x] > 0:
            free &= ~(1 << s.marker[x])
    return free


@rule
def legal(s: Record, bits: Bits) -> int:
    options = 0
    if s.phase == MINING:
        piles = standing(s, 1 - s.turn)
        options = (piles * EACH_SIZE) << MINE  # GH-3.2
        if s.used[s.turn] == UNUSED:  # GH-3.7
            options |= piles << RUSH
            if gold(s.stack, s.turn) > 0:
                options |= 1 << KEEP  # GH-3.6
    elif s.phase == BUILDING or s.phase == REBUILDING:
        piles = sites(s)
        for i in range(3):
            if s.unbuilt[3 * s.turn + i] > 0:
                options |= piles << (PLACE + 4 * i)
    elif s.phase == MARKERS:
        options = (unseen_markers(s) >> 1) << MARKER
    elif s.phase == ACCIDENT:
        options = 1 << STAND | 1 << FALL
    elif s.phase == TAKING:
        options = 1 << TAKE | 1 << LEAVE
    bits[0] = options
    return count(options)


@rule
def odds(s: Record, a: int) -> int:
    return s.accident - 1 if a == STAND else 1


@rule
def draw(s: Record, rng: Rng) -> int:
    if s.phase == ACCIDENT:
        return FALL if below(rng, s.accident) == 0 else STAND
    free = unseen_markers(s)
    return MARKER + nth(free, below(rng, count(free))) - 1


@rule
def receiver(s: Record) -> int:
    """Who draws the next marker."""
    return 0 if s.marker[0] == UNSEEN else 1


@rule
def owner(s: Record) -> int:
    """Whose range chance may knock over, the one last lifted from; it is also the owner's turn next."""
    return 1 if pieces(s.left, 1) < pieces(s.left, 0) else 0


@rule
def apply(s: Record, a: int) -> None:
    if s.turn != CHANCE:
        clear_shown(s)
    if s.phase == MINING:
        if a < RUSH:
            lift(s, (a - MINE) // 4 + 1, (a - MINE) % 4)
        elif a < KEEP:
            rush(s, a - RUSH)
        else:
            keep(s)
    elif s.phase == BUILDING or s.phase == REBUILDING:
        build(s, s.turn, (a - PLACE) // 4 + 1, (a - PLACE) % 4)
        s.shown[ENDED] = s.turn if s.phase == BUILDING else 0  # the same at every step
        if pieces(s.unbuilt, s.turn) == 0:
            finish(s)
    elif s.phase == MARKERS:
        s.marker[receiver(s)] = a - MARKER + 1
        if s.marker[1] != UNSEEN:
            s.phase = BUILDING
            s.turn = 0
    elif s.phase == TAKING:
        take(s, a == TAKE)
    else:
        s.turn = owner(s)
        s.phase = MINING
        if a == FALL:
            clear_shown(s)  # now, so that the first piece rebuilt does not
            s.phase = REBUILDING
            take_apart(s, s.turn)


@rule
def clear_shown(s: Record) -> None:
    for i in range(11):
        s.shown[i] = 0


@rule
def build(s: Record, x: int, size: int, pile: int) -> None:
    at = 4 * x + pile
    s.pile[at] = 10 * s.pile[at] + size
    s.height[at] += size
    s.unbuilt[3 * x + size - 1] -= 1


@rule
def finish(s: Record) -> None:
    """The last piece is built in: the other one builds, or the screen goes (GH-2.2)."""
    if s.phase == BUILDING and s.turn == 0:
        s.shown[ENDED] = 1
        s.turn = 1
        return
    if s.phase == BUILDING:
        s.turn = 0  # GH-3.1
    s.phase = MINING
    s.shown[ENDED] = 2
    if s.heights == 0:
        for at in range(8):
            s.shown[HEIGHTS + at] = s.height[at]


@rule
def lift(s: Record, declared: int, pile: int) -> None:
    x, at = s.turn, 4 * (1 - s.turn) + pile
    size = s.pile[at] % 10
    s.pile[at] //= 10
    s.height[at] -= size
    s.left[3 * (1 - x) + size - 1] -= 1
    s.shown[PIECE] = size
    if s.pile[at] == 0:
        s.shown[ENDED] = 1
    if size != declared:
        stack = gold(s.stack, x)
        if size < stack and stack >= s.breakdown:  # GH-3.4
            for i in range(3):
                s.box[i] += s.stack[3 * x + i]
                s.stack[3 * x + i] = 0
            if s.breakdown > 2 and s.taking == ASKED:
                s.lifted = size
                s.phase = TAKING
                return
            s.stack[3 * x + size - 1] = 1
        else:
            s.box[size - 1] += 1
    else:
        s.stack[3 * x + size - 1] += 1  # GH-3.3
    end_turn(s)


@rule
def take(s: Record, is_taken: bool) -> None:
    """GH-3.4: the piece of a break-down is the new stack, or goes to the box."""
    if is_taken:
        s.stack[3 * s.turn + s.lifted - 1] = 1
    else:
        s.box[s.lifted - 1] += 1
    s.lifted = 0
    s.phase = MINING
    end_turn(s)


@rule
def end_turn(s: Record) -> None:
    x = s.turn
    if pieces(s.left, 0) + pieces(s.left, 1) == 0:
        s.turn = OVER  # GH-5.1
        s.phase = END
    elif s.accident > 0 and pieces(s.left, 1 - x) > 0:
        s.turn = CHANCE  # GH-4.1
        s.phase = ACCIDENT
    else:
        s.turn = 1 - x


@rule
def rush(s: Record, pile: int) -> None:
    """GH-3.5: the marker is the declaration."""
    number = s.marker[s.turn]
    is_right = s.pile[4 * (1 - s.turn) + pile] % 10 == number
    s.used[s.turn] = UP if is_right else FAILED
    s.shown[NUMBER] = number
    lift(s, number, pile)


@rule
def keep(s: Record) -> None:
    s.used[s.turn] = KEPT
    for at in range(3 * s.turn, 3 * s.turn + 3):
        s.kept[at] = s.stack[at]
        s.stack[at] = 0


@rule
def take_apart(s: Record, x: int) -> None:
    for at in range(4 * x, 4 * x + 4):
        s.pile[at] = 0
        s.height[at] = 0
    for at in range(3 * x, 3 * x + 3):
        s.unbuilt[at] = s.left[at]


@rule
def is_screened(s: Record, x: int) -> bool:
    """Whether the screen stands before the range of seat x."""
    return s.phase == BUILDING or (s.phase == REBUILDING and x == s.turn)


@rule
def hide(s: Record, seat: int) -> None:
    for x in range(2):
        if x != seat:
            screened = is_screened(s, x)  # GH-2.2: then nothing shows, not even how far it is
            for at in range(4 * x, 4 * x + 4):
                if screened or s.pile[at] != 0:
                    s.pile[at] = HIDDEN
                    if screened or s.heights != 0:
                        s.height[at] = HIDDEN
            if screened:
                for at in range(3 * x, 3 * x + 3):
                    s.unbuilt[at] = HIDDEN
            if s.marker[x] != UNSEEN and (s.used[x] == UNUSED or s.used[x] == KEPT):
                s.marker[x] = HIDDEN


@rule
def told(s: Record, a: int, seat: int) -> int:
    if s.phase == MARKERS:
        return HIDDEN if receiver(s) != seat else a
    if s.phase == BUILDING or s.phase == REBUILDING:
        return HIDDEN if s.turn != seat else a
    return a


@rule
def guess(s: Record, seat: int, rng: Rng) -> None:
    """Markers as they are drawn; ranges uniform over the distinct arrangements that agree with what is open.

    How far a range is that is being built is not open: it is taken not to be begun.
    """
    free = unseen_markers(s)
    for x in range(2):
        if s.marker[x] == HIDDEN:
            s.marker[x] = nth(free, below(rng, count(free)))
            free &= ~(1 << s.marker[x])
        if x != seat:
            piles = ground(s, x) if is_screened(s, x) else standing(s, x)
            is_unbuilt = is_screened(s, x) and not (s.phase == BUILDING and x < s.turn)
            is_open = True
            for at in range(4 * x, 4 * x + 4):
                is_open = is_open and s.height[at] != HIDDEN
            if is_open and piles != 0:
                share_out(s, x, rng)
            elif piles != 0:
                take_apart(s, x)
                if not is_unbuilt:
                    shuffle(s, x, piles, rng)


@rule
def pick(ones: int, twos: int, threes: int, rng: Rng) -> int:
    """The size of one of these pieces, drawn by its count."""
    k = below(rng, ones + twos + threes)
    return 1 if k < ones else 2 if k < ones + twos else 3


@rule
def shuffle(s: Record, x: int, piles: int, rng: Rng) -> None:
    """Build any sequence of the pieces, cut anywhere into these piles."""
    rest = pieces(s.unbuilt, x)
    cuts = count(piles)
    for pile in range(4):
        more = (piles >> pile) & 1 == 1
        cuts -= 1 if more else 0
        while more:
            size = pick(s.unbuilt[3 * x], s.unbuilt[3 * x + 1], s.unbuilt[3 * x + 2], rng)
            build(s, x, size, pile)
            rest -= 1
            more = rest > 0 and below(rng, rest) >= cuts  # `cuts` of the `rest` gaps to come


# Ways to order the pieces of two piles, by their heights and by the 2s and 3s in both together; a pile alone has an
# empty one beside it. 2s and 3s are one number, PER_TWO * twos + threes: these add up, as there are fewer 3s than that.


def count_ways() -> "np.ndarray[tuple[int, ...], np.dtype[np.int16 | np.int32]]":
    ways = np.zeros((TALLEST + 1, TALLEST + 1, CONTENTS), np.int64)
    for both in product(*(range(n + 1) for n in SET)):
        for one in product(*(range(n + 1) for n in both)):
            other = tuple(n - m for n, m in zip(both, one, strict=True))
            h, k = gold(one, 0), gold(other, 0)
            if max(h, k) <= TALLEST:
                ways[h, k, PER_TWO * both[1] + both[2]] += count_orders(one) * count_orders(other)
    return ways.reshape(-1).astype(np.int16 if ways.max() < 1 << 15 else np.int32)


def count_orders(counts: tuple[int, ...]) -> int:
    return factorial(sum(counts)) // prod(factorial(n) for n in counts)


WAYS = count_ways()


@rule
def ways_of(height: int, beside: int) -> int:
    """Where in WAYS the ways of two piles begin."""
    return (height * (TALLEST + 1) + beside) * CONTENTS


@rule
def share(ours: int, theirs: int, both: int, rng: Rng) -> int:
    """Of the 2s and 3s in `both` draw those in the piles `ours`, by the ways to order these and the piles `theirs`."""
    total = 0
    for twos in range(both // PER_TWO + 1):
        for threes in range(both % PER_TWO + 1):
            mine = PER_TWO * twos + threes
            total += int(WAYS[ours + mine]) * int(WAYS[theirs + both - mine])
    k = below(rng, total)
    for twos in range(both // PER_TWO + 1):
        for threes in range(both % PER_TWO + 1):
            mine = PER_TWO * twos + threes
            k -= int(WAYS[ours + mine]) * int(WAYS[theirs + both - mine])
            if k < 0:
                return mine
    return both


@rule
def share_out(s: Record, x: int, rng: Rng) -> None:
    """Build any arrangement of these heights: how many 2s and 3s are in two of the piles, in each, then their order."""
    h, i, j, k = s.height[4 * x], s.height[4 * x + 1], s.height[4 * x + 2], s.height[4 * x + 3]
    every = PER_TWO * s.left[3 * x + 1] + s.left[3 * x + 2]
    half = share(ways_of(h, i), ways_of(j, k), every, rng)
    first = share(ways_of(h, 0), ways_of(i, 0), half, rng)
    third = share(ways_of(j, 0), ways_of(k, 0), every - half, rng)
    take_apart(s, x)
    fill(s, x, 0, h, first, rng)
    fill(s, x, 1, i, half - first, rng)
    fill(s, x, 2, j, third, rng)
    fill(s, x, 3, k, every - half - third, rng)


@rule
def fill(s: Record, x: int, pile: int, height: int, content: int, rng: Rng) -> None:
    twos, threes = content // PER_TWO, content % PER_TWO
    ones = height - 2 * twos - 3 * threes
    while ones + twos + threes > 0:
        size = pick(ones, twos, threes, rng)
        ones -= 1 if size == 1 else 0
        twos -= 1 if size == 2 else 0
        threes -= 1 if size == 3 else 0
        build(s, x, size, pile)


@rule
def score(s: Record, out: Bits) -> None:
    for x in range(2):
        out[x] = points(s, x)


@rule
def points(s: Record, x: int) -> int:
    """GH-5.1"""
    return gold(s.stack, x) + gold(s.kept, x) // KEPT_PER_POINT + (RUSH_POINTS if s.used[x] == UP else 0)


@rule
def rank(s: Record, x: int) -> int:
    """GH-5.2: points, then 3s, then 2s; there are fewer than ten of a size."""
    twos, threes = s.stack[3 * x + 1] + s.kept[3 * x + 1], s.stack[3 * x + 2] + s.kept[3 * x + 2]
    return 100 * points(s, x) + 10 * threes + twos


@rule
def winners(s: Record) -> int:
    lead = rank(s, 0) - rank(s, 1)
    return 1 if lead > 0 else 2 if lead < 0 else 3


def source(s: Record) -> Source:
    """The markers are a deck; whether the n-th lift knocks a range over is a deck of its own, n."""
    if s.phase == MARKERS:
        return Source(0, receiver(s), MARKER)
    return Source(2 * PIECES - pieces(s.left, 0) - pieces(s.left, 1), 0, STAND)


def decides_early(s: Record, seat: int, actions: Sequence[int]) -> tuple[Record, int] | None:
    """GH-2.1: both build at the same time. The position for seat 1, these pieces of its own placed, while seat 0 still
    builds; and how many decisions come before its first."""
    if s.phase != BUILDING or s.turn != 0 or seat != 1:
        return None
    t = type(s).from_buffer_copy(s)
    for a in actions:
        build(t, seat, (a - PLACE) // 4 + 1, (a - PLACE) % 4)
    if pieces(t.unbuilt, seat):
        t.turn = seat
    return t, pieces(s.unbuilt, 0)
