"""Requests made from the OpenAPI document (schemathesis) make no server error."""

import gc
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from support.local_server import PATIENCE, Server, Visitor, serving

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


def ask_by_document(server: Server, examples: int) -> int:
    """Every operation, with data that fit the document and data that do not; the number of requests."""
    schema = schemathesis.openapi.from_dict(server.app.openapi())
    asked = 0
    with Visitor(server, "Eve") as eve, requests.Session() as session:
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
            is_admin = operation.path.startswith("/api/admin")
            session.headers["authorization"] = host if is_admin else str(eve.http.headers["authorization"])
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


@SHARED_RANDOM
def test_a_server_error_is_found(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a seat beyond the last is looked up without a check."""
    monkeypatch.setattr(Seating, "check_owner", lambda seating, seat, guest: seating.table.chairs[seat])
    with pytest.raises(FailureGroup, match="Server error"):
        ask_by_document(server, 10)


@SHARED_RANDOM
@pytest.mark.soak
def test_many_requests_from_the_document_make_no_server_error(server: Server) -> None:
    print(f"\n{ask_by_document(server, EXAMPLES):,} requests made from the OpenAPI document: 0 server errors")
