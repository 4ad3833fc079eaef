"""A server of its own for every file of tests; whoever needs other settings starts another."""

import secrets
from collections.abc import Callable, Iterator

import postgres
import pytest
from parlour import Server, Visitor, serving

from motherlode import bots
from motherlode.games import GAMES


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    with postgres.running() as address:
        yield address


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('parlour') / 'parlour.db'}"


@pytest.fixture(scope="module")
def new_postgresql(postgresql: str) -> Callable[[], str]:
    return lambda: postgres.new_database(postgresql, f"parlour_{secrets.token_hex(4)}")


@pytest.fixture(scope="session")
def compiled() -> None:
    """Goldmine's search is on the disk: a thinking process is warm in a moment."""
    bots.warm("search", GAMES["goldmine"])


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    with serving(database) as running:
        yield running


@pytest.fixture
def ada(server: Server) -> Iterator[Visitor]:
    with Visitor(server, "Ada") as visitor:
        yield visitor


@pytest.fixture
def bob(server: Server) -> Iterator[Visitor]:
    with Visitor(server, "Bob") as visitor:
        yield visitor


@pytest.fixture
def eve(server: Server) -> Iterator[Visitor]:
    with Visitor(server, "Eve") as visitor:
        yield visitor
