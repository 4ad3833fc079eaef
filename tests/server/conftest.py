"""A server of its own for every file of tests; whoever needs other settings starts another."""

from collections.abc import Iterator

import pytest
from parlour import Server, Visitor, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("parlour")) as running:
        yield running


@pytest.fixture
def ada(server: Server) -> Iterator[Visitor]:
    visitor = Visitor(server, "Ada")
    yield visitor
    visitor.close()


@pytest.fixture
def bob(server: Server) -> Iterator[Visitor]:
    visitor = Visitor(server, "Bob")
    yield visitor
    visitor.close()


@pytest.fixture
def eve(server: Server) -> Iterator[Visitor]:
    visitor = Visitor(server, "Eve")
    yield visitor
    visitor.close()
