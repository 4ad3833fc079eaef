"""Whatever is sent to the server, each abuse by itself: one clear refusal, nothing changed, nobody else disturbed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from support.local_server import Page, Server, Visitor, serving
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from motherlode.server.schema import METADATA


def everything(server: Server) -> list[Any]:
    """All that is stored."""
    engine = sa.create_engine(server.parlour.settings.database)
    with engine.connect() as connection:
        rows = [sorted(map(str, connection.execute(sa.select(table)))) for table in METADATA.sorted_tables]
    engine.dispose()
    return rows


@contextmanager
def nothing_changes(server: Server, bystander: Page) -> Iterator[None]:
    """What is stored stays, and another table's page is told nothing."""
    before = everything(server)
    yield
    assert everything(server) == before
    bystander.send(do="ping")
    assert bystander.take() == {"is": "pong"}


def one_answer(page: Page, *sent: Any) -> dict[str, Any]:
    """The only answer: before the pong that is asked for afterwards nothing else comes."""
    for message in sent:
        page.socket.send(message if isinstance(message, (str, bytes)) else json.dumps(message))
    page.send(do="ping")
    answers = [page.take()]
    while answers[-1]["is"] != "pong":
        answers.append(page.take())
    kept = [answer for answer in answers if answer["is"] not in ("presence", "pong")]
    assert len(kept) == len(sent) and all(answer["is"] == "no" for answer in kept), answers
    assert all(answer["no"] and answer["at"] == page.table["at"] for answer in kept)
    return kept[-1]


class TestOneRefusal:
    """The table is Goldmine's opening: seat 1 is to act at 13; two tabs of seat 1 are open."""

    @pytest.fixture(autouse=True)
    def sit(self, server: Server, ada: Visitor, bob: Visitor, bystander: Page) -> None:
        self.server, self.ada, self.bob, self.bystander = server, ada, bob, bystander
        card = ada.make("goldmine", "me", "link")
        bob.take(card["id"], 1, code=card["links"][0]["code"])
        self.key = card["id"]
        self.waiting, self.acting, self.tab = ada.open(self.key, 0), bob.open(self.key, 1), bob.open(self.key, 1)
        self.at = self.acting.table["at"]
        self.action = self.acting.table["legal"][0]["action"]
        self.act = {"do": "act", "at": self.at, "action": self.action}

    def refuses(self, page: Page, *sent: Any) -> str:
        with nothing_changes(self.server, self.bystander):
            return str(one_answer(page, *sent)["no"])

    def test_wrong_seat(self) -> None:
        assert self.refuses(self.waiting, self.act) == "it is not your turn"

    def test_stale(self) -> None:
        assert "look again" in self.refuses(self.acting, {**self.act, "at": self.at - 1})
        assert "look again" in self.refuses(self.acting, {**self.act, "at": self.at + 1})

    @pytest.mark.parametrize("which", ["acting", "tab"])
    def test_double_submissions_two_tabs_and_replayed_messages(self, which: str) -> None:
        self.acting.act()
        page = getattr(self, which)
        while page.table["at"] == self.at:
            page.wait("table")
        assert "look again" in self.refuses(page, self.act, self.act, self.act)

    def test_illegal(self) -> None:
        no = self.refuses(self.acting, {**self.act, "action": 24})
        assert no.startswith("GM-3.5")
        assert "there is no action" in self.refuses(self.acting, {**self.act, "action": 10**6})

    def test_malformed_and_oversized(self) -> None:
        act = '{"do":"act","at":13,"action":0}'
        changed = [act.replace(old, new) for old, new in (
            ("13", "-1"), ("13", "1e1"), ("13", "9" * 30), ("13", '"13"'), ("0", "NaN"), ("0", "true"), ("0", "null"),
            ("}", ',"seat":1}'), ("act", "dance"), ('"act"', "null"), ('"act"', '["act"]'), ("}", ""),
        )]  # fmt: skip
        more = ["", "{", "null", "[]", "1", '"act"', '{"do":"chat","text":""}', '{"do":"chat","text":"\\ud800"}',
                '{"do":"substitute","seat":-1}', "[" * 4000, '{"do":' * 600, b"\x00", b"", "x" * 5000]  # fmt: skip
        for sent in [*changed, *more]:
            assert 0 < len(self.refuses(self.acting, sent)) < 300

    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            ({}, 401),
            ({"authorization": "Bearer nonsense"}, 401),
            ({"authorization": "Basic nonsense"}, 401),
            ({"cookie": "motherlode=nonsense"}, 401),
            ({"authorization": "ada"}, 403),
            ({"authorization": "bob", "origin": "https://evil.example"}, 403),
            ({"authorization": "bob", "origin": "null"}, 403),
        ],
    )
    def test_wrong_token_and_foreign_origin(self, headers: dict[str, str], status: int) -> None:
        real = {name: getattr(self, name).http.headers["authorization"] for name in ("ada", "bob")}
        headers = {name: real.get(value, value) for name, value in headers.items()}
        url = f"{self.server.url}/api/tables/{self.key}"
        with nothing_changes(self.server, self.bystander):
            body = {"seat": 1, "at": self.at, "action": self.action}
            answer = httpx.post(f"{url}/act", json=body, headers=headers, verify=False)
            assert answer.status_code == status and answer.json()["no"]
            with (
                pytest.raises(InvalidStatus) as refusal,
                connect(f"{url}/socket?seat=1".replace("http", "ws", 1), additional_headers=headers),
            ):
                pass
            assert refusal.value.response.status_code == status

    def test_too_frequent(self, tmp_path: Any) -> None:
        with (
            serving(f"sqlite:///{tmp_path / 'x.db'}", messages=(5, 60.0)) as strict,
            Visitor(strict, "Ada") as ada,
            Visitor(strict, "Bob") as bob,
        ):
            page = ada.open(ada.make("china_gold", "me", "me")["id"], 0)
            other = bob.open(bob.make("china_gold", "me", "me")["id"], 0)
            for _ in range(5):
                assert page.ask(do="ping") == {"is": "pong"}
            before = everything(strict)
            no = page.ask(do="act", at=page.table["at"], action=page.table["legal"][0]["action"])
            assert no["no"].startswith("too many messages") and everything(strict) == before
            other.act()
            strict.move_clock(12)
            page.act()

    def test_what_is_refused_by_http_changes_nothing(self) -> None:
        path = f"/api/tables/{self.key}"
        asked: list[tuple[str, dict[str, Any]]] = [
            (f"{path}/seats/0/take", {}), (f"{path}/seats/0/take", {"code": "nonsense"}), (f"{path}/seats/0/link", {}),
            (f"{path}/seats/7/take", {}), (f"{path}/act", {"seat": 0, "at": self.at, "action": 0}),
            ("/api/tables/nonsense/act", {"seat": 0, "at": 0, "action": 0}), ("/api/guests/recover", {"code": "x"}),
            ("/api/records", {"record": "x"}), ("/api/guests", {"name": "\u202e"}),
        ]  # fmt: skip
        with nothing_changes(self.server, self.bystander):
            for where, body in asked:
                answer = self.bob.http.post(where, json=body)
                assert 400 <= answer.status_code < 500 and set(answer.json()) == {"no", "clause"}, where
