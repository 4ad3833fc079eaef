"""Who may still come in: guests signed out, renamed or banned, here or by another process, while they are being served.

The database has the last word when a token is looked up. What is kept here ends what goes on by an old one: sockets,
requests that wait, and work in the queue of a table.
"""

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection

from motherlode.server import names, queries, storage
from motherlode.server.listener import BANNED, SIGNED_OUT
from motherlode.server.refusals import Banned, NotSignedIn, Unstored
from motherlode.server.schema import Guest

if TYPE_CHECKING:
    from motherlode.server.parlour import Parlour

log = logging.getLogger("motherlode")
MOST_REVOKED = 10_000
SIGNED_OUT_WORDS = "you are signed out here: you came back elsewhere with your recovery code, or were forgotten"
T = TypeVar("T")


class Guests:
    def __init__(self, parlour: "Parlour") -> None:
        self.parlour = parlour
        self.revoked: OrderedDict[bytes, None] = OrderedDict()  # tokens (hashed) that were taken away of late
        self.banned: dict[str, Guest] = {}  # since this process started, or when it was told; the database has all
        self.known = 0  # how often something was learnt about a guest; what was read before the last time is old …
        self.last: dict[str, int] = {}  # … by guest, as long as something is being read
        self.reading = 0

    async def sign_out(self, change: storage.Work[Guest]) -> Guest:
        """Take a guest's token away, and end what goes on by it in every process. `change` returns the guest before."""

        def work(db: Connection) -> Guest:
            guest = change(db)
            self.parlour.storage.notify(db, guest=guest.id, revoked=guest.token.hex())
            return guest

        guest = await self.parlour.storage.write(work)
        self.revoke(guest.token)
        return guest

    def revoke(self, token: bytes) -> None:
        self.revoked[token] = None
        while len(self.revoked) > MOST_REVOKED:
            self.revoked.popitem(last=False)
        for listener in self.parlour.listeners():
            if listener.token == token:
                listener.drop(SIGNED_OUT_WORDS, SIGNED_OUT)

    async def write(self, guest: Guest, change: storage.Work[None]) -> None:
        """Change what is stored of a guest, unless its token has become invalid meanwhile."""

        def work(db: Connection) -> None:
            if queries.find_guest(db, token=guest.token) is None:
                raise NotSignedIn(SIGNED_OUT_WORDS)
            change(db)

        await self.parlour.storage.write(work)

    async def rename(self, guest: Guest, name: str) -> Guest:
        def work(db: Connection) -> None:
            if not queries.change_guest(db, guest, name=name):
                raise NotSignedIn(SIGNED_OUT_WORDS)
            self.parlour.storage.notify(db, guest=guest.id)

        await self.parlour.storage.write(work)
        self.learn(guest._replace(name=name), self.next())
        return guest._replace(name=name)

    def next(self) -> int:
        self.known += 1
        return self.known

    def learn(self, guest: Guest, number: int) -> None:
        """What was asked for later is at least as new, and must not be replaced by an answer that took longer."""
        if number > self.last.get(guest.id, 0):
            self.last[guest.id] = number
            self.update(guest)
        if not self.reading:
            self.last.clear()

    async def refresh(self, key: str) -> None:
        """Another process has changed a guest, or may have."""
        number = self.next()
        self.reading += 1
        try:
            guest = await self.parlour.storage.read(lambda db: queries.find_guest(db, id=key))
        except Unstored as error:
            log.warning("not read", extra={"reason": str(error)})
        else:
            self.learn(guest or Guest(key, names.NOBODY), number)
            if guest is None:
                self.forget_lines(key)
        finally:
            self.reading -= 1
            if not self.reading:
                self.last.clear()

    def forget_lines(self, guest: str) -> None:
        """A guest was deleted, and with it all that it said."""
        for table in self.parlour.tables.values():
            table.chat.forget(guest)

    def update(self, guest: Guest) -> None:
        self.banned.pop(guest.id, None)
        if guest.banned is not None:
            self.banned[guest.id] = guest
        for listener in self.parlour.listeners():
            if listener.guest == guest.id and listener.token != guest.token:
                listener.drop(SIGNED_OUT_WORDS, SIGNED_OUT)
            elif listener.guest == guest.id and guest.banned is not None and self.parlour.now() < guest.banned:
                listener.drop(str(Banned(guest.banned)), BANNED)
        for table in self.parlour.tables.values():
            table.seating.rename(guest)

    async def admit(self, guest: Guest | None) -> None:
        """Refuse a guest who was just looked up and is banned; another process may have lifted the ban by now."""
        if guest and guest.banned is None and guest.id in self.banned:
            await self.refresh(guest.id)
        self.check_signed_in(guest)

    def check_signed_in(self, guest: Guest | None) -> None:
        """Refuse a guest who is banned, or whose token has become invalid since it was looked up."""
        if guest and guest.token in self.revoked:
            raise NotSignedIn(SIGNED_OUT_WORDS)
        known = guest and self.banned.get(guest.id, guest)
        if known and known.banned is not None and self.parlour.now() < known.banned:
            raise Banned(known.banned, known.ban_reason)

    def as_guest(self, guest: Guest | None, work: Callable[[], Awaitable[T]]) -> Callable[[], Awaitable[T]]:
        """The work, refused if the guest has been signed out before its turn comes."""

        async def checked() -> T:
            self.check_signed_in(guest)
            return await work()

        return checked

    def listening(self) -> set[str]:
        return {listener.guest for listener in self.parlour.listeners() if listener.guest is not None}
