"""What a position is worth to every seat with everything open: its chance to win, and its points in the end.

A game may bring a network for this, values.npz with its card values.json, which `motherlode values` trains. For others,
and for variants, random play says it: the mean of many games that are played on from the position. Either depends on
nothing but the position, so a value cannot know how the game went on. It is no more than an estimate: what is made of
it (`parts`) adds up in any case.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.bots import network
from motherlode.engine import Refusal, lean
from motherlode.envs import encoder
from motherlode.envs.observation import layout
from motherlode.envs.rotation import relative
from motherlode.game import CHANCE, OVER, Bits, Game, Record, Rng, new_rng, nth_action
from motherlode.games import is_in_folder

FILE, CARD = "values.npz", "values.json"
PLAYOUTS = 200  # games of random play from a position
DEALS, FEW_DEALS = 100_000, 1000  # that say what a seat is worth before the deal; few where random play judges them
MOST_OUTCOMES, SAMPLE = 200, 64  # of chance acting that are listed; where there are more, so many are drawn
ROWS = 4096  # positions that are judged at a time
SEED = 0x6D6F746865726C6F  # of all that is drawn to find a value
Array = np.ndarray[Any, Any]


class Worth(NamedTuple):
    """By position and seat. The chances to win of a position add up to 1."""

    wins: Array
    points: Array


class Net(NamedTuple):
    """A network that judges positions: layers of weights and biases, and where places have units of their own."""

    layers: dict[str, Array]
    common: Array  # columns of the whole position
    places: Array  # by place, its own columns; empty where a game has none
    points: tuple[float, float]  # what points are on average, and how far they are from that
    card: dict[str, Any]


def forward(layers: dict[str, Any], common: Array, places: Array, inputs: Any, xp: Any) -> tuple[Any, Any]:
    """Logits of the chance to win, and points in the network's unit, by row and seat; the inputs are scaled to 0…1."""
    out = network.take(inputs, common)
    if len(places):
        each = xp.maximum(inputs[:, places] @ layers["each.weights"] + layers["each.bias"], 0)
        out = xp.concatenate([out, each.mean(1)], 1)
    k = 0
    while f"trunk{k}.weights" in layers:
        out = xp.maximum(out @ layers[f"trunk{k}.weights"] + layers[f"trunk{k}.bias"], 0)
        k += 1
    out = out @ layers["out.weights"] + layers["out.bias"]
    most = out.shape[1] // 2
    return out[:, :most], out[:, most:]


@lean
def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """Loops over many positions of one game."""
    encode = encoder.encoder(layout(game), inner)
    draw = engine.programs(game, inner, entry).draw
    game_apply, game_legal, game_odds = game.apply, game.legal, game.odds

    @entry
    def encode_all(positions: Any, out: Any) -> None:
        """The columns of whole positions, counted from the seat to act."""
        for i in range(len(positions)):
            encode(positions[i], positions[i].turn, out[i])

    @entry
    def deal(opening: Any, positions: Any, rng: Rng, bits: Bits) -> None:
        """Let chance act from the same position, until a seat is to act or the game is over."""
        for i in range(len(positions)):
            positions[i] = opening[0]
            while positions[i].turn == CHANCE:
                game_apply(positions[i], draw(positions[i], rng, bits))

    @entry
    def count_all(positions: Any, counts: Bits, bits: Bits) -> None:
        """How many outcomes chance has in each position."""
        for i in range(len(positions)):
            counts[i] = game_legal(positions[i], bits)

    @entry
    def list_all(positions: Any, after: Any, odds: Bits, bits: Bits) -> None:
        """All outcomes of chance, position by position, and their odds."""
        n = 0
        for i in range(len(positions)):
            for k in range(game_legal(positions[i], bits)):
                a = nth_action(bits, k)
                odds[n] = game_odds(positions[i], a)
                after[n] = positions[i]
                game_apply(after[n], a)
                n += 1

    return SimpleNamespace(encode_all=encode_all, deal=deal, count_all=count_all, list_all=list_all)


def compiled(game: Game) -> SimpleNamespace:
    from motherlode.compiled import compiled as compile_programs

    return compile_programs(game, programs)


def as_records(game: Game, positions: Sequence[Record]) -> Array:
    """Positions as one array."""
    from motherlode.compiled import dtype

    return np.frombuffer(b"".join(bytes(s) for s in positions), dtype(game))


def worth(game: Game, positions: Sequence[Record]) -> Worth:
    """What positions are worth in which a seat is to act, and what finished ones were."""
    return of_records(game, as_records(game, positions))


def of_records(game: Game, records: Array) -> Worth:
    """`worth` of positions in one array, all with as many seats."""
    seats = int(records["seats"][0]) if len(records) else 1
    found = Worth(np.zeros((len(records), seats)), np.zeros((len(records), seats)))
    over = records["turn"] == OVER
    for i in np.flatnonzero(over):
        s = game.RECORD.from_buffer_copy(records[i].tobytes())
        won = engine.winners(game, s)
        found.wins[i, won] = 1 / len(won)
        found.points[i] = engine.points(game, s)
    open_ones = np.flatnonzero(~over)
    judge = by_network if brings(game) else by_playouts
    for first in range(0, len(open_ones), ROWS):
        part = open_ones[first : first + ROWS]
        found.wins[part], found.points[part] = judge(game, records[part], seats)
    return found


def by_network(game: Game, records: Array, seats: int) -> tuple[Array, Array]:
    net = of(game)
    cells = np.zeros((len(records), layout(game).size), np.uint8)
    compiled(game).encode_all(records, cells)
    inputs = cells / layout(game).scale
    logits, points = forward(net.layers, net.common, net.places, inputs.astype(np.float32), np)
    chances = np.exp((logits - logits.max(1, keepdims=True))[:, :seats].astype(np.float64))
    chances /= chances.sum(1, keepdims=True)
    turned = [[relative(seat, turn, seats) for seat in range(seats)] for turn in range(seats)]
    places = np.array(turned)[records["turn"].astype(np.int64)]
    average, spread = net.points
    points = average + spread * points[:, :seats].astype(np.float64)
    return np.take_along_axis(chances, places, 1), np.take_along_axis(points, places, 1)


def by_playouts(game: Game, records: Array, seats: int) -> tuple[Array, Array]:
    """By random play, with the same random numbers from the same position."""
    from motherlode.lab.simulate import run_compiled

    wins, points = np.zeros((len(records), seats)), np.zeros((len(records), seats))
    for i, row in enumerate(records):
        content = row.tobytes()
        sums, _ = run_compiled(game, game.RECORD.from_buffer_copy(content), hash_of(content), PLAYOUTS)
        won = sums[engine.WINS : engine.WINS + seats]
        wins[i] = won / won.sum()
        points[i] = sums[engine.POINTS : engine.POINTS + seats] / PLAYOUTS
    return wins, points


def hash_of(content: bytes) -> int:
    """A seed that follows from a position, and has nothing to do with the seed of its game."""
    return int.from_bytes(hashlib.sha256(SEED.to_bytes(8, "big") + content).digest()[:7], "big")


def before_chance(game: Game, records: Array, sample: int = SAMPLE) -> Worth:
    """What positions are worth in which chance is to act: what they will be on average when a seat is.

    Exactly, where there are at most MOST_OUTCOMES ways; else by a sample, drawn without looking at what came.
    """
    seats = int(records["seats"][0]) if len(records) else 1
    leaves, of, shares, too_many = after_chance(game, records)
    worth = of_records(game, leaves)
    found = Worth(np.zeros((len(records), seats)), np.zeros((len(records), seats)))
    for total, cells in zip(found, worth, strict=True):
        np.add.at(total, of, shares[:, None] * cells)
    for i in too_many:
        sampled = of_records(game, sample_chance(game, records[i : i + 1], sample))
        found.wins[i], found.points[i] = sampled.wins.mean(0), sampled.points.mean(0)
    return found


def after_chance(game: Game, records: Array) -> tuple[Array, Array, Array, list[int]]:
    """The positions that chance can lead to; from which each comes, and how likely; and which have too many."""
    loops, bits = compiled(game), np.zeros(engine.words_of(game), np.int64)
    waiting, of, shares = records.copy(), np.arange(len(records)), np.ones(len(records))
    found = [(records[:0], of[:0], shares[:0])]
    ways, too_many = np.zeros(len(records), np.int64), np.zeros(len(records), bool)
    while len(waiting):
        counts = np.zeros(len(waiting), np.int64)
        loops.count_all(waiting, counts, bits)
        np.add.at(ways, of, counts)
        too_many |= ways > MOST_OUTCOMES
        kept = ~too_many[of]
        waiting, of, shares, counts = waiting[kept], of[kept], shares[kept], counts[kept]
        after, odds = np.zeros(counts.sum(), records.dtype), np.zeros(counts.sum(), np.int64)
        loops.list_all(waiting, after, odds, bits)
        parent = np.repeat(np.arange(len(waiting)), counts)
        shares = shares[parent] * odds / np.bincount(parent, odds, len(waiting))[parent]
        of, goes_on = of[parent], after["turn"] == CHANCE
        found.append((after[~goes_on], of[~goes_on], shares[~goes_on]))
        waiting, of, shares = after[goes_on], of[goes_on], shares[goes_on]
    leaves, origins, likely = (np.concatenate(cells) for cells in zip(*found, strict=True))
    kept = ~too_many[origins]
    return leaves[kept], origins[kept], likely[kept], np.flatnonzero(too_many).tolist()


def sample_chance(game: Game, record: Array, count: int) -> Array:
    """Positions in which chance has acted, until a seat is to act: as many as are asked for, drawn at random."""
    positions = np.zeros(count, record.dtype)
    bits = np.zeros(engine.words_of(game), np.int64)
    compiled(game).deal(record, positions, np.array(new_rng(hash_of(record.tobytes())), np.uint64), bits)
    return positions


@cache
def _start(game: Game, opening: bytes) -> tuple[tuple[float, ...], tuple[float, ...]]:
    records = as_records(game, [s := game.RECORD.from_buffer_copy(opening)])
    if s.turn != CHANCE:
        found = of_records(game, records)
    else:
        found = before_chance(game, records, DEALS if brings(game) else FEW_DEALS)
    return tuple(found.wins[0].tolist()), tuple(found.points[0].tolist())


def start(game: Game, opening: Record) -> tuple[Array, Array]:
    """What every seat is worth before anything is dealt: its chance to win, and its points."""
    wins, points = _start(game, bytes(opening))
    return np.array(wins), np.array(points)


def warm(game: Game, seats: int | None = None, options: dict[str, Any] | None = None) -> None:
    """Compile the loops, or load them from the cache, and find what every seat is worth before the deal."""
    s = engine.start(game, seats, **(options or {}))
    start(game, s)
    before_chance(game, as_records(game, [s] if s.turn == CHANCE else []))


# Files


def path(game: Game) -> Path | None:
    """Where a game keeps its values; None if it has no folder of its own, or is a variant."""
    file = Path(game.__file__) if game.__file__ and not game.VARIANT else None
    return file.with_name(FILE) if file and is_in_folder(file) else None


def write(net: Net, file: Path, game: Game) -> dict[str, Any]:
    """Write a network, and its card beside it."""
    arrays = {name: array.astype(np.float16) for name, array in net.layers.items()}
    np.savez(file, common=net.common, places=net.places, points=np.array(net.points), **arrays)  # type: ignore[arg-type]
    content = file.read_bytes()
    card = net.card | {
        "game": game.NAME,
        "fingerprint": network.fingerprint(game),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    file.with_suffix(".json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return card


@cache
def read(file: Path, game: Game) -> Net:
    """The network in a file, checked against its card."""
    try:
        content, card = file.read_bytes(), json.loads(file.with_suffix(".json").read_text("utf-8"))
        told = card["sha256"], card["game"], card["fingerprint"]
    except (OSError, ValueError, KeyError) as error:
        raise Refusal(f"{file} and its card cannot be read: {error}") from None
    if told != (hashlib.sha256(content).hexdigest(), game.NAME, network.fingerprint(game)):
        raise Refusal(f"{file} is damaged, or was trained for another game than {game.TITLE} as it is now")
    with np.load(file) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    common, places, points = (found.pop(name) for name in ("common", "places", "points"))
    layers = {name: array.astype(np.float32) for name, array in found.items()}
    return Net(layers, common, places, (float(points[0]), float(points[1])), card)


def of(game: Game) -> Net:
    """The network that a game brings."""
    file = path(game)
    if file is None or not file.exists():
        raise Refusal(f"{game.TITLE} brings no values; `motherlode values {game.NAME}` trains some")
    return read(file, game)


def brings(game: Game) -> bool:
    """Whether a game brings values that can be used: damaged ones count for none."""
    try:
        of(game)
    except Refusal:
        return False
    return True


def name(game: Game) -> str:
    """What judges positions."""
    return f"values {of(game).card['sha256'][:8]}" if brings(game) else f"{PLAYOUTS} games of random play"
