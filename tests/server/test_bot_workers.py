"""Thinking processes: few, of low priority, asked in turn; bots are compiled in one of them, in the background."""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import asynchronous
from support.local_server import PATIENCE, Page, Server, StillClock, Visitor, serving
from support.outside_game import taught_games
from support.server_process import Process

from motherlode import Table, bots
from motherlode.bots import guided, hint, levels, network, policy, spec
from motherlode.game import new_rng
from motherlode.games import GAMES
from motherlode.server import bot_workers as module
from motherlode.server.bot_workers import MOST_TRIES, BotWorker, BotWorkers, Died, Failed, Question
from motherlode.server.fair_queue import Asker
from motherlode.server.settings import Settings
from motherlode.table import Ask

GOLDMINE = GAMES["goldmine"]
ASK = Table("goldmine", seed=1).ask()
WEAK = "search:500"  # no policy stands in for it
STRONG = f"search:{spec.STRONG}"
TAUGHT = "taught_goldmine"


@pytest.fixture(scope="module")
def server(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Here there is a game that brings a policy; it is never compiled."""
    with taught_games(tmp_path_factory.mktemp("games"), TAUGHT), serving(database) as running:
        workers = running.parlour.bot_workers
        real = workers.prepare
        workers.prepare = lambda bot, game: None if game.NAME == TAUGHT else real(bot, game)  # type: ignore[method-assign]
        yield running


def run(work: Callable[[BotWorkers], Awaitable[None]], processes: int = 1) -> None:
    """Do this with bot_workers of its own."""

    async def main() -> None:
        bot_workers = BotWorkers(processes)
        try:
            async with asyncio.timeout(10 * PATIENCE):
                await work(bot_workers)
        finally:
            bot_workers.close()

    asynchronous.run(main())


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
        assert not bot_workers.is_warming("greedy", GOLDMINE) and bot_workers.is_warming(f"{WEAK}@50", GOLDMINE)
        assert bot_workers.is_warming("greedy:2000", GOLDMINE)
        bot_workers.prepare("greedy", GOLDMINE)
        assert not bot_workers.cold
        bot_workers.prepare(WEAK, GOLDMINE)
        bot_workers.prepare("search:60", GOLDMINE)
        assert list(bot_workers.cold) == ["goldmine"] and bot_workers.is_warming(WEAK, GOLDMINE)
        cold = await choose(bot_workers, WEAK, seed=5)
        assert cold in ASK.legal and await choose(bot_workers) in ASK.legal
        suggestions, plain = await bot_workers.suggest(ASK, 5)
        assert plain == bot_workers.is_cold("search", GOLDMINE) and {x.action for x in suggestions} <= set(ASK.legal)
        await warm.wait()
        assert not bot_workers.is_warming(WEAK, GOLDMINE) and not bot_workers.cold
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
        bot_workers.prepare(WEAK, GOLDMINE)
        for _ in range(MOST_TRIES):
            assert "Not a directory" in (await failures.get()).error
        bot_workers.prepare(WEAK, GOLDMINE)
        assert not bot_workers.cold and bot_workers.tries["goldmine"] == MOST_TRIES
        assert bot_workers.is_warming(WEAK, GOLDMINE) and await choose(bot_workers, WEAK) in ASK.legal

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


# In a game that brings a policy


@pytest.mark.usefixtures("server")  # which has the game
def test_until_then_the_policy_stands_in() -> None:
    """For bots that are about as good: these do not say that they are warming up. A hint comes from it too."""
    game, ask = GAMES[TAUGHT], Table(TAUGHT, seed=1).ask()
    alone = bots.make("policy", game, plain=True)
    answers = [alone(ask, new_rng(seed)) for seed in range(6)]
    assert len(set(answers)) > 1

    async def work(bot_workers: BotWorkers) -> None:
        for bot in ("policy", "policy+search:50", "policy+search:400+exact", STRONG):
            assert bot_workers.is_cold(bot, game) and not bot_workers.is_warming(bot, game)
            assert [await bot_workers.choose(bot, ask, seed) for seed in range(6)] == answers
        for bot in (WEAK, f"{STRONG}@90", "greedy:2000"):
            assert bot_workers.is_warming(bot, game)
        assert [await bot_workers.choose(WEAK, ask, seed) for seed in range(6)] != answers
        assert await bot_workers.suggest(ask, 5) == (hint.suggest(ask, new_rng(5), plain=True), True)
        bot_workers.prepare("policy", game)
        assert list(bot_workers.cold) == [TAUGHT]

    run(work)


def test_all_that_its_bots_need_is_compiled(monkeypatch: pytest.MonkeyPatch, policies: None) -> None:
    compiled = set()
    monkeypatch.setattr(bots, "warm", lambda bot, game: compiled.update(bots.compiled_parts(bot, game)))
    assert module.compile_bots("goldmine", threading.Lock()) == module.Compiled("goldmine")
    names = ["policy", "policy+search:9", "search:9", "greedy:99", hint.judge(GOLDMINE), *levels.names(GOLDMINE)]
    assert compiled == {part for name in names for part in bots.compiled_parts(name, GOLDMINE)} >= {policy, guided}
    monkeypatch.setattr(network, "path", lambda game: None)
    compiled.clear()
    module.compile_bots("goldmine", threading.Lock())
    assert compiled and not compiled & {policy, guided}


def test_then_it_searches_within_its_core_time(policies: None) -> None:
    ask, net = ASK, network.of(GOLDMINE)
    question = Question("policy+search:40", "goldmine", ask.seat, bytes(ask.view), ask.legal, [], 5, False, 60.0)
    assert module.answer(question) == guided.bot(net, 40)(ask, new_rng(5))
    asked = question._replace(bot="policy+search:2000", core_seconds=1e-9)
    assert module.answer(asked) == guided.bot(net, guided.CHUNK)(ask, new_rng(5))
    asked = question._replace(bot=None, core_seconds=1e-9)
    assert module.answer(asked) == hint.suggest(ask, new_rng(5), guided.CHUNK)


def test_no_strong_seat_says_that_it_is_warming_up(ada: Visitor) -> None:
    for bot, warming in (("policy", False), ("policy+search:50", False), (STRONG, False), (WEAK, True)):
        card = ada.make(TAUGHT, "me", bot, options={"target": 0})
        assert [player["warming"] for player in card["players"]] == [False, warming]
        with ada.open(card["id"], 0) as page:
            page.until_turn(), page.act()  # it plays all the same
            page.until_turn()


# At a table


def is_warm(table: dict[str, Any]) -> bool:
    return not any(player["warming"] for player in table["players"])


@pytest.mark.usefixtures("compiled")
def test_a_table_says_that_its_bot_is_warming_up(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path}/parlour.db") as server, Visitor(server) as ada:
        other = ada.make("goldmine", "me", "greedy")
        assert is_warm(other)
        card = ada.make("goldmine", "me", WEAK, options={"target": 0})
        assert [player["warming"] for player in card["players"]] == [False, True]
        with ada.open(card["id"], 0) as page, ada.open(card["id"]) as watching:
            page.patience = watching.patience = 10 * PATIENCE  # compiling is put after everything else
            page.until_turn(), page.act()  # it plays on meanwhile
            while not is_warm(page.table):
                page.wait("table")
            while not is_warm(watching.table):
                watching.wait("table")
            while not page.until_turn()["result"]:
                page.act()
        assert is_warm(ada.get(f"/api/tables/{card['id']}"))
        assert is_warm(ada.make("goldmine", "me", WEAK))
        (mine,) = [table for table in ada.get("/api/tables", mine=True)["tables"] if table["id"] == card["id"]]
        assert is_warm(mine)


@pytest.mark.usefixtures("compiled")
def test_after_a_restart_a_bot_warms_up_again(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/parlour.db"
    with serving(database) as server, Visitor(server) as ada:
        table, keys = ada.make("goldmine", WEAK, "me")["id"], ada.keys
    with serving(database) as server, Visitor(server) as ada:
        assert len(server.parlour.bot_workers.all) == 1 and server.parlour.bot_workers.tries["goldmine"] == 1
        ada.http.headers["authorization"] = f"Bearer {keys['token']}"
        with ada.open(table, 1) as page:
            while not is_warm(page.table):
                page.wait("table")
            assert page.until_turn()["legal"]


@pytest.mark.usefixtures("compiled")
def test_a_substitute_warms_up_too(server: Server, ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "anyone", substitute=WEAK)
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
        card = ada.make("goldmine", "me", WEAK)
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
    """Says when a server's bots have answered, and can keep their answers back, or let time pass over them."""

    def __init__(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server = server
        self.game = ""  # whose bots are meant; those of an earlier test's table may still be playing
        self.legal: list[int] = []  # how many actions each had to choose from
        self.thinks: Callable[[Ask], float] = lambda ask: 0.0  # how many seconds pass over an answer
        self.thought: list[float] = []
        self.answers = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self.may_answer.set()
        real = server.parlour.bot_workers.choose

        async def choose(bot: str, ask: Any, seed: int, *, asker: Asker) -> int:
            action = await real(bot, ask, seed, asker=asker)
            await asyncio.to_thread(self.may_answer.wait, PATIENCE)
            if self.game == ask.game.NAME:
                assert isinstance(server.parlour.clock, StillClock)
                server.parlour.clock.move(self.thinks(ask))
                self.thought.append(self.thinks(ask))
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


def check_pace(server: Server, ada: Visitor, watch: Watch, bot: str) -> None:
    """Whatever the bot had to choose from, one action or many, and however long it thought about them."""
    watch.game = game = TAUGHT if "policy" in bot else "goldmine"
    watch.thinks = lambda ask: min(len(ask.legal), 6) / 8
    card = ada.make(game, bot, "me", options={"target": 0})
    with ada.open(card["id"], 1) as page:
        while not page.table["result"]:
            if page.table["turn"] == 1:
                page.until_turn(), page.act()
                continue
            watch.wait()
            server.move_clock(0.875 - watch.thought[-1])
            check_nothing_comes(ada, page)
            server.move_clock(0.125)
            page.wait("table")
    assert 1 in watch.legal and max(watch.legal) > 1


@pytest.mark.parametrize("bot", ["random", "policy", "policy+search:50"])
def test_a_bot_acts_a_pace_after_its_turn_began(server: Server, ada: Visitor, watch: Watch, bot: str) -> None:
    check_pace(server, ada, watch, bot)


def test_a_planted_delay_that_tells_of_the_hand_is_caught(
    server: Server, ada: Visitor, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is forced is done at once."""
    real = server.parlour.pause

    async def leaky(began: float) -> None:
        if watch.legal[-1] > 1:
            await real(began)

    monkeypatch.setattr(server.parlour, "pause", leaky)
    with pytest.raises(AssertionError):
        check_pace(server, ada, watch, "policy+search:50")


@pytest.mark.parametrize(("game", "bot"), [("china_gold", "random"), (TAUGHT, "policy+search:50")])
def test_a_bot_that_thinks_long_acts_after_two_paces(
    server: Server, ada: Visitor, watch: Watch, game: str, bot: str
) -> None:
    watch.game = game
    watch.may_answer.clear()
    card = ada.make(game, bot, bot)
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
