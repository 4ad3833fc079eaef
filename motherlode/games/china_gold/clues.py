"""What a network is told of a view: how the areas of every site stand, and what every dig would carry off for whom."""

from motherlode.game import Clue, Record, Words, count, lowest, rule

from .rules import (
    HALF,
    LAST_STAGE,
    MARKERS,
    NEXT,
    NORTH_AREA,
    NORTH_PIECES,
    NORTH_SHIFTS,
    SOUTH_AREA,
    SOUTH_PIECES,
    SOUTH_SHIFTS,
    lines,
    pack,
    spread,
)

LARGEST = max(count(int(north)) + count(int(south)) for north, south in zip(NORTH_AREA, SOUTH_AREA, strict=True))
MOST = 15  # gold of a dig; more counts as this
FEW = 3  # markers face down in an area that is soon finished
EACH = 16  # by way two columns of what is carried off, then by way two of what is left to be
CLUES = (
    # By site: markers face down and open gold in the area that is the observer's, then in the other's.
    Clue("areas", LARGEST, MARKERS, 4),
    # By site and way to dig from it (one marker, or in the three directions), if the throw allows it: the gold for the
    # observer, and for the other; then the gold in areas of each that the dig comes to and that are soon finished.
    Clue("digs", MOST, MARKERS, EACH),
)
DIGS = 4 * MARKERS  # the first column of the second


@rule
def area_of(s: Record, seat: int, site: int) -> tuple[int, int]:
    """The sites of the area of this seat that a site is in, as two words."""
    at = site if seat == 0 else MARKERS * (1 + s.overlay) + site
    return int(NORTH_AREA[at]), int(SOUTH_AREA[at])


@rule
def areas_left(
    s: Record, seat: int, first: int, way: int, k: int, north: int, south: int, least: int, most: int
) -> tuple[int, int]:
    """The sites of a seat's areas that a dig, which turns over `north` and `south`, leaves so many face down in."""
    site, found, found_south = first, 0, 0
    for _ in range(k):
        area, area_south = area_of(s, seat, site)
        left = count(s.north_down & area & ~north) + count(s.south_down & area_south & ~south)
        if least <= left <= most:
            found |= area
            found_south |= area_south
        site = int(NEXT[MARKERS * way + site])
    return found, found_south


@rule
def tell_dig(s: Record, me: int, first: int, way: int, k: int, out: Words, at: int) -> None:
    """CG-3.2: what a dig brings the observer and the other."""
    site, north, south = first, 0, 0
    for _ in range(k):
        if site < HALF:
            north |= 1 << site
        else:
            south |= 1 << (site - HALF)
        site = int(NEXT[MARKERS * way + site])
    gold, gold_south = s.north_open | north, s.south_open | south
    for other in range(2):
        seat = s.active ^ other
        area, area_south = areas_left(s, seat, first, way, k, north, south, 0, 0)  # CG-3.1
        out[at + int(seat != me)] = min(count(gold & area) + count(gold_south & area_south), MOST)
        gold &= ~area
        gold_south &= ~area_south
    for seat in range(2):
        area, area_south = areas_left(s, seat, first, way, k, north, south, 1, FEW)
        out[at + EACH // 2 + int(seat != me)] = min(count(gold & area) + count(gold_south & area_south), MOST)


@rule
def clues(s: Record, me: int, out: Words, at: int) -> None:
    for site in range(MARKERS):
        own = at + 4 * site
        for other in range(2):
            area, area_south = area_of(s, me ^ other, site)
            out[own + 2 * other] = count(s.north_down & area) + count(s.south_down & area_south)
            out[own + 2 * other + 1] = count(s.north_open & area) + count(s.south_open & area_south)
        for k in range(EACH):
            out[at + DIGS + EACH * site + k] = 0
    if s.turn < 0:
        return
    if s.throw == 1 or s.stage == LAST_STAGE:
        for site in range(MARKERS):
            down = s.north_down >> site if site < HALF else s.south_down >> (site - HALF)
            if down & 1 == 1:
                tell_dig(s, me, site, 0, 1, out, at + DIGS + EACH * site)
    if s.throw != 1:
        k = max(s.throw, 2)  # CG-4.2
        north = spread(s.north_down, NORTH_PIECES, NORTH_SHIFTS)
        south = spread(s.south_down, SOUTH_PIECES, SOUTH_SHIFTS)
        for way in range(3):
            begin, begin_south = lines(north, south, way, k)
            begin = pack(begin, NORTH_PIECES, NORTH_SHIFTS)
            begin_south = pack(begin_south, SOUTH_PIECES, SOUTH_SHIFTS)
            for _ in range(count(begin)):
                site = lowest(begin)
                begin &= begin - 1
                tell_dig(s, me, site, way, k, out, at + DIGS + EACH * site + 2 + 2 * way)
            for _ in range(count(begin_south)):
                site = HALF + lowest(begin_south)
                begin_south &= begin_south - 1
                tell_dig(s, me, site, way, k, out, at + DIGS + EACH * site + 2 + 2 * way)
