"""Bots: each is handed what its seat may know (`table.Ask`) and answers with a legal action. One idea a file.

`make` makes one from its name:

    random              any legal action
    greedy:10           looks one action ahead in so many guessed worlds
    search:1000         tree search of so many iterations; search:500ms for so long; search:4x1000 with four trees
    prospector          a level of the game's ladder, see levels.py
    cmd:PROGRAM ARGS    a program of your own, see outside.py

and each with additions:

    search:1000+exact       plays endings exactly where they can be computed, see exact.py
    search:1000+building    builds by a table of good ways (Gold Hunting), see building.py
    greedy:10@90            with a memory, for the games of memory, see memory.py; it comes last
"""

from collections.abc import Callable
from functools import partial
from types import ModuleType

from motherlode.bots import exact, greedy, levels, memory, outside, random, search
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.games.gold_hunting import building
from motherlode.table import Bot

BOTS: dict[str, Callable[..., Bot]] = {"random": random.bot, "greedy": greedy.bot, "search": search.bot}
LIMIT = 10.0  # seconds that an outside bot may take for an answer
MOST = 10_000_000
PLAIN = 60  # iterations of an interpreted search: a fraction of a second


def make(name: str, game: Game | None = None, *, limit: float = LIMIT, plain: bool = False) -> Bot:
    """The bot of this name, checked for a game if one is given.

    A `plain` one needs no compilation: its search is interpreted, and so much shorter.
    """
    if name.startswith("cmd:"):
        return outside.Outside(name.removeprefix("cmd:"), limit)
    if levels.is_level(name):
        return levels.bot(name, game, partial(make, plain=plain))
    player, at, recall = name.partition("@")
    if at:
        return memory.bot(make(player, game, plain=plain), number(recall, 100, f"{player}@90"))
    player, plus, addition = name.rpartition("+")
    if plus:
        return add(addition, make(player, game, plain=plain), plain=plain)
    kind, colon, strength = name.partition(":")
    if kind not in BOTS:
        known = [*BOTS, *levels.names(game), "cmd:PROGRAM"]
        raise Refusal(f"there is no bot {kind!r}; the bots are: {', '.join(known)}")
    if kind == "search":
        return make_search(strength if colon else "1000", plain=plain)
    if not colon:
        return BOTS[kind]()
    if kind == "random":
        raise Refusal(f"the bot random has no strength: write random, not {name!r}")
    return BOTS[kind](number(strength, MOST, f"{kind}:100"))


def add(addition: str, player: Bot, *, plain: bool) -> Bot:
    if addition == "building":
        return building.bot(player)
    if addition == "exact":
        return player if plain else exact.bot(player)
    raise Refusal(f"a bot can be given +exact and +building, not {'+' + addition!r}")


def make_search(strength: str, *, plain: bool) -> Bot:
    if strength.endswith("ms"):
        return search.bot(MOST, milliseconds=number(strength[:-2], MOST, "search:500ms"), plain=plain)
    trees, x, iterations = strength.rpartition("x")
    tries = number(iterations, MOST, "search:4x1000" if x else "search:100")
    if plain:
        return search.bot(min(tries, PLAIN), plain=True)
    return search.bot(tries, trees=number(trees, 64, "search:4x1000") if x else 1)


def number(word: str, most: int, example: str) -> int:
    least = 0 if "@" in example else 1
    if not (word.isascii() and word.isdigit() and len(word) < 12 and least <= int(word) <= most):
        raise Refusal(f"a strength is a number from {least} to {most}, as in {example}, not {word!r}")
    return int(word)


def warm(name: str, game: Game) -> None:
    """Compile what this bot needs for this game, so that its first answer need not wait for it."""
    for part in compiled_parts(name, game):
        part.warm(game)


def is_warm(name: str, game: Game) -> bool:
    """Whether this bot would answer at once; a plain one can stand in for it until then."""
    return all(part.is_warm(game) for part in compiled_parts(name, game))


def compiled_parts(name: str, game: Game) -> list[ModuleType]:
    """What has to be compiled for this bot; nothing of ours for a program of yours."""
    if name.startswith("cmd:"):
        return []
    player, *additions = name.partition("@")[0].split("+")
    player, *built_in = levels.spelled(player, game).partition("@")[0].split("+")
    parts = [search] if player.startswith("search") else []
    return parts + [exact] * ("exact" in [*built_in, *additions])


def lost(bot: Bot) -> str | None:
    """Why a bot from outside has lost its seat, if it has."""
    return bot.lost if isinstance(bot, outside.Outside) else None


def end(bot: Bot) -> str | None:
    """The game is over for this bot; why it lost its seat, if it did."""
    return bot.end() if isinstance(bot, outside.Outside) else None
