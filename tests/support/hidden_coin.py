"""A little game with a known equilibrium: seat 0 hides one of three coins, seat 1 wins if it guesses which."""

import sys
from typing import cast

from motherlode.game import (
    HIDDEN,
    OVER,
    Actions,
    Arg,
    Bits,
    Field,
    Game,
    Kind,
    Record,
    Rng,
    Rules,
    adopt,
    below,
    record,
    rule,
)

NAME = "hidden_coin"
TITLE = "Hidden Coin"
CREDIT = "for tests"
RULES = 1
SEATS = (2,)
LENGTH = 2

COINS = ("0", "1", "2")
FIELDS = (
    Field("turn", OVER, 1, 0, "who is to act"),
    Field("seats", 2, 2, 0, "number of players"),
    Field("shown", 0, 0, 1, "always 0"),
    Field("coin", 0, 2, 0, "the coin that is hidden", blank=True),
    Field("points", 0, 1, 2, "points"),
)
RECORD = record(FIELDS)
ACTIONS = Actions(Kind("hide", (Arg("coin", COINS),), "HC-1.1"), Kind("guess", (Arg("coin", COINS),), "HC-1.2"))


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats


@rule
def legal(s: Record, bits: Bits) -> int:
    bits[0] = 0b111 << 3 * s.turn
    return 3


@rule
def apply(s: Record, a: int) -> None:
    if s.turn == 0:
        s.coin = a
        s.turn = 1
    else:
        s.points[1 if a - 3 == s.coin else 0] = 1
        s.turn = OVER


@rule
def score(s: Record, out: Bits) -> None:
    for x in range(2):
        out[x] = s.points[x]


@rule
def winners(s: Record) -> int:
    return 1 if s.points[0] else 2


@rule
def hide(s: Record, seat: int) -> None:
    if seat != 0 and s.turn == 1:
        s.coin = HIDDEN


@rule
def told(s: Record, a: int, seat: int) -> int:
    return HIDDEN if seat != 0 and s.turn == 0 else a


@rule
def guess(s: Record, seat: int, rng: Rng) -> None:
    if s.coin == HIDDEN:
        s.coin = below(rng, 3)


GAME: Game = adopt(cast(Rules, sys.modules[__name__]), NAME)
