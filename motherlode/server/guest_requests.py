"""Which guest a request comes from, what it may see, and what a long answer counts as."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from motherlode.engine import Refusal
from motherlode.server import queries, review_queries
from motherlode.server.addresses import address
from motherlode.server.keys import digest
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import NotSignedIn, NotYours
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


# What it may see


async def find_seat(parlour: Parlour, table: str, seat: int | None, guest: Guest | None) -> tuple[LiveTable, int]:
    """The table, and the seat that this guest sees it from; PUBLIC where watching is allowed."""
    live = await parlour.find(table)
    if live.is_stale:
        await parlour.refresh(live)
        live = await parlour.find(table)  # unless it was deleted
    parlour.guests.check_signed_in(guest)
    if seat is not None:
        live.seating.check_owner(seat, guest.id if guest else None)
        live.presence.last_seen[seat] = parlour.steady()
        return live, seat
    live.seating.check_not_removed(guest and guest.id)
    if not live.settings.watch and own_seat(live, guest) == PUBLIC:
        raise NotYours("this table may not be watched")
    return live, PUBLIC


async def find_finished(parlour: Parlour, table: str, guest: Guest | None) -> LiveTable:
    """The table of a game that is over, as this guest knows; also one that a player has shared by a link."""
    try:
        live, _ = await find_seat(parlour, table, None, guest)
    except NotYours:
        live = await parlour.find(table)
        if not (
            live.is_told_over(PUBLIC) and await parlour.storage.read(lambda db: review_queries.is_shared(db, table))
        ):
            raise
    if not live.is_told_over(own_seat(live, guest)):
        raise Refusal("the game is not over yet: this would reveal what is hidden")
    return live


async def find_record(parlour: Parlour, table: str, seat: int | None, guest: Guest | None) -> tuple[LiveTable, int]:
    """The table, and the seat whose record this guest may see; of a shared game that is over, also the public's."""
    try:
        return await find_seat(parlour, table, seat, guest)
    except NotYours:
        if seat is not None:
            raise
        return await find_finished(parlour, table, guest), PUBLIC


def own_seat(live: LiveTable, guest: Guest | None) -> int:
    """A seat of this guest; PUBLIC: it has none."""
    return next((chair.seat for chair in live.chairs if guest and chair.guest == guest.id), PUBLIC)
