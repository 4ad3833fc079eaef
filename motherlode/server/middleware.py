"""What every request goes through: security headers, same origin, limits of size and rate, one form of refusal."""

import logging
import time
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from motherlode.engine import Refusal
from motherlode.server import wire
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import (
    BrokenLog,
    ForeignOrigin,
    NoGuest,
    NoRoom,
    NoTable,
    NotSignedIn,
    NotYours,
    TooLarge,
    TooOften,
)
from motherlode.server.storage import Conflict, Unstored
from motherlode.table import Illegal, NotYourTurn, Stale

log = logging.getLogger("motherlode")
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


# The status of a refusal: the first kind that fits.
STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotSignedIn, 401),
    (NotYours, 403),
    (ForeignOrigin, 403),
    (NoTable, 404),
    (NoGuest, 404),
    (Stale, 409),
    (NotYourTurn, 409),
    (Conflict, 409),
    (TooLarge, 413),
    (TooOften, 429),
    (NoRoom, 503),
    (Refusal, 400),
    (Unstored, 503),
    (BrokenLog, 500),
)


def refusal(error: Exception) -> JSONResponse:
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    no = "this table is damaged in the database; it cannot go on" if isinstance(error, BrokenLog) else str(error)[:500]
    clause = error.clause if isinstance(error, Illegal) else None
    return JSONResponse(wire.Refused(no=no, clause=clause).model_dump(), status)


def add_error_handlers(app: FastAPI, parlour: Parlour) -> None:
    """Answer every refusal in the same form."""

    async def refuse(_: Request, error: Exception) -> JSONResponse:
        answer = refusal(error)
        parlour.metrics.refusals.labels(str(answer.status_code)).inc()
        return answer

    async def refuse_malformed(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return JSONResponse(wire.Refused(no=f"{where}: {first['msg'][:200]}").model_dump(), 422)

    async def refuse_route(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return JSONResponse(wire.Refused(no=str(error.detail)).model_dump(), error.status_code, error.headers)

    for kind, _ in STATUS:
        app.add_exception_handler(kind, refuse)
    app.add_exception_handler(RequestValidationError, refuse_malformed)
    app.add_exception_handler(HTTPException, refuse_route)


def check_origin(connection: HTTPConnection, parlour: Parlour) -> None:
    """A browser says which site's page asks: only our own may."""
    origin = connection.headers.get("origin")
    if origin is None or origin in parlour.settings.origins:
        return
    if urlsplit(origin).netloc.lower() != connection.headers.get("host", "").lower():
        raise ForeignOrigin("only this server's own pages may ask this; programs send no Origin")


def address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else "?"


class RequestChecks:
    """Around the whole application: checks sizes, rates and origins, adds headers, measures times."""

    def __init__(self, app: ASGIApp, parlour: Parlour, limits: dict[str, RateLimit]) -> None:
        self.app, self.parlour, self.limits = app, parlour, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        try:
            if scope["type"] == "websocket":
                check_origin(connection, self.parlour)
                self.limits["sockets"].take(address(connection))
            elif scope["path"] not in ("/health", "/ready", "/metrics"):
                self.limits["requests"].take(address(connection))
                if scope["method"] not in ("GET", "HEAD"):
                    check_origin(connection, self.parlour)
                length = connection.headers.get("content-length", "0")
                if not length.isdigit() or int(length) > self.parlour.settings.largest_body:
                    raise TooLarge(f"a request has at most {self.parlour.settings.largest_body} bytes")
        except Refusal as no:
            self.parlour.metrics.refusals.labels("request checks").inc()
            await deny(scope, receive, send, no)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        sender = HeaderSender(send)
        try:
            await self.app(scope, self.counted(receive), sender)
        except Exception:
            log.exception("a request failed", extra={"path": scope["path"]})
            if not sender.has_begun:
                failed = JSONResponse(wire.Refused(no="the server failed; its log says why").model_dump(), 500)
                await failed(scope, receive, sender)
        self.parlour.metrics.requests.observe(time.perf_counter() - began)

    def counted(self, receive: Receive) -> Receive:
        total = 0

        async def take() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self.parlour.settings.largest_body:
                raise HTTPException(413, f"a request has at most {self.parlour.settings.largest_body} bytes")
            return message

        return take


class HeaderSender:
    """Sends a response, with the security headers that every response has."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            given = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(h for h in RAW_HEADERS if h[0] not in given)]
        await self.send(message)


async def deny(scope: Scope, receive: Receive, send: Send, no: Exception) -> None:
    """Refuse before the application is reached; a socket is refused before it is opened."""
    answer = refusal(no)
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(answer)
    else:
        await answer(scope, receive, HeaderSender(send))


async def deny_socket(socket: WebSocket, no: Exception) -> None:
    await socket.send_denial_response(refusal(no))
