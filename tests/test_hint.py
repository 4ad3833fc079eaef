"""Hints in a game that brings a network: by the search that it guides or, until that is compiled, by the network."""

import numpy as np
import pytest
from support.networks import asks
from support.outside_game import TAUGHT, taught_games

from motherlode import bots, engine
from motherlode.bots import guided, hint, network, policy, search
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
SECRETS = GAMES["goldmine"]  # `test_guided` compiles it too
PLAIN = pytest.mark.parametrize("plain", [True, False])


def choices(game: Game) -> list[Ask]:
    """Decisions in which there is something to choose."""
    return [ask for ask in asks(game, 3) if len(engine.useful(game, ask.view)) > 1]


@GAME
def test_until_its_search_is_compiled_the_network_alone_answers(policies: None, game: Game) -> None:
    net = network.of(game)
    for ask in choices(game):
        suggestions = hint.suggest(ask, new_rng(1), plain=True)
        useful = engine.useful(game, ask.view)
        assert len(suggestions) == min(hint.MOST, len(useful))
        assert {one.action for one in suggestions} <= set(useful) <= set(ask.legal)
        if game.blind(ask.view):
            assert [one.action for one in suggestions] == useful[: hint.MOST]
            continue
        mix = policy.Policy(game, net, plain=True).mix(ask)
        likely = [mix.get(one.action, 0.0) for one in suggestions]
        assert likely == sorted(likely, reverse=True) and likely[0] == max(mix.get(a, 0.0) for a in useful)
        assert suggestions[0].win is not None and 0 <= suggestions[0].win <= 1
        assert {one.win for one in suggestions[1:]} <= {None}
        assert hint.suggest(ask, new_rng(2), plain=True) == suggestions  # nothing is drawn


@GAME
def test_what_the_network_expects_is_a_chance_to_win(
    policies: None, monkeypatch: pytest.MonkeyPatch, game: Game
) -> None:
    """Of as many seats as there are: to lose for sure is worth -1 with two seats, and -1/2 with three."""
    blank = policy.blank(game)
    for ask in choices(game):
        seats = ask.view.seats
        for value, expected in ((network.VALUE, 1), (0, 1 / seats), (-network.VALUE / (seats - 1), 0), (-9999, 0)):
            bias = np.full(len(blank.layers["values"].bias), value, np.int32)
            layers = {**blank.layers, "values": blank.layers["values"]._replace(bias=bias)}
            monkeypatch.setattr(network, "of", lambda game, layers=layers: network.Net(blank.shape, layers))
            assert hint.suggest(ask, new_rng(1), plain=True)[0].win == pytest.approx(expected, abs=0.001)


def test_then_the_guided_search_does(policies: None) -> None:
    for ask in choices(SECRETS):
        suggestions = hint.suggest(ask, new_rng(3), 40)
        found = guided.search(ask, new_rng(3), network.of(SECRETS), 40)
        wins = [one.win for one in suggestions if one.win is not None]
        assert wins and max(wins) == wins[0] == found[0].win
        assert [one.action for one in suggestions] == [one.action for one in found[: hint.MOST]]
        short = hint.suggest(ask, new_rng(3), 9999, core_seconds=1e-9)  # when its core time is up
        assert short == hint.suggest(ask, new_rng(3), guided.CHUNK)


@PLAIN
def test_nothing_is_preferred_where_any_plan_would_be_a_tell(
    policies: None, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    asked = choices(SECRETS)
    preferred = [[one.action for one in hint.suggest(ask, new_rng(3), 40, plain=plain)] for ask in asked]
    monkeypatch.setattr(SECRETS, "blind", lambda view: True)
    blind = [hint.suggest(ask, new_rng(3), 40, plain=plain) for ask in asked]
    assert [[one.action for one in each] for each in blind] == [ask.legal[: hint.MOST] for ask in asked] != preferred
    assert all(len({one.win for one in each}) == 1 for each in blind)


@pytest.mark.parametrize(("game", "plain"), [*[(game, True) for game in GAMES.values()], (SECRETS, False)])
def test_alike_in_worlds_the_seat_cannot_tell_apart(policies: None, game: Game, plain: bool) -> None:
    rng = new_rng(1)
    for ask in choices(game):
        world = engine.copy(ask.view)
        game.guess(world, ask.seat, rng)
        other = ask._replace(view=engine.view(game, world, ask.seat))
        one, two = (hint.suggest(each, new_rng(4), 10, plain=plain) for each in (ask, other))
        assert one == two


@PLAIN
def test_a_hint_from_the_whole_position_would_be_another(policies: None, plain: bool) -> None:
    """Planted: the seat's hint is found from what is hidden from it."""
    rng, differences = new_rng(1), 0
    for ask in choices(SECRETS):
        worlds = [engine.copy(ask.view) for _ in range(2)]
        for world in worlds:
            SECRETS.guess(world, ask.seat, rng)
        one, two = (hint.suggest(ask._replace(view=world), new_rng(4), 10, plain=plain) for world in worlds)
        differences += one != two
    assert differences


def test_without_a_network_the_search_judges(no_policies: None) -> None:
    game = GAMES["goldmine"]
    ask = choices(game)[0]
    assert hint.judge(game) == "search"
    suggestions = hint.suggest(ask, new_rng(1), plain=True)
    best = search.search(ask, new_rng(1), bots.PLAIN, plain=True)
    assert [one.action for one in suggestions] == [one.action for one in best[: hint.MOST]]


def test_a_network_that_cannot_be_read_counts_for_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Damaged, or trained for other rules: the search goes on without it, and whoever names it is told why."""
    name = TAUGHT[0]
    folder = tmp_path_factory.mktemp("games")
    with taught_games(folder, name):
        game = GAMES[name]
        assert hint.judge(game) == "policy+search" and network.brings(game)
        network.read.cache_clear()
        (folder / name / network.CARD).write_text("{}")
        assert hint.judge(game) == "search" and not network.brings(game)
        assert hint.suggest(choices(game)[0], new_rng(1), plain=True)
        assert not bots.BotSpec.parse("search:9999", game).policy_stands_in(game)
        with pytest.raises(engine.Refusal, match="is not the card of a policy"):
            bots.make("policy", game)
