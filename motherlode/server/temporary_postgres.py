"""A PostgreSQL of one's own for a while, in a folder and on a Unix socket that go away with it.

It refuses to run as root, so root starts it as another user.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from motherlode.engine import Refusal


class Postgres(NamedTuple):
    address: str  # of its databases: append a name with `.format(name=…)`
    folder: Path
    start: Callable[[], None]
    stop: Callable[[], None]


def find(program: str) -> str:
    places = [Path(found).parent for found in [shutil.which(program)] if found]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: -float(place.parent.name))
    for place in places:
        if (place / program).exists():
            return str(place / program)
    raise Refusal(f"PostgreSQL's {program} is not installed (Debian, Ubuntu: apt install postgresql)")


def run_as() -> list[str]:
    """How to run it as somebody it accepts."""
    if os.geteuid() != 0:
        return []
    users = Path("/etc/passwd").read_text()
    return ["runuser", "-u", "postgres" if "\npostgres:" in users else "nobody", "--"]


@contextmanager
def running(*, is_safe: bool) -> Iterator[Postgres]:
    """A new server; a safe one waits for the disk at every commit."""
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
            if done.returncode:
                raise Refusal(f"PostgreSQL does not run: {said}")

        call(find("initdb"), "-D", data, "-U", "motherlode", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses= -c fsync={'on' if is_safe else 'off'} -c max_connections=60"
        start = [find("pg_ctl"), "-D", data, "-l", str(folder / "log"), "-o", options, "-w", "start"]
        stop = [find("pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop"]
        call(*start)
        address = f"postgresql://motherlode@/{{name}}?host={folder}"
        try:
            yield Postgres(address, folder, lambda: call(*start), lambda: call(*stop))
        finally:
            call(*stop)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
