"""Real servers and a real browser: see `visiting`.

A test visits the `parlour`, a server in a process of its own, started as a user starts it; or, if it asks for it, the
`server` in this process, whose clock stands still until it is moved and whose tables a test can look into.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright
from support.local_server import Server, serving
from support.visiting import Contexts, Parlour, Visit, chromium


@pytest.fixture(scope="session")
def contexts() -> Iterator[Contexts]:
    with sync_playwright() as playwright:
        names = "--host-resolver-rules=MAP parlour.internal 127.0.0.1"  # plain http, not taken for this machine
        opened = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", names])
        yield Contexts(opened)
        opened.close()


@pytest.fixture(scope="session")
def parlour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parlour]:
    folder: Path = tmp_path_factory.mktemp("parlour")
    running = Parlour(folder / "parlour.db")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(f"sqlite:///{tmp_path_factory.mktemp('server') / 'parlour.db'}") as running:
        yield running


@pytest.fixture
def visit(contexts: Contexts, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visit]]:
    """Open another browser; what its console complained about fails the test."""
    where = request.getfixturevalue("server" if "server" in request.fixturenames else "parlour")
    visits: list[Visit] = []

    def open_one(**more: Any) -> Visit:
        visits.append(Visit(contexts, where, **more))
        return visits[-1]

    yield open_one
    complaints = [said for one in visits for said in one.leave()]
    assert not complaints
