"""All limits and times of the server, by name; MOTHERLODE_<NAME> in the environment overrides a default."""

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from ipaddress import ip_network
from math import inf
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import platformdirs

from motherlode.bots import levels
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.server.addresses import Network, host_name

Rate = tuple[int, float]  # how many, per how many seconds


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock:
    """The server's time: `now` for what is stored and shown, `steady` for everything that waits.

    Somebody may set the machine's clock, forward or back: `now` follows, `steady` goes on as if nothing had happened.
    Tests inject a clock that stands still until it is moved.
    """

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def steady(self) -> float:
        """Seconds since some moment; they only ever pass."""
        return time.monotonic()

    def call_later(self, seconds: float, call: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(max(0.0, seconds), call)


BEST = "best"  # the strongest level of a game that is quick
QUICK = 250.0  # milliseconds of a decision: a quarter of the usual pace
UNMEASURED = "greedy"  # the substitute in a game whose levels nobody has measured


def own_database() -> str:
    """A file in the user's own data folder."""
    return f"sqlite:///{Path(platformdirs.user_data_dir('motherlode')) / 'parlour.db'}"


@dataclass(frozen=True)
class Settings:
    """Rates apply per visitor."""

    database: str = field(default_factory=own_database)
    clock: Clock = field(default_factory=Clock)  # not read from the environment
    bots: int = max(1, (os.cpu_count() or 2) - 1)  # worker processes for bots, at most
    pace: float = 1.0  # seconds: a bot acts a whole number of them after its turn began
    strongest_bot: int = 2000  # the highest strength allowed in a bot's name
    thinking_time: float = 2.0  # core seconds that a bot's decision, or a hint, may take
    substitute: str = BEST  # acts for players who are gone or out of time, where a table names no other bot
    gone_after: float = 20.0  # seconds without a page until a seat may be given to a bot
    seal_wait: float = 10.0  # seconds that a seat is waited for when the shuffle is sealed; 0: nobody is
    wait: float = 25.0  # seconds that `now?after=` waits
    slow_client: float = 20.0  # seconds until a socket that does not take its messages is dropped
    tables_in_memory: int = 2000  # beyond these, tables nobody looks at are dropped from memory
    busy_tables: int = 5000  # beyond these (with a page, a bot that acts or a clock that runs) new tables are refused
    busy_tables_per_address: int = 500
    chat_lines: int = 50  # lines of chat that a new page is sent, of players and of spectators each
    spectator_lines: int = 200  # lines that spectators may write at one table, each of them at most a tenth
    store_timeout: float = 5.0  # seconds to wait for a locked database
    heartbeat: float = 2.0  # seconds between the heartbeats of processes on one database
    lease_retry: float = 3.0  # seconds between attempts to take over another process's bots
    connections: int = 10_000  # open at the same time; fewer where the system allows fewer files
    connections_per_address: int = 250
    head_timeout: float = 10.0  # seconds in which a request's head has to come
    body_timeout: float = 30.0  # seconds in which its body has to come
    largest_head: int = 16_384  # bytes of a request's head
    largest_body: int = 65_536  # bytes per request
    largest_record: int = 1_100_000  # bytes of a guest's request that can contain a record
    records_at_once: int = 16  # requests larger than `largest_body` that are being received
    largest_message: int = 4096  # bytes per socket message
    sockets: Rate = (120, 60.0)
    messages: Rate = (100, 5.0)
    chats: Rate = (10, 10.0)
    spectator_chats: Rate = (3, 30.0)
    requests: Rate = (300, 10.0)
    guests: Rate = (60, 600.0)  # per address
    tables: Rate = (60, 3600.0)
    uploads: Rate = (20, 60.0)
    replays: Rate = (40, 60.0)  # of finished games
    reviews: Rate = (60, 3600.0)  # of finished games, where they are not stored yet
    tries: Rate = (60, 60.0)  # at puzzles
    reviews_waiting: int = 100  # finished games that wait to be reviewed, of everybody
    visitors_per_address: int = 5  # an address may do as much as this number of visitors
    proxies: tuple[Network, ...] = ()  # whose X-Forwarded-For and X-Forwarded-Proto are believed
    hosts: tuple[str, ...] = ()  # names of the server, besides those of the machine
    origins: tuple[str, ...] = ()  # origins, besides the server's own, whose pages may use it
    metrics_token: str = field(default="", repr=False)  # with it other machines can read /metrics
    secure_cookie: bool = False  # for servers that are reached by https
    retention: float = 0.0  # days after which tables that are over are deleted; 0: never
    admin_token: str = field(default="", repr=False)  # for `motherlode admin`; on SQLite the server makes one itself

    @classmethod
    def from_environment(cls, **given: Any) -> "Settings":
        """The settings given, else those in the environment: MOTHERLODE_TABLES=100/3600, MOTHERLODE_GONE_AFTER=5."""
        defaults = cls()
        for name in environment_names():
            written = os.environ.get(variable(name))
            if written is not None and name not in given:
                given[name] = read(name, written, getattr(defaults, name))
        return cls(**given)

    def substitute_in(self, game: Game) -> str:
        """The bot that acts for players who are gone or out of time, where a table of this game names no other."""
        if self.substitute != BEST:
            return self.substitute
        return levels.strongest(game, QUICK) or UNMEASURED


def environment_names() -> list[str]:
    """The settings that the environment can change."""
    return [entry.name for entry in fields(Settings) if entry.name != "clock"]


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"MOTHERLODE_{name.upper()}"


MAY_BE_ZERO = ("pace", "gone_after", "seal_wait", "retention")
TOKENS = ("metrics_token", "admin_token")
SHORTEST_TOKEN = 20
EXAMPLES = {
    "origins": "https://parlour.example",
    "proxies": "127.0.0.1 10.0.0.0/8",
    "hosts": "parlour.example",
    "substitute": "greedy",
}


def read(name: str, written: str, default: Any) -> Any:
    """A setting's value from its text; a default of the same type says which type."""
    try:
        if isinstance(default, bool):
            return {"0": False, "1": True}[written]
        if name == "origins":
            return tuple(read_origin(origin) for origin in written.split())
        if name == "proxies":
            return tuple(ip_network(network) for network in written.split())
        if name == "hosts":
            return tuple(read_host(host) for host in written.split())
        if isinstance(default, tuple):
            count, _, seconds = written.partition("/")
            return read_number(int, count, 1), read_number(float, seconds, 1e-3)
        if isinstance(default, int):
            return read_number(int, written, 1)
        if isinstance(default, float):
            return read_number(float, written, 0.0 if name in MAY_BE_ZERO else 1e-3)
        if not written.strip() or (name in TOKENS and not is_good_token(written.strip())):
            raise ValueError("empty, or too short")
        return written.strip()
    except (KeyError, ValueError):
        if name in TOKENS:  # it is not repeated: it may be a good one with a slip
            raise Refusal(
                f"{variable(name)} must have at least {SHORTEST_TOKEN} letters, digits or signs, no spaces"
            ) from None
        example = EXAMPLES.get(name, default)
        if isinstance(default, bool):
            example = "0 or 1"
        elif isinstance(default, tuple) and name not in EXAMPLES:
            example = f"{default[0]}/{default[1]:g}"
        raise Refusal(f"{variable(name)} is {written!r}; a correct value would be {example}") from None


def is_good_token(token: str) -> bool:
    return len(token) >= SHORTEST_TOKEN and all("!" <= letter <= "~" for letter in token)


def read_number(kind: type[int] | type[float], written: str, least: float) -> int | float:
    number = kind(written)
    if not least <= number < inf:
        raise ValueError(f"{number} is out of range")
    return number


def read_origin(written: str) -> str:
    parts = urlsplit(written)
    if parts.scheme not in ("http", "https") or f"{parts.scheme}://{parts.netloc}" != written or not parts.netloc:
        raise ValueError(f"{written} is not an origin")
    return written


def read_host(written: str) -> str:
    """A name without scheme and port: ports do not matter."""
    name = host_name(written)
    if name is None or ":" in written:
        raise ValueError(f"{written} is not the name of a host")
    return name
