"""ChinaGold: two prospectors dig in lines on one hexagon of 91 sites. Read it beside its sheet, `sheet.md`.

Chance throws the tablets, then a seat digs or reburies; in stage 4 nothing is thrown any more. What a dig finishes is
carried off at once.
"""

import numpy as np

from motherlode.data import Data
from motherlode.game import (
    CHANCE,
    OVER,
    Actions,
    Arg,
    Bits,
    Field,
    Kind,
    Option,
    Record,
    Rng,
    Source,
    a_set,
    below,
    count,
    record,
    rule,
    words,
)

NAME = "china_gold"
TITLE = "ChinaGold"
CREDIT = "Günter Cornett, Bambus 2004"
RULES = 2
OLDEST_RULES = 1  # with the option `overlay` by ways to lay the rivers, and no count of throws
SEATS = (2,)
# CG-1.4: how the rivers of each board lie, mK mirrored left-right and then turned by K×60°, rK turned only.
BOARDS = {"valley": "m0", "gorge": "m1", "delta": "m2", "rapids": "r1", "cascade": "r2"}
OVERLAYS = tuple(BOARDS)
OVERLAYS_1 = ("m0", "m1", "m2", "m3", "m4", "m5", "r1", "r2", "r4", "r5")  # in records of version 1
OPTIONS = (Option("overlay", OVERLAYS, "CG-1.4", "the board: how the rivers lie on the mountains", retired=OVERLAYS_1),)

# The tablets, their sums and the stages are not in the table: how they are thrown is a rule of its own (`draw`).
DATA = Data(__name__)
# CG-1.3 [D]: the mountains, row by row, one letter an area. All else about the board is worked out from this.
MOUNTAINS = DATA.words(
    "mountains",
    (
        "AAABCC",
        "DEABFCC",
        "DEBBFGGC",
        "DEEHIFIGG",
        "DDEHHIIIGJ",
        "DEEKKHIIJJL",
        "EMKKKHHJLL",
        "MMKNKHJJL",
        "OMMNPPJL",
        "OONPQJL",
        "OOPQQQ",
    ),
    "[A-Z]{2,11}",
    "2 to 11 capital letters",
    "CG-1.3",
    "the map of a hexagon with at most six sites a side, row by row, one letter an area",
    length=(3, 11),
)
MOST_REBURIALS = DATA.number("reburials", 45, 0, 100, "CG-5.2", "how often a seat may rebury")

SIDE = len(MOUNTAINS[0])
DATA.require(
    [len(row) for row in MOUNTAINS] == [2 * SIDE - 1 - abs(r - SIDE + 1) for r in range(2 * SIDE - 1)],
    "CG-1.1",
    f"the rows of mountains must make a hexagon with equal sides: with {SIDE} sites in the first row there are "
    f"{2 * SIDE - 1} rows, of {SIDE} sites up to {2 * SIDE - 1} and back",
)
AREAS = sorted(set("".join(MOUNTAINS)))
# What people call the areas, by seat: mountains have capital letters, rivers numbers (and rows of sites small letters).
CALLED = (tuple(AREAS), tuple(str(i + 1) for i in range(len(AREAS))))
MARKERS = len("".join(MOUNTAINS))
# Every marker is turned once, and once more for each time it was reburied; a dig turns at least one.
LENGTH = MARKERS + 2 * 2 * MOST_REBURIALS

# The sites in reading order, a1 … k6, and where they lie: columns slant so that a step of a line is the same anywhere.
# With this many columns no line runs over from one row to the next without leaving the hexagon.
#
#     right       +0 +1      a1 … a6                          row 0, columns 0-5
#     down-right  +1 +1        f1 … f11                       row 5, columns 0-10
#     down-left   +1 +0               k1 … k6                 row 10, columns 5-10
MIDDLE = SIDE - 1
COLUMNS = 2 * SIDE - 1
ROWS = "abcdefghijk"[:COLUMNS]
SITES = tuple(f"{row}{i + 1}" for row, areas in zip(ROWS, MOUNTAINS, strict=True) for i in range(len(areas)))
PLACES = tuple((r, i + max(0, r - MIDDLE)) for r, areas in enumerate(MOUNTAINS) for i in range(len(areas)))
WAYS = ("right", "down-right", "down-left")
STEPS = ((0, 1), (1, 1), (1, 0))

# A set of sites is two words: NORTH has those before the middle of the hexagon and it, SOUTH those after it.
#
#     bits, packed (in the record and in actions)       cells, spread (where lines are found): 11 × row + column
#     NORTH   a1 … a6 b1 … b7 c1 …… f6    0-45          0-5 11-17 22-29 33-41 44-53 55-60
#     SOUTH   f7 … f11 g1 …… j7 k1 … k6   0-44          the same 61 later: 0-4 6-15 18-26 30-37 42-48 54-59
HALF = PLACES.index((MIDDLE, MIDDLE)) + 1
NORTH_SITES, SOUTH_SITES = SITES[:HALF], SITES[HALF:]
CELLS = tuple(COLUMNS * r + c for r, c in PLACES)
WIDTH = CELLS[HALF - 1] + 1
STRIDES = tuple(COLUMNS * r + c for r, c in STEPS)

# Each half has six pieces of rows: their packed bits, and how far these are shifted to be spread. On a smaller board
# some pieces are empty.
EMPTY = (63,) * (6 - SIDE)
NORTH_SHIFTS = (*sorted({CELLS[i] - i for i in range(HALF)}), *EMPTY)
SOUTH_SHIFTS = (*sorted({CELLS[i] - WIDTH - (i - HALF) for i in range(HALF, MARKERS)}), *EMPTY)
NORTH_PIECES = tuple(sum(1 << i for i in range(HALF) if CELLS[i] - i == shift) for shift in NORTH_SHIFTS)
SOUTH_PIECES = tuple(
    sum(1 << (i - HALF) for i in range(HALF, MARKERS) if CELLS[i] - WIDTH - (i - HALF) == shift)
    for shift in SOUTH_SHIFTS
)


def lay(mirrored: bool, turns: int) -> list[str]:
    """The letters of the mountains' map, site by site, mirrored left-right or not and then turned clockwise."""
    letters = [""] * MARKERS
    for (r, c), letter in zip(PLACES, "".join(MOUNTAINS), strict=True):
        down, right = r - MIDDLE, c - MIDDLE
        if mirrored:
            right = down - right
        for _ in range(turns):
            down, right = right, right - down
        letters[PLACES.index((down + MIDDLE, right + MIDDLE))] = letter
    return letters


# CG-1.3, CG-1.4: the mountains and then the rivers of each value of `overlay`, site by site.
MAPS = [lay(False, 0), *(lay(way[0] == "m", int(way[1])) for way in (*BOARDS.values(), *OVERLAYS_1))]


def area(letters: list[str], letter: str, first: int, stop: int) -> int:
    """An area's sites among first…stop-1, as bits."""
    return sum(1 << (i - first) for i in range(first, stop) if letters[i] == letter)


# By map and site: the sites of its area. By direction and site: the next site of a line (0 at its end, never used).
NORTH_AREA = np.array([area(letters, x, 0, HALF) for letters in MAPS for x in letters], np.int64)
SOUTH_AREA = np.array([area(letters, x, HALF, MARKERS) for letters in MAPS for x in letters], np.int64)
NEXT = np.array(
    [PLACES.index((r + y, c + x)) if (r + y, c + x) in PLACES else 0 for y, x in STEPS for r, c in PLACES], np.int64
)

LAST_STAGE = 4
SUMS = ("1", "2", "3", "4", "5")
TABLETS = ("0/1", "0/2", "1/2")
# CG-4.1, stage by stage: the tablets in use, one bit each, and the odds of the sums.
IN_USE = (0b111, 0b110, 0b101)
ODDS = (1, 2, 2, 2, 1, 1, 1, 1, 1, 0, 1, 2, 1, 0, 0)

FIELDS = (
    Field("turn", OVER, 1, 0, "who is to act"),
    Field("seats", 2, 2, 0, "number of players"),
    *(option.field() for option in OPTIONS),
    Field("shown", 0, 0, 1, "nothing: all that happens lies open"),
    words("active", ("0", "1"), 0, "the seat whose turn it is, while the tablets are thrown too", of_seats=True),
    Field("stage", 1, LAST_STAGE, 0, "the tablets thrown: 1 all, 2 all but 0/1, 3 all but 0/2, 4 none"),
    Field("throw", 0, len(SUMS), 0, "what was thrown; 0 before the throw and in stage 4"),
    Field("throws", 0, LENGTH, 0, "how often the tablets have been thrown"),
    a_set("north_down", NORTH_SITES, 0, f"sites {NORTH_SITES[0]}-{NORTH_SITES[-1]} with a marker face down"),
    a_set("south_down", SOUTH_SITES, 0, f"sites {SOUTH_SITES[0]}-{SOUTH_SITES[-1]} with a marker face down"),
    a_set("north_open", NORTH_SITES, 0, f"sites {NORTH_SITES[0]}-{NORTH_SITES[-1]} with open gold"),
    a_set("south_open", SOUTH_SITES, 0, f"sites {SOUTH_SITES[0]}-{SOUTH_SITES[-1]} with open gold"),
    Field("gold", 0, MARKERS, 2, "gold carried off", by_seat=True),
    Field("reburied", 0, MOST_REBURIALS, 2, "how often a seat has reburied", by_seat=True),
)

RECORD = record(FIELDS)

SITE = Arg("site", SITES)
ACTIONS = Actions(
    Kind("dig", (SITE,), "CG-2.2"),
    *(Kind("dig", (SITE, Arg(way, (way,))), "CG-2.2") for way in WAYS),
    Kind("rebury", (SITE,), "CG-2.3"),
)
DIG, LINE, _, _, REBURY = ACTIONS.first
OUTCOMES = Actions(Kind("throw", (Arg("sum", SUMS),), "CG-2.1"))
(THROW,) = OUTCOMES.first
ACTION_WORDS = (len(ACTIONS) + 63) // 64
IS_ROOMY = (REBURY + HALF) // 64 + 1 < ACTION_WORDS  # whether a word always follows where `add` begins


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    s.north_down = (1 << HALF) - 1
    s.south_down = (1 << (MARKERS - HALF)) - 1
    s.stage = 1
    open_turn(s)


@rule
def longest(s: Record) -> int:
    """CG-4.1: the highest sum of this stage, which lasts while there is more than one placement of it."""
    return len(SUMS) + 1 - s.stage


@rule
def spread(x: int, p: tuple[int, ...], by: tuple[int, ...]) -> int:
    """From packed bits to cells."""
    half = (x & p[0]) << by[0] | (x & p[1]) << by[1] | (x & p[2]) << by[2]
    return half | (x & p[3]) << by[3] | (x & p[4]) << by[4] | (x & p[5]) << by[5]


@rule
def pack(x: int, p: tuple[int, ...], by: tuple[int, ...]) -> int:
    """From cells to packed bits."""
    half = (x >> by[0]) & p[0] | (x >> by[1]) & p[1] | (x >> by[2]) & p[2]
    return half | (x >> by[3]) & p[3] | (x >> by[4]) & p[4] | (x >> by[5]) & p[5]


@rule
def lines(north: int, south: int, way: int, k: int) -> tuple[int, int]:
    """CG-2.2: the cells where k of these in line begin."""
    d = STRIDES[way]
    for _ in range(k - 1):
        north &= (north >> d) | ((south & ((1 << d) - 1)) << (WIDTH - d))
        south &= south >> d
    return north, south


@rule
def add(bits: Bits, first: int, some: int) -> None:
    """Add the actions `some`, numbered from `first`; what a word drops is put into the next one."""
    w, at = first >> 6, first & 63
    bits[w] |= some << at
    if IS_ROOMY or w + 1 < ACTION_WORDS:
        bits[w + 1] |= (some >> 1) >> (63 - at)


@rule
def legal(s: Record, bits: Bits) -> int:
    for w in range(ACTION_WORDS):
        bits[w] = 0
    if s.turn == CHANCE:
        bits[0] = ((1 << longest(s)) - 1) << THROW
        return longest(s)
    choices = 0
    if s.throw == 1 or s.stage == LAST_STAGE:
        add(bits, DIG, s.north_down)
        add(bits, DIG + HALF, s.south_down)
        choices += count(s.north_down) + count(s.south_down)
    if s.throw != 1:
        k = max(s.throw, 2)  # CG-4.2
        north = spread(s.north_down, NORTH_PIECES, NORTH_SHIFTS)
        south = spread(s.south_down, SOUTH_PIECES, SOUTH_SHIFTS)
        for way in range(3):
            begin, begin_south = lines(north, south, way, k)
            choices += count(begin) + count(begin_south)
            add(bits, LINE + MARKERS * way, pack(begin, NORTH_PIECES, NORTH_SHIFTS))
            add(bits, LINE + MARKERS * way + HALF, pack(begin_south, SOUTH_PIECES, SOUTH_SHIFTS))
    if s.stage < LAST_STAGE and s.reburied[s.active] < MOST_REBURIALS:  # CG-4.2, CG-5.2
        add(bits, REBURY, s.north_open)
        add(bits, REBURY + HALF, s.south_open)
        choices += count(s.north_open) + count(s.south_open)
    return choices


@rule
def odds(s: Record, a: int) -> int:
    return ODDS[len(SUMS) * (s.stage - 1) + a - THROW]


@rule
def draw(s: Record, rng: Rng) -> int:
    high = below(rng, 8) & IN_USE[s.stage - 1]  # the tablets that show their higher side
    return THROW + (high & 1) + (high & 2) + (high >> 2)


def source(s: Record) -> Source:
    """The n-th throw of a game: with the same tablets it shows the same, whatever was dug before."""
    return Source(deck=len(IN_USE) * s.throws + s.stage - 1, position=0, first=THROW)


@rule
def apply(s: Record, a: int) -> None:
    if s.turn == CHANCE:
        s.throw = a - THROW + 1
        s.throws += 1
        s.turn = s.active
        return
    if a < LINE:
        dig(s, a - DIG, 0, 1)
    elif a < REBURY:
        dig(s, (a - LINE) % MARKERS, (a - LINE) // MARKERS, max(s.throw, 2))
    else:
        s.reburied[s.active] += 1
        turn_over(s, a - REBURY)
    s.active = 1 - s.active  # CG-2.4
    open_turn(s)


@rule
def open_turn(s: Record) -> None:
    s.throw = 0
    if s.north_down | s.south_down == 0:  # CG-5.1: so nothing is open either
        s.turn = OVER
        return
    if s.stage < LAST_STAGE:
        north = spread(s.north_down, NORTH_PIECES, NORTH_SHIFTS)
        south = spread(s.south_down, SOUTH_PIECES, SOUTH_SHIFTS)
        while s.stage < LAST_STAGE and is_scarce(north, south, longest(s)):
            s.stage += 1
    s.turn = CHANCE if s.stage < LAST_STAGE else s.active


@rule
def is_scarce(north: int, south: int, k: int) -> bool:
    """CG-4.1: whether at most one placement of k is left."""
    placements = 0
    for way in range(3):
        begin, begin_south = lines(north, south, way, k)
        placements += count(begin) + count(begin_south)
        if placements > 1:
            return False
    return True


@rule
def turn_over(s: Record, site: int) -> None:
    """A face-down marker is opened, an open one put face down."""
    if site < HALF:
        s.north_down ^= 1 << site
        s.north_open ^= 1 << site
    else:
        s.south_down ^= 1 << (site - HALF)
        s.south_open ^= 1 << (site - HALF)


@rule
def dig(s: Record, first: int, way: int, k: int) -> None:
    site = first
    for _ in range(k):
        turn_over(s, site)
        site = int(NEXT[MARKERS * way + site])
    for other in range(2):  # CG-3.2
        site = first
        for _ in range(k):
            carry_off(s, s.active ^ other, site)
            site = int(NEXT[MARKERS * way + site])


@rule
def carry_off(s: Record, seat: int, site: int) -> None:
    """CG-3.1: what lies in a seat's area that this site's marker was the last of, if it was."""
    at = site if seat == 0 else MARKERS * (1 + s.overlay) + site
    north = int(NORTH_AREA[at])
    south = int(SOUTH_AREA[at])
    if s.north_down & north == 0 and s.south_down & south == 0:
        s.gold[seat] += count(s.north_open & north) + count(s.south_open & south)
        s.north_open &= ~north
        s.south_open &= ~south


@rule
def score(s: Record, out: Bits) -> None:
    out[0] = s.gold[0]
    out[1] = s.gold[1]


@rule
def winners(s: Record) -> int:
    return 1 if s.gold[0] > s.gold[1] else 2
