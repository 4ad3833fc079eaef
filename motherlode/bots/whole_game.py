"""What `equilibrium` takes to solve a whole game: an ending that lasts until the game is over."""

from motherlode.game import Record, rule


@rule
def has_ended(s: Record, root: Record) -> bool:
    return False
