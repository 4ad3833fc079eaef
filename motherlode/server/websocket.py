"""A page's socket: one task reads what it asks, one writes what it may know.

Messages are not queued but made when they can be sent: a slow reader gets fewer messages, each complete, and one that
reads none is dropped.
"""

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from motherlode.engine import Refusal
from motherlode.server import hints, messages, schema, table_setup, wire
from motherlode.server.addresses import address
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.live_table import LiveTable
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import BrokenLog, NotYours, TooOften, Unstored
from motherlode.table import Illegal

log = logging.getLogger("motherlode")
NO_SOCKET = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
MOST_REPLIES = 64  # that wait for a page to read them
MOST_REFUSED = 50  # messages in a row that come too fast, after which the socket is closed


class Socket(WebSocketsSansIOProtocol):
    """Uvicorn's socket, with three changes: a peer that does not read can be cut off (a regular close would wait for it
    forever), peers that break the protocol or are refused leave no errors in the log, and it counts as a connection
    until it is lost (`connections.Http` has counted it when it was made)."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.config.loaded_app.state.connections.leave(self.client[0] if self.client else "?")

    async def send(self, message: Any) -> None:
        await super().send(message)
        if self.transport.is_closing() or (self.initial_response is not None and self.close_sent):
            self.handshake_complete = True  # with a refusal, or with somebody who has gone
        if self.close_timer is not None:  # a close waits until all is read, which may be never
            self.close_timer.cancel()
            self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except (AssertionError, InvalidState):  # frames before it was let in
            self.transport.abort()
        if not self.handshake_initiated:  # a request, for it comes whole, that is none for a socket
            self.transport.write(b"".join(self.conn.data_to_send()) or NO_SOCKET)
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.conn.fail(1007, "not UTF-8")
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["state"]["socket"] = self

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()


class PageSocket:
    """One open socket of a page, at a seat or watching."""

    def __init__(
        self,
        parlour: Parlour,
        limits: dict[str, RateLimit],
        socket: WebSocket,
        table: LiveTable,
        seat: int,
        guest: schema.Guest | None,
        *,
        described: bool = False,
    ) -> None:
        self.parlour, self.limits, self.socket, self.table, self.guest = parlour, limits, socket, table, guest
        self.line: Socket | None = socket.scope["state"].get("socket")
        self.address = address(socket)
        self.who = guest.id if guest else self.address
        self.listener = Listener(seat, guest, described=described)
        self.replies: deque[str] = deque()
        self.last_sent: dict[type[wire.Outgoing], wire.Outgoing] = {}  # to a spectator who is told late
        self.has_room = asyncio.Event()
        self.refused_in_a_row = 0
        self.hints: set[asyncio.Task[None]] = set()

    async def talk(self, since: int | None) -> None:
        """Talk until the page goes, or has to."""
        await self.socket.accept()
        table, listener = self.table, self.listener
        if since is not None and since > table.told_count(listener.seat):
            table.is_stale = True  # another process has told it more than this one knows
        if table.is_stale:
            await table.serially(table.follow)
        table.presence.arrive(listener)
        table.seating.check_arrival(listener, self.guest)
        reader = asyncio.create_task(self.read())
        try:
            first = [messages.next_message(table, listener, since, is_first=True)]
            listener.has_table = False
            if table.is_late(listener.seat):
                self.is_news(messages.table_message(table, listener.seat, []))
            if lines := table.chat.news(listener):
                first.append(messages.chat_message(table, lines).model_dump_json(by_alias=True))
            await self.send(*first)
            await self.write()
            await self.close(1012 if self.parlour.is_stopping else listener.code, listener.dropped)
        except TimeoutError:
            self.parlour.metrics.dropped.inc()
            log.info("a socket that does not read was dropped", extra={"table": table.id})
            if self.line:
                self.line.transport.abort()
        except WebSocketDisconnect:
            pass  # it has gone
        except Exception:  # such as a fault in what a game tells
            log.exception("a page could not be told", extra={"table": table.id, "game": table.game.NAME})
            with contextlib.suppress(WebSocketDisconnect, TimeoutError):
                await self.close(1011, "the server failed; its log says why")
        finally:
            table.presence.depart(listener)
            reader.cancel()
            for task in self.hints:
                task.cancel()

    async def send(self, *messages: str) -> None:
        for message in messages:
            await self.while_it_reads(self.socket.send_text(message))

    def is_news(self, message: wire.Outgoing) -> bool:
        """Whoever is told late is not sent the same again, which would say that something has happened."""
        was, self.last_sent[type(message)] = self.last_sent.get(type(message)), message
        return message != was

    async def close(self, code: int, reason: str) -> None:
        await self.while_it_reads(self.socket.close(code, reason))

    async def while_it_reads(self, sending: Coroutine[Any, Any, None]) -> None:
        """Send to a page, which must not take long to read what it was sent before, and may have gone."""
        try:
            if self.line is None or self.line.writable.is_set():  # it is sent at once
                await sending
            else:
                await asyncio.wait_for(sending, self.parlour.settings.slow_client)
        except RuntimeError:
            raise WebSocketDisconnect from None

    async def write(self) -> None:
        listener, is_late = self.listener, self.table.is_late(self.listener.seat)
        while True:
            await listener.due.wait()
            listener.due.clear()
            if listener.dropped:
                return
            while self.replies:
                await self.send(self.replies.popleft())
            self.has_room.set()
            if listener.has_table:
                listener.has_table = False
                message = messages.next_message(self.table, listener)
                if not is_late or self.is_news(messages.table_message(self.table, listener.seat, [])):
                    await self.send(message)
            if lines := self.table.chat.news(listener):
                await self.send(messages.chat_message(self.table, lines).model_dump_json(by_alias=True))
            if listener.has_presence:
                listener.has_presence = False
                presence = messages.presence_message(self.table, listener.seat)
                if not is_late or self.is_news(presence):
                    await self.send(presence.model_dump_json(by_alias=True))
            if listener.rematch:
                await self.send(self.rematch_message(listener.rematch))
                listener.rematch = None

    def rematch_message(self, table: str) -> str:
        seat = None if self.listener.seat == PUBLIC else (self.listener.seat + 1) % len(self.table.chairs)
        return wire.RematchMessage(table=table, seat=seat).model_dump_json(by_alias=True)

    def reply(self, message: wire.Outgoing) -> None:
        self.replies.append(message.model_dump_json(by_alias=True))
        self.listener.due.set()

    async def read(self) -> None:
        try:
            while not self.listener.dropped:
                message = await self.socket.receive()
                if message["type"] == "websocket.disconnect":
                    break
                await self.handle(message.get("text"))
                if len(self.replies) >= MOST_REPLIES:  # whoever does not read the answers has to wait
                    self.has_room.clear()
                    await self.has_room.wait()
        except RuntimeError:
            pass  # it has gone
        except Exception:
            log.exception("a message failed", extra={"table": self.table.id})
        self.listener.drop("gone")

    async def handle(self, text: str | None) -> None:
        """One message: obeyed, or refused with nothing changed."""
        do = None
        try:
            self.limits["messages"].take(self.who, self.address)
            self.refused_in_a_row = 0
            if text is None:
                raise Refusal("messages are text, not bytes")
            if len(text.encode()) > self.parlour.settings.largest_message:
                raise Refusal(f"a message has at most {self.parlour.settings.largest_message} bytes")
            request = wire.REQUEST.validate_json(text)
            do = request.do
            await self.obey(request)
        except ValidationError as error:
            self.refuse(explain(error), None, name_of_request(text))
        except Illegal as no:
            self.refuse(str(no), no.clause, do)
        except TooOften as no:
            self.refused_in_a_row += 1
            self.refuse(str(no), None, None)
            if self.refused_in_a_row > MOST_REFUSED:
                self.listener.drop("too many messages")
        except (Refusal, Unstored) as no:
            self.refuse(str(no), None, do)
        except BrokenLog:
            pass  # it has been given up, and this page is told so

    def refuse(self, no: str, clause: str | None, do: str | None) -> None:
        self.parlour.metrics.refusals.labels(do or "malformed").inc()
        self.reply(wire.NoMessage(no=no, clause=clause, at=self.table.at_for(self.listener.seat), do=do))

    async def hint(self, seat: int, guest: str) -> None:
        """A hint takes a while; meanwhile the page may act."""
        try:
            self.reply(await hints.hint(self.table, seat, guest))
        except Refusal as no:
            self.refuse(str(no), None, "hint")

    async def change(self, work: Callable[[], Awaitable[Any]]) -> None:
        await self.table.serially(self.parlour.guests.as_guest(self.guest, work))

    async def obey(self, request: Any) -> None:
        table, seat, guest = self.table, self.listener.seat, self.guest
        mine = guest.id if guest else None
        if self.listener.dropped:
            raise NotYours(self.listener.dropped)
        match request:
            case wire.Ping():
                self.reply(wire.PongMessage())
            case wire.Seen():
                await self.change(lambda: table.sealing.compare(request.seals, request.at, request.link))
            case wire.Chat() | wire.React():
                is_player = guest is not None and any(chair.guest == guest.id for chair in table.chairs)
                self.limits["chats" if is_player else "spectator_chats"].take(self.who, self.address)
                if request.do == "chat":
                    await self.change(lambda: table.chat.say(seat, guest, request.text))
                else:
                    await self.change(lambda: table.chat.react(seat, guest, request.what))
            case wire.Mute():
                await self.change(lambda: table.seating.mute(request.who, request.muted, mine))
            case wire.Remove():
                await self.change(lambda: table.seating.remove(request.who, mine))
            case _ if seat == PUBLIC:
                raise NotYours("a spectator only watches: take a seat")
            case wire.Act():
                await self.change(lambda: table.act(seat, request.at, request.action, mine or ""))
            case wire.Why():
                self.reply(messages.why_message(table, seat, request.action))
            case wire.Hint():
                hints.question(table, seat, mine or "")
                self.hints.add(task := asyncio.create_task(self.hint(seat, mine or "")))
                task.add_done_callback(self.hints.discard)
            case wire.Substitute():
                await self.change(lambda: table.seating.substitute(request.seat, seat, mine))
            case wire.Leave():
                await self.change(lambda: table.seating.leave(seat, mine))
            case wire.Return():
                await self.change(lambda: table.seating.come_back(seat, mine))
            case wire.Resign():
                await self.change(lambda: table.leaving.resign(seat, request.at, mine))
            case wire.Adjourn():
                await self.change(lambda: table.leaving.adjourn(seat, mine))
            case wire.Resume():
                await self.change(lambda: table.leaving.resume(seat, mine))
            case wire.Rematch():
                self.limits["tables"].take(self.who, self.address)
                await self.change(lambda: table_setup.make_rematch(table, seat, mine))


def explain(error: ValidationError) -> str:
    """What is wrong with a message, in one line."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where + ': ' if where else ''}{first['msg'][:200]}"


def name_of_request(text: str | None) -> str | None:
    """What a malformed message asks for, if that can be read."""
    try:
        do = json.loads(text or "")["do"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    known = {model.model_fields["do"].annotation.__args__[0] for model in wire.SOCKET_REQUESTS}  # type: ignore[union-attr]
    return do if isinstance(do, str) and do in known else None
