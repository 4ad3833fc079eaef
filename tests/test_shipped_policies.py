"""The policies in the package: their cards, their size, and decisions recorded once that every machine repeats.

`pytest tests/test_shipped_policies.py --rewrite` records them in tests/policies.json.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.networks import asks, observations
from test_policy import COMPILED

from motherlode.bots import network, policy
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask

RECORDED = Path(__file__).with_name("policies.json")
BROUGHT = {name: game for name, game in GAMES.items() if (file := network.path(game)) and file.exists()}
GAME = pytest.mark.parametrize("game", BROUGHT.values(), ids=BROUGHT)
MOST_BYTES = 6_000_000  # of all policies together

# In a process of its own: JAX beside the other tests takes memory and threads for as long as they run.
BY_JAX = """
import sys
import numpy as np
from jax import numpy as jnp
from motherlode.bots import network
from motherlode.games import GAMES
for name, file in zip(sys.argv[1::2], sys.argv[2::2]):
    with np.load(file) as kept:
        net = network.of(GAMES[name])
        by = network.WholeNumbers(net, jnp)
        logits, values = network.forward(net.shape, net.trunk(), by, jnp.asarray(kept["seen"]))
        assert (np.asarray(logits) == kept["logits"]).all() and (np.asarray(values) == kept["values"]).all(), name
"""


def decisions(bot: policy.Policy, asked: list[Ask]) -> dict[str, Any]:
    """What a policy chooses, and a hash of all that its network puts out."""
    outputs = [bot.outputs(ask.view, ask.seat) for ask in asked]
    told = b"".join(part.astype("<i4").tobytes() for both in outputs for part in both)
    names = [ask.game.ACTIONS.name(bot(ask, new_rng(number))) for number, ask in enumerate(asked[:20])]
    return {"decisions": len(asked), "first": names, "outputs": hashlib.sha256(told).hexdigest()}


@GAME
def test_a_policy_has_a_whole_card(game: Game) -> None:
    net = network.of(game)
    card = net.card
    wanted = {"version", "code", "rules", "network", "device", "minutes", "per_second", "seats", "options", "seed"}
    assert wanted | {"decisions", "settings", "measured", "bytes", "sha256"} <= set(card)
    assert card["rules"] == game.RULES and card["seats"] is None and card["options"] == {}
    assert card["bytes"] <= network.MOST_BYTES
    for row in card["measured"]:
        assert row["games"] >= 300 and row["interval"][0] < row["score"] < row["interval"][1]
        assert row["decisions"] == card["decisions"]


def test_all_policies_together_are_small() -> None:
    assert sum(network.of(game).card["bytes"] for game in BROUGHT.values()) <= MOST_BYTES


@GAME
def test_recorded_decisions_are_repeated(game: Game, rewrite: bool) -> None:
    found = decisions(policy.Policy(game, network.of(game), plain=True), asks(game))
    kept = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
    if rewrite:
        RECORDED.write_text(json.dumps(kept | {game.NAME: found}, indent=1, sort_keys=True) + "\n", "utf-8")
    else:
        assert kept[game.NAME] == found


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, id=name, marks=[] if name in COMPILED else pytest.mark.soak) for name, game in BROUGHT.items()],
)
def test_native_code_repeats_recorded_decisions(game: Game) -> None:
    found = decisions(policy.Policy(game, network.of(game)), asks(game))
    assert json.loads(RECORDED.read_text("utf-8"))[game.NAME] == found


def test_jax_computes_the_same(tmp_path: Path) -> None:
    """It runs the same program on a GPU, with JAX's build for one."""
    arguments: list[str] = []
    for name, game in BROUGHT.items():
        seen = observations(asks(game))
        logits, values = network.run(network.of(game), seen)
        np.savez(tmp_path / f"{name}.npz", seen=seen, logits=logits, values=values)
        arguments += [name, str(tmp_path / f"{name}.npz")]
    subprocess.run([sys.executable, "-c", BY_JAX, *arguments], check=True)
