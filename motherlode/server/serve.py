"""Running the server: one process, or several on one PostgreSQL."""

import contextlib
import gc
import json
import os
import shlex
import shutil
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from motherlode.engine import Refusal
from motherlode.games import GAMES
from motherlode.parent import exit_with_parent
from motherlode.server.addresses import Listens
from motherlode.server.connections import Http
from motherlode.server.metrics import set_up_logs
from motherlode.server.routes import create_app
from motherlode.server.seating import check_bot
from motherlode.server.settings import Settings
from motherlode.server.storage import check_database, is_postgresql, reserved
from motherlode.server.websocket import Socket

LISTENS = "MOTHERLODE_LISTENS"  # where the workers of several processes read it
LARGEST_FRAME = 1 << 16  # a larger frame closes the socket; one over `largest_message` is only refused
OPTIONS: dict[str, Any] = {
    "http": Http,
    "ws": Socket,
    "proxy_headers": False,  # `addresses` reads them, from trusted proxies only
    "ws_max_size": LARGEST_FRAME,
    "ws_per_message_deflate": False,  # its windows would be most of a socket's memory
    "ws_ping_interval": 15.0,
    "ws_ping_timeout": 15.0,
    "timeout_graceful_shutdown": 10,
    "log_config": None,  # `set_up_logs` does it
    "access_log": False,
    "server_header": False,
    "date_header": False,
}


def configure(app: Any, **more: Any) -> uvicorn.Config:
    return uvicorn.Config(app, **{**OPTIONS, **more})


def check_address(host: str, port: int) -> None:
    """Say in one sentence what uvicorn would say in a traceback."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(found[0], socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(found[4])
    except OSError as error:
        raise Refusal(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another --host or --port"
        ) from None


def tune_garbage_collection() -> None:
    """Collect all garbage only after millions of new objects.

    A full collection takes 0.3 s with 2,000 sockets, and everybody waits; Python's default is one per 25 % of growth.
    Closed sockets leave only a few KiB each until then.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 5, 100)


def listens(host: str, port: int, database: str | None) -> Listens:
    """Where the server listens, and how it would be started for the local network."""
    program = Path(sys.argv[0])
    is_known = program.name != "motherlode" or shutil.which("motherlode") is not None
    own = [] if database is None or is_postgresql(database) else ["--database", database]
    start = ["motherlode" if is_known else str(program), "serve", "--host", "0.0.0.0", "--port", str(port), *own]
    return Listens(host, port, shlex.join(start))


def print_address(host: str, port: int) -> str:
    address = f"http://{host}:{port}/"
    print(f"Motherlode is at {address} (Ctrl-C stops it)", flush=True)
    return address


class Workers(Multiprocess):
    """Several processes on one port; one that dies is restarted."""

    def init_processes(self) -> None:
        super().init_processes()
        if all(process.wait_until_ready(60, self.should_exit) for process in self.processes):
            print_address(self.config.host, self.config.port)


class Server(uvicorn.Server):
    """Prints its address, and opens the browser there, when it is ready."""

    def __init__(self, config: uvicorn.Config, *, browser: bool) -> None:
        super().__init__(config)
        self.browser = browser

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM stop gracefully; uvicorn would raise them again, so that the process ends as if killed."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            address = print_address(self.config.host, self.config.port)
            if self.browser:
                webbrowser.open(address)


def run(host: str, port: int, database: str | None, workers: int, *, browser: bool = False) -> None:
    """Serve until told to stop; without a database given, the settings name it."""
    if workers < 1:
        raise Refusal(f"there must be at least 1 worker, not {workers}")
    settings = Settings.from_environment(**({"database": database} if database else {}))
    for game in GAMES.values():
        check_bot(settings.substitute_in(game), game, settings.strongest_bot)
    if workers > 1 and not is_postgresql(settings.database):
        raise Refusal("several workers share one PostgreSQL: --database postgresql://host/name, or --workers 1")
    check_address(host, port)
    with reserved(settings.database):
        check_database(settings.database, settings.store_timeout)
    set_up_logs("WARNING" if browser else "INFO")  # who opens a browser wants to play, not to watch a server
    if workers == 1:
        app = create_app(settings)
        app.state.listens = listens(host, port, database)
        server = Server(configure(app, host=host, port=port), browser=browser)
        tune_garbage_collection()
        server.run()
        if not server.started:
            raise Refusal("the server did not start; the log lines above say why")
        return
    os.environ[LISTENS] = json.dumps(listens(host, port, database))
    os.environ["MOTHERLODE_DATABASE"] = settings.database
    os.environ["MOTHERLODE_BOTS"] = str(max(1, settings.bots // workers))
    config = configure("motherlode.server.serve:worker", host=host, port=port, workers=workers, factory=True)
    Workers(config, sockets=[config.bind_socket()]).run()


def worker() -> Any:
    """One of several worker processes: its settings are in the environment."""
    exit_with_parent()
    set_up_logs()
    app = create_app(Settings.from_environment())
    app.state.listens = Listens(*json.loads(os.environ[LISTENS]))
    tune_garbage_collection()
    return app
