"""What each seat has been told since the root, as one 64-bit key per seat, and the hash table that keys are found in.

Positions that a seat cannot tell apart have the same key: it is a hash of the sequence of (actor, action as told, what
was shown). `search` and `equilibrium` build their trees on it. All of it runs interpreted and compiled alike.
"""

import ctypes
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

from motherlode import engine
from motherlode.game import Bits, Game, Numbers, Words, put, rule
from motherlode.table import Told

STIR = -0x61C8864680B583EB  # an odd number with well-mixed bits
ACTIONS = 4096  # more than any game has
SPREAD = 1 << 32  # between keys at the root, so that no fact turns one into another


class Slot(ctypes.Structure):
    """An entry of the hash table; one without visits is free."""

    _fields_ = (("key", ctypes.c_int64), ("visits", ctypes.c_int32), ("value", ctypes.c_int32))


@rule
def narrow(bits: Bits, actions: Words, first: int, number: int) -> int:
    """Put these of the actions into `bits` in place of what was there, and say how many they are."""
    for w in range(len(bits)):
        bits[w] = 0
    for k in range(first, first + number):
        put(bits, actions[k])
    return number


def programs(game: Game, inner: Callable[[Any], Any]) -> SimpleNamespace:
    """The functions of one game; `inner` compiles them."""
    game_apply, game_told, game_hide = game.apply, game.told, game.hide
    shown_length = next(field.length for field in game.FIELDS if field.name == "shown")

    @inner
    def start(keys: Bits, seats: int, seat: int) -> None:
        """The keys at the root: 0 for the seat to act, another for each other seat."""
        for x in range(seats):
            keys[x] = SPREAD * ((x - seat) % seats)

    @inner
    def stir(keys: Bits, seat: int, fact: int) -> None:
        """Add a fact to a seat's key, in two steps: storing the first drops the bits beyond 64."""
        keys[seat] = (keys[seat] ^ fact) * STIR
        keys[seat] ^= keys[seat] >> 29

    @inner
    def hear(keys: Bits, seat: int, actor: int, told: int) -> None:
        """Add who acted and the action as this seat was told it."""
        stir(keys, seat, ACTIONS * (actor + 2) + told + 2)

    @inner
    def see(keys: Bits, seat: int, shown: Numbers) -> None:
        """Add what was shown to this seat, if anything was."""
        anything = 0
        for k in range(shown_length):
            anything |= shown[k]
        for k in range(shown_length if anything != 0 else 0):
            stir(keys, seat, shown[k])

    @inner
    def add_shown(pair: Any, seat: int, keys: Bits) -> None:
        """Add what the last action showed to this seat, if it showed anything."""
        shown = 0
        for k in range(shown_length):
            shown |= pair[0].shown[k]
        if shown == 0:
            return
        pair[1] = pair[0]
        game_hide(pair[1], seat)
        see(keys, seat, pair[1].shown)

    @inner
    def act(pair: Any, a: int, keys: Bits) -> None:
        """Apply an action to pair[0] and add to every seat's key who acted, what it was told and what it was shown.

        pair[1] is scratch memory.
        """
        s = pair[0]
        for seat in range(s.seats):
            hear(keys, seat, s.turn, game_told(s, a, seat))
        game_apply(s, a)
        for seat in range(s.seats):
            add_shown(pair, seat, keys)

    @inner
    def find(slots: Any, key: int) -> int:
        """The place of this key, or the free place where it belongs. The number of slots is a power of two."""
        last = len(slots) - 1
        place = key & last
        while slots[place].visits > 0 and slots[place].key != key:
            place = (place + 1) & last
        return place

    return SimpleNamespace(start=start, act=act, find=find, hear=hear, see=see, stir=stir)


def after_log(game: Game, keys: Any, log: Sequence[Told]) -> Any:
    """An array of keys that a seat may have at the root, as `act` makes them of what the seat was told since."""
    of_seat, kind = [keys], cast(type[ctypes.Structure], type(game.RECORD().shown))
    functions = programs(game, engine.uncompiled)
    for entry in log:
        functions.hear(of_seat, 0, entry.actor, entry.action)
        functions.see(of_seat, 0, kind.from_buffer_copy(entry.shown))
    return of_seat[0]
