"""The search that judges decisions where a game brings values: trees as in `bots.search`, and below them what the
position is worth (`values`) in place of random play. So an action's value is a chance to win.

The network sees the world of this iteration with everything open, as random play does; the trees above it know only
what each seat does.
"""

from collections.abc import Callable, Sequence
from math import exp
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.bots import search
from motherlode.engine import lean
from motherlode.envs import encoder
from motherlode.envs.observation import layout
from motherlode.envs.rotation import relative
from motherlode.game import CHANCE, OVER, Bits, Game, Record, Rng
from motherlode.review import values
from motherlode.review.values import Array
from motherlode.table import Ask

EACH = 0  # the first layer, of every place; the others follow


class Flat(NamedTuple):
    """A network of values for native code, and memory to run it in: layers one after the other, `each` first."""

    unit: Array  # by column, what 1 of it counts
    common: Array
    places: Array
    sizes: Array  # by layer: inputs, units, where its weights begin, where its biases do
    weights: Array
    bias: Array
    cells: Array  # the observation
    inputs: Array
    units: Array
    pooled: Array


def flat(game: Game, net: values.Net) -> Flat:
    """Lay a network of values out for native code."""
    trunk = sorted(name for name in net.layers if name.startswith("trunk") and name.endswith(".weights"))
    names = ["each", *(name.partition(".")[0] for name in trunk), "out"]
    nothing = np.zeros((0, 0), np.float32)
    weights = [net.layers.get(f"{name}.weights", nothing) for name in names]
    biases = [net.layers.get(f"{name}.bias", np.zeros(0, np.float32)) for name in names]
    sizes, weights_at, bias_at = [], 0, 0
    for each, bias in zip(weights, biases, strict=True):
        sizes.append((*each.shape, weights_at, bias_at))
        weights_at, bias_at = weights_at + each.size, bias_at + bias.size
    widest = max(max(each.shape) for each in weights)
    found = layout(game)
    places = net.places if len(net.places) else np.zeros((0, 1), net.places.dtype)
    return Flat(
        (1 / found.scale).astype(np.float32), net.common, places, np.array(sizes, np.int64),
        np.concatenate([each.reshape(-1) for each in weights]), np.concatenate(biases),
        np.zeros(found.size, np.uint8), *(np.zeros(widest, np.float32) for _ in range(3)),
    )  # fmt: skip


@lean
def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The search of one game with a network of values below its trees."""
    encode = encoder.encoder(layout(game), inner)
    draw = engine.programs(game, inner, entry).draw
    game_apply, game_winners = game.apply, game.winners

    @inner
    def begin(net: Flat, number: int, units: Array) -> None:
        """The biases of a layer."""
        at = net.sizes[number, 3]
        for k in range(net.sizes[number, 1]):
            units[k] = net.bias[at + k]

    @inner
    def add(net: Flat, number: int, i: int, x: float, units: Array) -> None:
        """Add an input of a layer, times its weights; most of them are 0."""
        if x != 0:
            first = net.sizes[number, 2] + i * net.sizes[number, 1]
            weights = net.weights[first : first + net.sizes[number, 1]]
            for k in range(len(weights)):
                units[k] += x * weights[k]

    @inner
    def run(s: Record, net: Flat) -> None:
        """What a network says of a position, from the seat to act on: logits and points, in `units`."""
        for c in range(len(net.cells)):
            net.cells[c] = 0
        encode(s, s.turn, net.cells)
        size = len(net.common)
        for c in range(size):
            net.inputs[c] = net.cells[net.common[c]] * net.unit[net.common[c]]
        places, own = net.places.shape
        if places > 0:
            width = net.sizes[EACH, 1]
            for k in range(width):
                net.pooled[k] = 0
            for p in range(places):
                begin(net, EACH, net.units)
                for i in range(own):
                    c = net.places[p, i]
                    add(net, EACH, i, net.cells[c] * net.unit[c], net.units)
                for k in range(width):
                    net.pooled[k] += max(net.units[k], np.float32(0))
            for k in range(width):
                net.inputs[size + k] = net.pooled[k] / places
        for number in range(EACH + 1, len(net.sizes)):
            begin(net, number, net.units)
            for i in range(net.sizes[number, 0]):
                add(net, number, i, net.inputs[i], net.units)
            if number + 1 < len(net.sizes):
                for k in range(net.sizes[number, 1]):
                    net.inputs[k] = max(net.units[k], np.float32(0))

    @inner
    def finish(s: Record, net: Flat, rng: Rng, bits: Bits, points: Bits, won: Any, value: Any) -> None:
        """What the position is worth to every seat, when chance has acted."""
        while s.turn == CHANCE:
            game_apply(s, draw(s, rng, bits))
        total = 0.0
        if s.turn == OVER:
            winners = game_winners(s)
            for x in range(s.seats):
                won[x] = float((winners >> x) & 1)
                total += won[x]
        else:
            run(s, net)
            most = net.units[0]
            for x in range(1, s.seats):
                most = max(most, net.units[x])
            for x in range(s.seats):
                won[x] = exp(net.units[relative(x, s.turn, s.seats)] - most)
                total += won[x]
        for x in range(s.seats):
            won[x] /= total
            value[x] = won[x]

    return search.build(game, finish, inner, entry)


class Tree(search.Tree):
    """The trees of one search that values stand below."""

    def __init__(self, ask: Ask, most: int, rng: Rng, *, plain: bool = False, among: Sequence[int] = ()) -> None:
        net = flat(ask.game, values.of(ask.game))
        super().__init__(ask, most, rng, plain=plain, by=net, among=among, loops=programs)


def find(ask: Ask, rng: Rng, iterations: int, *, plain: bool = False) -> list[search.Found]:
    """What a search finds out about the useful actions, the best first."""

    def new_tree(own: Rng) -> Tree:
        return Tree(ask, iterations, own, plain=plain)

    return search.explore(ask, rng, iterations, new_tree, trees=1, limits=search.Limits())
