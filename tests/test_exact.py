"""Exact endings as a bot: legal, blind to what its seat may not know, and asked first."""

from collections import Counter

import pytest

from motherlode import Table, engine
from motherlode.bots import exact, random
from motherlode.contract import far_off, random_game
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.games.gold_hunting import building, ending
from motherlode.table import Ask

gold_hunting = GAMES["gold_hunting"]
SOLVED = {name: game for name, game in GAMES.items() if exact.ending_of(game)}
LAST = {"china_gold": 6, "mount_goldrush": 6, "claimpoker": 3, "goldmine": 3, "gold_hunting": 4}
assert SOLVED.keys() == LAST.keys()


@pytest.mark.parametrize("game", SOLVED.values(), ids=SOLVED)
def test_the_last_decisions_are_solved_and_alike_in_worlds_the_seat_cannot_tell_apart(game: Game) -> None:
    rng, refused = new_rng(1), AssertionError("there is an exact answer")

    def nobody(ask: Ask, rng: object) -> int:
        raise refused

    bot = exact.bot(nobody)
    for seats in game.SEATS:
        decisions = [s for s, _, _ in random_game(game, engine.start(game, seats), new_rng(3)) if s.turn >= 0]
        for s in decisions[-LAST[game.NAME] :]:
            world = engine.view(game, s, s.turn)
            game.guess(world, s.turn, rng)
            answers = []
            for real in (s, world):
                ask = Ask(game, s.turn, engine.view(game, real, s.turn), engine.legal(game, real), [])
                answers += [bot(ask, new_rng(9)), exact.solve(ask)]
            assert answers[:2] == answers[2:] and set(answers) <= set(engine.legal(game, s))


@pytest.mark.parametrize("game", SOLVED.values(), ids=SOLVED)
def test_before_the_ending_the_other_bot_plays(game: Game) -> None:
    table = Table(game, seed=1)
    asked = []

    def before(ask: Ask, rng: object) -> int:
        asked.append(ask.seat)
        return ask.legal[-1]

    bot = exact.bot(before)
    table.play(*[bot] * table.seats, actions=3)
    assert len(asked) == 3


def test_a_mixed_answer_is_drawn_as_likely_as_it_should_be() -> None:
    """Last lifts with a real choice: over many draws each action comes as often as the mix says."""
    for number in range(40):
        played = random_game(gold_hunting, engine.start(gold_hunting), new_rng(number))
        s = next(s for s, _, _ in played if s.turn >= 0 and s.phase == gold_hunting.MINING and sum(s.left) == 4)
        solved = ending.solve(s)
        assert solved is not None
        mix = solved.mix
        if max(mix.values()) < 0.8:
            break
    assert list(mix) == engine.legal(gold_hunting, s)
    rng = new_rng(2)
    seen = Counter(exact.draw(mix, rng) for _ in range(3000))
    odds = {a: share for a, share in mix.items() if share > 0.002}
    assert far_off(Counter({a: n for a, n in seen.items() if a in odds}), odds) < 6


def test_the_table_of_ways_to_build() -> None:
    for weight, piles in building.ways():
        assert weight > 0 and len(piles) == 4
        assert sorted("".join(piles)) == sorted("1111222233")


def test_the_bot_builds_by_the_table() -> None:
    bot, seen = building.bot(random.bot()), Counter()  # type: ignore[var-annotated]
    for number in range(60):
        table = Table("gold_hunting", seed=number)
        table.play(bot, bot, actions=20)
        for x in range(2):
            seen[tuple(sorted(str(pile) for pile in table.position.pile[4 * x : 4 * x + 4]))] += 1
    odds: dict[tuple[str, ...], float] = {}
    for weight, piles in building.ways():
        odds[tuple(sorted(piles))] = odds.get(tuple(sorted(piles)), 0) + weight
    assert set(seen) <= set(odds)
    some = dict(sorted(odds.items(), key=lambda item: -item[1])[:10])
    assert far_off(Counter({way: n for way, n in seen.items() if way in some}), some) < 6
