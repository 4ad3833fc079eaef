"""Stored before shown: servers are killed (SIGKILL) at random moments while real clients play at twenty tables.

Whatever was acknowledged is in the log, once and as it was asked; nothing else is that nobody asked; every table goes
on. With two processes one is killed and its players go to the other until it is there again.
"""

import asyncio
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import httpx
import pytest
import sqlalchemy as sa
from support import asynchronous, early_acknowledging_server
from support.server_process import Process
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from motherlode.server import queries, storage

TABLES = 20
GAMES = ("goldmine", "china_gold", "blue_creek", "mount_goldrush", "gold_hunting")
PATIENCE = 120.0
KILLS = 200  # of the long run


class Hasty(Process):
    program = (str(Path(early_acknowledging_server.__file__)),)


class Game:
    """One table: what its players asked, and what they were acknowledged."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.asked: dict[int, set[tuple[int, int]]] = {}  # by place in the log: seat, action
        self.acknowledged: dict[int, tuple[int, int]] = {}
        self.is_over = False
        self.news = 0  # acknowledged since the last kill


class Club:
    """Two players at all tables, each seat through one of the processes."""

    def __init__(self, database: str, processes: list[Process], seed: int) -> None:
        self.database, self.processes = database, processes
        self.rng = random.Random(seed)
        self.games: list[Game] = []
        self.moment: asyncio.Event
        self.left = 0  # how many things happen before the next kill
        self.http = httpx.Client(timeout=PATIENCE, verify=False)
        self.tokens: list[dict[str, str]] = []
        for name in ("Ada", "Bob"):
            keys = self.post("/api/guests", {}, name=name)
            self.tokens.append({"authorization": f"Bearer {keys['token']}"})
        self.made = 0

    def post(self, path: str, token: dict[str, str], **body: Any) -> Any:
        answer = self.http.post(f"{self.processes[0].url}{path}", json=body, headers=token)
        self.http.cookies.clear()
        return answer.raise_for_status().json()

    def make(self) -> Game:
        """A table whose players are programs: they may ask for the log of a memory game too."""
        game = GAMES[self.made % len(GAMES)]
        self.made += 1
        seats = [{"player": "me", "program": True}, {"player": "anyone"}]
        key = self.post("/api/tables", self.tokens[0], game=game, seats=seats)["id"]
        self.post(f"/api/tables/{key}/seats/1/take", self.tokens[1], program=True)
        return Game(key)

    def happens(self) -> None:
        """Something was sent or acknowledged. After enough of it, and when every table has gone on, comes the kill."""
        self.left -= 1
        if self.left <= 0 and all(game.news or game.is_over for game in self.games):
            asyncio.get_running_loop().call_later(self.rng.random() * 0.005, self.moment.set)

    async def sit(self, game: Game, seat: int) -> None:
        """Play one seat until the game is over or the server is gone."""
        process = self.processes[seat % len(self.processes)]
        url = f"ws://127.0.0.1:{process.port}/api/tables/{game.key}/socket?seat={seat}"
        try:
            async with connect(url, additional_headers=self.tokens[seat], open_timeout=PATIENCE) as page:
                await self.play(game, seat, page)
        except (ConnectionClosed, OSError, InvalidHandshake, EOFError):
            pass

    async def play(self, game: Game, seat: int, page: ClientConnection) -> None:
        table: dict[str, Any] = {}
        sent = -1
        while True:
            message = json.loads(await page.recv())
            if message["is"] == "table":
                table = message
                for did in table["did"]:
                    if did["actor"] == seat and (seat, did["action"]) in game.asked.get(did["at"], ()):
                        game.acknowledged[did["at"]] = seat, did["action"]
                        game.news += 1
                        self.happens()
            elif message["is"] == "no":
                assert "look again" in message["no"] or "turn of seat" in message["no"], message
                sent = -1
            if table.get("result"):
                game.is_over = True
                self.happens()
                return
            if table["legal"] and sent < table["at"]:
                sent = table["at"]
                action = self.rng.choice(table["legal"])["action"]
                game.asked.setdefault(sent, set()).add((seat, action))
                await page.send(json.dumps({"do": "act", "at": sent, "action": action}))
                self.happens()

    async def until_killed(self, victim: int) -> None:
        self.moment = asyncio.Event()
        self.left = self.rng.randrange(40, 200)
        for game in self.games:
            game.news = 0
        while len(self.games) < TABLES:
            self.games.append(self.make())
        players = [asyncio.create_task(self.sit(game, seat)) for game in self.games for seat in range(2)]
        await asyncio.wait_for(self.moment.wait(), PATIENCE)
        self.processes[victim].child.kill()
        if len(self.processes) == 1:
            await asyncio.gather(*players)
        else:
            for player in players:  # those of the other process are sent home by us
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)

    def check(self) -> None:
        """What is stored against what was asked and acknowledged."""
        engine = storage.connect(self.database, 5.0)
        with engine.connect() as connection:
            for game in self.games:
                rows = {row.at: (row.actor, row.action) for row in queries.read_rows(connection, game.key)}
                for at, what in game.acknowledged.items():
                    assert rows.get(at) == what, f"action {at} was acknowledged as {what} and is {rows.get(at)}"
                for at, (actor, action) in rows.items():
                    assert actor < 0 or (actor, action) in game.asked.get(at, ()), f"nobody asked for action {at}"
        engine.dispose()

    def check_by_asking(self) -> None:
        """The same as the server tells it."""
        for game in self.games[:: max(1, len(self.games) // 4)]:
            for seat in range(2):
                url = f"{self.processes[-1].url}/api/tables/{game.key}/log"
                answer = self.http.get(url, params={"seat": seat}, headers=self.tokens[seat]).raise_for_status()
                told = [did for did in answer.json()["did"] if did["actor"] == seat]
                assert len({did["at"] for did in told}) == len(told)
                mine = {at: what for at, what in game.acknowledged.items() if what[0] == seat}
                assert mine.items() <= {did["at"]: (seat, did["action"]) for did in told}.items()


class Tally(NamedTuple):
    """How it went: what was acknowledged was all there."""

    acknowledged: int  # actions
    ready: list[float]  # seconds from each start after a kill until the server was ready


def kill_often(database: str, kills: int, processes: int = 1, kind: type[Process] = Process, seed: int = 4) -> Tally:
    fast = {"MOTHERLODE_HEARTBEAT": "0.2", "MOTHERLODE_LEASE_RETRY": "0.2", "MOTHERLODE_BOTS": "1"}
    running = [kind(database, **fast) for _ in range(processes)]
    club = Club(database, running, seed)
    acknowledged = 0
    ready: list[float] = []
    try:
        for _ in range(kills):
            victim = club.rng.randrange(processes)
            asynchronous.run(club.until_killed(victim))
            running[victim].__exit__()
            if processes > 1:  # the other one goes on
                survivor = [running[1 - victim]]
                both, club.processes = club.processes, survivor
                club.check()
                club.check_by_asking()
                club.processes = both
            began = time.perf_counter()
            running[victim] = kind(database, **fast)
            assert club.http.get(f"{running[victim].url}/ready").json()["status"] == "ok"
            ready.append(time.perf_counter() - began)
            club.check()
            club.check_by_asking()
            acknowledged += sum(len(game.acknowledged) for game in club.games if game.is_over)
            club.games = [game for game in club.games if not game.is_over]
        return Tally(acknowledged + sum(len(game.acknowledged) for game in club.games), ready)
    finally:
        club.http.close()
        for process in running:
            process.__exit__()


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'parlour.db'}"


def test_killed_on_sqlite(sqlite: str) -> None:
    assert kill_often(sqlite, 3).acknowledged >= 3 * TABLES


def test_killed_on_postgresql(new_postgresql: Callable[[], str]) -> None:
    assert kill_often(new_postgresql(), 2).acknowledged >= 2 * TABLES


def test_one_of_two_processes_killed(new_postgresql: Callable[[], str]) -> None:
    assert kill_often(new_postgresql(), 2, processes=2).acknowledged >= 2 * TABLES


def test_acknowledging_before_the_commit_is_caught(sqlite: str) -> None:
    with pytest.raises(AssertionError, match="was acknowledged as"):
        kill_often(sqlite, 20, kind=Hasty)  # one may come at a moment when nothing is under way


def test_a_commit_is_on_the_disk(sqlite: str) -> None:
    """A kill cannot show it, a power cut would: what writes waits for the disk."""
    engine = storage.connect(sqlite, 5.0)
    with engine.connect() as connection:
        assert connection.execute(sa.text("PRAGMA synchronous")).scalar() == 2
        assert connection.execute(sa.text("PRAGMA journal_mode")).scalar() == "wal"
    engine.dispose()


@pytest.mark.soak
@pytest.mark.parametrize(("database", "processes"), [("sqlite", 1), ("postgresql", 1), ("postgresql", 2)])
def test_killed_very_often(sqlite: str, new_postgresql: Callable[[], str], database: str, processes: int) -> None:
    acknowledged, ready = kill_often(sqlite if database == "sqlite" else new_postgresql(), KILLS, processes)
    print(
        f"\n{len(ready)} kills, {database}, {processes} process{'es' * (processes > 1)}: {acknowledged:,} actions "
        f"acknowledged, 0 lost, 0 twice; ready again after {median(ready):.1f} s (median), {max(ready):.1f} s (longest)"
    )
