"""What came of an action in Gold Rush at Blue Creek, found from one observer's views before and after it."""

from motherlode.game import HIDDEN, NUMBER, Arg, Event, Kind, Record, count, event

from .rules import (
    A_RIVER,
    ALL_TEETH,
    CHOOSE,
    DOUBT,
    EMPTY,
    END,
    EQUIPMENT,
    GIVE,
    GIVING,
    GOLD,
    GOLDS,
    GUARD,
    LOOT,
    PLAYERS,
    REVEAL,
    RIVER,
    ROBBING,
    SEARCH,
    SWAPPING,
    TOOLS,
    UNCOVER,
    WHISKEY,
    WORTH,
    owned,
    points_of,
    winners,
)

SEAT, OTHER, CARD = Arg("seat", PLAYERS), Arg("other", PLAYERS), Arg("card", GOLD)
POINTS, N = Arg("points", NUMBER), Arg("n", NUMBER)
EVENTS = (
    Kind("won", (SEAT, CARD, POINTS), "BC-4.5"),
    Kind("whiskey", (SEAT,), "BC-4.2"),
    Kind("wrong", (SEAT, Arg("tool", TOOLS)), "BC-4.6"),
    Kind("swapping", (SEAT,), "BC-5.2"),
    Kind("right", (SEAT,), "BC-6.1"),
    Kind("spared", (), "BC-6.1"),
    Kind("mistaken", (SEAT, N), "BC-6.1"),
    Kind("dealt", (SEAT, CARD, POINTS), "BC-6.1"),
    Kind("gained", (SEAT, OTHER, CARD, POINTS), "BC-6.1"),
    Kind("lost", (SEAT, OTHER, CARD, POINTS), "BC-6.1"),
    Kind("renewed", (N,), "BC-6.2"),
    Kind("revealed", (SEAT, OTHER, CARD, POINTS), "BC-6.1"),
    Kind("over", (), "BC-7.1"),
    Kind("guard", (N,), "BC-7.3"),
    Kind("bottles", (SEAT, Arg("gold", NUMBER), N, Arg("fewer", NUMBER)), "BC-7.2"),
    Kind("shared", (Arg("gold", NUMBER), N), "BC-7.2"),
)


def events(before: Record, told: int, after: Record) -> list[Event]:
    is_doubt = before.phase in (UNCOVER, GIVING, LOOT) or (before.phase == CHOOSE and told == DOUBT)
    found = doubted(before, told, after) if is_doubt else []
    found += gold_taken(before, told, after, "dealt" if is_doubt else "won")
    if before.phase == SEARCH and after.phase != SEARCH and not found:
        found += failed(before, told - REVEAL, after)
    found += robbed(before, after)
    if is_doubt and after.phase == CHOOSE:
        found.append(event("renewed", n=count(after.concealed)))
    return found + ended(after) if after.phase == END else found


def doubted(before: Record, told: int, after: Record) -> list[Event]:
    """Whether the doubt was right, when the last card is uncovered."""
    if before.phase in (GIVING, LOOT) or after.phase == UNCOVER:
        return []
    gold = count(before.open) + (before.phase == UNCOVER and told != A_RIVER + EMPTY)
    if gold:
        return [event("mistaken", seat=before.mover, n=gold)]
    return [event("right", seat=before.mover)] + [event("spared")] * (after.phase != ROBBING)


def gold_taken(before: Record, told: int, after: Record, kind: str) -> list[Event]:
    """Gold from the river, in the order it was dealt in: that of the places, but the one that was named is first."""
    river = list(before.river)
    if before.phase == GIVING:
        river.insert(0, river[told - GIVE])
    elif before.phase in (RIVER, UNCOVER):
        river.append(told - A_RIVER)
    news = {x: after.won[x] & ~before.won[x] for x in range(before.seats)}
    taken = {card: x for x, cards in news.items() if cards for card in range(GOLDS) if cards >> card & 1}
    return [
        event(kind, seat=taken[card], card=GOLD[card], points=WORTH[card]) for card in sorted(taken, key=river.index)
    ]


def robbed(before: Record, after: Record) -> list[Event]:
    """Robberies whose card is known from now on: robber and victim see it at once, the others at the end."""
    found = []
    for k in range(after.robberies):
        if after.robbed[k] != HIDDEN and (k >= before.robberies or before.robbed[k] == HIDDEN):
            seat, other, card = after.robber[k], after.victim[k], after.robbed[k]
            kind = "gained" if before.phase == LOOT else "revealed"
            found.append(event(kind, seat=seat, other=other, card=GOLD[card], points=WORTH[card]))
            found.append(event("lost", seat=other, other=seat, card=GOLD[card], points=-WORTH[card]))
    return found


def failed(before: Record, slot: int, after: Record) -> list[Event]:
    thing = after.card[slot]
    if thing == WHISKEY:
        return [event("whiskey", seat=before.mover)]
    found = [event("wrong", seat=before.mover, tool=EQUIPMENT[thing])]
    return found + [event("swapping", seat=after.turn)] * (after.phase == SWAPPING)


def ended(after: Record) -> list[Event]:
    found = [event("guard", n=GUARD) if after.stale == GUARD else event("over")]
    cards = [owned(after, x) for x in range(after.seats)]
    most = max(points_of(hand) for hand in cards)
    bottles = {x: points_of(hand & ALL_TEETH) for x, hand in enumerate(cards) if points_of(hand) == most}
    won = [x for x in bottles if winners(after) >> x & 1]
    if len(won) > 1:
        found.append(event("shared", gold=most, n=bottles[won[0]]))
    elif len(bottles) > 1:
        fewer = max(n for x, n in bottles.items() if x != won[0])
        found.append(event("bottles", seat=won[0], gold=most, n=bottles[won[0]], fewer=fewer))
    return found
