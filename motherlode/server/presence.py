"""Who is at a table: the pages that listen to it, in this process and in others."""

from collections.abc import Callable

from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.settings import Clock


class Presence:
    """The listeners of one table, and when each seat was last there."""

    def __init__(self, seats: int, delay: float, clock: Clock, tell_others: Callable[[], None]) -> None:
        """Spectators are told `delay` seconds later; `tell_others` lets the other processes know that somebody came or
        went."""
        self.delay, self.clock, self.now, self.tell_others = delay, clock, clock.steady, tell_others
        self.past: list[tuple[float, list[bool]]] = []  # which seats were there from when on, for spectators
        self.listeners: set[Listener] = set()
        self.elsewhere: dict[str, tuple[list[int], int]] = {}  # by other processes: seats, number of spectators
        self.last_seen = [self.now()] * seats

    def arrive(self, listener: Listener, *, quietly: bool = False) -> None:
        self.listeners.add(listener)
        if not quietly:
            self.changed()

    def depart(self, listener: Listener, *, quietly: bool = False) -> None:
        self.listeners.discard(listener)
        if listener.seat >= 0:
            self.last_seen[listener.seat] = self.now()
        if not quietly:
            self.changed()

    def update_elsewhere(self, process: str, here: tuple[list[int], int] | None) -> None:
        """Another process says who is there by its pages; None: it has gone."""
        if here is None and process not in self.elsewhere:
            return
        if here is None:
            del self.elsewhere[process]
        else:
            self.elsewhere[process] = here
        self.notify()

    def changed(self) -> None:
        self.notify()
        self.tell_others()

    def notify(self) -> None:
        if self.delay:
            self.remember()
        self.wake()

    def wake(self) -> None:
        for listener in self.listeners:
            listener.has_presence = True
            listener.due.set()

    def here(self) -> tuple[list[int], int]:
        """The seats and the number of spectators in this process."""
        seats = sorted({listener.seat for listener in self.listeners if listener.seat != PUBLIC})
        return seats, sum(listener.seat == PUBLIC for listener in self.listeners)

    def present(self) -> tuple[list[bool], int]:
        """Which seats are there, and how many spectators, by all processes."""
        everywhere = [self.here(), *self.elsewhere.values()]
        seats = [any(seat in seats for seats, _ in everywhere) for seat in range(len(self.last_seen))]
        return seats, sum(watchers for _, watchers in everywhere)

    def remember(self) -> None:
        seats, now = self.present()[0], self.now()
        if not self.past or self.past[-1][1] != seats:
            self.past.append((now, seats))
            self.clock.call_later(self.delay, self.wake)
        while len(self.past) > 1 and self.past[1][0] + self.delay <= now:
            self.past.pop(0)

    def told_to(self, seat: int) -> tuple[list[bool], int]:
        """The same as a seat is told it: spectators are told of the seats later."""
        seats, watchers = self.present()
        if seat == PUBLIC and self.delay:
            told = [found for since, found in self.past if since + self.delay <= self.now()]
            seats = told[-1] if told else [False] * len(seats)
        return seats, watchers
