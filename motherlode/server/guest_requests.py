"""Which guest a request comes from, and what a long answer counts as."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from motherlode.server import queries
from motherlode.server.addresses import address
from motherlode.server.keys import digest
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import NotSignedIn
from motherlode.server.schema import Guest

COOKIE = "motherlode"
ENTRIES_PER_REQUEST = 20  # of a log: telling so many takes about as long as the rest of a request


def read_token(connection: HTTPConnection) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else connection.cookies.get(COOKIE)


async def who_asks(connection: HTTPConnection) -> Guest | None:
    """The guest whose token this is."""
    token = read_token(connection)
    if not token:
        return None
    parlour: Parlour = connection.app.state.parlour
    guest = await parlour.storage.read(lambda db: queries.find_guest(db, token=digest(token[:200])))
    await parlour.guests.admit(guest)
    if guest:
        parlour.bot_workers.waiting.see(guest.id, address(connection))
        limits: dict[str, RateLimit] = connection.app.state.limits
        limits["sockets" if connection.scope["type"] == "websocket" else "requests"].take(guest.id)
    return guest


async def must_be_guest(connection: HTTPConnection) -> Guest:
    guest = await who_asks(connection)
    if guest is None:
        raise NotSignedIn("who are you? POST /api/guests gives you a token; send it as Authorization: Bearer TOKEN")
    return guest


AnyGuest = Annotated[Guest | None, Depends(who_asks)]
SomeGuest = Annotated[Guest, Depends(must_be_guest)]


def charge_entries(limit: RateLimit, request: Request, guest: Guest | None, entries: int) -> None:
    """A long log costs as much as many requests, and counts as so many."""
    for visitor in {address(request), guest.id if guest else address(request)}:
        limit.charge(visitor, entries // ENTRIES_PER_REQUEST)
