"""A terminal at a table of a test's server: what is typed there is decided by the test, what is printed is kept."""

import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from motherlode.joined_table import JoinedTable
from motherlode.parlour_client import Parlour, data_folder, read_private, write_private
from motherlode.sentences import Did, Drawn
from support.local_server import PATIENCE


class Keys(io.StringIO):
    """Lines are typed when they are asked for: `answer` is given what was printed, and says what is typed next; an
    empty answer ends the input."""

    def __init__(self, answer: Callable[[], str], *, is_live: bool = False) -> None:
        super().__init__()
        self.answer, self.is_live = answer, is_live

    def isatty(self) -> bool:
        return self.is_live

    def readline(self, _: int | None = -1) -> str:  # type: ignore[override]
        return self.answer()


class Terminal:
    """A joined table, played in a thread of its own."""

    def __init__(self, link: str, folder: Path, answer: Callable[["Terminal"], str] | None = None, **more: Any) -> None:
        self.out, self.over = io.StringIO(), threading.Event()
        self.failed: BaseException | None = None
        self.calls: list[tuple[list[Did], Drawn]] = []  # what was told, and what was drawn before it
        is_live = more.pop("is_live", False)
        source = Keys((lambda: answer(self)) if answer else self.wait, is_live=is_live)
        self.joined = JoinedTable(Parlour(link), self.out, source, new_file=lambda name: folder / f"{name}.txt", **more)
        tell = self.joined.words.tell
        self.joined.words.tell = self.keep(tell)  # type: ignore[method-assign,assignment]
        self.thread = threading.Thread(target=self.run, daemon=True)

    def keep(self, tell: Callable[[Any, Drawn], None]) -> Callable[[Any, Drawn], None]:
        def kept(news: Any, before: Drawn) -> None:
            self.calls.append((list(news), before))
            tell(news, before)

        return kept

    def start(self) -> "Terminal":
        self.thread.start()
        return self

    def run(self) -> None:
        try:
            self.joined.play()
        except BaseException as error:  # noqa: BLE001 - the test is told of it
            self.failed = error
        self.over.set()

    def wait(self) -> str:
        """Nothing is typed; when the game is over, the input ends."""
        while not self.joined.is_over and not self.joined.line.left.wait(0.01):
            pass
        return ""

    def finish(self) -> str:
        """What was printed, when the game is over."""
        assert self.over.wait(PATIENCE), self.out.getvalue()[-2000:]
        if self.failed:
            raise self.failed
        return self.out.getvalue()

    @property
    def lines(self) -> list[str]:
        return self.out.getvalue().splitlines()


def be(server: str, token: str) -> None:
    """At this terminal one is the guest with this token."""
    path = data_folder() / "guests.json"
    write_private(path, json.dumps({**read_private(path), server: {"token": token}}))
