"""A server under load: `motherlode bench server` starts one and plays all of its clients.

Tables with four sockets each, and a number of actions per second, each timed from when it is sent to when the last of
the four seats has the view after it. Then, if asked for, the same while bots compute at other tables all the time. Then
all sockets are dropped at once and come back as pages do. Clients, server and database share the machine.
"""

import asyncio
import contextlib
import gc
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import date
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles
from textwrap import fill
from typing import Any, NamedTuple, TypeVar

import psycopg

from motherlode.engine import Refusal
from motherlode.games import GAMES
from motherlode.server import temporary_postgres
from motherlode.server.connections import OTHER_FILES
from motherlode.server.load_clients import SEATS, Asker, Load
from motherlode.server.load_usage import PROC, Meter, Usage, bottleneck, read_stat, spawned
from motherlode.server.storage import is_postgresql

if sys.platform != "win32":
    import resource

T = TypeVar("T")
BOT_GAMES = [name for name, game in GAMES.items() if list(game.SEATS) == [2]][-2:]
PROGRAM = ["-m", "motherlode.cli"]
SLICES = 5  # with bots that compute, and as many without
LOOK = 0.5  # seconds between looks at how many writes wait


class Scenario(NamedTuple):
    """What is asked for."""

    tables: int = 500
    rate: float = 300  # actions per second
    seconds: float = 30
    bots: int = 0
    database: str | None = None  # its address; without one a new SQLite file, or …
    postgres: bool = False  # … a new PostgreSQL
    workers: int = 1

    @property
    def sockets(self) -> int:
        return SEATS * self.tables


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


def allow_files(sockets: int) -> None:
    """Let this process, and the server it starts, open a file per socket and, while all come back, another."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = hard if hard >= 0 else 1 << 20
    if hard < sockets + 500:
        raise Refusal(f"{sockets + 500} open files are needed and {hard} are allowed (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * sockets + 500)), hard))


class Database(NamedTuple):
    address: str
    name: str
    folder: Path  # on the disk it uses, if that is one of this machine
    pid: int | None = None  # of its first process, if it has any here


@contextlib.contextmanager
def database(scenario: Scenario) -> Iterator[Database]:
    """The one that was asked for, or a new one that goes away afterwards."""
    if scenario.postgres:
        with temporary_postgres.running(is_safe=True) as server:
            address = server.address.format(name="postgres")
            yield Database(address, "PostgreSQL", server.folder, database_process(address))
        return
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".load-") as name:
        folder = Path(name)
        address = scenario.database or f"sqlite:///{folder / 'parlour.db'}"
        is_postgres = is_postgresql(address)
        pid = database_process(address) if is_postgres else None
        yield Database(address, "PostgreSQL" if is_postgres else "SQLite", folder, pid)


def database_process(address: str) -> int | None:
    """The process that started all others of a PostgreSQL, if it runs on this machine."""
    with psycopg.connect(address) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert row
        with contextlib.suppress(OSError):
            if "postgres" in (PROC / str(row[0]) / "cmdline").read_text():
                return read_stat(row[0]).parent
    return None


def server_settings(tables: int) -> dict[str, str]:
    """No limit may stand in the way: all clients have one address."""
    kinds = ("REQUESTS", "GUESTS", "TABLES", "MESSAGES", "SOCKETS", "CHATS")
    settings = dict.fromkeys(kinds, "100000000/1")
    settings |= {"PACE": "0", "SEAL_WAIT": "0", "TABLES_IN_MEMORY": str(2 * tables + 1000)}
    settings |= dict.fromkeys(("BUSY_TABLES", "BUSY_TABLES_PER_ADDRESS"), "1000000")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)  # with more connections than these one address has few
    settings |= dict.fromkeys(("CONNECTIONS", "CONNECTIONS_PER_ADDRESS"), str(files - OTHER_FILES))
    return {f"MOTHERLODE_{name}": value for name, value in settings.items()}


def start(
    address: str, workers: int, tables: int, profile: str | None = None
) -> tuple[subprocess.Popen[str], int, float]:
    """A new server, its port, and how long it took to be ready."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = int(trial.getsockname()[1])
    profiled = ["-m", "cProfile", "-o", profile] if profile else []
    command = [sys.executable, *profiled, *PROGRAM, "serve", "--port", str(port)]
    command += ["--database", address, "--workers", str(workers)]
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **server_settings(tables)})
    assert child.stdout
    if not any("Motherlode is at" in line for line in child.stdout):
        raise Refusal("the server did not start; the log lines above say why")
    http = HTTPConnection("127.0.0.1", port, timeout=60)
    http.request("GET", "/ready")
    if http.getresponse().status != 200:
        raise Refusal("the server did not start")
    http.close()
    return child, port, time.perf_counter() - began


def run(say: Callable[[str], None], scenario: Scenario, profile: str | None = None) -> dict[str, Any]:
    """Everything measured, in milliseconds, KiB and seconds."""
    if sys.platform != "linux":
        raise Refusal("the load test runs on Linux only: it reads /proc")
    import uvloop

    if scenario.workers > 1 and not (scenario.postgres or scenario.database):
        raise Refusal("several workers share one PostgreSQL: --postgres, or --database postgresql://host/name")
    allow_files(scenario.sockets)
    with database(scenario) as store:
        disk = sync_times(store.folder)
        say(f"starting the server on {store.name}")
        child, port, ready = start(store.address, scenario.workers, scenario.tables, profile)
        try:
            servers = [child.pid] if scenario.workers == 1 else spawned(child.pid)
            meter = Meter(port, servers, store.pid)
            answer = uvloop.run(measure(Load(port, scenario.tables, say), meter, scenario))
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(60)
            assert child.stdout
            child.stdout.close()
        disk += sync_times(store.folder)
    started = {"database": store.name, "workers": scenario.workers, "ready_s": ready, "fdatasync_ms": spread(disk)}
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"date": date.today().isoformat(), "machine": machine, **started, **answer}  # noqa: DTZ011 - the day here


async def measure(load: Load, meter: Meter, scenario: Scenario) -> dict[str, Any]:
    say, sockets = load.say, scenario.sockets
    say(f"making {scenario.tables} tables")
    await load.make()
    empty = meter.memory()
    say(f"opening {sockets} sockets")
    connecting = await load.connect()
    full = meter.memory()
    say(f"{scenario.rate:g} actions per second for {scenario.seconds:g} s")
    gc.freeze()  # so that pauses of the clients do not count as the server's
    gc.disable()
    took, playing = await measured(meter, load.play(scenario.rate, scenario.seconds))
    grown = meter.memory()
    beside_bots = await measure_beside(load, meter, scenario) if scenario.bots else {}
    say("dropping all sockets")
    back, returning = await measured(meter, load.drop_and_come_back())
    load.check_step()
    load.drop_all()
    return {
        "tables": scenario.tables,
        "sockets": sockets,
        "actions": len(took),
        "actions_per_second": len(took) / scenario.seconds,
        "act_to_last_view_ms": spread(took),
        "playing": used(playing),
        "kib_per_socket": (full - empty) / sockets,
        "kib_per_socket_after_play": (grown - empty) / sockets,
        "connect_s": connecting,
        "back_in_step_s": max(back),
        "back_ms": spread(back),
        "failed_attempts": load.failed,
        "returning": used(returning),
        **beside_bots,
    }


async def measured(meter: Meter, work: Awaitable[T]) -> tuple[T, Usage]:
    """The answer of this work, and what it cost."""

    async def look() -> None:
        while True:
            await asyncio.sleep(LOOK)
            await asyncio.to_thread(meter.look)

    await asyncio.to_thread(meter.begin)
    looking = asyncio.create_task(look())
    try:
        answer = await work
    finally:
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking
    return answer, await asyncio.to_thread(meter.end)


def used(usage: Usage) -> dict[str, Any]:
    return {**usage._asdict(), "others": usage.others, "bottleneck": bottleneck(usage.shares())}


async def measure_beside(load: Load, meter: Meter, scenario: Scenario) -> dict[str, Any]:
    """The same tables again, while at `bots` other tables two of the strongest bots play each other.

    The bots compute and are stopped (SIGSTOP) by turns, so that whatever else the machine does counts on both sides.
    """
    bots, rate, seconds = scenario.bots, scenario.rate, scenario.seconds
    keys = await asyncio.to_thread(make_bots, load, bots)
    load.say(f"{rate:g} actions per second for {seconds:g} s beside {bots} bots that compute, and as long without")
    workers = [pid for server in meter.servers for pid in spawned(server)]
    took: dict[signal.Signals, list[float]] = {signal.SIGSTOP: [], signal.SIGCONT: []}
    for signal_number in list(took) * SLICES:
        for pid in workers:
            os.kill(pid, signal_number)
        took[signal_number] += await load.play(rate, seconds / SLICES)
    asker = Asker(load.port)
    over = [key for key in keys if json.loads(asker.get(f"/api/tables/{key}"))["over"]]
    if over:
        load.say(f"{len(over)} of the bots' games were over before the end")
    without, beside = took.values()
    return {"bots": bots, "without_bots_ms": spread(without), "beside_bots_ms": spread(beside)}


def make_bots(load: Load, bots: int) -> list[str]:
    """A table per bot that is to compute (one of two at a time); all of them are warm."""
    from motherlode.bots import levels

    load.say(f"making {bots} tables where bots play, when they are warm")
    asker, token = Asker(load.port), load.seats[0].token

    def make(game: str, *players: str) -> str:
        seats = [{"player": player} for player in players]
        return str(asker.post("/api/tables", token, game=game, seats=seats)["id"])

    first = [make(game, "me", "search") for game in BOT_GAMES[:bots]]  # says that it is warming, until all bots are not
    while any(player["warming"] for key in first for player in json.loads(asker.get(f"/api/tables/{key}"))["players"]):
        time.sleep(0.5)
    games = [BOT_GAMES[number % len(BOT_GAMES)] for number in range(bots)]
    return [make(game, *[levels.names(GAMES[game])[-1]] * 2) for game in games]


def spread(seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=100)
    return {"p50": 1000 * median(seconds), "p99": 1000 * cuts[98], "max": 1000 * max(seconds)}


def table(answer: dict[str, Any]) -> str:
    """The figures, as a table in Markdown, and what ran out first."""
    act, disk, back = answer["act_to_last_view_ms"], answer["fdatasync_ms"], answer["back_ms"]
    memory = answer["kib_per_socket"], answer["kib_per_socket_after_play"]
    playing, returning = answer["playing"], answer["returning"]
    is_standard = answer["database"] == "SQLite" and answer["sockets"] <= 2000
    rows = [
        ("database, server processes", f"{answer['database']}, {answer['workers']}", ""),
        ("sockets, tables", f"{answer['sockets']:,}, {answer['tables']:,}", ""),
        ("actions per second", f"{answer['actions_per_second']:.0f}", "300" if is_standard else ""),
        ("act to the last seat's view, p50", f"{act['p50']:.1f} ms", "15 ms" if is_standard else ""),
        ("act to the last seat's view, p99", f"{act['p99']:.1f} ms", "25 ms" if is_standard else ""),
        ("fdatasync of the same run, p50, p99", f"{disk['p50']:.1f}, {disk['p99']:.1f} ms", ""),
        ("a commit, actions per commit", f"{playing['commit_ms']:.1f} ms, {per_commit(answer):.1f}", ""),
        ("memory per socket, then after the play", " and ".join(f"{size:.0f} KiB" for size in memory), "60 KiB"),
        ("ready after its start", f"{answer['ready_s']:.1f} s", "2 s" if is_standard else ""),
        ("all dropped at once, the last one back and in step", f"{answer['back_in_step_s']:.1f} s", "30 s"),
        ("… half of them", f"{back['p50'] / 1000:.1f} s", ""),
        ("cores in play: server, database, clients, others", cores(playing), ""),
        ("cores in the return: server, database, clients, others", cores(returning), ""),
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
    measured = [f"Measured on {answer['date']} on {answer['machine']}."]
    sentences = [f"- In play: {playing['bottleneck']}", f"- In the return: {returning['bottleneck']}"]
    found = [fill(sentence, 120, subsequent_indent="  ", break_on_hyphens=False) for sentence in sentences]
    return "\n".join([*measured, "", "| | measured | at most |", "| --- | --- | --- |", *lines, "", *found])


def marker(answer: dict[str, Any]) -> str:
    """Where the table stands in docs/server.md."""
    return f"server on {answer['database']} with {answer['sockets']} sockets"


def per_commit(answer: dict[str, Any]) -> float:
    return float(answer["actions"] / max(1, answer["playing"]["commits"]))


def cores(usage: dict[str, Any]) -> str:
    servers = " + ".join(f"{used:.2f}" for used in usage["servers"])
    database = "-" if usage["database"] is None else f"{usage['database']:.2f}"
    return f"{servers}, {database}, {usage['clients']:.2f}, {usage['others']:.2f}"
