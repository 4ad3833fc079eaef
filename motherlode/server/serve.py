"""Running the server: one process, or several on one PostgreSQL."""

import contextlib
import gc
import os
import signal
import socket
import webbrowser
from collections.abc import Iterator
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from motherlode.engine import Refusal
from motherlode.server.bot_workers import watch_parent
from motherlode.server.metrics import set_up_logs
from motherlode.server.routes import create
from motherlode.server.settings import Settings
from motherlode.server.storage import connect
from motherlode.server.websocket import Socket

LARGEST_FRAME = 1 << 16  # beyond this a socket is closed at once; `largest_message` is refused in words
OPTIONS: dict[str, Any] = {
    "ws": Socket,
    "ws_max_size": LARGEST_FRAME,
    "ws_per_message_deflate": False,  # its windows are most of the memory of a socket
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
    """Say in a sentence what uvicorn would say in a traceback."""
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
    """Have Python look for garbage among all that lives after millions of new objects, not whenever there is a quarter
    more: that takes 0.3 s with 2,000 sockets, and everybody waits. A closed socket leaves only some KiB to be found."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 5, 100)


def print_address(host: str, port: int) -> str:
    address = f"http://{host}:{port}/"
    print(f"Motherlode is at {address} (Ctrl-C stops it)", flush=True)
    return address


class Workers(Multiprocess):
    """Several processes on one port; one that dies is started again."""

    def init_processes(self) -> None:
        super().init_processes()
        if all(process.wait_until_ready(60, self.should_exit) for process in self.processes):
            print_address(self.config.host, self.config.port)


class Server(uvicorn.Server):
    """Says where it is, and opens the browser there, when it is ready."""

    def __init__(self, config: uvicorn.Config, *, browser: bool) -> None:
        super().__init__(config)
        self.browser = browser

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM stop gracefully; uvicorn would then raise them again, and the process end as if killed."""
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


def run(host: str, port: int, database: str, workers: int, *, browser: bool = False) -> None:
    """Serve until told to stop."""
    if workers < 1:
        raise Refusal(f"there must be at least 1 worker, not {workers}")
    settings = Settings.from_environment(database=database)
    engine = connect(database, settings.store_timeout)
    if workers > 1 and engine.dialect.name != "postgresql":
        raise Refusal("several workers share one PostgreSQL: --database postgresql://host/name, or --workers 1")
    check_address(host, port)
    set_up_logs()
    if workers == 1:
        server = Server(configure(create(settings), host=host, port=port), browser=browser)
        tune_garbage_collection()
        server.run()
        if not server.started:
            raise Refusal("the server did not start, as the lines above say")
        return
    os.environ["MOTHERLODE_DATABASE"] = database
    os.environ["MOTHERLODE_BOTS"] = str(max(1, settings.bots // workers))
    config = configure("motherlode.server.serve:worker", host=host, port=port, workers=workers, factory=True)
    Workers(config, sockets=[config.bind_socket()]).run()


def worker() -> Any:
    """One of several: its settings are in the environment."""
    watch_parent()
    set_up_logs()
    app = create(Settings.from_environment())
    tune_garbage_collection()
    return app
