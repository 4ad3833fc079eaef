"""The browsers of this machine, for measurements, pictures and tests, and a server for them to visit.

Only the standard library is imported at the top: dev.py reads this before anything is installed.
"""

import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = Path(__file__).resolve().parent.parent / "web"
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first starts fastest

# What tests also play in: the programs of each engine, and the Debian package that each of them comes in.
OTHER_ENGINES = {
    "Firefox": {"firefox-esr": "firefox-esr"},
    "WebKit": {"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"},
}


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def missing_packages(engine: str) -> list[str]:
    """What has to be installed for another engine to run here."""
    return [package for program, package in OTHER_ENGINES[engine].items() if not shutil.which(program)]


@contextmanager
def server() -> Iterator[str]:
    """A server as a user starts it, on a free port and an empty database; its address."""
    from motherlode.engine import Refusal
    from motherlode.server import load_test

    if not (PAGES / "index.html").exists():
        raise Refusal("the pages are not built: run python3 dev.py play once")
    with tempfile.TemporaryDirectory() as folder:
        child, port, _ = load_test.start(f"sqlite:///{folder}/parlour.db", workers=1, tables=100)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(60)
            if child.stdout:
                child.stdout.close()


@contextmanager
def chromium() -> "Iterator[Browser]":
    from motherlode.engine import Refusal

    program = find_chromium()
    if program is None:
        raise Refusal("there is no Chromium: install it (Debian, Ubuntu: apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Refusal("playwright, which drives Chromium, is not installed: pip install playwright") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
