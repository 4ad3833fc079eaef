"""Positions and told logs as bytes, and rules as functions on them: for libraries that copy and keep states.

Bytes are copied for nothing, compared, hashed and pickled. `Rules` runs interpreted, or compiled by Numba.
"""

import ctypes
import threading
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

from motherlode import engine, text
from motherlode.engine import Decorator
from motherlode.game import (
    HIDDEN,
    OVER,
    Bits,
    Field,
    Game,
    Record,
    Rng,
    has,
    new_rng,
    nth_action,
    read_record,
    record,
    seed,
)
from motherlode.table import Told


def shown_field(game: Game) -> Field:
    return next(field for field in game.FIELDS if field.name == "shown")


@cache
def entry_type(game: Game) -> type[Record]:
    """An entry of a told log, as `Told` has it, in bytes without holes."""
    actions = max(len(game.ACTIONS), len(game.OUTCOMES))
    fields = (Field("actor", OVER, engine.MOST_SEATS, 0, ""), Field("action", HIDDEN, actions, 0, ""))
    return record((*fields, shown_field(game)))


def entry_size(game: Game) -> int:
    return ctypes.sizeof(entry_type(game))


def programs(game: Game, inner: Decorator, entry: Decorator) -> SimpleNamespace:
    """The rules one by one, for calls from Python: on s[0], with s[1] as scratch memory."""
    game_legal, game_apply, game_odds, game_told = game.legal, game.apply, game.odds, game.told
    game_hide, game_guess, game_winners = game.hide, game.guess, game.winners
    shown_length = shown_field(game).length

    @entry
    def legal(s: Any, bits: Bits, actions: Bits) -> int:
        choices = game_legal(s[0], bits)
        for k in range(choices):
            actions[k] = nth_action(bits, k)
        return choices

    @entry
    def odds(s: Any, bits: Bits, actions: Bits, shares: Any) -> int:
        choices, whole = game_legal(s[0], bits), 0
        for k in range(choices):
            actions[k] = nth_action(bits, k)
            whole += game_odds(s[0], actions[k])
        for k in range(choices):
            shares[k] = game_odds(s[0], actions[k]) / whole
        return choices

    @entry
    def act(s: Any, a: int, told: Any, bits: Bits) -> bool:
        """Apply an action and say what every seat is told of it; do nothing if it is not legal."""
        if s[0].turn == OVER or a < 0 or a >= 64 * len(bits):
            return False
        game_legal(s[0], bits)
        if not has(bits, a):
            return False
        for seat in range(len(told)):
            told[seat].actor = s[0].turn
            told[seat].action = game_told(s[0], a, seat)
        game_apply(s[0], a)
        for seat in range(len(told)):
            s[1] = s[0]
            game_hide(s[1], seat)
            for k in range(shown_length):
                told[seat].shown[k] = s[1].shown[k]
        return True

    @entry
    def hide(s: Any, seat: int) -> None:
        game_hide(s[0], seat)

    @entry
    def guess(s: Any, seat: int, number: int, rng: Rng) -> None:
        game_hide(s[0], seat)
        rng[0] = 0
        seed(rng, number, 0)
        game_guess(s[0], seat, rng)

    @entry
    def winners(s: Any) -> int:
        return game_winners(s[0])

    return SimpleNamespace(legal=legal, odds=odds, act=act, hide=hide, guess=guess, winners=winners)


class Memory:
    """What rules work in."""

    def __init__(self, game: Game, seats: int, array: Callable[[Any], Any]) -> None:
        self.position, self.told = bytearray(2 * ctypes.sizeof(game.RECORD)), bytearray(seats * entry_size(game))
        self.content = memoryview(self.position)[: ctypes.sizeof(game.RECORD)]
        self.positions = array((game.RECORD * 2).from_buffer(self.position))
        self.entries = array((entry_type(game) * seats).from_buffer(self.told))
        self.bits, self.rng = array(engine.new_bits(game)), array(new_rng(0))
        self.actions, self.shares = (
            array((kind * (64 * len(self.bits)))()) for kind in (ctypes.c_int64, ctypes.c_double)
        )


class Local(threading.local):
    """The memory of this thread."""

    def __init__(self, game: Game, seats: int, array: Callable[[Any], Any]) -> None:
        self.memory = Memory(game, seats, array)


class Rules:
    """The rules of a game on positions as bytes. Threads may share them."""

    def __init__(self, game: Game, seats: int, *, is_compiled: bool) -> None:
        self.game, self.seats, self.is_compiled = game, seats, is_compiled
        self.turn_at, self.entry_size = game.RECORD.turn.offset, entry_size(game)
        if is_compiled:
            from motherlode.compiled import as_numpy, compiled

            self.programs, self.local = compiled(game, programs), Local(game, seats, as_numpy)
        else:
            self.programs = programs(game, engine.uncompiled, engine.uncompiled)
            self.local = Local(game, seats, engine.uncompiled)
        self.utility = [engine.shared(seats, [x for x in range(seats) if won >> x & 1]) for won in range(1 << seats)]

    def legal(self, position: bytes) -> list[int]:
        """What may be done; at a chance node, what can come."""
        memory = self.local.memory
        memory.content[:] = position
        if not self.is_compiled:
            return engine.legal(self.game, memory.positions[0])
        choices = self.programs.legal(memory.positions, memory.bits, memory.actions)
        actions: list[int] = memory.actions[:choices].tolist()
        return actions

    def outcomes(self, position: bytes) -> list[tuple[int, float]]:
        """What chance can decide, and how likely it is."""
        memory = self.local.memory
        memory.content[:] = position
        if not self.is_compiled:
            odds = {a: self.game.odds(memory.positions[0], a) for a in self.legal(position)}
            return [(a, weight / sum(odds.values())) for a, weight in odds.items()]
        choices = self.programs.odds(memory.positions, memory.bits, memory.actions, memory.shares)
        return list(zip(memory.actions[:choices].tolist(), memory.shares[:choices].tolist(), strict=True))

    def act(self, position: bytes, a: int) -> tuple[bytes, bytes] | None:
        """The position after an action, and what every seat is told of it; None if it is not legal."""
        memory = self.local.memory
        memory.content[:] = position
        is_legal = self.programs.act(memory.positions, a, memory.entries, memory.bits)
        return (bytes(memory.content), bytes(memory.told)) if is_legal else None

    def view(self, position: bytes, seat: int) -> bytes:
        memory = self.local.memory
        memory.content[:] = position
        self.programs.hide(memory.positions, seat)
        return bytes(memory.content)

    def guess(self, position: bytes, seat: int, number: int) -> bytes:
        """A world that agrees with a seat's view of this position, drawn by a random number."""
        memory = self.local.memory
        memory.content[:] = position
        self.programs.guess(memory.positions, seat, number, memory.rng)
        return bytes(memory.content)

    def returns(self, position: bytes) -> list[float]:
        """The utility of a game that is over."""
        memory = self.local.memory
        memory.content[:] = position
        return self.utility[self.programs.winners(memory.positions)]


@lru_cache(1 << 12)
def position_words(game: Game, position: bytes) -> str:
    """A position or a view as text, which takes a while: whoever compares states asks again and again."""
    return text.write_position(game, read_record(game, position))


# Told logs


@lru_cache(1 << 16)
def read_entry(game: Game, content: bytes) -> Told:
    told = entry_type(game).from_buffer_copy(content)
    return Told(int(told.actor), int(told.action), bytes(told.shown))


@lru_cache(1 << 16)
def entry_words(game: Game, content: bytes) -> str:
    """An entry as it is in an information state: who, what (or ?), and the numbers of what it showed."""
    told = entry_type(game).from_buffer_copy(content)
    table = game.ACTIONS if told.actor >= 0 else game.OUTCOMES
    words = f"{text.actor_name(told.actor)} {'?' if told.action == HIDDEN else table.name(told.action)}"
    return f"{words} [{','.join(map(str, told.shown))}]" if any(told.shown) else words


def split(game: Game, log: bytes) -> list[bytes]:
    """The entries of a log."""
    size = entry_size(game)
    return [log[at : at + size] for at in range(0, len(log), size)]


def write_entries(game: Game, log: Iterable[Told]) -> bytes:
    kind, field = entry_type(game), shown_field(game)
    shown = field.ctype() * field.length
    return b"".join(bytes(kind(actor=e.actor, action=e.action, shown=shown.from_buffer_copy(e.shown))) for e in log)
