"""Mutated websocket frames crash nothing and disturb nobody."""

import logging
import random
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from support.local_server import PATIENCE, Page, Server, Visitor

from motherlode.server.live_table import LiveTable

FRAMES = 100_000  # of the long run
GOOD = [
    b'{"do":"act","at":13,"action":0}', b'{"do":"why","action":3}', b'{"do":"chat","text":"hello"}', b'{"do":"ping"}',
    b'{"do":"substitute","seat":0}', b'{"do":"leave"}', b'{"do":"return"}', b'{"do":"rematch"}',
    b'{"do":"react","what":"oops"}', b'{"do":"resign","at":1}', b'{"do":"adjourn"}', b'{"do":"resume"}',
    b'{"do":"mute","who":"0123456789abcdef"}', b'{"do":"remove","who":"0123456789abcdef"}',
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


def throw_frames(server: Server, visitor: Visitor, table: str, frames: int, seed: int) -> int:
    """Every connection takes some, up to a close, a half frame or the server's closing; the number of connections."""
    rng = random.Random(seed)
    connections = 0
    while frames > 0:
        connections += 1
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
    return connections


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


def check_frames(server: Server, ada: Visitor, bystander: Page, frames: int) -> int:
    table = ada.make("goldmine", "me", "me")["id"]
    with complaints() as said:
        connections = throw_frames(server, ada, table, frames, seed=frames)
        assert bystander.ask(do="ping") == {"is": "pong"}
        assert ada.http.get("/ready").status_code == 200
        with ada.open(table, 0) as page:
            page.send(do="chat", text="still here")
            page.wait("chat", lambda message: message["lines"][-1]["text"] == "still here")
            while len(server.parlour.tables[table].presence.listeners) > 1:  # all the others go
                page.ask(do="ping")
    assert said == []
    return connections


def test_mutated_frames_crash_nothing(server: Server, ada: Visitor, bystander: Page) -> None:
    check_frames(server, ada, bystander, 2_000)


def test_a_message_that_fails_inside_is_caught(
    server: Server, ada: Visitor, bystander: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: an action that there is not is looked up without a check."""
    monkeypatch.setattr(LiveTable, "act", lambda table, seat, at, action, guest=None: table.core.log[10**6])
    with pytest.raises(AssertionError, match="IndexError"):
        check_frames(server, ada, bystander, 300)


@pytest.mark.soak
def test_many_mutated_frames_crash_nothing(server: Server, ada: Visitor, bystander: Page) -> None:
    connections = check_frames(server, ada, bystander, FRAMES)
    print(f"\n{FRAMES:,} mutated frames over {connections:,} sockets: 0 errors logged, 0 tables disturbed")
