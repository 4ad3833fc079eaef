"""Two worlds that some observers cannot tell apart, each on a server of its own, and all that the observers receive.

A `World` is a server, with chance injected, and guests who have the seats. A `Tape` is all that one observer receives
of one table: the answer, with its headers, to every request that there is (`generated_requests`), and everything on its
socket. Requests and sockets go to the application in its own loop, so that after every step all that was to be sent has
been sent. What is random for every table (`RANDOM`) is written over before tapes are compared. Before that, every byte
is searched for what the observer may not have, in several ways of writing it: the table's secret, codes, tokens, ids.
"""

import asyncio
import base64
import json
import re
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from motherlode.bots import hint
from motherlode.game import CHANCE, Game
from motherlode.server.bot_workers import BotWorkers
from motherlode.server.fair_queue import Asker
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.schema import SITTING, Guest
from motherlode.table import Ask
from support.generated_requests import NO_CODE, NO_LINK, SOCKET, Request, Scene, http_requests, socket_requests
from support.local_server import PATIENCE, Server, Visitor
from support.lookalike_games import Pair
from support.scripted_chance import SCRIPTS

T = TypeVar("T")
# Fields whose values are random words
RANDOM = ("id", "table", "commitment", "link", "token", "recovery", "code", "rematch", "who", "process", "goes_on")
PICTURE = "qr"  # a field that shows something random
WORD = re.compile(r"[\w-]{16,}", re.ASCII)
OPTIONS: dict[str, dict[str, Any]] = {"gold_hunting": {"heights": "hidden"}}  # with which a game hides most
BECOME = "/api/guests"
ENDING = (("POST", "/api/guests/forget"), ("DELETE", "/api/guests/me"))  # for a new guest each, not for the observer
COUNTS = ("/metrics",)  # what all tables do, hidden actions too: for those alone who run the server
EXPIRES = re.compile(r"expires=[^;]* GMT")  # of a cookie, by the clock on the wall
LENGTHS = (b"content-length",)  # that of a picture of something random is random too
MOST_STEPS = 8  # of the loop until everything that is due has been sent


class World:
    """A server, and the guests who have the seats of its tables."""

    def __init__(self, server: Server, number: int) -> None:
        self.server, self.number, self.app = server, number, server.app
        self.players: list[Visitor] = []
        for seat in range(5):
            self.players.append(Visitor(server, f"Player {seat}"))
            server.move_clock(0.001)  # so that lists, of the newest first, have one order
        self.bots_act = False
        self.link = (0, "")  # the seat that is still open, and the code that takes it
        self.tapes: list[Tape] = []

    def close(self) -> None:
        for player in self.players:
            player.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.server.loop).result(PATIENCE)

    def live(self, key: str) -> LiveTable:
        return self.server.parlour.tables[key]

    def new_guest(self, name: str) -> dict[str, str]:
        with Visitor(self.server, name) as visitor:
            keys: dict[str, str] = visitor.keys
        self.server.move_clock(0.001)
        return keys

    def take(
        self, key: str, seat: int, keys: dict[str, str], *, code: str | None = None, program: bool = False
    ) -> None:
        live, guest = self.live(key), Guest(keys["id"], keys["name"])
        self.run(live.serially(lambda: live.seating.take(seat, guest, code, program)))
        self.settle()

    def act(self, key: str, seat: int, at: int, action: int) -> None:
        live, guest = self.live(key), self.players[seat].keys["id"]
        self.run(live.serially(lambda: live.act(seat, at, action, guest)))
        self.settle()

    def settle(self) -> None:
        """Everything that is due has been sent, and is on the tapes."""

        async def rest() -> None:
            for _ in range(MOST_STEPS):
                await asyncio.sleep(0)
            for tape in self.tapes:
                tape.collect()

        self.run(rest())

    def until(self, live: LiveTable, at: int) -> None:
        """Wait until a bot has acted, and the log is this long."""

        async def wait() -> None:
            while live.core.at < at:
                await asyncio.sleep(0.001)

        self.run(asyncio.wait_for(wait(), PATIENCE))
        self.settle()

    def move_clock(self, seconds: float) -> None:
        self.server.move_clock(seconds)
        self.settle()

    def forget(self, key: str) -> None:
        """The table is read from the database again when somebody asks for it, as after a restart."""
        for tape in self.tapes:
            tape.close()
        self.settle()
        assert not self.live(key).presence.listeners

        async def drop() -> None:
            self.server.parlour.forget(key)
            await self.server.parlour.find(key)

        self.run(drop())

    def leave(self) -> None:
        for tape in self.tapes:
            tape.close()
        self.tapes.clear()
        self.bots_act = False
        # A test may have made a table in one world only, and lists of tables would tell them apart from here on.
        tables = self.run(self.server.parlour.storage.read(lambda db: list(db.scalars(sa.select(SITTING.c.id)))))
        self.run(self.app.state.housekeeping.delete_batch(tables))
        self.settle()


def quiet_bots(monkeypatch: pytest.MonkeyPatch, worlds: list[World]) -> None:
    """Bots do their first legal action, but only when they are let; hints show everything that they were asked with."""
    of_workers = {world.server.parlour.bot_workers: world for world in worlds}

    async def choose(workers: BotWorkers, bot: str, ask: Ask, seed: int, *, asker: Asker) -> int:
        while not of_workers[workers].bots_act:
            await asyncio.sleep(0.01)
        return ask.legal[0]

    async def suggest(workers: BotWorkers, ask: Ask, seed: int, *, asker: Asker) -> tuple[list[hint.Suggestion], bool]:
        asked = f"{ask.seat} {bytes(ask.view).hex()} {ask.legal} {ask.log}"
        return [hint.Suggestion(ask.legal[0], asked, None)], False

    monkeypatch.setattr(BotWorkers, "choose", choose)
    monkeypatch.setattr(BotWorkers, "suggest", suggest)
    monkeypatch.setattr(BotWorkers, "prepare", lambda *_: None)
    monkeypatch.setattr(BotWorkers, "is_warming", lambda *_: True)


# What one observer receives


class Socket:
    """A socket of the application, without a network."""

    def __init__(self, app: Any, scope: dict[str, Any]) -> None:
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.incoming.put_nowait({"type": "websocket.connect"})
        self.sent: list[str] = []  # and not yet on the tape
        self.pongs, self.changed = 0, asyncio.Event()
        self.task = asyncio.create_task(app(scope, self.incoming.get, self.send))

    async def send(self, message: dict[str, Any]) -> None:
        text = message.get("text") or json.dumps({key: str(value) for key, value in message.items()})
        if text == '{"is":"pong"}':
            self.pongs += 1
        else:
            self.sent.append(text)
        self.changed.set()

    async def ask(self, message: dict[str, Any]) -> None:
        """Ask, and wait until that has been dealt with."""
        pongs = self.pongs + 1 + (message["do"] == "ping")
        for each in (message, {"do": "ping"}):
            self.incoming.put_nowait({"type": "websocket.receive", "text": json.dumps(each)})
        while self.pongs < pongs and not self.task.done():
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), PATIENCE)

    def close(self) -> None:
        self.incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})


def with_token(token: str | None) -> list[tuple[bytes, bytes]]:
    """The headers of a request."""
    return [(b"host", b"127.0.0.1"), *([(b"authorization", f"Bearer {token}".encode())] if token else [])]


class Tape:
    """All that one observer receives of one table."""

    def __init__(self, world: World, name: str, key: str, keys: dict[str, str] | None, seat: int = PUBLIC) -> None:
        self.world, self.name, self.key, self.keys, self.seat = world, name, key, keys, seat
        self.random: dict[str, str] = {}
        self.pictures: set[str] = set()
        self.kept: list[tuple[str, str]] = []
        self.kinds: set[str] = set()
        self.forbidden: list[bytes] = []
        self.last: dict[str, Any] = {}
        self.doing = "at first"
        self.headers = with_token(keys["token"] if keys else None)
        self.socket: Socket | None = None
        world.tapes.append(self)
        self.forbid()

    def forbid(self) -> None:
        """What this observer may not have now: all that is others', and the secret of the table until it is over."""
        mine = set((self.keys or {}).values())
        others = [tape.keys for tape in self.world.tapes if tape.keys] + [p.keys for p in self.world.players]
        keys = {value for found in others for name, value in found.items() if name != "name"}
        self.forbidden = [value.encode() for value in keys - mine] + self.secrets()

    def secrets(self) -> list[bytes]:
        return [way for seal in self.world.live(self.key).facts.seals for way in ways_to_write(seal.secret)]

    def allow_secret(self) -> None:
        """From now on the observer knows that the game is over."""
        written = self.secrets()
        self.forbidden = [needle for needle in self.forbidden if needle not in written]

    def keep(self, what: str, head: str = "", *, is_compared: bool = True) -> None:
        raw = f"{head}\n{what}".encode()
        for needle in self.forbidden:
            assert needle not in raw, f"{self.name} was sent what it may not have, {self.doing}: {what[:400]}"
        if not is_compared:
            return
        if what.startswith("{"):
            self.learn(json.loads(what))
        what = f"{head}\n{what}"
        what = EXPIRES.sub("expires=<then>", what)
        what = WORD.sub(lambda found: self.random.get(found[0], found[0]), what)
        for value in self.pictures:
            what = what.replace(value, "<picture>")
        self.kept.append((self.doing, what))

    def learn(self, found: Any) -> None:
        """Write over what is random for every table or guest from now on."""
        if isinstance(found, list):
            for entry in found:
                if isinstance(entry, dict | list):
                    self.learn(entry)
        if isinstance(found, dict):
            for name, value in found.items():
                if name == PICTURE:
                    self.pictures.add(json.dumps(value)[1:-1])
                elif name in RANDOM and isinstance(value, str):
                    self.random.setdefault(value, f"<{name} {len(self.random)}>")
                elif isinstance(value, dict | list):
                    self.learn(value)

    def collect(self) -> None:
        """What the socket was sent since."""
        if self.socket:
            sent, self.socket.sent = self.socket.sent, []
            for text in sent:
                message = json.loads(text)
                self.kinds.add(message.get("is", message.get("type")))
                if message.get("is") == "table":
                    self.last = message
                self.keep(text)

    # Asking, in the server's loop

    def scope(self, kind: str, path: str, query: dict[str, Any], headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
        asked = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        return {
            "type": kind, "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": kind.replace("socket", ""),
            "path": path, "raw_path": path.encode(), "root_path": "", "query_string": urlencode(asked).encode(),
            "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "subprotocols": [],
            "extensions": {"websocket.http.response": {}}, "state": {},
        }  # fmt: skip

    async def fetch(self, request: Request, token: str | None = None) -> tuple[int, str]:
        """The status and body of an answer, which is also kept; asked with another token, if one is given."""
        body = b"" if request.body is None else json.dumps(request.body).encode()
        headers = [
            *(self.headers if token is None else with_token(token)),
            (b"content-length", str(len(body)).encode()),
        ]
        if body:
            headers.append((b"content-type", b"application/json"))
        scope = {**self.scope("http", request.path, request.query, headers), "method": request.method}
        answered: list[dict[str, Any]] = []
        is_given = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if is_given.is_set():
                await asyncio.Event().wait()
            is_given.set()
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            answered.append(dict(message))

        await self.world.app(scope, receive, send)
        status = int(answered[0]["status"])
        sent = sorted((name.decode(), value.decode()) for name, value in answered[0]["headers"] if name not in LENGTHS)
        text = b"".join(message.get("body", b"") for message in answered[1:]).decode()
        self.doing = f"asking {request}".replace(self.key, "<table>")
        self.keep(text, f"{status} {sent}", is_compared=request.path not in COUNTS)
        return status, text

    async def listen(self, since: int | None = None) -> None:
        """Open a socket, which is kept open."""
        query = {"described": 1} if self.seat == PUBLIC else {"described": 1, "seat": self.seat}
        if since is not None:
            query["since"] = since
        self.doing = f"opening a socket with {query}"
        self.socket = Socket(
            self.world.app, self.scope("websocket", SOCKET.format(table=self.key), query, self.headers)
        )
        await self.tell(do="ping")

    async def tell(self, **message: Any) -> None:
        """Say something over the socket; what everybody receives of it is on their tapes."""
        assert self.socket
        self.doing = f"saying {message}".replace(self.key, "<table>")
        await self.socket.ask(message)
        for _ in range(MOST_STEPS):
            await asyncio.sleep(0)
        for tape in self.world.tapes:
            tape.collect()

    def close(self) -> None:
        """Close the socket."""
        if self.socket:
            socket, self.socket = self.socket, None

            async def wait() -> None:
                socket.close()
                await asyncio.wait_for(socket.task, PATIENCE)

            self.world.run(wait())

    def scene(self) -> Scene:
        live = self.world.live(self.key)
        return Scene(
            table=self.key,
            game=live.game,
            options=live.core.options,
            seats=len(live.chairs),
            seat=self.seat,
            name=(self.keys or {"name": "Nobody"})["name"],
            at=self.last["at"],
            legal=[entry["action"] for entry in self.last["legal"]],
            waiting=live.is_waiting,
            head=(self.last["head"] or {}).get("link", NO_LINK),
            people=tuple(player["who"] for player in self.last["players"] if player["who"]),
            guest=(self.keys or {"id": NO_CODE})["id"],
        )

    def ask_everything(self, *, but_tables: bool = True) -> None:
        """Every request that there is, every message of a socket, and new sockets; what is no table's, if wanted."""
        self.world.move_clock(0.001)  # so that what is made now is newer than what was made before

        async def work() -> None:
            live = self.world.live(self.key)
            live.presence.last_seen = [live.parlour.steady()] * len(live.chairs)  # nobody has been away for long
            scene = self.scene()
            for request in http_requests(self.world.app, scene):
                if but_tables or "table" in request.path:
                    token = None
                    if request[:2] in ENDING:
                        _, made = await self.fetch(Request("POST", BECOME, {}, {"name": "Somebody"}))
                        token = json.loads(made)["token"]
                    await self.fetch(request, token)
            for message in socket_requests(scene):
                await self.tell(**message)
            status, _ = await self.fetch(Request("GET", "/api/guests/me", {}, None))
            assert status == (200 if self.keys else 401), "something that was asked has signed the observer out"
            assert self.socket and not self.socket.task.done(), "something that was asked has closed the socket"

        self.world.run(work())
        for since in (0, None):
            self.close()
            self.world.settle()
            self.world.run(self.listen(since))


def ways_to_write(secret: bytes) -> list[bytes]:
    """Raw, as digits and letters of several kinds, reversed; each part of it too."""
    found = [secret, secret[::-1], str(int.from_bytes(secret)).encode(), str(int.from_bytes(secret, "little")).encode()]
    for written in (secret, secret[::-1]):
        for shift in range(3):
            encoded = base64.b64encode(bytes(shift) + written)[4:-4]
            found += [encoded, encoded.translate(bytes.maketrans(b"+/", b"-_"))]
        parts = [written.hex()[k : k + 16] for k in range(0, 2 * len(written), 16)]
        found += [part.encode() for part in parts] + [part.upper().encode() for part in parts]
        found += [part[::-1].encode() for part in parts]
    return found


def compare(one: list[Tape], two: list[Tape]) -> None:
    """What the same observers received in two worlds, up to now; the tapes are empty afterwards."""
    for left, right in zip(one, two, strict=True):
        for (doing, mine), (_, other) in zip(left.kept, right.kept, strict=False):
            assert mine == other, f"what {left.name} received differs, {doing}:\n{where_differing(mine, other)}"
        rest = (left.kept + right.kept)[2 * min(len(left.kept), len(right.kept)) :]
        assert len(left.kept) == len(right.kept), f"what {left.name} received differs in number: {rest[:1]}"
        left.kept.clear()
        right.kept.clear()


def where_differing(one: str, two: str) -> str:
    at = next((k for k, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return f"…{one[max(0, at - 80) : at + 120]}\n…{two[max(0, at - 80) : at + 120]}"


# Playing two worlds in step


class Table(NamedTuple):
    """What a table is made with, and whom its two worlds are to look alike to."""

    game: Game
    seats: int
    options: dict[str, Any]
    seat: int  # the viewer's; PUBLIC: it only watches
    delay: int = 0
    open_memory: bool = False
    program: bool = False
    bot: bool = False  # in the last seat

    def __str__(self) -> str:
        who = "watched" if self.seat == PUBLIC else f"seat {self.seat}"
        chosen = " ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.game.NAME} {self.seats} {who} delay={self.delay} {chosen}"


def observers(world: World, key: str, table: Table, viewer: dict[str, str]) -> list[Tape]:
    """Whoever looks: the viewer at its seat, a guest who has nothing to do with the table, or somebody without a name;
    if there is no viewer, both of them."""
    tapes = [Tape(world, "the viewer", key, viewer, table.seat)] if table.seat >= 0 else []
    if table.seat % 2:
        tapes.append(Tape(world, "a guest elsewhere", key, world.new_guest("Elsewhere")))
    if table.seat % 2 == 0 or table.seat == PUBLIC:
        tapes.append(Tape(world, "a stranger", key, None))
    for tape in tapes:
        tape.forbid()
        world.run(tape.listen())
    return tapes


def sit_down(world: World, table: Table, chance: dict[int, int], record: str | None = None) -> list[Tape]:
    """A table whose game is about to begin, with this chance injected: one seat is still open. Those who look."""
    rest = [seat for seat in range(table.seats) if seat != table.seat]
    people = {seat: "link" if seat == rest[0] else "anyone" for seat in range(table.seats)}
    if table.bot:
        people[table.seats - 1] = "search:50"
    more: dict[str, Any] = {"delay": table.delay, "open_memory": table.open_memory, "hints": True, "clock": 3600}
    more |= {"record": record} if record else {"options": table.options}
    card = world.players[rest[0]].make(table.game.NAME, *people.values(), **more)
    key = card["id"]
    SCRIPTS[key] = chance
    viewer = world.new_guest("Viewer")
    if table.seat >= 0:
        world.take(key, table.seat, viewer, program=table.program)
    for seat in rest[1:]:
        if not (table.bot and seat == table.seats - 1):
            world.take(key, seat, world.players[seat].keys)
    tapes = observers(world, key, table, viewer)
    for tape in tapes:
        tape.forbidden += [link["code"].encode() for link in card["links"]]
    world.link = rest[0], card["links"][0]["code"]
    return tapes


def begin(world: World, tapes: list[Tape]) -> None:
    """The last seat is taken by its link."""
    seat, code = world.link
    world.take(tapes[0].key, seat, world.players[seat].keys, code=code)


def play(world: World, tapes: list[Tape], log: list[Pair]) -> None:
    """The actions of this world, one after the other."""
    viewer, at = tapes[0], 0
    while at < len(log):
        pair, here = log[at], at
        at += 1
        if pair.actor == CHANCE:  # decided when the game began, or with the action before
            continue
        for tape in tapes:
            tape.doing = f"when action {here} was done"
        action = pair[1 + world.number]
        if pair.actor == viewer.seat:
            world.run(viewer.tell(do="act", at=here, action=action))
        else:
            world.act(viewer.key, pair.actor, here, action)


def chance_of(log: list[Pair], world: int) -> dict[int, int]:
    return {at: pair[1 + world] for at, pair in enumerate(log) if pair.actor == CHANCE}
