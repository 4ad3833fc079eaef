"""What a position is worth to a seat as far as it knows: the mean of what it is worth in worlds that it holds possible.

The worlds are drawn by the game's `guess`, with random numbers that follow from the view, so equal views have equal
values.
"""

from collections.abc import Sequence

from motherlode.game import OVER, Game, Record, new_rng
from motherlode.review import values

WORLDS = 16  # that are drawn for a view


def worlds(game: Game, view: Record, seat: int) -> list[Record]:
    """Worlds that agree with a view, alike for equal views; the view itself where nothing is hidden from the seat."""
    content = bytes(view)
    rng = new_rng(values.hash_of(content), seat)
    drawn: list[Record] = []
    while len(drawn) < WORLDS:
        world = game.RECORD.from_buffer_copy(content)
        game.guess(world, seat, rng)
        drawn.append(world)
        if view.turn == OVER or bytes(world) == content:
            break
    return drawn


def chances(game: Game, views: Sequence[tuple[int, Record]]) -> list[float]:
    """The chance to win of every seat with its view."""
    drawn = [worlds(game, view, seat) for seat, view in views]
    wins = values.worth(game, [world for each in drawn for world in each]).wins if drawn else None
    found, at = [], 0
    for (seat, _), each in zip(views, drawn, strict=True):
        assert wins is not None
        found.append(float(wins[at : at + len(each), seat].mean()))
        at += len(each)
    return found
