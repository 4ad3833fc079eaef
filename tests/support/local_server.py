"""A real server for tests: uvicorn on a loopback port, in a thread, on a database and with a clock of the test's own.

`Visitor` is a guest with real requests and real sockets. Nothing sleeps: whoever waits, waits for a message.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from websockets.sync.client import ClientConnection, connect

from motherlode.server import wire
from motherlode.server.parlour import Parlour
from motherlode.server.routes import LIMITS, create_app
from motherlode.server.serve import configure
from motherlode.server.settings import Clock, Settings

PATIENCE = 180.0  # seconds until a test that waits for what does not come fails
MANY = (1_000_000, 1.0)


class StillClock(Clock):
    """Stands still until it is moved; then what was due happens."""

    def __init__(self, time: float = 1_000_000.0) -> None:
        self.time = time
        self.set_by = 0.0  # how far somebody has set the machine's clock
        self.due: list[tuple[float, Callable[[], None]]] = []

    def now(self) -> float:
        return self.time + self.set_by

    def steady(self) -> float:
        return self.time

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        if seconds <= 0:
            return asyncio.get_running_loop().call_soon(call)
        entry = (self.time + seconds, call)
        self.due.append(entry)
        clock = self

        class Alarm:
            def cancel(self) -> None:
                if entry in clock.due:
                    clock.due.remove(entry)

        return Alarm()

    def move(self, seconds: float) -> None:
        self.time += seconds
        for entry in sorted(self.due, key=lambda entry: entry[0]):
            if entry[0] <= self.time and entry in self.due:
                self.due.remove(entry)
                entry[1]()


class Server:
    loop: asyncio.AbstractEventLoop

    def __init__(self, settings: Settings) -> None:
        self.app = create_app(settings)
        self.parlour: Parlour = self.app.state.parlour
        self.uvicorn = uvicorn.Server(configure(self.app, host="127.0.0.1", port=0))
        self.started = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        assert self.started.wait(PATIENCE) and self.uvicorn.started, "the server did not start"
        self.port = self.uvicorn.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def _run(self) -> None:
        async def main() -> None:
            self.loop = asyncio.get_running_loop()
            startup = self.uvicorn.startup

            async def started(sockets: Any = None) -> None:
                await startup(sockets)
                self.started.set()

            self.uvicorn.startup = started  # type: ignore[method-assign]
            await self.uvicorn.serve()
            self.started.set()

        asyncio.run(main())

    def stop(self) -> None:
        self.uvicorn.should_exit = True
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), "the server did not stop"

    def move_clock(self, seconds: float) -> None:
        """Let time pass, as seen by the server."""
        done = threading.Event()

        def move() -> None:
            clock = self.parlour.clock
            assert isinstance(clock, StillClock)
            clock.move(seconds)
            done.set()

        self.loop.call_soon_threadsafe(move)
        assert done.wait(PATIENCE)


def settings_for(database: str, **more: Any) -> Settings:
    generous = dict.fromkeys(LIMITS, MANY)
    return Settings(
        **{
            "database": database,
            "clock": StillClock(),
            "bots": 1,
            "pace": 0.0,
            "seal_wait": 0.0,
            "substitute": "greedy",  # which needs nothing compiled
            "heartbeat": 3600.0,
            "store_timeout": PATIENCE,  # no test is about a machine that is busy with other tests
            **generous,
            **more,
        }
    )


@contextmanager
def serving(database: str, **more: Any) -> Iterator[Server]:
    server = Server(settings_for(database, **more))
    try:
        yield server
    finally:
        server.stop()


class Page:
    """One open socket."""

    def __init__(self, connecting: ClientConnection) -> None:
        self.socket = connecting.__enter__()
        self.is_closed = False
        self.table: dict[str, Any] = {}
        self.present: list[bool] = []  # by seat, as last told
        self.patience = PATIENCE  # how long it waits for a message

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.socket.__exit__(None, None, None)

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def raw(self) -> str:
        text = self.socket.recv(timeout=self.patience)
        assert isinstance(text, str)
        return text

    def take(self) -> dict[str, Any]:
        """The next message; every one keeps the contract."""
        message: dict[str, Any] = json.loads(self.raw())
        wire.REPLY.validate_python(message)
        if message["is"] == "table":
            self.table = message
        elif message["is"] == "presence":
            self.present = message["present"]
        return message

    def wait(self, kind: str, until: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        while True:
            message = self.take()
            if message["is"] == kind and until(message):
                return message

    def until_turn(self) -> dict[str, Any]:
        """The table when it is this seat's turn, or over."""
        while not (self.table and (self.table["legal"] or self.table["result"])):
            self.wait("table")
        return self.table

    def act(self, pick: int = 0) -> dict[str, Any]:
        """Do one of the legal actions and wait for the table after it; a database that was away is tried again."""
        at, legal = self.table["at"], self.table["legal"]
        act = {"do": "act", "at": at, "action": legal[pick % len(legal)]["action"]}
        self.send(**act)
        while True:
            message = self.take()
            if message["is"] == "table" and message["at"] > at:
                return message
            if message["is"] == "no":
                assert "again" in message["no"], message  # look again: the table is on its way
                if "try again" in message["no"]:
                    self.send(**act)

    def ask(self, **message: Any) -> dict[str, Any]:
        """Ask something that is answered to this page alone."""
        self.send(**message)
        while True:
            answer = self.take()
            if answer["is"] in ("no", "why", "hint", "pong"):
                return answer


class Visitor:
    def __init__(self, server: Server, name: str = "Ada") -> None:
        self.server = server
        self.pages: list[Page] = []
        self.http = httpx.Client(base_url=server.url, timeout=PATIENCE, verify=False)  # certificates take long to read
        self.keys = self.http.post("/api/guests", json={"name": name}).raise_for_status().json()
        self.http.cookies.clear()
        self.http.headers["authorization"] = f"Bearer {self.keys['token']}"

    def __enter__(self) -> "Visitor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for page in self.pages:
            page.close()
        self.http.close()

    def elsewhere(self, server: Server) -> "Visitor":
        """The same guest, by the same token, through another process."""
        twin = Visitor(server, "Twin")
        twin.http.headers["authorization"] = self.http.headers["authorization"]
        return twin

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        answer = self.http.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def make(self, game: str, *players: str, **more: Any) -> dict[str, Any]:
        seats = [{"player": player} for player in players]
        card: dict[str, Any] = self.post("/api/tables", 201, game=game, seats=seats, **more)
        return card

    def take(self, table: str, seat: int, **more: Any) -> None:
        self.post(f"/api/tables/{table}/seats/{seat}/take", **more)

    def open(self, table: str, seat: int | None = None, **query: Any) -> Page:
        """A socket at this seat, its first message read."""
        asked = {key: value for key, value in {"seat": seat, **query}.items() if value is not None}
        path = httpx.URL(f"ws://127.0.0.1:{self.server.port}/api/tables/{table}/socket", params=asked)
        token = {"Authorization": self.http.headers["authorization"]}
        socket = connect(str(path), additional_headers=token, max_queue=None, open_timeout=PATIENCE, close_timeout=5)
        page = Page(socket)
        self.pages.append(page)
        page.take()
        return page


def play_out(pages: list[Page], pick: int = 0) -> None:
    """Everybody acts when it is their turn, to the end; seats without a page are bots."""
    latest = max(pages, key=lambda page: int(page.table["at"]))  # a bot may have acted that others have not read of
    while not latest.table["result"]:
        page = next((page for page in pages if page.table["seat"] == latest.table["turn"]), None)
        if page is None:
            latest.wait("table")
            continue
        latest = page
        if not page.until_turn()["result"]:
            page.act(pick)
    for page in pages:
        while not page.table["result"]:
            page.wait("table")
