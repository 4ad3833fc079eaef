"""The search that a network guides: the same compiled and plain, and nobody in it acts on what it could not know."""

import ctypes
import sys
from typing import Any

import numpy as np
import pytest
from support import hidden_coin, two_piles
from support.endings import ask_at, endings
from support.networks import asks, observations, random_net

from motherlode import Refusal, Table, bots, engine
from motherlode.bots import BotSpec, guided, network, policy
from motherlode.bots.network import LOGIT, VALUE, Net
from motherlode.envs.observation import layout
from motherlode.game import Game, Record, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
SEVERAL, SECRETS = GAMES["claimpoker"], GAMES["goldmine"]  # each compiles for 5 to 13 s: the others are soaked
COMPILED = pytest.mark.parametrize(
    "game",
    [game if game in (SEVERAL, SECRETS) else pytest.param(game, marks=pytest.mark.soak) for game in GAMES.values()],
    ids=GAMES,
)


def choices(game: Game, most: int) -> tuple[list[Ask], Net]:
    """Decisions at every seat count and with other options, where there is something to choose; and a network."""
    asked = asks(game, most)
    return [ask for ask in asked if len(engine.useful(game, ask.view)) > 1], random_net(game, observations(asked))


@COMPILED
def test_compiled_and_plain_find_the_same(game: Game) -> None:
    asked, net = choices(game, 3)
    assert {ask.view.seats for ask in asked} == set(game.SEATS)
    for ask in asked:
        compiled, plain = (guided.search(ask, new_rng(7), net, 25, plain=plain) for plain in (False, True))
        assert compiled == plain and sum(found.tries for found in plain) == 25
        assert all(-1 <= found.value <= 1 and 0 <= found.win <= 1 for found in plain)


@GAME
def test_the_answer_is_legal_and_alike_in_worlds_that_the_seat_cannot_tell_apart(game: Game) -> None:
    asked, net = choices(game, 2)
    bot, rng = guided.bot(net, 5, plain=True), new_rng(1)
    for ask in asked:
        world = engine.copy(ask.view)
        game.guess(world, ask.seat, rng)
        answers = [bot(ask._replace(view=view), new_rng(9)) for view in (ask.view, engine.view(game, world, ask.seat))]
        assert answers[0] == answers[1] and answers[0] in ask.legal


def with_rules(game: Game, **changes: object) -> Game:
    """The game with some of its functions replaced."""
    changed = Game(game.__name__)
    vars(changed).update(vars(game) | changes)
    return changed


def show_everything(s: Record, seat: int) -> None:
    """In place of `hide`: a planted fault."""


def worlds(asked: list[Ask]) -> list[list[Record]]:
    """For each decision, worlds that its seat cannot tell apart."""
    rng, found = new_rng(4), []
    for ask in asked:
        own = [engine.copy(ask.view) for _ in range(6)]
        for world in own:
            ask.game.guess(world, ask.seat, rng)
        found.append(own)
    return found


def has_secrets(game: Game, asked: list[Ask]) -> bool:
    """Whether any seat does not know everything in these decisions."""
    return any(
        bytes(engine.view(game, world, seat)) != bytes(world)
        for own in worlds(asked) for world in own for seat in range(world.seats)
    )  # fmt: skip


@GAME
def test_the_network_is_shown_what_the_seat_to_act_knows(game: Game) -> None:
    asked, net = choices(game, 2)

    def leaks(hide: Any) -> int:
        """How often a search shows the network what the seat may not know."""
        shown: list[bool] = []

        def run(s: Record, seat: int, net: Net, to: None, logits: Any, values: Any) -> None:
            shown.append(bytes(s) == bytes(engine.view(game, s, seat)))
            guided.run_plain(s, seat, net, to, logits, values)

        for ask in asked:
            tree = guided.Tree(ask, net, 100, new_rng(2), plain=True)
            tree.program = guided.build(with_rules(game, hide=hide), run, engine.uncompiled, engine.uncompiled).grow
            tree.grow(6)
        assert len(shown) > 6 * len(asked) / 2
        return shown.count(False)

    assert leaks(game.hide) == 0
    assert (leaks(show_everything) > 0) == has_secrets(game, asked)


@pytest.mark.parametrize("game", [*GAMES.values(), hidden_coin.GAME], ids=[*GAMES, "hidden_coin"])
def test_what_another_seat_knows_at_the_root_is_its_view(game: Game) -> None:
    """In two worlds its nodes are the same exactly if it knows the same in both."""
    asked = asks(game, 4)

    def confused(hide: Any) -> int:
        loops = guided.build(with_rules(game, hide=hide), None, engine.uncompiled, engine.uncompiled)
        wrong = 0
        for ask, own in zip(asked, worlds(asked), strict=True):
            nodes: dict[tuple[int, bytes], set[int]] = {}
            for world in own:
                pair, keys = (game.RECORD * 2)(world), (ctypes.c_int64 * world.seats)()
                content = (ctypes.c_int8 * ctypes.sizeof(pair)).from_buffer(pair)
                loops.start(keys, world.seats, ask.seat)
                loops.know(pair, ask.seat, keys, content)
                assert keys[ask.seat] == 0 and bytes(pair[0]) == bytes(world)
                for seat in range(world.seats):
                    nodes.setdefault((seat, bytes(engine.view(game, world, seat))), set()).add(keys[seat])
            nodes = {(seat, view): keys for (seat, view), keys in nodes.items() if seat != ask.seat}
            wrong += sum(len(keys) > 1 for keys in nodes.values())
            every = [key for keys in nodes.values() for key in keys]
            wrong += len(set(every)) < len(every)
        return wrong

    assert confused(game.hide) == 0
    if game is hidden_coin.GAME:  # elsewhere these few worlds are different for everybody
        assert confused(show_everything) > 0


def test_a_seat_does_not_see_what_another_hides() -> None:
    """The coin: a network that guesses whatever coin it is shown finds nothing, and one guess in three is right."""
    game = hidden_coin.GAME
    ask = ask_at(game, engine.start(game))
    found = guided.search(ask, new_rng(1), reads_the_coin(game), 600, plain=True)
    assert sum(one.tries * one.value for one in found) / 600 == pytest.approx(1 / 3, abs=0.1)  # nor fall they into step
    assert [one.tries for one in found] == pytest.approx([200] * 3, abs=60)


def reads_the_coin(game: Game) -> Net:
    """A network that is sure of the coin, if it sees one."""
    blank, names = policy.blank(game), layout(game).names()
    weights = np.zeros(blank.layers["actions"].weights.shape, np.int8)
    for coin in range(3):
        weights[names.index(f"coin[0]={coin}"), coin + 3] = 8
    actions = blank.layers["actions"]._replace(weights=weights)
    return Net(blank.shape, {**blank.layers, "actions": actions})


@GAME
def test_what_the_network_expects_is_given_to_the_right_seats(game: Game) -> None:
    """To a network that always expects the seat it is shown to win, and others to lose, every action is worth 1."""
    blank = policy.blank(game)
    seats = len(blank.layers["values"].bias)
    sure = blank.layers["values"]._replace(bias=np.array([VALUE] + [-VALUE] * (seats - 1), np.int32))
    net = Net(blank.shape, {**blank.layers, "values": sure})
    for count in game.SEATS:
        asked = []
        for number in range(6):
            table = Table(game, count, seed=number)
            table.play(*[bots.make("random")] * count, actions=3 * number)
            asked.append(table.ask())
        assert len({ask.seat for ask in asked}) > 1
        for ask in asked:
            tree = guided.Tree(ask, net, 1000, new_rng(1), plain=True)
            tree.grow(6)
            assert all(one.value == one.win == one.tries for one in tree.root())


def test_the_search_finds_what_is_known_to_be_best_and_the_policy_alone_does_not() -> None:
    game = SEVERAL
    net = random_net(game, observations(asks(game, 4)))
    alone, found, missed = policy.Policy(game, net, plain=True), 0, 0.0
    for s, values in endings(game, 25):
        ask = ask_at(game, s)
        best = guided.search(ask, new_rng(1), net, 3000)[0]
        assert values[best.action] == pytest.approx(max(values.values()), abs=1e-9)
        missed += sum(share for a, share in alone.mix(ask).items() if values[a] < max(values.values()) - 1e-9)
        found += 1
    assert found >= 3 and missed > found / 5


@pytest.mark.parametrize("action", [0, 1])
def test_what_is_best_is_found_though_the_network_is_sure_of_something_else(action: int) -> None:
    game, found = two_piles.GAME, 0
    blank = policy.blank(game)
    sure = blank.layers["actions"]._replace(bias=np.array([(a == action) * 20 * LOGIT for a in (0, 1)], np.int32))
    net = Net(blank.shape, {**blank.layers, "actions": sure})
    for s, values in endings(game, 10):
        best = guided.search(ask_at(game, s), new_rng(1), net, 1500, plain=True)[0]
        assert values[best.action] == pytest.approx(max(values.values()), abs=1e-9)
        found += values[action] < max(values.values())
    assert found >= 2


def test_with_random_weights_it_beats_chance_by_searching() -> None:
    game, games = SEVERAL, 60
    seats, net = min(game.SEATS), random_net(game, observations(asks(game, 4)))
    won = 0.0
    for number in range(games):
        players = [bots.make("random")] * seats
        players[number % seats] = guided.bot(net, 200)
        table = Table(game, seats, seed=number)
        table.play(*players)
        won += (number % seats in table.winners) / len(table.winners)
    assert won / games > 1 / seats + 0.15


def test_several_trees_find_the_same_every_time() -> None:
    asked, net = choices(SEVERAL, 2)
    first, again = (guided.search(asked[0], new_rng(3), net, 40, trees=3) for _ in range(2))
    assert first == again and sum(found.tries for found in first) == 120


def test_a_tree_that_is_full_goes_on_learning() -> None:
    asked, net = choices(SEVERAL, 2)
    tree = guided.Tree(asked[0], net, 4, new_rng(1), plain=True)
    tree.grow(40)
    assert sum(found.tries for found in tree.root()) == 40


# Names


@pytest.fixture
def file(tmp_path: Any) -> Any:
    game = GAMES["goldmine"]
    network.write(random_net(game, observations(asks(game, 2))), tmp_path / "mine.npz", game)
    yield tmp_path / "mine.npz"
    network.read.cache_clear()


def test_a_name_is_read_and_written(file: Any) -> None:
    game = GAMES["goldmine"]
    for name in ("+search:400", "+search:4x400+exact", "+search:50ms", "+search:7@90", ""):
        assert str(BotSpec.parse(f"policy{name}")) == f"policy{name}"
        spec = BotSpec.parse(f"policy:{file}{name}", game)
        assert str(spec) == f"policy:{file}{name}" and BotSpec.parse(str(spec)) == spec
        assert spec.compiled_parts(game)[0] is (guided if name else policy)
    assert str(BotSpec.parse("policy+search")) == "policy+search:1000"


def test_a_plain_bot_needs_no_compilation(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the search is compiled its policy stands in for it, by NumPy."""
    game, ask = GAMES["goldmine"], Table("goldmine", seed=1).ask()
    alone = policy.Policy(game, network.read(file, game), plain=True)
    answers = [alone(ask, new_rng(k)) for k in range(9)]
    assert len(set(answers)) > 1
    monkeypatch.setitem(sys.modules, "motherlode.compiled", None)
    for name in (f"policy:{file}", f"policy:{file}+search:9999", f"policy:{file}+search:4x500+exact"):
        assert BotSpec.parse(name, game).policy_stands_in(game)
        for bot in (bots.make(name, game, plain=True), bots.make(name, plain=True)):
            assert [bot(ask, new_rng(k)) for k in range(9)] == answers


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("policy+search:0", "a strength is a number from 1 to 10000000, as in policy.search:100, not '0'"),
        ("policy+search:", "as in policy.search:100, not ''"),
        ("policy+search:99x9", "a number of trees is a number from 1 to 64, as in policy.search:4x1000, not '99'"),
        ("policy+search:0ms", "as in policy.search:500ms, not '0'"),
        ("policy+exact+search:4", "a search comes right behind a policy, as in policy.search:400"),
        ("policy+search:4+search:4", "a search comes right behind a policy"),
        ("random+search:4", "a search comes right behind a policy"),
        ("policy+searching", "not '.searching'"),
    ],
)
def test_a_wrong_name_is_refused(name: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        BotSpec.parse(name)


def test_a_server_limits_it() -> None:
    BotSpec.parse("policy+search:2000").check_for_server(2000)
    for name, said in (
        ("policy+search:2001", "at most 2000, not 2001"),
        ("policy+search:50ms", "not '50ms'"),
        ("policy+search:4x10", "not '4x10'"),
        ("policy:mine.npz+search:5", "from a file is not played here"),
    ):
        with pytest.raises(Refusal, match=said):
            BotSpec.parse(name).check_for_server(2000)


def test_a_blank_network_compiles_what_every_other_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided, "_warm", set())
    assert not guided.is_warm(SEVERAL)
    guided.warm(SEVERAL)
    assert guided.is_warm(SEVERAL)
