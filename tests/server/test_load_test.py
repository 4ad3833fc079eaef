"""The load that `motherlode bench server` makes: it measures what it says, here in small."""

import json
import subprocess
import sys

import pytest
from support.command_line import Run

from motherlode.server import load_test


def test_a_server_under_a_small_load() -> None:
    command = [sys.executable, "-m", "motherlode.cli", "bench", "server"]
    small = ["--tables", "3", "--rate", "30", "--seconds", "1", "--json"]
    done = subprocess.run([*command, *small], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer["tables"] == 3 and answer["sockets"] == 12 and answer["actions"] > 0
    written = load_test.table(answer)
    assert "| sockets, tables | 12, 3 |" in written and "fdatasync" in written


def test_seats_out_of_step_are_seen() -> None:
    bench = load_test.Load(0, 0, print)
    bench.places = [load_test.Place("x")]
    for seat in bench.seats:
        seat.at = 7
    bench.check_step()
    bench.seats[2].at = 6
    with pytest.raises(AssertionError, match="out of step"):
        bench.check_step()


def test_what_can_be_measured(run: Run) -> None:
    ran = run("bench", "luck")
    assert ran.status == 2 and "games, server or openspiel can be measured" in ran.err


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
