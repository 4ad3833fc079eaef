"""Ids, tokens and codes say nothing, and who is not let in hears nothing."""

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any

import pytest
from support.local_server import PATIENCE, Server, Visitor
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from motherlode.server import routes, schema, seating, table_setup, wire
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.middleware import deny_socket
from motherlode.server.seating import Seating
from motherlode.server.websocket import PageSocket


def check_ids(server: Server) -> None:
    """Every id and code is 128 random bits: of no two the difference is known, and none follows from what is public."""
    issued: list[str] = []
    public: list[bytes] = []
    for k in range(6):
        with Visitor(server, "Viewer") as visitor:
            cards = [visitor.make("goldmine", "me", "link") for _ in range(2)]
            issued += [visitor.keys[key] for key in ("id", "token", "recovery")]
            issued += [code for card in cards for code in (card["id"], card["links"][0]["code"])]
            public += [visitor.keys["id"].encode(), visitor.keys["name"].encode(), str(k).encode()]
            public += [text.encode() for card in cards for text in (card["id"], card["commitment"], card["made"])]
    numbers = [int.from_bytes(base64.urlsafe_b64decode(code + "==")) for code in issued]
    assert all(len(code) == 22 for code in issued), "an id is not of 128 bits"
    seen: set[int] = set()
    for one, two in combinations(numbers, 2):
        assert (one ^ two).bit_count() > 25, "two ids are alike"
        assert {one ^ two, abs(one - two)}.isdisjoint(seen), "two pairs of ids differ by the same"
        seen |= {one ^ two, abs(one - two)}
    for hashed in (hashlib.md5, hashlib.sha1, hashlib.sha256):
        derived = {int.from_bytes(hashed(given).digest()[:16]) for given in public}
        assert derived.isdisjoint(numbers), "an id follows from what is public"


def test_ids_say_nothing(server: Server) -> None:
    check_ids(server)


@contextmanager
def ids_from(monkeypatch: pytest.MonkeyPatch, make: Callable[[], str]) -> Iterator[None]:
    with monkeypatch.context() as patched:
        for module in (routes, table_setup, seating):
            patched.setattr(module, "new_id", make)
        yield


def code_of(number: int) -> str:
    return base64.urlsafe_b64encode(number.to_bytes(16)).decode().rstrip("=")


def test_sequential_and_linked_ids_are_caught(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    counts = [iter(range(10**6)) for _ in range(3)]
    start, step = secrets.randbits(120), secrets.randbits(110)
    ways: dict[str, Callable[[], str]] = {
        "two ids are alike": lambda: code_of(~start % (1 << 128) - next(counts[0])),
        "two pairs of ids differ by the same": lambda: code_of(start + step * next(counts[1])),
        "follows from": lambda: code_of(int.from_bytes(hashlib.sha256(str(next(counts[2])).encode()).digest()[:16])),
        "128 bits": lambda: secrets.token_urlsafe(8),
    }
    for caught, make in ways.items():
        with ids_from(monkeypatch, make), pytest.raises(AssertionError, match=caught):
            check_ids(server)


def linked_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat's code that follows from its maker's id."""
    real = table_setup.chairs_for

    def leaky(new: wire.NewTable, guest: schema.Guest, *more: Any) -> Any:
        chairs, codes, commitments = real(new, guest, *more)
        codes = {seat: code_of(int.from_bytes(hashlib.sha256(guest.id.encode()).digest()[:16])) for seat in codes}
        return chairs, codes, commitments

    monkeypatch.setattr(table_setup, "chairs_for", leaky)


def test_linked_codes_are_caught(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    linked_code(monkeypatch)
    with pytest.raises(AssertionError, match="differ by the same"):
        check_ids(server)


# Who is not let in


def check_denied(server: Server, others: list[Visitor], stranger: Visitor) -> None:
    """A wrong token, a wrong seat, nobody at all: a refusal instead of a socket, and nobody listens afterwards."""
    card = others[0].make("goldmine", "me", "anyone", watch=False)
    others[1].take(card["id"], 1)
    url = f"ws://127.0.0.1:{server.port}/api/tables/{card['id']}/socket"
    wrong = [
        ("?seat=0", {"authorization": "Bearer nonsense"}, 401),
        ("?seat=0", {"cookie": "motherlode=nonsense"}, 401),
        ("?seat=0", {}, 401),
        ("?seat=0", {"authorization": others[1].http.headers["authorization"]}, 403),
        ("?seat=1", {"authorization": others[2].http.headers["authorization"]}, 403),
        ("", {"authorization": "Bearer nonsense"}, 401),
        ("", {}, 403),
    ]
    for query, headers, status in wrong:
        with pytest.raises(InvalidStatus) as refusal:
            connect(url + query, additional_headers=headers, open_timeout=PATIENCE)
        assert refusal.value.response.status_code == status
        assert set(json.loads(refusal.value.response.body)) == {"no", "clause"}
    assert not server.parlour.tables[card["id"]].presence.listeners
    for path in ("now", "log", "record"):
        answer = stranger.http.get(f"/api/tables/{card['id']}/{path}", params={"seat": 0})
        assert answer.status_code == 403 and set(answer.json()) == {"no", "clause"}
    answer = others[1].http.post(f"/api/tables/{card['id']}/act", json={"seat": 0, "at": 13, "action": 0})
    assert answer.status_code == 403


def test_who_is_not_let_in_hears_nothing(server: Server, others: list[Visitor], stranger: Visitor) -> None:
    check_denied(server, others, stranger)


def test_who_failed_and_still_listens_is_caught(
    monkeypatch: pytest.MonkeyPatch, server: Server, others: list[Visitor], stranger: Visitor
) -> None:
    async def deny_and_subscribe(socket: Any, no: Exception) -> None:
        table = await server.parlour.find(socket.path_params["table"])
        await PageSocket(server.parlour, server.app.state.limits, socket, table, PUBLIC, None).talk(None)

    async def deny_but_listen(socket: Any, no: Exception) -> None:
        table = await server.parlour.find(socket.path_params["table"])
        table.presence.arrive(Listener(PUBLIC, None))
        await real(socket, no)

    real = deny_socket
    for leaky in (deny_and_subscribe, deny_but_listen):
        with monkeypatch.context() as patched:
            patched.setattr(routes, "deny_socket", leaky)
            with pytest.raises((AssertionError, pytest.fail.Exception)):
                check_denied(server, others, stranger)
    with monkeypatch.context() as patched:
        patched.setattr(Seating, "check_owner", lambda seating, seat, guest: seating.table.chairs[seat])
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            check_denied(server, others, stranger)
