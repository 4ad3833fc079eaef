"""A real server in a process of its own, and a real browser: see `visiting`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from visiting import Parlour, Visit, chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def parlour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parlour]:
    folder: Path = tmp_path_factory.mktemp("parlour")
    running = Parlour(folder / "parlour.db")
    yield running
    running.stop()


@pytest.fixture
def visit(browser: Browser, parlour: Parlour) -> Iterator[Callable[..., Visit]]:
    """Open another browser; what its console complained about fails the test."""
    visits: list[Visit] = []

    def open_one(**more: Any) -> Visit:
        visits.append(Visit(browser, parlour, **more))
        return visits[-1]

    yield open_one
    complaints = [said for one in visits for said in one.leave()]
    assert not complaints
