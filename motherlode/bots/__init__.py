"""Bots: each is handed what its seat may know (`table.Ask`) and answers with a legal action. One idea a file.

BOTS makes one from its name and an optional strength: `search:400`.
"""

from collections.abc import Callable

from motherlode.bots import greedy, random, search
from motherlode.engine import Refusal
from motherlode.table import Bot

BOTS: dict[str, Callable[..., Bot]] = {"random": random.bot, "greedy": greedy.bot, "search": search.bot}


def make(name: str) -> Bot:
    """The bot of this name. A strength after a colon is greedy's number of guessed worlds, search's of iterations."""
    kind, colon, strength = name.partition(":")
    if kind not in BOTS:
        raise Refusal(f"there is no bot {kind!r}; the bots are: {', '.join(BOTS)}")
    if not colon:
        return BOTS[kind]()
    if kind == "random":
        raise Refusal(f"the bot random has no strength: write random, not {name!r}")
    if not (strength.isascii() and strength.isdigit() and 0 < int(strength) <= 1_000_000):
        raise Refusal(f"a strength is a number from 1 to 1000000, as in {kind}:100, not {strength!r}")
    return BOTS[kind](int(strength))
