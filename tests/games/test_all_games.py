"""The clauses for all games: test_all_3_… is for ALL-3."""

import pytest

from motherlode import contract, engine, text
from motherlode.game import CHANCE, OVER, UNSEEN, Game, new_rng
from motherlode.games import GAMES

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@GAME
def test_all_1_seats_are_numbered_from_0(game: Game) -> None:
    for seats in game.SEATS:
        turns = {s.turn for s, _, _ in contract.random_game(game, engine.start(game, seats), new_rng(1))}
        assert turns - {CHANCE} == set(range(seats))


@GAME
def test_all_2_what_nobody_has_seen_is_not_decided(game: Game) -> None:
    """The opening holds no secret: hiding it from the public changes nothing."""
    for seats in game.SEATS:
        s = engine.start(game, seats)
        assert bytes(engine.view(game, s, -1)) == bytes(s)


def test_all_2_gold_is_decided_at_first_sight() -> None:
    game = GAMES["goldmine"]
    for s, a, t in contract.random_game(game, engine.start(game), new_rng(2)):
        if s.turn >= 0 or a < game.A_GOLD:
            assert sum(g == UNSEEN for g in t.gold) >= sum(g == UNSEEN for g in s.gold)


@GAME
def test_all_3_whoever_is_to_act_has_a_legal_action_and_every_game_ends(game: Game) -> None:
    for seats in game.SEATS:
        decisions = 0
        for s, _, _ in contract.random_game(game, engine.start(game, seats), new_rng(3)):
            assert engine.legal(game, s)
            decisions += s.turn >= 0
        assert 0 < decisions <= game.LENGTH


def test_all_4_taking_the_gold_is_no_decision() -> None:
    game = GAMES["goldmine"]
    assert [kind.verb for kind in game.ACTIONS.kinds] == ["look", "discard", "play"]


@GAME
def test_all_5_sight_is_at_most_knowledge(game: Game) -> None:
    """Perfect memory forgets nothing, and what is in sight is a part of what is known."""
    for s, _, _ in contract.random_game(game, engine.start(game), new_rng(5)):
        for seat in range(s.seats):
            sight = engine.view(game, s, seat, sight=True)
            twice = engine.copy(sight)
            game.forget(twice, seat, 0)
            assert bytes(twice) == bytes(sight)


@GAME
def test_all_6_points_winners_and_utility(game: Game) -> None:
    for seats in game.SEATS:
        s = engine.start(game, seats)
        engine.playout(game, s, new_rng(seats))
        won, utility = engine.winners(game, s), engine.utility(game, s)
        assert won and sum(utility) == pytest.approx(0)
        for seat in range(seats):
            expected = (seats / len(won) - 1) / (seats - 1) if seat in won else -1 / (seats - 1)
            assert utility[seat] == pytest.approx(expected)


@GAME
def test_all_7_the_sums_never_change(game: Game) -> None:
    for seats in game.SEATS:
        for _, _, t in contract.random_game(game, engine.start(game, seats), new_rng(7)):
            contract.check_sums(game, t)


def test_all_8_a_single_legal_action_is_still_a_decision() -> None:
    game = GAMES["goldmine"]
    asked = [s for s, _, _ in contract.random_game(game, engine.start(game, target=0), new_rng(8)) if s.turn >= 0]
    assert len(asked) == 24
    assert any(len(engine.legal(game, s)) == 1 for s in asked)


@GAME
def test_all_9_the_first_value_of_an_option_is_its_default(game: Game) -> None:
    s = engine.start(game)
    assert engine.options_of(game, s) == {option.name: option.values[0] for option in game.OPTIONS}


@GAME
def test_all_10_everything_the_result_depends_on_lies_open_at_the_end(game: Game) -> None:
    for seats in game.SEATS:
        s = engine.start(game, seats)
        engine.playout(game, s, new_rng(seats))
        public = engine.view(game, s, -1)
        assert public.turn == OVER and text.result(game, public) == text.result(game, s)


@GAME
def test_every_game_says_what_chance_draws_from_and_what_came_of_actions(game: Game) -> None:
    """Without them its deals could not be compared, and its players would not be told who won what."""
    assert game.source is not None
    assert any(arg.name == "points" for kind in game.EVENTS for arg in kind.args)
    *_, (s, a, t) = contract.random_game(game, engine.start(game), new_rng(1))
    assert t.turn == OVER and text.tell(game, s, a, -1).events, "the end is told"
