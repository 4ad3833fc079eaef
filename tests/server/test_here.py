"""Where the server listens, and what a link for others is, told on its own machine alone."""

import socket
from collections.abc import Iterator

import pytest
from support.local_server import Server, Visitor

from motherlode.server import addresses, serve
from motherlode.server.addresses import Listens

COMMAND = "motherlode serve --host 0.0.0.0 --port 8000"
LAN = "192.168.7.5"


@pytest.fixture
def lan(monkeypatch: pytest.MonkeyPatch, server: Server) -> Iterator[None]:
    monkeypatch.setattr(addresses, "lan_host", lambda: LAN)
    yield
    server.app.state.listens = None


@pytest.mark.usefixtures("lan")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_for_this_machine_alone(server: Server, ada: Visitor, host: str) -> None:
    server.app.state.listens = Listens(host, 8000, COMMAND)
    assert ada.get("/api/here") == {"only_here": True, "command": COMMAND, "address": f"http://{LAN}:8000"}
    (link,) = ada.make("goldmine", "me", "link")["links"]
    assert link["address"] == server.url + link["path"]


@pytest.mark.usefixtures("lan")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", LAN])
def test_for_the_local_network(server: Server, ada: Visitor, host: str) -> None:
    server.app.state.listens = Listens(host, 8000, COMMAND)
    assert ada.get("/api/here") == {"only_here": False, "command": COMMAND, "address": f"http://{LAN}:8000"}
    card = ada.make("goldmine", "me", "link")
    assert card["links"][0]["address"] == f"http://{LAN}:8000{card['links'][0]['path']}"
    again = ada.post(f"/api/tables/{card['id']}/seats/1/link")
    assert again["address"].startswith(f"http://{LAN}:8000/table/")


@pytest.mark.usefixtures("lan")
@pytest.mark.parametrize("headers", [{"host": "192.168.7.5:8000"}, {"x-forwarded-for": "203.0.113.9"}])
def test_others_are_told_nothing(server: Server, ada: Visitor, headers: dict[str, str]) -> None:
    """Whoever comes by another name knows an address of the server already; behind a proxy, others cannot reach this
    machine's own."""
    server.app.state.listens = Listens("0.0.0.0", 8000, COMMAND)
    ada.http.headers.update(headers)
    assert ada.get("/api/here") == {"only_here": False, "command": None, "address": None}
    (link,) = ada.make("goldmine", "me", "link")["links"]
    assert link["address"] == f"http://{headers.get('host', server.url.removeprefix('http://'))}{link['path']}"


def test_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", nowhere)
    assert addresses.lan_host() is None
    assert Listens("0.0.0.0", 8000, COMMAND).address() is None


def test_the_command_keeps_port_and_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/opt/my place/motherlode"])
    monkeypatch.setattr("shutil.which", lambda _: None)
    found = serve.listens("127.0.0.1", 8123, "sqlite:///mine.db")
    assert found.command == ("'/opt/my place/motherlode' serve --host 0.0.0.0 --port 8123 --database sqlite:///mine.db")
    secret = serve.listens("127.0.0.1", 8123, "postgresql://ada:secret@host/name")
    assert "secret" not in secret.command
