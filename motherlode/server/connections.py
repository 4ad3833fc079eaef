"""Connections before any request is understood: how many one address may have, and how long each may take.

A connection that sends nothing, half a request, or does not read its answer costs memory and one of the process's
files. Whoever has too many is refused, and each has to get on with it.
"""

import contextlib
import logging
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from motherlode.server import wire
from motherlode.server.addresses import Proxies, visitor_of
from motherlode.server.refusals import TooManyConnections
from motherlode.server.settings import Settings, Timer

if sys.platform != "win32":
    import resource

OTHER_FILES = 64  # what the process has open besides connections
LEAST_TAKEN = 16_384  # bytes of an answer that a client takes in `slow_client` seconds, at least
log = logging.getLogger("motherlode.http")
log.setLevel(logging.ERROR)  # what strangers send is no news


def most_connections(wanted: int) -> int:
    """As many as wanted, if the process may open that many files: a full server has to store and to answer.

    Many systems allow 1,024 files, and more to a process that asks.
    """
    if sys.platform == "win32":
        return wanted
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY or allowed >= wanted + OTHER_FILES:
        return wanted
    more = wanted + OTHER_FILES if most == resource.RLIM_INFINITY else min(wanted + OTHER_FILES, most)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, most))
        allowed = more
    return max(1, allowed - OTHER_FILES)


class Connections:
    """How many connections there are, in all and for each address.

    A proxy's connections carry the requests of many: of these the requests and sockets count instead, each for the
    address that the proxy names.
    """

    def __init__(self, settings: Settings) -> None:
        self.proxies = Proxies(settings.proxies)
        self.most = most_connections(settings.connections)
        self.most_of_an_address = settings.connections_per_address
        if self.most < settings.connections:  # the system allows fewer, and one address shall not have them all
            self.most_of_an_address = max(1, min(self.most_of_an_address, self.most // 4))
        self.total = 0
        self.open: Counter[str] = Counter()

    def take(self, address: str) -> None:
        most = self.most_of_an_address
        if self.open[address] >= most:
            raise TooManyConnections(f"your address has {most} connections open, and may have no more; close some")
        self.open[address] += 1

    def give_back(self, address: str) -> None:
        self.open[address] -= 1
        if not self.open[address]:
            del self.open[address]

    @contextlib.contextmanager
    def counted(self, address: str) -> Iterator[None]:
        """A request or socket that a proxy forwards."""
        self.take(address)
        try:
            yield
        finally:
            self.give_back(address)

    def arrive(self, peer: str) -> None:
        """A connection is made, or refused."""
        if self.total >= self.most:
            raise TooManyConnections("the server has as many connections as it can take; come again in a moment")
        if not self.proxies.trusts(peer):
            self.take(visitor_of(peer))
        self.total += 1

    def leave(self, peer: str) -> None:
        self.total -= 1
        if not self.proxies.trusts(peer):
            self.give_back(visitor_of(peer))


class Http(H11Protocol):
    """Uvicorn's HTTP/1.1, with a bound on every state that a client could stay in."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.parlour = self.config.loaded_app.state.parlour
        self.settings: Settings = self.parlour.settings
        self.open_connections: Connections = self.config.loaded_app.state.connections
        self.conn = h11.Connection(h11.SERVER, self.settings.largest_head)
        self.logger = log
        self.is_counted = self.is_watched = False
        self.waits_for = ""  # what the client has to do next …
        self.timer: Timer | None = None  # … and until when
        self.unread = 0  # bytes of an answer, when the timer was set

    @property
    def peer(self) -> str:
        return self.client[0] if self.client else "?"

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.is_watched = True
        try:
            self.open_connections.arrive(self.peer)
            self.is_counted = True
        except TooManyConnections as no:
            self.parlour.metrics.refusals.labels("connections").inc()
            self.refuse(503, str(no))
        self.watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.stop_watching()
        if self.cycle is not None:
            self.cycle.body = bytearray()  # what has not been read is of no use
        if self.is_counted:
            self.open_connections.leave(self.peer)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self.stop_watching()
        super().handle_websocket_upgrade(event)  # from here on it is a `websocket.Socket`, which is counted on

    def handle_events(self) -> None:
        super().handle_events()
        self.watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.watch()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self.watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.watch()

    def watch(self) -> None:
        """See what the client has to do next, and give it its time for that."""
        if not self.is_watched:
            return
        if self.transport.is_closing() or self.flow.write_paused:
            self.wait_for("read")
        elif self.conn.their_state is h11.SEND_BODY:
            self.wait_for("body")
        elif self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            self.wait_for("head")
        else:
            self.wait_for("")

    def stop_watching(self) -> None:
        self.wait_for("")
        self.is_watched = False

    def wait_for(self, what: str) -> None:
        if what == self.waits_for:
            return
        self.waits_for = what
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if what:
            self.set_timer()

    def set_timer(self) -> None:
        settings = self.settings
        seconds = {"head": settings.head_timeout, "body": settings.body_timeout, "read": settings.slow_client}
        self.unread = self.transport.get_write_buffer_size()
        self.timer = settings.clock.call_later(seconds[self.waits_for], self.run_out)

    def run_out(self) -> None:
        """The client has not done it in time."""
        settings = self.settings
        if self.waits_for == "read":
            if self.transport.get_write_buffer_size() > self.unread - LEAST_TAKEN:
                self.transport.abort()
            else:
                self.set_timer()
        elif self.waits_for == "head" and self.conn.trailing_data[0]:
            self.refuse(408, f"the head of a request has to be sent within {settings.head_timeout:g} s")
        elif self.waits_for == "body" and self.conn.our_state is h11.SEND_RESPONSE:
            self.refuse(408, f"a request has to be sent within {settings.body_timeout:g} s")
        else:
            self.transport.close()
        self.watch()

    def refuse(self, status: int, no: str) -> None:
        """Answer and hang up, whatever the request was."""
        body = wire.Refused(no=no).model_dump_json().encode()
        head = (
            f"HTTP/1.1 {status} {STATUS_PHRASES[status].decode()}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
        if self.cycle is not None:
            self.cycle.disconnected = True  # the application has nothing to add
            self.cycle.message_event.set()

    def send_400_response(self, msg: str) -> None:
        """Uvicorn calls this for all that is no HTTP, a head that is too long included."""
        if len(self.conn.trailing_data[0]) > self.settings.largest_head:
            self.refuse(431, f"the head of a request has at most {self.settings.largest_head} bytes")
        else:
            self.refuse(400, "this is no HTTP/1.1 request")
