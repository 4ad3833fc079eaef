"""ChinaGold in words, and what its board draws: plain Python that reads a view."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from motherlode.game import CHANCE, OVER, Event, Record, count, event, has

from .events import EVENTS, called, events, finishes, reburials_left, tablets  # noqa: F401
from .rules import (
    ACTION_WORDS,
    AREAS,
    CALLED,
    COLUMNS,
    HALF,
    IN_USE,
    LAST_STAGE,
    MAPS,
    MARKERS,
    MOST_REBURIALS,
    MOUNTAINS,
    NORTH_PIECES,
    NORTH_SHIFTS,
    OPTIONS,
    PLACES,
    REBURY,
    ROWS,
    SIDE,
    SITES,
    SOUTH_PIECES,
    SOUTH_SHIFTS,
    STEPS,
    TABLETS,
    TITLE,
    WAYS,
    legal,
    lines,
    longest,
    spread,
)


def is_down(s: Record, site: int) -> bool:
    return (s.north_down | s.south_down << HALF) >> site & 1 == 1


def is_open(s: Record, site: int) -> bool:
    return (s.north_open | s.south_open << HALF) >> site & 1 == 1


def why(s: Record, a: int) -> str:
    if s.turn == OVER:
        return "CG-5.1"
    if a < REBURY:
        return "CG-2.2"
    if s.stage == LAST_STAGE:
        return "CG-4.2"
    return "CG-5.2" if s.reburied[s.active] == MOST_REBURIALS else "CG-2.3"


INKS = {
    r"\b[A-Z](?=~)": "green",
    r"~\d+": "bright_blue",
    r"\*": "bold yellow",
    r"\d+ gold": "yellow",
}


LEGEND = "mountain A, river ~1: A~1 face down, A~1* open, . taken; below: face down + open"
CELL = 6  # characters; even, because every row begins half a cell further left or right


def in_cells(some: Iterable[object], width: int) -> str:
    return "".join(f"{one!s:<{width}}" for one in some)


def show(s: Record) -> str:
    mountains, rivers = MAPS[0], [called(1, letter) for letter in MAPS[1 + s.overlay]]
    if s.turn == OVER:
        news = "the board is empty"
    elif s.turn == CHANCE:
        news = f"seat {s.active} throws {' '.join(tablets(s.stage))}"
    elif s.stage == LAST_STAGE:
        news = f"seat {s.active} digs one or two"
    else:
        news = f"seat {s.active} digs {s.throw} in line, or reburies one"
    numbers = f"{'':{3 + CELL // 2 * (COLUMNS - SIDE)}}" + in_cells(range(1, SIDE + 1), CELL).rstrip()
    lines = [f"{TITLE}, overlay {OPTIONS[0].value(s.overlay)}, stage {s.stage}: {news}", LEGEND, numbers]
    site = 0
    for row, areas in zip(ROWS, MOUNTAINS, strict=True):
        cells = []
        for _ in areas:
            both = f"{mountains[site]}~{rivers[site]}"
            cells.append(both if is_down(s, site) else both + "*" if is_open(s, site) else ".")
            site += 1
        lines.append(f"{'':{CELL // 2 * (COLUMNS - len(areas))}}{row}  {in_cells(cells, CELL)}{len(areas)}")
    lines += [numbers, ""]
    for head, names, letters in (
        ("mountains", CALLED[0], MAPS[0]),
        ("rivers", [f"~{name}" for name in CALLED[1]], MAPS[1 + s.overlay]),
    ):
        counts = []
        for letter in AREAS:
            sites = [i for i in range(MARKERS) if letters[i] == letter]
            down, lying = sum(is_down(s, i) for i in sites), sum(is_open(s, i) for i in sites)
            counts.append(f"{down}+{lying}" if lying else str(down or "-"))
        lines += [f"{start:<10}{in_cells(some, 4)}".rstrip() for start, some in ((head, names), ("", counts))]
    for seat, head in enumerate(("mountains", "rivers")):
        left = reburials_left(s, seat)
        note = "" if left is None else f"{left} reburial{'' if left == 1 else 's'} left"
        lines.append(f"seat {seat}, {head:<9} {s.gold[seat]:>4} gold   {note}".rstrip())
    return "\n".join(lines)


def describe(s: Record) -> list[Event]:
    """The rows of the map, then every mountain and river that is not finished, and everybody's gold."""
    lines = [event("last_stage") if s.stage == LAST_STAGE else event("stage", stage=s.stage)]
    if s.throw and s.turn >= 0:
        lines.append(event("throw", seat=s.active, n=s.throw))
    places = [("row", name, [site for site, (r, _) in enumerate(PLACES) if r == row]) for row, name in enumerate(ROWS)]
    maps = (("mountain", CALLED[0], MAPS[0]), ("river", CALLED[1], MAPS[1 + s.overlay]))
    for kind, names, letters in maps:
        for name, letter in zip(names, AREAS, strict=True):
            places.append((kind, name, [site for site in range(MARKERS) if letters[site] == letter]))
    for kind, name, sites in places:
        found = {"down": [SITES[i] for i in sites if is_down(s, i)], "open": [SITES[i] for i in sites if is_open(s, i)]}
        some = {what: ",".join(which) for what, which in found.items() if which}
        if some:
            lines.append(event("_".join([kind, *some]), **{kind: name}, **some))
    for seat in range(2):
        lines.append(event("gold", seat=seat, n=s.gold[seat]))
        if (last := reburials_left(s, seat)) is not None:
            lines.append(event("reburials", seat=seat, n=last))
    return lines


def sums(s: Record) -> list[tuple[str, int, int]]:
    down, lying = count(s.north_down) + count(s.south_down), count(s.north_open) + count(s.south_open)
    return [
        ("markers over board and players", down + lying + s.gold[0] + s.gold[1], MARKERS),
        ("markers both face down and open", count(s.north_down & s.north_open) + count(s.south_down & s.south_open), 0),
    ]


# By seat: what its areas are, and what each is called, in the order of their letters. The next site of every line is -1
# at its end.
FACTS: dict[str, Any] = {
    "half": HALF,
    "places": PLACES,
    "areas": ("mountain", "river"),
    "called": CALLED,
    "mountains": "".join(MAPS[0]),
    "rivers": ["".join(letters) for letters in MAPS[1:]],
    "ways": WAYS,
    "next": [[PLACES.index(at) if (at := (r + y, c + x)) in PLACES else -1 for r, c in PLACES] for y, x in STEPS],
    "tablets": TABLETS,
    "in_use": [[i for i in range(len(TABLETS)) if used >> i & 1] for used in (*IN_USE, 0)],
}


def drawn(s: Record) -> dict[str, object]:
    """What is asked, how many in line may be dug, how the tablets lie, how many of the longest lines of this stage are
    left, each seat's last reburials, and the areas that each dig would finish.
    """
    is_last = s.stage == LAST_STAGE
    return {
        "asks": None if s.turn < 0 else asks(s),
        "lengths": [] if s.turn < 0 else [1, 2] if is_last else [s.throw],
        "faces": faces(s),
        "longest": None if is_last else {"length": longest(s), "left": placements(s, longest(s))},
        "reburials": [reburials_left(s, seat) for seat in range(2)],
        "finishes": {} if s.turn < 0 else {a: ends for a in digs(s) if (ends := finishes(s, a))},
    }


def asks(s: Record) -> dict[str, str]:
    """What the seat to act is to finish, and how."""
    own = "mountains" if s.active == 0 else "rivers"
    if s.stage == LAST_STAGE:
        return {"what": f"{own}.last"}
    may_rebury = s.north_open | s.south_open and s.reburied[s.active] < MOST_REBURIALS
    return {"what": f"{own}.rebury" if may_rebury else own, "n": str(s.throw)}


def faces(s: Record) -> list[int | None]:
    """What each tablet shows; None: it is not thrown. Chance decides the sum alone: where two ways make it, the throws
    take turns to show them.
    """
    in_use = tablets(s.stage)
    ways = [way for way in product(*(map(int, tablet.split("/")) for tablet in in_use)) if sum(way) == s.throw]
    if not s.throw or not ways:
        return [None] * len(TABLETS)
    shown = dict(zip(in_use, ways[s.throws % len(ways)], strict=True))
    return [shown.get(tablet) for tablet in TABLETS]


def placements(s: Record, k: int) -> int:
    """How many lines of k face-down markers there are."""
    north, south = spread(s.north_down, NORTH_PIECES, NORTH_SHIFTS), spread(s.south_down, SOUTH_PIECES, SOUTH_SHIFTS)
    return sum(count(half) for way in range(len(WAYS)) for half in lines(north, south, way, k))


def digs(s: Record) -> list[int]:
    """The legal digs."""
    bits = [0] * ACTION_WORDS
    legal(s, bits)
    return [a for a in range(REBURY) if has(bits, a)]
