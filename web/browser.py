"""What the scripts in this folder share: a server of their own, and the system's Chromium."""

import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first starts fastest

# What tests also play in: the programs of each engine, and the Debian package that each of them comes in.
OTHER_ENGINES = {
    "Firefox": {"firefox-esr": "firefox-esr"},
    "WebKit": {"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"},
}


def fail(problem: str) -> NoReturn:
    print(f"{Path(sys.argv[0]).name}: {problem}", file=sys.stderr)
    raise SystemExit(2)


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def missing_packages(engine: str) -> list[str]:
    """What has to be installed for another engine to run here."""
    return [package for program, package in OTHER_ENGINES[engine].items() if not shutil.which(program)]


@contextmanager
def server() -> Iterator[str]:
    """A server as a user starts it, on a free port and an empty database; its address."""
    from motherlode.server import load_test

    if not (ROOT / "motherlode" / "web" / "index.html").exists():
        fail("the pages are not built: run python3 dev.py play once, or web/build.py")
    with tempfile.TemporaryDirectory() as folder:
        child, port, _ = load_test.start(f"sqlite:///{folder}/parlour.db", workers=1, tables=100)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(60)


@contextmanager
def chromium() -> "Iterator[Browser]":
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        fail("playwright is missing: it comes with the development tools (python3 dev.py)")
    program = find_chromium()
    if program is None:
        fail("there is no Chromium: install it (Debian, Ubuntu: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
