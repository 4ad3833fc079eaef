"""What a network is told of a position besides its observation: how many pieces of a kind every player has (CP-4.1)."""

from .rules import CARDS, KINDS, ONES, SHOWING, TWOS


def pieces(card: int, kind: int) -> int:
    """How much a card counts for a kind: its figure, or 1 if it shows the kind without one."""
    return (ONES[kind] >> card & 1) + 2 * (TWOS[kind] >> card & 1) + (SHOWING[kind] >> card & 1)


COUNTS = {"held": [[pieces(card, kind) for card in range(len(CARDS))] for kind in range(len(KINDS))]}
