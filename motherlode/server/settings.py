"""All limits and times of the server, by name; MOTHERLODE_<NAME> in the environment overrides a default."""

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Protocol


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock:
    """The server's time, in seconds since 1970. Tests inject one that stands still until it is moved."""

    def now(self) -> float:
        return time.time()

    def call_at(self, when: float, call: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(max(0.0, when - self.now()), call)


@dataclass(frozen=True)
class Settings:
    """Rates are (so many, in so many seconds), for each visitor."""

    database: str = ""
    clock: Clock = field(default_factory=Clock)
    bots: int = max(1, (os.cpu_count() or 2) - 1)  # processes that think for bots
    pace: float = 1.0  # seconds: a bot acts a whole number of them after its turn began
    strongest_bot: int = 2000  # the most that may follow the colon in a bot's name
    clock_bot: str = "greedy"  # acts for a player whose time is over
    gone_after: float = 20.0  # seconds without a page until a seat may be given to a bot
    wait: float = 25.0  # seconds that `now?after=` waits
    slow_client: float = 20.0  # seconds until a socket that does not take its messages is dropped
    tables_in_memory: int = 2000  # beyond these, tables nobody looks at are put away
    chat_lines: int = 50  # shown to whoever comes
    store_timeout: float = 5.0  # seconds to wait for a locked database
    heartbeat: float = 2.0  # seconds between the signs of life that processes on one database give
    lease_retry: float = 3.0  # seconds until another process's bot is looked after again
    largest_body: int = 1_100_000  # bytes of a request
    largest_message: int = 4096  # bytes of a socket's message
    sockets: tuple[int, float] = (120, 60.0)
    messages: tuple[int, float] = (100, 5.0)
    chats: tuple[int, float] = (10, 10.0)
    requests: tuple[int, float] = (300, 10.0)
    guests: tuple[int, float] = (60, 600.0)  # for each address
    tables: tuple[int, float] = (60, 3600.0)
    uploads: tuple[int, float] = (20, 60.0)
    origins: tuple[str, ...] = ()  # besides the server's own, origins whose pages may use it
    monitors: tuple[str, ...] = (
        "127.0.0.1",
        "::1",
    )  # may read /metrics: it counts hidden actions too
    secure_cookie: bool = False  # set it where the parlour is reached by https

    @classmethod
    def from_environment(cls, **given: Any) -> "Settings":
        """Settings given, else those in the environment: MOTHERLODE_TABLES=100/3600, MOTHERLODE_GONE_AFTER=5."""
        for entry in fields(cls):
            written = os.environ.get(f"MOTHERLODE_{entry.name.upper()}")
            if written is not None and entry.name not in given and entry.name != "clock":
                given[entry.name] = read(entry.name, written, getattr(cls, entry.name))
        return cls(**given)


def read(name: str, written: str, default: Any) -> Any:
    from motherlode.engine import Refusal

    try:
        if isinstance(default, bool):
            return {"0": False, "1": True}[written]
        if name in ("origins", "monitors"):
            return tuple(written.split())
        if isinstance(default, tuple):
            many, _, seconds = written.partition("/")
            return int(many), float(seconds)
        return type(default)(written)
    except (KeyError, ValueError):
        example = "100/60" if isinstance(default, tuple) else int(default) if isinstance(default, bool) else default
        raise Refusal(f"MOTHERLODE_{name.upper()} is {written!r}; {example} would be right") from None
