"""A network in whole numbers, so that every machine computes the same: by NumPy, in native code and on a GPU.

A unit adds up its inputs, each 0 to 127, times weights of 8 bits, and its bias; it divides the sum by a power of two
(its shift) and cuts the result to 0…127. Logits and values are not cut. These are the layers:

    each      for every place of a board with many alike: from its own columns and the common ones
    trunk0…   one after the other: from the common columns and, where there are places, the sums of `each` over them
    own       for every place again: from its `each` and the last of the trunk
    places    the logits of a place's actions, from `own`
    actions   the logits of the other actions, from the trunk
    values    what each seat gets in the end, the observer's first, from the trunk
    critic0…  one after the other: from all columns of the whole position, which no seat knows
    critic    the same values from there: to train with, and to look back at a finished game

Games without secrets have no critic. `forward` and `criticise` say so once, for whole numbers and for the floats that
are trained (see `train.floats`). In native code the first is `policy.programs`.
"""

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from motherlode import games
from motherlode.engine import Refusal
from motherlode.envs import clues
from motherlode.envs.observation import Layout, layout
from motherlode.game import Game

FILE, CARD = "policy.npz", "policy.json"
CRITIC = "critic"  # the layer of its values
TOP = 127  # of an input and of what a unit puts out
LOGIT = 64  # logits are in units of 1/64: one that is 64 greater makes an action e times as likely
VALUE = 1024  # values are in units of 1/1024 of the utility
MOST_BYTES = 1_500_000  # of a file
Array = np.ndarray[Any, Any]


class Layer(NamedTuple):
    """Weights by input and unit; a bias and a shift by unit."""

    weights: Array
    bias: Array
    shift: Array


@dataclass(frozen=True)
class Shape:
    """What a network reads of a row, and where its logits go."""

    top: Array  # by column of a row (see `envs.clues`): the most that it can be
    columns: Array  # the common columns
    places: Array  # by place, its own columns; empty where a game has none
    order: Array  # by action, where its logit is: first those of `actions`, then of `places`, place by place

    @property
    def has_places(self) -> bool:
        return len(self.places) > 0


@dataclass(frozen=True)
class Net:
    """A network and its card: how it was trained, and what was measured."""

    shape: Shape
    layers: Mapping[str, Layer]
    pool: int = 0  # the shift of the sums over places
    card: dict[str, Any] = field(default_factory=dict)

    def trunk(self) -> list[str]:
        return layers_of("trunk", self.layers)

    @property
    def has_critic(self) -> bool:
        return CRITIC in self.layers


def layers_of(part: str, layers: Iterable[str]) -> list[str]:
    """The layers of the trunk or of the critic, one after the other."""
    return sorted(name for name in layers if name.startswith(part) and name != part)


class Arithmetic(Protocol):
    """How layers are computed: in whole numbers here, in floats where they are trained."""

    def inputs(self, seen: Any, shape: Shape) -> Any: ...
    def units(self, name: str, *parts: Any) -> Any: ...
    def linear(self, name: str, *parts: Any) -> Any: ...
    def pool(self, each: Any) -> Any: ...
    def join(self, *parts: Any) -> Any: ...


def forward(shape: Shape, trunk: list[str], by: Arithmetic, seen: Any) -> tuple[Any, Any]:
    """The logits of all actions and the values of all seats, for rows."""
    inputs = by.inputs(seen, shape)
    common = take(inputs, shape.columns)
    parts = [common]
    if shape.has_places:
        each = by.units("each", inputs[:, shape.places], common[:, None])
        parts.append(by.pool(each))
    for name in trunk:
        parts = [by.units(name, *parts)]
    logits = by.linear("actions", *parts)
    if shape.has_places:
        own = by.linear("places", by.units("own", each, parts[0][:, None]))
        logits = by.join(logits, own.reshape(len(seen), -1))
    return take(logits, shape.order), by.linear("values", *parts)


def criticise(shape: Shape, layers: list[str], by: Arithmetic, state: Any) -> Any:
    """The values of all seats, for rows of whole positions."""
    found = by.inputs(state, shape)
    for name in layers:
        found = by.units(name, found)
    return by.linear(CRITIC, found)


def take(cells: Any, columns: Array) -> Any:
    """Columns by number; all from one on are a slice, which needs no copy."""
    first, count = (int(columns[0]), len(columns)) if len(columns) else (0, 0)
    if (columns == np.arange(first, first + count)).all():
        return cells[:, first : first + count]
    return cells[:, columns]


class WholeNumbers:
    """By NumPy, or a library with the same functions (`xp`), exactly."""

    def __init__(self, net: Net, xp: Any = np) -> None:
        self.net, self.xp = net, xp

    def inputs(self, seen: Any, shape: Shape) -> Any:
        return seen.astype(self.xp.int32) * TOP // self.xp.asarray(shape.top[: seen.shape[1]])

    def linear(self, name: str, *parts: Any) -> Any:
        layer, first, total = self.net.layers[name], 0, 0
        for part in parts:
            stop = first + part.shape[-1]
            total = total + self.product(part, layer.weights[first:stop])
            first = stop
        return (total + layer.bias) >> layer.shift

    def product(self, part: Any, weights: Any) -> Any:
        return self.xp.matmul(part, weights.astype(self.xp.int32))

    def units(self, name: str, *parts: Any) -> Any:
        return self.xp.clip(self.linear(name, *parts), 0, TOP)

    def pool(self, each: Any) -> Any:
        return self.xp.minimum(each.sum(1) >> self.net.pool, TOP)

    def join(self, *parts: Any) -> Any:
        return self.xp.concatenate(parts, 1)


def run(net: Net, seen: Array) -> tuple[Array, Array]:
    """Logits and values of rows, by NumPy."""
    logits, values = forward(net.shape, net.trunk(), WholeNumbers(net), seen)
    return logits, values


def run_critic(net: Net, state: Array) -> Array:
    """Values of rows of whole positions, by NumPy."""
    values: Array = criticise(net.shape, layers_of(CRITIC, net.layers), WholeNumbers(net), state)
    return values


# Files


def fingerprint(game: Game) -> str:
    """What a network depends on: the columns of rows and the actions, in their order."""
    found = layout(game)
    told: list[Any] = [found.names(), found.scale.tolist(), [game.ACTIONS.name(a) for a in game.ACTIONS]]
    told += [game.CLUES] if game.CLUES else []
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def path(game: Game) -> Path | None:
    """Where a game keeps its policy; None if it has no folder of its own, or is a variant."""
    file = Path(game.__file__) if game.__file__ and not game.VARIANT else None
    return file.with_name(FILE) if file and games.is_in_folder(file) else None


def write(net: Net, file: Path, game: Game) -> None:
    """Write a network, and its card beside it."""
    shape = net.shape
    arrays = {field.name: getattr(shape, field.name) for field in fields(shape)}
    arrays["pool"] = np.array(net.pool, np.int32)
    for name, layer in net.layers.items():
        arrays |= {f"{name}.{part}": array for part, array in layer._asdict().items()}
    held = io.BytesIO()
    np.savez(held, allow_pickle=False, **arrays)
    content = held.getvalue()
    if len(content) > MOST_BYTES:
        raise Refusal(f"a policy has at most {MOST_BYTES:,} bytes, not {len(content):,}: train a smaller network")
    card = net.card | {
        "game": game.NAME,
        "fingerprint": fingerprint(game),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    file.write_bytes(content)
    file.with_suffix(".json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")


@cache
def read(file: Path, game: Game) -> Net:
    """The network in a file, checked against its card: a damaged one, or one for other rules, is refused."""
    beside = file.with_suffix(".json")
    for each in (file, beside):
        if not each.is_file():
            raise Refusal(f"there is no file {each}: `motherlode train {game.NAME}` writes a policy and its card")
    content = file.read_bytes()
    try:
        card = json.loads(beside.read_text("utf-8"))
        told = card["game"], card["fingerprint"], card["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise Refusal(f"{beside} is not the card of a policy: {error}") from None
    if told[2] != hashlib.sha256(content).hexdigest():
        raise Refusal(f"{file} is not the policy that its card {beside.name} is of: their hashes differ")
    if told[:2] != (game.NAME, fingerprint(game)):
        raise Refusal(
            f"{file} was trained for {told[0]} as its observations and actions were then ({told[1]}), "
            f"not for {game.NAME} as they are now ({fingerprint(game)}): train it again"
        )
    with np.load(io.BytesIO(content)) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    shape = Shape(**{field.name: found.pop(field.name) for field in fields(Shape)})
    pool = int(found.pop("pool"))
    names = list(dict.fromkeys(name.partition(".")[0] for name in found))
    layers = {name: Layer(*(found[f"{name}.{part}"] for part in Layer._fields)) for name in names}
    return Net(shape, layers, pool, card)


def brings(game: Game) -> bool:
    """Whether a game brings a policy that can be played: a damaged one, or one for other rules, counts for none."""
    try:
        of(game)
    except Refusal:
        return False
    return True


def of(game: Game) -> Net:
    """The policy that a game brings."""
    file = path(game)
    if file is None or not file.exists():
        raise Refusal(f"{game.TITLE} brings no policy; `motherlode train {game.NAME}` trains one")
    return read(file, game)


# Shapes


def shape_of(game: Game, groups: list[list[str]] | None = None, actions: list[int] | None = None) -> Shape:
    """What a network reads of a game's rows.

    Places are named by groups of clues, or of fields that have as many entries, members or values as there are places,
    and by the first of each run of actions, one per place: see `train.settings`.
    """
    found, top, total = layout(game), clues.tops(game), len(game.ACTIONS)
    filled = np.concatenate([np.arange(found.filled), np.arange(found.size, len(top))]).astype(np.int32)
    if not groups or not actions:
        return Shape(top, filled, np.zeros((0, 0), np.int32), np.arange(total, dtype=np.int32))
    told = {clue.name: columns for clue, columns in clues.columns(game)}
    first = groups[0][0]
    fields = [feature.places for feature in found.features if feature.field.name == first]
    count = len(told[first]) if first in told else fields[0]
    own = [told[group[0]] if group[0] in told else columns_by_place(found, group, count) for group in groups]
    places = np.concatenate(own, 1)
    common = np.setdiff1d(filled, places).astype(np.int32)
    by_place = np.array(actions)[None] + np.arange(count)[:, None]
    others = np.setdiff1d(np.arange(total), by_place)
    order = np.zeros(total, np.int32)
    order[others] = np.arange(len(others))
    order[by_place.reshape(-1)] = len(others) + np.arange(by_place.size)
    return Shape(top, common, places.astype(np.int32), order)


def columns_by_place(found: Layout, group: list[str], count: int) -> Array:
    """The columns of a group of fields, by place: a field's entries, or else its members or values, but for blanks."""
    features = [feature for name in group for feature in found.features if feature.field.name == name]
    cells = [np.array(feature.columns).reshape(feature.places, feature.width) for feature in features]
    if len(cells) == 1 and len(cells[0]) == count:
        return cells[0]
    known = [own[:, 2 * feature.field.blank :].reshape(-1) for own, feature in zip(cells, features, strict=True)]
    return np.concatenate(known).reshape(-1, count).T
