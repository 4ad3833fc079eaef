"""Gold Hunting clause by clause: test_3_4_… is for GH-3.4, test_worked_1 for the first worked position of its sheet."""

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import pytest
from support.play import names, play, position, why

from motherlode import contract, engine, sentences, text
from motherlode.game import CHANCE, HIDDEN, OVER, UNSEEN, Record, adopt, new_rng
from motherlode.games.gold_hunting import rules, showing
from motherlode.games.gold_hunting.rules import ASKED_AT_MOST, BUILDING, END, MINING, REBUILDING, TAKING

gold_hunting = adopt(rules, "gold_hunting", showing)

# Both ranges are built; their tops are 1 2 3 1 and 1 2 3 2.
BUILT = (
    "gold_hunting turn=0 seats=2 breakdown=2 phase=mining pile=3221,12,213,1,1,22,1133,122 height=8,3,6,1,1,4,8,5 "
    "left=4,4,2,4,4,2 marker=2,3"
)
# Seat 0 has placed nine pieces on three piles.
NINE = (
    "gold_hunting turn=0 seats=2 breakdown=2 phase=building pile=1111,222,33,0,0,0,0,0 height=4,6,6,0,0,0,0,0 "
    "unbuilt=0,1,0,4,4,2 left=4,4,2,4,4,2 marker=2,3"
)
# Seat 0 has two pieces left, seat 1 one; seat 0 is to lift the last but one.
LAST = (
    "gold_hunting turn=0 seats=2 breakdown=2 phase=mining pile=0,0,3,0,0,2,0,0 height=0,0,3,0,0,2,0,0 "
    "left=0,0,1,0,1,0 {holdings} marker=2,3"
)
OVER_LINE = "gold_hunting turn=over seats=2 breakdown=2 phase=end marker=2,3 {holdings}"
BUILD = ["1 0", "1 0", "1 1", "1 2", "2 3", "2 3", "2 1", "2 2", "3 0", "3 2"]  # piles 113, 12, 123, 22


def built(**options: int | str) -> Record:
    line = BUILT
    for name, value in options.items():
        line = line.replace(" breakdown=2", "") if name == "breakdown" else line
        line = line.replace(" phase=", f" {name}={value} phase=")
    return position(line)[1]


def lifts(s: Record, *actions: str) -> Record:
    return play(gold_hunting, s, *actions)


def place_all(s: Record) -> Record:
    return play(gold_hunting, s, *(f"place {words}" for words in BUILD))


def stack(s: Record, seat: int) -> list[int]:
    return list(s.stack)[3 * seat : 3 * seat + 3]


def test_1_1_ten_pieces_of_18_gold_each() -> None:
    s = engine.start(gold_hunting)
    assert list(s.unbuilt) == list(s.left) == [4, 4, 2, 4, 4, 2]
    assert gold_hunting.pieces(s.left, 1) == 10 and gold_hunting.gold(s.left, 1) == 18
    s = position(NINE)[1]
    assert why(gold_hunting, s, "place 1 3") == why(gold_hunting, s, "place 3 3") == "GH-1.1"


def test_1_2_each_draws_one_of_three_markers_unseen_by_the_other() -> None:
    s = engine.start(gold_hunting)
    assert names(gold_hunting, s) == ["marker 1", "marker 2", "marker 3"] and list(s.marker) == [UNSEEN, UNSEEN]
    assert [gold_hunting.told(s, 1, seat) for seat in (-1, 0, 1)] == [HIDDEN, 1, HIDDEN]
    s = play(gold_hunting, s, "marker 2")
    assert names(gold_hunting, s) == ["marker 1", "marker 3"]
    assert [gold_hunting.told(s, 0, seat) for seat in (-1, 0, 1)] == [HIDDEN, HIDDEN, 0]
    assert text.name(gold_hunting, s, HIDDEN) == "marker ?"
    s = play(gold_hunting, s, "marker 3")
    assert list(s.marker) == [2, 3] and (s.turn, s.phase) == (0, BUILDING)
    assert list(engine.view(gold_hunting, s, 0).marker) == [2, HIDDEN]
    assert list(engine.view(gold_hunting, s, -1).marker) == [HIDDEN, HIDDEN]


def test_2_1_ten_pieces_in_four_piles_from_the_bottom_up() -> None:
    s = place_all(play(gold_hunting, engine.start(gold_hunting), "marker 1", "marker 2"))
    assert list(s.pile)[:4] == [113, 12, 123, 22] and list(s.height)[:4] == [5, 3, 6, 4]
    assert (s.turn, s.phase) == (1, BUILDING)  # seat 0 first, then seat 1
    assert why(gold_hunting, s, "mine 1 0") == why(gold_hunting, s, "keep") == "GH-2.1"
    s = place_all(s)
    assert list(s.pile)[4:] == [113, 12, 123, 22] and (s.turn, s.phase) == (0, MINING)
    assert not any(s.unbuilt)


def test_2_1_no_pile_stays_empty() -> None:
    s = play(gold_hunting, engine.start(gold_hunting), "marker 1", "marker 2")
    for words in ("1 0", "1 0", "1 0", "1 0", "2 0", "2 0"):
        assert len({name[-1] for name in names(gold_hunting, s)}) == 4
        s = play(gold_hunting, s, f"place {words}")
    s = play(gold_hunting, s, "place 2 0")  # seven in one pile: the other three are for the other three
    assert names(gold_hunting, s) == [f"place {size} {pile}" for size in (2, 3) for pile in (1, 2, 3)]
    assert why(gold_hunting, s, "place 3 0") == "GH-2.1"


def test_2_1_building_is_not_seen() -> None:
    s = play(gold_hunting, engine.start(gold_hunting), "marker 1", "marker 2")
    looks = set()
    for words in BUILD * 2:
        a = text.read_action(gold_hunting, s, f"place {words}")
        for seat in (-1, 1 - s.turn):
            looks.add((s.turn, seat, bytes(engine.view(gold_hunting, s, seat))))
            assert gold_hunting.told(s, a, seat) == HIDDEN
        assert gold_hunting.told(s, a, s.turn) == a and text.name(gold_hunting, s, HIDDEN) == "place ?"
        s = engine.after(gold_hunting, s, a)
    assert s.phase == MINING and len(looks) == 4  # the same at every step, to the other seat and to the public


def test_2_2_heights_are_open_when_the_screen_goes() -> None:
    s = place_all(play(gold_hunting, engine.start(gold_hunting), "marker 1", "marker 2"))
    for seat in (-1, 1):
        v = engine.view(gold_hunting, s, seat)
        assert list(v.height)[:4] == list(v.pile)[:4] == [HIDDEN] * 4 and list(v.unbuilt)[:3] == [HIDDEN] * 3
    assert list(s.shown) == [0, 0, 1] + [0] * 8
    s = place_all(s)
    assert list(s.shown) == [0, 0, 2, 5, 3, 6, 4, 5, 3, 6, 4]
    for seat in (-1, 0):
        v = engine.view(gold_hunting, s, seat)
        assert list(v.height) == [5, 3, 6, 4, 5, 3, 6, 4] and list(v.pile)[4:] == [HIDDEN] * 4
    assert list(v.pile)[:4] == [113, 12, 123, 22]


def test_2_2_heights_hidden_only_what_stands_is_open() -> None:
    s = place_all(play(gold_hunting, engine.start(gold_hunting, heights="hidden"), "marker 1", "marker 2"))
    s = place_all(s)
    assert list(s.shown) == [0, 0, 2] + [0] * 8
    assert list(engine.view(gold_hunting, s, 0).height) == [5, 3, 6, 4] + [HIDDEN] * 4
    assert list(engine.view(gold_hunting, s, -1).height) == [HIDDEN] * 8
    s = lifts(built(heights="hidden"), "mine 1 0")
    v = engine.view(gold_hunting, s, 0)
    assert list(v.pile)[4:] == list(v.height)[4:] == [0, HIDDEN, HIDDEN, HIDDEN]
    assert list(s.shown)[:3] == [1, 0, 1]  # a 1, and that was the pile
    assert list(lifts(built(heights="hidden"), "mine 2 1").shown)[:3] == [2, 0, 0]


def test_3_1_seat_0_starts_and_twenty_lifts_alternate() -> None:
    turns = []
    for s, a, t in contract.random_game(gold_hunting, engine.start(gold_hunting), new_rng(1)):
        if s.phase == MINING and a != gold_hunting.KEEP:
            turns.append(s.turn)
            assert gold_hunting.pieces(t.left, 1 - s.turn) == gold_hunting.pieces(s.left, 1 - s.turn) - 1
    assert turns == [0, 1] * 10 and t.turn == OVER
    assert why(gold_hunting, built(), "place 1 0") == "GH-3.1"


def test_3_2_any_size_is_declared_on_any_pile_of_the_other() -> None:
    s = lifts(built(), "mine 3 0", "mine 1 0")
    assert [name for name in names(gold_hunting, s) if name[0] == "m"] == [
        f"mine {size} {pile}" for size in (1, 2, 3) for pile in (1, 2, 3)
    ]
    assert why(gold_hunting, s, "mine 2 0") == why(gold_hunting, s, "rush 0") == "GH-3.2"
    assert list(s.pile) == [322, 12, 213, 1, 0, 22, 1133, 122] and list(s.height) == [7, 3, 6, 1, 0, 4, 8, 5]
    assert list(s.left) == [3, 4, 2, 3, 4, 2]
    assert s.shown[0] == 1 and engine.view(gold_hunting, s, -1).shown[0] == 1


def test_3_3_declared_rightly_the_piece_joins_the_stack() -> None:
    s = lifts(built(), "mine 3 2", "mine 1 0", "mine 2 1")
    assert stack(s, 0) == [0, 1, 1] and stack(s, 1) == [1, 0, 0] and not any(s.box)


@pytest.mark.parametrize(
    ("before", "lift", "after", "box"),
    [
        (["mine 3 2"], "mine 3 1", [0, 1, 0], [0, 0, 1]),  # a 2 for a stack of 3
        (["mine 2 1"], "mine 3 1", [0, 1, 0], [0, 1, 0]),  # a 2 for a stack of 2: equal is not less
        (["mine 2 1"], "mine 1 2", [0, 1, 0], [0, 0, 1]),  # a 3 for a stack of 2
        (["mine 2 1"], "mine 3 0", [1, 0, 0], [0, 1, 0]),  # a 1 for a stack of 2
    ],
)
def test_3_4_declared_wrongly(before: list[str], lift: str, after: list[int], box: list[int]) -> None:
    s = lifts(built(), *before, "mine 1 0", lift)
    assert stack(s, 0) == after and list(s.box) == box


def test_3_4_equal_is_not_less() -> None:
    s = lifts(built(), "mine 1 0", "mine 1 0", "mine 2 1", "mine 1 3", "mine 3 2", "mine 1 1")
    assert stack(s, 1) == [2, 0, 0] and list(s.box) == [0, 1, 0]  # a 2 for a stack of 1+1


@pytest.mark.parametrize(("breakdown", "after"), [(2, [1, 0, 0]), (3, [0, 1, 0])])
def test_3_4_the_option_breakdown(breakdown: int, after: list[int]) -> None:
    s = lifts(built(breakdown=breakdown), "mine 2 1", "mine 1 0", "mine 3 0")
    assert stack(s, 0) == after
    s = lifts(built(breakdown=breakdown), "mine 3 2", "mine 1 0", "mine 3 1", *(["take"] if breakdown == 3 else []))
    assert stack(s, 0) == [0, 1, 0]  # a stack of 3 breaks down either way


@pytest.mark.parametrize("lift", ["mine 3 1", "rush 1"])  # the marker is a 3, the piece a 2
def test_3_4_after_a_break_down_one_may_take_the_piece_or_leave_it(lift: str) -> None:
    s = position(BUILT.replace("breakdown=2", "breakdown=3").replace("marker=2,3", "marker=3,2"))[1]
    s = lifts(s, "mine 3 2", "mine 1 0", lift)
    assert (s.turn, s.phase) == (0, TAKING) and names(gold_hunting, s) == ["take", "leave"]
    assert stack(s, 0) == [0, 0, 0] and list(s.box) == [0, 0, 1] and engine.points(gold_hunting, s)[0] == 0
    assert all(view.lifted == 2 for view in (engine.view(gold_hunting, s, seat) for seat in (-1, 0, 1)))
    assert all(gold_hunting.told(s, gold_hunting.TAKE, seat) == gold_hunting.TAKE for seat in (-1, 0, 1))
    assert why(gold_hunting, s, "mine 1 0") == why(gold_hunting, s, "keep") == "GH-3.4"
    taken, left = lifts(s, "take"), lifts(s, "leave")
    assert stack(taken, 0) == [0, 1, 0] and list(taken.box) == [0, 0, 1]
    assert stack(left, 0) == [0, 0, 0] and list(left.box) == [0, 1, 1]
    for t in (taken, left):
        assert (t.turn, t.phase, t.lifted) == (1, MINING, 0) and not any(t.shown)
        assert why(gold_hunting, t, "take") == why(gold_hunting, t, "leave") == "GH-3.4"


def test_3_4_nobody_is_asked_where_taking_never_hurts() -> None:
    s = lifts(built(), "mine 3 2", "mine 1 0", "mine 3 1")
    assert (s.turn, s.phase) == (1, MINING) and stack(s, 0) == [0, 1, 0]
    assert why(gold_hunting, s, "take") == "GH-3.4"
    s = lifts(built(breakdown=3), "mine 2 1", "mine 1 0", "mine 3 0")  # a stack of 2 does not break down
    assert s.phase == MINING and stack(s, 0) == [0, 1, 0]


def test_3_4_games_of_version_1_always_took() -> None:
    line = BUILT.replace("breakdown=2", "breakdown=3").replace("gold_hunting", "gold_hunting/1")
    s = lifts(position(line)[1], "mine 3 2", "mine 1 0", "mine 3 1")
    assert (s.turn, s.phase) == (1, MINING) and stack(s, 0) == [0, 1, 0]
    record = "motherlode record\ngame: gold_hunting\nrules: 1\nseats: 2\nbreakdown: 3\n"
    assert text.read_record(record).options["taking"] == "always"
    assert [option.name for option in gold_hunting.OPTIONS if option.is_offered] == ["heights", "breakdown", "accident"]


def test_3_4_the_last_lift_is_asked_about_too() -> None:
    s = position(LAST.replace("breakdown=2", "breakdown=3").format(holdings="stack=0,0,0,2,1,0"))[1]
    s = lifts(s, "mine 1 1", "mine 1 2")  # a 3 for a stack of 4
    assert (s.turn, s.phase) == (1, TAKING)
    assert engine.points(gold_hunting, lifts(s, "take")) == [0, 3]
    s = lifts(s, "leave")
    assert (s.turn, s.phase) == (OVER, END) and engine.points(gold_hunting, s) == [0, 0]


def test_3_5_a_gold_rush_declares_the_marker() -> None:
    s = lifts(built(), "rush 1")
    assert text.name(gold_hunting, built(), gold_hunting.RUSH + 1) == "rush 1"
    assert stack(s, 0) == [0, 1, 0] and s.used[0] == gold_hunting.UP and s.turn == 1
    assert list(s.shown)[:2] == [2, 2] and engine.view(gold_hunting, s, 1).marker[0] == 2
    assert engine.points(gold_hunting, s) == [4, 0]
    s = lifts(s, "rush 0")  # a 1, and the marker is a 3
    assert stack(s, 1) == [0, 0, 0] and list(s.box) == [1, 0, 0] and s.used[1] == gold_hunting.FAILED
    assert list(s.shown)[:2] == [1, 3] and list(engine.view(gold_hunting, s, -1).marker) == [2, 3]
    assert engine.points(gold_hunting, s) == [4, 0]


def test_3_6_keep_moves_the_stack_and_the_turn_goes_on() -> None:
    s = built()
    assert why(gold_hunting, s, "keep") == "GH-3.6"
    s = lifts(s, "mine 3 2", "mine 1 0", "keep")
    assert (s.turn, s.phase) == (0, MINING) and list(s.kept)[:3] == [0, 0, 1] and stack(s, 0) == [0, 0, 0]
    assert all(name.startswith("mine") for name in names(gold_hunting, s))
    s = lifts(s, "mine 3 1")
    assert list(s.box) == [0, 1, 0] and list(s.kept)[:3] == [0, 0, 1]  # kept gold does not count and does not break
    assert engine.view(gold_hunting, s, 1).marker[0] == HIDDEN == engine.view(gold_hunting, s, -1).marker[0]
    assert engine.view(gold_hunting, s, 0).marker[0] == 2


@pytest.mark.parametrize("seat", [0, 1])
def test_3_6_keep_moves_pieces_of_every_size(seat: int) -> None:
    line = LAST.replace("turn=0", f"turn={seat}").format(holdings="stack=1,2,1,2,1,1")
    s = lifts(position(line)[1], "keep")
    own, others = slice(3 * seat, 3 * seat + 3), slice(3 - 3 * seat, 6 - 3 * seat)
    pieces = [1, 2, 1, 2, 1, 1]
    assert list(s.kept)[own] == pieces[own] and list(s.stack)[own] == [0] * 3
    assert list(s.kept)[others] == [0] * 3 and list(s.stack)[others] == pieces[others]


def test_3_7_the_marker_has_one_use() -> None:
    s = lifts(built(), "rush 1", "mine 1 0")
    assert why(gold_hunting, s, "rush 1") == why(gold_hunting, s, "keep") == "GH-3.7"
    s = lifts(built(), "mine 2 1", "mine 1 0", "keep")
    assert why(gold_hunting, s, "rush 1") == why(gold_hunting, s, "keep") == "GH-3.7"
    assert engine.points(gold_hunting, lifts(built(), "mine 2 1")) == [2, 0]  # unused: nothing


def test_4_1_an_accident_after_a_lift() -> None:
    s = lifts(built(accident=6), "mine 3 2")
    assert s.turn == CHANCE and names(gold_hunting, s) == ["stand", "fall"]
    assert [gold_hunting.odds(s, a) for a in engine.legal(gold_hunting, s)] == [5, 1]
    stands = lifts(s, "stand")
    assert (stands.turn, stands.phase) == (1, MINING) and bytes(stands.pile) == bytes(s.pile)
    falls = lifts(s, "fall")
    assert (falls.turn, falls.phase) == (1, REBUILDING) and list(falls.unbuilt) == [0, 0, 0, 4, 4, 1]
    assert list(falls.pile)[4:] == list(falls.height)[4:] == [0] * 4
    assert why(gold_hunting, falls, "mine 1 0") == "GH-4.1"
    looks = set()
    for words in BUILD[:9]:
        looks |= {(seat, bytes(engine.view(gold_hunting, falls, seat))) for seat in (-1, 0)}
        falls = play(gold_hunting, falls, f"place {words}")
    assert len(looks) == 2  # not even how far it is
    assert (falls.turn, falls.phase) == (1, MINING) and list(falls.pile)[4:] == [113, 12, 12, 22]
    assert list(falls.shown) == [0, 0, 2, 8, 3, 6, 1, 5, 3, 3, 4]
    falls = lifts(falls, "mine 1 0")
    assert falls.turn == CHANCE and list(falls.shown)[3:] == [0] * 8


@pytest.mark.parametrize("seat", [-1, 0])
def test_4_1_rebuilding_is_not_told(seat: int) -> None:
    falls = lifts(built(accident=6), "mine 3 2", "fall")
    for words in BUILD[:9]:
        a = text.read_action(gold_hunting, falls, f"place {words}")
        assert gold_hunting.told(falls, a, seat) == HIDDEN and gold_hunting.told(falls, a, 1) == a
        falls = engine.after(gold_hunting, falls, a)
    assert falls.phase == MINING


@pytest.mark.parametrize("decision", ["take", "leave"])
def test_4_1_the_accident_comes_after_the_piece_is_taken_or_left(decision: str) -> None:
    s = lifts(built(accident=2, breakdown=3), "mine 3 2", "stand", "mine 1 0", "stand", "mine 3 1")
    assert (s.turn, s.phase) == (0, TAKING)
    s = lifts(s, decision)
    assert s.turn == CHANCE and names(gold_hunting, s) == ["stand", "fall"]
    assert lifts(s, "stand").turn == lifts(s, "fall").turn == 1


def test_4_1_few_pieces_make_few_piles() -> None:
    line = BUILT.replace("pile=3221,12,213,1", "pile=0,0,21,2").replace("height=8,3,6,1", "height=0,0,3,2")
    line = line.replace("left=4,4,2,", "left=1,2,0,").replace("turn=0", "turn=1").replace("phase=", "accident=2 phase=")
    s = play(gold_hunting, position(line.replace("left=1,2,0,4,4,2", "left=1,2,0,1,1,1"))[1], "mine 1 2", "fall")
    assert names(gold_hunting, s) == ["place 2 0", "place 2 1"]
    assert why(gold_hunting, s, "place 2 2") == why(gold_hunting, s, "place 1 0") == "GH-4.1"
    s = play(gold_hunting, s, "place 2 1")
    assert names(gold_hunting, s) == ["place 2 0"] and why(gold_hunting, s, "place 2 1") == "GH-4.1"
    s = play(gold_hunting, s, "place 2 0")
    assert list(s.pile)[:4] == [2, 2, 0, 0] and (s.turn, s.phase) == (0, MINING)


def test_4_1_nothing_is_left_to_fall() -> None:
    s = position(LAST.format(holdings="accident=2"))[1]
    s = lifts(s, "mine 2 1")
    assert s.turn == 1  # no chance: the range is gone
    assert lifts(s, "mine 2 2").turn == OVER


def test_5_1_it_ends_when_both_ranges_are_empty() -> None:
    s = position(LAST.format(holdings="stack=1,0,0,0,2,0 kept=0,0,1,0,0,0 used=kept,up"))[1]
    s = lifts(s, "mine 2 1", "mine 3 2")
    assert (s.turn, s.phase) == (OVER, END) and engine.points(gold_hunting, s) == [3 + 3 // 2, 7 + 2]
    assert engine.winners(gold_hunting, s) == [1] and engine.utility(gold_hunting, s) == [-1.0, 1.0]
    assert engine.legal(gold_hunting, s) == [] and gold_hunting.why(s, 0) == "GH-5.1"


def test_5_1_kept_gold_is_rounded_on_its_sum() -> None:
    s = position(OVER_LINE.format(holdings="kept=1,0,1,0,1,1 used=kept,kept"))[1]
    assert engine.points(gold_hunting, s) == [2, 2]


@pytest.mark.parametrize(
    ("holdings", "won"),
    [
        ("stack=0,0,1,1,1,0", [0]),  # 3-3, a 3 beats none
        ("stack=3,0,0,1,1,0", [1]),  # 3-3, no 3s, a 2 beats none
        ("stack=1,1,0,1,1,0", [0, 1]),  # the 1s do not count
        ("stack=2,1,0,1,0,0 kept=0,0,0,0,0,2 used=unused,kept", [1]),  # 4-4, kept 3s count
        ("stack=0,2,0,0,0,1 kept=0,0,0,2,0,0 used=unused,kept", [1]),  # 4-4: 3s before 2s
        ("stack=1,0,0,0,0,0 kept=0,0,0,0,1,0 used=unused,kept", [1]),  # 1-1, kept 2s count
        ("stack=1,1,0,1,0,0 used=unused,up", [0]),  # a marker is no piece
        ("stack=4,0,0,0,0,1", [0]),  # points first
    ],
)
def test_5_2_ties(holdings: str, won: list[int]) -> None:
    assert engine.winners(gold_hunting, position(OVER_LINE.format(holdings=holdings))[1]) == won


def test_worked_1_a_stack_breaks_down() -> None:
    s = lifts(built(), "mine 3 2", "mine 1 0", "mine 2 1", "mine 2 1", "mine 3 3")
    assert stack(s, 0) == [0, 1, 0] and list(s.box) == [0, 1, 1]


def test_worked_2_equal_is_not_less() -> None:
    s = lifts(built(), "mine 2 1", "mine 1 0", "mine 3 3")
    assert stack(s, 0) == [0, 1, 0]
    assert stack(lifts(built(), "mine 2 1", "mine 1 0", "mine 2 0"), 0) == [1, 0, 0]
    assert stack(lifts(built(breakdown=3), "mine 2 1", "mine 1 0", "mine 2 0"), 0) == [0, 1, 0]


def test_worked_3_nothing_won() -> None:
    s = lifts(built(), "mine 1 2")
    assert stack(s, 0) == [0, 0, 0] and list(s.box) == [0, 0, 1]


def test_worked_4_kept_gold_is_worth_half() -> None:
    s = lifts(built(), "mine 2 1", "mine 1 0", "mine 2 1", "mine 2 0", "keep", "mine 1 3")
    assert list(s.kept)[:3] == [0, 2, 0] and stack(s, 0) == [0, 0, 0]
    assert engine.points(gold_hunting, s)[0] == 2


def test_worked_5_a_gold_rush_then_a_failed_lift() -> None:
    s = lifts(built(), "mine 3 2", "mine 1 0", "rush 1")
    assert gold_hunting.gold(s.stack, 0) == 5 and engine.points(gold_hunting, s)[0] == 7
    s = lifts(s, "mine 2 1", "mine 2 0")
    assert stack(s, 0) == [1, 0, 0] and engine.points(gold_hunting, s)[0] == 3


def test_worked_6_a_failed_gold_rush() -> None:
    s = position(BUILT.replace("marker=2,3", "marker=3,2"))[1]
    s = lifts(s, "mine 3 2", "mine 1 0", "mine 2 1", "mine 2 1", "rush 0")
    assert stack(s, 0) == [1, 0, 0] and s.used[0] == gold_hunting.FAILED
    assert engine.points(gold_hunting, s)[0] == 1


@pytest.mark.parametrize(
    ("holdings", "points"),
    [
        ("stack=0,1,1,0,0,0 kept=0,1,1,0,0,0 used=kept,unused", 7),
        ("stack=0,1,1,0,0,0 used=up,unused", 7),
        ("kept=0,0,1,0,0,0 used=kept,unused", 1),
    ],
)
def test_worked_7_points(holdings: str, points: int) -> None:
    assert engine.points(gold_hunting, position(OVER_LINE.format(holdings=holdings))[1])[0] == points


def test_worked_8_the_last_piece_founds_the_fourth_pile() -> None:
    s = position(NINE)[1]
    assert names(gold_hunting, s) == ["place 2 3"]
    assert why(gold_hunting, s, "place 2 0") == "GH-2.1"
    assert play(gold_hunting, s, "place 2 3").turn == 1


@pytest.mark.parametrize(("decisions", "after"), [(["take", "take"], [1, 0, 0]), (["leave"], [0, 1, 0])])
def test_worked_9_taking_can_hurt(decisions: list[str], after: list[int]) -> None:
    s = position(BUILT.replace("breakdown=2", "breakdown=3").replace("1133", "3113"))[1]
    s = lifts(s, "mine 3 2", "mine 2 0", "mine 3 0", decisions[0], "mine 1 0", "mine 2 1", "mine 1 0", "mine 3 2")
    assert stack(lifts(s, *decisions[1:]), 0) == after


def test_the_longest_game() -> None:
    """Every lift with pieces behind it knocks a range over, and both keep: LENGTH decisions but for what is asked."""
    s = engine.start(gold_hunting, accident=2)
    decisions = 0
    while s.turn != OVER:
        wanted = ["fall", "keep"]
        if s.phase == MINING:
            wanted += [f"mine {s.pile[4 * (1 - s.turn) + pile] % 10} {pile}" for pile in range(4)]  # rightly
        options = names(gold_hunting, s)
        decisions += s.turn >= 0
        s = play(gold_hunting, s, next((words for words in wanted if words in options), options[0]))
    assert list(s.used) == [gold_hunting.KEPT] * 2 and decisions == gold_hunting.LENGTH - ASKED_AT_MOST


def test_the_longest_game_with_break_downs() -> None:
    """Every stack that can breaks down, and the piece is taken."""
    s = engine.start(gold_hunting, accident=2, breakdown=3)
    decisions = asked = 0
    while s.turn != OVER:
        wanted = ["fall", "take"]
        if s.phase == MINING:
            tops = sorted((s.pile[4 * (1 - s.turn) + pile] % 10, pile) for pile in range(4))
            breaks = gold_hunting.gold(s.stack, s.turn) >= 3
            wanted += [f"mine {size % 3 + 1 if breaks else size} {pile}" for size, pile in tops if size]
        options = names(gold_hunting, s)
        decisions += s.turn >= 0
        asked += s.phase == TAKING
        s = play(gold_hunting, s, next((words for words in wanted if words in options), options[0]))
    assert asked >= 6 and decisions == gold_hunting.LENGTH - ASKED_AT_MOST - 2 + asked  # nobody keeps
    assert asked <= ASKED_AT_MOST


@pytest.mark.parametrize("options", [{}, {"accident": 2, "heights": "hidden", "breakdown": 3}])
def test_20_pieces_and_36_gold_never_change(options: dict[str, Any]) -> None:
    for s, _, t in contract.random_game(gold_hunting, engine.start(gold_hunting, **options), new_rng(3)):
        pieces = "".join(map(str, t.pile)).replace("0", "")
        for field in (t.unbuilt, t.stack, t.kept):
            pieces += "".join(size * field[3 * x + i] for x in range(2) for i, size in enumerate("123"))
        pieces += "".join(size * t.box[i] for i, size in enumerate("123")) + str(t.lifted or "")
        assert len(pieces) == 20 and sum(map(int, pieces)) == 36
        for seat in (-1, 0, 1):
            screen = gold_hunting.show(engine.view(gold_hunting, s, seat)).splitlines()
            assert len(screen) <= 24 and max(map(len, screen)) <= 100
    assert "points" in gold_hunting.show(t)


def test_a_screen_says_what_is_hidden() -> None:
    screen = gold_hunting.show(engine.view(gold_hunting, built(), 0))
    assert "pile 2   8  |????????|" in screen and "pile 0   8  |333|22|22|1|" in screen
    assert "marker 2, unused" in screen and "marker ?, unused" in screen
    screen = gold_hunting.show(engine.view(gold_hunting, built(heights="hidden"), 0))
    assert "pile 2   ?  |?|" in screen
    assert gold_hunting.show(engine.view(gold_hunting, position(NINE)[1], -1)).count("behind the screen") == 2


def test_a_screen_asks_whether_to_take() -> None:
    s = lifts(built(breakdown=3), "mine 3 2", "mine 1 0", "mine 3 1")
    assert gold_hunting.show(s).endswith("a 2 was lifted: the stack has broken down; take the piece, or leave it")
    assert all(is_now == always for _, is_now, always in gold_hunting.sums(s))


# What a seat can guess, enumerated: every order of the pieces left, cut everywhere into the piles that stand.


def orders(counts: list[int]) -> Iterator[str]:
    if not any(counts):
        yield ""
    for i, n in enumerate(counts):
        if n:
            for rest in orders([m - (j == i) for j, m in enumerate(counts)]):
                yield str(i + 1) + rest


def ranges(v: Record, x: int) -> list[tuple[int, ...]]:
    """All piles that seat x can have behind a view."""
    stand = [pile for pile in range(4) if v.pile[4 * x + pile]]
    found = []
    for order in orders(list(v.left)[3 * x : 3 * x + 3]):
        for inner in combinations(range(1, len(order)), len(stand) - 1) if stand else [()]:
            cuts = [0, *inner, len(order)]
            piles = [0, 0, 0, 0]
            for pile, begin, end in zip(stand, cuts, cuts[1:], strict=False):
                piles[pile] = int(order[begin:end])
            heights = [sum(map(int, str(pile))) for pile in piles]
            if all(known in (HIDDEN, h) for known, h in zip(v.height[4 * x : 4 * x + 4], heights, strict=True)):
                found.append(tuple(piles))
    assert len(set(found)) == len(found)
    return found


def worlds(v: Record, seat: int) -> list[tuple[tuple[int, ...], ...]]:
    """All piles of both seats and their markers."""
    piles = [[tuple(v.pile[4 * x : 4 * x + 4])] if x == seat else ranges(v, x) for x in range(2)]
    markers = [[number] if number > 0 else [1, 2, 3] for number in v.marker]
    return [(one, two, (m, n)) for one, two in product(*piles) for m, n in product(*markers) if m != n]


def sampler(v: Record, seat: int, what: Callable[[Record], object]) -> Callable[[], object]:
    rng = new_rng(5, 3)

    def sample() -> object:
        w = engine.copy(v)
        gold_hunting.guess(w, seat, rng)
        return what(w)

    return sample


def everything(w: Record) -> tuple[tuple[int, ...], ...]:
    assert all(is_now == always for _, is_now, always in gold_hunting.sums(w)[6:])  # what is left, and heights
    return tuple(w.pile[:4]), tuple(w.pile[4:]), tuple(w.marker)


MIDDLE = ["mine 3 2", "mine 1 0", "mine 2 1", "mine 2 1", "mine 3 2", "mine 3 2", "mine 2 1", "mine 1 3"]
LATE = [*MIDDLE, "mine 1 0", "mine 1 1", "mine 1 2", "mine 2 0"]  # 32 and 21 are left to seat 0, 1 and 122 to seat 1
RUSHED = ["mine 1 3", "rush 3", *MIDDLE[2:6]]
KEPT = ["mine 2 1", "mine 1 0", "keep", "mine 3 2", "mine 2 1", "mine 3 2", "mine 3 2"]


@pytest.mark.parametrize(
    ("heights", "actions", "seat", "count"),
    [
        ("open", [], 0, 646),
        ("open", [], 1, 744),
        ("open", MIDDLE, 0, 14),  # 1, 11 and 122 in 3 orders, or 1, 2 and 1112 in 4; two markers
        ("open", RUSHED, 0, 19),
        ("open", RUSHED, 1, 68),
        ("open", KEPT, 1, 20),
        ("open", LATE, -1, 7 * 3 * 6),  # heights 5 and 3 of 1223, 1 and 5 of 1122; markers
        ("hidden", MIDDLE, 0, 15 * 10 * 2),
        ("hidden", LATE, 0, 6 * 3 * 2),  # orders of 1122, cuts in two, markers
        ("hidden", LATE, 1, 12 * 3 * 2),
        ("hidden", [*LATE, "mine 2 3", "mine 2 0"], -1, 6 * 2 * 3 * 2 * 6),
    ],
)
def test_guess_is_uniform_over_all_arrangements(heights: str, actions: list[str], seat: int, count: int) -> None:
    s = lifts(built(heights=heights), *actions)
    v = engine.view(gold_hunting, s, seat)
    odds = dict.fromkeys(worlds(v, seat), 1.0)
    assert everything(s) in odds and len(odds) == count
    contract.check_sample(sampler(v, seat, everything), odds, "guess is uniform", gold_hunting, s)


def test_guess_finds_all_ones_in_either_pile_of_the_second_half() -> None:
    s = position(
        "gold_hunting turn=0 seats=2 breakdown=2 phase=mining pile=22,3,1111,223,22,3,223,1111 height=4,3,4,7,4,3,7,4 "
        "left=4,4,2,4,4,2 marker=2,3"
    )[1]
    for seat in range(2):
        v = engine.view(gold_hunting, s, seat)
        odds = dict.fromkeys(worlds(v, seat), 1.0)
        assert everything(s) in odds
        contract.check_sample(sampler(v, seat, everything), odds, "guess is uniform", gold_hunting, s)


@pytest.mark.parametrize("heights", ["open", "hidden"])
def test_guess_after_an_accident(heights: str) -> None:
    s = lifts(built(heights=heights, accident=2), *(word for lift in MIDDLE for word in (lift, "stand")))
    s = lifts(s, "mine 1 0", "fall", "place 2 2", "place 2 1", "place 1 3", "place 1 0", "place 1 3")
    v = engine.view(gold_hunting, s, 0)
    odds = dict.fromkeys(worlds(v, 0), 1.0)
    assert everything(s) in odds
    contract.check_sample(sampler(v, 0, everything), odds, "guess is uniform", gold_hunting, s)


def test_guess_behind_the_screen() -> None:
    """Seat 1 builds and knows nothing of seat 0's range but that it is done; seat 0 guesses that nothing is begun."""
    s = place_all(play(gold_hunting, engine.start(gold_hunting), "marker 1", "marker 2"))
    s = play(gold_hunting, s, "place 1 0", "place 3 1")
    sizes = {
        tuple(b - a for a, b in zip((0, *cuts), (*cuts, 10), strict=True)) for cuts in combinations(range(1, 10), 3)
    }
    odds = dict.fromkeys(sizes, 1.0)
    v = engine.view(gold_hunting, s, 1)
    lengths = sampler(v, 1, lambda w: tuple(len(str(pile)) for pile in w.pile[:4]))
    contract.check_sample(lengths, odds, "every cut is as likely", gold_hunting, s)
    for seat in (0, -1):
        w = engine.view(gold_hunting, s, seat)
        gold_hunting.guess(w, seat, new_rng(1))
        assert list(w.unbuilt)[3:] == [4, 4, 2] and list(w.pile)[4:] == [0] * 4
    assert sum(len(str(pile)) for pile in w.pile[:4]) == 10


def test_guess_before_all_markers_are_drawn() -> None:
    s = play(gold_hunting, engine.start(gold_hunting), "marker 2")
    v = engine.view(gold_hunting, s, 1)
    markers = sampler(v, 1, lambda w: tuple(w.marker))
    odds = {(number, UNSEEN): 1.0 for number in (1, 2, 3)}
    contract.check_sample(markers, odds, "a marker is any of three", gold_hunting, s)


def test_what_chance_draws_from() -> None:
    """The same markers, and the n-th lift falls or stands, whatever was lifted."""
    s = engine.start(gold_hunting)
    assert rules.source(s) == (0, 0, gold_hunting.MARKER)
    assert rules.source(play(gold_hunting, s, "marker 2")) == (0, 1, gold_hunting.MARKER)
    for lift in ("mine 3 2", "mine 1 0", "rush 3"):
        s = lifts(built(accident=3), lift)
        assert rules.source(s) == (1, 0, gold_hunting.STAND)
        assert rules.source(lifts(s, "stand", "mine 1 0")) == (2, 0, gold_hunting.STAND)


# What comes of an action, as every observer is told it: the kind of an event and its arguments.


def came_of(s: Record, words: str) -> list[str]:
    a = text.read_action(gold_hunting, s, words)
    told = [text.tell(gold_hunting, s, a, observer).events for observer in (None, -1, 0, 1)]
    assert told[1:] == told[:1] * 3
    return [" ".join([event.kind, *event.args.values()]) for event in told[0]]


STACK_OF_5 = ["mine 3 2", "mine 1 0", "mine 2 1", "mine 1 3"]  # seat 0; seat 1 has 1+1


@pytest.mark.parametrize(
    ("options", "before", "action", "events"),
    [
        ({}, [], "mine 3 2", ["right 0 3"]),
        ({}, [], "mine 1 0", ["right 0 1", "gone 1 0"]),
        ({}, ["mine 3 2"], "mine 3 0", ["wrong 1"]),
        ({}, STACK_OF_5, "mine 1 2", ["breakdown 0 3 -5", "taken 0 3"]),
        ({"breakdown": 3}, STACK_OF_5, "mine 1 2", ["breakdown 0 3 -5"]),
        ({"breakdown": 3}, [*STACK_OF_5, "mine 1 2"], "take", ["taken 0 3"]),
        ({"breakdown": 3}, [*STACK_OF_5, "mine 1 2"], "leave", ["left 3"]),
        ({}, [], "rush 1", ["rush 0 2", "right 0 2"]),
        ({}, [], "rush 0", ["failed 0", "wrong 1", "gone 1 0"]),
        ({}, STACK_OF_5, "rush 0", ["failed 0", "breakdown 0 1 -5", "taken 0 1", "gone 1 0"]),
        ({}, STACK_OF_5, "keep", ["kept 0 5 -3"]),
        ({}, [*STACK_OF_5, "mine 3 2"], "keep", ["kept 1 2 -1"]),
        ({"accident": 6}, ["mine 3 2"], "fall", ["fallen 1 9"]),
        ({"accident": 6}, ["mine 3 2"], "stand", []),
    ],
)
def test_what_comes_of_an_action(options: dict[str, Any], before: list[str], action: str, events: list[str]) -> None:
    assert came_of(lifts(built(**options), *before), action) == events


def test_what_comes_of_building() -> None:
    s = play(gold_hunting, engine.start(gold_hunting, accident=2), "marker 1", "marker 2")
    last = f"place {BUILD[-1]}"
    for events in (["built 0"], ["screen"]):
        for words in BUILD[:-1]:
            assert came_of(s, f"place {words}") == []
            s = play(gold_hunting, s, f"place {words}")
        assert came_of(s, last) == events
        s = play(gold_hunting, s, last)
    s = play(gold_hunting, s, "mine 3 0", "fall", "place 1 0", "place 1 0", "place 1 1", "place 1 2", "place 2 3")
    s = play(gold_hunting, s, "place 2 3", "place 2 1", "place 2 2")
    assert came_of(s, "place 3 2") == ["screen"]


@pytest.mark.parametrize(
    ("holdings", "events"),
    [
        ("stack=0,0,0,0,0,1", ["won 1 3 0"]),
        ("stack=0,0,1,0,0,0 kept=0,0,0,2,2,0 used=unused,kept", ["tie 0 3 3 1 0", "won 0 3 3"]),  # 3-3
        ("stack=2,0,0,0,1,0", ["tie 1 2 2 1 0", "won 1 2 2"]),  # 2-2
        ("stack=1,1,0,1,1,0", ["draw 3 0 1"]),
    ],
)
def test_what_comes_of_the_last_lift(holdings: str, events: list[str]) -> None:
    line = "gold_hunting turn=1 seats=2 breakdown=2 phase=mining pile=0,0,3,0,0,0,0,0 height=0,0,3,0,0,0,0,0 "
    s = position(f"{line}left=0,0,1,0,0,0 marker=2,3 {holdings}")[1]
    assert came_of(s, "mine 2 2") == ["wrong 3", "gone 0 2", *events]


def test_sentences_of_events_in_both_languages() -> None:
    def said(s: Record, words: str, language: str, first: int = 1) -> list[str]:
        events = text.tell(gold_hunting, s, text.read_action(gold_hunting, s, words)).events
        return [sentences.event(gold_hunting, event, ["Ada", "Bob"], language, first) for event in events]

    s = lifts(built(), "mine 2 1", "mine 1 0")
    assert said(s, "keep", "en") == ["2 gold of Ada is safe and counts half: 1 point less"]
    assert said(s, "keep", "fr") == ["2 or d'Ada à l'abri, compté pour moitié\u00a0: 1 point de moins"]
    s = lifts(s, "mine 2 1", "mine 1 3")
    assert said(s, "keep", "en") == ["4 gold of Ada is safe and counts half: 2 points less"]
    assert said(s, "mine 3 0", "fr") == [
        "Effondrement\u00a0: annonce fausse, et le 1 vaut moins que la réserve. Ada perd 4 or",
        "Ada commence une nouvelle réserve avec la pièce de 1 or",
        "Il ne reste rien de la pile A de Bob",
    ]
    assert said(s, "mine 3 0", "en", first=0)[2] == "Bob's pile 0 is gone"  # as in "mine 3 0"
