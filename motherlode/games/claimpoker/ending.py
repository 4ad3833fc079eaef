"""The last turns of Claimpoker's second round, solved by `expectimax`. The first round is no ending."""

import sys

from motherlode.bots import expectimax
from motherlode.game import CHANCE, Bits, Record, rule

from .rules import ROUNDS, TAKING

THIS = sys.modules[__name__]
FROM = (0, 0, 0, 10, 9, 8)  # cards still to be taken from which it is solved, by number of seats
MOST_POSITIONS = 4_000_000  # then the search gives up: about two seconds


def solve(s: Record) -> expectimax.Solved | None:
    """The best action; None with too many cards left to be taken, or with a round to follow."""
    others = sum(s.left) - max(s.left)  # a turn takes at most one card from the largest pile
    if s.round + 1 < ROUNDS or min(sum(s.left), 2 * others) > FROM[s.seats]:
        return None
    # A turn takes two cards by three decisions at most, after chance has turned up at most six tops.
    return expectimax.solve(s.GAME, THIS, s, rows=9 * (sum(s.left) // 2 + 2), most=MOST_POSITIONS)


@rule
def merge(s: Record) -> bool:
    return s.turn != CHANCE and s.phase == TAKING


@rule
def differ(s: Record, bits: Bits) -> None:
    """Every action is one of its own."""
