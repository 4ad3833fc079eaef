"""A little game whose chance draws from decks: two piles with cards of their own, and special cards dealt onto them.

Seats turn up cards in turn, from the pile they choose; a card counts its number for whoever turns it up.
"""

import sys
from typing import cast

from motherlode.game import (
    CHANCE,
    OVER,
    Actions,
    Arg,
    Bits,
    Field,
    Game,
    Kind,
    Record,
    Rules,
    Source,
    Thing,
    adopt,
    put,
    record,
    rule,
)

NAME = "two_piles"
TITLE = "Two Piles"
CREDIT = "for tests"
RULES = 1
SEATS = (2,)
LENGTH = 8

OWN = ((0, 0, 1), (2, 3))  # the cards of each pile
SPECIAL = (4, 4, 5)
DEALT = (2, 1)  # of the special cards, on each pile
CARDS = (2, 1, 1, 1, 2, 1)  # of each number
FIRST_SPECIAL = 4
SPECIALS = len(OWN)  # the deck of the special cards

FIELDS = (
    Field("turn", OVER, 1, 0, "who is to act"),
    Field("seats", 2, 2, 0, "number of players"),
    Field("shown", 0, 0, 1, "always 0"),
    Field("mover", 0, 1, 0, "whose turn it is", of_seats=True),
    Field("pile", 0, 1, 0, "the pile that a card is turned up from"),
    Field("unseen", 0, 2, len(CARDS), "cards of each number that nobody has seen"),
    Field("dealt", 0, 2, 2, "special cards that lie unseen in each pile"),
    Field("turned", 0, 5, 2, "cards turned up from each pile"),
    Field("points", 0, 20, 2, "points", by_seat=True),
)
RECORD = record(FIELDS)
ACTIONS = Actions(Kind("turn", (Arg("pile", ("0", "1")),), "TP-1.1"))
OUTCOMES = Actions(Kind("card", (Arg("number", tuple(map(str, range(len(CARDS))))),), "TP-1.2"))


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    for card in range(len(CARDS)):
        s.unseen[card] = CARDS[card]
    for pile in range(2):
        s.dealt[pile] = DEALT[pile]


@rule
def legal(s: Record, bits: Bits) -> int:
    bits[0] = 0
    found = 0
    if s.turn == CHANCE:
        for card in range(len(CARDS)):
            if s.unseen[card] and odds(s, card):
                put(bits, card)
                found += 1
    else:
        for pile in range(2):
            if s.turned[pile] < len(OWN[pile]) + DEALT[pile]:
                put(bits, pile)
                found += 1
    return found


@rule
def odds(s: Record, a: int) -> int:
    if a >= FIRST_SPECIAL:
        return s.unseen[a] * s.dealt[s.pile]
    return s.unseen[a] * (a in OWN[s.pile]) * max(1, s.unseen[4] + s.unseen[5])


@rule
def apply(s: Record, a: int) -> None:
    if s.turn != CHANCE:
        s.mover = s.turn
        s.pile = a
        s.turn = CHANCE
        return
    s.unseen[a] -= 1
    s.turned[s.pile] += 1
    if a >= FIRST_SPECIAL:
        s.dealt[s.pile] -= 1
    s.points[s.mover] += a
    s.turn = OVER if s.turned[0] + s.turned[1] == sum(CARDS) else 1 - s.mover


@rule
def score(s: Record, out: Bits) -> None:
    for x in range(2):
        out[x] = s.points[x]


@rule
def winners(s: Record) -> int:
    return 1 if s.points[0] > s.points[1] else 2 if s.points[0] < s.points[1] else 3


def source(s: Record) -> Source:
    return Source(s.pile, s.turned[s.pile])


def deck(s: Record, number: int) -> list[Thing]:
    """On the first pile lie the first special cards that were dealt, on the second the next ones."""
    if number == SPECIALS:
        return list(SPECIAL)
    before = sum(DEALT[:number])
    return [*OWN[number], *((SPECIALS, before + n) for n in range(DEALT[number]))]


GAME: Game = adopt(cast(Rules, sys.modules[__name__]), NAME)
