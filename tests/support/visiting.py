"""What the tests in a browser share: a server to start, stop and start again, and a visitor who clicks.

A visitor clicks only what a person could: Playwright refuses what is hidden, covered or disabled. Nothing sleeps.
The page says in data attributes where the game is, whether it is its turn, and whether an action is under way.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from browser import find_chromium
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from playwright.sync_api import TimeoutError as Covered

from support.local_server import Server

PATIENCE = 30_000  # milliseconds until a test that waits for what does not come fails
COVERED = 2_000  # milliseconds until a thing that is not clickable counts as covered
expect.set_options(timeout=PATIENCE)
ROOT = Path(__file__).parent.parent.parent
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
GENEROUS = {f"MOTHERLODE_{limit}": "1000000/1" for limit in ("SOCKETS", "REQUESTS", "GUESTS", "TABLES", "MESSAGES")}

# What a board offers now. A thing that only says why it cannot be done is aria-disabled.
OFFERED = "[data-board] :is(button, [role=button]):not([aria-disabled=true]):not(:disabled)"

# Of each: its name, whether it is the main button, whether it is lit up as the next thing to click.
LOOK = """all => all.map((one) => [
  one.ariaLabel ?? one.innerText, one.matches(".main"), one.matches(".choosing .offered:not(.anchor)")
])"""


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


class Visit:
    """One person's browser."""

    def __init__(self, browser: Browser, parlour: Parlour | Server, seed: int = 1, **context: Any) -> None:
        self.parlour, self.rng = parlour, random.Random(seed)
        self.complaints: list[str] = []
        self.clicked_at, self.offered = -1, set[str]()
        settings = {"viewport": DESK, "locale": "en-GB", "reduced_motion": "reduce", **context}
        self.context = browser.new_context(**settings)
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script("localStorage['motherlode.preferences'] ??= JSON.stringify({pace: 0})")
        self.allowed: list[str] = []  # what the console may complain about
        self.requests: list[str] = []
        self.page: Page = self.context.new_page()
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(parlour.url)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def leave(self) -> list[str]:
        """Close the browser; what went wrong in it."""
        elsewhere = [url for url in self.requests if not url.startswith((self.parlour.url, "data:", "blob:"))]
        self.context.close()
        kept = [said for said in self.complaints if not any(part in said for part in self.allowed)]
        return kept + [f"asked another site: {url}" for url in elsewhere]

    def turn_to(self, path: str) -> None:
        """Another page of the parlour, as a link in it leads there: without loading everything again."""
        self.page.evaluate(
            "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')) }", path
        )

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

    def click_something(self) -> None:
        """Click one of the things offered, rather one that the last click has brought (the main button first) or
        lit up; say yes if the page asks."""
        offered = self.page.locator(OFFERED).locator("visible=true")
        offered.first.wait_for()
        at, found = self.at(), offered.evaluate_all(LOOK)
        news = [i for i, (name, *_) in enumerate(found) if at == self.clicked_at and name not in self.offered]
        self.clicked_at, self.offered = at, {name for name, *_ in found}
        mains, lit = [i for i in news if found[i][1]], [i for i in range(len(found)) if found[i][2]]
        rest = mains or news or lit or range(len(found))
        for i in self.rng.sample(rest, len(rest)):
            try:
                offered.nth(i).click(timeout=COVERED)
                break
            except Covered:  # something lies on it: a person would click elsewhere
                continue
        else:  # or the machine is slow
            offered.nth(rest[0]).click()
        self.say_yes()

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
        words.get_by_role("button").nth(number).click()
        self.say_yes()

    def table(self) -> str:
        """The table's id, once the page is there."""
        return self.page.locator("[data-table]").get_attribute("data-table") or ""

    def ask(self, path: str, **body: Any) -> Any:
        """Of the server, as this guest: what the page itself has no button for."""
        answer = self.context.request.post(f"{self.parlour.url}{path}", data=body)
        assert answer.ok, answer.text()
        return answer.json()

    def play_on(self, clicks: int) -> None:
        """Click until the game is over."""
        for _ in range(clicks):
            self.wait_for("true")
            if self.turn() == -2:
                return
            self.click_something()
        pytest.fail(f"after {clicks} clicks the game is not over")


def make_table(
    visit: Visit,
    game: str,
    chairs: dict[int, str],
    seats: int = 0,
    *ticked: str,
    options: dict[str, str] | None = None,
    **names: str,
) -> None:
    """Through the page of a new table; chairs by seat, and options, as the lists there call them."""
    page = visit.page
    page.get_by_role("link", name=f"New table …: {game}", exact=True).click()
    if seats:
        page.locator("label", has_text="Players").get_by_role("combobox").first.select_option(str(seats))
    for label in ticked:
        page.get_by_label(label).check()
    for label, value in (options or {}).items():
        page.get_by_label(label).select_option(label=value)
    for seat, chair in chairs.items():
        page.get_by_label(f"Player on seat {seat}").select_option(label=chair)
    for place, name in names.items():
        page.get_by_label(f"Name of the person on {place.replace('_', ' ')}").fill(name)
    page.get_by_role("button", name="Create the table").click()
