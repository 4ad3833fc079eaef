"""Games of earlier versions of the rules are read as what they were played under."""

from collections.abc import Iterator

import pytest

from motherlode import engine, proof, text
from motherlode.engine import Refusal
from motherlode.game import Game, Option
from motherlode.games import GAMES, variant
from motherlode.table import Table

TARGET = Option("target", (30, 50, 0), "GM-4.2", "points that end the match")
SINCE = Option("trick", ("one", "two"), "GM-3.1", "tricks", since=2, was="three", retired=("three", "four"))


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """Goldmine as if version 2 of its rules had brought an option. The option is a field that exists anyway."""
    game = GAMES["goldmine"]
    monkeypatch.setattr(game, "OPTIONS", (TARGET, SINCE))
    monkeypatch.setattr(game, "RULES", 2)
    monkeypatch.setattr(game, "OLDEST_RULES", 1)
    return game


def test_an_option_that_a_version_lacks_is_what_it_was(game: Game) -> None:
    assert engine.check_options(game, {"target": 0}, 1) == {"target": 0, "trick": "three"}
    assert engine.check_options(game, {"target": 0}) == {"target": 0, "trick": "one"}
    assert engine.check_options(game, {"trick": "four"})["trick"] == "four"  # of a position or a record
    with pytest.raises(Refusal, match="no option 'trick'; it has: target"):
        engine.check_options(game, {"trick": "one"}, 1)


def test_which_versions_can_be_read(game: Game) -> None:
    assert text.check_rules(game, "2") is None and text.check_rules(game, "1") == 1
    for version in ("0", "3", "two", "", "-1", "²"):
        with pytest.raises(Refusal, match="it would not replay"):
            text.check_rules(game, version)


def test_versions_of_a_variant(game: Game) -> None:
    short = variant(game, {"targets": [20, 50]}, "earlier")
    older = short.RULES - (game.RULES - 1) * 10**7
    assert text.check_rules(short, str(older)) == older
    with pytest.raises(Refusal, match="it would not replay"):
        text.check_rules(short, str(older + 1))


def test_an_option_with_one_value_is_not_offered() -> None:
    assert SINCE.is_offered and not SINCE._replace(values=("one",)).is_offered


def test_a_record_of_an_earlier_version_stays_as_it_is(game: Game) -> None:
    table = Table(game, seed=1, target=0)
    table.act(table.legal()[0])
    written = text.write_record(table.record()).replace("rules: 2", "rules: 1").replace("trick: one\n", "")
    played = text.read_record(written)
    assert played.rules == 1 and played.options == {"target": 0, "trick": "three"}
    assert text.write_record(played) == written
    now = proof.chain(played._replace(rules=None))
    assert proof.chain(played) != now  # its chain is of the options it had


def test_a_position_of_an_earlier_version(game: Game) -> None:
    _, s = text.read_position("goldmine/1 turn=0")
    assert s.trick == 2
    _, s = text.read_position("goldmine/2 turn=0")
    assert s.trick == 0
