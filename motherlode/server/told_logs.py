"""What each seat, and the public, has been told of a table's log, ready for the wire.

An action that a seat is told nothing of, and that changes nothing in its view, is *quiet* for it: how many of them
there were is told only with what follows.
"""

from collections.abc import Sequence

from motherlode import engine, text
from motherlode.game import HIDDEN, Game, Record
from motherlode.server import wire
from motherlode.server.listener import PUBLIC
from motherlode.table import Table


class ToldLogs:
    """The told logs of one table; each grows when it is asked for."""

    def __init__(self, core: Table) -> None:
        self.core = core
        self.entries: dict[int, list[wire.Did]] = {}
        self.quiet: dict[int, list[bool]] = {}
        self.views: dict[int, Record] = {}  # each seat's after the last entry of its log

    def told(self, seat: int) -> list[wire.Did]:
        """The whole log as a seat is told it, quiet actions too."""
        game, log, quiet = self.core.game, self.entries.setdefault(seat, []), self.quiet.setdefault(seat, [])
        before = self.views.get(seat) or engine.view(game, self.core.positions[0], seat)
        for at, entry in enumerate(self.core.told(seat)[len(log) :], len(log)):
            after = engine.view(game, self.core.positions[at + 1], seat)
            quiet.append(entry.action == HIDDEN and bytes(before) == bytes(after))
            did = describe(game, at, before, entry.action, after)
            same = (told[at] for told in self.entries.values() if len(told) > at and told[at] == did)
            log.append(next(same, did))  # most entries are the same for everybody: they are kept once
            self.views[seat] = before = after
        return log

    def count(self, seat: int, until: int) -> int:
        """How many of the first `until` actions a seat knows to have happened."""
        return self.last_told([seat], until)

    def last_told(self, seats: Sequence[int], until: int) -> int:
        """How many of the first `until` actions had happened when one of these seats was last told of something."""
        for seat in seats:
            self.told(seat)
        n = until
        while n and all(self.quiet[seat][n - 1] for seat in seats):
            n -= 1
        return n

    def would_be_quiet(self, action: int) -> bool:
        """Whether nobody but the seat to act would be told of this action, or see anything of it."""
        game, s = self.core.game, self.core.position
        t = engine.after(game, s, action)
        return all(
            game.told(s, action, seat) == HIDDEN
            and bytes(engine.view(game, s, seat)) == bytes(engine.view(game, t, seat))
            for seat in range(PUBLIC, self.core.seats)
            if seat != s.turn
        )


def describe(game: Game, at: int, before: Record, told: int, after: Record) -> wire.Did:
    """An entry of a told log, from what a seat was told and its views before and after."""
    line = text.describe(game, before, told, after)
    return wire.Did(
        at=at,
        actor=before.turn,
        action=None if told == HIDDEN else told,
        verb=line.verb,
        args=line.args,
        turned_up=line.turned_up and wire.TurnedUp(kind=line.turned_up.kind, args=line.turned_up.args),
        words=line.words,
    )


def describe_early(game: Game, at: int, seat: int, action: int) -> wire.Did:
    """An early action, told to its own seat before it is done: what it turns up is still to come."""
    verb, args, words = game.ACTIONS.read(action)[0].verb, game.ACTIONS.args(action), game.ACTIONS.name(action)
    return wire.Did(at=at, actor=seat, action=action, verb=verb, args=args, turned_up=None, words=words)


def tell(game: Game, at: int, s: Record, a: int, t: Record, seat: int | None) -> wire.Did:
    """The action that led from `s` to `t`, as a seat (PUBLIC: the public; None: with everything open) is told it."""
    if seat is None:
        return describe(game, at, s, a, t)
    return describe(game, at, engine.view(game, s, seat), game.told(s, a, seat), engine.view(game, t, seat))
