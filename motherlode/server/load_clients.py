"""The clients of the load test: sockets of seats, at tables of four, that act and come back as pages do.

They are to cost little beside the server they measure: one process, no task per socket, and of a message nothing is
read but its place in the log and one legal action.
"""

import asyncio
import contextlib
import json
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from http.client import HTTPConnection
from typing import Any, cast

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from motherlode.engine import Refusal
from motherlode.games import GAMES

SEATS = 4
GAMES_FOR_FOUR = [name for name, game in GAMES.items() if SEATS in game.SEATS]
LEGAL = re.compile(rb'"legal":\[\{"action":(\d+)')
AT = re.compile(rb'"at":(\d+)')
AT_ONCE = 50  # handshakes at the same time, before anybody is dropped
FIRST_WAIT, LONGEST_WAIT = 0.5, 10.0  # seconds, as in web/src/frame/connection.svelte.ts
LONGEST_ANSWER = 60.0  # seconds
SOCKETS_PER_ADDRESS = 20_000  # of 127.0.0.1, 127.0.0.2 and so on, each with its own ports


class Seat(asyncio.Protocol):
    """One socket, and what it was told last."""

    def __init__(self, place: "Place", number: int) -> None:
        self.place, self.number = place, number
        self.token = ""
        self.transport: asyncio.Transport | None = None
        self.socket: ClientProtocol | None = None
        self.told: asyncio.Future[None] | None = None  # when it was sent the table's first message
        self.at = self.at_before = -1  # now, and when it was dropped
        self.action: int | None = None  # what it can do

    async def open(self) -> None:
        """Connect, and wait for the first message."""
        loop, load = asyncio.get_running_loop(), self.place.load
        self.told = loop.create_future()
        await loop.create_connection(lambda: self, "127.0.0.1", load.port, local_addr=self.address)
        try:
            async with asyncio.timeout(LONGEST_ANSWER):
                await self.told
        except TimeoutError:
            raise ConnectionError(f"the server did not answer a socket for {LONGEST_ANSWER:.0f} s") from None

    @property
    def address(self) -> tuple[str, int] | None:
        """Where it connects from; the system chooses a port much faster if it may choose the address too."""
        number = (self.place.number * SEATS + self.number) // SOCKETS_PER_ADDRESS
        return (f"127.0.0.{1 + number}", 0) if number else None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        since = f"&since={self.at}" if self.at >= 0 else ""
        path = f"/api/tables/{self.place.key}/socket?seat={self.number}{since}"
        self.socket = ClientProtocol(parse_uri(f"ws://127.0.0.1:{self.place.load.port}{path}"))
        request = self.socket.connect()
        request.headers["Authorization"] = f"Bearer {self.token}"
        self.socket.send_request(request)
        self.flush()

    def flush(self) -> None:
        assert self.socket and self.transport
        if out := self.socket.data_to_send():
            self.transport.write(b"".join(out))

    def data_received(self, data: bytes) -> None:
        assert self.socket
        self.socket.receive_data(data)
        for event in self.socket.events_received():
            if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self.receive(bytes(event.data))
        if self.socket.handshake_exc and self.transport:
            self.transport.abort()
        else:
            self.flush()  # the answer to a ping

    def connection_lost(self, error: Exception | None) -> None:
        self.transport = None
        if self.told and not self.told.done():
            self.told.set_exception(ConnectionError("the server closed the connection"))
        elif not self.place.load.is_dropping:
            self.place.load.failure = "the server closed a socket"

    def receive(self, message: bytes) -> None:
        if not message.startswith(b'{"is":"table"'):
            if message.startswith(b'{"is":"no"'):
                self.place.load.failure = message.decode()
            return
        found = AT.search(message)
        assert found
        self.at = int(found[1])
        legal = LEGAL.search(message)
        self.action = int(legal[1]) if legal else None
        if self.told and not self.told.done():
            self.told.set_result(None)
        self.place.check_done()

    def act(self) -> None:
        assert self.socket
        message = json.dumps({"do": "act", "at": self.at, "action": self.action})
        self.action = None
        self.socket.send_text(message.encode())
        self.flush()

    def drop(self) -> None:
        if self.transport:
            self.transport.abort()

    async def come_back(self) -> float:
        """As a page does: wait, open a socket; if that fails ask why, and wait longer. How long it all took."""
        began, wait = time.perf_counter(), FIRST_WAIT
        while True:
            await asyncio.sleep(wait * (0.75 + random.random() / 2))
            wait = min(2 * wait, LONGEST_WAIT)
            try:
                await self.open()
                return time.perf_counter() - began
            except OSError:
                self.place.load.failed += 1
                with contextlib.suppress(OSError):
                    await self.ask_card()

    async def ask_card(self) -> None:
        """GET the table, over a connection of its own."""
        port = self.place.load.port
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=self.address)
        try:
            asked = f"GET /api/tables/{self.place.key} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
            writer.write(f"{asked}Authorization: Bearer {self.token}\r\n\r\n".encode())
            answer = await reader.read()
        finally:
            writer.transport.abort()
        if not answer.startswith(b"HTTP/1.1 200"):
            raise ConnectionError("the table could not be asked for")


class Place:
    """One table."""

    def __init__(self, load: "Load", number: int) -> None:
        self.load, self.number, self.key = load, number, ""
        self.seats = [Seat(self, seat) for seat in range(SEATS)]
        self.sent = 0.0
        self.before = -1
        self.done: list[float] = []

    def check_done(self) -> None:
        """The action that was sent is done when all seats have been told of it."""
        if self.sent and all(seat.at > self.before for seat in self.seats):
            self.done.append(time.perf_counter() - self.sent)
            self.sent = 0.0

    def act(self) -> bool:
        """Do something, if the last action has reached everybody and the game is not over."""
        acting = [seat for seat in self.seats if seat.action is not None]
        if self.sent or not acting:
            return False
        self.before, self.sent = acting[0].at, time.perf_counter()
        acting[0].act()
        return True


class Asker:
    """Requests over one connection that is kept."""

    def __init__(self, port: int) -> None:
        self.http = HTTPConnection("127.0.0.1", port, timeout=120)

    def post(self, path: str, token: str = "", **body: Any) -> Any:
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        self.http.request("POST", path, json.dumps(body), headers)
        return json.loads(self.answer(path))

    def get(self, path: str) -> bytes:
        self.http.request("GET", path)
        return self.answer(path)

    def answer(self, path: str) -> bytes:
        answer = self.http.getresponse()
        read = answer.read()
        if answer.status >= 400:
            raise Refusal(f"{path}: {read.decode()}")
        return read


class Load:
    """All tables and their sockets."""

    def __init__(self, port: int, tables: int, say: Callable[[str], None]) -> None:
        self.port, self.say = port, say
        self.places = [Place(self, number) for number in range(tables)]
        self.is_dropping = False
        self.failed = 0  # attempts to come back
        self.failure = ""  # what must not happen: it ends the test

    @property
    def seats(self) -> list[Seat]:
        return [seat for place in self.places for seat in place.seats]

    async def make(self) -> None:
        """Make the tables, each with four guests of its own, over eight connections at once."""

        def make_some(places: list[Place]) -> None:
            asker = Asker(self.port)
            for place in places:
                for seat in place.seats:
                    seat.token = asker.post("/api/guests", name=f"Visitor {seat.number}")["token"]
                seats = [{"player": "me"}] + [{"player": "anyone"}] * (SEATS - 1)
                game = GAMES_FOR_FOUR[place.number % len(GAMES_FOR_FOUR)]
                place.key = asker.post("/api/tables", place.seats[0].token, game=game, seats=seats)["id"]
                for seat in place.seats[1:]:
                    asker.post(f"/api/tables/{place.key}/seats/{seat.number}/take", seat.token)

        await asyncio.gather(*(asyncio.to_thread(make_some, self.places[k::8]) for k in range(8)))

    async def connect(self) -> float:
        began = time.perf_counter()
        await few_at_once(seat.open() for seat in self.seats)
        return time.perf_counter() - began

    async def play(self, rate: float, seconds: float) -> list[float]:
        """Send `rate` actions per second, however long they take; how long each took."""
        for place in self.places:
            place.done.clear()
        began, passed, due, turn, missed = time.perf_counter(), 0.0, 0, 0, 0
        while passed < seconds:
            passed = min(seconds, time.perf_counter() - began)
            while due < passed * rate:
                due += 1
                for _ in self.places:
                    turn = (turn + 1) % len(self.places)
                    if self.places[turn].act():
                        break
                else:
                    missed += 1
            await asyncio.sleep(1 / rate)
            self.check()
        while any(place.sent for place in self.places):
            await asyncio.sleep(0.01)
            if time.perf_counter() - began > seconds + LONGEST_ANSWER:
                self.failure = "an action was never shown to everybody"
            self.check()
        if missed:
            self.say(f"{missed} actions could not be sent: every table was still busy, or over")
        return [took for place in self.places for took in place.done]

    def check(self) -> None:
        if self.failure:
            raise Refusal(f"the load test cannot go on: {self.failure}")

    def drop_all(self) -> None:
        self.is_dropping = True
        for seat in self.seats:
            seat.drop()

    async def drop_and_come_back(self) -> list[float]:
        """All at once; how long each took to be back and told."""
        for seat in self.seats:
            seat.at_before = seat.at
        self.drop_all()
        back = await asyncio.gather(*(seat.come_back() for seat in self.seats))
        self.is_dropping = False
        return back

    def check_step(self) -> None:
        """Whoever came back has been told of everything that it knew before."""
        behind = sum(seat.at < seat.at_before for seat in self.seats)
        if behind:
            raise Refusal(f"{behind} sockets that came back are behind what they had been told")


async def few_at_once(works: Iterable[Awaitable[None]]) -> None:
    limit = asyncio.Semaphore(AT_ONCE)

    async def do(work: Awaitable[None]) -> None:
        async with limit:
            await work

    await asyncio.gather(*(do(work) for work in works))
