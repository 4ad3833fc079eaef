"""Networks with random weights, and decisions to ask them in."""

from pathlib import Path
from typing import Any

import numpy as np

from motherlode import bots, contract
from motherlode.bots import network
from motherlode.bots.network import Net
from motherlode.envs import clues
from motherlode.envs.observation import layout
from motherlode.game import Game
from motherlode.table import Ask, Table
from motherlode.train import floats
from motherlode.train.settings import settings_of

Array = np.ndarray[Any, Any]


def asks(game: Game, most: int = 12) -> list[Ask]:
    """Decisions of random games, at every seat count and with other options."""
    found: list[Ask] = []
    tables = contract.some(contract.tables(game), 6, 1)
    for number, (seats, options) in enumerate([(seats, {}) for seats in game.SEATS] + tables):
        table, random = Table(game, seats, seed=number, **options), bots.make("random")
        own: list[Ask] = []
        while not table.is_over:
            ask = table.ask()
            own.append(ask._replace(log=list(ask.log)))
            table.act(random(ask, table.rng))
        found += contract.some(own, most, number)
    return found


def observations(asked: list[Ask]) -> Array:
    """The rows that networks are shown of these decisions."""
    return np.stack([clues.row(ask.game, ask.view, ask.seat) for ask in asked])


def random_weights(game: Game, seed: int = 0) -> tuple[network.Shape, floats.Weights]:
    settings, rng = settings_of(game, width=32, layers=2, each=16, critic=24), np.random.default_rng(seed)
    shape = network.shape_of(game, settings.places, settings.place_actions)
    weights = floats.new_weights(shape, max(game.SEATS), settings, layout(game).size, rng)
    for name in ("actions", "places", "values", network.CRITIC):
        if name in weights:
            weights[name]["weights"] /= floats.SMALL
    for layer in weights.values():
        layer["bias"] = rng.normal(0, 0.1, layer["bias"].shape).astype(np.float32)
    return shape, weights


def random_net(game: Game, seen: Array) -> Net:
    return floats.in_whole_numbers(*random_weights(game), seen, seen[:, : layout(game).size], {"how": "random"})


def bring(game: Game, file: Path) -> None:
    """Write a network with random weights as the policy of a game."""
    network.write(random_net(game, observations(asks(game, 2))), file, game)
