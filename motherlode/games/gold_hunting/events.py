"""What comes of an action in Gold Hunting, found from one observer's views before and after it."""

from motherlode.game import NUMBER, OVER, Arg, Event, Kind, Record, event

from .rules import (
    ACTIONS,
    BUILDING,
    KEEP,
    MINING,
    PIECE,
    PILE,
    REBUILDING,
    RUSH,
    RUSH_POINTS,
    SIZE,
    TAKE,
    TAKING,
    UP,
    gold,
    pieces,
    points,
    winners,
)

SEAT, POINTS = Arg("seat", ("0", "1")), Arg("points", NUMBER)
EVENTS = (
    Kind("built", (SEAT,), "GH-2.1"),
    Kind("screen", (), "GH-2.2"),
    Kind("rush", (SEAT, POINTS), "GH-3.5"),
    Kind("failed", (SEAT,), "GH-3.5"),
    Kind("right", (SEAT, POINTS), "GH-3.3"),
    Kind("wrong", (SIZE,), "GH-3.4"),
    Kind("breakdown", (SEAT, SIZE, POINTS), "GH-3.4"),
    Kind("taken", (SEAT, POINTS), "GH-3.4"),
    Kind("left", (SIZE,), "GH-3.4"),
    Kind("gone", (SEAT, PILE), "GH-3.2"),
    Kind("kept", (SEAT, Arg("gold", NUMBER), POINTS), "GH-3.6"),
    Kind("fallen", (SEAT, Arg("n", NUMBER)), "GH-4.1"),
    Kind("tie", (SEAT, SIZE, Arg("both", NUMBER), Arg("n", NUMBER), Arg("less", NUMBER)), "GH-5.2"),
    Kind("won", (SEAT, Arg("n", NUMBER), Arg("less", NUMBER)), "GH-5.1"),
    Kind("draw", (Arg("both", NUMBER), Arg("threes", NUMBER), Arg("twos", NUMBER)), "GH-5.2"),
)


def events(before: Record, told: int, after: Record) -> list[Event]:
    x = before.turn
    found: list[Event] = []
    if before.phase in (BUILDING, REBUILDING):
        if after.phase == MINING:
            found.append(event("screen"))
        elif after.turn != x:
            found.append(event("built", seat=x))
    elif before.phase == MINING and told == KEEP:
        found.append(event("kept", seat=x, gold=gold(after.kept, x), points=points(after, x) - points(before, x)))
    elif before.phase == MINING:
        found += lifted(before, told, after)
    elif before.phase == TAKING:
        taken = told == TAKE
        found.append(event("taken", seat=x, points=before.lifted) if taken else event("left", size=before.lifted))
    elif after.phase == REBUILDING:
        found.append(event("fallen", seat=after.turn, n=pieces(after.left, after.turn)))
    return found + ended(after) if after.turn == OVER else found


def lifted(before: Record, told: int, after: Record) -> list[Event]:
    """What comes of a lift: of the call, of the marker, of the stack and of the pile."""
    x, size, pile = before.turn, after.shown[PIECE], ACTIONS.args(told)["pile"]
    had, has = gold(before.stack, x), gold(after.stack, x)
    found = []
    if told >= RUSH:
        is_right = after.used[x] == UP
        found.append(event("rush", seat=x, points=RUSH_POINTS) if is_right else event("failed", seat=x))
    if has > had:
        found.append(event("right", seat=x, points=size))
    elif has == had:
        found.append(event("wrong", size=size))
    else:
        found.append(event("breakdown", seat=x, size=size, points=-had))
        if has:
            found.append(event("taken", seat=x, points=size))
    if after.pile[4 * (1 - x) + int(pile)] == 0:
        found.append(event("gone", seat=1 - x, pile=pile))
    return found


def ended(s: Record) -> list[Event]:
    """Who wins, and what breaks a tie."""
    threes, twos = ([s.stack[3 * x + i] + s.kept[3 * x + i] for x in range(2)] for i in (2, 1))
    if winners(s) == 3:
        return [event("draw", both=points(s, 0), threes=threes[0], twos=twos[0])]
    winner = winners(s) - 1
    found = [event("won", seat=winner, n=points(s, winner), less=points(s, 1 - winner))]
    if points(s, 0) == points(s, 1):
        size, own = (3, threes) if threes[0] != threes[1] else (2, twos)
        tie = {"both": points(s, 0), "n": own[winner], "less": own[1 - winner]}
        found.insert(0, event("tie", seat=winner, size=size, **tie))
    return found
