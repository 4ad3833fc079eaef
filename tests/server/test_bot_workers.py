"""Thinking processes: few, of low priority, asked in turn; the search is compiled in one of them, in the background."""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.local_server import PATIENCE, Page, Server, Visitor, serving
from support.server_process import Process

from motherlode import Table
from motherlode.games import GAMES
from motherlode.server.bot_workers import MOST_TRIES, BotWorker, BotWorkers, Died, Failed
from motherlode.server.fair_queue import Asker
from motherlode.server.settings import Settings

GOLDMINE = GAMES["goldmine"]
ASK = Table("goldmine", seed=1).ask()


def run(work: Callable[[BotWorkers], Awaitable[None]], processes: int = 1) -> None:
    """Do this with bot_workers of its own."""

    async def main() -> None:
        bot_workers = BotWorkers(processes)
        try:
            async with asyncio.timeout(10 * PATIENCE):
                await work(bot_workers)
        finally:
            bot_workers.close()

    asyncio.run(main())


def note(bot_workers: BotWorkers | BotWorker, method: str) -> "asyncio.Queue[Any]":
    """What this method is called with from now on, when it has been done."""
    real, calls = getattr(bot_workers, method), asyncio.Queue[Any]()

    def noted(what: Any) -> None:
        real(what)
        calls.put_nowait(what)

    setattr(bot_workers, method, noted)
    return calls


def pause(worker: BotWorker) -> None:
    """It does nothing any more until it is told to go on, or killed."""
    assert worker.process.pid
    os.kill(worker.process.pid, signal.SIGSTOP)


def go_on(worker: BotWorker) -> None:
    assert worker.process.pid
    os.kill(worker.process.pid, signal.SIGCONT)


def choose(bot_workers: BotWorkers, bot: str = "random", seed: int = 0) -> "asyncio.Task[int]":
    return asyncio.create_task(bot_workers.choose(bot, ASK, seed))


async def ask_now(bot_workers: BotWorkers, bot: str = "random") -> "asyncio.Task[int]":
    """Incoming, and in the queue."""
    task = choose(bot_workers, bot)
    await asyncio.sleep(0)
    return task


def test_there_is_one_less_than_cores() -> None:
    assert Settings.bots == max(1, (os.cpu_count() or 2) - 1)


def test_one_is_there_from_the_start_and_at_the_lowest_priority(server: Server, ada: Visitor) -> None:
    (worker,) = server.parlour.bot_workers.all
    with ada.open(ada.make("goldmine", "random", "random", options={"target": 0})["id"]) as page:
        while not page.table["result"]:
            page.wait("table")
    assert server.parlour.bot_workers.all == [worker] and worker.process.pid
    assert os.getpriority(os.PRIO_PROCESS, worker.process.pid) == 19


def test_questions_are_answered_in_turn() -> None:
    """A table whose bots are quick asks again at once; the others go first nevertheless."""

    async def work(bot_workers: BotWorkers) -> None:
        answered: list[str] = []

        async def table(name: str, bots: int) -> None:
            for _ in range(bots):
                assert await bot_workers.choose("random", ASK, 0) in ASK.legal
                answered.append(name)

        await asyncio.gather(table("quick", 4), table("b", 2), table("c", 2))
        assert answered == ["quick", "b", "c", "quick", "b", "c", "quick", "quick"]
        assert len(bot_workers.all) == 1

    run(work)


def test_no_more_processes_than_allowed() -> None:
    async def work(bot_workers: BotWorkers) -> None:
        asked = [await ask_now(bot_workers) for _ in range(4)]
        assert len(bot_workers.all) == 2 and len(bot_workers.waiting) == 2
        assert set(await asyncio.gather(*asked)) <= set(ASK.legal)
        assert await choose(bot_workers) in ASK.legal and len(bot_workers.all) == 2

    run(work, processes=2)


def test_the_same_seed_gives_the_same_answer() -> None:
    async def work(bot_workers: BotWorkers) -> None:
        answers = [[await choose(bot_workers, seed=seed) for seed in range(10)] for _ in range(2)]
        assert answers[0] == answers[1] and len(set(answers[0])) > 1

    run(work)


def test_nobody_thinks_for_one_who_has_gone() -> None:
    async def work(bot_workers: BotWorkers) -> None:
        bot_workers.open()
        pause(bot_workers.all[0])
        sent = note(bot_workers.all[0], "send")
        first, second, third = [await ask_now(bot_workers) for _ in range(3)]
        first.cancel(), second.cancel()
        go_on(bot_workers.all[0])
        assert await third in ASK.legal and not bot_workers.waiting
        assert first.cancelled() and second.cancelled() and sent.qsize() == 2

    run(work)


def test_when_a_process_dies_another_is_asked_once() -> None:
    async def work(bot_workers: BotWorkers) -> None:
        bot_workers.open()
        pause(bot_workers.all[0])
        thought, waited = await ask_now(bot_workers), await ask_now(bot_workers)
        bot_workers.all[0].process.kill()
        assert await thought in ASK.legal and await waited in ASK.legal

        deaths = note(bot_workers, "_lose")
        pause(bot_workers.all[0])
        thought = await ask_now(bot_workers)
        bot_workers.all[0].process.kill()
        await deaths.get()
        await asyncio.sleep(0)  # now it is asked again
        bot_workers.all[0].process.kill()
        with pytest.raises(Died):
            await thought
        assert await choose(bot_workers) in ASK.legal

    run(work)


def test_a_bot_that_fails_says_why() -> None:
    """A table lets in nobody's own code (see below); should such a name ever be stored, a worker does not run it."""

    async def work(bot_workers: BotWorkers) -> None:
        for name in ("cmd:true", "py:os:abort", "py:os:abort+exact@90"):
            with pytest.raises(Failed, match="takes a seat as a guest, over the API; it is not started here"):
                await choose(bot_workers, name)
        assert await choose(bot_workers) in ASK.legal

    run(work)


# Compiling


def test_it_is_compiled_in_the_background() -> None:
    """Until then a bot that needs it answers all the same, and one that does not need it never waits."""

    async def work(bot_workers: BotWorkers) -> None:
        warm = asyncio.Event()
        bot_workers.announce = lambda game: warm.set() if game == "goldmine" else None
        assert not bot_workers.is_warming("greedy", GOLDMINE) and bot_workers.is_warming("baron@50", GOLDMINE)
        assert bot_workers.is_warming("greedy:2000", GOLDMINE)
        bot_workers.prepare("greedy", GOLDMINE)
        assert not bot_workers.cold
        bot_workers.prepare("baron", GOLDMINE)
        bot_workers.prepare("search:60", GOLDMINE)
        assert list(bot_workers.cold) == ["goldmine"] and bot_workers.is_warming("baron", GOLDMINE)
        cold = await choose(bot_workers, "baron", seed=5)
        assert cold in ASK.legal and await choose(bot_workers) in ASK.legal
        suggestions, plain = await bot_workers.suggest(ASK, 5)
        assert plain == bot_workers.is_warming("search", GOLDMINE) and {x.action for x in suggestions} <= set(ASK.legal)
        await warm.wait()
        assert not bot_workers.is_warming("baron", GOLDMINE) and not bot_workers.cold
        assert await choose(bot_workers, "search:60", seed=5) == cold  # the shorter one, compiled
        suggestions, plain = await bot_workers.suggest(ASK, 5)
        assert not plain and len(suggestions) == 3
        bot_workers.all[0].process.kill()
        assert await choose(bot_workers, "search:60", seed=5) == cold  # another process loads it

    run(work)


def test_where_compiling_fails_bots_go_on_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Here there is no folder for what is compiled."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    async def work(bot_workers: BotWorkers) -> None:
        failures = note(bot_workers, "_note_compiled")
        bot_workers.prepare("baron", GOLDMINE)
        for _ in range(MOST_TRIES):
            assert "Not a directory" in (await failures.get()).error
        bot_workers.prepare("baron", GOLDMINE)
        assert not bot_workers.cold and bot_workers.tries["goldmine"] == MOST_TRIES
        assert bot_workers.is_warming("baron", GOLDMINE) and await choose(bot_workers, "baron") in ASK.legal

    run(work)


def test_when_the_process_that_compiles_dies_another_tries_once() -> None:
    async def work(bot_workers: BotWorkers) -> None:
        bot_workers.prepare("baron", GOLDMINE)
        bot_workers.prepare("baron", GAMES["china_gold"])
        deaths = note(bot_workers, "_lose")
        seen = []
        while "goldmine" in bot_workers.cold:
            seen.append(bot_workers.all[0].compiles)
            bot_workers.all[0].process.kill()
            await deaths.get()
        assert seen == ["goldmine", "china_gold", "goldmine"] and "goldmine" not in bot_workers.warm
        assert await choose(bot_workers, "baron") in ASK.legal

    run(work)


# At a table


def is_warm(table: dict[str, Any]) -> bool:
    return not any(player["warming"] for player in table["players"])


@pytest.mark.usefixtures("compiled")
def test_a_table_says_that_its_bot_is_warming_up(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path}/parlour.db") as server, Visitor(server) as ada:
        other = ada.make("goldmine", "me", "greedy")
        assert is_warm(other)
        card = ada.make("goldmine", "me", "baron", options={"target": 0})
        assert [player["warming"] for player in card["players"]] == [False, True]
        with ada.open(card["id"], 0) as page, ada.open(card["id"]) as watching:
            page.until_turn(), page.act()  # it plays on meanwhile
            while not is_warm(page.table):
                page.wait("table")
            while not is_warm(watching.table):
                watching.wait("table")
            while not page.until_turn()["result"]:
                page.act()
        assert is_warm(ada.get(f"/api/tables/{card['id']}"))
        assert is_warm(ada.make("goldmine", "me", "baron"))
        (mine,) = [table for table in ada.get("/api/tables", mine=True)["tables"] if table["id"] == card["id"]]
        assert is_warm(mine)


@pytest.mark.usefixtures("compiled")
def test_after_a_restart_a_bot_warms_up_again(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/parlour.db"
    with serving(database) as server, Visitor(server) as ada:
        table, keys = ada.make("goldmine", "baron", "me")["id"], ada.keys
    with serving(database) as server, Visitor(server) as ada:
        assert len(server.parlour.bot_workers.all) == 1 and server.parlour.bot_workers.tries["goldmine"] == 1
        ada.http.headers["authorization"] = f"Bearer {keys['token']}"
        with ada.open(table, 1) as page:
            while not is_warm(page.table):
                page.wait("table")
            assert page.until_turn()["legal"]


@pytest.mark.usefixtures("compiled")
def test_a_substitute_warms_up_too(server: Server, ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "anyone", substitute="prospector")
    bob.take(card["id"], 1)
    with ada.open(card["id"], 0) as one, bob.open(card["id"], 1) as two:
        assert "goldmine" not in server.parlour.bot_workers.cold
        two.send(do="leave")
        one.wait("table", lambda table: table["players"][1]["warming"])
        one.wait("table", is_warm)


@pytest.mark.usefixtures("compiled")
def test_the_server_itself_never_compiles(tmp_path: Path) -> None:
    """Not even with bots that need it: nothing of the compiler is in its memory."""
    with Process(f"sqlite:///{tmp_path}/parlour.db") as process, process.visitor("Ada") as ada:
        card = ada.make("goldmine", "me", "baron")
        with ada.open(card["id"], 0) as page:
            while not is_warm(page.table):
                page.wait("table")
        in_memory = Path(f"/proc/{process.child.pid}/maps").read_text()
        assert "pydantic_core" in in_memory and "llvmlite" not in in_memory


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ("cmd:true", "a program of your own takes a seat as a guest"),
        ("py:os:abort", "a bot in Python takes a seat as a guest"),
        ("py:os:abort+exact@90", "a bot in Python takes a seat as a guest"),
        ("search:500ms", "strength is a number, as in search:400, not '500ms'"),
        ("search:4x100", "strength is a number, as in search:400, not '4x100'"),
        ("search:2001", "at most 2000, not 2001"),
        ("search:9999@50", "at most 2000, not 9999"),
    ],
)
def test_bots_that_are_not_let_in(ada: Visitor, player: str, said: str) -> None:
    seats = [{"player": "me"}, {"player": player}]
    assert said in ada.post("/api/tables", 400, game="goldmine", seats=seats)["no"]
    seats = [{"player": "me"}, {"player": "anyone"}]
    assert said in ada.post("/api/tables", 400, game="goldmine", seats=seats, substitute=player)["no"]


def test_a_bot_with_exact_endings_is_let_in(ada: Visitor) -> None:
    assert ada.make("goldmine", "me", "search:400+exact")["id"]


# The pace


class Watch:
    """Says when a server's bots have answered, and can keep their answers back."""

    def __init__(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server = server
        self.game = ""  # whose bots are meant; those of an earlier test's table may still be playing
        self.legal: list[int] = []  # how many actions each had to choose from
        self.answers = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self.may_answer.set()
        real = server.parlour.bot_workers.choose

        async def choose(bot: str, ask: Any, seed: int, *, asker: Asker) -> int:
            action = await real(bot, ask, seed, asker=asker)
            await asyncio.to_thread(self.may_answer.wait, PATIENCE)
            if self.game == ask.game.NAME:
                self.legal.append(len(ask.legal))
                self.answers.release()  # whatever the test does next comes after what follows from the answer at once
            return action

        monkeypatch.setattr(server.parlour.bot_workers, "choose", choose)
        monkeypatch.setattr(server.parlour, "settings", replace(server.parlour.settings, pace=1.0))

    def wait(self, answers: int = 1) -> None:
        for _ in range(answers):
            assert self.answers.acquire(timeout=PATIENCE)


@pytest.fixture
def watch(server: Server, monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(server, monkeypatch)


def check_nothing_comes(ada: Visitor, page: Page) -> None:
    """What is under way would be stored before this is found to be ready, and shown before the pong."""
    at = page.table["at"]
    ada.get("/ready")
    assert page.ask(do="ping") == {"is": "pong"} and page.table["at"] == at


def test_a_bot_acts_a_pace_after_its_turn_began(server: Server, ada: Visitor, watch: Watch) -> None:
    """Whatever it had to choose from: one action or many."""
    watch.game = "goldmine"
    card = ada.make("goldmine", "random", "me", options={"target": 0})
    with ada.open(card["id"], 1) as page:
        while not page.table["result"]:
            if page.table["turn"] == 1:
                page.until_turn(), page.act()
                continue
            watch.wait()
            server.move_clock(0.75)
            check_nothing_comes(ada, page)
            server.move_clock(0.25)
            page.wait("table")
    assert 1 in watch.legal and max(watch.legal) > 1


def test_a_bot_that_thinks_long_acts_after_two_paces(server: Server, ada: Visitor, watch: Watch) -> None:
    watch.game = "china_gold"
    watch.may_answer.clear()
    card = ada.make("china_gold", "random", "random")
    with ada.open(card["id"]) as page:
        server.move_clock(1.25)
        check_nothing_comes(ada, page)
        watch.may_answer.set()
        watch.wait()
        check_nothing_comes(ada, page)
        server.move_clock(0.5)
        check_nothing_comes(ada, page)
        server.move_clock(0.25)
        assert page.wait("table")["did"][0]["actor"] >= 0


def test_what_nobody_is_told_of_takes_no_pace(server: Server, ada: Visitor, watch: Watch) -> None:
    """A bot builds behind its screen: all is shown at once, a pace after the other had done."""
    watch.game = "gold_hunting"
    card = ada.make("gold_hunting", "me", "random")
    with ada.open(card["id"], 0) as page:
        for _ in range(10):
            page.until_turn(), page.act()
        watch.wait(10)
        check_nothing_comes(ada, page)
        assert server.parlour.tables[card["id"]].core.at == page.table["at"] + 9
        server.move_clock(1.0)
        shown = page.wait("table")
        assert [did["action"] for did in shown["did"]] == [None] * 10


def test_a_player_who_comes_back_in_the_pause_acts_alone(
    server: Server, ada: Visitor, bob: Visitor, watch: Watch
) -> None:
    watch.game = "goldmine"
    card = ada.make("goldmine", "me", "anyone", substitute="random")
    bob.take(card["id"], 1)
    with ada.open(card["id"], 0) as one, bob.open(card["id"], 1) as two:
        gone, stays = (one, two) if one.table["turn"] == 0 else (two, one)
        seat = gone.table["seat"]
        gone.send(do="leave")
        gone.wait("table", lambda table: table["players"][seat]["bot"] is not None)
        watch.wait()
        gone.send(do="return")
        gone.wait("table", lambda table: table["players"][seat]["bot"] is None)
        server.move_clock(1.0)
        check_nothing_comes(ada, stays)
        gone.until_turn(), gone.act()
