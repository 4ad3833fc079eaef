"""Connections that send nothing, too much or too slowly: refused or cut off, and nobody else notices."""

import contextlib
import gc
import json
import socket
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.local_server import PATIENCE, Server, Visitor, serving
from support.server_process import Process

from motherlode.server import bodies, connections
from motherlode.server.connections import LEAST_TAKEN, OTHER_FILES, Http, most_connections

resource = pytest.importorskip("resource")
OTHERS = "127.0.0.2"  # another address, for the server


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    bounds: dict[str, Any] = {
        "connections": 9, "connections_per_address": 5, "head_timeout": 10.0, "body_timeout": 30.0, "slow_client": 20.0,
        "largest_head": 4000, "largest_body": 2000, "largest_record": 50_000, "records_at_once": 4,
    }  # fmt: skip
    with serving(database, **bounds) as running:
        yield running


@pytest.fixture(autouse=True)
def nobody_stays(server: Server) -> Iterator[None]:
    yield
    until(lambda: not server.app.state.connections.total)
    assert not server.app.state.connections.open


def until(happens: Callable[[], Any]) -> None:
    """What another thread or process does in a moment."""
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.002)


class Raw:
    """A connection that sends what it is told to."""

    def __init__(self, port: int, source: str = "127.0.0.1", receive_buffer: int | None = None) -> None:
        self.port = port
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.bind((source, 0))
        self.socket.connect(("127.0.0.1", port))

    def __enter__(self) -> "Raw":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def head(self, line: str, *headers: str) -> "Raw":
        self.socket.sendall("\r\n".join([line, f"Host: 127.0.0.1:{self.port}", *headers, "", ""]).encode())
        return self

    def post(self, path: str, length: int, *headers: str, body: bytes = b"") -> "Raw":
        self.head(f"POST {path} HTTP/1.1", "Content-Type: application/json", f"Content-Length: {length}", *headers)
        self.socket.sendall(body)
        return self

    def rest(self) -> bytes:
        """All that comes until the server hangs up."""
        found = b""
        with contextlib.suppress(ConnectionResetError):
            while more := self.socket.recv(65536):
                found += more
        return found

    def status(self) -> int:
        """Of one answer."""
        found = b""
        while b"\r\n\r\n" not in found:
            found += (more := self.socket.recv(65536))
            assert more, f"it hung up: {found!r}"
        return int(found.split()[1])


@pytest.fixture
def raw(server: Server) -> Iterator[Callable[..., Raw]]:
    with contextlib.ExitStack() as stack:
        yield lambda *given, **named: stack.enter_context(Raw(server.port, *given, **named))


def refusal(answer: bytes, status: int) -> str:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.split()[1] == str(status).encode(), answer
    assert b"cache-control: no-store" in head and b"connection: close" in head
    refused = json.loads(body)
    assert set(refused) == {"no", "clause"}
    return str(refused["no"])


def answers(server: Server, source: str) -> int:
    with httpx.Client(transport=httpx.HTTPTransport(local_address=source, verify=False)) as client:
        return client.get(f"{server.url}/api/games").status_code


def count(server: Server, number: int) -> None:
    until(lambda: server.app.state.connections.total == number)


# Connections


def test_silent_connections_of_one_address_do_not_shut_the_door(server: Server, raw: Callable[..., Raw]) -> None:
    silent = [raw() for _ in range(5)]
    count(server, 5)
    assert "your address has 5 connections open" in refusal(raw().rest(), 503)
    assert answers(server, OTHERS) == 200
    server.move_clock(9)
    count(server, 5)
    server.move_clock(1)
    assert [connection.rest() for connection in silent] == [b""] * 5
    assert answers(server, "127.0.0.1") == 200


def test_a_full_server_says_so(server: Server, raw: Callable[..., Raw]) -> None:
    full = [raw(f"127.0.0.{1 + k % 3}") for k in range(9)]
    count(server, 9)
    assert "as many connections as it can take" in refusal(raw("127.0.0.4").rest(), 503)
    full[0].socket.close()
    count(server, 8)
    assert answers(server, "127.0.0.4") == 200


def test_a_socket_counts_until_it_is_closed(server: Server, raw: Callable[..., Raw]) -> None:
    with Visitor(server, "Ada") as ada:
        table = ada.make("goldmine", "me", "me")["id"]
        pages = [ada.open(table, 0) for _ in range(4)]
        count(server, 5)  # these and one of requests
        assert refusal(raw().rest(), 503)
        pages[0].close()
        count(server, 4)
        ada.open(table, 0)


def test_an_address_has_no_more_than_a_quarter_where_the_system_allows_few_files(
    monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 100))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    few = connections.Connections(type(server.parlour.settings)())
    assert (few.most, few.most_of_an_address) == (100 - OTHER_FILES, (100 - OTHER_FILES) // 4)


@pytest.mark.parametrize(
    ("allowed", "most", "expected"),
    [
        (1024, 1024, 1024 - OTHER_FILES),
        (1024, 5000, 5000 - OTHER_FILES),
        (1024, 1 << 20, 10_000),
        (20_000, 20_000, 10_000),
        (1024, -1, 10_000),
        (-1, -1, 10_000),
        (10, 10, 1),
    ],
)
def test_more_files_are_asked_for(monkeypatch: pytest.MonkeyPatch, allowed: int, most: int, expected: int) -> None:
    monkeypatch.setattr(resource, "RLIM_INFINITY", -1)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (allowed, most))
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    assert most_connections(10_000) == expected
    assert all(soft == expected + OTHER_FILES and hard == most for soft, hard in asked if expected > 1)


# Heads


def test_half_a_head_is_not_waited_for(server: Server, raw: Callable[..., Raw]) -> None:
    slow = raw()
    slow.socket.sendall(b"GET /api/games HTTP/1.1\r\nHo")
    count(server, 1)
    server.move_clock(6)
    slow.socket.sendall(b"st: ")  # a little more gives it no more time
    until(lambda: only(server).conn.trailing_data[0].endswith(b"Host: "))
    server.move_clock(4)
    assert refusal(slow.rest(), 408) == "the head of a request has to be sent within 10 s"


def test_a_later_request_has_its_time_too(server: Server, raw: Callable[..., Raw]) -> None:
    kept = raw().head("GET /api/games/nonsense HTTP/1.1")
    assert kept.status() == 400
    server.move_clock(60)  # nothing is waited for
    kept.socket.sendall(b"GET /api/games HT")
    until(lambda: waiting(server) == ["head"])
    server.move_clock(10)
    assert b"HTTP/1.1 408" in kept.rest()


def waiting(server: Server) -> list[str]:
    return [found.waits_for for found in list(server.uvicorn.server_state.connections) if isinstance(found, Http)]


def only(server: Server) -> Http:
    (connection,) = (found for found in list(server.uvicorn.server_state.connections) if isinstance(found, Http))
    return connection


def test_a_long_head_is_refused(server: Server, raw: Callable[..., Raw]) -> None:
    in_pieces = raw()
    in_pieces.socket.sendall(b"GET /api/games HTTP/1.1\r\nX: " + b"x" * 5000)
    assert refusal(in_pieces.rest(), 431) == "the head of a request has at most 4000 bytes"
    for path in ("/api/games", "/health", "/metrics"):
        assert raw().head(f"GET {path} HTTP/1.1", "X: " + "x" * 5000, "Connection: close").status() == 431
    assert raw().head(f"GET /api/games?x={'x' * 5000} HTTP/1.1").status() == 431


def test_nonsense_is_no_request(server: Server, raw: Callable[..., Raw]) -> None:
    for nonsense in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\r\n\r\n\r\n",
    ):
        sent = raw()
        sent.socket.sendall(nonsense)
        assert refusal(sent.rest(), 400) == "this is no HTTP/1.1 request"


def test_a_socket_that_is_none_is_not_kept(server: Server, raw: Callable[..., Raw]) -> None:
    """A head that `h11` reads and `websockets` does not."""
    upgrade = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: x")
    line = "GET /api/tables/x/socket HTTP/1.1"
    assert raw().head(line, *upgrade, "Transfer-Encoding: chunked").rest().startswith(b"HTTP/1.1 400")
    assert raw().head(line, *upgrade, *(f"X-{k}: x" for k in range(200))).rest().startswith(b"HTTP/1.1 431")


# Bodies


def test_half_a_body_is_not_waited_for(server: Server, raw: Callable[..., Raw]) -> None:
    slow = raw().post("/api/guests", 100, body=b"{")
    until(lambda: waiting(server) == ["body"])
    server.move_clock(20)
    slow.socket.sendall(b'"name"')
    server.move_clock(10)
    assert refusal(slow.rest(), 408) == "a request has to be sent within 30 s"


def test_the_rest_of_a_refused_body_is_not_waited_for(server: Server, raw: Callable[..., Raw]) -> None:
    slow = raw().post("/api/guests", 3000, body=b"x" * 10)
    assert slow.status() == 413
    slow.socket.sendall(b"x" * 10)
    until(lambda: waiting(server) == ["body"])
    server.move_clock(30)
    slow.rest()


def test_only_guests_send_records_and_one_at_a_time_from_an_address(server: Server, raw: Callable[..., Raw]) -> None:
    with Visitor(server, "Ada") as ada:
        token = f"Authorization: {ada.http.headers['authorization']}"
        large = json.dumps({"record": "x" * 30_000}).encode()
        for path, headers, status in (
            ("/api/records", {}, 400),
            ("/api/records", {"authorization": "Bearer nonsense"}, 401),
            ("/api/tables", {"authorization": ""}, 401),
            ("/api/tables", {}, 422),
            ("/api/guests", {}, 413),
            ("/api/guests/recover", {}, 413),
            ("/nowhere", {}, 413),
        ):
            for content in (large, iter([large])):  # with and without saying how long it is
                headers = {"content-type": "application/json", **headers}
                answer = ada.http.post(path, content=content, headers=headers)
                assert answer.status_code == status, (path, headers, answer.text)
        assert ada.http.post("/api/records", content=b" " * 51_000).status_code == 413
        assert ada.http.post("/api/records", content=iter([b" " * 51_000])).status_code == 413

        half = raw().post("/api/records", len(large), token, body=large[:-1])
        until(lambda: large_requests(server) == 1)
        answer = ada.http.post("/api/records", content=large)
        assert answer.status_code == 503 and "send it again" in answer.json()["no"]
        assert ada.http.post("/api/records", json={"record": "short"}).status_code == 400
        assert raw(OTHERS).post("/api/records", len(large), token, body=large).status() == 400
        half.socket.sendall(large[-1:])
        assert half.status() == 400
        raw().post("/api/records", len(large), token, body=large[:-1]).socket.close()
        until(lambda: large_requests(server) == 0)
        assert raw().post("/api/records", len(large), token, body=large).status() == 400


def large_requests(server: Server) -> int:
    return int(server.app.state.bodies.large.total())


def test_nothing_is_kept_of_bodies_that_were_given_up(
    server: Server, raw: Callable[..., Raw], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without waiting for a collection of garbage, which the server does rarely."""
    being_read: list[bytearray] = []

    def new_body() -> bytearray:
        being_read.append(bytearray())
        return being_read[-1]

    monkeypatch.setattr(bodies, "bytearray", new_body, raising=False)
    with Visitor(server, "Ada") as ada:
        token = f"Authorization: {ada.http.headers['authorization']}"
    count(server, 0)

    def give_up() -> None:
        being_read.clear()
        half = raw().post("/api/records", 49_000, token, body=b"x" * 48_000)
        until(lambda: being_read and len(being_read[0]) == 48_000)
        half.socket.close()
        count(server, 0)

    give_up()
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(20):
            give_up()
        being_read.clear()
        assert tracemalloc.get_traced_memory()[0] < 500_000
    finally:
        tracemalloc.stop()
        gc.enable()


# Answers


def test_whoever_does_not_read_is_cut_off(server: Server, raw: Callable[..., Raw]) -> None:
    deaf = raw(receive_buffer=4096)
    request = f"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    deaf.socket.settimeout(0.05)
    with contextlib.suppress(TimeoutError):
        while True:
            deaf.socket.sendall(request * 50)
    until(lambda: waiting(server) == ["read"])
    only(server).unread += LEAST_TAKEN  # as if it had read a little
    server.move_clock(20)
    count(server, 1)
    server.move_clock(20)
    count(server, 0)


# The real program, with its own event loop and clock


def test_the_program_keeps_its_door_open(tmp_path: Path) -> None:
    few = {"CONNECTIONS_PER_ADDRESS": "6", "HEAD_TIMEOUT": "1.5", "BODY_TIMEOUT": "1.5"}
    environment = {f"MOTHERLODE_{name}": value for name, value in few.items()}
    with Process(f"sqlite:///{tmp_path / 'parlour.db'}", **environment) as process, contextlib.ExitStack() as stack:
        open_ = [stack.enter_context(Raw(process.port)) for _ in range(3)]
        half = [stack.enter_context(Raw(process.port)).post("/api/guests", 99, body=b"{") for _ in range(3)]
        assert refusal(stack.enter_context(Raw(process.port)).rest(), 503)
        assert stack.enter_context(Raw(process.port, OTHERS)).head("GET /api/games HTTP/1.1").status() == 200
        assert {connection.rest() for connection in open_} == {b""}
        assert {refusal(connection.rest(), 408) for connection in half} == {"a request has to be sent within 1.5 s"}
        with process.visitor("Ada") as ada:
            ada.open(ada.make("goldmine", "me", "me")["id"], 0)


def memory(pid: int) -> float:
    """Of a process, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


@pytest.mark.soak
@pytest.mark.parametrize("what", ["1,000 silent connections", "855 half-sent records"])
def test_what_an_attack_costs(tmp_path: Path, what: str) -> None:
    """With the settings that everybody has."""
    with Process(f"sqlite:///{tmp_path / 'parlour.db'}") as process, process.visitor("Eve") as eve:
        before, token = memory(process.child.pid), f"Authorization: {eve.http.headers['authorization']}"
        with contextlib.ExitStack() as stack:
            for k in range(1000 if "silent" in what else 855):
                one = stack.enter_context(Raw(process.port))
                if "silent" not in what:
                    with contextlib.suppress(OSError):  # it is refused while it sends
                        one.post("/api/records", 1_090_000, *([token] if k % 2 else []), body=b"x" * 1_080_000)
            during = memory(process.child.pid)
            assert stack.enter_context(Raw(process.port, OTHERS)).head("GET /api/games HTTP/1.1").status() == 200
        time.sleep(1)
        after = memory(process.child.pid)
        print(f"\n{what}: {before:.0f} MiB before, {during:.0f} during, {after:.0f} after")
        assert during < before + 60 and after < before + 40
