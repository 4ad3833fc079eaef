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
    gold_of,
    left,
    meet,
    owner,
    score,
    turn_back,
    winners,
)

SEAT, POINTS, N = Arg("seat", tuple(map(str, range(MOST)))), Arg("points", NUMBER), Arg("n", NUMBER)
MORE, FEWER = Arg("more", NUMBER), Arg("fewer", NUMBER)
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
    Kind("tie", (SEAT, N, MORE, FEWER), "MG-5.1"),
    Kind("last_game", (SEAT, N, MORE, FEWER), "MG-5.2"),
    Kind("even", (N, MORE), "MG-5.1"),
    Kind("even_last_game", (N, MORE), "MG-5.2"),
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
    found = [met(before, place, card)]
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
    """What the last card of a turn, turned here, does."""
    s = type(before).from_buffer_copy(before)
    which = 1 if s.phase == SECOND else 0
    if which == 0:
        turn_back(s)
    s.spot[which], s.face[which], s.card[place] = place, card, card
    if s.phase == SECOND:
        meet(s)
    elif card < GOLDS:
        s.taker = s.mover
    return came_of(s)


def came_of(s: Record) -> Event:
    """What came of the cards of a turn that is over."""
    low, high = sorted(s.face)
    if low == UNSEEN:  # in the Gold Rush it was one card
        return event("taken", seat=s.taker, points=VALUE[high]) if high < GOLDS else event("gone", card=KINDS[high])
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
    """Who has won, and what broke a tie: the number of gold cards, in a series the points of its last game."""
    points = [0] * MOST
    score(s, points)
    most = max(points)
    tied = {x: gold_of(s, x) if s.series else s.golds[x] for x in range(s.seats) if points[x] == most}
    won = [x for x in tied if winners(s) >> x & 1]
    found = []
    if len(won) < len(tied):
        fewer = max(tied[x] for x in tied if x not in won)
        kind = "last_game" if s.series else "tie"
        found += [event(kind, seat=x, n=most, more=tied[x], fewer=fewer) for x in won]
    if len(won) > 1:
        found.append(event("even_last_game" if s.series else "even", n=most, more=tied[won[0]]))
    return found + [event("won" if len(won) == 1 else "shared", seat=x) for x in won]
