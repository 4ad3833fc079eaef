"""What the processes of a load test use, from Linux's /proc and the server's own metrics, and what runs out first."""

import contextlib
import os
import re
import time
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

from motherlode.engine import Refusal
from motherlode.server.load_clients import Asker

FULL = 0.9  # of what a process, or the machine, can have: beyond this it counts as used up
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
PROC = Path("/proc")


class Stat(NamedTuple):
    """A line of /proc/PID/stat: CPU times in seconds."""

    parent: int
    used: float
    used_by_ended_children: float


def read_stat(pid: int) -> Stat:
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    user, system, children_user, children_system = (int(field) / TICKS for field in fields[11:15])
    return Stat(int(fields[1]), user + system, children_user + children_system)


def children(pid: int) -> list[int]:
    found = []
    for path in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if read_stat(int(path.name)).parent == pid:
                found.append(int(path.name))
    return found


def spawned(pid: int) -> list[int]:
    """The processes that a Python program has started with `multiprocessing`."""
    return [child for child in children(pid) if b"spawn_main" in (PROC / str(child) / "cmdline").read_bytes()]


def memory(pid: int) -> int:
    """Resident, in KiB."""
    found = re.search(r"VmRSS:\s*(\d+) kB", (PROC / str(pid) / "status").read_text())
    assert found
    return int(found[1])


def machine_times() -> tuple[float, float]:
    """CPU seconds of all cores since the machine started: used, and altogether."""
    times = [int(field) / TICKS for field in (PROC / "stat").read_text().split("\n")[0].split()[1:9]]
    idle = times[3] + times[4]
    return sum(times) - idle, sum(times)


class Commits(NamedTuple):
    """What a server process says about its database: writes that wait, transactions, and the seconds they took."""

    waiting: float
    commits: float
    seconds: float


def metrics(asker: Asker) -> dict[str, float]:
    lines = asker.get("/metrics").decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


def ask_each(port: int, pids: Sequence[int]) -> list[Asker]:
    """A connection to each process of the server; one or the other takes a new one, so some are tried."""
    found: dict[int, Asker] = {}
    for _ in range(100 * len(pids)):
        asker = Asker(port)
        found.setdefault(int(metrics(asker)["motherlode_process"]), asker)
        if set(pids) <= set(found):
            return [found[pid] for pid in pids]
    raise Refusal(f"only {len(found)} of {len(pids)} server processes answer")


def commits(asker: Asker) -> Commits:
    read = metrics(asker)
    return Commits(*(read[f"motherlode_{name}"] for name in ("writes_waiting", "commits", "commit_seconds")))


class Reading(NamedTuple):
    """Everything used so far, in CPU seconds."""

    when: float
    servers: list[float]
    commits: list[Commits]
    database: dict[int, float]  # by process; empty where it is not ours
    database_ended: float  # of its processes that have ended
    clients: float
    machine: tuple[float, float]


class Share(NamedTuple):
    """How much somebody used of what there is for it."""

    who: str
    share: float
    what: str  # it used this share of


class Usage(NamedTuple):
    """Between two readings: cores used, and how long commits took."""

    seconds: float
    servers: list[float]
    writers: list[float]  # share of the time that each server process was committing
    database: float | None
    busiest_backend: float
    clients: float
    machine: float  # share of all its cores, whoever used them
    commits: int
    commit_ms: float
    most_waiting: int  # writes that waited for a commit in one process, at most

    @property
    def others(self) -> float:
        """Cores that other processes of the machine used."""
        cores = os.cpu_count() or 1
        return max(0.0, self.machine * cores - sum(self.servers) - (self.database or 0.0) - self.clients)

    def shares(self) -> list[Share]:
        """Whatever can run out; if several have, the first of them is why."""
        cores, database = os.cpu_count() or 1, self.database or 0.0
        used = f"server {sum(self.servers):.2f}, database {database:.2f}, clients {self.clients:.2f}"
        found = [Share("the load test's own clients", self.clients, "their core")]
        found += [Share("the machine", self.machine, f"its {cores} cores ({used}, others {self.others:.2f})")]
        found += [Share(f"server process {n}", used, "its core") for n, used in enumerate(self.servers, 1)]
        found += [Share("a process of the database", self.busiest_backend, "its core")]
        each = f"the time, {self.commit_ms:.1f} ms each; at most {self.most_waiting} writes waited for one"
        found += [Share(f"commits of server process {n}", busy, each) for n, busy in enumerate(self.writers, 1)]
        return found


def bottleneck(shares: Sequence[Share]) -> str:
    """What ran out first, or would."""
    full = [share for share in shares if share.share >= FULL]
    if full:
        return f"First bottleneck: {full[0].who}, with {100 * full[0].share:.0f} % of {full[0].what}."
    nearest = max(shares, key=lambda share: share.share)
    return f"Nothing ran out. Nearest to it: {nearest.who}, with {100 * nearest.share:.0f} % of {nearest.what}."


class Meter:
    """Reads what server, database and clients use."""

    def __init__(self, port: int, servers: list[int], database: int | None) -> None:
        """`database` is the process that started all others of it, if that runs here."""
        self.port, self.servers, self.database = port, servers, database
        self.begin()

    def begin(self) -> None:
        self.began, self.most_waiting = self.read(), 0

    def look(self) -> None:
        """Now and then: how many writes wait."""
        with contextlib.suppress(OSError, HTTPException):  # a process that has much to do may have closed it
            self.most_waiting = max(self.most_waiting, *(int(commits(asker).waiting) for asker in self.askers))

    def read(self) -> Reading:
        self.askers = ask_each(self.port, self.servers)  # the server closes those that ask nothing for a while
        database, ended = {}, 0.0
        if self.database:
            ended = read_stat(self.database).used_by_ended_children
            for pid in [self.database, *children(self.database)]:
                with contextlib.suppress(OSError):
                    database[pid] = read_stat(pid).used
        return Reading(
            when=time.perf_counter(),
            servers=[read_stat(pid).used for pid in self.servers],
            commits=[commits(asker) for asker in self.askers],
            database=database,
            database_ended=ended,
            clients=time.process_time(),
            machine=machine_times(),
        )

    def end(self) -> Usage:
        """Everything since `begin`."""
        old, new = self.began, self.read()
        seconds = new.when - old.when
        backends = [used - old.database.get(pid, 0.0) for pid, used in new.database.items()]
        ended = new.database_ended - old.database_ended
        count = sum(b.commits - a.commits for a, b in zip(old.commits, new.commits, strict=True))
        committing = [b.seconds - a.seconds for a, b in zip(old.commits, new.commits, strict=True)]
        return Usage(
            seconds=seconds,
            servers=[(b - a) / seconds for a, b in zip(old.servers, new.servers, strict=True)],
            writers=[spent / seconds for spent in committing],
            database=(sum(backends) + ended) / seconds if self.database else None,
            busiest_backend=max(backends, default=0.0) / seconds,
            clients=(new.clients - old.clients) / seconds,
            machine=(new.machine[0] - old.machine[0]) / (new.machine[1] - old.machine[1]),
            commits=int(count),
            commit_ms=1000 * sum(committing) / count if count else 0.0,
            most_waiting=self.most_waiting,
        )

    def memory(self) -> int:
        """The server's, in KiB."""
        return sum(memory(pid) for pid in self.servers)
