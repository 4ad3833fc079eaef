"""One page's socket: hears what it asks, tells it what it may know. One task reads, one writes.

What is to be told is not queued but made when it can be sent: a slow reader gets fewer messages, each whole, and one
that takes none is dropped.
"""

import asyncio
import json
import logging
from collections import deque
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from motherlode.engine import Refusal
from motherlode.server import hints, messages, storage, wire
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.live_table import LiveTable, NotYours
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit, TooOften
from motherlode.server.storage import Unstored
from motherlode.table import Illegal

log = logging.getLogger("motherlode")
MOST_REPLIES = 64  # that wait for a page to read them
PATIENCE = 50  # messages in a row that come too fast, after which the socket is closed


class Socket(WebSocketsSansIOProtocol):
    """Uvicorn's, with a way to let go of a peer that does not read (closing politely would wait for it for ever), and
    without tracebacks in the log for peers that break the protocol."""

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except (AssertionError, InvalidState):  # frames before it was let in
            self.transport.abort()

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
            self.scope["state"]["abort"] = self.transport.abort

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()


class Page:
    def __init__(
        self,
        parlour: Parlour,
        limits: dict[str, RateLimit],
        socket: WebSocket,
        sitting: LiveTable,
        seat: int,
        guest: storage.Guest | None,
    ) -> None:
        self.parlour, self.limits, self.socket, self.sitting, self.guest = parlour, limits, socket, sitting, guest
        self.who = guest.id if guest else socket.client.host if socket.client else "?"
        self.listener = Listener(seat, guest.id if guest else None)
        self.replies: deque[str] = deque()
        self.has_room = asyncio.Event()
        self.hasty = 0
        self.hints: set[asyncio.Task[None]] = set()

    async def talk(self, since: int | None) -> None:
        """Until the page goes, or has to."""
        await self.socket.accept()
        sitting, listener = self.sitting, self.listener
        most = self.parlour.settings.chat_lines
        lines = await self.parlour.storage.read(lambda db: storage.read_chat(db, sitting.id, 0, most))
        if sitting.is_stale:
            await sitting.serially(nothing)
        sitting.arrive(listener)
        reader = asyncio.create_task(self.read())
        try:
            first = [messages.next_message(sitting, listener, since, is_first=True)]
            listener.has_table = False
            if lines:
                first.append(messages.chat_message(lines).model_dump_json(by_alias=True))
            await self.send(*first)
            await self.write()
            async with asyncio.timeout(self.parlour.settings.slow_client):
                await self.socket.close(1012 if self.parlour.is_stopping else 1008, listener.dropped)
        except TimeoutError:
            self.parlour.metrics.dropped.inc()
            log.info("a socket that does not read was dropped", extra={"table": sitting.id})
            if "abort" in self.socket.scope["state"]:
                self.socket.scope["state"]["abort"]()
        except (WebSocketDisconnect, RuntimeError):
            pass  # it has gone
        finally:
            sitting.depart(listener)
            reader.cancel()
            for task in self.hints:
                task.cancel()

    async def send(self, *messages: str) -> None:
        async with asyncio.timeout(self.parlour.settings.slow_client):
            for message in messages:
                await self.socket.send_text(message)

    async def write(self) -> None:
        listener = self.listener
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
                await self.send(messages.next_message(self.sitting, listener))
            if listener.lines:
                lines = list(listener.lines)
                listener.lines.clear()
                await self.send(messages.chat_message(lines).model_dump_json(by_alias=True))
            if listener.has_presence:
                listener.has_presence = False
                await self.send(messages.presence_message(self.sitting).model_dump_json(by_alias=True))
            if listener.rematch:
                await self.send(self.rematch_message(listener.rematch))
                listener.rematch = None

    def rematch_message(self, table: str) -> str:
        seat = None if self.listener.seat == PUBLIC else (self.listener.seat + 1) % len(self.sitting.chairs)
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
                await self.hear(message.get("text"))
                if len(self.replies) >= MOST_REPLIES:  # who does not read the answers is not heard meanwhile
                    self.has_room.clear()
                    await self.has_room.wait()
        except RuntimeError:
            pass  # it has gone
        except Exception:
            log.exception("a message failed", extra={"table": self.sitting.id})
        self.listener.drop("gone")

    async def hear(self, text: str | None) -> None:
        """One message: done, or refused with nothing changed."""
        do = None
        try:
            self.limits["messages"].take(self.who)
            self.hasty = 0
            if text is None:
                raise Refusal("messages are text, not bytes")
            if len(text.encode()) > self.parlour.settings.largest_message:
                raise Refusal(f"a message has at most {self.parlour.settings.largest_message} bytes")
            request = wire.REQUEST.validate_json(text)
            do = request.do
            await self.obey(request)
        except ValidationError as error:
            self.refuse(explain(error), None, said_do(text))
        except Illegal as no:
            self.refuse(str(no), no.clause, do)
        except TooOften as no:
            self.hasty += 1
            self.refuse(str(no), None, None)
            if self.hasty > PATIENCE:
                self.listener.drop("too many messages")
        except (Refusal, Unstored) as no:
            self.refuse(str(no), None, do)

    def refuse(self, no: str, clause: str | None, do: str | None) -> None:
        self.parlour.metrics.refusals.labels(do or "malformed").inc()
        self.reply(wire.NoMessage(no=no, clause=clause, at=self.sitting.at_of(self.listener.seat), do=do))

    async def hint(self, seat: int, guest: str) -> None:
        """A hint takes a while, in which the page may act."""
        try:
            self.reply(await hints.hint(self.sitting, seat, guest))
        except Refusal as no:
            self.refuse(str(no), None, "hint")

    async def obey(self, request: Any) -> None:
        sitting, seat, guest = self.sitting, self.listener.seat, self.guest
        mine = guest.id if guest else None
        match request:
            case wire.Ping():
                self.reply(wire.PongMessage())
            case wire.Chat():
                self.limits["chats"].take(self.who)
                await sitting.serially(lambda: sitting.say(seat, guest, request.text))
            case _ if seat == PUBLIC:
                raise NotYours("a spectator only watches: take a seat")
            case wire.Act():
                await sitting.serially(lambda: sitting.act(seat, request.at, request.action, mine or ""))
            case wire.Why():
                self.reply(messages.why_message(sitting, seat, request.action))
            case wire.Hint():
                hints.question(sitting, seat, mine or "")
                self.hints.add(task := asyncio.create_task(self.hint(seat, mine or "")))
                task.add_done_callback(self.hints.discard)
            case wire.Substitute():
                await sitting.serially(lambda: sitting.substitute(request.seat, request.bot, seat, mine))
            case wire.Leave():
                await sitting.serially(lambda: sitting.leave(seat, mine))
            case wire.Return():
                await sitting.serially(lambda: sitting.come_back(seat, mine))
            case wire.Rematch():
                self.limits["tables"].take(self.who)
                await sitting.serially(lambda: sitting.play_again(seat, mine))


async def nothing() -> None:
    """What is stale is read again before it."""


def explain(error: ValidationError) -> str:
    """What is wrong with a message, in a line."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where + ': ' if where else ''}{first['msg'][:200]}"


def said_do(text: str | None) -> str | None:
    """What a malformed message asks for, if it is one of the requests there are."""
    try:
        do = json.loads(text or "")["do"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    known = {model.model_fields["do"].annotation.__args__[0] for model in wire.SOCKET_REQUESTS}  # type: ignore[union-attr]
    return do if isinstance(do, str) and do in known else None
