"""A bot's name, read once: `BotSpec.parse("search:1000+exact@90")`.

    random              any legal action
    greedy:10           looks one action ahead in 10 guessed worlds
    search:1000         tree search of 1,000 iterations; search:500ms for 500 ms; search:4x1000 with four trees
    policy              plays as the game's network says; policy:FILE as the network in this file, see policy.py
    policy+search:400   tree search of 400 iterations that the network guides, see guided.py; policy:FILE+search:400
    prospector          a level of the game, see levels.py
    py:MODULE:FUNCTION  a Python function of your own, see function.py
    cmd:PROGRAM ARGS    a program of your own, see outside.py

All but programs can be given additions, and a memory, which comes last:

    search:1000+exact   plays endings exactly where they can be computed, see exact.py
    random+careless     every second decision is what looks worst, see careless.py
    search:1000+NAME    an addition that the game itself brings in its module `additions`
    greedy:10@90        forgets, in the memory games, see memory.py
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import Literal

from motherlode.bots import (
    careless,
    exact,
    function,
    greedy,
    guided,
    levels,
    memory,
    network,
    outside,
    policy,
    random,
    search,
)
from motherlode.engine import Refusal
from motherlode.game import Game, Rng
from motherlode.games import GAMES, part
from motherlode.table import Ask, Bot

BOTS: dict[str, Callable[..., Bot]] = {"random": random.bot, "greedy": greedy.bot, "search": search.bot}
PROGRAM = "cmd:"  # what the name of a program begins with
FUNCTION = "py:"  # what the name of a Python function begins with
EXACT = "exact"
CARELESS = "careless"
LIMIT = 10.0  # seconds that a program may take for an answer
GREATEST = 10_000_000  # strength of a bot
MOST_TREES = 64
PLAIN = 60  # iterations of an interpreted search, which takes a fraction of a second
STRONG = 2000  # iterations from which a search plays about as well as a network
DEFAULT_STRENGTH = {"greedy": 10, "search": 1000}
SEARCH = "search"  # what a policy is given to be searched with

Kind = Literal["random", "greedy", "search", "policy", "level", "function", "program"]
Addition = Callable[[Bot], Bot]


@dataclass(frozen=True)
class BotSpec:
    """What a bot's name says."""

    kind: Kind
    strength: int = 0  # worlds that `greedy` guesses, iterations per tree; a policy without is not searched
    milliseconds: int = 0  # 0: the search has no time limit
    trees: int = 1
    file: str = ""  # of a policy; without one it is the game's own
    level: str = ""
    function: str = ""  # MODULE:FUNCTION
    command: str = ""  # of a program
    additions: tuple[str, ...] = ()
    recall: int = memory.PERFECT

    @classmethod
    def parse(cls, name: str, game: Game | None = None) -> "BotSpec":
        """The bot of this name; a name that no bot has, or none of this game, is refused."""
        if name.startswith(PROGRAM):
            return cls("program", command=name.removeprefix(PROGRAM))
        name, at, recall = name.partition("@")
        player, *additions = name.split("+")
        spec = parse_player(player, game)
        if spec.kind == "policy" and additions and additions[0].partition(":")[0] == SEARCH:
            searched = parse_search(additions.pop(0), "policy+")
            spec = replace(searched, kind="policy", file=spec.file)
        for addition in additions:
            check_addition(addition, game)
        return replace(
            spec,
            additions=tuple(dict.fromkeys(additions)),
            recall=read_number(recall, "recall", 0, memory.PERFECT, f"{name}@90") if at else memory.PERFECT,
        )

    def __str__(self) -> str:
        """The name, in the one way it is written in full."""
        if self.kind == "program":
            return PROGRAM + self.command
        strength = f"{self.milliseconds}ms" if self.milliseconds else str(self.strength)
        strength = f"{self.trees}x{strength}" if self.trees > 1 else strength
        names = {"level": self.level, "random": "random", "function": FUNCTION + self.function}
        names["policy"] = ":".join(["policy", self.file] if self.file else ["policy"])
        names["policy"] += f"+{SEARCH}:{strength}" * self.is_searched
        player = names.get(self.kind, f"{self.kind}:{strength}")
        recall = f"@{self.recall}" if self.recall < memory.PERFECT else ""
        return "+".join([player, *self.additions]) + recall

    @property
    def is_searched(self) -> bool:
        """Whether this is a policy with a search."""
        return self.kind == "policy" and self.strength > 0

    def in_game(self, game: Game) -> "BotSpec":
        """The same bot, with a level replaced by the bot that it is in this game."""
        if self.kind != "level":
            return self
        spec = BotSpec.parse(levels.bot_name(self.level, game), game)
        if spec.kind in ("level", "function", "program"):
            raise Refusal(f"the level {self.level} of {game.TITLE} must be a bot, not {spec}")
        additions = tuple(dict.fromkeys((*spec.additions, *self.additions)))
        return replace(spec, additions=additions, recall=min(spec.recall, self.recall))

    def make(
        self,
        game: Game | None = None,
        *,
        limit: float = LIMIT,
        plain: bool = False,
        core_seconds: float | None = None,
    ) -> Bot:
        """The bot itself. A `plain` one needs no compilation: it is interpreted, and its search therefore short.

        Where `policy_stands_in` the plain one is that policy, by NumPy.

        With `core_seconds` it stops thinking when it has used so much of a core, and takes what is best so far: then
        the same seed need not give the same answer.
        """
        if self.kind == "program":
            return outside.Outside(self.command, limit)
        if self.kind == "function":
            function.load(self.function)  # what is wrong with it is refused now
        if game is None and (self.kind in ("level", "policy") or self.additions):
            return self.make_in_any_game(plain=plain, core_seconds=core_seconds)
        spec = self if game is None else self.in_game(game)
        player = spec.make_player(game, plain=plain, core_seconds=core_seconds)
        for name in spec.additions:
            if not (plain and name == EXACT):
                player = additions_of(game)[name](player)
        return memory.bot(player, spec.recall)

    def make_in_any_game(self, *, plain: bool, core_seconds: float | None) -> Bot:
        """A bot that becomes that of a game when it is first asked in it."""

        @cache
        def player(game: Game) -> Bot:
            return BotSpec.parse(str(self), game).make(game, plain=plain, core_seconds=core_seconds)

        def choose(ask: Ask, rng: Rng) -> int:
            return player(ask.game)(ask, rng)

        return choose

    def make_player(self, game: Game | None, *, plain: bool, core_seconds: float | None) -> Bot:
        """The bot without its additions and its memory. Only functions decide where any plan would be a tell."""
        if self.kind == "function":
            return function.bot(self.function)
        return random.where_blind(self.make_own(game, plain=plain, core_seconds=core_seconds))

    def make_own(self, game: Game | None, *, plain: bool, core_seconds: float | None) -> Bot:
        """One of our own players."""
        if game is not None and (self.policy_stands_in(game) if plain else self.kind == "policy"):
            net = policy.find(game, self.file)
            if plain or not self.is_searched:
                return policy.Policy(game, net, plain=plain)
            milliseconds = self.milliseconds or None
            return guided.bot(
                net, self.strength, milliseconds=milliseconds, trees=self.trees, core_seconds=core_seconds
            )
        if self.kind == "search":
            iterations = min(self.strength, PLAIN) if plain and not self.milliseconds else self.strength
            milliseconds, trees = self.milliseconds or None, 1 if plain else self.trees
            return search.bot(
                iterations, milliseconds=milliseconds, trees=trees, plain=plain, core_seconds=core_seconds
            )
        if self.kind == "greedy":
            worlds = min(self.strength, greedy.FEW) if plain else self.strength
            return greedy.bot(worlds, plain=plain, core_seconds=core_seconds)
        return random.bot()

    def policy_stands_in(self, game: Game) -> bool:
        """Whether a policy by NumPy stands in for this bot until it is compiled, and plays about as well.

        It does for a policy, searched or not, and where the game brings one for a strong search that forgets nothing.
        For a weaker bot it might be far too strong.
        """
        spec = self.in_game(game)
        is_strong = spec.kind == "search" and not spec.milliseconds and spec.strength >= STRONG
        return spec.kind == "policy" or (is_strong and spec.recall == memory.PERFECT and network.brings(game))

    def compiled_parts(self, game: Game) -> list[ModuleType]:
        """The modules of this package that have to be compiled for this bot."""
        spec = self.in_game(game)
        needed = {"search": [search], "greedy": [greedy] * (spec.strength > greedy.FEW)}
        needed["policy"] = [guided if spec.is_searched else policy]
        return needed.get(spec.kind, []) + [exact] * (EXACT in spec.additions)

    def warm(self, game: Game) -> None:
        """Compile what this bot needs for this game, so that its first answer comes at once."""
        for module in self.compiled_parts(game):
            module.warm(game)

    def is_warm(self, game: Game) -> bool:
        """Whether this bot would answer at once; until then a plain one can stand in for it."""
        return all(module.is_warm(game) for module in self.compiled_parts(game))

    def check_for_server(self, strongest: int) -> None:
        """Refuse what a server must not run: others' code, bots that watch the clock, and bots that think for hours."""
        self.check_own()
        if self.milliseconds or self.trees > 1:
            strength = str(replace(self, additions=(), recall=memory.PERFECT)).rpartition(":")[2]
            raise Refusal(f"here a bot's strength is a number, as in search:400, not {strength!r}")
        if self.strength > strongest:
            raise Refusal(f"here a bot's strength is at most {strongest}, not {self.strength}")

    def check_own(self) -> None:
        """Refuse programs, functions and files, wherever a name may be a stranger's."""
        if self.kind in ("function", "program"):
            what = "a program of your own" if self.kind == "program" else "a bot in Python"
            raise Refusal(f"{what} takes a seat as a guest, over the API; it is not started here")
        if self.file:
            raise Refusal("a policy from a file is not played here; the game's own is called policy")


def parse_player(player: str, game: Game | None) -> BotSpec:
    """A name without additions and memory."""
    kind, colon, strength = player.partition(":")
    if kind in levels.NAMES:
        if colon:
            raise Refusal(f"a level has no strength: write {kind}, not {player!r}")
        if game is not None:
            levels.bot_name(kind, game)
        return BotSpec("level", level=kind)
    if kind == "random":
        if colon:
            raise Refusal(f"the bot random has no strength: write random, not {player!r}")
        return BotSpec("random")
    if kind == "greedy":
        return BotSpec("greedy", read_strength(strength, "greedy:100") if colon else DEFAULT_STRENGTH[kind])
    if kind == "search":
        return parse_search(player)
    if kind == "policy":
        if colon and not strength:
            raise Refusal("a policy is the game's own, as in policy, or that of a file, as in policy:FILE.npz")
        if game is not None:
            policy.find(game, strength)
        return BotSpec("policy", file=strength)
    if player.startswith(FUNCTION):
        function.split(strength)
        return BotSpec("function", function=strength)
    known = [*BOTS, "policy", *levels.names(game), FUNCTION + "MODULE:FUNCTION", PROGRAM + "PROGRAM"]
    raise Refusal(f"there is no bot {kind!r}; the bots are: {', '.join(known)}")


def parse_search(name: str, before: str = "") -> BotSpec:
    """A search by its name; `before` stands before it in examples."""
    _, colon, strength = name.partition(":")
    if not colon:
        return BotSpec("search", DEFAULT_STRENGTH["search"])
    trees, x, iterations = strength.rpartition("x")
    number = read_number(trees, "number of trees", 1, MOST_TREES, f"{before}search:4x1000") if x else 1
    if iterations.endswith("ms"):
        milliseconds = read_strength(iterations.removesuffix("ms"), f"{before}search:500ms")
        return BotSpec("search", GREATEST, milliseconds=milliseconds, trees=number)
    example = f"{before}search:4x1000" if x else f"{before}search:100"
    return BotSpec("search", read_strength(iterations, example), trees=number)


def check_addition(name: str, game: Game | None) -> None:
    """Refuse an addition that does not exist, or not in this game."""
    known = additions_of(game) if game is not None else {name for each in GAMES.values() for name in additions_of(each)}
    if name not in known:
        listed = " and ".join(f"+{each}" for each in sorted(known))
        where = f" in {game.TITLE}" if game is not None else ""
        hint = "; a search comes right behind a policy, as in policy+search:400" if name.startswith(SEARCH) else ""
        raise Refusal(f"a bot can be given {listed}{where}, not {'+' + name!r}{hint}")


def additions_of(game: Game | None) -> dict[str, Addition]:
    """What can be added to a bot in this game: ours, and what the game brings in its module `additions`."""
    module = part(game, "additions") if game is not None else None
    return {EXACT: exact.bot, CARELESS: careless.bot} | (module.ADDITIONS if module else {})


def read_strength(word: str, example: str) -> int:
    return read_number(word, "strength", 1, GREATEST, example)


def read_number(word: str, what: str, least: int, most: int, example: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 12 and least <= int(word) <= most):
        raise Refusal(f"a {what} is a number from {least} to {most}, as in {example}, not {word!r}")
    return int(word)
