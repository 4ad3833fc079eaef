"""The Night Coach: ship a bag of gold past an outlaw. Read it beside its sheet, `sheet.md`."""

from motherlode.game import (
    CHANCE,
    HIDDEN,
    NUMBER,
    OVER,
    Actions,
    Arg,
    Bits,
    Event,
    Field,
    Kind,
    Record,
    Rng,
    Source,
    Words,
    below,
    event,
    rule,
)

NAME = "night_coach"
TITLE = "The Night Coach"
CREDIT = "designed for Motherlode"
RULES = 1
SEATS = (2,)
LENGTH = 3  # load, hire and rob

SHIPPER, OUTLAW = 0, 1
PLACES = ("nowhere", "coach", "mule")
COACH = 1
PHASES = ("gold", "load", "hire", "rob", "end")
GOLD, LOAD, HIRE, ROB, END = range(5)
TURNS = (CHANCE, SHIPPER, SHIPPER, OUTLAW, OVER)

FIELDS = (
    Field("turn", OVER, 1, 0, "who is to act"),
    Field("seats", 2, 2, 0, "number of players"),
    Field("shown", 0, 3, 2, "what the morning shows: ounces, and where they were"),
    Field("phase", 0, 4, 0, "what is to be decided", PHASES),
    Field("gold", 0, 3, 0, "ounces in the bag", blank=True),
    Field("place", 0, 2, 0, "where the bag is", PLACES, blank=True),
    Field("guard", 0, 1, 0, "guards on the coach"),
    Field("points", 0, 8, 2, "ounces that each seat has", by_seat=True),
)

OUTCOMES = Actions(Kind("gold", (Arg("ounces", ("1", "2", "3")),), "NC-2.1"))
ACTIONS = Actions(
    Kind("load", (Arg("where", PLACES[1:]),), "NC-2.2"),
    Kind("hire", (Arg("whom", ("nobody", "guard")),), "NC-2.3"),
    Kind("rob", (Arg("where", PLACES),), "NC-3.1"),
)
FIRST = (0, *ACTIONS.first, 0)  # the first action of each phase
CHOICES = (3, 2, 2, 3, 0)  # and how many there are


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    s.points[SHIPPER] = s.points[OUTLAW] = 5  # NC-1.2
    s.turn = CHANCE


@rule
def legal(s: Record, bits: Bits) -> int:
    bits[0] = ((1 << CHOICES[s.phase]) - 1) << FIRST[s.phase]
    return CHOICES[s.phase]


@rule
def apply(s: Record, a: int) -> None:
    choice = a - FIRST[s.phase]
    if s.phase == GOLD:
        s.gold = 1 + choice
    elif s.phase == LOAD:
        s.place = COACH + choice
    elif s.phase == HIRE:
        s.guard = choice
        s.points[SHIPPER] -= 2 * s.guard  # NC-2.3
    else:
        s.points[OUTLAW] -= 5 if choice == COACH and s.guard else 1 if choice else 0  # NC-3.1
        s.points[OUTLAW if choice == s.place else SHIPPER] += s.gold  # NC-3.2
        s.shown[0], s.shown[1] = s.gold, s.place  # NC-3.3
    s.phase += 1
    s.turn = TURNS[s.phase]


@rule
def score(s: Record, out: Words) -> None:
    out[0], out[1] = s.points[0], s.points[1]


@rule
def winners(s: Record) -> int:
    return 0b01 if s.points[SHIPPER] > s.points[OUTLAW] else 0b10  # NC-4.1


@rule
def hide(s: Record, seat: int) -> None:
    if seat != SHIPPER and s.phase != END:
        s.gold = HIDDEN if s.gold else 0
        s.place = HIDDEN if s.place else 0


@rule
def told(s: Record, a: int, seat: int) -> int:
    return HIDDEN if seat != SHIPPER and s.phase <= LOAD else a


@rule
def guess(s: Record, seat: int, rng: Rng) -> None:
    if s.gold == HIDDEN:
        s.gold = 1 + below(rng, 3)
    if s.place == HIDDEN:
        s.place = COACH + below(rng, 2)


def source(s: Record) -> Source:
    return Source(deck=0, position=0, first=0)  # the bag, drawn once


def hidden(s: Record) -> str:
    return PHASES[s.phase]


def show(s: Record) -> str:
    gold = "?" if s.gold == HIDDEN else s.gold
    place = "?" if s.place == HIDDEN else PLACES[s.place]
    lines = [TITLE, "", f"bag {gold} oz   place {place}   guards {s.guard}"]
    return "\n".join([*lines, f"shipper {s.points[SHIPPER]} oz   outlaw {s.points[OUTLAW]} oz"])


SEAT, OUNCES = Arg("seat", ("0", "1")), Arg("points", NUMBER)
EVENTS = (Kind("gains", (SEAT, OUNCES), "NC-3.2"), Kind("pays", (SEAT, OUNCES), "NC-3.1"))


def events(before: Record, told: int, after: Record) -> list[Event]:
    changes = [(seat, after.points[seat] - before.points[seat]) for seat in (SHIPPER, OUTLAW)]
    return [event("gains" if n > 0 else "pays", seat=seat, points=n) for seat, n in changes if n]
