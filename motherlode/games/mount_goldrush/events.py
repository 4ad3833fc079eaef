"""What comes of an action in Mount Goldrush, found from one observer's views before and after it."""

from motherlode.game import CHANCE, NUMBER, OVER, UNSEEN, Arg, Event, Kind, Record, event

from .rules import (
    A_CARD,
    DYNAMITE,
    FIRST,
    GOLDS,
    KINDS,
    MINERS,
    MOST,
    NOBODY,
    PATIENCE,
    RUSH,
    RUSH_AT,
    SECOND,
    TURN,
    VALUE,
    left,
    meet,
    owner,
    score,
    winners,
)

SEAT, POINTS, N = Arg("seat", tuple(map(str, range(MOST)))), Arg("points", NUMBER), Arg("n", NUMBER)
MINER, GOLD, CARD = Arg("miner", KINDS), Arg("gold", KINDS), Arg("card", KINDS)
EVENTS = (
    Kind("found", (SEAT, MINER, POINTS), "MG-3.2"),
    Kind("nobodys", (SEAT, MINER, POINTS), "MG-3.2"),
    Kind("duel", (Arg("stronger", KINDS), Arg("weaker", KINDS)), "MG-3.3"),
    Kind("dynamite", (CARD,), "MG-3.4"),
    Kind("dynamites", (), "MG-3.4"),
    Kind("equal", (Arg("one", KINDS), Arg("two", KINDS)), "MG-3.5"),
    Kind("golds", (), "MG-3.5"),
    Kind("weak", (MINER, GOLD), "MG-3.5"),
    Kind("taken", (SEAT, POINTS), "MG-4.1"),
    Kind("gone", (CARD,), "MG-4.1"),
    Kind("rush", (N,), "MG-4.1"),
    Kind("quiet", (N,), "MG-4.2"),
    Kind("game", (N,), "MG-5.2"),
    Kind("total", (SEAT, Arg("won", NUMBER), Arg("total", NUMBER)), "MG-5.2"),
    Kind("tie", (SEAT,), "MG-5.1"),
    Kind("last_game", (SEAT,), "MG-5.2"),
    Kind("won", (SEAT,), "MG-5.1"),
    Kind("shared", (SEAT,), "MG-5.1"),
)


def events(before: Record, told: int, after: Record) -> list[Event]:
    if before.turn == CHANCE:
        place, card = before.spot[1 if before.phase == SECOND else 0], told - A_CARD
    else:
        place, card = told - TURN, before.card[told - TURN]
    if card == UNSEEN or before.phase == FIRST:
        return []  # chance, or a second card, is still to come
    if before.phase == SECOND:
        found = [met(before, place, card)]
    elif card < GOLDS:
        found = [event("taken", seat=before.mover, points=VALUE[card])]
    else:
        found = [event("gone", card=KINDS[card])]
    if after.phase == RUSH != before.phase:
        few = left(after) <= RUSH_AT
        found.append(event("rush", n=left(after)) if few else event("quiet", n=PATIENCE))
    if after.turn == OVER:
        found += ended(after)
    elif after.game > before.game:
        found.append(event("game", n=after.game))
        for x in range(after.seats):
            found.append(event("total", seat=x, won=after.before[x] - before.before[x], total=after.before[x]))
    return found


def met(before: Record, place: int, card: int) -> Event:
    """What the two cards of a turn do to each other; the second is turned here."""
    s = type(before).from_buffer_copy(before)
    s.spot[1], s.face[1], s.card[place] = place, card, card
    meet(s)
    low, high = sorted(s.face)
    if low == DYNAMITE:
        return event("dynamites")
    if high == DYNAMITE:
        return event("dynamite", card=KINDS[low])
    if high < GOLDS:
        return event("golds")
    if low < GOLDS and s.taker == UNSEEN:
        return event("weak", miner=KINDS[high], gold=KINDS[low])
    if low < GOLDS:
        is_nobodys = owner(s, (high - GOLDS) // MINERS) == NOBODY
        return event("nobodys" if is_nobodys else "found", seat=s.taker, miner=KINDS[high], points=VALUE[low])
    weaker, stronger = sorted(s.face, key=lambda kind: VALUE[kind])
    if VALUE[weaker] == VALUE[stronger]:
        return event("equal", one=KINDS[s.face[0]], two=KINDS[s.face[1]])
    return event("duel", stronger=KINDS[stronger], weaker=KINDS[weaker])


def ended(s: Record) -> list[Event]:
    points = [0] * MOST
    score(s, points)
    won = [x for x in range(s.seats) if winners(s) >> x & 1]
    found = []
    if len(won) < points.count(max(points)):
        found += [event("last_game" if s.series else "tie", seat=x) for x in won]
    return found + [event("won" if len(won) == 1 else "shared", seat=x) for x in won]
