"""How much a bot loses to a network that was trained against it alone: a lower bound of its exploitability.

The adversary has each seat as often, and the bot all others. All seats together always score 0, so what the adversary
scores is what it gains over the bot. It counts only if one trained in the same way finds a planted weakness: against
the bot that plays its first legal action at some of its decisions, which ones at random, it must score significantly
more than the bot does.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import numpy as jnp

from motherlode import engine
from motherlode.engine import Refusal
from motherlode.envs import Batch
from motherlode.game import Game
from motherlode.lab.exploit import utility_range
from motherlode.lab.match import SURE
from motherlode.train import floats
from motherlode.train.ppo import NEVER, Rival
from motherlode.train.rivals import leaking, rival
from motherlode.train.self_play import SelfPlay, seen, shared
from motherlode.train.settings import Settings

# An adversary need not be hard to exploit: nothing holds it back.
SETTINGS = {"magnet": 0.0, "entropy": 0.005, "clip": 0.2}
TEST = 1 << 40  # seeds from here on are for the games that adversaries are measured in
Tell = Callable[[str], None]


class Score(NamedTuple):
    """The mean utility of an adversary, and its interval."""

    mean: float
    low: float
    high: float
    games: int


class Adversary(NamedTuple):
    """How adversaries are trained."""

    game: Game
    settings: Settings
    decisions: int
    minutes: float | None
    seed: int
    device: str
    seats: int | None
    options: dict[str, Any]

    def learn(self, bot: Rival, tell: Tell) -> Rival:
        """A network trained against this bot."""
        learner = SelfPlay(
            self.game, self.settings, seed=self.seed, device=self.device, seats=self.seats, rival=bot, **self.options
        )
        told = time.monotonic()
        for progress in learner.train(self.decisions, self.minutes):
            if time.monotonic() > told + 5:
                told = time.monotonic()
                tell(f"{progress.decisions:,} decisions, entropy {progress.entropy:.2f}")
        weights, shape, kind = learner.state.weights, learner.shape, learner.kind
        return lambda seen, _: floats.forward(shape, weights, seen, jnp, kind)[0]

    def score(self, mine: Rival, other: Rival, games: int) -> Score:
        """What one bot scores in one seat against another in all others, over games that nobody was trained in."""
        batch = Batch(
            self.game, games, seats=self.seats, seed=TEST + self.seed, device=self.device, autoreset="disabled",
            **self.options,
        )  # fmt: skip
        own = jnp.arange(games) % batch.seats
        result = np.zeros((games, batch.seats))
        key = jax.random.key(self.seed)
        step, is_over = 0, np.zeros(games, bool)
        choose = jax.jit(partial(act, mine, other))
        while not is_over.all():
            ((mask, seat),) = shared([batch], "mask", "seat")
            actions = jax.block_until_ready(choose(seen(batch), mask, seat, own, jax.random.fold_in(key, step)))
            batch.step(actions)
            done = batch.work.to_host(batch.done).astype(bool)
            result[done] = batch.work.to_host(batch.reward)[done]
            is_over |= done
            step += 1
        utility = result[np.arange(games), np.asarray(own)]
        mean, error = float(utility.mean()), float(utility.std(ddof=1)) / games**0.5
        return Score(mean, mean - SURE * error, mean + SURE * error, games)


def act(mine: Rival, other: Rival, seen: Any, mask: Any, seat: Any, own: Any, key: Any) -> Any:
    logits = jnp.where((seat == own)[:, None], mine(seen, mask), other(seen, mask))
    return jax.random.categorical(key, jnp.where(mask > 0, logits, NEVER)).astype(jnp.int32)


def lower_bound(how: Adversary, name: str, *, games: int, every: int, tell: Tell) -> dict[str, Any]:
    """What an adversary gains against the bot of this name, if one like it finds a planted weakness."""
    if games < 2 or every < 1 or how.decisions < 1:
        raise Refusal("games must be 2 or more, the leak and the decisions 1 or more")
    bot = rival(name, how.game)
    weak = leaking(bot, 1 / every)
    tell(f"{name} with a planted weakness:")
    found, own = how.score(how.learn(weak, tell), weak, games), how.score(bot, weak, games)
    planted = difference(found, own)
    if planted.low <= 0:
        raise Refusal(
            f"the adversary does not find a planted weakness, so what it gains against {name} says nothing: where "
            f"{name} plays its first legal action at one of {every} decisions it scores {planted.mean:+.3f} more than "
            f"{name} itself, 95 % {planted.low:+.3f} … {planted.high:+.3f}, in {games} games; more decisions, more "
            "games or a smaller --leak may help"
        )
    tell(f"{name}:")
    gain = how.score(how.learn(bot, tell), bot, games)
    opening = engine.start(how.game, how.seats, **how.options)
    seats = int(opening.seats)
    return {
        "game": how.game.NAME,
        "data": dict(how.game.CHANGES),
        "seats": seats,
        "options": engine.options_of(how.game, opening),
        "bot": name,
        "kind": "lower bound",
        "adversary": "learned",
        "model": f"a network, {how.decisions:,} decisions",
        "device": jax.devices()[0].device_kind,
        "seed": how.seed,
        "games": games,
        "exploitability": gain.mean,
        "interval": (gain.low, gain.high),
        "share": gain.mean / utility_range(seats),
        "win_share": (gain.mean * (seats - 1) + 1) / seats,  # by ALL-6
        "leak": {"every": every, "games": games, "gain": planted.mean, "interval": (planted.low, planted.high)},
    }


def difference(one: Score, two: Score) -> Score:
    """How much more one scores, in games that have nothing to do with those of the other."""
    mean = one.mean - two.mean
    error = ((one.high - one.mean) ** 2 + (two.high - two.mean) ** 2) ** 0.5
    return Score(mean, mean - error, mean + error, one.games)
