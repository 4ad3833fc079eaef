"""Who asks, through which proxies and for which name: what limits count, and what is refused."""

import re
import socket
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.datastructures import Headers
from support.local_server import Server, Visitor, serving
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response
from websockets.sync.client import connect

from motherlode.server.addresses import Hosts, Proxies, host_name, visitor_of
from motherlode.server.middleware import HSTS, RAW_HEADERS
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import TooOften

LOOPBACK = (ip_network("127.0.0.0/8"),)
# Certificates take long to read; and connections that are kept would be closed when the clock is moved.
CLIENT = httpx.Client(verify=False, limits=httpx.Limits(max_keepalive_connections=0))
TOKEN = "a token for the metrics"
TABLE = {"game": "goldmine", "seats": [{"player": "me"}, {"player": "link"}]}


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Behind a proxy on this machine."""
    few: dict[str, Any] = {"requests": (20, 60.0), "connections_per_address": 3, "hosts": ("parlour.example",)}
    with serving(database(tmp_path_factory), proxies=LOOPBACK, metrics_token=TOKEN, **few) as running:
        yield running


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Reached directly, with one table and one upload for each visitor and two for each address."""
    few: dict[str, Any] = {"requests": (20, 60.0), "tables": (1, 3600.0), "uploads": (1, 3600.0), "chats": (1, 3600.0)}
    with serving(database(tmp_path_factory), visitors_per_address=2, metrics_token=TOKEN, **few) as running:
        yield running


def database(folders: pytest.TempPathFactory) -> str:
    return f"sqlite:///{folders.mktemp('parlour') / 'parlour.db'}"


@pytest.fixture(autouse=True)
def time_passes(request: pytest.FixtureRequest) -> None:
    CLIENT.cookies.clear()
    for name in {"proxied", "direct"} & set(request.fixturenames):
        request.getfixturevalue(name).move_clock(4000)


@pytest.fixture(scope="module", autouse=True)
def client() -> Iterator[None]:
    yield
    CLIENT.close()


def get(server: Server, path: str = "/api/games", **headers: str) -> httpx.Response:
    return CLIENT.get(server.url + path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def socket_refusal(url: str, **more: Any) -> Response:
    with pytest.raises(InvalidStatus) as refused, connect(url, **more):
        pass
    return refused.value.response


# Addresses


def test_what_limits_count() -> None:
    assert visitor_of("192.0.2.1") == visitor_of("::ffff:192.0.2.1") == "192.0.2.1"
    assert visitor_of("2001:db8:1:2:3:4:5:6") == visitor_of("2001:db8:1:2::") == "2001:db8:1:2::/64"
    assert visitor_of("2001:db8:1:3::") != visitor_of("2001:db8:1:2::")
    assert visitor_of("fe80::1%eth0") == "fe80::/64"
    assert visitor_of("?") == "?"


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ([], "10.0.0.1"),
        (["192.0.2.1"], "192.0.2.1"),
        (["198.51.100.7, 192.0.2.1"], "192.0.2.1"),  # what the client claims comes first
        (["198.51.100.7", "192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1, 10.0.0.2"], "192.0.2.1"),  # two proxies of ours
        (["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        (["192.0.2.1:4711"], "192.0.2.1"),
        (["[2001:db8::1]:4711"], "2001:db8::1"),
        (["2001:db8::1"], "2001:db8::1"),
        (["::ffff:192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1, unknown"], "10.0.0.1"),
        (["192.0.2.1, unknown, 10.0.0.2"], "10.0.0.2"),
        (["192.0.2.1:" + "9" * 5000], "192.0.2.1"),
        (["9" * 5000], "10.0.0.1"),
        (["[::1"], "::1"),
        ([""], "10.0.0.1"),
    ],
)
def test_the_address_that_a_trusted_proxy_names(forwarded: list[str], address: str) -> None:
    headers = Headers(raw=[(b"x-forwarded-for", value.encode()) for value in forwarded])
    trusting, cautious = Proxies((ip_network("10.0.0.0/8"),)), Proxies(())
    assert trusting.source("10.0.0.1", headers, is_https=False) == (address, False)
    assert trusting.source("203.0.113.9", headers, is_https=False) == ("203.0.113.9", False)
    assert cautious.source("10.0.0.1", headers, is_https=False) == ("10.0.0.1", False)


def test_the_scheme_that_a_trusted_proxy_names() -> None:
    trusting = Proxies((ip_network("10.0.0.1/32"),))
    for written, is_https in (("https", True), ("HTTPS", True), ("http", False), ("https, http", False), ("x", False)):
        headers = Headers({"x-forwarded-proto": written})
        assert trusting.source("10.0.0.1", headers, is_https=False).is_https == is_https
        assert not trusting.source("10.0.0.2", headers, is_https=False).is_https


def test_nobody_escapes_a_limit_by_claiming_another_address(direct: Server) -> None:
    answers = [get(direct, x_forwarded_for=f"192.0.2.{k}").status_code for k in range(21)]
    assert answers == [200] * 20 + [429]


def test_behind_a_proxy_each_address_has_its_own_limit(proxied: Server) -> None:
    def ask(address: str) -> int:
        return get(proxied, x_forwarded_for=address).status_code

    assert [ask(f"198.51.100.{k}, 192.0.2.1") for k in range(21)] == [200] * 20 + [429]
    assert ask("192.0.2.2") == 200
    assert [ask(f"2001:db8::{k}") for k in range(21)] == [200] * 20 + [429]
    assert ask("2001:db8:0:1::1") == 200


def test_behind_a_proxy_each_address_has_its_sockets(proxied: Server) -> None:
    """The proxy has the connections; the sockets in them count for those who opened them."""
    with Visitor(proxied, "Ada") as ada:
        table = ada.make("goldmine", "me", "me", watch=True)["id"]

        def opened(address: str) -> Any:
            url = f"ws://127.0.0.1:{proxied.port}/api/tables/{table}/socket"
            return connect(url, additional_headers={"x-forwarded-for": address})

        with opened("192.0.2.1"), opened("192.0.2.1"):
            with opened("192.0.2.1"):
                with pytest.raises(InvalidStatus) as refused, opened("192.0.2.1"):
                    pass
                assert refused.value.response.status_code == 503
                assert (b"cache-control", b"no-store") in lower(refused.value.response.headers.raw_items())
                assert get(proxied, x_forwarded_for="192.0.2.1").status_code == 503
                assert get(proxied, x_forwarded_for="192.0.2.2").status_code == 200
                with opened("192.0.2.2"):
                    pass
            with opened("192.0.2.1"):
                pass


def lower(headers: Any) -> set[tuple[bytes, bytes]]:
    return {(name.lower().encode(), value.encode()) for name, value in headers}


# Guests


def test_many_guests_of_one_address_do_not_multiply_its_tables(direct: Server) -> None:
    with Visitor(direct, "Ada") as ada, Visitor(direct, "Bob") as bob, Visitor(direct, "Eve") as eve:
        assert [guest.http.post("/api/tables", json=TABLE).status_code for guest in (ada, ada, bob, eve)] == [
            201, 429, 201, 429,
        ]  # fmt: skip
        refused = eve.http.post("/api/tables", json=TABLE).json()["no"]
        assert refused.startswith("too many tables from your address: at most 2 per 3600 s")
        uploads = [guest.http.post("/api/records", json={"record": ""}).status_code for guest in (ada, bob, eve)]
        assert uploads == [400, 400, 429]


def test_a_guest_of_many_addresses_is_one_guest(proxied: Server) -> None:
    with Visitor(proxied, "Ada") as ada:
        answers = [
            ada.http.get("/api/guests/me", headers={"x-forwarded-for": f"192.0.2.{k}"}).status_code for k in range(21)
        ]
    assert answers == [200] * 20 + [429]


def test_the_buckets_used_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.server.rate_limit.MOST_BUCKETS", 10)
    limit = RateLimit("tables", (2, 1000.0), lambda: 0.0)
    limit.take("ada")
    for k in range(30):
        limit.take(f"other {k}")
        if k == 5:
            limit.take("ada")
        if k in (12, 20):
            with pytest.raises(TooOften):
                limit.take("ada")
            break


# Hosts


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("localhost", "localhost"), ("LocalHost.:80", "localhost"), ("[::1]:8000", "::1"), ("192.0.2.1:1", "192.0.2.1"),
        ("", None), ("[::1", None), ("[", None), ("a b", None), ("a/b", None), ("a@b", None), ("a:b", None),
        ("a:" + "9" * 5000, None), ("\xff", None), ("a:", None),
    ],
)  # fmt: skip
def test_the_name_in_a_host(written: str, name: str | None) -> None:
    assert host_name(written) == name


def test_the_hosts_of_a_home_network_are_allowed() -> None:
    hosts, machine = Hosts(("parlour.example",)), socket.gethostname().lower()
    for name in (
        "localhost",
        "my.localhost",
        "127.0.0.1",
        "::1",
        "192.168.1.20",
        "fe80::1",
        machine,
        "parlour.example",
    ):
        assert hosts.allow(name), name
    assert hosts.allow("parlour.example") and hosts.allow(machine.partition(".")[0] + ".local")
    for name in ("evil.example", "other.parlour.example", "localhost.evil.example", "other", f"{machine}.evil.example"):
        assert not hosts.allow(name), name


@pytest.mark.parametrize("path", ["/", "/api/games", "/api/docs", "/nowhere", "/table/x"])
def test_a_foreign_host_is_refused(direct: Server, path: str) -> None:
    """A page of evil.example whose name is pointed at this machine has the same origin as ours, and reads nothing."""
    answer = get(direct, path, host="evil.example")
    assert answer.status_code == 421 and "`hosts`" in answer.json()["no"]
    assert answer.headers["cache-control"] == "no-store"
    for name in (f"localhost:{direct.port}", "192.168.1.20", f"{socket.gethostname()}.local:8000"):
        assert get(direct, path, host=name).status_code in (200, 404)
    assert get(direct, path, host="[::1").status_code == 400


def test_a_foreign_host_has_no_sockets(direct: Server) -> None:
    here = socket.create_connection(("127.0.0.1", direct.port))
    assert socket_refusal(f"ws://evil.example:{direct.port}/api/tables/x/socket", sock=here).status_code == 421


def test_a_configured_host_is_allowed_and_health_needs_none(proxied: Server) -> None:
    assert get(proxied, host="Parlour.example").status_code == 200
    assert get(proxied, host="other.example").status_code == 421
    assert get(proxied, "/health", host="a-pod").status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://[::1", "http://[", "http://a]b", "null", "x", "http://", "http://evil.example", "http://[v1.x]"]
)
def test_a_malformed_origin_is_a_foreign_one(direct: Server, origin: str) -> None:
    answer = CLIENT.post(f"{direct.url}/api/guests", json={"name": "Ada"}, headers={"origin": origin})
    assert answer.status_code == 403 and "own pages" in answer.json()["no"]
    url = f"ws://127.0.0.1:{direct.port}/api/tables/x/socket"
    assert socket_refusal(url, additional_headers={"origin": origin}).status_code == 403


# Metrics


@pytest.mark.parametrize(
    "headers",
    [
        {"x-forwarded-for": "127.0.0.1"}, {"forwarded": "for=127.0.0.1"}, {"via": "1.1 proxy"}, {"x-real-ip": "::1"},
        {"x-forwarded-host": "parlour.example"}, {"x-forwarded-proto": "https"}, {"host": "parlour.example"},
    ],
)  # fmt: skip
def test_metrics_through_a_proxy_need_a_token(direct: Server, headers: dict[str, str]) -> None:
    """They count hidden actions: at a quiet server a player could see how far another has built in secret."""
    refused = CLIENT.get(f"{direct.url}/metrics", headers=headers)
    assert refused.status_code == 403 and "motherlode_actions" not in refused.text
    assert "`metrics_token`" in refused.json()["no"]
    for token, status in (("nonsense", 403), ("x" * 5000, 403), (TOKEN, 200)):
        answer = CLIENT.get(f"{direct.url}/metrics", headers={**headers, "authorization": f"Bearer {token}"})
        assert answer.status_code == status


def test_metrics_are_open_on_the_machine_itself(direct: Server, proxied: Server) -> None:
    assert "motherlode_actions" in get(direct, "/metrics").text
    assert get(proxied, "/metrics").status_code == 403  # it may be the proxy, asked by anybody
    assert get(proxied, "/metrics", authorization=f"Bearer {TOKEN}").status_code == 200


def test_without_a_token_no_token_is_right(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path / 'parlour.db'}") as server:
        for given in (b"Bearer", b"Bearer \xff", b""):
            answer = CLIENT.get(f"{server.url}/metrics", headers=[(b"via", b"x"), (b"authorization", given)])
            assert answer.status_code == 403


# Headers


def test_https_is_remembered_and_the_cookie_is_for_https(proxied: Server, direct: Server) -> None:
    body = {"name": "Ada"}
    for server, proto, is_https in (
        (proxied, "https", True),
        (proxied, "http", False),
        (direct, "https", False),
    ):
        answer = CLIENT.post(f"{server.url}/api/guests", json=body, headers={"x-forwarded-proto": proto})
        assert (answer.headers.get("strict-transport-security") == HSTS[1].decode()) == is_https
        assert ("strict-transport-security" in answer.headers) == is_https
        assert ("secure" in answer.headers["set-cookie"].lower()) == is_https
        for path in ("/", "/nowhere", "/health"):
            page = get(server, path, x_forwarded_proto=proto)
            assert ("strict-transport-security" in page.headers) == is_https


def test_links_have_the_scheme_of_the_proxy(proxied: Server) -> None:
    with Visitor(proxied, "Ada") as ada:
        origin = {"origin": "https://parlour.example", "host": "parlour.example", "x-forwarded-proto": "https"}
        assert ada.http.post("/api/tables", json=TABLE, headers=origin).status_code == 201


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/games", 200), ("GET", "/api/docs", 200), ("GET", "/api/openapi.json", 200),
        ("GET", "/api/guests/me", 401), ("GET", "/api/tables/x", 404), ("GET", "/api/nowhere", 404),
        ("POST", "/api/guests", 422), ("PUT", "/api/guests", 405), ("GET", "/nowhere", 404), ("GET", "/metrics", 200),
        ("GET", "/api/games/nonsense", 400), ("POST", "/health", 405), ("GET", "/ready", 200),
    ],
)  # fmt: skip
def test_no_answer_of_the_api_is_kept(direct: Server, method: str, path: str, status: int) -> None:
    answer = CLIENT.request(method, direct.url + path)
    assert (answer.status_code, answer.headers["cache-control"]) == (status, "no-store")
    assert {name.decode() for name, _ in RAW_HEADERS} <= set(answer.headers)


def test_pages_may_be_kept(direct: Server) -> None:
    assert "no-store" not in get(direct, "/").headers.get("cache-control", "")


def test_refused_sockets_have_the_headers_too(direct: Server) -> None:
    refused = socket_refusal(f"ws://127.0.0.1:{direct.port}/api/tables/x/socket")
    assert refused.status_code == 404
    given = lower(refused.headers.raw_items())
    assert {*RAW_HEADERS, (b"cache-control", b"no-store")} <= given


# Failures


def test_a_failure_tells_nothing(direct: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Any:
        raise RuntimeError("/etc/secret at db.internal")

    monkeypatch.setattr(direct.parlour, "find", fail)
    answer = get(direct, "/api/tables/x")
    assert answer.status_code == 500 and answer.json()["no"] == "the server failed; its log says why"
    assert answer.headers["cache-control"] == "no-store"
    refused = socket_refusal(f"ws://127.0.0.1:{direct.port}/api/tables/x/socket")
    assert refused.status_code == 500
    assert not re.search(rb"secret|internal\b|Error:|Traceback", refused.body or b"")


def test_a_refused_socket_is_no_error_in_the_log(direct: Server, caplog: pytest.LogCaptureFixture) -> None:
    assert socket_refusal(f"ws://127.0.0.1:{direct.port}/api/tables/x/socket").status_code == 404
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "WARNING")]


def test_an_untrusted_proxy_is_named_once_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with serving(f"sqlite:///{tmp_path / 'parlour.db'}") as server:
        for _ in range(3):
            get(server, x_forwarded_for="192.0.2.1")
    assert [record.levelname for record in caplog.records if "`proxies`" in record.getMessage()] == ["WARNING"]
    assert "192.0.2.1" not in caplog.text
