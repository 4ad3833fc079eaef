"""What comes of an action in Goldmine, found from one observer's views before and after it."""

from motherlode.game import HIDDEN, NUMBER, OVER, Arg, Event, Kind, Record, event

from .rules import (
    A_GOLD,
    ACT,
    ANSWER,
    CARD,
    CARDS,
    LEAST_GOLD,
    PER_SUIT,
    PLACES,
    PLAY,
    PRIZE,
    SIGHT,
    TRICKS,
    WINNER,
    actor,
    beats,
)

SEAT = Arg("seat", ("0", "1"))
SCORE = (SEAT, Arg("n", NUMBER), Arg("less", NUMBER))
EVENTS = (
    Kind("seen", (SEAT, Arg("place", PLACES), Arg("value", NUMBER)), "GM-3.3"),
    Kind("last", (SEAT, CARD), "GM-2.3"),
    Kind("higher", (SEAT, CARD, Arg("beaten", CARDS)), "GM-3.6"),
    Kind("trumped", (SEAT, CARD, Arg("beaten", CARDS)), "GM-3.6"),
    Kind("unfollowed", (SEAT, CARD, Arg("beaten", CARDS)), "GM-3.6"),
    Kind("gold", (SEAT, Arg("place", PLACES), Arg("points", NUMBER)), "GM-3.7"),
    Kind("deal", (*SCORE, Arg("deal", NUMBER)), "GM-4.1"),
    Kind("lost", (SEAT, Arg("points", NUMBER)), "GM-4.4"),
    Kind("tie", (Arg("n", NUMBER),), "GM-4.3"),
    Kind("stand", (*SCORE, Arg("other", SEAT.words), Arg("target", NUMBER)), "GM-4.2"),
    Kind("next", (SEAT, Arg("n", NUMBER)), "GM-2.1"),
    Kind("end", SCORE, "GM-4.2"),
)


def events(before: Record, told: int, after: Record) -> list[Event]:
    if before.phase == ACT:
        return seen(before, after) + last_draw(before, after)
    if before.phase == SIGHT and told != HIDDEN:
        value = told - A_GOLD + LEAST_GOLD
        return [event("seen", seat=actor(before), place=before.sought, value=value)]
    if before.phase == ANSWER:
        answer, led = told - PLAY, before.led
        is_answer = beats(answer, led, before.trump)
        winner = before.turn if is_answer else 1 - before.turn
        found = [trick(winner, answer if is_answer else led, led if is_answer else answer, before.trump)]
        return found if after.phase == PRIZE else found + gold(before, winner, after.shown[1], after)
    if before.phase == PRIZE:
        return gold(before, 1 - before.first, told - A_GOLD + LEAST_GOLD, after)
    return []


def seen(before: Record, after: Record) -> list[Event]:
    """Gold that had been seen before is seen again; an outcome of chance says what is seen for the first time."""
    if not after.shown[2]:
        return []
    return [event("seen", seat=before.turn, place=after.shown[0], value=after.shown[1])]


def last_draw(before: Record, after: Record) -> list[Event]:
    """The trump card is drawn: the discard is hidden, but where that card goes is open."""
    if after.threw[before.turn] == before.threw[before.turn] or before.trick < TRICKS - 1:
        return []
    return [event("last", seat=before.turn, card=CARDS[before.trump])]


def trick(winner: int, card: int, beaten: int, trump: int) -> Event:
    """Who wins a trick, and why."""
    if card // PER_SUIT == beaten // PER_SUIT:
        kind = "higher"
    else:
        kind = "trumped" if card // PER_SUIT == trump // PER_SUIT else "unfollowed"
    return event(kind, seat=winner, card=CARDS[card], beaten=CARDS[beaten])


def gold(before: Record, winner: int, value: int, after: Record) -> list[Event]:
    """The winner of a trick takes its gold, which may end the deal and the match."""
    found = [event("gold", seat=winner, place=before.trick, points=value)]
    if before.trick < TRICKS - 1:
        return found
    taken_now = [sum(taken(before, x)) + (value if x == winner else 0) for x in range(2)]
    best = int(taken_now[1] > taken_now[0])
    found.append(event("deal", seat=best, n=taken_now[best], less=taken_now[1 - best], deal=before.deal + 1))
    if before.scoring == WINNER and taken_now[1 - best]:
        found.append(event("lost", seat=1 - best, points=-taken_now[1 - best]))
    points = after.points
    best = int(points[1] > points[0])
    score = {"seat": best, "n": points[best], "less": points[1 - best]}
    if after.turn == OVER:
        return [*found, event("end", **score)]
    if points[0] == points[1] >= before.target:
        found.append(event("tie", n=points[0]))
    else:
        found.append(event("stand", **score, other=1 - best, target=before.target))
    return [*found, event("next", seat=after.deal % 2, n=after.deal + 1)]


def taken(s: Record, seat: int) -> list[int]:
    """The gold cards that a seat has taken in this deal."""
    return [s.gold[place] for place in range(TRICKS) if s.won[seat] >> place & 1 and s.gold[place] > 0]
