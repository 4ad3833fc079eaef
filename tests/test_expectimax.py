"""The endings of Mount Goldrush and Claimpoker against plain expectimax over the game's own positions."""

from collections.abc import Callable
from typing import Any

import pytest

from motherlode import engine, text
from motherlode.contract import random_game
from motherlode.game import CHANCE, OVER, UNSEEN, Game, Record, new_rng
from motherlode.games import GAMES
from motherlode.games.claimpoker import ending as last_takes
from motherlode.games.mount_goldrush import ending as last_cards
from motherlode.games.mount_goldrush.rules import DYNAMITE, FIRST, GOLDS, RUSH, owner

mount_goldrush = GAMES["mount_goldrush"]

claimpoker = GAMES["claimpoker"]

Value = tuple[list[float], list[float]]  # utility and points of each seat
CLOSE = 1e-9


def expectimax(game: Game, s: Record, known: dict[Any, Value], key: Callable[[Record], Any] = bytes) -> Value:
    """Every seat for its own expected utility, then points, then the first in `order`."""
    if s.turn == OVER:
        return engine.utility(game, s), [float(points) for points in engine.points(game, s)]
    here = key(s)
    if here not in known:
        actions = order(game, s)
        values = [expectimax(game, engine.after(game, s, a), known, key) for a in actions]
        if s.turn == CHANCE:
            odds = [game.odds(s, a) for a in actions]
            utility, points = (
                [
                    sum(w * value[part][x] for w, value in zip(odds, values, strict=True)) / sum(odds)
                    for x in range(s.seats)
                ]
                for part in (0, 1)
            )
            known[here] = utility, points
        else:
            best = values[0]
            for value in values[1:]:
                gain, points_gain = (value[part][s.turn] - best[part][s.turn] for part in (0, 1))
                if gain > CLOSE or (abs(gain) <= CLOSE and points_gain > CLOSE):
                    best = value
            known[here] = best
    return known[here]


def order(game: Game, s: Record) -> list[int]:
    """Which of equal actions is the first: in Mount Goldrush by the card, what nobody has seen last."""
    if game is claimpoker or s.turn == CHANCE:
        return engine.legal(game, s)
    return sorted(engine.legal(game, s), key=lambda place: (rank(s, s.card[place]), place))


def rank(s: Record, kind: int) -> int:
    """Gold by value, an owner's miners by strength, the rest; in the Gold Rush nothing but gold counts."""
    if kind == UNSEEN:
        return 100
    if kind < GOLDS or (kind == DYNAMITE and s.phase != RUSH):
        return kind
    if s.phase == RUSH:
        return 99
    colour, strength = divmod(kind - GOLDS, 4)
    return GOLDS + 4 * min(c for c in range(5) if owner(s, c) == owner(s, colour)) + strength


def ends(game: Game, seats: int, number: int, last: int, **options: Any) -> list[Record]:
    """The last decisions of a random game."""
    played = random_game(game, engine.start(game, seats, **options), new_rng(number))
    return [s for s, _, _ in played if s.turn >= 0][-last:]


def check(game: Game, solved: Any, s: Record, key: Callable[[Record], Any] = bytes) -> None:
    known: dict[Any, Value] = {}
    value = expectimax(game, s, known, key)
    where = text.write_position(game, s)
    assert solved is not None, where
    assert solved.utility == pytest.approx(value[0]) and solved.points == pytest.approx(value[1]), where
    chosen = expectimax(game, engine.after(game, s, solved.action), known, key)
    assert chosen[0][s.turn] == pytest.approx(value[0][s.turn]), where
    assert chosen[1][s.turn] == pytest.approx(value[1][s.turn]), where


@pytest.mark.parametrize("seats", mount_goldrush.SEATS)
def test_the_last_cards(seats: int) -> None:
    for number in range(3):
        for s in ends(mount_goldrush, seats, number, 5):
            check(mount_goldrush, last_cards.solve(s), s)


@pytest.mark.parametrize("series", ["off", "on"])
def test_the_last_cards_of_a_series(series: str) -> None:
    for s in ends(mount_goldrush, 2, 5, 5, series=series):
        check(mount_goldrush, last_cards.solve(s), s)


@pytest.mark.parametrize("seats", [2, 5])
def test_chance_by_its_odds(seats: int) -> None:
    """Five cards nobody has seen, of which some are as good as each other."""
    s = next(s for s in ends(mount_goldrush, seats, 2, 99) if mount_goldrush.left(s) == 5)
    for place in range(64):
        s.card[place] = UNSEEN
    for kind in range(len(mount_goldrush.KINDS)):
        s.unseen[kind] = {0: 1, 3: 2, 4: 2}.get(kind, 0)
    check(mount_goldrush, last_cards.solve(s), s)


def cards(s: Record) -> Any:
    """All that matters, but for where cards lie; and how a turn has gone so far."""
    up = tuple(s.face) if s.phase == mount_goldrush.SECOND or s.turn == CHANCE else ()
    lying = sorted((s.card[p], p == s.spot[0]) for p in range(64) if mount_goldrush.lies(s, p))
    won = tuple(engine.points(mount_goldrush, s)), tuple(s.golds)
    return s.turn, s.phase, s.mover, s.quiet, up, tuple(lying), tuple(s.unseen), won


@pytest.mark.parametrize("seats", [2, 3])
def test_pairs_of_cards_before_the_gold_rush(seats: int) -> None:
    """Eleven cards of few kinds, and patience nearly at its end: one more turn of two cards, then the Gold Rush."""
    s = next(s for s in ends(mount_goldrush, seats, 1, 99) if mount_goldrush.left(s) <= 16 and s.phase == FIRST)
    places = [p for p in range(64) if mount_goldrush.lies(s, p)]
    deck = [0, 3, 3, 3, 4, 4, 4, 4 + 3, 4 + 4 * 2, DYNAMITE]
    for place in places[11:]:
        mount_goldrush.lift(s, place)
    for kind in range(len(mount_goldrush.KINDS)):
        s.unseen[kind] = 0
    for i, place in enumerate(places[:11]):
        s.card[place] = deck[i] if i < len(deck) else UNSEEN
    s.unseen[1] = 1
    s.quiet = mount_goldrush.PATIENCE - 1
    check(mount_goldrush, last_cards.solve(s), s, cards)


@pytest.mark.parametrize(("seats", "scoring"), [(3, "example"), (3, "text"), (4, "example"), (5, "example")])
def test_the_last_takes(seats: int, scoring: str) -> None:
    for number in range(3):
        for s in ends(claimpoker, seats, number, 3, scoring=scoring):
            check(claimpoker, last_takes.solve(s), s)


def test_from_too_far_there_is_no_answer() -> None:
    assert last_cards.solve(engine.start(mount_goldrush)) is None
    assert last_takes.solve(engine.replay(claimpoker, engine.start(claimpoker), [0])) is None
    first = [s for s in ends(mount_goldrush, 2, 0, 9999, series="on") if s.game == 0][-1]
    assert mount_goldrush.left(first) <= 3 and last_cards.solve(first) is None  # a game follows
    s = ends(mount_goldrush, 2, 0, 3)[0]
    assert last_cards.solve(s) is not None
    mount_goldrush.forget(s, s.turn, 0)
    assert last_cards.solve(s) is None  # not all is known


def test_a_search_that_grows_too_large_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_cards, "MOST_POSITIONS", 5)
    assert last_cards.solve(ends(mount_goldrush, 2, 0, 6)[0]) is None
