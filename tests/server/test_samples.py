"""Sample views: what a board is drawn with is what the wire would give it."""

import json

import pytest

from motherlode import engine
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.server import samples

claimpoker, gold_hunting = GAMES["claimpoker"], GAMES["gold_hunting"]

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@GAME
def test_a_sample_has_every_field_and_survives_json(game: Game) -> None:
    for sample in samples.samples(game, game.SEATS[0], 1, 9, {}):
        assert json.loads(json.dumps(sample))["view"].keys() == {field.name for field in game.FIELDS}
        assert (sample["drawn"] is not None) == ("drawn" in vars(game))


def test_samples_are_played_with_options() -> None:
    found = samples.samples(gold_hunting, 2, 1, 7, {"heights": "hidden"})
    assert all(sample["view"]["heights"] == 1 for sample in found)


def test_what_a_gift_would_do_is_what_it_does() -> None:
    """Each forecast of `drawn` is what the tableau counts after that very action (unless the round ends with it)."""
    checked = 0
    for sample in samples.samples(claimpoker, 3, 2, 1, {}):
        view = engine.start(claimpoker, 3)
        for field in claimpoker.FIELDS:
            value = sample["view"][field.name]
            if field.length:
                getattr(view, field.name)[:] = value
            else:
                setattr(view, field.name, value)
        after = sample["drawn"]["after"]
        assert set(after) == ({x["action"] for x in sample["legal"]} if sample["view"]["phase"] in (1, 2) else set())
        for action, forecast in after.items():
            then = engine.after(claimpoker, view, action)
            if then.round == view.round and then.phase != claimpoker.ANSWERING:
                assert forecast == {seat: claimpoker.drawn(then)["now"][seat] for seat in forecast}
                checked += 1
    assert checked > 50


def test_the_numbers_drawn_are_those_of_the_rules() -> None:
    s = engine.start(claimpoker, 3)
    for name in ("pickaxe2", "pickaxe1", "sieve3", "sieve1", "knife1", "rifle2", "rifle2b", "plus"):
        s.held[1] |= 1 << claimpoker.CARDS.index(name)
    drawn = claimpoker.drawn(s)["now"][1]
    assert (drawn["points"], drawn["added"], drawn["adjusted"]) == (13, 1, claimpoker.KINDS.index("pickaxe"))
    assert drawn["numbers"] == [4, 0, 4, 0, 1, 4, 0, 0] and drawn["worth"] == [4, 0, 5, 0, 0, 4, 0, 0]


def test_the_gold_drawn_is_that_of_the_rules() -> None:
    s = engine.start(gold_hunting)
    s.stack[0], s.stack[2], s.kept[4], s.used[0] = 2, 1, 3, gold_hunting.UP
    drawn = gold_hunting.drawn(s)
    assert drawn is not None
    assert (drawn["stack"], drawn["kept"], drawn["rush"], drawn["points"]) == ([5, 0], [0, 6], [2, 0], [7, 3])
