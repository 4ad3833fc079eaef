"""Whatever is sent to the server: one clear refusal, nothing changed, nobody else disturbed.

Each abuse by itself; many clients at once against a model (Hypothesis); requests made from the OpenAPI document
(schemathesis); and mutated websocket frames.
"""

import gc
import json
import logging
import random
import socket
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import httpx
import parlour
import pytest
import requests
import schemathesis
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from parlour import PATIENCE, Page, Server, Visitor, serving
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from motherlode import proof, text
from motherlode.engine import Refusal
from motherlode.server.store import LOG, METADATA
from motherlode.server.table import Sitting
from motherlode.table import Table


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    """`now?after=` does not wait: schemathesis asks for it again and again."""
    with serving(database, wait=0.01) as running:
        yield running


def everything(server: Server) -> list[Any]:
    """All that is stored."""
    engine = sa.create_engine(server.house.settings.database)
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


@pytest.fixture
def bystander(eve: Visitor) -> Page:
    page = eve.open(eve.make("goldmine", "me", "me")["id"], 0)
    page.wait("presence")
    return page


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
        assert self.refuses(self.waiting, self.act) == "it is the turn of seat 1"

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


# Many clients against a model

TABLES = (("goldmine", {"target": 0}), ("china_gold", {}))


class Parlour(RuleBasedStateMachine):
    """Three visitors at two tables with any number of pages; what the model says is what is stored and shown."""

    server: Server
    pages = Bundle("pages")

    @initialize(target=pages)
    def open_tables(self) -> Any:
        self.visitors = [Visitor(self.server, name) for name in ("Ada", "Bob", "Eve")]
        self.owners: list[list[int]] = []
        self.keys: list[str] = []
        self.models: list[Table] = []
        self.last: dict[int, dict[str, Any]] = {}
        self.open_pages: list[Any] = []
        for number, (game, options) in enumerate(TABLES):
            card = self.visitors[0].make(game, "me", "link", options=options)
            self.visitors[1].take(card["id"], 1, code=card["links"][0]["code"])
            sitting = self.server.house.tables[card["id"]]
            played = text.Played(sitting.game, 2, sitting.core.options, list(sitting.core.log))
            secret = sitting.facts.secret
            self.models.append(Table.replay(played, chance=lambda g, s, at, k=secret: proof.outcome(g, s, k, at)))
            self.keys.append(card["id"])
            self.owners.append([0, 1])
            assert number == len(self.keys) - 1
        return multiple(*(self.open(number, seat) for number in range(2) for seat in range(2)))

    def open(self, number: int, seat: int) -> Any:
        page = self.visitors[self.owners[number][seat]].open(self.keys[number], seat)
        entry = (page, number, seat, self.owners[number][seat])
        self.open_pages.append(entry)
        return entry

    def is_lost(self, entry: Any) -> bool:
        page, number, seat, owner = entry
        return page.is_closed or self.owners[number][seat] != owner

    @rule(target=pages, number=st.integers(0, 1), seat=st.integers(0, 1))
    def open_another_tab(self, number: int, seat: int) -> Any:
        return self.open(number, seat)

    @rule(entry=pages, off=st.sampled_from([0, 0, 0, 0, -1, 1, 50]), pick=st.integers(0, 80), is_legal=st.booleans())
    def act(self, entry: Any, off: int, pick: int, is_legal: bool) -> None:
        if self.is_lost(entry):
            return
        _, number, seat, _ = entry
        model = self.models[number]
        legal = model_legal(model)
        action = legal[pick % len(legal)] if is_legal and legal and model.turn == seat else pick
        self.send(entry, {"do": "act", "at": max(0, model.at + off), "action": action})
        self.last[number] = {"do": "act", "at": max(0, model.at + off), "action": action}

    @rule(entry=pages)
    def replay_what_another_sent(self, entry: Any) -> None:
        if not self.is_lost(entry) and entry[1] in self.last:
            self.send(entry, self.last[entry[1]])

    def send(self, entry: Any, message: dict[str, Any]) -> None:
        page, number, seat, _ = entry
        model, before = self.models[number], self.models[number].at
        try:
            if message["action"] >= len(model.game.ACTIONS):
                raise Refusal("no such action")
            model.act(message["action"], seat=seat, at=message["at"])
        except Refusal:
            assert page.ask(**message)["is"] == "no"
        else:
            page.send(**message)
            page.wait("table", lambda table: table["at"] == model.at)
            assert model.at > before

    @rule(entry=pages, malformed=st.sampled_from(["", "{}", "[1]", '{"do":"act"}', '{"do":"why","action":-1}']))
    def babble(self, entry: Any, malformed: str) -> None:
        if not self.is_lost(entry):
            entry[0].socket.send(malformed)
            entry[0].wait("no")

    @rule(number=st.integers(0, 1), seat=st.integers(0, 1), who=st.integers(0, 2))
    def act_by_http(self, number: int, seat: int, who: int) -> None:
        model = self.models[number]
        if self.owners[number][seat] == who and model.turn == seat:
            return  # that would be no abuse
        body = {"seat": seat, "at": model.at, "action": (model_legal(model) or [0])[0]}
        answer = self.visitors[who].http.post(f"/api/tables/{self.keys[number]}/act", json=body)
        assert answer.status_code == (409 if self.owners[number][seat] == who else 403)

    @rule(target=pages, number=st.integers(0, 1), seat=st.integers(0, 1), to=st.integers(0, 2))
    def hand_over(self, number: int, seat: int, to: int) -> Any:
        if self.owners[number][seat] == to:
            return multiple()
        path = f"/api/tables/{self.keys[number]}/seats/{seat}"
        thief = next(who for who in range(3) if who != self.owners[number][seat])
        assert self.visitors[thief].http.post(f"{path}/link").status_code == 403
        link = self.visitors[self.owners[number][seat]].post(f"{path}/link")
        self.visitors[to].post(f"{path}/take", code=link["code"])
        self.owners[number][seat] = to
        for entry in self.open_pages:
            if entry[1:3] == (number, seat) and not entry[0].is_closed:
                with pytest.raises(ConnectionClosed, match="no longer yours"):
                    entry[0].wait("never")
                entry[0].close()
        self.open_pages = [entry for entry in self.open_pages if not entry[0].is_closed]
        return self.open(number, seat)

    @rule(entry=pages)
    def close(self, entry: Any) -> None:
        entry[0].close()
        self.open_pages = [entry for entry in self.open_pages if not entry[0].is_closed]

    @invariant()
    def what_is_stored_is_the_model(self) -> None:
        for key, model in zip(getattr(self, "keys", []), getattr(self, "models", []), strict=True):
            assert self.server.house.tables[key].core.log == model.log

    def teardown(self) -> None:
        try:
            self.check_all()
        finally:
            for visitor in getattr(self, "visitors", []):
                visitor.close()

    def check_all(self) -> None:
        """What is on the disk is the model, and every page that is still open is in step."""
        engine = sa.create_engine(self.server.house.settings.database)
        stored = []
        with engine.connect() as connection:
            for key in self.keys:
                asked = sa.select(LOG.c.action).where(LOG.c.sitting == key).order_by(LOG.c.at)
                stored.append(list(connection.scalars(asked)))
        engine.dispose()
        assert stored == [model.log for model in self.models]
        for page, number, _, _ in self.open_pages:
            page.send(do="ping")
            page.wait("pong")
            assert page.table["at"] == self.models[number].at


def model_legal(model: Table) -> list[int]:
    return [] if model.is_over else [a for a in model.game.ACTIONS if is_legal(model, a)]


def is_legal(model: Table, a: int) -> bool:
    return model.game.why(model.view(model.turn), a) is None


def run_machine(server: Server, examples: int, steps: int, phases: Sequence[Phase] = tuple(Phase)) -> None:
    machine = type("Parlour", (Parlour,), {"server": server})
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    machine.TestCase.settings = settings(  # type: ignore[attr-defined]
        max_examples=examples, stateful_step_count=steps, suppress_health_check=checks, print_blob=False, phases=phases
    )
    machine.TestCase().runTest()  # type: ignore[attr-defined]


def test_many_clients_against_a_model(server: Server) -> None:
    run_machine(server, 12, 25)


def test_a_server_that_takes_stale_actions_is_caught(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Sitting.act

    async def act(sitting: Sitting, seat: int, at: int, action: int, guest: str | None = None) -> None:
        await real(sitting, seat, sitting.heard(seat), action, guest)

    monkeypatch.setattr(Sitting, "act", act)
    monkeypatch.setattr(parlour, "PATIENCE", 0.5)  # for the refusal that does not come
    with pytest.raises((AssertionError, TimeoutError, Flaky)):
        run_machine(server, 12, 25, [Phase.generate])


@pytest.mark.soak
def test_many_clients_against_a_model_for_long(server: Server) -> None:
    run_machine(server, 400, 60)


# Requests made from the OpenAPI document


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
        session.headers["authorization"] = str(eve.http.headers["authorization"])

        def ask(case: schemathesis.Case) -> None:
            nonlocal asked
            asked += 1
            session.cookies.clear()
            answer = case.call(base_url=server.url, session=session, timeout=PATIENCE)
            case.validate_response(answer, checks=[not_a_server_error])

        for found in schema.get_all_operations():
            operation = found.ok()
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
    monkeypatch.setattr(Sitting, "check_owner", lambda sitting, seat, guest: sitting.chairs[seat])
    with pytest.raises(
        schemathesis.errors.ServerError if hasattr(schemathesis.errors, "ServerError") else BaseException
    ):
        ask_by_document(server, 10)


@SHARED_RANDOM
@pytest.mark.soak
def test_many_requests_from_the_document_make_no_server_error(server: Server) -> None:
    print(f"{ask_by_document(server, 500)} requests made from the OpenAPI document, no server error")


# Mutated frames

GOOD = [
    b'{"do":"act","at":13,"action":0}', b'{"do":"why","action":3}', b'{"do":"chat","text":"hello"}', b'{"do":"ping"}',
    b'{"do":"substitute","seat":0}', b'{"do":"leave"}', b'{"do":"return"}', b'{"do":"rematch"}',
]  # fmt: skip
TOKENS = [
    b"null", b"-1", b"1e999", b"99999999999999999999", b'"\\ud800"', b"[]", b"{}", b"true", b"NaN", b'"act"',
    b"\xff\xfe", b"[" * 2000, b'"' + b"x" * 600 + b'"', b'"\\u0000"', b"0.5",
]  # fmt: skip


def frame(payload: bytes, head: int, rng: random.Random) -> bytes:
    length = len(payload)
    mask = rng.randbytes(4)
    size = bytes([0x80 | length]) if length < 126 else bytes([0xFE]) + length.to_bytes(2)
    return bytes([head]) + size + mask + bytes(byte ^ mask[k % 4] for k, byte in enumerate(payload))


def mutate(rng: random.Random) -> tuple[bytes, bool]:
    """A good message, mostly spoilt: its text, its frame, or its bytes; and whether it is whole."""
    payload, head = rng.choice(GOOD), 0x81
    spoilt = None
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        way = rng.randrange(8)
        at = rng.randrange(len(payload) + 1)
        if way == 0:
            payload = payload[:at] + rng.choice(TOKENS) + payload[at:]
        elif way == 1:
            payload = payload[:at] + rng.randbytes(rng.randrange(1, 4)) + payload[at + 1 :]
        elif way == 2:
            payload = payload[:at] + payload[at + rng.randrange(1, 6) :]
        elif way == 3:
            value = payload.rpartition(b":")
            payload = value[0] + b":" + rng.choice(TOKENS) + b"}"
        elif way == 4:
            head = rng.randrange(256)  # other opcodes, reserved bits, fragments
        elif way == 5:
            spoilt = "flip"
        elif way == 6:
            spoilt = "cut"
        else:
            payload = payload * rng.randrange(1, 200)
    made = bytearray(frame(payload[:60_000], head, rng))
    if spoilt == "flip":
        made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
    elif spoilt == "cut":
        del made[rng.randrange(1, len(made)) :]
    return bytes(made), spoilt is None


def throw_frames(server: Server, visitor: Visitor, table: str, frames: int, seed: int) -> None:
    """Every connection takes some, up to a close, a half frame or the server's closing; then it ends."""
    rng = random.Random(seed)
    while frames > 0:
        with closing(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)) as wire:
            wire.sendall(
                f"GET /api/tables/{table}/socket?seat=1 HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                f"Authorization: {visitor.http.headers['authorization']}\r\nConnection: Upgrade\r\n"
                "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
            )
            is_let_in = rng.randrange(10) > 0  # else what it sends comes too early, and some of it is lost
            if is_let_in:
                assert wire.recv(1 << 16).startswith(b"HTTP/1.1 101")
            is_open = True
            try:
                for _ in range(rng.randrange(1, 20)):
                    if is_open:
                        made, is_open = mutate(rng)
                        frames -= 1
                        wire.sendall(made)
                if is_open and is_let_in:
                    wire.sendall(frame(b"\x03\xe8", 0x88, rng))
                else:
                    wire.shutdown(socket.SHUT_WR)
                while wire.recv(1 << 16):
                    pass
            except TimeoutError:
                raise
            except OSError:
                pass  # it was closed at one of the first


@contextmanager
def complaints() -> Iterator[list[str]]:
    """All errors that the server, its web server or its event loop log."""
    said: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(self.format(record))

    keep = Keep(logging.ERROR)
    loggers = [logging.getLogger(name) for name in ("motherlode", "uvicorn", "uvicorn.error", "asyncio", "websockets")]
    for logger in loggers:
        logger.addHandler(keep)
    try:
        yield said
    finally:
        for logger in loggers:
            logger.removeHandler(keep)


def check_frames(server: Server, ada: Visitor, bystander: Page, frames: int) -> None:
    table = ada.make("goldmine", "me", "me")["id"]
    with complaints() as said:
        throw_frames(server, ada, table, frames, seed=frames)
        assert bystander.ask(do="ping") == {"is": "pong"}
        assert ada.http.get("/ready").status_code == 200
        with ada.open(table, 0) as page:
            page.send(do="chat", text="still here")
            page.wait("chat", lambda message: message["lines"][-1]["text"] == "still here")
            while len(server.house.tables[table].listeners) > 1:  # all the others go
                page.ask(do="ping")
    assert said == []


def test_mutated_frames_crash_nothing(server: Server, ada: Visitor, bystander: Page) -> None:
    check_frames(server, ada, bystander, 2_000)


def test_a_message_that_fails_inside_is_caught(
    server: Server, ada: Visitor, bystander: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: an action that there is not is looked up without a check."""
    monkeypatch.setattr(Sitting, "act", lambda sitting, seat, at, action, guest=None: sitting.core.log[10**6])
    with pytest.raises(AssertionError, match="IndexError"):
        check_frames(server, ada, bystander, 300)


@pytest.mark.soak
def test_many_mutated_frames_crash_nothing(server: Server, ada: Visitor, bystander: Page) -> None:
    check_frames(server, ada, bystander, 100_000)
    print("100,000 mutated frames: nothing crashed")
