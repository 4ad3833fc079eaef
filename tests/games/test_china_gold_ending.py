"""ChinaGold's stage 4 against plain minimax, and the fact it rests on."""

import pytest

from motherlode import engine, text
from motherlode.contract import random_game
from motherlode.game import OVER, Record, new_rng
from motherlode.games import GAMES
from motherlode.games.china_gold import ending as last_digs
from motherlode.games.china_gold.rules import LAST_STAGE, MARKERS, OVERLAYS
from motherlode.games.china_gold.showing import is_down, is_open

china_gold = GAMES["china_gold"]


def stage_4(number: int, most: int) -> Record:
    """The first position of a random game's stage 4 with so few markers face down."""
    opening = engine.start(china_gold, overlay=OVERLAYS[number % len(OVERLAYS)])
    for s, _, _ in random_game(china_gold, opening, new_rng(number)):
        if s.stage == LAST_STAGE and len(last_digs.face_down(s)) <= most:
            return s
    raise AssertionError("every game ends")


def minimax(s: Record, known: dict[bytes, int]) -> int:
    """Seat 0's gold less seat 1's at the end."""
    if s.turn == OVER:
        return int(s.gold[0] - s.gold[1])
    key = bytes(s)
    if key not in known:
        best = max if s.turn == 0 else min
        known[key] = best(minimax(engine.after(china_gold, s, a), known) for a in engine.legal(china_gold, s))
    return known[key]


def margin(s: Record, seat: int, known: dict[bytes, int]) -> int:
    """What a seat gains on the other from here on."""
    sign = 1 - 2 * seat
    return sign * (minimax(s, known) - s.gold[0] + s.gold[1])


@pytest.mark.parametrize("number", range(30))
def test_the_margin_is_minimax_and_the_dig_reaches_it(number: int) -> None:
    s, known = stage_4(number, 9), {}  # type: tuple[Record, dict[bytes, int]]
    solved = last_digs.solve(s)
    assert solved and solved.margin == margin(s, s.active, known), text.write_position(china_gold, s)
    assert solved.action in engine.legal(china_gold, s)
    t = engine.after(china_gold, s, solved.action)
    assert minimax(t, known) == minimax(s, known)


@pytest.mark.parametrize("number", range(30))
def test_from_further_off_the_winner_is_right(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_digs, "MARGIN_FROM", 0)
    s, known = stage_4(number, 9), {}  # type: tuple[Record, dict[bytes, int]]
    solved = last_digs.solve(s)
    sign = 1 - 2 * s.active
    can_win = sign * minimax(s, known) > 0
    assert solved and (sign * (s.gold[0] - s.gold[1]) + solved.margin > 0) == can_win
    if can_win:
        assert sign * minimax(engine.after(china_gold, s, solved.action), known) > 0


@pytest.mark.parametrize("number", range(5))
def test_what_is_open_follows_from_what_is_face_down(number: int) -> None:
    opening = engine.start(china_gold, overlay=OVERLAYS[number])
    for s, _, _ in random_game(china_gold, opening, new_rng(number)):
        alive = [{letters[i] for i in range(MARKERS) if is_down(s, i)} for letters in maps(s)]
        for i in range(MARKERS):
            both = all(letters[i] in some for letters, some in zip(maps(s), alive, strict=True))
            assert is_open(s, i) == (both and not is_down(s, i))


def maps(s: Record) -> list[list[str]]:
    return [china_gold.MAPS[0], china_gold.MAPS[1 + s.overlay]]


def test_before_stage_4_and_from_too_far_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert last_digs.solve(engine.start(china_gold)) is None
    s = stage_4(3, 91)
    monkeypatch.setattr(last_digs, "WINNER_FROM", len(last_digs.face_down(s)) - 1)
    assert last_digs.solve(s) is None
    monkeypatch.undo()
    monkeypatch.setattr(last_digs, "MOST_NODES", 3)
    assert last_digs.solve(stage_4(3, 9)) is None
