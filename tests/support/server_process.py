"""`motherlode serve` as a process of its own, as a user would start it."""

import os
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

from support.local_server import Visitor


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


class Process:
    program: tuple[str, ...] = ("-m", "motherlode.cli")

    def __init__(self, database: str | None, *arguments: str, **environment: str) -> None:
        """On a database, or where the environment says."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, *self.program, "serve", "--port", str(self.port)]
        command += ["--database", database] if database else []
        generous = {
            f"MOTHERLODE_{kind}": "1000000/1" for kind in ("REQUESTS", "GUESTS", "TABLES", "MESSAGES", "SOCKETS")
        }
        self.child = subprocess.Popen(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # a signal to its process group reaches it and its workers
            env={**os.environ, "MOTHERLODE_PACE": "0", "MOTHERLODE_SEAL_WAIT": "0", **generous, **environment},
        )
        assert self.child.stdout is not None
        self.said: list[str] = []
        for line in self.child.stdout:
            self.said.append(line)
            if "Motherlode is at" in line:
                return
        pytest.fail("".join(self.said))

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        assert self.child.stdout is not None
        self.child.stdout.close()

    def visitor(self, name: str) -> Visitor:
        return Visitor(SimpleNamespace(url=self.url, port=self.port), name)  # type: ignore[arg-type]
