"""Bots: each is handed what its seat may know (`table.Ask`) and answers with a legal action. One idea a file.

`make` makes one from its name:

    random              any legal action
    greedy:10           looks one action ahead in so many guessed worlds
    search:1000         tree search of so many iterations; search:500ms for so long; search:4x1000 with four trees
    prospector          a level of the game's ladder, see levels.py
    cmd:PROGRAM ARGS    a program of your own, see outside.py

and each with a memory, for the games of memory: greedy:10@90, see memory.py.
"""

import re
from collections.abc import Callable

from motherlode.bots import greedy, levels, memory, outside, random, search
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.table import Bot

BOTS: dict[str, Callable[..., Bot]] = {"random": random.bot, "greedy": greedy.bot, "search": search.bot}
LIMIT = 10.0  # seconds that an outside bot may take for an answer
MOST = 10_000_000


def make(name: str, game: Game | None = None, *, limit: float = LIMIT) -> Bot:
    """The bot of this name, checked for a game if one is given."""
    if name.startswith("cmd:"):
        return outside.Outside(name.removeprefix("cmd:"), limit)
    if levels.is_level(name):
        return levels.bot(name, game, make)
    plain, at, recall = name.partition("@")
    if at:
        return memory.bot(make(plain, game), number(recall, 100, f"{plain}@90"))
    kind, colon, strength = plain.partition(":")
    if kind not in BOTS:
        known = [*BOTS, *levels.names(game), "cmd:PROGRAM"]
        raise Refusal(f"there is no bot {kind!r}; the bots are: {', '.join(known)}")
    if not colon:
        return BOTS[kind]()
    if kind == "random":
        raise Refusal(f"the bot random has no strength: write random, not {plain!r}")
    if kind == "search" and strength.endswith("ms"):
        return search.bot(MOST, milliseconds=number(strength[:-2], MOST, "search:500ms"))
    if kind == "search" and re.fullmatch(r"\d+x\d+", strength):
        trees, _, iterations = strength.partition("x")
        return search.bot(number(iterations, MOST, "search:4x1000"), trees=number(trees, 64, "search:4x1000"))
    return BOTS[kind](number(strength, MOST, f"{kind}:100"))


def number(word: str, most: int, example: str) -> int:
    least = 0 if "@" in example else 1
    if not (word.isascii() and word.isdigit() and len(word) < 12 and least <= int(word) <= most):
        raise Refusal(f"a strength is a number from {least} to {most}, as in {example}, not {word!r}")
    return int(word)


def warm(name: str, game: Game) -> None:
    """Compile what this bot needs for this game, so that its first answer need not wait for it."""
    if "search" in levels.spelled(name, game):
        search.warm(game)


def lost(bot: Bot) -> str | None:
    """Why a bot from outside has lost its seat, if it has."""
    return bot.lost if isinstance(bot, outside.Outside) else None


def end(bot: Bot) -> str | None:
    """The game is over for this bot; why it lost its seat, if it did."""
    return bot.end() if isinstance(bot, outside.Outside) else None
