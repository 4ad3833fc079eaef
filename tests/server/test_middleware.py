"""What keeps the server: headers, origins, limits, slow readers, a database that fails, logs that tell nothing."""

import json
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import sqlalchemy as sa
from support.local_server import PATIENCE, Page, Server, Visitor, play_out, serving
from support.server_process import Process
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from motherlode.server.middleware import HEADERS
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import TooOften


def address_of(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'parlour.db'}"


@pytest.mark.parametrize("path", ["/", "/api/games", "/api/docs", "/nowhere", "/api/tables/x", "/health", "/metrics"])
def test_every_answer_has_the_security_headers(ada: Visitor, path: str) -> None:
    answer = ada.http.get(path)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    if answer.status_code >= 400:
        assert set(answer.json()) == {"no", "clause"}


def test_pages_of_somewhere_else_may_not_ask(server: Server, ada: Visitor) -> None:
    asked = {"game": "goldmine", "seats": [{"player": "me"}, {"player": "random"}]}
    for origin, status in (("https://evil.example", 403), ("null", 403), (server.url, 201)):
        assert ada.http.post("/api/tables", json=asked, headers={"origin": origin}).status_code == status
    table = ada.make("goldmine", "me", "random", watch=True)["id"]
    url = f"ws://127.0.0.1:{server.port}/api/tables/{table}/socket"
    with pytest.raises(InvalidStatus) as refusal, connect(url, origin=Origin("https://evil.example")):
        pass
    assert refusal.value.response.status_code == 403
    assert "own pages" in json.loads(refusal.value.response.body or b"")["no"]
    with connect(url, origin=Origin(server.url)) as page:
        assert json.loads(page.recv())["is"] == "table"


def test_too_long_is_refused(server: Server, ada: Visitor) -> None:
    large = b'{"record":"' + b"x" * 2_000_000 + b'"}'
    assert ada.http.post("/api/records", content=large).status_code == 413
    assert ada.http.post("/api/records", content=iter([large])).status_code == 413  # without saying how long it is
    with ada.open(ada.make("goldmine", "me", "random")["id"], 0) as page:
        page.socket.send(" " * 5000)
        assert page.wait("no")["no"] == "a message has at most 4096 bytes"
        page.socket.send(" " * 100_000)
        with pytest.raises(ConnectionClosed) as closed:
            page.wait("no")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009


def test_a_bucket_fills_again() -> None:
    now = [0.0]
    limit = RateLimit("tables", (2, 10.0), lambda: now[0])
    for visitor in ("ada", "ada", "bob"):
        limit.take(visitor)
    with pytest.raises(TooOften, match=r"too many tables: at most 2 per 10 s; wait 5\.0 s"):
        limit.take("ada")
    now[0] = 5.0
    limit.take("ada")
    with pytest.raises(TooOften):
        limit.take("ada")


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Server]:
    few: dict[str, Any] = {"tables": (1, 60.0), "uploads": (1, 60.0), "chats": (1, 60.0), "messages": (20, 60.0)}
    with serving(address_of(tmp_path), guests=(2, 60.0), **few) as running:
        yield running


def test_limits_for_each_visitor(strict: Server) -> None:
    with Visitor(strict, "Ada") as ada, Visitor(strict, "Bob") as bob:
        assert httpx.post(f"{strict.url}/api/guests", json={"name": "Eve"}).status_code == 429
        table = ada.make("goldmine", "me", "random")["id"]
        seats = [{"player": "me"}, {"player": "random"}]
        answer = ada.http.post("/api/tables", json={"game": "goldmine", "seats": seats})
        assert answer.status_code == 429 and "too many tables" in answer.json()["no"]
        bob.make("goldmine", "me", "random")
        assert [ada.http.post("/api/records", json={"record": ""}).status_code for _ in range(2)] == [400, 429]
        with ada.open(table, 0) as page:
            page.send(do="chat", text="one")
            page.wait("chat")
            assert "too many chats" in page.ask(do="chat", text="two")["no"]
            at = page.table["at"]
            for _ in range(19):
                page.send(do="ping")
            assert "too many messages" in page.wait("no")["no"]
            strict.move_clock(60)
            assert page.ask(do="ping") == {"is": "pong"} and page.table["at"] == at


def test_a_flood_is_cut_off(strict: Server) -> None:
    def flood(page: Page) -> None:
        for _ in range(100):  # it may be cut off at one of the last
            page.send(do="ping")
        page.wait("table", lambda table: table["result"] is not None)

    with (
        Visitor(strict, "Ada") as ada,
        ada.open(ada.make("goldmine", "me", "random")["id"], 0) as page,
        pytest.raises(ConnectionClosed, match="too many messages"),
    ):
        flood(page)


def test_requests_and_sockets_for_each_address(tmp_path: Path) -> None:
    few = {"requests": (5, 60.0), "sockets": (1, 60.0)}
    with serving(address_of(tmp_path), **few) as server, Visitor(server, "Ada") as ada:
        table = ada.make("goldmine", "me", "random")["id"]
        ada.open(table, 0).close()
        with pytest.raises(InvalidStatus) as refusal:
            ada.open(table, 0)
        assert refusal.value.response.status_code == 429
        assert [ada.http.get("/api/games").status_code for _ in range(4)] == [200, 200, 200, 429]
        assert ada.http.get("/health").status_code == 200


def test_a_client_that_does_not_read_is_dropped_and_slows_nobody(tmp_path: Path) -> None:
    with serving(address_of(tmp_path), slow_client=0.3) as server, Visitor(server, "Ada") as ada:
        table = ada.make("goldmine", "me", "me")["id"]
        flood = b"".join(masked(json.dumps({"do": "why", "action": 10**5}).encode()) for _ in range(1000))
        with socket.socket() as deaf, ada.open(table, 0) as page:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", server.port))
            deaf.sendall(
                f"GET /api/tables/{table}/socket?seat=1 HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                f"Authorization: {ada.http.headers['authorization']}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
            )
            page.wait("presence", lambda message: message["present"] == [True, True])
            gone = threading.Event()

            def talk() -> None:
                try:
                    while True:
                        deaf.sendall(flood)
                except OSError:
                    gone.set()

            thread = threading.Thread(target=talk)
            thread.start()
            assert page.ask(do="ping") == {"is": "pong"}
            page.wait("presence", lambda message: message["present"] == [True, False])
            assert gone.wait(PATIENCE)
            thread.join()
        assert "motherlode_sockets_dropped_total 1.0" in ada.http.get("/metrics").text


def masked(payload: bytes) -> bytes:
    """A client's text frame."""
    assert len(payload) < 126
    return bytes([0x81, 0x80 | len(payload), 0, 0, 0, 0]) + payload


def acting_page(visitor: Visitor) -> Page:
    page = visitor.open(visitor.make("china_gold", "me", "me")["id"], 0)
    page.until_turn()
    return page


def test_a_locked_database_refuses_and_recovers(tmp_path: Path) -> None:
    with serving(address_of(tmp_path), store_timeout=0.05) as server, Visitor(server, "Ada") as ada:
        page = acting_page(ada)
        at, action = page.table["at"], page.table["legal"][0]["action"]
        engine = sa.create_engine(address_of(tmp_path))
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
            no = page.ask(do="act", at=at, action=action)
            assert no["no"] == "this cannot be stored now; try again" and no["at"] == at
            assert ada.http.get("/ready").status_code == 503
            connection.exec_driver_sql("ROLLBACK")
        engine.dispose()
        assert ada.http.get("/ready").json() == {"status": "ok", "reason": None}
        page.act()
        assert ada.get(f"/api/tables/{page.table['table']}/log", seat=0)["did"][at]["action"] == action


def test_a_full_disk_refuses_and_recovers(tmp_path: Path) -> None:
    with serving(address_of(tmp_path)) as server, Visitor(server, "Ada") as ada:
        page = acting_page(ada)
        at = page.table["at"]

        def fill(connection: sa.Connection) -> None:
            connection.exec_driver_sql("PRAGMA max_page_count=1")

        sa.event.listen(server.parlour.storage.engine, "begin", fill)
        refusals = 0
        for text in ["x" * 500] * 200:
            page.send(do="chat", text=text)
            answer = page.take()
            while answer["is"] not in ("no", "chat"):
                answer = page.take()
            refusals += answer["is"] == "no" and "cannot be stored" in answer["no"]
            if refusals:
                break
        assert refusals, "the disk was never full"
        sa.event.remove(server.parlour.storage.engine, "begin", fill)

        def empty(connection: sa.Connection) -> None:
            connection.exec_driver_sql("PRAGMA max_page_count=1000000")

        sa.event.listen(server.parlour.storage.engine, "begin", empty)
        assert page.ask(do="ping") == {"is": "pong"} and page.table["at"] == at
        page.act()


def test_a_lost_connection_to_postgresql_is_made_again(new_postgresql: Any) -> None:
    database = new_postgresql()
    with (
        serving(database) as first,
        serving(database) as second,
        Visitor(first, "Ada") as ada,
        Visitor(second, "Bob") as bob,
    ):
        card = ada.make("goldmine", "me", "link", options={"target": 0})
        bob.take(card["id"], 1, code=card["links"][0]["code"])
        with ada.open(card["id"], 0) as one, bob.open(card["id"], 1) as two:
            with psycopg.connect(database, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            play_out([one, two])
            assert one.table["result"] == two.table["result"]


def test_a_broken_log_is_not_played_on(tmp_path: Path) -> None:
    """The chain is checked whenever a table is loaded."""
    with serving(address_of(tmp_path)) as server, Visitor(server, "Ada") as ada:
        page = acting_page(ada)
        page.act()
        table = page.table["table"]
        token = ada.http.headers["authorization"]
    engine = sa.create_engine(address_of(tmp_path))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE log SET action = (action + 1) % 2 WHERE at = 0")
    engine.dispose()
    with serving(address_of(tmp_path)) as server:
        answer = httpx.get(f"{server.url}/api/tables/{table}/now?seat=0", headers={"authorization": token})
        assert answer.status_code == 500 and "damaged" in answer.json()["no"]
        assert httpx.get(f"{server.url}/ready").status_code == 200


def test_health_and_metrics(tmp_path: Path) -> None:
    """On a server of its own: nobody else's bot acts meanwhile."""
    with serving(address_of(tmp_path)) as server, Visitor(server, "Ada") as ada:
        assert ada.get("/health") == ada.get("/ready") == {"status": "ok", "reason": None}
        page = acting_page(ada)
        before = metric(ada, "motherlode_actions_total")
        page.act()
        page.ask(do="act", at=0, action=0)
        assert metric(ada, "motherlode_actions_total") == before + 1
        assert metric(ada, "motherlode_sockets") == metric(ada, 'motherlode_refusals_total{why="act"}') == 1


def metric(visitor: Visitor, name: str) -> float:
    lines = visitor.http.get("/metrics").text.splitlines()
    return next(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name + " "))


def test_logs_are_json_and_hold_no_secrets_and_a_stop_is_graceful(tmp_path: Path) -> None:
    with Process(address_of(tmp_path)) as process:
        with process.visitor("Ada Lovelace") as ada:
            card = ada.make("goldmine", "me", "link")
            page = ada.open(card["id"], 0)
            ada.http.get("/api/tables/nonsense")
            ada.http.post("/api/guests/recover", json={"code": "wrong"})
            process.child.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed) as closed:
                page.wait("no")
            assert closed.value.rcvd is not None and closed.value.rcvd.code == 1012
            assert process.child.wait(PATIENCE) == 0
            assert process.child.stdout is not None
            said = [*process.said, *process.child.stdout]
        for line in said:
            assert line.startswith("Motherlode is at") or json.loads(line)["message"], line
        whole = "".join(said)
        for secret in (ada.keys["token"], ada.keys["recovery"], card["links"][0]["code"], "Ada Lovelace"):
            assert secret not in whole
