"""Whoever listens to a table: one open socket, or one who waits for an answer."""

import asyncio
from collections import deque

from motherlode.server import storage

PUBLIC = -1  # the seat of a spectator


class Listener:
    """What it has been sent, and what is to be sent."""

    def __init__(self, seat: int, guest: str | None) -> None:
        self.seat, self.guest = seat, guest
        self.heard = self.early = 0  # so many actions, and so many of its own early ones, it has been told
        self.due = asyncio.Event()
        self.has_table = self.has_presence = True
        self.rematch: str | None = None
        self.lines: deque[storage.Line] = deque(maxlen=100)
        self.dropped = ""  # why it has to go

    def wake(self) -> None:
        self.has_table = True
        self.due.set()

    def drop(self, why: str) -> None:
        self.dropped = self.dropped or why
        self.due.set()
