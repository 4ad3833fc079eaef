"""The load that `motherlode bench server` makes: it measures what it says, here in small."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from support import slow_commits
from support.command_line import Run

from motherlode.engine import Refusal
from motherlode.server import load_test
from motherlode.server.load_clients import Load
from motherlode.server.load_usage import Usage, bottleneck, children, memory, read_stat

COMMAND = [sys.executable, "-m", "motherlode.cli", "bench", "server", "--json"]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_server_under_a_small_load(kind: str, new_postgresql: Callable[[], str]) -> None:
    where = ["--database", new_postgresql(), "--workers", "2"] if kind == "postgresql" else []
    small = ["--tables", "3", "--rate", "30", "--seconds", "1"]
    done = subprocess.run([*COMMAND, *small, *where], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer["tables"] == 3 and answer["sockets"] == 12 and answer["actions"] > 0
    for usage in (answer["playing"], answer["returning"]):
        assert len(usage["servers"]) == answer["workers"] == (2 if where else 1)
        assert (usage["database"] is not None) == bool(where)
        assert sum(usage["servers"]) > 0 and usage["clients"] > 0 and 0 < usage["machine"] <= 1
    assert answer["playing"]["commits"] > 0 and answer["playing"]["commit_ms"] > 0
    written = load_test.table(answer)
    assert "| sockets, tables | 12, 3 |" in written and "fdatasync" in written
    for usage in (answer["playing"], answer["returning"]):
        assert usage["bottleneck"] in " ".join(written.split())


def test_a_slow_server_shows() -> None:
    """One that takes 50 ms longer for every commit, which are then all that it has time for."""
    command = [sys.executable, slow_commits.__file__, "--tables", "4", "--rate", "80", "--seconds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer["act_to_last_view_ms"]["p50"] > 50 and answer["playing"]["commit_ms"] > 50
    assert answer["playing"]["writers"][0] > 0.7
    assert answer["actions"] > answer["playing"]["commits"], "what waits is committed together"


def usage(**different: Any) -> Usage:
    idle = Usage(
        seconds=10.0,
        servers=[0.5, 0.6],
        writers=[0.2, 0.3],
        database=0.3,
        busiest_backend=0.2,
        clients=0.2,
        machine=0.7,
        commits=100,
        commit_ms=1.5,
        most_waiting=3,
    )
    return idle._replace(**different)


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (usage(), "Nothing ran out. Nearest to it: the machine, with 70 % of its "),
        (usage(servers=[0.97, 0.1]), "First bottleneck: server process 1, with 97 % of its core."),
        (usage(busiest_backend=0.95), "First bottleneck: a process of the database, with 95 % of its core."),
        (usage(writers=[0.1, 0.96]), "commits of server process 2, with 96 % of the time, 1.5 ms each; at most 3 "),
        (usage(servers=[0.99, 0.99], machine=0.99), "First bottleneck: the machine, with 99 % of its "),
        (usage(clients=0.93, machine=0.99), "First bottleneck: the load test's own clients, with 93 % of their core."),
    ],
)
def test_what_ran_out_first(measured: Usage, said: str) -> None:
    assert said in bottleneck(measured.shares())


def test_the_share_of_a_process_is_measured() -> None:
    """Of two processes one computes and one sleeps."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    idle = subprocess.Popen([sys.executable, "-c", "import time\ntime.sleep(60)"])
    try:
        while read_stat(busy.pid).used < 0.2:
            time.sleep(0.01)
        assert read_stat(idle.pid).used < 0.2 and read_stat(busy.pid).parent == os.getpid()
        assert {busy.pid, idle.pid} <= set(children(os.getpid())) and memory(busy.pid) > 1000
    finally:
        for process in (busy, idle):
            process.kill()
            process.wait()


def test_whoever_comes_back_knows_as_much_as_before() -> None:
    load = Load(0, 1, print)
    for seat in load.seats:
        seat.at = seat.at_before = 7
    load.check_step()
    load.seats[2].at = 6
    with pytest.raises(Refusal, match="1 sockets that came back are behind"):
        load.check_step()


def test_a_new_postgresql_is_found_and_goes_away() -> None:
    with load_test.database(load_test.Scenario(postgres=True)) as store:
        assert store.pid and "postgres" in store.address and len(children(store.pid)) > 1
    assert not store.folder.exists()


def test_several_workers_need_postgresql(run: Run) -> None:
    ran = run("bench", "server", "--workers", "2")
    assert ran.status == 2 and "several workers share one PostgreSQL: --postgres" in ran.err


def test_too_few_files(run: Run) -> None:
    ran = run("bench", "server", "--tables", "1000000000")
    assert ran.status == 2 and "open files are needed" in ran.err


def test_what_can_be_measured(run: Run) -> None:
    ran = run("bench", "luck")
    assert ran.status == 2 and "games, envs, reviews, server, page or openspiel can be measured" in ran.err


def test_a_server_looks_through_all_that_lives_only_seldom() -> None:
    """Half a million lasting objects are made: by itself Python would look through all of them several times."""
    program = """
import gc
from motherlode.server.serve import tune_garbage_collection
tune_garbage_collection()
before = gc.get_stats()
kept = [[] for _ in range(500_000)]
young, _, full = (now["collections"] - then["collections"] for now, then in zip(gc.get_stats(), before))
print(young > 10, full)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0"]
