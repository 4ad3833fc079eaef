"""What comes of an action in Claimpoker, found from one observer's views before and after it."""

from motherlode.game import NUMBER, OVER, Arg, Event, Kind, Record, event

from .rules import (
    ACCEPT,
    ANSWERING,
    GIVE,
    GIVING,
    GONE,
    KINDS,
    MINUSES,
    MOST_SEATS,
    NAMES,
    PILES,
    PLUSES,
    TAKING,
    adjusted_kind,
    adjustment,
    cancelled_pairs,
    lay_down,
    number,
    score,
    winners,
    worth,
)

SEAT, CARD, NUMBER_OF = Arg("seat", tuple(map(str, range(MOST_SEATS)))), Arg("card", NAMES), Arg("n", NUMBER)
# What a kind counts when a round is over: `worth` of all kinds adds up to what the round counts.
COUNTED = (
    SEAT,
    Arg("kind", KINDS),
    Arg("number", NUMBER),
    Arg("parity", ("even", "odd")),
    Arg("worth", NUMBER),
)
ADDED = tuple(f"{added:+d}" for added in range(-MINUSES, PLUSES + 1) if added)
EVENTS = (
    Kind("empty", (Arg("pile", PILES),), "CP-3.3"),
    Kind("given", (SEAT, CARD), "CP-3.2"),
    Kind("kept", (SEAT, CARD), "CP-3.2"),
    Kind("offered", (SEAT, CARD), "CP-3.4"),
    Kind("accepted", (SEAT, CARD), "CP-3.4"),
    Kind("rejected", (SEAT, CARD), "CP-3.4"),
    Kind("more", (SEAT, Arg("points", NUMBER)), "CP-4.3"),
    Kind("less", (SEAT, Arg("points", NUMBER)), "CP-4.3"),
    Kind("round", (NUMBER_OF,), "CP-3.3"),
    Kind("cancelled", (SEAT, NUMBER_OF), "CP-4.2"),
    Kind("gone", (SEAT, NUMBER_OF), "CP-4.2"),
    Kind("counted", COUNTED, "CP-4.4"),
    Kind("adjusted", (*COUNTED, Arg("added", ADDED)), "CP-4.2"),
    Kind("below", (SEAT, Arg("worth", NUMBER)), "CP-4.5"),
    Kind("scored", (SEAT, NUMBER_OF), "CP-4.4"),
    Kind("next", (NUMBER_OF,), "CP-4.5"),
    Kind("won", (SEAT, NUMBER_OF), "CP-5.2"),
    Kind("shared", (SEAT, NUMBER_OF), "CP-5.2"),
)


def events(before: Record, told: int, after: Record) -> list[Event]:
    if before.turn < 0:
        return []
    seat = before.turn
    if before.phase == TAKING:
        return [event("empty", pile=PILES[p]) for p in range(6) if before.left[p] and not after.left[p]]
    if before.phase == GIVING:
        which, to = divmod(told - GIVE, MOST_SEATS)
        gift = "offered" if after.phase == ANSWERING else "given"
        found = [
            event(gift, seat=to, card=NAMES[cards_taken(before)[which]]),
            event("kept", seat=seat, card=NAMES[cards_taken(before)[1 - which]]),
        ]
    else:
        kind = "accepted" if told == ACCEPT else "rejected"
        found = [event(kind, seat=seat, card=NAMES[cards_taken(before)[0]])]
    found += changes(before, after)
    is_over = after.turn == OVER or after.round > before.round
    return found + (scoring(before, told, after) if is_over else [])


def changes(before: Record, after: Record) -> list[Event]:
    """What everybody's cards count more or less than before."""
    now, then = [0] * before.seats, [0] * before.seats
    score(before, now)
    score(after, then)
    gains = [(x, then[x] - now[x]) for x in range(before.seats)]
    return [event("more" if gain > 0 else "less", seat=x, points=gain) for x, gain in gains if gain]


def scoring(before: Record, told: int, after: Record) -> list[Event]:
    """The end of a round, and of the game."""
    found, t = [], with_gift(before, told)
    for x in range(t.seats):
        pairs = cancelled_pairs(t.held[x])
        if pairs:
            found.append(event("gone" if t.cancelled == GONE and after.turn != OVER else "cancelled", seat=x, n=pairs))
        found += [*counts(t, x), event("scored", seat=x, n=after.points[x] - before.points[x])]
    found.append(event("round", n=before.round + 1))
    if after.turn != OVER:
        return [*found, event("next", n=after.round + 1)]
    won = [x for x in range(t.seats) if winners(after) >> x & 1]
    return found + [event("won" if len(won) == 1 else "shared", seat=x, n=after.points[x]) for x in won]


def counts(s: Record, x: int) -> list[Event]:
    """What every kind of a player counts at the end of a round."""
    found, cards, whole = [], s.held[x], 0
    added, best = adjustment(cards), adjusted_kind(s, cards)
    for k, kind in enumerate(KINDS):
        more = added if k == best else 0
        size, value = number(cards, k) + more, worth(s, cards, k, more)
        if not size and not more:
            continue
        whole += value
        told = {"kind": kind, "number": str(size), "parity": "odd" if size % 2 else "even", "worth": str(value)}
        if more:
            found.append(event("adjusted", seat=x, **told, added=f"{more:+d}"))
        else:
            found.append(event("counted", seat=x, **told))
    return found + ([event("below", seat=x, worth=-whole)] if whole < 0 else [])


def laid_down(s: Record, a: int) -> list[tuple[int, int]]:
    """Before whom which cards come to lie by deciding this about a gift, if a gift is not to be answered yet."""
    if s.phase == GIVING:
        which, to = divmod(a - GIVE, MOST_SEATS)
        return [(s.turn, cards_taken(s)[1 - which]), (to, cards_taken(s)[which])]
    return [(s.turn, cards_taken(s)[0])] if a == ACCEPT else []


def cards_taken(s: Record) -> list[int]:
    """The cards that lie between the piles and the players; UNSEEN while they are still to be turned up."""
    if s.taken[0] >= 0 and s.taken[0] == s.taken[1]:
        return [s.top[s.taken[0]], s.beneath - 1]
    return [s.top[pile] for pile in s.taken if pile >= 0]


def with_gift(s: Record, a: int) -> Record:
    """The position with these cards before their players."""
    t = type(s).from_buffer_copy(s)
    for seat, look in laid_down(s, a):
        lay_down(t, seat, look)
    return t
