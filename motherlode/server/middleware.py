"""What every request goes through: where it comes from, limits, hosts and origins, headers, one form of refusal."""

import contextlib
import logging
import time

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from motherlode.engine import Refusal
from motherlode.server import wire
from motherlode.server.addresses import FORWARDING_HEADERS, Hosts, Proxies, address, host_name, is_loopback
from motherlode.server.bodies import Bodies, Disconnected
from motherlode.server.connections import Connections
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import (
    BrokenLog,
    Conflict,
    ForeignHost,
    ForeignOrigin,
    HeadTooLarge,
    NoGuest,
    NoMistake,
    NoPuzzle,
    NoRoom,
    NoTable,
    NotSignedIn,
    NotYours,
    TooLarge,
    TooManyConnections,
    TooOften,
    Unstored,
)
from motherlode.server.settings import Settings
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
HSTS = (b"strict-transport-security", b"max-age=31536000")
NO_STORE = (b"cache-control", b"no-store")
FOR_OPERATORS = ("/health", "/ready", "/metrics")
RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


# The status of a refusal: the first kind that fits.
STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotSignedIn, 401),
    (NotYours, 403),
    (ForeignOrigin, 403),
    (ForeignHost, 421),
    (NoTable, 404),
    (NoGuest, 404),
    (NoMistake, 404),
    (NoPuzzle, 404),
    (Stale, 409),
    (NotYourTurn, 409),
    (Conflict, 409),
    (TooLarge, 413),
    (TooOften, 429),
    (NoRoom, 503),
    (HeadTooLarge, 431),
    (TooManyConnections, 503),
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


def add_lost_page(app: FastAPI, page: str) -> None:
    """A browser that asks for an address that is no page gets a page that says so; programs get a refusal."""
    refuse = app.exception_handlers[HTTPException]

    async def answer(request: Request, error: Exception) -> Response:
        is_page = request.url.path not in FOR_OPERATORS and not request.url.path.startswith("/api/")
        wants_page = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")
        if is_page and wants_page and isinstance(error, HTTPException) and error.status_code == 404:
            return HTMLResponse(page, 404)
        return await refuse(request, error)  # type: ignore[no-any-return, misc]

    app.add_exception_handler(HTTPException, answer)


def check_host(connection: HTTPConnection, hosts: Hosts) -> None:
    """Which server does it mean? Programs that send no Host mean this one."""
    written = connection.headers.get("host")
    if written is None:
        return
    name = host_name(written)
    if name is None:
        raise Refusal("the Host of a request is a name or an address, and perhaps a port")
    if not hosts.allow(name):
        raise ForeignHost("this server does not answer to that name; whoever runs it can allow it (setting `hosts`)")


def check_origin(connection: HTTPConnection, settings: Settings) -> None:
    """A browser says which site's page asks: only our own may."""
    origin = connection.headers.get("origin")
    if origin is None or origin in settings.origins:
        return
    if origin.lower().partition("://")[2] != connection.headers.get("host", "").lower():
        raise ForeignOrigin("only this server's own pages may ask this; programs send no Origin")


def check_head(scope: Scope, most: int) -> None:
    """H11 checks this for a head that comes in pieces."""
    fields = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
    if fields + len(scope["raw_path"]) + len(scope["query_string"]) > most:
        raise HeadTooLarge(f"the head of a request has at most {most} bytes")


class RequestChecks:
    """Around the whole application: says who asks, checks sizes, rates, hosts and origins, adds headers, measures."""

    def __init__(
        self, app: ASGIApp, parlour: Parlour, limits: dict[str, RateLimit], connections: Connections, bodies: Bodies
    ) -> None:
        self.app, self.parlour, self.limits, self.connections, self.bodies = app, parlour, limits, connections, bodies
        self.settings = parlour.settings
        self.hosts = Hosts(self.settings.hosts)
        self.has_warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        is_from_proxy = self.find_source(scope)
        sender = HeaderSender(scope, send)
        with contextlib.ExitStack() as stack:
            try:
                if is_from_proxy:
                    stack.enter_context(self.connections.counted(address(HTTPConnection(scope))))
                receive = await self.check(scope, receive)
            except Disconnected:
                return
            except (Refusal, Unstored) as no:
                self.parlour.metrics.refusals.labels("request checks").inc()
                await deny(scope, receive, sender, no)
                return
            await self.serve(scope, receive, sender)

    def find_source(self, scope: Scope) -> bool:
        """Put into the scope who asks and how, as the peer or a trusted proxy says; whether it was a proxy."""
        headers, proxies = Headers(scope=scope), self.connections.proxies
        peer, port = scope["client"] or ("?", 0)
        found = proxies.source(peer, headers, is_https=scope["scheme"] in ("https", "wss"))
        is_socket = scope["type"] == "websocket"
        scope["scheme"] = ("wss" if is_socket else "https") if found.is_https else ("ws" if is_socket else "http")
        scope["client"] = (found.address, port)
        is_proxy = proxies.trusts(peer)
        if not (is_proxy or self.has_warned) and "x-forwarded-for" in headers:
            self.has_warned = True
            log.warning("a proxy that is not trusted forwards requests; the setting `proxies` names those that are")
        return is_proxy

    async def check(self, scope: Scope, receive: Receive) -> Receive:
        """Refuse what is not to reach the application; the rest is received as it was, its body read."""
        connection, settings = HTTPConnection(scope), self.settings
        is_socket = scope["type"] == "websocket"
        if scope["path"] not in FOR_OPERATORS:
            self.limits["sockets" if is_socket else "requests"].take(address(connection))
            check_host(connection, self.hosts)
        check_head(scope, settings.largest_head)
        if is_socket or scope["method"] not in ("GET", "HEAD"):
            check_origin(connection, settings)
        return receive if is_socket else await self.bodies.read(connection, receive)

    async def serve(self, scope: Scope, receive: Receive, sender: "HeaderSender") -> None:
        if scope["type"] == "websocket":
            await self.app(scope, receive, sender)
            return
        began = time.perf_counter()
        try:
            await self.app(scope, receive, sender)
        except Exception:
            log.exception("a request failed", extra={"path": scope["path"]})
            if not sender.has_begun:
                failed = JSONResponse(wire.Refused(no="the server failed; its log says why").model_dump(), 500)
                await failed(scope, receive, sender)
        self.parlour.metrics.requests.observe(time.perf_counter() - began)


class HeaderSender:
    """Sends a response, or a socket's refusal, with the headers that every response has."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.send = send
        self.has_begun = False
        self.headers = list(RAW_HEADERS)
        if scope["scheme"] in ("https", "wss"):
            self.headers.append(HSTS)
        self.is_page = not scope["path"].startswith("/api/") and scope["path"] not in FOR_OPERATORS

    async def __call__(self, message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            self.has_begun = True
            given = {name for name, _ in message["headers"]}
            headers = self.headers if self.is_page and message["status"] < 400 else [*self.headers, NO_STORE]
            message["headers"] = [*message["headers"], *(h for h in headers if h[0] not in given)]
        await self.send(message)


async def deny(scope: Scope, receive: Receive, send: Send, no: Exception) -> None:
    """Refuse before the application is reached; a socket is refused before it is opened."""
    answer = refusal(no)
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(answer)
    else:
        await answer(scope, receive, send)


async def deny_socket(socket: WebSocket, no: Exception) -> None:
    await socket.send_denial_response(refusal(no))


def is_asked_here(connection: HTTPConnection, proxies: Proxies) -> bool:
    """By a program on this machine, as far as can be seen, and not through a proxy on it."""
    peer = connection.client.host if connection.client else "?"
    name = host_name(connection.headers.get("host", "localhost")) or ""
    return (
        is_loopback(peer)
        and not proxies.trusts(peer)
        and (name == "localhost" or is_loopback(name))
        and not any(header in connection.headers for header in FORWARDING_HEADERS)
    )
