"""ChinaGold in words, and what its board draws: plain Python that reads a view."""

from collections.abc import Iterable
from typing import Any

from motherlode.game import CHANCE, NUMBER, OVER, Arg, Event, Kind, Record, count, has

from .rules import (
    ACTION_WORDS,
    AREAS,
    CALLED,
    COLUMNS,
    DIG,
    HALF,
    IN_USE,
    LAST_STAGE,
    LINE,
    MAPS,
    MARKERS,
    MOST_REBURIALS,
    MOUNTAINS,
    NEXT,
    NORTH_AREA,
    OPTIONS,
    PLACES,
    REBURY,
    ROWS,
    SIDE,
    SITES,
    SOUTH_AREA,
    STEPS,
    TABLETS,
    TITLE,
    WAYS,
    carry_off,
    legal,
    longest,
    turn_over,
    winners,
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


FEW_REBURIALS = 10


def reburials_left(s: Record, seat: int) -> int | None:
    """CG-5.2: how often a seat may still rebury, where that is worth saying: while it may, and when few are left."""
    left = MOST_REBURIALS - s.reburied[seat]
    return left if left < FEW_REBURIALS and s.stage < LAST_STAGE and s.turn != OVER else None


INKS = {
    r"\b[A-Z](?=~)": "green",
    r"~\d+": "bright_blue",
    r"\*": "bold yellow",
    r"\d+ gold": "yellow",
}


LEGEND = "mountain A, river ~1: A~1 face down, A~1* open, . taken; below: face down + open"
CELL = 6  # characters; even, because every row begins half a cell further left or right


def called(seat: int, letter: str) -> str:
    """What people call one of a seat's areas."""
    return CALLED[seat][AREAS.index(letter)]


def tablets(stage: int) -> list[str]:
    """CG-4.1: the tablets thrown in a stage."""
    return [TABLETS[i] for i in FACTS["in_use"][stage - 1]]


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
    """How many in line may be dug, each seat's last reburials, and the areas that each dig would finish."""
    is_last = s.stage == LAST_STAGE
    return {
        "lengths": [] if s.turn < 0 else [1, 2] if is_last else [s.throw],
        "reburials": [reburials_left(s, seat) for seat in range(2)],
        "finishes": {} if s.turn < 0 else {a: ends for a in digs(s) if (ends := finishes(s, a))},
    }


def digs(s: Record) -> list[int]:
    """The legal digs."""
    bits = [0] * ACTION_WORDS
    legal(s, bits)
    return [a for a in range(REBURY) if has(bits, a)]


def line_of(s: Record, a: int) -> list[int]:
    """The sites of a dig."""
    if a < LINE:
        return [a - DIG]
    way, site = divmod(a - LINE, MARKERS)
    line = [site]
    while len(line) < max(s.throw, 2):
        line.append(int(NEXT[MARKERS * way + line[-1]]))
    return line


def finishes(s: Record, a: int) -> list[dict[str, Any]]:
    """The areas a dig finishes, in the order in which their gold is carried off (CG-3.2), with the gold it brings."""
    line, found = line_of(s, a), []
    t = type(s).from_buffer_copy(s)
    for site in line:
        turn_over(t, site)
    down = t.north_down | t.south_down << HALF
    for seat in (s.active, 1 - s.active):
        overlay = 0 if seat == 0 else 1 + s.overlay
        for letter, site in {MAPS[overlay][site]: site for site in line}.items():
            at = MARKERS * overlay + site
            if down & (int(NORTH_AREA[at]) | int(SOUTH_AREA[at]) << HALF) == 0:
                before = t.gold[seat]
                carry_off(t, seat, site)
                found.append({"seat": seat, "area": called(seat, letter), "gold": t.gold[seat] - before})
    return found


SEAT, OTHER = Arg("seat", ("0", "1")), Arg("other", ("0", "1"))
MOUNTAIN, RIVER, TABLET = Arg("mountain", CALLED[0]), Arg("river", CALLED[1]), Arg("tablet", TABLETS)
N, POINTS = Arg("n", NUMBER), Arg("points", NUMBER)
EVENTS = (
    Kind("line", (N, Arg("first", SITES), Arg("last", SITES)), "CG-2.2"),
    Kind("mountain", (SEAT, MOUNTAIN, POINTS), "CG-3.1"),
    Kind("river", (SEAT, RIVER, POINTS), "CG-3.1"),
    Kind("empty_mountain", (SEAT, MOUNTAIN), "CG-3.2"),
    Kind("empty_river", (SEAT, RIVER), "CG-3.2"),
    Kind("reburied", (MOUNTAIN, RIVER), "CG-2.3"),
    Kind("reburials", (SEAT, N), "CG-5.2"),
    Kind("no_reburials", (SEAT,), "CG-5.2"),
    Kind("put_away", (TABLET,), "CG-4.1"),
    Kind("back", (TABLET,), "CG-4.1"),
    Kind("stage", (Arg("stage", ("2", "3")), Arg("most", NUMBER)), "CG-4.1"),
    Kind("last_stage", (), "CG-4.2"),
    Kind("end", (SEAT, OTHER, Arg("gold", NUMBER), Arg("less", NUMBER)), "CG-5.1"),
)


def events(before: Record, told: int, after: Record) -> list[Event]:
    if before.turn == CHANCE:
        return []
    if told < REBURY:
        found = events_of_dig(before, told)
    else:
        found = events_of_rebury(before, told - REBURY, after)
    if after.stage != before.stage:
        old, new = tablets(before.stage), tablets(after.stage)
        found += [Event("put_away", {"tablet": tablet}) for tablet in old if tablet not in new]
        found += [Event("back", {"tablet": tablet}) for tablet in new if tablet not in old]
        stage = {"stage": str(after.stage), "most": str(longest(after))}
        found.append(Event("stage", stage) if new else Event("last_stage", {}))
    if after.turn == OVER:
        seat = 0 if winners(after) == 1 else 1
        gold = {"gold": str(after.gold[seat]), "less": str(after.gold[1 - seat])}
        found.append(Event("end", {"seat": str(seat), "other": str(1 - seat), **gold}))
    return found


def events_of_dig(s: Record, a: int) -> list[Event]:
    """A line's length and its end, which the words of a dig do not say, and the areas that it finishes."""
    line, found = line_of(s, a), []
    if len(line) > 1:
        found.append(Event("line", {"n": str(len(line)), "first": SITES[line[0]], "last": SITES[line[-1]]}))
    for end in finishes(s, a):
        kind = ("mountain", "river")[end["seat"]]
        area = {"seat": str(end["seat"]), kind: end["area"]}
        found.append(Event(kind, area | {"points": str(end["gold"])}) if end["gold"] else Event(f"empty_{kind}", area))
    return found


def events_of_rebury(s: Record, site: int, after: Record) -> list[Event]:
    """The areas that have one more marker to dig, and the seat's last reburials."""
    mountain, river = called(0, MAPS[0][site]), called(1, MAPS[1 + s.overlay][site])
    found = [Event("reburied", {"mountain": mountain, "river": river})]
    left, seat = reburials_left(after, s.turn), {"seat": str(s.turn)}
    if left is not None:
        found.append(Event("reburials", {**seat, "n": str(left)}) if left else Event("no_reburials", seat))
    return found
