"""Whoever listens to a table: an open socket, or a request that waits for an answer."""

import asyncio
from collections import deque

from motherlode.server import storage

PUBLIC = -1  # the seat of a spectator


class Listener:
    """What it has been sent, and what is waiting to be sent."""

    def __init__(self, seat: int, guest: str | None) -> None:
        self.seat, self.guest = seat, guest
        self.told_count = self.early_count = 0  # how many actions, and early ones of its own, it has been told of
        self.due = asyncio.Event()
        self.has_table = self.has_presence = True
        self.rematch: str | None = None
        self.lines: deque[storage.ChatRow] = deque(maxlen=100)
        self.dropped = ""  # why it has to go

    def wake(self) -> None:
        self.has_table = True
        self.due.set()

    def drop(self, why: str) -> None:
        self.dropped = self.dropped or why
        self.due.set()
