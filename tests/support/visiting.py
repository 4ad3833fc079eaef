"""What the tests in a browser share: a server to start, stop and start again, and a visitor who clicks.

A visitor clicks only what a person could: Playwright refuses what is hidden, covered or disabled. Nothing sleeps.
The page says in data attributes where the game is, whether it is its turn, and whether an action is under way.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, WebSocketRoute, expect

from motherlode.server.browsers import find_chromium
from motherlode.server.clicking import PATIENCE, Player
from support.local_server import Server

expect.set_options(timeout=PATIENCE)
ROOT = Path(__file__).parent.parent.parent
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
SINGLE_DEAL = {"The match is played to": "a single deal"}  # an option of Goldmine, as the page calls it
GENEROUS = {f"MOTHERLODE_{limit}": "1000000/1" for limit in ("SOCKETS", "REQUESTS", "GUESTS", "TABLES", "MESSAGES")}

# Nothing is painted: no test looks at pixels, and painting is a third of the work of a page that is played at.
UNPAINTED = """
const unpainted = new CSSStyleSheet();
unpainted.replaceSync("html { opacity: 0 }");
document.adoptedStyleSheets = [unpainted];
"""

TURN_TO = "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')) }"


def chromium() -> str:
    """The system's browser; a missing one is a failure."""
    return find_chromium() or pytest.fail("there is no Chromium: install it (Debian, Ubuntu: apt-get install chromium)")


class Parlour:
    """The server as a user starts it."""

    def __init__(self, database: Path) -> None:
        assert (ROOT / "motherlode" / "web" / "index.html").exists(), "build the pages: python web/build.py"
        self.database = database
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [
            "-m",
            "motherlode.cli",
            "serve",
            "--port",
            str(self.port),
            "--database",
            f"sqlite:///{self.database}",
        ]
        surroundings = {
            **os.environ,
            **GENEROUS,
            "MOTHERLODE_PACE": "0",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout
        for line in self.process.stdout:
            if self.url in line:
                break
        urllib.request.urlopen(f"{self.url}/ready", timeout=PATIENCE / 1000).close()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.stdout
        self.process.stdout.close()
        self.process.wait(PATIENCE / 1000)


class Contexts:
    """Browsers that remember nothing of each other, used again with their page: one that a new process has to show
    costs twice the work."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.free: dict[str, list[Page]] = {}

    def borrow(self, settings: dict[str, Any]) -> Page:
        """The page of a browser that has been nowhere."""
        if free := self.free.get(str(settings)):
            return free.pop()
        made = self.browser.new_context(**settings)
        made.set_default_timeout(PATIENCE)
        if not os.environ.get("MOTHERLODE_SHOTS"):  # where pictures are asked for
            made.add_init_script(UNPAINTED)
        made.add_init_script("localStorage['motherlode.preferences'] ??= JSON.stringify({pace: 0})")
        return made.new_page()

    def give_back(self, settings: dict[str, Any], page: Page, url: str) -> None:
        """Forget everything, so that the next visitor comes as the first one did."""
        context = page.context
        context.set_offline(False)
        for other in context.pages:
            if other is not page:
                other.close()
        page.unroute_all(behavior="ignoreErrors")
        page.goto(f"{url}/icon.svg")  # of the same place, where no script runs
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
        context.clear_cookies()  # not before: a page that is still arriving would be refused
        page.set_viewport_size(settings["viewport"])
        page.mouse.move(-1, -1)  # over nothing
        self.free.setdefault(str(settings), []).append(page)


class Visit(Player):
    """One person's browser."""

    def __init__(
        self,
        contexts: Contexts,
        parlour: Parlour | Server,
        seed: int = 1,
        *,
        at: str = "",
        only_once: bool = False,
        **context: Any,
    ) -> None:
        """In the lobby, or `at` another page.

        With `only_once` the browser is not used again: its clock will be changed, or it remembers something.
        """
        self.parlour, self.rng = parlour, random.Random(seed)
        self.complaints: list[str] = []
        self.last = {"at": -1, "names": []}
        self.has_touch = bool(context.get("has_touch"))
        self.settings = {"viewport": DESK, "locale": "en-GB", "reduced_motion": "reduce", **context}
        self.contexts, self.only_once = contexts, only_once
        self.allowed: list[str] = []  # what the console may complain about
        self.requests: list[str] = []
        self.page = contexts.borrow(self.settings)
        self.context = self.page.context
        for event, listener in self.listeners.items():
            self.page.on(event, listener)  # type: ignore[call-overload]
        self.page.goto(parlour.url + at)

    @cached_property
    def listeners(self) -> dict[str, Callable[[Any], None]]:
        return {
            "console": self.hear,
            "pageerror": lambda error: self.complaints.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
        }

    def run(self, script: str, given: Any) -> Any:
        return self.page.evaluate(script, given)

    def press(self, x: float, y: float) -> None:
        (self.page.touchscreen.tap if self.has_touch else self.page.mouse.click)(x, y)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def leave(self) -> list[str]:
        """Close the browser; what went wrong in it."""
        elsewhere = [url for url in self.requests if not url.startswith((self.parlour.url, "data:", "blob:"))]
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        if self.only_once:
            self.context.close()
        else:
            self.contexts.give_back(self.settings, self.page, self.parlour.url)
        kept = [said for said in self.complaints if not any(part in said for part in self.allowed)]
        return kept + [f"asked another site: {url}" for url in elsewhere]

    def turn_to(self, path: str) -> None:
        """Another page of the parlour, as a link in it leads there: without loading everything again."""
        self.page.evaluate(TURN_TO, path)

    def play_now(self, title: str) -> None:
        self.page.get_by_role("button", name=f"Play now: {title}", exact=True).click()
        self.wait_for("true")

    def wait_for(self, mine: str) -> None:
        """Until it is (or is not) my turn, or the game is over."""
        self.page.wait_for_selector(f"[data-table][data-mine={mine}][data-sent=false], [data-table][data-turn='-2']")

    def turn(self) -> int:
        return int(self.page.locator("[data-table]").get_attribute("data-turn") or 0)

    def at(self) -> int:
        return int(self.page.locator("[data-table]").get_attribute("data-at") or 0)

    def say_yes(self) -> None:
        """If the page asks, and until the answer is here."""
        if (ask := self.page.locator(".ask button.main")).is_visible():
            ask.click()
        self.page.wait_for_selector("[data-table][data-sent=false]")

    def do(self, number: int = 0) -> None:
        """One particular of the legal actions, from the list in words."""
        words = self.page.locator("details.words")
        if words.get_attribute("open") is None:
            words.locator("summary").click()
        words.locator("button").nth(number).click()
        self.say_yes()

    def table(self) -> str:
        """The table's id, once the page is there."""
        return self.page.locator("[data-table]").get_attribute("data-table") or ""

    def ask(self, path: str, **body: Any) -> Any:
        """Of the server, as this guest: what the page itself has no button for."""
        # A server closes a line that it has not heard for a while, and may do so just now: then it is asked again.
        answer = self.context.request.post(f"{self.parlour.url}{path}", data=body, max_retries=2)
        assert answer.ok, answer.text()
        return answer.json()


def unfold(page: Page) -> None:
    """The rules and settings of a new table."""
    page.locator("form > details").first.wait_for()
    for summary in page.locator("form > details > summary").all():
        summary.click()


def repeat_without_news(socket: WebSocketRoute) -> None:
    """Send every message of a table that has news once more, without them."""

    def pass_on(message: str | bytes) -> None:
        socket.send(message)
        told = json.loads(message)
        if told.get("did"):
            socket.send(json.dumps({**told, "did": []}))

    socket.connect_to_server().on_message(pass_on)


def make_table(
    visit: Visit,
    game: str,
    chairs: dict[int, str],
    seats: int = 0,
    *ticked: str,
    options: dict[str, str] | None = None,
    **names: str,
) -> None:
    """Through the page of a new table; chairs by seat, and options, as the lists there call them; seat_0="Ada"."""
    page = visit.page
    page.get_by_role("link", name=f"Play with friends …: {game}", exact=True).click()
    if ticked or options:
        unfold(page)
    if seats:
        page.locator("label", has_text="Players").get_by_role("combobox").first.select_option(str(seats))
    for label in ticked:
        page.get_by_label(label).check()
    for label, value in (options or {}).items():
        page.get_by_label(label).select_option(label=value)
    for seat, chair in chairs.items():
        page.get_by_label(f"Player in seat {seat + 1}").select_option(label=chair)
    for place, name in names.items():
        page.get_by_label(f"Name of the person in seat {int(place.removeprefix('seat_')) + 1}").fill(name)
    page.get_by_role("button", name="Create the table").click()
