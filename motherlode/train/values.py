"""Values of positions, learned from games of bots: what each seat won in the end, and its points (`review.values`)."""

from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import numpy as jnp

from motherlode import engine
from motherlode.bots import network
from motherlode.engine import Refusal
from motherlode.envs.observation import layout
from motherlode.game import CHANCE, OVER, Game
from motherlode.review import values
from motherlode.review.values import Array, Net
from motherlode.train import games
from motherlode.train.games import Played
from motherlode.train.settings import settings_of

TESTED = 11  # one of so many games is not learned from, but shows how well the network judges
PART = 2048  # positions of a step of learning
EACH = 32  # units of a place, in games that have places
RATE, LAST = 1e-3, 0.02  # of learning; falls to this share
DECAY = 0.02  # of weights, per step and rate: fewer games can be learned by heart
OF_THE_END = 1  # so many epochs learn from how games ended alone, the others also from what is told by then
TRACE = 0.8  # what is to be told looks past the next position with this share, again and again: see `foretold`
NEVER = -1e9  # the logit of a seat that is not taken
Tell = Callable[[str], None]


class Positions(NamedTuple):
    """Decisions of many games: what is seen with everything open, counted from the seat to act, and what came of it."""

    seen: Array
    wins: Array  # by position and seat; -1 for seats that are not taken
    points: Array
    seats: Array  # by position, the seats that are meant: that of the seat to act first
    is_last: Array  # by position, whether it is the last of its game


def train(game: Game, folder: Path, *, width: int, epochs: int, seed: int, tell: Tell) -> dict[str, Any]:
    """Learn from the games of a folder; the card of the network that is written there."""
    learned, tested = positions(game, games.read(folder))
    tell(f"{game.TITLE}: {len(learned.seen):,} positions to learn from, {len(tested.seen):,} to test with")
    net = fit(game, learned, tested, width=width, epochs=epochs, seed=seed, tell=tell)
    return values.write(net, folder / values.FILE, game)


def positions(game: Game, played: Iterator[Played]) -> tuple[Positions, Positions]:
    """The positions to learn from, and those to test with."""
    most = max(game.SEATS)
    groups: tuple[list[tuple[Array, ...]], ...] = ([], [])
    for number, one in enumerate(played):
        every = one.positions(game)
        end = every[-1]
        if end.turn != OVER:
            raise Refusal(f"game {number} has not ended")
        records = values.as_records(game, [s for s in every if s.turn not in (CHANCE, OVER)])
        seen = np.zeros((len(records), layout(game).size), np.uint8)
        values.compiled(game).encode_all(records, seen)
        won, points = engine.winners(game, end), engine.points(game, end)
        results = np.array([[(seat in won) / len(won), points[seat]] for seat in range(one.seats)], np.float32)
        turned = (records["turn"].astype(np.int64)[:, None] + np.arange(one.seats)) % one.seats
        empty = np.full((len(records), most - one.seats), -1, np.float32)
        wins, scored = (np.hstack([results[turned, k], empty]) for k in (0, 1))
        seats = np.hstack([turned, np.tile(np.arange(one.seats, most), (len(records), 1))])
        groups[number % TESTED == 0].append((seen, wins, scored, seats, np.arange(len(records)) == len(records) - 1))
    learned, tested = (Positions(*(np.concatenate(cells) for cells in zip(*group, strict=True))) for group in groups)
    return learned, tested


def fit(game: Game, learned: Positions, tested: Positions, *, width: int, epochs: int, seed: int, tell: Tell) -> Net:
    """A network that judges positions, after some times through all of them."""
    settings = settings_of(game)
    unknown = {clue.name for clue in game.CLUES}  # values are told no clues: places that have some are none
    groups = [] if any(unknown & {*group} for group in settings.places) else settings.places
    shape = network.shape_of(game, groups, settings.place_actions)
    taken = learned.wins >= 0
    average, spread = float(learned.points[taken].mean()), float(learned.points[taken].std()) or 1.0
    rng = np.random.default_rng(seed)
    common, places = shape.columns[shape.columns < layout(game).size], shape.places
    weights = new_layers(len(common), places, width, max(game.SEATS), rng)

    def scaled(seen: Any) -> Any:
        return seen.astype(jnp.float32) / jnp.asarray(layout(game).scale)

    def loss(weights: Any, seen: Any, wins: Any, points: Any) -> Any:
        logits, told = values.forward(weights, common, places, scaled(seen), jnp)
        is_taken = wins >= 0
        logs = jax.nn.log_softmax(jnp.where(is_taken, logits, NEVER))
        of_wins = -jnp.where(is_taken, wins * logs, 0).sum(1)
        of_points = jnp.where(is_taken, (told - (points - average) / spread) ** 2, 0).sum(1) / is_taken.sum(1)
        return (of_wins + of_points).mean(), (of_wins.mean(), of_points.mean())

    @jax.jit  # type: ignore[untyped-decorator]
    def learn(state: Any, part: Any, rate: Any) -> Any:
        weights, mean, square, count = state
        _, slope = jax.value_and_grad(loss, has_aux=True)(weights, *part)
        count = count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slope)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, slope)
        step = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        weights = jax.tree.map(
            lambda w, m, s: w - step * m / (jnp.sqrt(s) + 1e-8) - rate * DECAY * w, weights, mean, square
        )
        return weights, mean, square, count

    judge = jax.jit(loss)

    @jax.jit  # type: ignore[untyped-decorator]
    def tell_of(weights: Any, seen: Any, is_taken: Any) -> Any:
        logits, told = values.forward(weights, common, places, scaled(seen), jnp)
        return jax.nn.softmax(jnp.where(is_taken, logits, NEVER)), average + spread * told

    def foretold(weights: Any) -> Positions:
        """What is to be told of every position: what is told of the next ones, less and less, and at last the end.

        The end alone is mostly the luck still to come; what is told should differ little from one position to the next.
        """
        every = np.arange(len(learned.seen))
        parts = [tell_of(weights, part.seen, part.wins >= 0) for part in parts_of(learned, every)]
        told = [np.concatenate(cells) for cells in zip(*parts, strict=True)]
        return learned._replace(
            wins=np.where(taken, traced(learned, learned.wins, told[0]), -1),
            points=np.where(taken, traced(learned, learned.points, told[1]), -1),
        )

    def errors(weights: Any) -> tuple[float, float]:
        every = parts_of(tested, np.arange(len(tested.seen)))
        found = [(len(part.seen), *judge(weights, *part[:3])[1]) for part in every]
        total = sum(n for n, *_ in found)
        return sum(n * float(w) for n, w, _ in found) / total, sum(n * float(p) for n, _, p in found) / total

    zeros = jax.tree.map(jnp.zeros_like, weights)
    state = (jax.tree.map(jnp.asarray, weights), zeros, zeros, jnp.zeros((), jnp.int32))
    steps, step, found = epochs * -(-len(learned.seen) // PART), 0, (0.0, 0.0)
    for epoch in range(epochs):
        told = learned if epoch < OF_THE_END else foretold(state[0])
        for part in parts_of(told, rng.permutation(len(told.seen))):
            rate = RATE * (LAST + (1 - LAST) * (1 - step / steps))
            state, step = learn(state, tuple(part[:3]), rate), step + 1
        found = errors(state[0])
        tell(
            f"epoch {epoch + 1}: in games not learned from, a loss of {found[0]:.4f} for wins, and "
            f"{100 * found[1]:.1f} % of the variance of points left"
        )
    (wins, points), weights = found, jax.tree.map(np.asarray, state[0])
    card = {
        "version": version("motherlode"),
        "rules": game.RULES,
        "positions": len(learned.seen),
        "tested": len(tested.seen),
        "width": width,
        "epochs": epochs,
        "seed": seed,
        "loss_of_wins": round(wins, 4),
        "loss_of_wins_at_first": round(blank_loss(tested.wins), 4),
        "variance_of_points_left": round(points, 4),
    }
    return Net(weights, common, places, (average, spread), card)


def traced(every: Positions, ends: Array, told: Array) -> Array:
    """By position and seat: what is told of the next position, mixed with what is traced from there; last, the end."""
    rows = np.arange(len(ends))
    ends, told = (np.take_along_axis(cells, np.argsort(every.seats, 1), 1) for cells in (ends, told))  # by seat
    found, left = ends.copy(), rows[every.is_last]
    while len(left := left[left > 0] - 1):
        left = left[~every.is_last[left]]
        found[left] = (1 - TRACE) * told[left + 1] + TRACE * found[left + 1]
    return np.take_along_axis(found, every.seats, 1)


def new_layers(inputs: int, places: Array, width: int, seats: int, rng: np.random.Generator) -> dict[str, Array]:
    sizes = {}
    if len(places):
        sizes["each"] = (places.shape[1], EACH)
        inputs += EACH
    sizes |= {"trunk0": (inputs, width), "trunk1": (width, width), "out": (width, 2 * seats)}
    layers = {}
    for name, (n, units) in sizes.items():
        factor = 0.1 if name == "out" else 1.0
        layers[f"{name}.weights"] = (factor * rng.normal(0, (2 / n) ** 0.5, (n, units))).astype(np.float32)
        layers[f"{name}.bias"] = np.zeros(units, np.float32)
    return layers


def parts_of(every: Positions, order: Array) -> Iterator[Positions]:
    for first in range(0, len(order), PART):
        part = order[first : first + PART]
        yield Positions(*(cells[part] for cells in every))


def blank_loss(wins: Array) -> float:
    """The loss of who thinks that every seat wins as often."""
    return float(np.log((wins >= 0).sum(1)).mean())
