"""What a network is told of a view: what the players have of every kind, and what the open cards would bring whom."""

from motherlode.game import Clue, Record, Words, rule

from .rules import (
    ALIKE,
    ALL_CARDS,
    GIVING,
    HIGH,
    KINDS,
    LOW,
    MOST_SEATS,
    PAIRS,
    adjusted_kind,
    adjustment,
    number,
    worth,
)

MOST = max(number(ALL_CARDS, kind) for kind in range(len(KINDS)))
EVEN = 24  # what stands for no points gained and none lost; what is further away counts as the last
CLUES = (
    Clue("number", MOST, MOST_SEATS * len(KINDS)),  # pieces of every kind, the observer's first
    Clue("odd", 1, MOST_SEATS * len(KINDS)),
    Clue("balance", 2 * EVEN, MOST_SEATS),  # points if the round were over now, which may be negative
    Clue("gain", 2 * EVEN, MOST_SEATS * 6),  # of them by the open card of every pile
    Clue("given", 2 * EVEN, MOST_SEATS * 2),  # by the cards just taken
    Clue("pair", 2 * EVEN, len(PAIRS)),  # by taking these two, if one goes to whom it helps least
)


@rule
def balance(s: Record, cards: int) -> int:
    """The points of these cards (CP-4.4, CP-4.5), which may be negative."""
    best, added, points = adjusted_kind(s, cards), adjustment(cards), 0
    for kind in range(len(KINDS)):
        points += worth(s, cards, kind, added if kind == best else 0)
    return points


@rule
def with_card(cards: int, look: int) -> int:
    """These cards and one more that looks so."""
    more = int(ALIKE[look]) & ~cards
    return cards | (more & -more)


@rule
def scaled(points: int) -> int:
    return min(max(EVEN + points, 0), 2 * EVEN)


@rule
def clues(s: Record, me: int, out: Words, at: int) -> None:
    n = s.seats
    odd = at + MOST_SEATS * len(KINDS)
    own = odd + MOST_SEATS * len(KINDS)
    gains = own + MOST_SEATS
    given = gains + MOST_SEATS * 6
    pairs = given + MOST_SEATS * 2
    for r in range(MOST_SEATS):
        cards = int(s.held[(me + r) % n]) if r < n else 0
        now = balance(s, cards)
        out[own + r] = scaled(now)
        for kind in range(len(KINDS)):
            pieces = number(cards, kind)
            out[at + r * len(KINDS) + kind] = pieces
            out[odd + r * len(KINDS) + kind] = pieces & 1
        for pile in range(6):
            look = s.top[pile]
            is_open = look >= 0 and r < n
            out[gains + r * 6 + pile] = scaled(balance(s, with_card(cards, look)) - now if is_open else 0)
        for k in range(2):
            look = s.top[s.taken[k]] if s.phase == GIVING and s.due == 0 else -1
            if k == 1 and s.beneath > 0:
                look = s.beneath - 1
            is_open = look >= 0 and r < n
            out[given + r * 2 + k] = scaled(balance(s, with_card(cards, look)) - now if is_open else 0)
    for pair in range(len(PAIRS)):
        most = -2 * EVEN
        for k in range(2):
            kept = gains + (LOW[pair] if k == 0 else HIGH[pair])
            gift = gains + (HIGH[pair] if k == 0 else LOW[pair])
            least = 2 * EVEN
            for r in range(1, n):
                least = min(least, int(out[gift + r * 6]))
            most = max(most, int(out[kept]) - least)
        out[pairs + pair] = scaled(most)
