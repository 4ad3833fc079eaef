"""Gold Hunting in words, and what its board draws: plain Python that reads a view."""

from functools import cache

from motherlode.game import HIDDEN, UNSEEN, Bits, Event, Record, TurnedUp, event

from .events import EVENTS, events  # noqa: F401
from .rules import (
    BUILDING,
    END,
    GOLD,
    KEEP,
    MARKERS,
    MINE,
    MINING,
    NUMBER,
    PIECE,
    PIECES,
    PILES,
    PLACE,
    REBUILDING,
    RECORD,
    RUSH,
    RUSH_POINTS,
    SET,
    SIZES,
    TAKE,
    TAKING,
    TITLE,
    UNUSED,
    UP,
    USES,
    gold,
    is_screened,
    pieces,
    points,
    sites,
)


def hidden(s: Record) -> str:
    return "marker" if s.phase == MARKERS else "place"


def turned_up(s: Record) -> TurnedUp | None:
    size, number = str(s.shown[PIECE]), str(s.shown[NUMBER])
    if s.shown[PIECE] and s.shown[NUMBER]:
        return TurnedUp("rush", {"size": size, "number": number}, f"a {size}, marker {number}")
    return TurnedUp("piece", {"size": size}, f"a {size}") if s.shown[PIECE] else None


def why(s: Record, a: int) -> str:
    if s.phase == END:
        return "GH-5.1"
    if s.phase == REBUILDING:
        return "GH-4.1"
    if s.phase == BUILDING:
        is_out = a < MINE and not s.unbuilt[3 * s.turn + (a - PLACE) // 4]
        return "GH-1.1" if is_out else "GH-2.1"
    if s.phase == TAKING or a >= TAKE:
        return "GH-3.4"
    if a >= RUSH and s.used[s.turn] != UNUSED:
        return "GH-3.7"
    return "GH-3.1" if a < MINE else "GH-3.6" if a == KEEP else "GH-3.2"


INKS = {r"\|[123?|]+\|": "yellow", r"marker [123]": "bright_blue", r"screen": "dim"}


def show(s: Record) -> str:
    lifts = 2 * PIECES - pieces(s.left, 0) - pieces(s.left, 1)
    lines = [f"{TITLE}: {lifts} of {2 * PIECES} pieces lifted"]
    lines[0] += ", heights hidden" if s.heights else ""
    lines[0] += f", breakdown from {s.breakdown}" if s.breakdown > 2 else ""
    lines[0] += f", accidents 1 in {s.accident}" if s.accident else ""
    for x in range(2):
        lines += ["", f"range of seat {x}: {show_pieces(s.left, x)}" + ("" if pieces(s.left, x) else "nothing left")]
        lines += ["  behind the screen"] if s.unbuilt[3 * x] == HIDDEN else show_range(s, x)
    lines.append("")
    for x in range(2):
        number = {UNSEEN: "not drawn", HIDDEN: "?"}.get(s.marker[x], str(s.marker[x]))
        stack, kept = show_pieces(s.stack, x) or "nothing", show_pieces(s.kept, x) or "nothing"
        lines.append(f"seat {x}: stack {stack}; kept {kept}; marker {number}, {USES[s.used[x]]}; points {points(s, x)}")
    if s.shown[PIECE]:
        rushed = f"Gold Rush with marker {s.shown[NUMBER]}: " if s.shown[NUMBER] else ""
        lines += ["", f"{rushed}a {s.shown[PIECE]} was lifted"]
    if s.phase == TAKING:
        lines[-1] += ": the stack has broken down; take the piece, or leave it"
    if s.phase == REBUILDING:
        lines += ["", f"the range of seat {s.turn} was knocked over"]
    return "\n".join(lines)


def show_pieces(counts: Bits, x: int) -> str:
    return " ".join(size for i, size in enumerate(SIZES) for _ in range(counts[3 * x + i]))


def show_range(s: Record, x: int) -> list[str]:
    """Each pile from its bottom to its top, every piece as wide as it is high."""
    lines = []
    for pile in range(4):
        inside, height = s.pile[4 * x + pile], s.height[4 * x + pile]
        if inside == 0:
            lines.append(f"  pile {pile}")
        elif inside == HIDDEN:
            lines.append(f"  pile {pile}  " + (" ?  |?|" if height == HIDDEN else f"{height:>2}  |{'?' * height}|"))
        else:
            bars = "".join("|" + size * int(size) for size in str(inside))
            lines.append(f"  pile {pile}  {height:>2}  {bars}|")
    if pieces(s.unbuilt, x):
        lines.append(f"  unbuilt     {show_pieces(s.unbuilt, x)}")
    return lines


def describe(s: Record) -> list[Event]:
    """Both ranges pile by pile, and what everybody has."""
    lines = [event("lifted", n=2 * PIECES - pieces(s.left, 0) - pieces(s.left, 1), of=2 * PIECES)]
    for x in range(2):
        if s.unbuilt[3 * x] == HIDDEN:
            lines.append(event("screened", seat=x))
            continue
        for pile in range(4):
            inside, height = s.pile[4 * x + pile], s.height[4 * x + pile]
            if inside == 0:
                lines.append(event("bare", seat=x, pile=pile))
            elif inside != HIDDEN:
                lines.append(event("pile", seat=x, pile=pile, height=height, size=",".join(str(inside))))
            else:
                known = {} if height == HIDDEN else {"height": height}
                lines.append(event("height" if known else "stands", seat=x, pile=pile, **known))
        if pieces(s.unbuilt, x):
            lines.append(event("unbuilt", seat=x, size=show_pieces(s.unbuilt, x).replace(" ", ",")))
        if pieces(s.left, x):
            lines.append(event("left", seat=x, size=show_pieces(s.left, x).replace(" ", ",")))
    for x in range(2):
        for kind, place in (("stack", s.stack), ("kept", s.kept)):
            if pieces(place, x):
                lines.append(event(kind, seat=x, size=show_pieces(place, x).replace(" ", ","), gold=gold(place, x)))
        if s.used[x] != UNUSED:
            lines.append(event("used", seat=x, use=USES[s.used[x]]))
        elif s.marker[x] > 0:
            lines.append(event("marker", seat=x, number=s.marker[x]))
        lines.append(event("points", seat=x, n=points(s, x)))
    if s.phase == TAKING:
        lines.append(event("taking", size=s.lifted))
    return lines


def sums(s: Record) -> list[tuple[str, int, int]]:
    built = [str(s.pile[at]) for at in range(8)]
    ranges = ["".join(built[:4]), "".join(built[4:])]
    where = []  # the pieces of each size
    for i, size in enumerate(SIZES):
        seats = sum(s.unbuilt[3 * x + i] + s.stack[3 * x + i] + s.kept[3 * x + i] for x in range(2))
        where.append(seats + "".join(ranges).count(size) + s.box[i] + (s.lifted == i + 1))
    return [
        *((f"pieces of {size}", where[i], 2 * SET[i]) for i, size in enumerate(SIZES)),
        ("gold over all of these places", sum((i + 1) * n for i, n in enumerate(where)), 2 * GOLD),
        *(
            (f"pieces of {size} left to seat {x}", s.unbuilt[3 * x + i] + ranges[x].count(size), s.left[3 * x + i])
            for x in range(2)
            for i, size in enumerate(SIZES)
        ),
        *((f"height of {built[at]}", s.height[at], sum(map(int, built[at]))) for at in range(8)),
    ]


FACTS = {"sizes": [int(size) for size in SIZES], "piles": list(range(len(PILES)))}


def drawn(s: Record) -> dict[str, object]:
    """The gold in stacks and among the kept, and what a seat's points would be now; `sites` for the one who builds."""
    is_builder = s.phase in (BUILDING, REBUILDING) and s.unbuilt[3 * s.turn] != HIDDEN
    return {
        "stack": [gold(s.stack, x) for x in range(2)],
        "kept": [gold(s.kept, x) for x in range(2)],
        "rush": [RUSH_POINTS if s.used[x] == UP else 0 for x in range(2)],
        "points": [points(s, x) for x in range(2)],
        "screens": [is_screened(s, x) for x in range(2)],
        "sites": all_sites(pieces(s.left, s.turn)) if is_builder else None,
        "asks": asks(s),
    }


def asks(s: Record) -> dict[str, str]:
    """What is at risk, or what to take."""
    if s.phase == TAKING:
        return {"what": "piece", "size": str(s.lifted)}
    if s.phase == MINING and (stack := gold(s.stack, s.turn)) >= s.breakdown:
        return {"what": "risk", "stack": str(stack)}
    return {}


@cache
def all_sites(left: int) -> list[list[int]]:
    """Where a builder with `left` pieces may place one: a set of piles, by pieces unbuilt and piles that stand."""
    s = RECORD(turn=0)
    s.left[0] = left
    table = []
    for unbuilt in range(left + 1):
        s.unbuilt[0] = unbuilt
        row = []
        for stand in range(1 << len(PILES)):
            for pile in range(len(PILES)):
                s.pile[pile] = stand >> pile & 1
            row.append(sites(s))
        table.append(row)
    return table
