"""Positions, actions and records as text, both ways, and what is said when they are not right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode import contract, engine, text
from motherlode.engine import Refusal
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.table import Table

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)

SAMPLE = """\
motherlode record
game: goldmine
rules: 2
seats: 2
target: 0
scoring: both
players: Ada, greedy
actions: 4
result: unfinished

* trump H4
* deal C2
# a remark
* deal C3
* deal C4
"""


@GAME
@given(data=st.data())
def test_positions_and_records_read_back(game: Game, data: st.DataObject) -> None:
    """Random games of every option and seat count: a position, every seat's view of it, and the record."""
    seats, options = data.draw(st.sampled_from(contract.tables(game)))
    steps = list(
        contract.random_game(game, engine.start(game, seats, **options), new_rng(data.draw(st.integers(0, 2**32))))
    )
    at = data.draw(st.integers(0, len(steps) - 1))
    for s in [steps[at][0], *(engine.view(game, steps[at][0], seat) for seat in range(-1, seats))]:
        line = text.write_position(game, s)
        assert bytes(text.read_position(line)[1]) == bytes(s)
        assert text.write_position(*text.read_position(line)) == line
    played = text.Played(
        game, seats, engine.check_options(game, options), [a for _, a, _ in steps][:at], ["Ada"] * seats
    )
    written = text.write_record(played)
    assert text.read_record(written) == played
    assert text.write_record(text.read_record(written)) == written


@given(line=st.text(alphabet=st.sampled_from(list("goldmine/12 turn=0,+-?.HCD7phase")), max_size=60))
def test_no_text_crashes_the_reader_of_positions(line: str) -> None:
    try:
        game, s = text.read_position("goldmine " + line)
    except Refusal:
        return
    assert bytes(text.read_position(text.write_position(game, s))[1]) == bytes(s)


@given(data=st.data())
def test_no_edit_crashes_the_reader_of_records(data: st.DataObject) -> None:
    """Cut, doubled or changed characters: either it is still a record, or it is refused in a sentence."""
    at = data.draw(st.integers(0, len(SAMPLE)))
    until = data.draw(st.integers(at, len(SAMPLE)))
    put = data.draw(st.text(max_size=5))
    try:
        played = text.read_record(SAMPLE[:at] + put + SAMPLE[until:])
    except Refusal:
        return
    assert text.read_record(text.write_record(played)) == played


def test_a_record_reads_as_it_is_written() -> None:
    played = text.read_record(SAMPLE)
    assert (played.game.NAME, played.seats, played.options) == ("goldmine", 2, {"target": 0, "scoring": "both"})
    assert played.players == ["Ada", "greedy"] and len(played.actions) == 4
    assert text.write_record(played) == SAMPLE.replace("# a remark\n", "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("motherlode record", "chess record", "this is not a record"),
        ("game: goldmine", "game: chess", "there is no game 'chess'; the games are: "),
        ("rules: 2", "rules: 99", "written under version 99 of the rules of Goldmine, and this is version 2"),
        ("rules: 2\n", "", "the record has no line 'rules: …'"),
        ("seats: 2", "seats: 3", "Goldmine is for 2 seats, not 3"),
        ("seats: 2", "seats: two", "which is no number"),
        ("target: 0", "target: 40", "GM-4.2: target can be 30, 50, 0, not '40'"),
        ("target: 0", "goal: 0", "Goldmine has no option 'goal'; it has: target, scoring"),
        ("actions: 4", "actions: 57", "says it has 57 actions and has 4: it was cut off or edited"),
        ("result: unfinished", "result: 14-13, seat 0 wins", "but its actions lead to 'unfinished': it was edited"),
        ("* deal C4", "* deal C2", "line 15: * deal C2: chance cannot decide that here"),
        ("* deal C4", "0 look 3", "line 15: 0 look 3: it is the turn of *"),
        ("* deal C4", "* deal Z9", "'deal Z9' is no action of Goldmine; they are: trump <card>"),
    ],
)
def test_a_wrong_record_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(Refusal) as refused:
        text.read_record(SAMPLE.replace(old, new))
    assert said in str(refused.value)


def test_an_illegal_action_in_a_record_is_refused_with_its_clause() -> None:
    table = Table("goldmine", seed=1, target=0)
    held = [name.split()[1] for name in table.legal() if name.startswith("discard")]
    other = next(card for card in table.game.CARDS if card not in held)
    record = text.write_record(table.record()).replace("actions: 13\n", "").rstrip() + f"\n1 discard {other}\n"
    with pytest.raises(Refusal, match=rf"line 22: GM-3\.4: 1 discard {other} is not legal here"):
        text.read_record(record)


def test_nothing_follows_the_end() -> None:
    table = Table("goldmine", seed=1, target=0)
    table.play(*[lambda ask, rng: ask.legal[0]] * 2)
    with pytest.raises(Refusal, match="the game is over already"):
        text.read_record(text.write_record(table.record()) + "0 look 3\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("chess turn=0", "there is no game 'chess'"),
        ("", "there is no game ''"),
        ("goldmine", "a position says whose turn it is"),
        ("goldmine/9 turn=0", "version 9"),
        ("goldmine turn=5", "turn: '5' is not a number from -2 to 1"),
        ("goldmine turn=0 hand=H7", "hand has 2 values, not 1"),
        ("goldmine turn=0 hand=H7,H9", "hand: 'H9' is not a set of H2, H3"),
        ("goldmine turn=0 hand=H7+H7,.", "hand: 'H7+H7' is not a set of"),
        ("goldmine turn=0 trump=X", "trump: 'X' is none of H2"),
        ("goldmine turn=0 luck=7", "'luck=7' is not a field=value of Goldmine; its fields are: turn, seats"),
        ("goldmine turn=0 turn=1", "turn is given twice"),
        ("goldmine turn=0 gold=2,3,4,5,6,8", "gold: '8' is not a number from 2 to 7"),
    ],
)
def test_a_wrong_position_is_refused(line: str, said: str) -> None:
    with pytest.raises(Refusal) as refused:
        text.read_position(line)
    assert said in str(refused.value)
