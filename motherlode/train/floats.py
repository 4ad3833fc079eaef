"""A network in floats, as it is trained, and how it becomes one in whole numbers (`bots.network`)."""

from typing import Any

import numpy as np

from motherlode.bots import network
from motherlode.bots.network import CRITIC, LOGIT, TOP, VALUE, Array, Layer, Net, Shape, layers_of
from motherlode.train.settings import Settings

Weights = dict[str, dict[str, Any]]  # of every layer: weights and bias
POOLED = 8  # sums over places are divided by it
MOST_SHIFT = 20
SMALL = 0.01  # how small logits and values begin


def new_weights(shape: Shape, seats: int, settings: Settings, state: int, rng: np.random.Generator) -> Weights:
    """Weights to begin with; the critic is shown so many columns of the state."""
    width, layers, each = settings.width, settings.layers, settings.each
    places, own = shape.places.shape
    sizes = {"each": (own + len(shape.columns), each)} if places else {}
    inputs = len(shape.columns) + (each if places else 0)
    for k in range(layers):
        sizes[f"trunk{k}"] = (inputs if k == 0 else width, width)
    by_place = (len(shape.order) // places) if places else 0
    if places:
        sizes |= {"own": (each + width, each), "places": (each, by_place)}
    sizes |= {"actions": (width, len(shape.order) - places * by_place), "values": (width, seats)}
    if settings.critic:
        sizes |= {"critic0": (state, settings.critic), "critic1": (settings.critic, settings.critic)}
        sizes[CRITIC] = (settings.critic, seats)
    factors = {name: SMALL if name in ("actions", "places", "values", CRITIC) else 1.0 for name in sizes}
    return {
        name: {
            "weights": (factors[name] * rng.normal(0, (2 / size[0]) ** 0.5, size)).astype(np.float32),
            "bias": np.zeros(size[1], np.float32),
        }
        for name, size in sizes.items()
    }


class Floats:
    """By JAX or NumPy (`xp`), in floats of one kind; `seen` keeps the greatest that every layer puts out."""

    def __init__(self, weights: Weights, xp: Any, kind: Any, greatest: dict[str, float] | None = None) -> None:
        self.weights, self.xp, self.kind, self.greatest = weights, xp, kind, greatest

    def inputs(self, seen: Any, shape: Shape) -> Any:
        top = self.xp.asarray(shape.top[: seen.shape[1]])
        whole = seen.astype(self.xp.int32) * TOP // top  # as in whole numbers
        return (whole / TOP).astype(self.kind)

    def linear(self, name: str, *parts: Any) -> Any:
        return self.sums(name, parts, self.xp.float32)  # logits and values are told apart finely

    def units(self, name: str, *parts: Any) -> Any:
        return self.noted(name, self.xp.maximum(self.sums(name, parts, self.kind), 0))

    def sums(self, name: str, parts: Any, kind: Any) -> Any:
        layer, first = self.weights[name], 0
        total = layer["bias"].astype(kind)
        for part in parts:
            stop = first + part.shape[-1]
            total = total + self.xp.matmul(part.astype(kind), layer["weights"][first:stop].astype(kind))
            first = stop
        return total

    def pool(self, each: Any) -> Any:
        return self.noted("pool", each.sum(1) / POOLED).astype(self.kind)

    def join(self, *parts: Any) -> Any:
        return self.xp.concatenate(parts, 1)

    def noted(self, name: str, out: Any) -> Any:
        if self.greatest is not None:
            self.greatest[name] = float(out.max())
        return out


def forward(shape: Shape, weights: Weights, seen: Any, xp: Any, kind: Any) -> tuple[Any, Any]:
    """Logits and values, as floats of 32 bits."""
    return network.forward(shape, layers_of("trunk", weights), Floats(weights, xp, kind), seen)


def criticise(shape: Shape, weights: Weights, state: Any, xp: Any, kind: Any) -> Any:
    """The critic's values, as floats of 32 bits."""
    return network.criticise(shape, layers_of(CRITIC, weights), Floats(weights, xp, kind), state)


def in_whole_numbers(shape: Shape, weights: Weights, seen: Array, state: Array, card: dict[str, Any]) -> Net:
    """The network in whole numbers; observations and whole positions show how much every layer puts out."""
    weights = {
        name: {part: np.asarray(array, np.float32) for part, array in layer.items()} for name, layer in weights.items()
    }
    greatest: dict[str, float] = {}
    by = Floats(weights, np, np.float32, greatest)
    network.forward(shape, layers_of("trunk", weights), by, seen)
    if CRITIC in weights:
        network.criticise(shape, layers_of(CRITIC, weights), by, state)
    unit = {name: max(most, 1e-6) / TOP for name, most in greatest.items()}  # what 1 stands for in whole numbers
    unit["input"] = 1 / TOP
    pool = 0
    if shape.has_places:
        pool = max(0, int(np.ceil(np.log2(max(greatest["pool"], 1e-6) * POOLED / (unit["each"] * TOP)))))
        unit["pool"] = unit["each"] * 2**pool / POOLED
    layers = {}
    previous = [("input", len(shape.columns))]
    if shape.has_places:
        each = weights["each"]["weights"].shape[1]
        layers["each"] = whole_layer(weights["each"], [unit["input"]], unit["each"])
        previous.append(("pool", each))
    for name in layers_of("trunk", weights):
        units = np.concatenate([np.full(size, unit[part]) for part, size in previous])
        layers[name] = whole_layer(weights[name], units, unit[name])
        previous = [(name, weights[name]["weights"].shape[1])]
    last = previous[0][0]
    if shape.has_places:
        units = np.concatenate([np.full(each, unit["each"]), np.full(previous[0][1], unit[last])])
        layers["own"] = whole_layer(weights["own"], units, unit["own"])
        layers["places"] = whole_layer(weights["places"], [unit["own"]], 1 / LOGIT)
    layers["actions"] = whole_layer(weights["actions"], [unit[last]], 1 / LOGIT)
    layers["values"] = whole_layer(weights["values"], [unit[last]], 1 / VALUE)
    last = "input"
    for name in layers_of(CRITIC, weights):
        layers[name] = whole_layer(weights[name], [unit[last]], unit[name])
        last = name
    if CRITIC in weights:
        layers[CRITIC] = whole_layer(weights[CRITIC], [unit[last]], 1 / VALUE)
    return Net(shape, layers, pool, card)


def whole_layer(layer: dict[str, Any], units: Any, out: float) -> Layer:
    """A layer whose inputs and outputs are in these units: every unit of it gets the greatest shift that fits."""
    weights = layer["weights"].astype(np.float64) * np.asarray(units)[..., None] / out
    bias = layer["bias"].astype(np.float64) / out
    largest = np.maximum(np.abs(weights).max(0, initial=0), np.abs(bias) / (1 << 22))
    shift = np.clip(np.floor(np.log2(TOP / np.maximum(largest, 1e-9))), 0, MOST_SHIFT).astype(np.int32)
    scaled = np.clip(np.rint(weights * 2.0**shift), -TOP, TOP).astype(np.int8)
    half = (1 << shift) >> 1  # so that the shift rounds
    return Layer(scaled, (np.rint(bias * 2.0**shift) + half).astype(np.int32), shift)
