"""Two worlds that one viewer cannot tell apart, played at two tables, and all that the viewer receives of each.

Two tables of one server are played through two games that look alike to one viewer (`twins`): chance is injected, the
other seats act by HTTP, and all that the viewer receives is kept on a tape: the first message, every later one,
answers, refusals, downloads, a second socket's beginning, and all HTTP headers. Only the table's random id, its
commitment and the links of its chain are written over. Leaks planted in the server (`Plant`) must make the tapes
differ.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from websockets.sync.client import connect

from motherlode.game import CHANCE, Game
from motherlode.server import messages, wire
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from support.local_server import Page, Visitor
from support.lookalike_games import Pair, differing, twins
from support.scripted_chance import SCRIPTS

LENGTH = 30  # actions of the two games, chance's included
EVERY = 15  # actions after which everything is asked for
OPEN_GAMES = ("china_gold", "claimpoker", "mount_goldrush")  # only the secret, which decides what is to come, is hidden
OPTIONS: dict[str, dict[str, Any]] = {"gold_hunting": {"heights": "hidden"}}


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
        what = re.sub(r'"link":"[0-9a-f]{96}"', '"link":"<link>"', what)  # of the chain, under a random key
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


def twins_of(game: Game, seat: int) -> list[Pair]:
    seats, options = max(game.SEATS[0], seat + 1), OPTIONS.get(game.NAME, {})
    log = twins(game, seats, options, seat, LENGTH)
    apart = differing(game, seats, options, log)
    assert len(log) >= 25 and (apart == 0 if game.NAME in OPEN_GAMES else apart > len(log) // 2)
    return log


Plant = Callable[[pytest.MonkeyPatch], None]


def plant_message(change: Callable[[LiveTable, int, wire.TableMessage], None]) -> Plant:
    """Whatever table is told of is changed like this."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        real = messages.table_message

        def leaky(table: LiveTable, seat: int, did: list[wire.Did]) -> wire.TableMessage:
            message = real(table, seat, did)
            change(table, seat, message)
            return message

        monkeypatch.setattr(messages, "table_message", leaky)

    return plant
