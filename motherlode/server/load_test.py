"""A server under load: `motherlode bench server` starts one on a SQLite file and plays all of its clients.

500 tables with four sockets each; 300 actions per second, each timed from when it is sent to when the last of the four
seats has the view after it. Then, if asked for, the same while bots compute at other tables all the time. Then all
sockets are dropped at once and come back. Clients and server share the machine.
"""

import asyncio
import contextlib
import gc
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from motherlode.engine import Refusal
from motherlode.games import GAMES

SEATS = 4
GAMES_FOR_FOUR = [name for name, game in GAMES.items() if SEATS in game.SEATS]
LEGAL = re.compile(r'"legal":\[\{"action":(\d+)')
AT = re.compile(r'"at":(\d+)')
BOT_GAMES = [name for name, game in GAMES.items() if list(game.SEATS) == [2]][-2:]
SLICES = 5  # with bots that compute, and as many without
AT_ONCE = 50  # handshakes at the same time


class Seat:
    """One socket, and what it was told last."""

    def __init__(self, place: "Place", number: int) -> None:
        self.place, self.number = place, number
        self.page: ClientConnection | None = None
        self.at = -1
        self.action: int | None = None  # what it can do

    async def open(self, load: "Load") -> None:
        url = f"ws://127.0.0.1:{load.port}/api/tables/{self.place.key}/socket?seat={self.number}"
        token = load.tokens[self.number]
        self.page = await connect(url, additional_headers=token, ping_interval=None, compression=None, open_timeout=120)
        self.receive(await self.page.recv())
        self.reader = asyncio.create_task(self.read(self.page))

    async def read(self, page: ClientConnection) -> None:
        async for message in page:
            self.receive(message)

    def receive(self, message: str | bytes) -> None:
        assert isinstance(message, str)
        if not message.startswith('{"is":"table"'):
            if message.startswith('{"is":"no"'):
                raise AssertionError(message)
            return
        found = AT.search(message)
        assert found
        self.at = int(found[1])
        legal = LEGAL.search(message)
        self.action = int(legal[1]) if legal else None
        self.place.check_done()

    def drop(self) -> None:
        if self.page:
            self.reader.cancel()
            self.page.transport.abort()
            self.page = None


class Place:
    """One table."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.seats = [Seat(self, number) for number in range(SEATS)]
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
        seat = acting[0]
        assert seat.page
        self.before, self.sent = seat.at, time.perf_counter()
        message = json.dumps({"do": "act", "at": seat.at, "action": seat.action})
        seat.action = None
        asyncio.ensure_future(seat.page.send(message))  # noqa: RUF006 - the place waits for its effect
        return True


class Poster:
    """Requests over one connection."""

    def __init__(self, port: int) -> None:
        self.http = HTTPConnection("127.0.0.1", port, timeout=120)

    def __call__(self, path: str, token: dict[str, str], **body: Any) -> Any:
        self.http.request("POST", path, json.dumps(body), {"content-type": "application/json", **token})
        return self.answer(path)

    def get(self, path: str, what: str) -> Any:
        self.http.request("GET", path)
        return self.answer(path)[what]

    def answer(self, path: str) -> Any:
        answer = self.http.getresponse()
        read = answer.read()
        if answer.status >= 400:
            raise Refusal(f"{path}: {read.decode()}")
        return json.loads(read)


class Load:
    def __init__(self, port: int, pid: int, say: Callable[[str], None]) -> None:
        self.port, self.pid, self.say = port, pid, say
        self.tokens: list[dict[str, str]] = []
        self.places: list[Place] = []

    @property
    def seats(self) -> list[Seat]:
        return [seat for place in self.places for seat in place.seats]

    async def make(self, tables: int) -> None:
        """Make the tables, over eight connections at once."""
        post = Poster(self.port)
        keys = [post("/api/guests", {}, name=f"Visitor {number}") for number in range(SEATS)]
        self.tokens = [{"authorization": f"Bearer {entry['token']}"} for entry in keys]

        def make_some(numbers: range) -> list[Place]:
            post = Poster(self.port)
            return [Place(make_one(post, number)) for number in numbers]

        def make_one(post: "Poster", number: int) -> str:
            seats = [{"player": "me"}] + [{"player": "anyone"}] * (SEATS - 1)
            game = GAMES_FOR_FOUR[number % len(GAMES_FOR_FOUR)]
            key = str(post("/api/tables", self.tokens[0], game=game, seats=seats)["id"])
            for seat in range(1, SEATS):
                post(f"/api/tables/{key}/seats/{seat}/take", self.tokens[seat])
            return key

        made = await asyncio.gather(*(asyncio.to_thread(make_some, range(k, tables, 8)) for k in range(8)))
        self.places = [place for places in made for place in places]

    async def connect(self) -> float:
        began = time.perf_counter()
        await few_at_once(seat.open(self) for seat in self.seats)
        return time.perf_counter() - began

    async def play(self, rate: float, seconds: float) -> list[float]:
        """Send `rate` actions per second, however long they take; how long each took."""
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
        while any(place.sent for place in self.places):
            await asyncio.sleep(0.01)
        if missed:
            self.say(f"{missed} actions could not be sent: every table was still busy")
        return [took for place in self.places for took in place.done]

    def drop_all(self) -> None:
        for seat in self.seats:
            seat.drop()

    def check_step(self) -> None:
        """After coming back, all seats of a table have been told of the same number of actions."""
        apart = [place.key for place in self.places if len({seat.at for seat in place.seats}) > 1]
        assert not apart, f"{len(apart)} tables are out of step"

    def memory(self) -> int:
        """The server's memory, in KiB."""
        found = re.search(r"VmRSS:\s*(\d+) kB", Path(f"/proc/{self.pid}/status").read_text())
        assert found
        return int(found[1])


async def few_at_once(works: Iterable[Awaitable[None]]) -> None:
    limit = asyncio.Semaphore(AT_ONCE)

    async def do(work: Awaitable[None]) -> None:
        async with limit:
            await work

    await asyncio.gather(*(do(work) for work in works))


def sync_times(folder: Path, times: int = 100) -> list[float]:
    """How long the disk takes to sync 4 KiB."""
    took = []
    with (folder / "sync").open("wb") as file:
        for _ in range(times):
            file.write(b"x" * 4096)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    return took


def start(database: str, profile: str | None = None) -> tuple[subprocess.Popen[str], int, float]:
    """A new server, its port, and how long it took to be ready."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = int(trial.getsockname()[1])
    profiled = ["-m", "cProfile", "-o", profile] if profile else []
    command = [sys.executable, *profiled, "-m", "motherlode.cli", "serve", "--port", str(port), "--database", database]
    limits = ("REQUESTS", "GUESTS", "TABLES", "MESSAGES", "SOCKETS", "CHATS")
    generous = {f"MOTHERLODE_{kind}": "100000000/1" for kind in limits} | {"MOTHERLODE_PACE": "0"}
    generous |= {"MOTHERLODE_BUSY_TABLES": "1000000", "MOTHERLODE_BUSY_TABLES_PER_ADDRESS": "1000000"}
    generous |= {"MOTHERLODE_CONNECTIONS_PER_ADDRESS": "1000000"}
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **generous})
    assert child.stdout
    if not any("Motherlode is at" in line for line in child.stdout):
        raise Refusal("the server did not start; the log lines above say why")
    http = HTTPConnection("127.0.0.1", port, timeout=60)
    http.request("GET", "/ready")
    if http.getresponse().status != 200:
        raise Refusal("the server did not start")
    http.close()
    return child, port, time.perf_counter() - began


def run(
    say: Callable[[str], None],
    tables: int = 500,
    rate: float = 300,
    seconds: float = 30,
    bots: int = 0,
    profile: str | None = None,
) -> dict[str, Any]:
    """Everything measured, in milliseconds, KiB and seconds."""
    if sys.platform != "linux":
        raise Refusal("the load test runs on Linux only: it reads /proc")
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = SEATS * tables + 200
    if soft < needed:
        if 0 <= hard < needed:
            raise Refusal(f"{needed} open files are needed and {hard} are allowed (ulimit -Hn)")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".load-") as name:
        folder = Path(name)
        disk = sync_times(folder)
        say("starting the server")
        child, port, ready = start(f"sqlite:///{folder / 'parlour.db'}", profile)
        try:
            answer = asyncio.run(measure(Load(port, child.pid, say), tables, rate, seconds, bots))
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(60)
            assert child.stdout
            child.stdout.close()
        disk += sync_times(folder)
    return {"ready_s": ready, "fdatasync_ms": spread(disk), **answer}


async def measure(load: Load, tables: int, rate: float, seconds: float, bots: int = 0) -> dict[str, Any]:
    load.say(f"making {tables} tables")
    await load.make(tables)
    empty = load.memory()
    load.say(f"opening {SEATS * tables} sockets")
    connecting = await load.connect()
    full = load.memory()
    load.say(f"{rate:g} actions per second for {seconds:g} s")
    gc.freeze()  # so that pauses of the clients do not count as the server's
    gc.disable()
    before, mine = cpu_time(load.pid), time.process_time()
    took = await load.play(rate, seconds)
    busy, mine = cpu_time(load.pid) - before, time.process_time() - mine
    grown = load.memory()
    beside_bots = await measure_beside(load, bots, rate, seconds) if bots else {}
    load.say("dropping all sockets")
    load.drop_all()
    back = await load.connect()
    load.check_step()
    load.drop_all()
    return {
        "tables": tables,
        "sockets": SEATS * tables,
        "actions": len(took),
        "actions_per_second": len(took) / seconds,
        "act_to_last_view_ms": spread(took),
        "server_cores": busy / seconds,
        "client_cores": mine / seconds,
        "kib_per_socket": (full - empty) / (SEATS * tables),
        "kib_per_socket_after_play": (grown - empty) / (SEATS * tables),
        "connect_s": connecting,
        "back_in_step_s": back,
        **beside_bots,
    }


async def measure_beside(load: Load, bots: int, rate: float, seconds: float) -> dict[str, Any]:
    """The same tables again, while at `bots` other tables two of the strongest bots play each other.

    The bots compute and are stopped (SIGSTOP) by turns, so that whatever else the machine does counts on both sides.
    """
    keys = await asyncio.to_thread(make_bots, load, bots)
    load.say(f"{rate:g} actions per second for {seconds:g} s beside {bots} bots that compute, and as long without")
    workers = bot_workers(load.pid)
    took: dict[signal.Signals, list[float]] = {signal.SIGSTOP: [], signal.SIGCONT: []}
    for signal_number in list(took) * SLICES:
        for pid in workers:
            os.kill(pid, signal_number)
        for place in load.places:
            place.done.clear()
        took[signal_number] += await load.play(rate, seconds / SLICES)
    over = [key for key in keys if await asyncio.to_thread(Poster(load.port).get, f"/api/tables/{key}", "over")]
    if over:
        load.say(f"{len(over)} of the bots' games were over before the end")
    without, beside = took.values()
    return {"bots": bots, "without_bots_ms": spread(without), "beside_bots_ms": spread(beside)}


def bot_workers(server: int) -> list[int]:
    """The server's worker processes for bots."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == server and b"spawn_main" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    return found


def make_bots(load: Load, bots: int) -> list[str]:
    """A table per bot that is to compute (one of two at a time); all of them are warm."""
    from motherlode.bots import levels

    load.say(f"making {bots} tables where bots play, when they are warm")
    post = Poster(load.port)

    def make(game: str) -> str:
        seats = [{"player": levels.names(GAMES[game])[-1]}] * 2
        return str(post("/api/tables", load.tokens[0], game=game, seats=seats)["id"])

    first = [make(game) for game in BOT_GAMES[:bots]]  # these may be over when the others begin
    while any(player["warming"] for key in first for player in post.get(f"/api/tables/{key}", "players")):
        time.sleep(0.5)
    return [make(BOT_GAMES[number % len(BOT_GAMES)]) for number in range(bots)]


def cpu_time(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=100)
    return {"p50": 1000 * median(seconds), "p99": 1000 * cuts[98], "max": 1000 * max(seconds)}


def table(answer: dict[str, Any]) -> str:
    """The figures, as a table in Markdown."""
    act, disk = answer["act_to_last_view_ms"], answer["fdatasync_ms"]
    memory = answer["kib_per_socket"], answer["kib_per_socket_after_play"]
    rows = [
        ("sockets, tables", f"{answer['sockets']:,}, {answer['tables']}", ""),
        ("actions per second", f"{answer['actions_per_second']:.0f}", "300"),
        ("act to the last seat's view, p50", f"{act['p50']:.1f} ms", "15 ms"),
        ("act to the last seat's view, p99", f"{act['p99']:.1f} ms", "150 ms"),
        ("fdatasync of the same run, p50, p99", f"{disk['p50']:.1f}, {disk['p99']:.1f} ms", ""),
        ("memory per socket, then after the play", " and ".join(f"{size:.0f} KiB" for size in memory), "60 KiB"),
        ("all dropped at once, back and in step", f"{answer['back_in_step_s']:.1f} s", "30 s"),
        ("ready after its start", f"{answer['ready_s']:.1f} s", "2 s"),
        ("cores the server used, and its clients", f"{answer['server_cores']:.2f}, {answer['client_cores']:.2f}", ""),
    ]  # fmt: skip
    if "bots" in answer:
        without, beside = answer["without_bots_ms"], answer["beside_bots_ms"]
        rows += [
            (
                f"beside {answer['bots']} bots that compute, p50, p99",
                f"{beside['p50']:.1f}, {beside['p99']:.1f} ms",
                "",
            ),
            ("… that are stopped, p50, p99", f"{without['p50']:.1f}, {without['p99']:.1f} ms", ""),
            ("p99 beside bots that compute / p99 without", f"{beside['p99'] / without['p99']:.1f} ×", "3 ×"),
        ]
    lines = [f"| {what} | {measured} | {promised} |" for what, measured, promised in rows]
    return "\n".join(["| | measured | at most |", "| --- | --- | --- |", *lines])
