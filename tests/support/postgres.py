"""A PostgreSQL of the tests' own, in a folder and on a Unix socket that go away with it.

It refuses to run as root, so root starts it as another user. Where it is not installed the tests that need it fail.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest


def find(program: str) -> str:
    places = [Path(found).parent for found in [shutil.which(program)] if found]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: -float(place.parent.name))
    for place in places:
        if (place / program).exists():
            return str(place / program)
    pytest.fail(f"PostgreSQL's {program} is not installed (Debian, Ubuntu: apt install postgresql)")


def run_as() -> list[str]:
    """How to run it as somebody it accepts."""
    if os.geteuid() != 0:
        return []
    users = Path("/etc/passwd").read_text()
    return ["runuser", "-u", "postgres" if "\npostgres:" in users else "nobody", "--"]


class Running(str):
    """The address of a server that a test may stop, and start again."""

    start: Callable[[], None]
    stop: Callable[[], None]


@contextmanager
def running() -> Iterator[Running]:
    """The address of a server; append a database's name."""
    folder = Path(tempfile.mkdtemp(prefix="motherlode-pg-"))
    user = run_as()
    try:
        if user:
            shutil.chown(folder, user[2])
        folder.chmod(0o755)
        data = str(folder / "data")

        def call(*command: str) -> None:
            log = folder / "log"
            done = subprocess.run([*user, *command], cwd="/", capture_output=True, text=True, check=False, timeout=120)
            said = done.stdout + done.stderr + (log.read_text() if log.exists() else "")
            assert done.returncode == 0, said

        call(find("initdb"), "-D", data, "-U", "motherlode", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses= -c fsync=off -c max_connections=60"
        start = [find("pg_ctl"), "-D", data, "-l", str(folder / "log"), "-o", options, "-w", "start"]
        stop = [find("pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop"]
        call(*start)
        running = Running(f"postgresql://motherlode@/{{name}}?host={folder}")
        running.start, running.stop = lambda: call(*start), lambda: call(*stop)
        try:
            yield running
        finally:
            call(*stop)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(address: str, name: str) -> str:
    with psycopg.connect(address.format(name="postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return address.format(name=name)
