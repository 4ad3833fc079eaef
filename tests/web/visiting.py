"""What the tests in a browser share: a server to start, stop and start again, and a visitor who clicks.

A visitor clicks only what a person could: Playwright refuses what is hidden, covered or disabled. Nothing sleeps.
The page says in data attributes where the game is, whether it is its turn, and whether an action is under way.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

PATIENCE = 30_000  # milliseconds until a test that waits for what does not come fails
expect.set_options(timeout=PATIENCE)
ROOT = Path(__file__).parent.parent.parent
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
GENEROUS = {f"MOTHERLODE_{limit}": "1000000/1" for limit in ("SOCKETS", "REQUESTS", "GUESTS", "TABLES", "MESSAGES")}

# What a board offers now. A thing that only says why it cannot be done is aria-disabled.
OFFERED = "[data-board] :is(button, [role=button]):not([aria-disabled=true]):not(:disabled)"


def chromium() -> str:
    """The system's browser; a missing one is a failure."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.fail("there is no Chromium: install it (Debian, Ubuntu: apt-get install chromium)")


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
        surroundings = {**os.environ, **GENEROUS, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
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

    def __init__(self, browser: Browser, parlour: Parlour, seed: int = 1, **context: Any) -> None:
        self.parlour, self.rng, self.complaints = parlour, random.Random(seed), []
        settings = {"viewport": DESK, "locale": "en-GB", "reduced_motion": "reduce", **context}
        self.context = browser.new_context(**settings)
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(
            "if (!localStorage['motherlode.taste']) localStorage['motherlode.taste'] = JSON.stringify({pace: 0})"
        )
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

    def play_now(self, title: str) -> None:
        self.page.get_by_role("button", name=f"Play now: {title}", exact=True).click()
        self.wait_for("true")

    def wait_for(self, mine: str) -> None:
        """Until it is (or is not) my turn, or the game is over."""
        self.page.wait_for_selector(f"[data-at][data-mine={mine}][data-sent=false], [data-turn='-2']")

    def turn(self) -> int:
        return int(self.page.locator("[data-at]").get_attribute("data-turn") or 0)

    def at(self) -> int:
        return int(self.page.locator("[data-at]").get_attribute("data-at") or 0)

    def click_something(self) -> None:
        """Click one of the things offered, and say yes if the page asks."""
        offered = self.page.locator(OFFERED).locator("visible=true")
        offered.first.wait_for()
        offered.nth(self.rng.randrange(offered.count())).click()
        if (ask := self.page.locator(".ask button.main")).is_visible():
            ask.click()
        self.page.wait_for_selector("[data-at][data-sent=false]")

    def play_on(self, clicks: int) -> None:
        """Click until the game is over."""
        for _ in range(clicks):
            self.wait_for("true")
            if self.turn() == -2:
                return
            self.click_something()
        pytest.fail(f"after {clicks} clicks the game is not over")
