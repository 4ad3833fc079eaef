"""A bot with a memory like a person's, for memory games: it forgets what it was shown.

With a recall of 90, a bot still knows something it saw with a chance of 90 % after it has seen one more thing, with
0.9^k after k more, until it sees it again. 100 is perfect memory; at 0 a bot knows only what lies open now. How long it
remembers something is drawn when it sees it, seeded by the log up to there: what is forgotten stays forgotten, and the
same game is remembered in the same way.

A memory game says by `recalled_places` which of the places that `forget` can keep an entry of the told log shows again.
"""

from zlib import crc32

from motherlode import engine
from motherlode.bots.mixed import redirected
from motherlode.game import Record, Rng, below, new_rng
from motherlode.table import Ask, Bot

PERFECT = 100
PLACES = 64  # that a game can tell apart
FOREVER = 1 << 20  # longer than any game


def bot(player: Bot, recall: int) -> Bot:
    """The same player with this recall."""
    if recall == PERFECT:
        return player
    return redirected(player, lambda ask: (player, ask._replace(view=remembered_view(ask, recall))))


def remembered_view(ask: Ask, recall: int) -> Record:
    """The seat's view without what it has forgotten."""
    view = engine.copy(ask.view)
    if ask.game.recalled_places is not None:
        ask.game.forget(view, ask.seat, remembered_places(ask, recall))
    return view


def remembered_places(ask: Ask, recall: int) -> int:
    """The places that the seat still remembers, as the bits that `forget` takes."""
    if recall in (0, PERFECT):
        return -1 if recall else 0
    remembered_until = [FOREVER] * PLACES  # where nothing was seen there is nothing to forget
    recalled_places = ask.game.recalled_places
    assert recalled_places is not None
    now = log_hash = 0  # `now` counts the entries that show something
    for entry in ask.log:
        log_hash = crc32(repr(entry).encode(), log_hash)
        places = recalled_places(*entry, ask.seat)
        now += places != 0
        for place in range(PLACES):
            if places >> place & 1:
                remembered_until[place] = now + draw_duration(recall, new_rng(log_hash, PLACES * ask.seat + place))
    return sum(1 << place for place in range(PLACES) if remembered_until[place] >= now)


def draw_duration(recall: int, rng: Rng) -> int:
    """For how many more things seen this one is remembered."""
    duration = 0
    while below(rng, 100) < recall:
        duration += 1
    return duration
