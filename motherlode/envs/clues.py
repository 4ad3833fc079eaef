"""What a network is told besides an observation: numbers that follow from a view, but that it would hardly find out.

A game may bring a module `clues.py` beside its rules:

    CLUES                   what its columns are: `Clue`s, one after the other
    clues(s, me, out, at)   a rule: writes the columns of a view, as this seat counts, from out[at] on

A network's *row* is the observation, and behind it the clues. Whatever computes them does it from the view alone.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from motherlode.envs import encoder
from motherlode.envs.observation import Row, layout
from motherlode.game import Clue, Game, Record, Words


def size(game: Game) -> int:
    """How many columns the clues of a game have."""
    return sum(clue.places * clue.each for clue in game.CLUES)


def width(game: Game) -> int:
    """How many columns a row has."""
    return layout(game).size + size(game)


def tops(game: Game) -> Row:
    """By column of a row, the most that it can be."""
    own = [np.full(clue.places * clue.each, clue.most) for clue in game.CLUES]
    return np.concatenate([np.rint(layout(game).scale), *own]).astype(np.int32)


def columns(game: Game) -> Iterator[tuple[Clue, Row]]:
    """Every clue with its columns in a row, by place."""
    at = layout(game).size
    for clue in game.CLUES:
        stop = at + clue.places * clue.each
        yield clue, np.arange(at, stop).reshape(clue.places, clue.each)
        at = stop


def writer(game: Game, inner: Callable[[Any], Any]) -> Any:
    """The function clues(view, seat, out, at), which `inner` compiles."""
    own = game.clues
    if own is not None:
        return own

    @inner
    def no_clues(s: Record, me: int, out: Words, at: int) -> None:
        """This game has none."""

    return no_clues


def reader(game: Game, inner: Callable[[Any], Any]) -> Any:
    """The function read(view, seat, out), which writes a row over zeros."""
    encode, clues, first = encoder.encoder(layout(game), inner), writer(game, inner), layout(game).size

    @inner
    def read(s: Record, seat: int, out: Words) -> None:
        encode(s, seat, out)
        clues(s, max(seat, 0), out, first)

    return read


def row(game: Game, view: Record, seat: int) -> Row:
    """The row of a network, in plain Python."""
    found = np.zeros(width(game), np.uint8)
    layout(game).interpreted(view, seat, found)
    if game.clues is not None:
        game.clues(view, max(seat, 0), found, layout(game).size)
    return found
