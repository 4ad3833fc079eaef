"""A memory like a person's, for the games of memory: a bot that has forgotten much of what it was shown.

Whatever a seat sees, it sees for a while: with a recall of 90 each thing is still known after the next sight with a
chance of 90 %, after k more sights with 0.9^k, until it is seen again. 100 is perfect memory, 0 is a person's eyes
alone. How long a sight lasts is drawn when it is seen, from the log up to there: so what is forgotten stays forgotten,
and the same game is remembered in the same way.

A game of memory says by `sights` which of the places that `forget` can keep an entry of the told log brings to mind.
"""

from zlib import crc32

from motherlode import engine
from motherlode.game import Record, Rng, below, new_rng
from motherlode.table import Ask, Bot

PLACES = 64  # that a game can keep apart
FOR_EVER = 1 << 20  # sights; more than a game has


def bot(player: Bot, recall: int) -> Bot:
    def choose(ask: Ask, rng: Rng) -> int:
        return player(ask._replace(view=remembered(ask, recall)), rng)

    return choose if recall < 100 else player


def remembered(ask: Ask, recall: int) -> Record:
    """The seat's view without what it has forgotten."""
    view = engine.copy(ask.view)
    if hasattr(ask.game, "sights"):
        ask.game.forget(view, ask.seat, kept(ask, recall))
    return view


def kept(ask: Ask, recall: int) -> int:
    """The places whose last sight has not faded, as the bits that `forget` takes."""
    if recall in (0, 100):
        return -1 if recall else 0
    until = [FOR_EVER] * PLACES  # where nothing was seen there is nothing to forget
    sights = heard = 0
    for entry in ask.log:
        heard = crc32(repr(entry).encode(), heard)
        places = ask.game.sights(*entry, ask.seat)
        sights += places != 0
        for place in range(PLACES):
            if places >> place & 1:
                until[place] = sights + lasting(recall, new_rng(heard, PLACES * ask.seat + place))
    return sum(1 << place for place in range(PLACES) if until[place] >= sights)


def lasting(recall: int, rng: Rng) -> int:
    """How many more sights one lasts."""
    sights = 0
    while below(rng, 100) < recall:
        sights += 1
    return sights
