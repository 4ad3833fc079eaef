"""Two processes on one PostgreSQL, `server` and `other`. Bob comes by the other one."""

from collections.abc import Callable, Iterator

import pytest
from support.local_server import Server, Visitor, serving


@pytest.fixture(scope="module")
def database(new_postgresql: Callable[[], str]) -> str:
    return new_postgresql()


@pytest.fixture(scope="module")
def other(database: str, server: Server) -> Iterator[Server]:
    with serving(database) as running:
        yield running


@pytest.fixture
def bob(other: Server) -> Iterator[Visitor]:
    with Visitor(other, "Bob") as visitor:
        yield visitor
