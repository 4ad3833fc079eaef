"""What comes of an action in ChinaGold, found from one observer's views before and after it."""

from typing import Any

from motherlode.game import CHANCE, NUMBER, OVER, Arg, Event, Kind, Record, event

from .rules import (
    AREAS,
    CALLED,
    DIG,
    HALF,
    IN_USE,
    LAST_STAGE,
    LINE,
    MAPS,
    MARKERS,
    MOST_REBURIALS,
    NEXT,
    NORTH_AREA,
    REBURY,
    SITES,
    SOUTH_AREA,
    TABLETS,
    carry_off,
    longest,
    turn_over,
    winners,
)

FEW_REBURIALS = 10


def reburials_left(s: Record, seat: int) -> int | None:
    """CG-5.2: how often a seat may still rebury, where that is worth saying: while it may, and when few are left."""
    left = MOST_REBURIALS - s.reburied[seat]
    return left if left < FEW_REBURIALS and s.stage < LAST_STAGE and s.turn != OVER else None


def called(seat: int, letter: str) -> str:
    """What people call one of a seat's areas."""
    return CALLED[seat][AREAS.index(letter)]


def tablets(stage: int) -> list[str]:
    """CG-4.1: the tablets thrown in a stage."""
    used = IN_USE[stage - 1] if stage < LAST_STAGE else 0
    return [tablet for i, tablet in enumerate(TABLETS) if used >> i & 1]


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
        found += [event("put_away", tablet=tablet) for tablet in old if tablet not in new]
        found += [event("back", tablet=tablet) for tablet in new if tablet not in old]
        found.append(event("stage", stage=after.stage, most=longest(after)) if new else event("last_stage"))
    if after.turn == OVER:
        seat = 0 if winners(after) == 1 else 1
        found.append(event("end", seat=seat, other=1 - seat, gold=after.gold[seat], less=after.gold[1 - seat]))
    return found


def events_of_dig(s: Record, a: int) -> list[Event]:
    """A line's length and its end, which the words of a dig do not say, and the areas that it finishes."""
    line, found = line_of(s, a), []
    if len(line) > 1:
        found.append(event("line", n=len(line), first=SITES[line[0]], last=SITES[line[-1]]))
    for end in finishes(s, a):
        kind = ("mountain", "river")[end["seat"]]
        area = {"seat": end["seat"], kind: end["area"]}
        found.append(event(kind, **area, points=end["gold"]) if end["gold"] else event(f"empty_{kind}", **area))
    return found


def events_of_rebury(s: Record, site: int, after: Record) -> list[Event]:
    """The areas that have one more marker to dig, and the seat's last reburials."""
    mountain, river = called(0, MAPS[0][site]), called(1, MAPS[1 + s.overlay][site])
    found = [event("reburied", mountain=mountain, river=river)]
    left = reburials_left(after, s.turn)
    if left is not None:
        found.append(event("reburials", seat=s.turn, n=left) if left else event("no_reburials", seat=s.turn))
    return found
