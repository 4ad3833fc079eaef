"""The last turns of Claimpoker's second round, solved by `expectimax`. The end of the first round is not solved."""

import sys

from motherlode.bots import expectimax
from motherlode.game import CHANCE, Bits, Record, rule

from .rules import ANY, ROUNDS, TAKING

THIS = sys.modules[__name__]
FROM = (0, 0, 0, 10, 9, 8)  # by number of seats: the most cards still to be taken
MOST_POSITIONS = 4_000_000  # then the search gives up: about two seconds


def solve(s: Record) -> expectimax.Solved | None:
    """The best action; None if too many cards are still to be taken, or a round follows."""
    cards = sum(s.left)
    if s.piles != ANY:  # a turn takes at most one card from the largest pile
        cards = min(cards, 2 * (cards - max(s.left)))
    if s.round + 1 < ROUNDS or cards > FROM[s.seats]:
        return None
    # A turn takes two cards by three decisions at most; chance turns up at most six tops before it, and one card in it.
    return expectimax.solve(s.GAME, THIS, s, rows=10 * (sum(s.left) // 2 + 2), most=MOST_POSITIONS)


def size(s: Record) -> str:
    return f"{sum(s.left)} cards"


@rule
def merge(s: Record) -> bool:
    return s.turn != CHANCE and s.phase == TAKING


@rule
def differ(s: Record, bits: Bits) -> None:
    """No two actions are known to have equal value."""
