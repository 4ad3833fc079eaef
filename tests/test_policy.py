"""Networks in whole numbers: alike on every machine, checked against their card, and bots that know only their view."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.networks import asks, observations, random_net, random_weights

from motherlode import bots, engine
from motherlode.bots import network, policy, spec
from motherlode.bots.network import LOGIT, TOP, VALUE, Layer, Net
from motherlode.engine import Refusal
from motherlode.envs import clues
from motherlode.envs.observation import layout
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask
from motherlode.train import floats
from motherlode.train.settings import settings_of

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
Array = np.ndarray[Any, Any]


COMPILED = ("goldmine", "mount_goldrush")  # `test_guided` compiles two others, and the long run all
NATIVE = pytest.mark.parametrize(
    "played",
    [pytest.param(game, id=name, marks=[] if name in COMPILED else pytest.mark.soak) for name, game in GAMES.items()],
    indirect=True,
)


@pytest.fixture(scope="module", params=list(GAMES.values()), ids=list(GAMES))
def played(request: pytest.FixtureRequest) -> tuple[list[Ask], Net]:
    asked = asks(request.param)
    return asked, random_net(request.param, observations(asked))


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "mine.npz"
    network.read.cache_clear()


@NATIVE
def test_native_code_computes_what_numpy_does(played: tuple[list[Ask], Net]) -> None:
    asked, net = played
    plain, native = (policy.Policy(asked[0].game, net, plain=plain) for plain in (True, False))
    for ask in asked:
        one, two = (each.outputs(ask.view, ask.seat) for each in (plain, native))
        assert (one[0] == two[0]).all() and (one[1] == two[1]).all()
        assert [each(ask, new_rng(5)) for each in (plain, native)] == [plain(ask, new_rng(5))] * 2


@NATIVE
def test_the_greatest_weights_do_not_overflow(played: tuple[list[Ask], Net]) -> None:
    asked, net = played

    def extreme(layer: Layer) -> Layer:
        signs = np.sign(layer.weights.astype(np.int32) * 2 + 1)
        return Layer((TOP * signs).astype(np.int8), layer.bias, np.minimum(layer.shift, 3))

    net = Net(net.shape, {name: extreme(layer) for name, layer in net.layers.items()}, net.pool)
    plain, native = (policy.Policy(asked[0].game, net, plain=plain) for plain in (True, False))
    for ask in asked[:10]:
        one, two = (each.outputs(ask.view, ask.seat) for each in (plain, native))
        assert (one[0] == two[0]).all() and (one[1] == two[1]).all()

    class Wide(network.WholeNumbers):
        def product(self, part: Any, weights: Any) -> Any:
            return np.matmul(part.astype(np.int64), weights.astype(np.int64))

    seen = observations(asked[:10])
    logits, values = network.forward(net.shape, net.trunk(), Wide(net), seen)
    assert (logits == network.run(net, seen)[0]).all() and (values == network.run(net, seen)[1]).all()


def test_whole_numbers_are_close_to_the_floats(played: tuple[list[Ask], Net]) -> None:
    asked, net = played
    seen = observations(asked)
    shape, weights = random_weights(asked[0].game)
    logits, values = floats.forward(shape, weights, seen, np, np.float32)
    whole, whole_values = network.run(net, seen)
    assert np.abs(whole / LOGIT - logits).mean() < 0.05 * np.abs(logits).mean() + 0.02
    assert np.abs(whole_values / VALUE - values).mean() < 0.05 * np.abs(values).mean() + 0.02


def test_a_policy_answers_alike_in_worlds_its_seat_cannot_tell_apart(played: tuple[list[Ask], Net]) -> None:
    asked, net = played
    game, rng = asked[0].game, new_rng(1)
    bot = policy.Policy(game, net, plain=True)
    for ask in asked[::5]:
        world = engine.copy(ask.view)
        game.guess(world, ask.seat, rng)
        other = ask._replace(view=engine.view(game, world, ask.seat))
        assert bot.weights(ask) == bot.weights(other)


def test_actions_are_as_likely_as_the_network_says(played: tuple[list[Ask], Net]) -> None:
    asked, net = played
    bot, rng = policy.Policy(asked[0].game, net, plain=True), new_rng(2)
    ask = max(asked, key=lambda ask: len(ask.legal))
    logits = bot.outputs(ask.view, ask.seat)[0][ask.legal] / LOGIT
    shares = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    mix = bot.mix(ask)
    assert [mix[a] for a in ask.legal] == pytest.approx(shares, abs=1e-4)
    chosen = [bot(ask, rng) for _ in range(600)]
    assert abs(chosen.count(ask.legal[int(shares.argmax())]) / 600 - shares.max()) < 0.08


def test_places_are_alike() -> None:
    """Two places change their cards, and their logits do."""
    game = GAMES["mount_goldrush"]
    asked = [ask for ask in asks(game) if len(ask.legal) > 20]
    net = random_net(game, observations(asked))
    bot = policy.Policy(game, net, plain=True)
    for ask in asked[:8]:
        one, two = ask.legal[0], ask.legal[-1]
        if one in ask.view.spot[:] or two in ask.view.spot[:]:
            continue
        view = engine.copy(ask.view)
        view.card[one], view.card[two] = ask.view.card[two], ask.view.card[one]
        before, after = (bot.outputs(each, ask.seat)[0] for each in (ask.view, view))
        assert before[one] == after[two] and before[two] == after[one]
        assert (np.delete(before, [one, two]) == np.delete(after, [one, two])).all()


@GAME
def test_every_action_has_a_logit_of_its_own(game: Game) -> None:
    settings = settings_of(game)
    shape = network.shape_of(game, settings.places, settings.place_actions)
    assert sorted(shape.order) == list(range(len(game.ACTIONS)))
    columns = {*shape.columns.tolist(), *shape.places.reshape(-1).tolist()}
    behind = range(layout(game).size, clues.width(game))
    assert columns == {*range(layout(game).filled), *behind} and len(shape.top) == clues.width(game)


@GAME
def test_a_network_is_written_and_read(game: Game, file: Path) -> None:
    asked = asks(game, 2)
    net = random_net(game, observations(asked))
    network.write(net, file, game)
    again = network.read(file, game)
    assert again.card["how"] == "random" and again.card["bytes"] == file.stat().st_size
    assert (network.run(again, observations(asked))[0] == network.run(net, observations(asked))[0]).all()
    first = file.read_bytes()
    network.write(net, file, game)
    assert file.read_bytes() == first
    bot = bots.make(f"policy:{file}", game, plain=True)
    assert bot(asked[0], new_rng(0)) in asked[0].legal
    assert bots.make(f"policy:{file}", plain=True)(asked[0], new_rng(0)) == bot(asked[0], new_rng(0))


def refuse(name: str, game: Game, *words: str) -> None:
    with pytest.raises(Refusal) as refused:
        bots.make(name, game)
    for word in words:
        assert word in str(refused.value)


def test_what_is_wrong_with_a_file_is_said(file: Path) -> None:
    game, other = GAMES["goldmine"], GAMES["claimpoker"]
    refuse(f"policy:{file}", game, "there is no file", "motherlode train goldmine")
    refuse("policy:", game, "policy:FILE.npz")
    asked = asks(game, 2)
    network.write(random_net(game, observations(asked)), file, game)
    refuse(f"policy:{file}", other, "trained for goldmine", "not for claimpoker")
    card = file.with_suffix(".json")
    told = json.loads(card.read_text())
    card.write_text(json.dumps(told | {"fingerprint": "0"}))
    refuse(f"policy:{file}", game, "train it again")
    card.write_text("[]")
    refuse(f"policy:{file}", game, "is not the card")
    card.write_text(json.dumps(told))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    refuse(f"policy:{file}", game, "their hashes differ")


def test_a_network_too_large_is_not_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["goldmine"]
    monkeypatch.setattr(network, "MOST_BYTES", 1000)
    with pytest.raises(Refusal, match="at most 1,000 bytes"):
        network.write(random_net(game, observations(asks(game, 2))), file, game)
    assert not file.exists()


def test_a_server_plays_no_files() -> None:
    with pytest.raises(Refusal, match="from a file is not played here"):
        spec.BotSpec("policy", file="mine.npz").check_for_server(1000)
    assert str(spec.BotSpec("policy", file="mine.npz", additions=("exact",))) == "policy:mine.npz+exact"


def test_a_blank_network_compiles_what_every_other_needs() -> None:
    game = GAMES["goldmine"]
    bots.policy.warm(game)
    assert bots.policy.is_warm(game)
