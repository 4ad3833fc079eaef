"""The Night Coach: ship gold past an outlaw, then be the outlaw. Read it beside its sheet, `sheet.md`."""

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
    Record,
    Rng,
    TurnedUp,
    Words,
    a_set,
    below,
    count,
    nth,
    rule,
    words,
)

NAME = "night_coach"
TITLE = "The Night Coach"
CREDIT = "designed for Motherlode"
RULES = 1
SEATS = (2,)
LENGTH = 6  # load, hire and rob, on two nights

OUNCES = ("1", "2", "3", "4")
PLACES = ("coach", "mule")
COACH = 0
PHASES = ("gold", "load", "hire", "rob", "fight", "end")
GOLD, LOAD, HIRE, ROB, FIGHT, END = range(6)

FIELDS = (
    Field("turn", OVER, 1, 0, "who is to act"),
    Field("seats", 2, 2, 0, "number of players"),
    Field("shown", 0, 4, 2, "what the morning shows: ounces, and where they were"),
    words("phase", PHASES, 0, "what is to be decided"),
    words("shipper", ("0", "1"), 0, "who ships gold tonight; the other one is the outlaw"),
    Field("gold", 1, 4, 0, "tonight's gold, in ounces", blank=True),
    words("place", PLACES, 0, "where tonight's gold is", blank=True),
    words("guard", ("no", "yes"), 0, "whether a guard rides on the coach"),
    a_set("shipped", OUNCES, 0, "the gold of past nights"),
    Field("points", 0, 8, 2, "ounces that each seat has"),
)

ACTIONS = Actions(
    Kind("load", (Arg("where", PLACES),), "NC-2.3"),
    Kind("hire", (Arg("whom", ("guard", "nobody")),), "NC-2.4"),
    Kind("rob", (Arg("whom", (*PLACES, "nobody")),), "NC-3.1"),
)
LOAD_COACH, HIRE_GUARD, ROB_COACH = ACTIONS.first
ROB_NOBODY = ROB_COACH + 2
OUTCOMES = Actions(
    Kind("gold", (Arg("ounces", OUNCES),), "NC-2.2"),
    Kind("guard", (Arg("does", ("stand", "run")),), "NC-3.3"),
)
GOLD_1, GUARD_STANDS = OUTCOMES.first
CHOICES = (0b1111 << GOLD_1, 0b11 << LOAD_COACH, 0b11 << HIRE_GUARD, 0b111 << ROB_COACH, 0b11 << GUARD_STANDS, 0)


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    s.points[0] = s.points[1] = 2  # NC-1.2
    begin_night(s, 0)


@rule
def begin_night(s: Record, shipper: int) -> None:
    s.shipper = shipper
    s.gold = s.place = UNSEEN
    s.guard = 0
    s.phase = GOLD
    s.turn = CHANCE


@rule
def legal(s: Record, bits: Bits) -> int:
    bits[0] = CHOICES[s.phase]
    if s.phase == GOLD:
        bits[0] &= ~s.shipped  # NC-2.2
    return count(bits[0])


@rule
def odds(s: Record, a: int) -> int:
    return 2 if a == GUARD_STANDS else 1  # NC-3.3


@rule
def apply(s: Record, a: int) -> None:
    s.shown[0] = s.shown[1] = 0
    outlaw = 1 - s.shipper
    if s.phase == GOLD:
        s.gold = 1 + a - GOLD_1
        s.phase = LOAD
        s.turn = s.shipper
    elif s.phase == LOAD:
        s.place = a - LOAD_COACH
        s.phase = HIRE
    elif s.phase == HIRE:
        s.guard = 1 if a == HIRE_GUARD else 0
        s.points[s.shipper] -= s.guard  # NC-2.4
        s.phase = ROB
        s.turn = outlaw
    elif s.phase == ROB:
        if a != ROB_NOBODY:
            s.points[outlaw] -= 1  # NC-3.1
        if a == ROB_COACH and s.guard:
            s.phase = FIGHT
            s.turn = CHANCE
        else:
            end_night(s, outlaw if a - ROB_COACH == s.place else s.shipper)
    else:
        end_night(s, outlaw if a != GUARD_STANDS and s.place == COACH else s.shipper)


@rule
def end_night(s: Record, taker: int) -> None:
    """NC-3.4: the gold is shown and belongs to whoever has it now."""
    s.shown[0] = s.gold
    s.shown[1] = s.place
    s.points[taker] += s.gold
    s.shipped |= 1 << (s.gold - 1)
    is_over = s.shipper == 1
    begin_night(s, 1)
    if is_over:
        s.phase = END
        s.turn = OVER


@rule
def score(s: Record, out: Words) -> None:
    out[0] = s.points[0]
    out[1] = s.points[1]


@rule
def winners(s: Record) -> int:
    lead = s.points[0] - s.points[1]
    return 0b01 if lead > 0 else 0b10 if lead < 0 else 0b11  # NC-4.1


@rule
def hide(s: Record, seat: int) -> None:
    if seat != s.shipper:
        s.gold = HIDDEN if s.gold != UNSEEN else UNSEEN
        s.place = HIDDEN if s.place != UNSEEN else UNSEEN


@rule
def told(s: Record, a: int, seat: int) -> int:
    return HIDDEN if seat != s.shipper and (s.phase == GOLD or s.phase == LOAD) else a


@rule
def guess(s: Record, seat: int, rng: Rng) -> None:
    if s.gold == HIDDEN:
        left = 0b1111 & ~s.shipped
        s.gold = 1 + nth(left, below(rng, count(left)))
    if s.place == HIDDEN:
        s.place = below(rng, 2)


def hidden(s: Record) -> str:
    return PHASES[s.phase]


def turned_up(s: Record) -> TurnedUp | None:
    if not s.shown[0]:
        return None
    ounces, where = str(s.shown[0]), PLACES[s.shown[1]]
    return TurnedUp("gold", {"ounces": ounces, "where": where}, f"{ounces} ounces on the {where}")


def show(s: Record) -> str:
    gold = "-" if s.gold == UNSEEN else "?" if s.gold == HIDDEN else s.gold
    place = "-" if s.place == UNSEEN else "?" if s.place == HIDDEN else PLACES[s.place]
    guard = "yes" if s.guard else "no"
    lines = [f"{TITLE}, night {s.shipper + 1} of 2", "", f"gold {gold}   place {place}   guard {guard}"]
    lines += [f"seat {x}   {s.points[x]} oz   {'shipper' if x == s.shipper else 'outlaw'}" for x in range(2)]
    return "\n".join(lines)
