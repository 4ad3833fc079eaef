"""The tree search: the same compiled and plain, repeatable, within its time, and right where the answer is known."""

import ctypes

import pytest
from support.endings import ask_at, endings

from motherlode import Table, bots, contract, engine
from motherlode.bots import hint, search
from motherlode.game import OVER, Game, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def asks(game: Game, seats: int, number: int) -> list[Ask]:
    """Some positions of a random game where there is something to choose."""
    played = contract.random_game(game, engine.start(game, seats), new_rng(number))
    choices = [ask_at(game, s) for s, _, _ in played if s.turn >= 0]
    return contract.some([ask for ask in choices if len(engine.useful(game, ask.view)) > 1], 3, number)


@GAME
def test_compiled_and_plain_find_the_same(game: Game) -> None:
    for seats in game.SEATS:
        for ask in asks(game, seats, seats):
            compiled, plain = (search.search(ask, new_rng(7), 60, plain=plain) for plain in (False, True))
            assert compiled == plain and sum(found.tries for found in plain) == 60


@GAME
def test_several_trees_find_the_same_every_time(game: Game) -> None:
    ask = asks(game, game.SEATS[-1], 1)[0]
    first, again = (search.search(ask, new_rng(3), 40, trees=3) for _ in range(2))
    assert first == again and sum(found.tries for found in first) == 120
    assert first != search.search(ask, new_rng(4), 40, trees=3)


@GAME
def test_a_node_is_what_a_seat_was_told_and_no_more(game: Game) -> None:
    """Two worlds have the same node for a seat exactly when it was told and shown the same in both."""
    loops, rng, seats = search.interpreted(game), new_rng(1), game.SEATS[-1]
    played = contract.random_game(game, engine.start(game, seats), new_rng(2))
    nodes: dict[tuple[int, int, tuple[object, ...]], set[int]] = {}
    for at, s in enumerate(contract.some([s for s, _, _ in played], 40, 0)):
        seat = at % seats
        worlds = [engine.view(game, s, seat) for _ in range(4)]
        for world in worlds:
            game.guess(world, seat, rng)
            for first in engine.legal(game, world)[:20]:
                pair, keys = (game.RECORD * 2)(world), (ctypes.c_int64 * seats)()
                loops.start(keys, seats, seat)
                told: list[tuple[object, ...]] = [()] * seats
                x, a = world, first
                for _ in range(3):
                    loops.act(pair, a, keys)
                    t = engine.after(game, x, a)
                    for y in range(seats):
                        told[y] += (x.turn, game.told(x, a, y), engine.shown(game, t, y))
                        nodes.setdefault((at, y, told[y]), set()).add(keys[y])
                    if t.turn == OVER:
                        break
                    x, a = t, engine.legal(game, t)[0]
    assert all(len(keys) == 1 for keys in nodes.values()) and len(nodes) > 300
    for at in range(40):
        different = [key for (place, _, _), (key,) in nodes.items() if place == at]
        assert len(set(different)) == len(different)  # nor do two seats ever share a node


def test_the_search_stops_when_its_time_is_up() -> None:
    ask = Table("goldmine", seed=1).ask()
    ticks = iter(range(100))
    found = search.search(ask, new_rng(1), 1000, milliseconds=5500, plain=True, clock=lambda: float(next(ticks)))
    assert sum(f.tries for f in found) == 6  # looks at 1, 2, … 5 s go on, the one at 6 s does not
    found = search.search(ask, new_rng(1), 3, milliseconds=5500, plain=True, clock=lambda: 0.0)
    assert sum(f.tries for f in found) == 3


def test_a_tree_that_is_full_goes_on_learning() -> None:
    ask = Table("china_gold", seed=1).ask()
    tree = search.Tree(ask, 8, new_rng(1), plain=True)
    tree.grow(60)
    assert sum(arm.tries for arm in tree.root_arms()) == 60 and len(tree.root_arms()) <= 24


@pytest.mark.parametrize(("name", "games"), [("china_gold", 25), ("claimpoker", 25), ("mount_goldrush", 25)])
def test_the_search_finds_what_is_known_to_be_best(name: str, games: int) -> None:
    game, found = GAMES[name], 0
    for s, values in endings(game, games):
        best = search.search(ask_at(game, s), new_rng(1), 3000)[0]
        assert values[best.action] == pytest.approx(max(values.values()), abs=1e-9)
        found += 1
    assert found >= 3


@pytest.mark.usefixtures("no_policies")
def test_a_hint_names_two_or_three_actions_with_their_chance() -> None:
    table = Table("goldmine", seed=5)
    suggestions = hint.suggest(table.ask(), new_rng(1), 300)
    assert 2 <= len(suggestions) <= 3 and all(one.win is not None and 0 <= one.win <= 1 for one in suggestions)
    assert all(one.words in table.legal() for one in suggestions)
    assert hint.say(suggestions).count("%") == len(suggestions)


@GAME
@pytest.mark.usefixtures("no_policies")
def test_nobody_is_advised_to_do_what_wins_less_often(game: Game) -> None:
    table = Table(game, seed=5)
    table.play(*[bots.make("random")] * table.seats, actions=7)
    wins = [one.win for one in hint.suggest(table.ask(), new_rng(1), 400) if one.win is not None]
    assert max(wins, default=0.0) == next(iter(wins), 0.0)


def test_a_hint_says_when_it_does_not_matter() -> None:
    same = [hint.Suggestion(0, "look 0", 0.5), hint.Suggestion(1, "look 1", 0.495)]
    assert (
        hint.say(same)
        == "It makes little difference: look 0 wins about 50% of the time; look 1 (50%) would do as well."
    )
    assert hint.say(same[:1]) == "There is nothing to choose: look 0."


@pytest.mark.usefixtures("no_policies")
def test_a_hint_says_only_what_was_tried() -> None:
    """A short search among many actions tries some of them only once, or not at all."""
    found = [hint.Suggestion(0, "look 0", None), hint.Suggestion(1, "look 1", 0.25), hint.Suggestion(2, "look 2", None)]
    assert hint.say(found) == "I would look 0. Next best: look 1 (25%) or look 2."
    assert hint.say(found[1:]) == "I would look 1: that wins about 25% of the time. Next best: look 2."
    table = Table("china_gold", seed=1)
    suggestions = hint.suggest(table.ask(), new_rng(1), 2, plain=True)
    assert len(table.legal()) > 3 and len(suggestions) == 3 and None in [found.win for found in suggestions]


def test_the_only_action_is_hinted_at_without_a_search() -> None:
    table = Table("goldmine", seed=1, target=0)
    while len(table.legal()) > 1:
        table.act(table.legal()[0])
    ((action, words, win),) = hint.suggest(table.ask(), new_rng(1))
    assert [action] == table.ask().legal and [words] == table.legal() and win is None
