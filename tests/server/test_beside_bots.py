"""Tables of people beside bots that compute: `motherlode bench server --bots`, on a small scale."""

import json
import subprocess
import sys

import pytest

from motherlode.server import load_test


@pytest.mark.usefixtures("compiled")
def test_a_server_beside_bots() -> None:
    command = [sys.executable, "-m", "motherlode.cli", "bench", "server"]
    small = ["--tables", "2", "--rate", "40", "--seconds", "1", "--bots", "1", "--json"]
    done = subprocess.run([*command, *small], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer["bots"] == 1 and answer["beside_bots_ms"]["p99"] >= answer["beside_bots_ms"]["p50"] > 0
    written = load_test.table(answer)
    assert "| beside 1 bots that compute, p50, p99 |" in written and " × | 3 × |" in written
    del answer["bots"]
    assert "bots" not in load_test.table(answer)
