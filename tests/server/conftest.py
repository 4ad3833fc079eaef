"""A server of its own for every file of tests; whoever needs other settings starts another."""

import secrets
from collections.abc import Callable, Iterator

import pytest
from support import postgres
from support.administrator import Administrator
from support.command_line import Run
from support.local_server import Page, Server, Visitor, serving
from support.scripted_chance import SCRIPTS, inject
from support.viewer_tape import World, quiet_bots

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
    for bot in ("search", "greedy:2000"):
        bots.warm(bot, GAMES["goldmine"])


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


@pytest.fixture
def host(server: Server, run: Run) -> Iterator[Administrator]:
    """Whoever runs the server."""
    administrator = Administrator(server, run)
    yield administrator
    administrator.http.close()


# For what leaks: two worlds, and whoever looks


@pytest.fixture(scope="module")
def two_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[World]]:
    path = tmp_path_factory.mktemp("worlds")
    addresses = [f"sqlite:///{path / name}.db" for name in ("one", "two")]
    with serving(addresses[0], wait=0.0) as one, serving(addresses[1], wait=0.0) as two:
        worlds = [World(server, number) for number, server in enumerate((one, two))]
        yield worlds
        for world in worlds:
            world.close()


@pytest.fixture
def worlds(two_servers: list[World], monkeypatch: pytest.MonkeyPatch) -> Iterator[list[World]]:
    """Two servers at the same time of the day, where chance decides what a test says and bots wait to be let act."""
    inject(monkeypatch)
    quiet_bots(monkeypatch, two_servers)
    latest = max(world.server.parlour.now() for world in two_servers)
    for world in two_servers:
        world.move_clock(latest - world.server.parlour.now())
    yield two_servers
    for world in two_servers:
        world.leave()
    SCRIPTS.clear()


@pytest.fixture(scope="module")
def others(server: Server) -> Iterator[list[Visitor]]:
    visitors = [Visitor(server, f"Other {k}") for k in range(5)]
    yield visitors
    for visitor in visitors:
        visitor.close()


@pytest.fixture
def stranger(server: Server) -> Iterator[Visitor]:
    """Without any token."""
    with Visitor(server, "Nobody") as visitor:
        del visitor.http.headers["authorization"]
        yield visitor


@pytest.fixture
def bystander(eve: Visitor) -> Page:
    page = eve.open(eve.make("goldmine", "me", "me")["id"], 0)
    page.wait("presence")
    return page
