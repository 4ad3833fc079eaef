"""Bots that a network can be trained against where the games are, on the CPU or a GPU: by their logits."""

from typing import Any

import jax
from jax import numpy as jnp

from motherlode.bots import BotSpec, network, policy
from motherlode.bots.network import LOGIT, Layer, Net, WholeNumbers
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.train.ppo import NEVER, Rival


def rival(name: str, game: Game) -> Rival:
    """The bot of this name: `random`, or one that is a network alone."""
    spec = BotSpec.parse(name, game).in_game(game)
    if spec.kind == "random":
        return lambda _, mask: jnp.zeros(mask.shape, jnp.float32)
    if str(spec) not in ("policy", f"policy:{spec.file}"):
        raise Refusal(f"a network can be trained against random and against policies, not against {name}")
    return of_net(policy.find(game, spec.file))


def of_net(net: Net) -> Rival:
    """A network in whole numbers."""
    placed = {name: Layer(*map(jnp.asarray, layer)) for name, layer in net.layers.items()}
    by = OnDevice(Net(net.shape, placed, net.pool), jnp)

    def logits(seen: Any, _: Any) -> Any:
        return network.forward(net.shape, net.trunk(), by, seen)[0] / LOGIT

    return logits


class OnDevice(WholeNumbers):
    """Whole numbers by JAX: products of 8 bits, which a GPU has units for."""

    def product(self, part: Any, weights: Any) -> Any:
        return jnp.matmul(part.astype(jnp.int8), weights, preferred_element_type=jnp.int32)


def leaking(bot: Rival, share: float) -> Rival:
    """A bot with a planted weakness: at this share of its decisions it plays its first legal action."""

    def logits(seen: Any, mask: Any) -> Any:
        shares = jax.nn.softmax(jnp.where(mask > 0, bot(seen, mask), NEVER))
        first = jax.nn.one_hot(jnp.argmax(mask > 0, axis=1), mask.shape[1])
        return jnp.log((1 - share) * shares + share * first + jnp.finfo(jnp.float32).tiny)

    return logits
