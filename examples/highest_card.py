"""A bot in Python that plays the highest card it can: from this folder, `py:highest_card:choose`."""

from motherlode.game import Rng, below
from motherlode.table import Ask


def choose(ask: Ask, rng: Rng) -> int:
    names = {a: ask.game.ACTIONS.name(a) for a in ask.legal}  # {2: "look 2", 19: "discard D3", …}
    plays = [a for a in names if names[a].startswith("play")]
    return max(plays, key=lambda a: names[a][-1]) if plays else ask.legal[below(rng, len(ask.legal))]
