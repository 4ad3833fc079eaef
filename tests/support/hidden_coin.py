"""A little game with a known equilibrium: seat 0 hides one of three coins, and seat 1 wins if it guesses which.

With three seats both others hide a coin, each by itself, and the last seat wins if it guesses the sum modulo 3; if not,
the higher coin wins, or both equal ones together.
"""

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
SEATS = (2, 3)
LENGTH = 3

COINS = ("0", "1", "2")
FIELDS = (
    Field("turn", OVER, 2, 0, "who is to act"),
    Field("seats", 2, 3, 0, "number of players"),
    Field("shown", 0, 0, 1, "always 0"),
    Field("coin", 0, 2, 2, "the coin that each seat but the last has hidden", blank=True),
    Field("won", 0, 7, 0, "who has won"),
)
RECORD = record(FIELDS)
ACTIONS = Actions(Kind("hide", (Arg("coin", COINS),), "HC-1.1"), Kind("guess", (Arg("coin", COINS),), "HC-1.2"))


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats


@rule
def legal(s: Record, bits: Bits) -> int:
    bits[0] = 0b111000 if s.turn == s.seats - 1 else 0b111
    return 3


@rule
def apply(s: Record, a: int) -> None:
    if s.turn < s.seats - 1:
        s.coin[s.turn] = a
        s.turn += 1
        return
    if (s.coin[0] + s.coin[1]) % 3 == a - 3:
        s.won = 1 << s.turn
    elif s.seats == 2 or s.coin[0] > s.coin[1]:
        s.won = 0b01
    else:
        s.won = 0b10 if s.coin[0] < s.coin[1] else 0b11
    s.turn = OVER


@rule
def score(s: Record, out: Bits) -> None:
    for x in range(s.seats):
        out[x] = (s.won >> x) & 1


@rule
def winners(s: Record) -> int:
    return s.won


@rule
def hide(s: Record, seat: int) -> None:
    for x in range(s.turn):
        if x != seat:
            s.coin[x] = HIDDEN


@rule
def told(s: Record, a: int, seat: int) -> int:
    return HIDDEN if seat != s.turn and s.turn < s.seats - 1 else a


@rule
def guess(s: Record, seat: int, rng: Rng) -> None:
    for x in range(s.turn):
        if s.coin[x] == HIDDEN:
            s.coin[x] = below(rng, 3)


GAME: Game = adopt(cast(Rules, sys.modules[__name__]), NAME)
