"""Reading the body of a request, before the application sees anything of it.

An ordinary one is small. Only a guest can send a large one, and only where it can contain a record; so the token is
looked at before more than `largest_body` is read. A body that does not come to its end is forgotten here: in the
application its frames would hold on to it until Python's next full collection of garbage.
"""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive

from motherlode.server.addresses import address
from motherlode.server.refusals import NotSignedIn, TooLarge, TooManyConnections
from motherlode.server.settings import Settings

SHARES = 4  # an address has at most one share in so many of the places for large requests


class Disconnected(Exception):
    """The client has gone."""


class Bodies:
    def __init__(self, settings: Settings, who_asks: Callable[[HTTPConnection], Awaitable[Any]]) -> None:
        self.settings, self.who_asks = settings, who_asks
        self.large: Counter[str] = Counter()  # large requests being received, by address
        self.large_routes: list[APIRoute] | None = None

    async def read(self, connection: HTTPConnection, receive: Receive) -> Receive:
        """Read the whole body; what the application receives instead."""
        headers, most = connection.headers, self.settings.largest_body
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return receive  # there is none
        length, body = int(headers.get("content-length", "0")), bytearray()  # h11 has checked that it is a number
        is_whole = length <= most and await read_into(body, receive, most)
        if is_whole and len(body) <= most:
            return replay(bytes(body), receive)
        if not self.can_be_large(connection):
            raise TooLarge(f"such a request has at most {most} bytes")
        if await self.who_asks(connection) is None:
            raise NotSignedIn(f"only a guest may send more than {most} bytes: POST /api/guests gives you a token")
        if length > (largest := self.settings.largest_record):
            raise TooLarge(f"such a request has at most {largest} bytes")
        async with self.place(address(connection)):
            is_whole = is_whole or await read_into(body, receive, largest)
        if not is_whole or len(body) > largest:
            raise TooLarge(f"such a request has at most {largest} bytes")
        return replay(bytes(body), receive)

    def can_be_large(self, connection: HTTPConnection) -> bool:
        if self.large_routes is None:
            self.large_routes = [route for route in connection.app.routes if takes_record(route)]
        return any(
            connection.scope["method"] in (route.methods or ()) and route.path_regex.match(connection.scope["path"])
            for route in self.large_routes
        )

    @asynccontextmanager
    async def place(self, address: str) -> AsyncIterator[None]:
        """A large request is being received."""
        most = self.settings.records_at_once
        if self.large.total() >= most or self.large[address] >= max(1, most // SHARES):
            raise TooManyConnections("too many large requests are being received; send it again in a moment")
        self.large[address] += 1
        try:
            yield
        finally:
            self.large[address] -= 1
            if not self.large[address]:
                del self.large[address]


async def read_into(body: bytearray, receive: Receive, most: int) -> bool:
    """Read on until there is no more, or too much; whether the body came to its end."""
    while len(body) <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return True
    return False


def takes_record(route: Any) -> bool:
    """Whether the body has a field for a record."""
    if not isinstance(route, APIRoute) or route.body_field is None:
        return False
    return "record" in getattr(route.body_field.field_info.annotation, "model_fields", {})


def replay(body: bytes, receive: Receive) -> Receive:
    """Receive the body that has been read, then what comes after it."""
    is_given = False

    async def take() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return take
