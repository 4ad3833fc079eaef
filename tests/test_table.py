"""Tables: the checked door, undo, records, and what a seat is told."""

import doctest
from pathlib import Path

import pytest

import motherlode
from motherlode import Illegal, NotYourTurn, Refusal, Stale, Table, bots, engine
from motherlode import table as table_module
from motherlode.game import CHANCE, HIDDEN, Game
from motherlode.games import GAMES

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def new() -> Table:
    return Table("goldmine", seed=7, target=0)


def test_docstrings() -> None:
    for module in (motherlode, table_module):
        assert doctest.testmod(module).failed == 0


def test_an_action_by_name_or_number() -> None:
    one, other = new(), new()
    one.act("LOOK  2")
    other.act(2, seat=1, at=13)
    assert one.log == other.log and bytes(one.position) == bytes(other.position)


@pytest.mark.parametrize(
    ("action", "seat", "at", "refusal", "said"),
    [
        ("look 2", None, 12, Stale, "that was for action 12, and the table is at 13: look again"),
        ("look 2", 0, None, NotYourTurn, "it is the turn of seat 1, not of seat 0"),
        ("look 9", None, None, Refusal, "'look 9' is no action of Goldmine; they are: look <place>, discard <card>"),
        (99, None, None, Refusal, "'99' is no action"),
        ("play H7", None, None, Illegal, "GM-3.5: 'play H7' is not legal here"),
    ],
)
def test_what_is_refused_changes_nothing(
    action: str | int, seat: int | None, at: int | None, refusal: type[Refusal], said: str
) -> None:
    table = new()
    before = bytes(table.position)
    with pytest.raises(refusal) as refused:
        table.act(action, seat=seat, at=at)
    assert said in str(refused.value)
    assert bytes(table.position) == before and table.at == 13


def test_an_illegal_action_names_its_clause() -> None:
    with pytest.raises(Illegal) as refused:
        new().act("play H7")
    assert refused.value.clause == "GM-3.5"


def test_nobody_acts_when_it_is_over() -> None:
    table = new()
    table.play(bots.make("random"), bots.make("random"))
    assert table.is_over and table.legal() == [] and sum(table.points) == 27 and len(table.winners) == 1
    with pytest.raises(NotYourTurn, match="the game is over"):
        table.act(0)


def test_undo_goes_back_to_the_last_decision() -> None:
    table = new()
    with pytest.raises(Refusal, match="there is no decision to take back"):
        table.undo()
    before = bytes(table.position)
    table.act("look 2")
    table.told(0)
    table.undo()
    assert bytes(table.position) == before and table.at == 13 and len(table.told(0)) == 13


def test_bots_play_on_for_so_many_decisions() -> None:
    table = new()
    table.play(bots.make("random"), bots.make("greedy"), actions=3)
    assert sum(s.turn >= 0 for s in table.positions[:-1]) == 3
    with pytest.raises(Refusal, match="has 2 seats here, and there are 1 bots"):
        table.play(bots.make("random"))


def test_save_and_load_go_on_where_it_was(tmp_path: Path) -> None:
    table = new()
    table.play(bots.make("random"), bots.make("random"), actions=5)
    table.save(tmp_path / "record.txt")
    loaded = Table.load(tmp_path / "record.txt")
    assert loaded.log == table.log and bytes(loaded.position) == bytes(table.position)
    assert [path.name for path in tmp_path.iterdir()] == ["record.txt"]
    loaded.play(bots.make("random"), bots.make("random"))
    assert loaded.is_over


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"missing\.txt cannot be read: No such file"):
        Table.load(tmp_path / "missing.txt")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Refusal, match="cannot be read: it is not text"):
        Table.load(tmp_path / "bytes")


def test_a_seat_is_told_its_own_cards_only() -> None:
    table = new()
    dealt = [told.action == HIDDEN for told in table.told(1)[1:]]
    assert dealt == [False, True] * 6  # the non-dealer is dealt the first card
    assert [told.action == HIDDEN for told in table.told(0)[1:]] == [True, False] * 6
    assert all(told.action == HIDDEN for told in table.told(-1)[1:])
    assert all(told.actor == CHANCE for told in table.told(-1))


@GAME
def test_bots_are_given_their_view_and_nothing_else(game: Game) -> None:
    table = Table(game, seed=1)
    ask = table.ask()
    assert bytes(ask.view) == bytes(engine.view(game, table.position, table.turn))
    assert ask.legal == engine.legal(game, table.position) and ask.log == table.told(table.turn)


@pytest.mark.parametrize(
    ("seats", "options", "said"),
    [
        (5, {}, "Goldmine is for 2 seats, not 5"),
        (2, {"goal": 3}, "Goldmine has no option 'goal'; it has: target"),
        (2, {"target": 31}, "GM-4.2: target can be 30, 50, 0, not 31"),
    ],
)
def test_a_wrong_table_is_refused(seats: int, options: dict[str, int], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        Table("goldmine", seats, **options)
