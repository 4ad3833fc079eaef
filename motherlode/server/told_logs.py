"""What each seat, and the public, has been told of a table's log, ready for the wire.

An action that a seat is told nothing of, and that changes nothing in its view, is *quiet* for it: how many of them
there were is told only with what follows.
"""

from collections.abc import Sequence
from functools import lru_cache

from motherlode import engine, sentences, text
from motherlode.game import HIDDEN, Game, Record
from motherlode.server import wire
from motherlode.server.listener import PUBLIC
from motherlode.table import Table


class ToldLogs:
    """The told logs of one table, and which of their entries are quiet."""

    def __init__(self, core: Table) -> None:
        self.core = core
        self.quiet: dict[int, list[bool]] = {}

    def told(self, seat: int, since: int = 0, until: int | None = None) -> list[wire.Did]:
        """The log, or a part of it, as a seat is told it, quiet actions too."""
        game, positions = self.core.game, self.core.positions
        return [
            describe(game, at, positions[at], entry.action, positions[at + 1], seat)
            for at, entry in enumerate(self.core.told(seat)[since:until], since)
        ]

    def find_quiet(self, seat: int) -> list[bool]:
        """Which actions are quiet for a seat."""
        game, found = self.core.game, self.quiet.setdefault(seat, [])
        for at in range(len(found), self.core.at):
            s, t = self.core.positions[at : at + 2]
            found.append(self.core.told(seat)[at].action == HIDDEN and look_alike(game, s, t, seat))
        return found

    def count(self, seat: int, until: int) -> int:
        """How many of the first `until` actions a seat knows to have happened."""
        n, quiet = until, self.find_quiet(seat)
        while n and quiet[n - 1]:
            n -= 1
        return n

    def last_told(self, seats: Sequence[int], until: int) -> int:
        """How many of the first `until` actions had happened when one of these seats was last told of something."""
        return max(self.count(seat, until) for seat in seats)

    def would_be_quiet(self, action: int) -> bool:
        """Whether nobody but the seat to act would be told of this action, or see anything of it."""
        game, s = self.core.game, self.core.position
        t = engine.after(game, s, action)
        return all(
            game.told(s, action, seat) == HIDDEN and look_alike(game, s, t, seat)
            for seat in range(PUBLIC, self.core.seats)
            if seat != s.turn
        )


def look_alike(game: Game, s: Record, t: Record, seat: int) -> bool:
    return bytes(engine.view(game, s, seat)) == bytes(engine.view(game, t, seat))


def describe(game: Game, at: int, s: Record, told: int, t: Record, seat: int | None) -> wire.Did:
    """The entry for an action that led from `s` to `t`, told to a seat (None: with everything open) as `told`."""
    before, after = (s, t) if seat is None else (engine.view(game, s, seat), engine.view(game, t, seat))
    return describe_views(game, at, s.turn, bytes(before), told, bytes(after))


@lru_cache(maxsize=64)  # whoever sees the same is told the same
def describe_views(game: Game, at: int, actor: int, before: bytes, told: int, after: bytes) -> wire.Did:
    s, t = game.RECORD.from_buffer_copy(before), game.RECORD.from_buffer_copy(after)
    line, names = text.describe_views(game, s, told, t), sentences.seat_names(s.seats)
    return wire.Did(
        at=at,
        actor=actor,
        action=None if told == HIDDEN else told,
        verb=line.verb,
        args=line.args,
        turned_up=line.turned_up and wire.TurnedUp(kind=line.turned_up.kind, args=line.turned_up.args),
        words=line.words,
        events=[
            wire.Event(kind=event.kind, args=event.args, words=sentences.event(game, event, names))
            for event in line.events
        ],
    )


def describe_early(game: Game, at: int, seat: int, action: int) -> wire.Did:
    """An early action, told to its own seat before it is done: what it turns up is still to come."""
    verb, args, words = game.ACTIONS.read(action)[0].verb, game.ACTIONS.args(action), game.ACTIONS.name(action)
    return wire.Did(at=at, actor=seat, action=action, verb=verb, args=args, turned_up=None, words=words, events=[])


def tell(game: Game, at: int, s: Record, a: int, t: Record, seat: int | None) -> wire.Did:
    """The action that led from `s` to `t`, as a seat (PUBLIC: the public; None: with everything open) is told it."""
    return describe(game, at, s, a if seat is None else game.told(s, a, seat), t, seat)
