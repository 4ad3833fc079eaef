"""Run as a script beside a process that has started programs: ends them when that process has ended, however it did.

Its input says which programs there are: `+PID` one more, `-PID` one less. At its end, the rest of them are killed.
"""

import os
import signal
import sys
from contextlib import suppress


def kill(pid: int) -> None:
    """Kill a program and what it has started, which are one process group where there are such."""
    with suppress(OSError):
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


def keep() -> None:
    running = set[int]()
    for line in sys.stdin:
        pid = int(line[1:])
        (running.add if line[0] == "+" else running.discard)(pid)
    for pid in running:
        kill(pid)


if __name__ == "__main__":
    keep()
