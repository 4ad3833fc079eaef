"""A local best response by search: an adversary in one seat that knows how likely each action of the bot is.

It is a bot itself, given what its seat may know and nothing else (`table.Ask`), and a *model* of the bot in all other
seats: the bot itself, or a quicker stand-in. At its decision it asks the bot what it would do in this seat, and does
something else where that gains: other actions are compared in worlds that it thinks possible, by playing on from there
with the model in all seats, its own too. So it is the bot, improved by one action at a time: what it scores is a lower
bound of what a best response would. A poor model only makes the bound worse.

Its worlds come from what its seat was told. Games are played from the opening by the model, and those are kept that the
seat could not tell from its own; the model's probabilities of what it was seen to do are their weights. Where too few
are left, worlds drawn by the game's `guess` take their place; of what came before these, seats are told only who acted.
"""

from collections.abc import Callable, Sequence
from math import sqrt
from types import SimpleNamespace
from typing import Any

from motherlode import engine
from motherlode.bots import exact
from motherlode.bots.mixed import Mix, Mixed
from motherlode.bots.random import Random
from motherlode.engine import copy, view
from motherlode.game import CHANCE, HIDDEN, OVER, Game, Record, Rng, below, new_rng, nth_action
from motherlode.table import Ask, Bot, Told

WORLDS = 32  # that are kept in mind
TRIES = 4  # games from the opening for each of them
ASKED = 8  # how often a bot that does not know its probabilities is asked for them
FIRST = 8  # worlds in which all actions are compared, before the worse half of them is left out
MOST = 64  # worlds in which the last actions are compared
PLAYOUTS = 16  # of random play for each world and action, which is compiled
SURE = 1.0  # standard errors by which another action must be better than the bot's own


class Model:
    """How a bot is taken to play: `choose` draws an action, `mix` says how likely each is.

    A bot that does not know its probabilities is asked ASKED times; no action then counts as impossible.
    """

    def __init__(self, bot: Bot | Mixed) -> None:
        self.bot = bot

    @property
    def random_leak(self) -> int | None:
        """Of a random bot: 0, or where it leaks; of any other: None. Random play is compiled."""
        inside = self.bot.model.bot if isinstance(self.bot, Leak) else self.bot
        every = self.bot.every if isinstance(self.bot, Leak) else 0
        return every if isinstance(inside, Random) else None

    def choose(self, ask: Ask, rng: Rng) -> int:
        if len(ask.legal) == 1:
            return ask.legal[0]
        return self.bot(ask, rng) if callable(self.bot) else exact.draw(self.bot.mix(ask), rng)

    def mix(self, ask: Ask, rng: Rng) -> Mix:
        if len(ask.legal) == 1:
            return {ask.legal[0]: 1.0}
        if isinstance(self.bot, Mixed):
            return self.bot.mix(ask)
        chosen = [self.bot(ask, rng) for _ in range(ASKED)]
        return {a: (chosen.count(a) + 1 / len(ask.legal)) / (ASKED + 1) for a in ask.legal}


def decided(log: Sequence[Told], seat: int) -> int:
    """How many decisions a seat has made."""
    return sum(entry.actor == seat for entry in log)


class Leak:
    """A weakened bot: at every `every`-th of its decisions, its first included, it plays its first legal action."""

    def __init__(self, bot: Bot | Mixed, every: int) -> None:
        self.model, self.every = Model(bot), every

    def leaks(self, ask: Ask) -> bool:
        return decided(ask.log, ask.seat) % self.every == 0

    def __call__(self, ask: Ask, rng: Rng) -> int:
        return ask.legal[0] if self.leaks(ask) else self.model.choose(ask, rng)


class MixedLeak(Leak):
    """The same of a bot that knows its probabilities."""

    def mix(self, ask: Ask) -> Mix:
        if self.leaks(ask):
            return {ask.legal[0]: 1.0}
        assert isinstance(self.model.bot, Mixed)
        return self.model.bot.mix(ask)


def leak(bot: Bot | Mixed, every: int) -> Leak:
    return MixedLeak(bot, every) if isinstance(bot, Mixed) else Leak(bot, every)


class World:
    """A position that may be the true one, with what each seat was told of it, and its weight."""

    def __init__(self, s: Record, logs: list[list[Told]], weight: float = 1.0) -> None:
        self.s, self.logs, self.weight = s, logs, weight

    def ask(self) -> Ask:
        """What the seat to act is given in this world."""
        game, seat = self.s.GAME, int(self.s.turn)
        return Ask(game, seat, view(game, self.s, seat), engine.legal(game, self.s), self.logs[seat])

    def act(self, a: int) -> None:
        game, before = self.s.GAME, self.s
        self.s = engine.after(game, before, a)
        for seat, log in enumerate(self.logs):
            log.append(Told(int(before.turn), game.told(before, a, seat), engine.shown(game, self.s, seat)))

    def twin(self) -> "World":
        return World(copy(self.s), [list(log) for log in self.logs], self.weight)


class Belief:
    """Worlds that a seat thinks possible, weighted by how likely the model makes what it was told."""

    def __init__(self, game: Game, seat: int, model: Model, number: int, rng: Rng) -> None:
        self.game, self.seat, self.model, self.number, self.rng = game, seat, model, number, rng
        self.worlds: list[World] = []
        self.heard = 0  # entries of the log that the worlds have

    def hear(self, ask: Ask) -> None:
        """Go on to what the seat knows now."""
        if self.heard == 0:
            self.worlds = self.played(ask)
        else:
            self.worlds = [world for world in self.worlds if self.follow(world, ask.log[self.heard :])]
        self.heard = len(ask.log)
        self.refill(ask)

    def played(self, ask: Ask) -> list[World]:
        """Games from the opening that this seat cannot tell from its own."""
        game, seats = self.game, int(ask.view.seats)
        opening = engine.start(game, seats, **engine.options_of(game, ask.view))
        tried = (World(opening, [[] for _ in range(seats)]) for _ in range(TRIES * self.number))
        return [world for world in tried if self.follow(world, ask.log)]

    def follow(self, world: World, log: Sequence[Told]) -> bool:
        """Go on as the seat was told; whether that is possible in this world."""
        for entry in log:
            if world.s.turn != entry.actor or not self.step(world, entry):
                return False
            if world.logs[self.seat][-1].shown != entry.shown:
                return False
        return True

    def step(self, world: World, entry: Told) -> bool:
        """An action as the seat was told it: this one, or one of those that it is not told of."""
        game, s = self.game, world.s
        legal = engine.legal(game, s)
        able = [a for a in legal if game.told(s, a, self.seat) == entry.action]
        if not able:
            return False
        weights = [1.0] * len(able)
        if s.turn == CHANCE:
            whole = sum(game.odds(s, a) for a in legal)
            weights = [game.odds(s, a) / whole for a in able]
        elif s.turn != self.seat:
            mix = self.model.mix(world.ask(), self.rng)
            weights = [mix.get(a, 0.0) for a in able]
        likely = sum(weights)
        if likely <= 0:
            return False
        world.weight *= likely
        world.act(exact.draw({a: weight / likely for a, weight in zip(able, weights, strict=True)}, self.rng))
        return True

    def refill(self, ask: Ask) -> None:
        """Where few worlds have most of the weight, guess others."""
        total = sum(world.weight for world in self.worlds)
        squares = sum(world.weight**2 for world in self.worlds)
        effective = total**2 / squares if squares > 0 else 0.0
        for world in self.worlds:
            world.weight *= effective / total  # so that a guessed one weighs 1
        if 2 * effective < self.number:
            self.worlds = [world for world in self.worlds if world.weight > 0]
            self.worlds += [self.guessed(ask) for _ in range(self.number - round(effective))]

    def guessed(self, ask: Ask) -> World:
        s = copy(ask.view)
        self.game.guess(s, self.seat, self.rng)
        before = [Told(entry.actor, HIDDEN, bytes(len(entry.shown))) for entry in ask.log]
        return World(s, [list(ask.log if x == self.seat else before) for x in range(int(s.seats))])

    def draw(self) -> World:
        """A world by its weight."""
        scale = 1 << 30
        rest = below(self.rng, scale) / scale * sum(world.weight for world in self.worlds)
        for world in self.worlds:
            rest -= world.weight
            if rest < 0:
                break
        return world


class Adversary:
    """The bot of this module: it deviates from `bot`, and takes others to play as `model` and itself as `own` later."""

    def __init__(self, bot: Bot | Mixed, model: Bot | Mixed, own: Bot | Mixed, worlds: int = WORLDS) -> None:
        self.bot, self.model, self.own, self.number = Model(bot), Model(model), Model(own), worlds
        self.belief: Belief | None = None

    def __call__(self, ask: Ask, rng: Rng) -> int:
        own = self.bot.choose(ask, rng)
        actions = engine.useful(ask.game, ask.view)
        if len({own, *actions}) == 1:
            return own
        if self.belief is None:
            self.belief = Belief(ask.game, ask.seat, self.model, self.number, new_rng(below(rng, 1 << 31)))
        self.belief.hear(ask)
        values: dict[int, list[float]] = {a: [] for a in dict.fromkeys((own, *actions))}
        more = FIRST
        while len(values) > 1 and len(values[own]) < MOST:
            for world in [self.belief.draw() for _ in range(more)]:
                number = below(rng, 1 << 31)
                for a, found in zip(values, self.play_on(world, list(values), number), strict=True):
                    values[a].append(found)
            ranked = sorted(values, key=lambda a: -sum(values[a]))
            kept = {own, *ranked[: max(2, len(ranked) // 2)]}
            values = {a: found for a, found in values.items() if a in kept}
            more = len(values[own])
        best = max(values, key=lambda a: sum(values[a]))
        return best if is_better(values[best], values[own]) else own

    def play_on(self, world: World, actions: list[int], number: int) -> list[float]:
        """What each action is worth in this world, all seats playing on as they are taken to."""
        assert self.belief is not None
        seat, every = self.belief.seat, self.model.random_leak
        if every is not None and self.own.random_leak == 0:
            return play_at_random(world, seat, actions, every, number)
        values = []
        for a in actions:
            rng, twin = new_rng(number), world.twin()
            twin.act(a)
            while twin.s.turn != OVER:
                if twin.s.turn == CHANCE:
                    twin.act(engine.draw(twin.s.GAME, twin.s, rng))
                else:
                    player = self.own if twin.s.turn == seat else self.model
                    twin.act(player.choose(twin.ask(), rng))
            values.append(engine.utility(twin.s.GAME, twin.s)[seat])
        return values


def is_better(new: list[float], old: list[float]) -> bool:
    """Whether the differences, world by world, are SURE standard errors above 0 on average."""
    gains = [x - y for x, y in zip(new, old, strict=True)]
    n, mean = len(gains), sum(gains) / len(gains)
    return mean > 0 and mean >= SURE * sqrt(sum((x - mean) ** 2 for x in gains) / (n - 1) / n)


def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """Random play from a world on; the seats but one may leak, see `Leak`."""
    game_apply, game_legal, game_winners = game.apply, game.legal, game.winners
    draw = engine.programs(game, inner, entry).draw

    @entry
    def win(
        world: Any, seat: int, actions: Any, every: int, decided: Any, scratch: Any, counts: Any, rng: Rng, bits: Any,
        won: Any,
    ) -> None:  # fmt: skip
        """Who wins after each action, as bits, in as many games as `won` has room for.

        `decided` are the decisions that seats have made; `scratch`, `counts` and `bits` are scratch memory.
        """
        s = scratch[0]
        for k in range(len(actions)):
            for i in range(won.shape[1]):
                scratch[0] = world[0]
                for x in range(s.seats):
                    counts[x] = decided[x]
                counts[seat] += 1
                game_apply(s, actions[k])
                while s.turn != OVER:
                    if s.turn == CHANCE:
                        game_apply(s, draw(s, rng, bits))
                        continue
                    choices = game_legal(s, bits)
                    leaks = every > 0 and s.turn != seat and counts[s.turn] % every == 0
                    counts[s.turn] += 1
                    game_apply(s, nth_action(bits, 0 if leaks else below(rng, choices)))
                won[k, i] = game_winners(s)

    return SimpleNamespace(win=win)


def play_at_random(world: World, seat: int, actions: list[int], every: int, number: int) -> list[float]:
    """The mean utility of each action over PLAYOUTS random games from this world."""
    import numpy as np

    from motherlode.compiled import as_array, as_numpy, compiled

    game, seats = world.s.GAME, int(world.s.seats)
    won = np.zeros((len(actions), PLAYOUTS), np.int64)
    decisions = np.array([decided(log, x) for x, log in enumerate(world.logs)])
    start, bits = as_array(game, world.s), np.zeros(engine.words_of(game), np.int64)
    compiled(game, programs).win(
        start, seat, np.array(actions, np.int64), every, decisions, start.copy(), decisions.copy(),
        as_numpy(new_rng(number)), bits, won,
    )  # fmt: skip
    worth = [0.0] + [engine.shared(seats, members(winners, seats))[seat] for winners in range(1, 1 << seats)]
    return [sum(worth[winners] for winners in row) / PLAYOUTS for row in won.tolist()]


def members(bits: int, seats: int) -> list[int]:
    return [x for x in range(seats) if bits >> x & 1]
