"""Bots: legal, repeatable, blind to what their seat may not know, and better than chance."""

import pytest

from motherlode import Refusal, Table, bots, contract, engine
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
SMALL = {"random": "random", "greedy": "greedy:2", "search": "search:4"}


@GAME
def test_bots_play_every_game_at_every_seat_count(game: Game) -> None:
    assert set(SMALL) == set(bots.BOTS)
    for seats in game.SEATS:
        players = [bots.make(list(SMALL.values())[seat % 3]) for seat in range(seats)]
        table = Table(game, seats, seed=seats)
        table.play(*players, actions=12)
        again = Table(game, seats, seed=seats)
        again.play(*players, actions=12)
        assert table.log == again.log


@GAME
@pytest.mark.parametrize("name", SMALL)
def test_a_bot_answers_alike_in_worlds_its_seat_cannot_tell_apart(game: Game, name: str) -> None:
    bot, rng = bots.make(SMALL[name]), new_rng(1)
    steps = [s for s, _, _ in contract.random_game(game, engine.start(game), new_rng(3)) if s.turn >= 0]
    for s in steps[:: max(1, len(steps) // 5)]:
        world = engine.view(game, s, s.turn)
        game.guess(world, s.turn, rng)
        answers = []
        for real in (s, world):
            ask = Ask(game, s.turn, engine.view(game, real, s.turn), engine.legal(game, real), [])
            answers.append(bot(ask, new_rng(9)))
        assert answers[0] == answers[1] and answers[0] in engine.legal(game, s)


def share(one: str, other: str, games: int) -> float:
    """How many games `one` wins, from both seats."""
    won = 0
    for number in range(games):
        for seat in (0, 1):
            table = Table("goldmine", seed=number, target=0)
            pair = [bots.make(one), bots.make(other)]
            table.play(*(pair if seat == 0 else pair[::-1]))
            won += table.winners == [seat]
    return won / games / 2


def test_each_bot_beats_the_simpler_one() -> None:
    assert share("greedy", "random", 40) > 0.6
    assert share("search:60", "random", 10) > 0.7


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("clever", "there is no bot 'clever'; the bots are: random, greedy, search"),
        ("random:3", "the bot random has no strength"),
        ("search:0", "a strength is a number from 1 to 1000000, as in search:100, not '0'"),
        ("search:many", "not 'many'"),
    ],
)
def test_a_wrong_bot_is_refused(name: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        bots.make(name)
