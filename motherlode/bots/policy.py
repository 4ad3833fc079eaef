"""Bots that play as a network says: `policy` takes each action as often as the network would.

A bot looks at nothing but its own view. In native code and by NumPy (`plain`) it answers the same, so until the loops
are compiled NumPy stands in for them unnoticed.
"""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.bots import network
from motherlode.bots.mixed import Mix
from motherlode.bots.network import LOGIT, TOP, Array, Net
from motherlode.engine import lean
from motherlode.envs import clues
from motherlode.game import CHANCE, Game, Record, Rng, Words, below, new_rng
from motherlode.table import Ask

WHOLE = 1 << 20  # the weight of the likeliest action
# By how many units a logit is lower than the greatest, how much less likely that is; beyond the table, not at all.
SHARES = np.array([round(WHOLE * math.exp(-k / LOGIT)) for k in range(14 * LOGIT)], np.int64)


class Flat(NamedTuple):
    """A network for native code: all layers in a row, in the order each, own, places, trunk…, actions, values."""

    top: Array
    columns: Array
    places: Array
    order: Array
    sizes: Array  # by layer: inputs, units, where its weights begin, where its biases and shifts do
    weights: Array
    bias: Array
    shift: Array
    pool: int


class Scratch(NamedTuple):
    """Memory of the loops."""

    seen: Any  # the row
    inputs: Any  # 0 to 127
    common: Any
    each: Any
    layer: Any  # of the trunk
    sums: Any
    raw: Any  # logits as they are computed


EACH, OWN, PLACES, TRUNK = range(4)  # layers by number; a network without places has none of the first three


def flat(net: Net) -> Flat:
    """Lay a network out for native code."""
    nothing = network.Layer(np.zeros((0, 0), np.int8), np.zeros(0, np.int32), np.zeros(0, np.int32))
    names = ["each", "own", "places", *net.trunk(), "actions", "values"]
    layers = [net.layers.get(name, nothing) for name in names]
    sizes, weights_at, bias_at = [], 0, 0
    for layer in layers:
        sizes.append((*layer.weights.shape, weights_at, bias_at))
        weights_at, bias_at = weights_at + layer.weights.size, bias_at + layer.bias.size
    shape = net.shape

    def joined(part: str) -> Array:
        return np.concatenate([getattr(layer, part).reshape(-1) for layer in layers])

    places = (shape.top, shape.columns, shape.places, shape.order)
    return Flat(*places, np.array(sizes, np.int64), joined("weights"), joined("bias"), joined("shift"), net.pool)


def new_scratch(net: Net) -> Scratch:
    widest = max(max(layer.weights.shape) for layer in net.layers.values())
    places = len(net.shape.places)
    each = net.layers["each"].weights.shape[1] if places else 0
    columns = len(net.shape.top)
    sizes = (columns, max(columns, widest), widest, places * each, widest, widest, len(net.shape.order))
    kinds = (np.uint8, *[np.int32] * 6)
    return Scratch(*(np.zeros(size, kind) for size, kind in zip(sizes, kinds, strict=True)))


@lean
def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The network of one game: `entry` compiles what is called from Python, `inner` what that calls."""
    read = clues.reader(game, inner)

    @inner
    def begin(net: Flat, number: int, sums: Words) -> None:
        """The biases of a layer."""
        units, at = net.sizes[number, 1], net.sizes[number, 3]
        for k in range(units):
            sums[k] = net.bias[at + k]

    @inner
    def add_one(net: Flat, number: int, x: int, place: int, sums: Words) -> None:
        """Add an input of a layer times its weights."""
        units = net.sizes[number, 1]
        first = net.sizes[number, 2] + place * units
        weights = net.weights[first : first + units]
        for k in range(units):
            sums[k] += x * weights[k]

    @inner
    def add(net: Flat, number: int, inputs: Words, at: int, count: int, place: int, sums: Words) -> None:
        """Add inputs[at:at + count], which are those of a layer from `place` on; many of them are 0."""
        for i in range(count):
            if inputs[at + i] != 0:
                add_one(net, number, inputs[at + i], place + i, sums)

    @inner
    def finish(net: Flat, number: int, sums: Words, out: Words, at: int) -> None:
        """Shift the sums of a layer, and cut them."""
        units, first = net.sizes[number, 1], net.sizes[number, 3]
        for k in range(units):
            out[at + k] = min(max(sums[k] >> net.shift[first + k], 0), TOP)

    @inner
    def finish_linear(net: Flat, number: int, sums: Words, out: Words, at: int) -> None:
        """Shift the sums of a layer."""
        units, first = net.sizes[number, 1], net.sizes[number, 3]
        for k in range(units):
            out[at + k] = sums[k] >> net.shift[first + k]

    @inner
    def find_each(net: Flat, common: int, to: Scratch) -> None:
        """The units of every place, and their sums behind the common inputs."""
        places, own = net.places.shape
        units = net.sizes[EACH, 1]
        for k in range(units):
            to.common[common + k] = 0
        begin(net, EACH, to.layer)
        add(net, EACH, to.common, 0, common, own, to.layer)  # is the same for all places
        for p in range(places):
            for k in range(units):
                to.sums[k] = to.layer[k]
            for f in range(own):
                if to.inputs[net.places[p, f]] != 0:
                    add_one(net, EACH, to.inputs[net.places[p, f]], f, to.sums)
            finish(net, EACH, to.sums, to.each, p * units)
            for k in range(units):
                to.common[common + k] += to.each[p * units + k]
        for k in range(units):
            to.common[common + k] = min(to.common[common + k] >> net.pool, TOP)

    @inner
    def find_own(net: Flat, trunk: int, to: Scratch, at: int) -> None:
        """The logits of every place's actions, from raw[at] on."""
        units, own, actions = net.sizes[EACH, 1], net.sizes[OWN, 1], net.sizes[PLACES, 1]
        begin(net, OWN, to.common)
        add(net, OWN, to.layer, 0, trunk, units, to.common)
        for p in range(len(net.places)):
            for k in range(own):
                to.sums[k] = to.common[k]
            add(net, OWN, to.each, p * units, units, 0, to.sums)
            finish(net, OWN, to.sums, to.inputs, 0)
            begin(net, PLACES, to.sums)
            add(net, PLACES, to.inputs, 0, own, 0, to.sums)
            finish_linear(net, PLACES, to.sums, to.raw, at + p * actions)

    @inner
    def run(s: Record, seat: int, net: Flat, to: Scratch, logits: Words, values: Words) -> None:
        """The logits of all actions, and the values of all seats, from a seat's view."""
        for c in range(len(to.seen)):
            to.seen[c] = 0
        read(s, seat, to.seen)
        for c in range(len(net.top)):
            to.inputs[c] = to.seen[c] * TOP // net.top[c]
        size = len(net.columns)
        for c in range(size):
            to.common[c] = to.inputs[net.columns[c]]
        if len(net.places) > 0:
            find_each(net, size, to)
            size += net.sizes[EACH, 1]
        for c in range(size):
            to.layer[c] = to.common[c]
        last = len(net.sizes) - 2
        for number in range(TRUNK, last):
            begin(net, number, to.sums)
            add(net, number, to.layer, 0, size, 0, to.sums)
            size = net.sizes[number, 1]
            finish(net, number, to.sums, to.layer, 0)
        begin(net, last, to.sums)
        add(net, last, to.layer, 0, size, 0, to.sums)
        finish_linear(net, last, to.sums, to.raw, 0)
        begin(net, last + 1, to.sums)
        add(net, last + 1, to.layer, 0, size, 0, to.sums)
        finish_linear(net, last + 1, to.sums, values, 0)
        if len(net.places) > 0:
            find_own(net, size, to, net.sizes[last, 1])
        for a in range(len(net.order)):
            logits[a] = to.raw[net.order[a]]

    @entry
    def run_one(view: Any, seat: int, net: Flat, to: Scratch, logits: Words, values: Words) -> None:
        run(view[0], seat, net, to, logits, values)

    return SimpleNamespace(run=run, run_one=run_one)


class Policy:
    """A bot that plays as a network says."""

    def __init__(self, game: Game, net: Net, *, plain: bool = False) -> None:
        self.game, self.net, self.plain = game, net, plain
        if not plain:
            from motherlode.compiled import compiled

            self.run_one = compiled(game, programs).run_one
            self.flat = flat(net)

    def outputs(self, view: Record, seat: int) -> tuple[Array, Array]:
        """The logits of all actions and the values of all seats, this seat's first."""
        if self.plain:
            logits, values = network.run(self.net, clues.row(self.game, view, seat)[None])
            return logits[0], values[0]
        from motherlode.compiled import as_array

        logits = np.zeros(len(self.net.shape.order), np.int32)
        values = np.zeros(len(self.net.layers["values"].bias), np.int32)
        to = new_scratch(self.net)  # its own: a bot may sit at several tables at once
        self.run_one(as_array(self.game, view), seat, self.flat, to, logits, values)
        return logits, values

    def weights(self, ask: Ask) -> list[int]:
        """How likely each legal action is, in whole numbers."""
        logits = self.outputs(ask.view, ask.seat)[0][ask.legal]
        below_best = logits.max() - logits
        weights = np.where(below_best < len(SHARES), SHARES[np.minimum(below_best, len(SHARES) - 1)], 0)
        return [int(weight) for weight in weights]

    def mix(self, ask: Ask) -> Mix:
        """How likely each action is."""
        weights = self.weights(ask)
        return {a: weight / sum(weights) for a, weight in zip(ask.legal, weights, strict=True) if weight}

    def __call__(self, ask: Ask, rng: Rng) -> int:
        weights = self.weights(ask)
        drawn, at = below(rng, sum(weights)), 0
        while drawn >= weights[at]:
            drawn -= weights[at]
            at += 1
        return ask.legal[at]


def find(game: Game, file: str = "") -> Net:
    """The network in a file, or the one that the game brings."""
    return network.read(Path(file), game) if file else network.of(game)


@cache
def blank(game: Game) -> Net:
    """A network that knows nothing, for what is the same in all of them."""
    shape, seats = network.shape_of(game), max(game.SEATS)

    def layer(units: int) -> network.Layer:
        weights = np.zeros((len(shape.columns), units), np.int8)
        return network.Layer(weights, np.zeros(units, np.int32), np.zeros(units, np.int32))

    return Net(shape, {"actions": layer(len(shape.order)), "values": layer(seats)})


def warm(game: Game) -> None:
    """Compile the loops of a game, or load them from the cache; until then a bot can be asked with `plain`."""
    s, rng = engine.start(game), new_rng(0)
    while s.turn == CHANCE:
        game.apply(s, engine.draw(game, s, rng))
    Policy(game, blank(game)).outputs(engine.view(game, s, s.turn), s.turn)
    _warm.add(game)


_warm: set[Game] = set()  # games whose loops are compiled


def is_warm(game: Game) -> bool:
    return game in _warm
