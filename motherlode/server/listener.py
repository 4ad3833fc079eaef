"""Whoever listens to a table: an open socket, or a request that waits for an answer."""

import asyncio

from motherlode.server import schema

PUBLIC = -1  # the seat of a spectator
GONE, SIGNED_OUT, REMOVED = 1008, 4001, 4003  # why a socket is closed: the seat, the guest, the table's maker
DELETED, BANNED = 4004, 4005  # … or whoever runs the server


class Listener:
    """What it has been sent, and what is waiting to be sent."""

    def __init__(self, seat: int, guest: schema.Guest | None, *, described: bool = False) -> None:
        self.seat, self.guest = seat, guest and guest.id
        self.described = described  # the position is also sent as sentences
        self.token = guest and guest.token  # what it was let in by
        self.told_count = self.early_count = 0  # how many actions, and early ones of its own, it has been told of
        self.due = asyncio.Event()
        self.has_table = self.has_presence = True
        self.rematch: str | None = None
        self.heard: set[int] = set()  # the lines of chat that it was sent, as far as they are recent
        self.dropped, self.code = "", GONE  # why it has to go

    def wake(self) -> None:
        self.has_table = True
        self.due.set()

    def drop(self, why: str, code: int = GONE) -> None:
        if not self.dropped:
            self.dropped, self.code = why, code
        self.due.set()
