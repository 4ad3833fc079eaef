"""What bots play at every decision of a grown tree: their mixed strategy, exactly or with a stated error."""

from collections.abc import Sequence
from math import log, sqrt
from typing import Any

import numpy as np

from motherlode.bots import equilibrium, spec
from motherlode.bots.cfr import LEAF
from motherlode.bots.equilibrium import Array, Grown, Tree
from motherlode.bots.mixed import Mix, Mixed
from motherlode.bots.strategy import Decisions
from motherlode.engine import Refusal
from motherlode.game import Game, RandomNumbers, new_rng, seed
from motherlode.table import Ask, Bot, Told

CONFIDENCE = 0.95  # of the error of bots that are asked many times
MOST_TIMES = 100  # as often as usual a bot is asked at the first decisions
CLOSE = 1e-6  # how far the shares of a mix may add up to something else than 1


Player = Bot | Mixed | str  # a bot, or the name of one


class Watched(RandomNumbers):
    """A random number generator that knows whether it was read; compiled code changes its state instead."""

    was_read = False

    def __getitem__(self, place: Any) -> Any:
        self.was_read = True
        return super().__getitem__(place)


class Opponents:
    """The strategy of bots at every decision of a tree, or at those of all seats but one.

    A bot is not asked about decisions that it never plays to: what it would do there changes nothing. One that draws is
    asked `samples` times, and more often early in the game, where decisions are few and all others depend on them.
    """

    def __init__(
        self,
        game: Game,
        grown: Grown,
        bot: Player | Sequence[Player],
        *,
        before: Sequence[Told],
        samples: int,
        but: int | None = None,
    ) -> None:
        self.game, self.samples, self.grown, tree = game, samples, grown, grown.tree
        self.decisions = Decisions(game, grown)
        seats = len(tree.worth)
        named = [bot] * seats if isinstance(bot, str) or not isinstance(bot, Sequence) else list(bot)
        if len(named) != seats:
            raise Refusal(f"{game.TITLE} has {seats} seats here, and there are {len(named)} bots")
        made = [None if x == but else make(each, game) for x, each in enumerate(named)]
        self.shares = np.repeat(1 / tree.actions, tree.actions)
        self.sampled: dict[int, list[int]] = {}  # decisions whose mix is estimated, and what was answered
        self.times = samples * early(tree)
        reached = np.zeros(len(tree.seat), bool)
        for d, seat in enumerate(tree.seat.tolist()):
            player = made[seat]
            if player is None:
                continue
            last, slot = self.decisions.before(d)
            reached[d] = last is None or (reached[last] and self.shares[slot] > 0)
            if reached[d]:
                ask = self.decisions.ask(d, before)
                mix = self.checked(player.mix(ask), ask) if isinstance(player, Mixed) else self.asked(player, ask, d)
                begin = int(tree.begin[d])
                self.shares[begin : begin + len(ask.legal)] = [mix.get(a, 0.0) for a in ask.legal]

    def checked(self, mix: Mix, ask: Ask) -> Mix:
        for a in mix:
            self.check(a, ask)
        if min(mix.values(), default=0) < 0 or abs(sum(mix.values()) - 1) > CLOSE:
            raise Refusal(f"the shares of a mix are at least 0 and add up to 1, not {mix}")
        return mix

    def check(self, a: int, ask: Ask) -> None:
        if a not in ask.legal:
            raise Refusal(
                f"{self.game.TITLE}: the bot's action {a!r} is not legal for seat {ask.seat}; {ask.legal} are"
            )

    def asked(self, bot: Bot, ask: Ask, d: int) -> Mix:
        """The one action of a bot that draws no random numbers; of another, how often it chose each action."""
        rng = Watched()
        seed(rng, 0, d)
        rng.was_read = False
        state = bytes(rng)
        chosen = [bot(ask, rng)]
        if rng.was_read or bytes(rng) != state:
            if not self.samples:
                raise Refusal(
                    f"the bot of seat {ask.seat} draws random numbers, so its mix is not known exactly: "
                    "samples=1000 estimates it by asking it 1,000 times at each decision, with a stated error"
                )
            chosen = [bot(ask, new_rng(d + 1, n)) for n in range(self.times[d])]
        for a in set(chosen):
            self.check(a, ask)
        if len(chosen) > 1:
            self.sampled[d] = [ask.legal.index(a) for a in chosen]
        return {a: chosen.count(a) / len(chosen) for a in set(chosen)}

    def half(self, which: int) -> Array:
        """The strategy by every second answer, from the first (0) or the second (1)."""
        shares = self.shares.copy()
        for d, answers in self.sampled.items():
            begin, actions = int(self.grown.tree.begin[d]), int(self.grown.tree.actions[d])
            counts = np.bincount(answers[which::2], minlength=actions)
            shares[begin : begin + actions] = counts / counts.sum()
        return shares

    def error(self, seat: int) -> float:
        """How far the value of a seat's best response can be off, with CONFIDENCE, because mixes are estimated.

        By Weissman's inequality all estimated mixes are within some total variation of the true ones. What that changes
        is at most this distance times the range of the payoffs, for every decision on the way, as often as it is
        reached. So the error is itself what the seat can get in a game: at most what it gets there.
        """
        if not self.sampled:
            return 0.0
        tree, odds = self.grown.tree, self.grown.odds
        distance = np.zeros(len(tree.seat))
        for d in self.sampled:
            unsure = log(len(self.sampled) / (1 - CONFIDENCE)) + int(tree.actions[d]) * log(2)
            distance[d] = sqrt(2 * unsure / self.times[d]) / 2
        leaves = tree.actor == LEAF
        payoffs = tree.worth[seat][leaves] / odds[leaves]
        spread = float(payoffs.max() - payoffs.min())
        changed = np.zeros(len(tree.actor))
        for h in tree.inner.tolist():
            here = distance[tree.decision[h]] if tree.actor[h] >= 0 and tree.actor[h] != seat else 0.0
            changed[tree.first[h] : tree.first[h] + tree.number[h]] = changed[h] + here
        worth = np.where(leaves, odds * changed * spread, 0.0)
        worst = self.grown._replace(tree=tree._replace(worth=np.tile(worth, (len(tree.worth), 1))))
        return min(spread, equilibrium.respond(worst, self.shares, seat)[0])


def early(tree: Tree) -> Array:
    """How many times as often each decision is sampled: those that come as late share as much as all others do."""
    times = np.ones(len(tree.seat), np.int64)
    for seat in np.unique(tree.seat):
        own = tree.seat == seat
        number = np.bincount(tree.depth[own])
        times[own] = np.clip(own.sum() // (len(number) * number[tree.depth[own]]), 1, MOST_TIMES)
    return times


def make(bot: Player, game: Game) -> Bot | Mixed:
    """A bot of this name, or the bot itself."""
    if not isinstance(bot, str):
        return bot
    named = spec.BotSpec.parse(bot, game).in_game(game)
    if named.kind == "program":
        raise Refusal(f"{bot} is a program, which plays one game at a time: it cannot be asked at every decision")
    return named.make(game)
