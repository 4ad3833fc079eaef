"""The last cards of Mount Goldrush, solved by `expectimax` for a seat that has forgotten nothing.

It does not matter where a card lies, which colour an owner's miner has, how a seat came by its gold or, in the Gold
Rush, what a card that is not gold is.
"""

import sys

from motherlode.bots import expectimax
from motherlode.game import CHANCE, UNSEEN, Bits, Record, lowest, rule

from .rules import (
    CARDS,
    DYNAMITE,
    GOLDS,
    HALF,
    KINDS,
    MINERS,
    PATIENCE,
    RUSH,
    RUSH_AT,
    SECOND,
    gold_of,
    left,
    lies,
    owner,
    show_card,
    turn_back,
)

FROM = (0, 0, 14, 13, 13, 12)  # by number of seats: the most cards on the table
THIS = sys.modules[__name__]
MOST_POSITIONS = 3_000_000  # then the search gives up: about two seconds


def solve(s: Record) -> expectimax.Solved | None:
    """The best card to turn; None if too many are left, something was forgotten, or a game of a series follows."""
    is_last = s.series == 0 or s.game + 1 == s.seats
    if left(s) > FROM[s.seats] or not is_last or not is_known(s):
        return None
    turns = PATIENCE * max(0, left(s) - RUSH_AT) + left(s)  # a turn is at most two decisions and two cards seen
    return expectimax.solve(s.GAME, THIS, s, rows=4 * turns, most=MOST_POSITIONS)


def size(s: Record) -> str:
    return f"{left(s)} cards"


def is_known(s: Record) -> bool:
    """Whether nothing was forgotten: what counts as unseen lies on the table."""
    return sum(s.unseen) == sum(lies(s, place) and s.card[place] == UNSEEN for place in range(CARDS))


@rule
def alike(s: Record, kind: int) -> int:
    """The kind that stands for this one and all of the same value."""
    if kind < GOLDS:
        return kind
    if s.phase == RUSH:
        return DYNAMITE
    if kind == DYNAMITE:
        return kind
    colour, strength = (kind - GOLDS) // MINERS, (kind - GOLDS) % MINERS
    first = 0
    while owner(s, first) != owner(s, colour):
        first += 1
    return GOLDS + MINERS * first + strength


@rule
def merge(s: Record) -> bool:
    if s.turn == CHANCE or s.phase == SECOND:
        return False
    turn_back(s)
    show_card(s, 0, 0, 0)
    for kind in range(len(KINDS)):
        s.gone[kind] = 0
        n = s.unseen[kind]
        s.unseen[kind] = 0
        s.unseen[alike(s, kind)] += n  # never a later kind but the last
    if s.series == 0:  # MG-5.2: in a series the gold of the last game breaks ties
        for x in range(s.seats):
            s.before[x] += gold_of(s, x)
            for kind in range(GOLDS):
                s.won[GOLDS * x + kind] = 0
    if s.phase == RUSH:
        s.quiet = 0
    places = s.upper | s.lower << HALF
    number = 0
    while places != 0:  # sort the cards to the first places, the unseen ones last
        place = lowest(places)
        places &= places - 1
        card = s.card[place]
        s.card[place] = UNSEEN
        card = len(KINDS) if card == UNSEEN else alike(s, card)
        i = number
        while i > 0 and s.card[i - 1] > card:
            s.card[i] = s.card[i - 1]
            i -= 1
        s.card[i] = card
        number += 1
    for i in range(number):
        if s.card[i] == len(KINDS):
            s.card[i] = UNSEEN
    s.upper = (1 << min(number, HALF)) - 1
    s.lower = (1 << max(0, number - HALF)) - 1
    return True


@rule
def differ(s: Record, bits: Bits) -> None:
    """Keep the first of the places whose cards are alike."""
    places = bits[0]
    met = 0
    while places != 0:
        place = lowest(places)
        places &= places - 1
        card = len(KINDS) if s.card[place] == UNSEEN else alike(s, s.card[place])
        if (met >> card) & 1 == 1:
            bits[0] &= ~(1 << place)
        met |= 1 << card
