"""Whoever cannot tell two worlds apart receives equal bytes from them, over real sockets.

Two tables of one server are played through two games that look alike to one viewer (`twins`): chance is injected, the
other seats act by HTTP, and all that the viewer receives is kept on a tape: the first message, every later one,
answers, refusals, downloads, a second socket's beginning, and all HTTP headers. Only the table's random id and its
commitment are written over. Leaks planted in the server must make the tapes differ.
"""

import asyncio
import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any

import pytest
from parlour import Page, Server, Visitor
from twins import Pair, differing, twins
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from motherlode import engine, text
from motherlode.game import CHANCE, OVER, Game, Record, below, new_rng
from motherlode.games import GAMES
from motherlode.server import app, making, store, table, telling, thinking, wire
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.socket import Page as SocketPage
from motherlode.server.table import Sitting

LENGTH = 30  # actions of the two games, chance's included
EVERY = 15  # … after so many of which everything is asked for
OPEN_GAMES = ("china_gold", "claimpoker", "mount_goldrush")  # only the secret, which decides what is to come, is hidden
OPTIONS: dict[str, dict[str, Any]] = {"gold_hunting": {"heights": "hidden"}}
SCRIPTS: dict[str, dict[int, int]] = {}  # what chance decides, for each table and place in the log


@pytest.fixture(autouse=True)
def injected_chance(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    real = Sitting.chance

    def chance(sitting: Sitting, game: Any, s: Record, at: int) -> int:
        script = SCRIPTS.get(sitting.id)
        return real(sitting, game, s, at) if script is None else script[at]

    monkeypatch.setattr(Sitting, "chance", chance)
    yield
    SCRIPTS.clear()


@pytest.fixture(scope="module")
def others(server: Server) -> Iterator[list[Visitor]]:
    visitors = [Visitor(server, f"Other {k}") for k in range(5)]
    yield visitors
    for visitor in visitors:
        visitor.close()


class Tape:
    """All that one viewer receives of one table."""

    def __init__(self, viewer: Visitor, key: str, commitment: str, seat: int) -> None:
        self.viewer, self.key, self.seat = viewer, key, seat
        self.random = {key: "<table>", commitment: "<commitment>"}
        self.kept: list[str] = []
        self.query = {} if seat == PUBLIC else {"seat": seat}
        self.page = self.open()

    def keep(self, what: str) -> None:
        for written, name in self.random.items():
            what = what.replace(written, name)
        self.kept.append(what)

    def open(self) -> Page:
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        url = f"ws://127.0.0.1:{self.viewer.server.port}/api/tables/{self.key}/socket?{query}"
        headers = {key: value for key, value in self.viewer.http.headers.items() if key in ("authorization", "cookie")}
        page = Page(connect(url, additional_headers=headers, max_queue=None, close_timeout=5))
        self.viewer.pages.append(page)
        self.until(page, "presence")
        return page

    def until(self, page: Page, *kinds: str) -> None:
        """Keep what comes, up to a message of such a kind."""
        while True:
            raw = page.raw()
            self.keep(raw)
            message = json.loads(raw)
            if message["is"] == "table":
                page.table = message
            if message["is"] in kinds:
                return

    def ask(self, **message: Any) -> None:
        self.page.send(**message)
        self.until(self.page, "no", "why", "pong")

    def fetch(self, method: str, path: str, **more: Any) -> None:
        answer = self.viewer.http.request(method, path, **more)
        headers = sorted((name, value) for name, value in answer.headers.items())
        self.keep(f"{answer.status_code} {headers} {answer.text}")

    def ask_everything(self, game: Game) -> None:
        """What is refused changes nothing, so it may be asked at any time."""
        path = f"/api/tables/{self.key}"
        for what in (path, f"{path}/replay", f"{path}/now", f"{path}/log", f"{path}/record"):
            self.fetch("GET", what)
        self.fetch("GET", f"{path}/now", params={**self.query, "since": 0})
        for what in ("now", "log", "record"):
            self.fetch("GET", f"{path}/{what}", params=self.query)
        at = self.page.table["at"]
        for seat in range(len(self.page.table["players"])):
            asked = {"seat": seat, "at": at + (seat == self.seat), "action": 0}
            self.fetch("POST", f"{path}/act", json=asked)
        legal = {entry["action"] for entry in self.page.table["legal"]}
        is_not = [a for a in range(len(game.ACTIONS)) if a not in legal]
        for action in (is_not[0], is_not[len(is_not) // 2], is_not[-1], len(game.ACTIONS)):
            self.ask(do="act", at=at, action=action)
        self.ask(do="act", at=max(0, at - 1), action=0)
        for action in (*sorted(legal)[:2], is_not[0], is_not[-1]):
            self.ask(do="why", action=action)
        self.ask(do="rematch")
        again = self.open()
        self.until(self.page, "presence")
        again.close()
        self.until(self.page, "presence")


def sit_down(
    others: list[Visitor], viewer: Visitor, seat: int, game: Game, chance: dict[int, int], *, program: bool = False
) -> Tape:
    """A table that begins, with this chance injected, when its last seat is taken."""
    seats = max(game.SEATS[0], seat + 1)
    card = others[0].make(game.NAME, *["anyone"] * seats, options=OPTIONS.get(game.NAME, {}), clock=3600)
    SCRIPTS[card["id"]] = chance
    if seat >= 0:
        viewer.take(card["id"], seat, program=program)
    tape = Tape(viewer, card["id"], card["commitment"], seat)
    for x in range(seats):
        if x != seat:
            others[x].take(card["id"], x)
            tape.until(tape.page, "table")  # one by one: what waits to be sent is sent as one message
    return tape


def play(
    others: list[Visitor], viewer: Visitor, seat: int, game: Game, log: list[Pair], world: int, program: bool = False
) -> Tape:
    """One of the two games at a table of its own; the viewer's tape of it."""
    tape = sit_down(others, viewer, seat, game, chance_of(log, world), program=program)
    at = 0
    while at < len(log):
        pair, first = log[at], at
        if pair.actor == CHANCE:  # decided when the game began, or with the action before
            at += 1
            continue
        at += 1
        while at < len(log) and log[at].actor == CHANCE:
            at += 1
        action = pair[1 + world]
        if pair.actor == seat:
            tape.page.send(do="act", at=first, action=action)
        else:
            others[pair.actor].post(f"/api/tables/{tape.key}/act", seat=pair.actor, at=first, action=action)
        if any(entry.is_heard for entry in log[first:at]):
            tape.until(tape.page, "table")
        if first // EVERY != at // EVERY or at == len(log):
            tape.ask_everything(game)
    tape.ask(do="ping")
    tape.page.close()
    return tape


def chance_of(log: list[Pair], world: int) -> dict[int, int]:
    return {at: pair[1 + world] for at, pair in enumerate(log) if pair.actor == CHANCE}


def compare(one: Tape, two: Tape) -> None:
    for at, (left, right) in enumerate(zip(one.kept, two.kept, strict=False)):
        assert left == right, f"what was received as number {at} differs"
    assert len(one.kept) == len(two.kept)


def check(server: Server, others: list[Visitor], viewer: Visitor, seat: int, game: Game, program: bool = False) -> None:
    log = twins_of(game, seat)
    tapes = [play(others, viewer, seat, game, log, world, program) for world in range(2)]
    assert len({server.house.tables[tape.key].facts.secret for tape in tapes}) == 2
    compare(*tapes)


def twins_of(game: Game, seat: int) -> list[Pair]:
    seats, options = max(game.SEATS[0], seat + 1), OPTIONS.get(game.NAME, {})
    log = twins(game, seats, options, seat, LENGTH)
    apart = differing(game, seats, options, log)
    assert len(log) >= 25 and (apart == 0 if game.NAME in OPEN_GAMES else apart > len(log) // 2)
    return log


@pytest.fixture
def person(server: Server) -> Iterator[Visitor]:
    """By cookie, as a browser."""
    with Visitor(server, "Viewer") as visitor:
        del visitor.http.headers["authorization"]
        visitor.http.headers["cookie"] = f"motherlode={visitor.keys['token']}"
        yield visitor


@pytest.fixture
def program(server: Server) -> Iterator[Visitor]:
    """By bearer token."""
    with Visitor(server, "Viewer") as visitor:
        yield visitor


@pytest.fixture
def stranger(server: Server) -> Iterator[Visitor]:
    """Without any token."""
    with Visitor(server, "Nobody") as visitor:
        del visitor.http.headers["authorization"]
        yield visitor


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
class TestWorlds:
    def test_a_person(self, server: Server, others: list[Visitor], person: Visitor, game: Game) -> None:
        check(server, others, person, 0, game)

    def test_a_program(self, server: Server, others: list[Visitor], program: Visitor, game: Game) -> None:
        check(server, others, program, 1, game, program=True)

    def test_a_spectator(self, server: Server, others: list[Visitor], stranger: Visitor, game: Game) -> None:
        check(server, others, stranger, PUBLIC, game)


# Secret building in Gold Hunting: how far the other is shows nowhere

BUILDING = {  # for each viewer two orders of placing: o is its own piece, 0 and 1 another seat's, ? asks everything
    0: ("?oo?1111oo1?ooo11111?oo?o", "111?oo11?oo?1ooo?oo11?11o"),
    1: ("?oo?0000oo0?ooo000?ooo?00", "00?oo?00oo?0ooo?00ooo?000"),
    PUBLIC: ("?000111?1111111000000?0", "?1?000000000111111111?0"),
}


def build(others: list[Visitor], viewer: Visitor, seat: int, order: str) -> Tape:
    """Both seats place ten pieces in this order, each its first legal action."""
    game = GAMES["gold_hunting"]
    log: list[int] = []
    s = engine.start(game, 2, **OPTIONS[game.NAME])
    while len(log) < 22:
        log.append(engine.legal(game, s)[0])
        game.apply(s, log[-1])
    tape = sit_down(others, viewer, seat, game, {0: log[0], 1: log[1]})
    places = [2, 12]  # where each seat's next action goes
    for what in order:
        if what == "?":
            tape.ask_everything(game)
            continue
        x = seat if what == "o" else int(what)
        at, places[x] = places[x], places[x] + 1
        if what == "o":
            tape.page.send(do="act", at=at, action=log[at])
            tape.until(tape.page, "table")
        else:
            others[x].post(f"/api/tables/{tape.key}/act", seat=x, at=at, action=log[at])
    if not order.endswith("o"):
        tape.until(tape.page, "table")  # the screen has gone
    tape.ask_everything(game)
    tape.ask(do="ping")
    tape.page.close()
    return tape


def check_building(others: list[Visitor], viewer: Visitor, seat: int) -> None:
    compare(*(build(others, viewer, seat, order) for order in BUILDING[seat]))


@pytest.mark.parametrize("seat", BUILDING)
def test_how_far_another_has_built_is_not_told(others: list[Visitor], program: Visitor, seat: int) -> None:
    check_building(others, program, seat)


# What a person has to remember


def pasts(game: Game, length: int) -> list[list[int]]:
    """Two logs of one length whose last positions look alike to seat 0 now, though it was shown different things."""
    for number in range(2000):
        rng = new_rng(number, 5)
        log: list[int] = []
        opening = engine.start(game)
        s = w = opening
        other: list[int] = []
        while len(log) < length and s.turn != OVER:
            options = engine.legal(game, s)
            a = b = engine.draw(game, s, rng) if s.turn == CHANCE else options[below(rng, len(options))]
            if s.turn == CHANCE and len(log) < length // 2:
                b = engine.draw(game, w, rng)
            if w.turn != s.turn or b not in engine.legal(game, w):
                break
            s, w = engine.after(game, s, a), engine.after(game, w, b)
            log.append(a), other.append(b)
        looks = [[bytes(engine.view(game, x, 0, sight=sight)) for x in (s, w)] for sight in (True, False)]
        if len(log) == length and 0 <= s.turn == w.turn and looks[0][0] == looks[0][1] and looks[1][0] != looks[1][1]:
            return [log, other]
    raise AssertionError("no such games")


def check_memory(others: list[Visitor], viewer: Visitor) -> None:
    game = GAMES["mount_goldrush"]
    tapes = []
    for log in pasts(game, 14):
        record = text.write_record(text.Played(game, 2, engine.check_options(game, {}), log))
        card = viewer.make(game.NAME, "me", "anyone", record=record)
        others[1].take(card["id"], 1)
        tapes.append(Tape(viewer, card["id"], card["commitment"], 0))
        tapes[-1].ask_everything(game)
        tapes[-1].page.close()
    compare(*tapes)


def test_a_person_who_comes_back_is_not_reminded(others: list[Visitor], person: Visitor) -> None:
    check_memory(others, person)


# Bots of the server


def bot_hears(monkeypatch: pytest.MonkeyPatch, others: list[Visitor], game: Game) -> list[list[Any]]:
    """All that the server's bot at seat 0 is handed, in both worlds."""
    log = twins_of(game, 0)
    last = max(at for at, pair in enumerate(log) if pair.actor == 0)
    heard: list[list[Any]] = [[], []]
    world = 0

    async def choose(_: Any, bot: str, ask: Any, seed: int) -> int:
        told = [tuple(entry) for entry in ask.log]
        if len(told) > last:
            await asyncio.Event().wait()
        heard[world].append((bot, ask.game.NAME, ask.seat, bytes(ask.view), ask.legal, told))
        return log[len(told)][1 + world]

    monkeypatch.setattr(thinking.Thinkers, "choose", choose)
    for world in range(2):
        card = others[1].make(game.NAME, "random", "anyone", options=OPTIONS.get(game.NAME, {}))
        SCRIPTS[card["id"]] = chance_of(log, world)
        others[1].take(card["id"], 1)
        path = f"/api/tables/{card['id']}"
        for at, pair in enumerate(log[:last]):
            if pair.actor == 1:
                while others[1].get(f"{path}/now", seat=1, after=at - 1)["turn"] != 1:
                    pass
                others[1].post(f"{path}/act", seat=1, at=at, action=pair[1 + world])
        while others[1].get(f"{path}/now", seat=1, after=last)["at"] <= last:
            pass
    return heard


def check_bot(monkeypatch: pytest.MonkeyPatch, others: list[Visitor], game: Game) -> None:
    one, two = bot_hears(monkeypatch, others, game)
    assert len(one) > 3 and one == two


@pytest.mark.parametrize("game", ["blue_creek", "goldmine"])
def test_a_bot(monkeypatch: pytest.MonkeyPatch, others: list[Visitor], game: str) -> None:
    check_bot(monkeypatch, others, GAMES[game])


# Ids


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
        with pytest.raises(InvalidStatus) as refusal, connect(url + query, additional_headers=headers):
            pass
        assert refusal.value.response.status_code == status
        assert set(json.loads(refusal.value.response.body)) == {"no", "clause"}
    assert not server.house.tables[card["id"]].listeners
    for path in ("now", "log", "record"):
        answer = stranger.http.get(f"/api/tables/{card['id']}/{path}", params={"seat": 0})
        assert answer.status_code == 403 and set(answer.json()) == {"no", "clause"}
    answer = others[1].http.post(f"/api/tables/{card['id']}/act", json={"seat": 0, "at": 13, "action": 0})
    assert answer.status_code == 403


def test_who_is_not_let_in_hears_nothing(server: Server, others: list[Visitor], stranger: Visitor) -> None:
    check_denied(server, others, stranger)


# Planted leaks: each of them is caught

Plant = Callable[[pytest.MonkeyPatch], None]


def plant_message(change: Callable[[Sitting, int, wire.TableMessage], None]) -> Plant:
    """Whatever table is told of is changed like this."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        real = telling.table_message

        def leaky(sitting: Sitting, seat: int, did: list[wire.Did]) -> wire.TableMessage:
            message = real(sitting, seat, did)
            change(sitting, seat, message)
            return message

        monkeypatch.setattr(telling, "table_message", leaky)

    return plant


def send_whole_positions(sitting: Sitting, seat: int, message: wire.TableMessage) -> None:
    message.view = telling.fields(sitting.game, sitting.core.position)


def send_the_secret(sitting: Sitting, seat: int, message: wire.TableMessage) -> None:
    message.secret = sitting.facts.secret.hex()


def send_half_of_the_secret_as_rematch(sitting: Sitting, seat: int, message: wire.TableMessage) -> None:
    message.rematch = sitting.facts.secret.hex()[:16]


def send_legal_actions_of_the_other(sitting: Sitting, seat: int, message: wire.TableMessage) -> None:
    message.legal = [
        wire.Legal(action=a, words=sitting.game.ACTIONS.name(a))
        for a in engine.legal(sitting.game, sitting.core.position)
        if sitting.core.turn >= 0
    ]


def send_the_time_of_the_last_action(sitting: Sitting, seat: int, message: wire.TableMessage) -> None:
    message.at = sitting.core.at


def send_only_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole position goes out once, with the first message of a socket."""
    real = telling.now

    def leaky(sitting: Sitting, seat: int, since: int | None) -> wire.TableMessage:
        message = real(sitting, seat, since)
        send_whole_positions(sitting, seat, message)
        return message

    monkeypatch.setattr(telling, "now", leaky)


def tell_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other's hand in the log."""
    real = Sitting.tell_all

    def leaky(sitting: Sitting, seat: int) -> list[wire.Did]:
        real(sitting, seat)
        for did, a in zip(sitting.told[seat], sitting.core.log, strict=True):
            did.action = a
        return sitting.told[seat]

    monkeypatch.setattr(Sitting, "tell_all", leaky)


def word_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other's hand in the words of the log, and only in the download."""
    monkeypatch.setattr(
        telling, "record_text", lambda sitting, seat: text.write_record(sitting.record()._replace(secret="", chain=""))
    )


def refuse_with_the_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that names the log's last link: whoever guesses the hidden actions can check the guess."""
    real = SocketPage.refuse

    def leaky(page: SocketPage, no: str, clause: str | None, do: str | None) -> None:
        real(page, f"{no} ({page.sitting.link.hex()[:8]})", clause, do)

    monkeypatch.setattr(SocketPage, "refuse", leaky)


WORLD_LEAKS: dict[str, Plant] = {
    "whole positions": plant_message(send_whole_positions),
    "the whole opening in the first message": send_only_at_first,
    "the secret": plant_message(send_the_secret),
    "half of the secret": plant_message(send_half_of_the_secret_as_rematch),
    "other hand in the log": tell_everything,
    "other hand in the record": word_everything,
    "a refusal with the chain": refuse_with_the_chain,
}


@pytest.mark.parametrize("plant", WORLD_LEAKS.values(), ids=WORLD_LEAKS)
def test_a_planted_leak_is_caught(
    monkeypatch: pytest.MonkeyPatch, server: Server, others: list[Visitor], person: Visitor, plant: Plant
) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError, match="differs"):
        check(server, others, person, 0, GAMES["goldmine"])


def test_planted_legal_actions_of_the_other_are_caught(
    monkeypatch: pytest.MonkeyPatch, server: Server, others: list[Visitor], person: Visitor
) -> None:
    plant_message(send_legal_actions_of_the_other)(monkeypatch)
    with pytest.raises(AssertionError, match="differs"):
        check(server, others, person, 0, GAMES["goldmine"])


def count_quiet_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sitting, "heard", lambda sitting, seat: (sitting.tell_all(seat), sitting.core.at)[1])


def refuse_with_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of the log that the table is at, to one for whom some of it is quiet."""
    real = SocketPage.refuse

    def leaky(page: SocketPage, no: str, clause: str | None, do: str | None) -> None:
        real(page, f"{no}: look at {page.sitting.core.at}", clause, do)

    monkeypatch.setattr(SocketPage, "refuse", leaky)


def wake_for_every_action(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal messages, but one more for each hidden action."""
    real = Sitting.changed
    monkeypatch.setattr(Sitting, "changed", lambda sitting, everyone=True: real(sitting, everyone=True))


BUILDING_LEAKS: dict[str, Plant] = {
    "quiet actions counted": count_quiet_actions,
    "the place in a refusal": refuse_with_the_place,
    "the place in messages": plant_message(send_the_time_of_the_last_action),
    "a message for each": wake_for_every_action,
}


@pytest.mark.parametrize("plant", BUILDING_LEAKS.values(), ids=BUILDING_LEAKS)
def test_a_planted_count_of_hidden_pieces_is_caught(
    monkeypatch: pytest.MonkeyPatch, others: list[Visitor], program: Visitor, plant: Plant
) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        check_building(others, program, PUBLIC)


@pytest.mark.parametrize("what", ["knowledge", "log"])
def test_a_planted_reminder_is_caught(
    monkeypatch: pytest.MonkeyPatch, others: list[Visitor], person: Visitor, what: str
) -> None:
    if what == "knowledge":
        monkeypatch.setattr(Sitting, "has_memory", lambda *_: True)
    else:
        monkeypatch.setattr(telling, "has_to_remember", lambda *_: False)
    with pytest.raises(AssertionError, match="differs"):
        check_memory(others, person)


def test_a_bot_that_is_handed_too_much_is_caught(monkeypatch: pytest.MonkeyPatch, others: list[Visitor]) -> None:
    monkeypatch.setattr(table.Table, "view", lambda core, seat, sight=False: core.position)
    with pytest.raises(AssertionError):
        check_bot(monkeypatch, others, GAMES["goldmine"])


@contextmanager
def ids_from(monkeypatch: pytest.MonkeyPatch, make: Callable[[], str]) -> Iterator[None]:
    with monkeypatch.context() as patched:
        for module in (app, making, table):
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
    real = making.chairs_for

    def leaky(new: wire.NewTable, guest: store.Guest, *more: Any) -> Any:
        chairs, codes = real(new, guest, *more)
        codes = {seat: code_of(int.from_bytes(hashlib.sha256(guest.id.encode()).digest()[:16])) for seat in codes}
        return chairs, codes

    monkeypatch.setattr(making, "chairs_for", leaky)


def test_linked_codes_are_caught(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    linked_code(monkeypatch)
    with pytest.raises(AssertionError, match="differ by the same"):
        check_ids(server)


def test_who_failed_and_still_listens_is_caught(
    monkeypatch: pytest.MonkeyPatch, server: Server, others: list[Visitor], stranger: Visitor
) -> None:
    async def deny_and_subscribe(socket: Any, no: Exception) -> None:
        sitting = await server.house.find(socket.path_params["table"])
        await SocketPage(server.house, server.app.state.limits, socket, sitting, PUBLIC, None).talk(None)

    async def deny_but_listen(socket: Any, no: Exception) -> None:
        sitting = await server.house.find(socket.path_params["table"])
        sitting.arrive(Listener(PUBLIC, None))
        await real(socket, no)

    real = app.deny_socket
    for leaky in (deny_and_subscribe, deny_but_listen):
        with monkeypatch.context() as patched:
            patched.setattr(app, "deny_socket", leaky)
            with pytest.raises((AssertionError, pytest.fail.Exception)):
                check_denied(server, others, stranger)
    with monkeypatch.context() as patched:
        patched.setattr(Sitting, "check_owner", lambda sitting, seat, guest: sitting.chairs[seat])
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            check_denied(server, others, stranger)
