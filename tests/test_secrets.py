"""Planted leaks: what a seat must not learn, leaked on purpose in Goldmine, is caught by the checks for all games."""

from collections.abc import Callable

import pytest
from test_contract import goldmine_with

from motherlode import contract, engine
from motherlode.game import UNSEEN, Game, Record, Rng, new_rng
from motherlode.games import GAMES

real = GAMES["goldmine"]


def hide_all_but_the_hand(s: Record, seat: int) -> None:
    hands = list(s.hand)
    real.hide(s, seat)
    s.hand[0], s.hand[1] = hands


def hide_all_but_discards(s: Record, seat: int) -> None:
    thrown = list(s.thrown)
    real.hide(s, seat)
    s.thrown[0], s.thrown[1] = thrown


def hide_all_but_looked_at_gold(s: Record, seat: int) -> None:
    gold = list(s.gold)
    real.hide(s, seat)
    for place, value in enumerate(gold):
        s.gold[place] = value


def leave_a_hole(s: Record, seat: int) -> None:
    """The hand is blank, but a counter moves with one of its cards."""
    has_high_trump = s.hand[1 - seat] >> 5 & 1 if seat >= 0 else 0
    real.hide(s, seat)
    if has_high_trump:
        s.sought = 5


def hide_too_little_from_the_public(s: Record, seat: int) -> None:
    real.hide(s, max(seat, 0))


def many(check: Callable[..., None], game: Game) -> None:
    for number in range(10):
        check(game, 2, {"target": 0}, number)


@pytest.mark.parametrize(
    "hide",
    [
        hide_all_but_the_hand,
        hide_all_but_discards,
        hide_all_but_looked_at_gold,
        leave_a_hole,
        hide_too_little_from_the_public,
    ],
)
def test_a_leaking_view_is_caught(hide: object) -> None:
    leaky = goldmine_with(hide=hide)
    with pytest.raises(contract.Broken):
        many(contract.check_secrets, leaky)


def test_legal_actions_that_know_too_much_are_caught() -> None:
    def peek(s: Record, bits: list[int]) -> int:
        counted = real.legal(s, bits)
        if s.phase == real.ANSWER and s.hand[1 - s.turn] & 1 and counted > 1:
            bits[0] &= bits[0] - 1
            return counted - 1
        return counted

    with pytest.raises(contract.Broken, match="legal reads only what the seat to act knows"):
        many(contract.check_play, goldmine_with(legal=peek))


def test_a_told_discard_is_caught() -> None:
    """A log that names the other's discard: the seat's guesses then disagree with what it was told."""

    def tell_discards(s: Record, a: int, seat: int) -> int:
        return a if s.phase == real.ACT else real.told(s, a, seat)

    leaky = goldmine_with(told=tell_discards)
    opening, log = game_with_a_discard()
    contract.check_guess(real, opening, log, 0)
    with pytest.raises(contract.Broken, match="guess is exact"):
        contract.check_guess(leaky, opening, log, 0)


def test_a_second_look_that_everyone_sees_is_caught() -> None:
    def show_everyone(s: Record, seat: int) -> None:
        shown = list(s.shown)
        real.hide(s, seat)
        for k in range(3):
            s.shown[k] = shown[k]

    opening, log, looker = game_with_a_second_look()
    contract.check_guess(real, opening, log, 1 - looker)
    with pytest.raises(contract.Broken, match="guess is exact"):
        contract.check_guess(goldmine_with(hide=show_everyone), opening, log, 1 - looker)


def test_a_guess_that_prefers_is_caught() -> None:
    def guess_high(s: Record, seat: int, rng: Rng) -> None:
        """Draws again half of the time when the other's hand has no trump."""
        blank = engine.copy(s)
        real.guess(s, seat, rng)
        if not s.hand[1 - seat] & 0b111111 and real.below(rng, 2):
            for name in ("hand", "thrown", "gold"):
                getattr(s, name)[:] = getattr(blank, name)[:]
            real.guess(s, seat, rng)

    opening, log = game_with_a_discard()
    with pytest.raises(contract.Broken, match="guess is exact"):
        contract.check_guess(goldmine_with(guess=guess_high), opening, log, 0)


def test_a_guess_of_the_unseen_is_caught() -> None:
    def guess_unseen(s: Record, seat: int, rng: Rng) -> None:
        real.guess(s, seat, rng)
        if s.gold[5] == UNSEEN:
            s.gold[5] = real.nth(real.unseen_gold(s), 0) + 2

    with pytest.raises(contract.Broken):
        contract.check_secrets(goldmine_with(guess=guess_unseen), 2, {"target": 0}, 1)


def game_with_a_discard() -> tuple[Record, list[int]]:
    """A game in which seat 1 discards first, up to the draw after it."""
    opening = engine.start(real, target=0)
    for number in range(100):
        log = [a for _, a, _ in contract.random_game(real, opening, new_rng(number))][:15]
        if log[13] >= real.DISCARD:
            return opening, log
    raise AssertionError("no such game")


def game_with_a_second_look() -> tuple[Record, list[int], int]:
    """A game up to where a seat looks at gold it has seen before, and that seat."""
    opening = engine.start(real, target=0)
    for number in range(100):
        log = []
        for _, a, t in contract.random_game(real, opening, new_rng(number)):
            log.append(a)
            if t.shown[2] in (1, 2) and t.looked[2 - t.shown[2]] >> t.shown[0] & 1 == 0:
                return opening, log, t.shown[2] - 1
            if len(log) == 24:
                break
    raise AssertionError("no such game")
