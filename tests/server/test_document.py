"""Requests made from the OpenAPI document (schemathesis) make no server error."""

import gc
import socket
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
import requests
import schemathesis
import schemathesis.specs.openapi.schemas  # now: loaded beside the thread of a server it may fail in Python 3.11
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from support.local_server import PATIENCE, Server, Visitor, serving
from support.viewer_tape import ENDING

from motherlode import puzzles
from motherlode.games import GAMES
from motherlode.server.seating import Seating


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    """`now?after=` does not wait: schemathesis asks for it again and again."""
    with serving(database, wait=0.01) as running:
        yield running


EXAMPLES = 500  # of each kind of request in the long run

# The server's thread draws from the same module while a case is made; a refused request leaves its socket behind.
SHARED_RANDOM = pytest.mark.filterwarnings(
    "ignore:Do not use the `random` module inside strategies",
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore::ResourceWarning",
)


def ask_by_document(server: Server, examples: int, under: str = "") -> int:
    """Every operation (of those under a path), with data that fit the document and data that do not; the number of
    requests."""
    schema = schemathesis.openapi.from_dict(server.app.openapi())
    asked = 0
    with Visitor(server, "Eve") as eve, Visitor(server, "Bob") as bob, requests.Session() as session:
        table = eve.make("goldmine", "me", "me")["id"]
        host = f"Bearer {server.app.state.administration.token}"

        def ask(case: Any) -> None:
            nonlocal asked
            asked += 1
            session.cookies.clear()
            answer = case.call(base_url=server.url, session=session, timeout=PATIENCE)
            case.validate_response(answer, checks=[not_a_server_error])

        for found in schema.get_all_operations():
            assert isinstance(found, Ok)
            operation = found.ok()
            if not operation.path.startswith(under):
                continue
            is_admin = operation.path.startswith("/api/admin")
            guest = bob if (operation.method.upper(), operation.path) in ENDING else eve
            session.headers["authorization"] = host if is_admin else str(guest.http.headers["authorization"])
            cases = [operation.as_strategy(GenerationMode.POSITIVE)]
            if operation.body or operation.query:
                cases.append(operation.as_strategy(GenerationMode.NEGATIVE))
            if "{table}" in operation.path:
                real = {"table": table, **({"seat": 0} if "{seat}" in operation.path else {})}
                cases.append(operation.as_strategy(GenerationMode.POSITIVE, path_parameters=real))
            for strategy in cases:
                limited = settings(max_examples=examples, suppress_health_check=list(HealthCheck), database=None)
                limited(given(strategy)(ask))()
    gc.collect()
    return asked


@SHARED_RANDOM
def test_requests_from_the_document_make_no_server_error(server: Server) -> None:
    assert ask_by_document(server, 3) > 80


# Numbers that Python does not read, floats cannot hold or a database has no room for; and what no header should be.
NUMBERS = ["9" * 5000, "-" + "9" * 5000, "9" * 4299, "9" * 400, "9" * 20, "1e999", "1E-5000", "0." + "9" * 5000, "NaN"]
HEADERS = (
    "Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type",
    "Cookie", "Expect", "Forwarded", "Host", "If-Modified-Since", "If-None-Match", "If-Range", "Origin", "Range",
    "Referer", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "TE", "Transfer-Encoding", "Upgrade", "X-Forwarded-For",
    "X-Forwarded-Proto", "X-HTTP-Method-Override",
)  # fmt: skip
ODD = [
    "9" * 5000, "", "\xff\xfe", "\t", "x" * 5000, "http://[::1", "http://[", "http://a]b", f"http://a:{'9' * 5000}",
    "[::1", f"bytes=0-{'9' * 5000}", f"bytes={'9' * 5000}-", "bytes=5-2", f"192.0.2.1:{'9' * 5000}", "Bearer \xff",
    f"motherlode={'9' * 5000}", "application/json; charset=x", "multipart/form-data", "websocket",
    "gzip;q=" + "9" * 5000, '"\\', "=?", "chunked",
]  # fmt: skip


def bodies(schema: Any, document: Any) -> Iterator[str]:
    """A JSON text for every place in the schema where a number could stand."""
    if "$ref" in schema:
        yield from bodies(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], document)
        return
    for one in schema.get("anyOf", []) + schema.get("oneOf", []):
        yield from bodies(one, document)
    for name, inner in schema.get("properties", {}).items():
        yield from (f'{{"{name}": {body}}}' for body in bodies(inner, document))
    if isinstance(inner := schema.get("additionalProperties"), dict):
        yield from (f'{{"x": {body}}}' for body in bodies(inner, document))
    if "items" in schema:
        yield from (f"[{body}]" for body in bodies(schema["items"], document))
    yield "NUMBER"


def odd_requests(server: Server, table: str) -> Iterator[tuple[str, str, dict[str, str], str]]:
    """Method, path, headers and body: every parameter and every place in a body an odd number, every header odd."""
    document = server.app.openapi()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            real = {"table": table, "seat": "0", "at": "0", "name": "goldmine", "game": "goldmine", "guest": table}
            real["puzzle"] = puzzles.of(GAMES["goldmine"])[0].id
            usual = path.format_map(real)
            json_headers = {"Content-Type": "application/json"}
            for parameter in operation.get("parameters", []):
                name = parameter["name"]
                for number in NUMBERS:
                    in_path = parameter["in"] == "path"
                    asked = path.format_map({**real, name: number}) if in_path else f"{usual}?{name}={number}"
                    yield method.upper(), asked, json_headers, "{}"
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if schema:
                for body in dict.fromkeys(bodies(schema, document)):
                    for number in NUMBERS:
                        yield method.upper(), usual, json_headers, body.replace("NUMBER", number)
    for header in HEADERS:
        for value in ODD:
            for method, path, body in (
                ("GET", "/", ""),
                ("GET", "/api/guests/me", ""),
                ("POST", "/api/guests", "{}"),
                ("GET", f"/api/tables/{table}/socket", ""),
            ):
                upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
                upgrade["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
                yield method, path, {**(upgrade if path.endswith("/socket") else {}), header: value}, body


def answer_to(server: Server, method: str, path: str, headers: dict[str, str], body: str) -> bytes:
    """The beginning of what the server says, over a connection of its own."""
    body = "0\r\n\r\n" if headers.get("Transfer-Encoding") == "chunked" else body
    given = {"Host": f"127.0.0.1:{server.port}", "Content-Length": str(len(body)), **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), "", body]
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join(lines).encode("latin-1"))
        return connection.recv(4096)


def server_errors(server: Server, step: int) -> tuple[int, list[Any]]:
    """How many odd requests there were, one of so many, and those that were not answered or with 5xx."""
    with Visitor(server, "Eve") as eve:
        table = eve.make("goldmine", "me", "me")["id"]
        token = eve.http.headers["authorization"]
        asked, errors = 0, []
        for method, path, headers, body in islice(odd_requests(server, table), 0, None, step):
            found = answer_to(server, method, path, {"Authorization": token, **headers}, body)
            asked += 1
            if not found or found.startswith(b"HTTP/1.1 5"):
                errors.append((method, path[:80], headers, body[:80], found[:80]))
    return asked, errors


def test_odd_numbers_and_headers_make_no_server_error(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    asked, errors = server_errors(server, 13)
    assert asked > 200 and not errors
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]


@SHARED_RANDOM
def test_a_server_error_is_found(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a seat beyond the last is looked up without a check."""
    monkeypatch.setattr(Seating, "check_owner", lambda seating, seat, guest: seating.table.chairs[seat])
    with pytest.raises(FailureGroup, match="Server error"):
        ask_by_document(server, 10, "/api/tables/{table}/")


@SHARED_RANDOM
@pytest.mark.soak
def test_many_requests_from_the_document_make_no_server_error(server: Server) -> None:
    print(f"\n{ask_by_document(server, EXAMPLES):,} requests made from the OpenAPI document: 0 server errors")


@pytest.mark.soak
def test_all_odd_numbers_and_headers_make_no_server_error(server: Server) -> None:
    asked, errors = server_errors(server, 1)
    assert not errors
    print(f"\n{asked:,} requests with odd numbers and headers: 0 server errors")
