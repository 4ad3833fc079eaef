"""Looks one action ahead in guessed worlds for the greatest lead in points; ties are broken at random.

As in `search.py`, the same source runs interpreted and compiled by Numba, and chooses the same action for the same
random numbers. Few worlds are looked at sooner than the compiled loop is loaded: they do without it.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from time import thread_time
from types import SimpleNamespace
from typing import Any

from motherlode import engine
from motherlode.engine import MOST_SEATS
from motherlode.game import CHANCE, Bits, Game, Rng, below, new_rng
from motherlode.table import Ask, Bot

FEW = 10  # worlds that need no compiled loop
CHUNK = 16  # worlds between two looks at the clock


def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The loop of one game: `entry` compiles what is called from Python, `inner` what that calls."""
    game_apply, game_guess, game_score = game.apply, game.guess, game.score
    draw = engine.programs(game, inner, entry).draw

    @inner
    def lead(points: Bits, seats: int, seat: int) -> int:
        """How far a seat is ahead of the best of the others."""
        best = points[(seat + 1) % seats]
        for x in range(seats):
            if x != seat:
                best = max(best, points[x])
        return points[seat] - best

    @entry
    def look(
        view: Any, seat: int, worlds: int, actions: Bits, value: Bits, pair: Any, rng: Rng, bits: Bits, points: Bits
    ) -> None:
        """Add to the value of each action the lead that it brings in this many worlds.

        pair[0] is the world and pair[1] what comes of an action; they, `bits` and `points` are scratch memory.
        """
        s = pair[1]
        for _ in range(worlds):
            pair[0] = view[0]
            game_guess(pair[0], seat, rng)
            for k in range(len(actions)):
                pair[1] = pair[0]
                game_apply(s, actions[k])
                while s.turn == CHANCE:
                    game_apply(s, draw(s, rng, bits))
                game_score(s, points)
                value[k] += lead(points, s.seats, seat)

    return SimpleNamespace(look=look)


@cache
def interpreted(game: Game) -> SimpleNamespace:
    return programs(game, inner=engine.uncompiled, entry=engine.uncompiled)


def warm(game: Game) -> None:
    """Compile the loop of a game, or load it from the cache."""
    s, rng = engine.start(game), new_rng(0)
    while s.turn == CHANCE:
        game.apply(s, engine.draw(game, s, rng))
    ask = Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), [])
    values(ask, engine.legal(game, s), rng, 1, plain=False)
    _warm.add(game)


_warm: set[Game] = set()  # games whose loop is compiled


def is_warm(game: Game) -> bool:
    return game in _warm


def values(
    ask: Ask, actions: list[int], rng: Rng, worlds: int, *, plain: bool, core_seconds: float | None = None
) -> list[int]:
    """The leads that each action brings, added up over the worlds; over fewer of them if the core time is up before."""
    game, began = ask.game, thread_time()
    view, pair, value = (game.RECORD * 1)(ask.view), (game.RECORD * 2)(), (ctypes.c_int64 * len(actions))()
    sizes = (engine.words_of(game), MOST_SEATS)
    arrays = [(ctypes.c_int64 * len(actions))(*actions), value, pair, rng, *((ctypes.c_int64 * n)() for n in sizes)]
    if plain:
        look = interpreted(game).look
    else:
        from motherlode.compiled import as_numpy, compiled

        look = compiled(game, programs).look
        view, *arrays = (as_numpy(array) for array in (view, *arrays))
    chunk, done = 1 if plain else CHUNK, 0
    if core_seconds is None:
        chunk = worlds
    while done < worlds and (done == 0 or core_seconds is None or thread_time() < began + core_seconds):
        number = min(chunk, worlds - done)
        look(view, ask.seat, number, *arrays)
        done += number
    return list(value)


def bot(worlds: int = 10, *, plain: bool = False, core_seconds: float | None = None, is_best: bool = True) -> Bot:
    """Looks for the greatest lead or, if `is_best` is false, for the least."""
    pick = max if is_best else min

    def choose(ask: Ask, rng: Rng) -> int:
        actions = engine.useful(ask.game, ask.view)
        if len(actions) > 1:
            is_plain = plain or (worlds <= FEW and not is_warm(ask.game))
            value = values(ask, actions, rng, worlds, plain=is_plain, core_seconds=core_seconds)
            actions = [a for a, lead in zip(actions, value, strict=True) if lead == pick(value)]
        return actions[below(rng, len(actions))]

    return choose
