"""Endings without hidden information, for any number of seats: every seat maximises its own expected utility.

Among actions with the same utility a seat takes the one with the most expected points of its own, and among those still
equal the first. A game's ending is a module with two rules besides the game's own: `merge` rewrites a position as the
one that stands for all positions of equal value (and says whether to remember its value), and `differ` keeps one of
several actions of equal value. So "the first" is the first in the merged position. Chance is exact. The search is a
loop with a stack of its own.
"""

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.engine import MOST_SEATS
from motherlode.game import CHANCE, OVER, Bits, Game, Record, nth_action

CLOSE = 1e-9  # values no further apart are equal
GAVE_UP = -1
UTILITY, POINTS = 0, MOST_SEATS  # places in a value: the utility of each seat, then its points
VALUE = 2 * MOST_SEATS


class Solved(NamedTuple):
    """The best action, and what each seat can then expect."""

    action: int
    utility: list[float]
    points: list[float]

    @property
    def mix(self) -> dict[int, float]:
        return {self.action: 1.0}


def solve(game: Game, ending: ModuleType, s: Record, *, rows: int, most: int) -> Solved | None:
    """The best action; None if there are more than `most` positions. No line of play is longer than `rows`."""
    from motherlode.compiled import as_array, build, dtype

    stack = np.zeros(rows + 1, dtype(game))
    stack[:1] = as_array(game, s)
    words = stack.view(word_type(stack.dtype.itemsize)).reshape(rows + 1, -1)
    bits = np.zeros((rows + 1, engine.words_of(game)), np.int64)
    values, weights = np.zeros((rows + 1, VALUE)), np.zeros(rows + 1)
    best, tried, slots = np.zeros((3, rows + 1), np.int64)
    entries = 1 << most.bit_length()
    keys, store = np.zeros((entries, 2), np.uint64), np.empty((entries, VALUE))
    number = build(programs, game, ending).solve(
        stack, words, bits, values, weights, best, tried, slots, keys, store, np.zeros(MOST_SEATS, np.int64), most
    )
    if number == GAVE_UP:
        return None
    seats = int(s.seats)
    return Solved(int(best[0]), values[0, :seats].tolist(), values[0, POINTS : POINTS + seats].tolist())


def word_type(size: int) -> type[np.unsignedinteger[Any]]:
    """The largest word that records of this size are made of; those of a variant may be small."""
    return next(kind for kind in (np.uint64, np.uint32, np.uint16, np.uint8) if size % kind().itemsize == 0)


def programs(game: Game, ending: Any, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The search: `entry` compiles what is called from Python, `inner` what that calls."""
    game_legal, game_apply, game_odds = game.legal, game.apply, game.odds
    game_score, game_winners = game.score, game.winners
    merge, differ = ending.merge, ending.differ
    n_words = engine.words_of(game)

    @inner
    def result(s: Record, out: Bits, value: Any) -> None:
        """ALL-6, and the points."""
        won = game_winners(s)
        number = 0
        for x in range(s.seats):
            number += (won >> x) & 1
        game_score(s, out)
        for x in range(s.seats):
            has_won = (won >> x) & 1 == 1
            value[UTILITY + x] = (s.seats / number - 1) / (s.seats - 1) if has_won else -1 / (s.seats - 1)
            value[POINTS + x] = out[x]

    @inner
    def open_node(s: Record, bits: Bits) -> None:
        game_legal(s, bits)
        if s.turn != CHANCE:
            differ(s, bits)

    @inner
    def find(keys: Any, words: Any) -> Any:
        """The entry of a position; a new position is entered, and the answer is -1 - its entry."""
        one, two = np.uint64(1), np.uint64(2)
        for word in words:
            one = (one ^ np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15)
            one ^= one >> np.uint64(29)
            two = (two ^ np.uint64(word)) * np.uint64(0xD6E8FEB86659FD93)
            two ^= two >> np.uint64(32)
        one |= np.uint64(1)  # 0 is a free entry
        slot = np.int64(one >> np.uint64(8)) & (len(keys) - 1)
        while keys[slot, 0] != 0:
            if keys[slot, 0] == one and keys[slot, 1] == two:
                return slot
            slot = (slot + 1) & (len(keys) - 1)
        keys[slot, 0] = one
        keys[slot, 1] = two
        return -1 - slot

    @inner
    def is_better(value: Any, than: Any, seat: int) -> bool:
        if abs(value[UTILITY + seat] - than[UTILITY + seat]) > CLOSE:
            return bool(value[UTILITY + seat] > than[UTILITY + seat])
        return bool(value[POINTS + seat] > than[POINTS + seat] + CLOSE)

    @entry
    def solve(
        stack: Any, words: Any, bits: Any, values: Any, weights: Any, best: Any, tried: Any, slots: Any, keys: Any,
        store: Any, out: Bits, most: int,
    ) -> int:  # fmt: skip
        """Solve stack[0] and return the number of positions searched. Row 0 of `values` and `best` has the answer.

        Each row is an open node: its position, the actions not tried yet, its value so far, the odds so far or the best
        action, the action being tried, and the entry of `store` for its value.
        """
        number = 1
        at = 0
        open_node(stack[0], bits[0])
        weights[0], best[0], slots[0] = 0.0, -1, -1
        while True:
            w = 0
            while w < n_words and bits[at, w] == 0:
                w += 1
            if w < n_words:
                a = nth_action(bits[at], 0)
                bits[at, w] &= bits[at, w] - 1
                tried[at] = a
                stack[at + 1] = stack[at]
                s = stack[at + 1]
                game_apply(s, a)
                is_settled = s.turn == OVER
                slot = -1
                if is_settled:
                    result(s, out, values[at + 1])
                elif merge(s):
                    slot = find(keys, words[at + 1])
                    is_settled = slot >= 0
                    if is_settled:
                        values[at + 1] = store[slot]
                    slot = -1 - slot
                if not is_settled:
                    number += 1
                    if number > most:
                        return GAVE_UP
                    at += 1
                    open_node(s, bits[at])
                    weights[at], best[at], slots[at] = 0.0, -1, slot
                    continue
            else:
                if stack[at].turn == CHANCE:
                    values[at] /= weights[at]
                if slots[at] >= 0:
                    store[slots[at]] = values[at]
                if at == 0:
                    return number
                at -= 1
            if stack[at].turn == CHANCE:
                odds = game_odds(stack[at], tried[at])
                if weights[at] == 0.0:
                    values[at] = 0.0
                weights[at] += odds
                values[at] += odds * values[at + 1]
            elif best[at] < 0 or is_better(values[at + 1], values[at], stack[at].turn):
                values[at] = values[at + 1]
                best[at] = tried[at]

    return SimpleNamespace(solve=solve)
