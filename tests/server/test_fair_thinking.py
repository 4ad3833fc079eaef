"""Thinking is shared fairly: whoever has many tables keeps nobody else waiting, nobody thinks without end, and whoever
runs the server sees what is asked and can clear it."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import asynchronous
from support.local_server import PATIENCE, Server, Visitor, serving
from support.outside_game import NAME, outside_game

from motherlode import Table, bots
from motherlode.game import new_rng
from motherlode.server import bot_workers as module
from motherlode.server import fair_queue
from motherlode.server.bot_workers import CLEARED, BotWorkers, Cleared, Overran, Question
from motherlode.server.fair_queue import LATELY, Asker, FairQueue, Waiting

ASK = Table("goldmine", seed=1).ask()
EVE, BOB, CAL = Asker("eve", "hers"), Asker("bob", "his"), Asker("cal", "theirs")


class Queue(FairQueue[int]):
    """With a time of its own."""

    def __init__(self, **addresses: str) -> None:
        self.time = 0.0
        super().__init__(2.0, lambda: self.time)
        for guest, address in addresses.items():
            self.see(guest, address)

    def ask(self, asker: Asker, questions: int = 1) -> None:
        for number in range(questions):
            self.add(asker, number)

    def work(self, seconds: float) -> str:
        """The guest whose question comes next; it takes so much of a core."""
        entry = self.take()
        self.time += seconds
        self.finish(entry, seconds)
        return entry.asker.guest


def test_whoever_has_many_questions_gets_the_share_of_one() -> None:
    queue = Queue(eve="1.1.1.1", bob="2.2.2.2")
    queue.ask(EVE, 60)
    queue.ask(BOB, 20)
    assert [queue.work(1.0) for _ in range(40)].count("bob") == 20
    assert len(queue) == 40 and {entry.asker for entry in queue} == {EVE}


def test_whoever_comes_later_goes_first() -> None:
    queue = Queue(eve="1.1.1.1", bob="2.2.2.2")
    queue.ask(EVE, 60)
    assert [queue.work(1.0) for _ in range(20)] == ["eve"] * 20
    queue.ask(BOB, 3)
    assert [queue.work(0.1) for _ in range(3)] == ["bob"] * 3


def test_time_counts_and_not_questions() -> None:
    queue, spent = Queue(eve="1.1.1.1", bob="2.2.2.2"), {"eve": 0.0, "bob": 0.0}
    for _ in range(200):
        if not any(entry.asker == BOB for entry in queue):
            queue.ask(BOB)
        if not any(entry.asker == EVE for entry in queue):
            queue.ask(EVE)
        entry = queue.take()
        cost = {"eve": 1.0, "bob": 0.1}[entry.asker.guest]
        queue.finish(entry, cost)
        spent[entry.asker.guest] += cost
    assert abs(spent["eve"] - spent["bob"]) < 2


def test_many_guests_of_one_address_get_the_share_of_one() -> None:
    queue = Queue(bob="2.2.2.2", **{f"eve{k}": "1.1.1.1" for k in range(30)})
    for k in range(30):
        queue.ask(Asker(f"eve{k}"), 2)
    queue.ask(BOB, 10)
    order = [queue.work(1.0) for _ in range(70)]
    assert order[:20].count("bob") == 10
    first, second = order[:40], order[40:]
    assert len({guest for guest in first if guest != "bob"}) == 30 == len(set(second))  # and they share it fairly


def test_those_who_have_not_been_here_share_one_share() -> None:
    """As after a restart, where tables of 30 guests are taken up."""
    queue = Queue(bob="2.2.2.2")
    for k in range(30):
        queue.ask(Asker(f"eve{k}"), 2)
    queue.ask(BOB, 10)
    assert [queue.work(1.0) for _ in range(20)].count("bob") == 10


def test_what_is_worked_on_counts() -> None:
    """Two workers are free: they are not both for the same player."""
    queue = Queue(eve="1.1.1.1", bob="2.2.2.2")
    queue.ask(EVE, 5)
    queue.ask(BOB, 5)
    assert {queue.take().asker, queue.take().asker} == {EVE, BOB}


@pytest.mark.parametrize(("wait", "first"), [(LATELY, "bob"), (20 * LATELY, "eve")])
def test_what_was_spent_long_ago_is_forgotten(wait: float, first: str) -> None:
    queue = Queue(eve="1.1.1.1", bob="2.2.2.2")
    queue.ask(EVE)
    assert queue.work(100.0) == "eve"
    queue.time += wait
    queue.ask(BOB)
    assert queue.work(1.0) == "bob"
    queue.ask(BOB)
    queue.ask(EVE)
    assert queue.take().asker.guest == first


def test_nobody_waits_for_one_who_has_gone() -> None:
    queue = Queue(eve="1.1.1.1")
    queue.ask(BOB)
    entry = queue.add(EVE, 1)
    queue.remove(entry)
    queue.remove(entry)
    assert [entry.asker for entry in queue] == [BOB] and list(queue.lines) == [""]


def test_what_is_kept_of_guests_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "MOST_ADDRESSES", 5)
    monkeypatch.setattr(fair_queue, "MOST_ACCOUNTS", 8)
    queue = Queue()
    for k in range(50):
        queue.see(f"guest{k}", f"1.1.1.{k}")
        queue.ask(Asker(f"guest{k}"))
        queue.work(1.0)
        queue.time += 20 * LATELY
    assert list(queue.addresses) == [f"guest{k}" for k in range(45, 50)] and len(queue.accounts) <= 9


# In workers


def run(work: Callable[[BotWorkers], Awaitable[None]], **more: Any) -> None:
    async def main() -> None:
        bot_workers = BotWorkers(1, **more)
        try:
            async with asyncio.timeout(PATIENCE):
                await work(bot_workers)
        finally:
            bot_workers.close()

    asynchronous.run(main())


def test_another_players_bot_answers_next() -> None:
    """Somebody's 60 tables ask, and ask again: the bot of whoever comes then waits for one answer at most."""

    async def work(bot_workers: BotWorkers) -> None:
        answered: list[str] = []

        async def table(asker: Asker, decisions: int) -> None:
            for _ in range(decisions):
                assert await bot_workers.choose("greedy", ASK, 0, asker=asker) in ASK.legal
                answered.append(asker.guest)

        tables = [asyncio.create_task(table(EVE._replace(table=str(k)), 2)) for k in range(60)]
        while not answered:
            await asyncio.sleep(0)
        for _ in range(3):
            before = len(answered)
            await table(BOB, 1)
            assert answered[before:].index("bob") <= 2  # one is worked on, and one answered but not noted yet
        await asyncio.gather(*tables)
        assert bot_workers.core_seconds > 0 and not bot_workers.thinking()

    run(work)


def test_a_decision_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker is asked says how much of a core it may take; the answer is then the best so far."""
    question = Question("greedy:2000", "goldmine", ASK.seat, bytes(ASK.view), ASK.legal, [], 5, False, 1e-9)
    assert module.answer(question) == bots.make(f"greedy:{bots.greedy.CHUNK}")(ASK, new_rng(5))
    bot = bots.make(f"search:{bots.search.CHUNK}")
    question = question._replace(bot="search:64")
    assert module.answer(question) == bot(ASK, new_rng(5))

    async def work(bot_workers: BotWorkers) -> None:
        bot_workers.open()
        with monkeypatch.context() as noting:
            sent: list[Any] = []
            noting.setattr(bot_workers.all[0], "send", sent.append)
            asked = [
                asyncio.create_task(work)
                for work in (bot_workers.choose("random", ASK, 0), bot_workers.suggest(ASK, 0))
            ]
            await asyncio.sleep(0)
            bot_workers._settle(bot_workers.all[0], 0, 0.0)
            bot_workers._hand_out()
        assert [what.core_seconds for what in sent] == [0.25, 0.25]
        asked[1].cancel()

    run(work, thinking_time=0.25)


def test_a_bot_that_does_not_stop_is_ended(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is not asked again; the next question gets another worker."""
    with outside_game(tmp_path, more="def blind(s):\n    while True:\n        pass\n") as game:
        ask = ASK._replace(game=game)

        async def work(bot_workers: BotWorkers) -> None:
            with pytest.raises(Overran):
                await bot_workers.choose("greedy", ask, 0, asker=EVE)
            assert not bot_workers.all and bot_workers.core_seconds >= 0.03
            assert await bot_workers.choose("random", ASK, 0) in ASK.legal

        run(work, thinking_time=0.01)
    (record,) = [record for record in caplog.records if "thought for too long" in record.message]
    assert vars(record)["game"] == NAME and vars(record)["bot"] == "greedy"


def test_ending_it_is_no_failure_of_what_it_compiles(tmp_path: Path) -> None:
    with outside_game(tmp_path, more="def blind(s):\n    while True:\n        pass\n") as game:
        ask = ASK._replace(game=game)

        async def work(bot_workers: BotWorkers) -> None:
            for _ in range(3):
                bot_workers.prepare("baron", ASK.game)
                with pytest.raises(Overran):
                    await bot_workers.choose("greedy", ask, 0)
                assert bot_workers.tries["goldmine"] <= 1
            assert "goldmine" in [*bot_workers.warm, *bot_workers.cold]

        run(work, thinking_time=0.01)


# For whoever runs the server


def test_the_queue_is_seen_and_cleared() -> None:
    async def work(bot_workers: BotWorkers) -> None:
        bot_workers.open()
        pid = bot_workers.all[0].process.pid
        assert pid
        os.kill(pid, signal.SIGSTOP)
        asked = {
            asker.table: asyncio.create_task(bot_workers.choose("random", ASK, 0, asker=asker))
            for asker in (EVE, BOB, EVE._replace(table="other"), CAL)
        }
        await asyncio.sleep(0)
        hint = asyncio.create_task(bot_workers.suggest(ASK, 0, asker=CAL))
        await asyncio.sleep(0)
        rows = bot_workers.thinking()
        assert [(row.guest, row.table, row.bot, row.is_working) for row in rows] == [
            ("eve", "hers", "random", True),
            ("bob", "his", "random", False),
            ("eve", "other", "random", False),
            ("cal", "theirs", "random", False),
            ("cal", "theirs", "", False),
        ]
        assert {row.game for row in rows} == {"goldmine"} and all(row.seconds >= 0 for row in rows)
        assert set(rows[0]._fields) == {"guest", "table", "game", "bot", "is_working", "seconds"}
        assert bot_workers.clear(guest="eve") == 1 and bot_workers.clear(table="his") == 1
        assert [row.guest for row in bot_workers.thinking()] == ["eve", "cal", "cal"]
        for table in ("other", "his"):
            with pytest.raises(Cleared):
                await asked[table]
        assert bot_workers.clear() == 2 and len(bot_workers.waiting) == 0
        with pytest.raises(Cleared):
            await hint
        with pytest.raises(Cleared):
            await asked["theirs"]
        os.kill(pid, signal.SIGCONT)
        assert await asked["hers"] in ASK.legal and not bot_workers.thinking()

    run(work)


# At tables


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    with serving(database) as running:
        running.parlour.bot_workers.prepare = lambda bot, game: None  # type: ignore[method-assign]
        yield running


def on_the_loop(server: Server, work: Callable[[], Any]) -> Any:
    async def call() -> Any:
        return work()

    return asyncio.run_coroutine_threadsafe(call(), server.loop).result(PATIENCE)


def note_order(server: Server) -> list[str]:
    """The guests whose questions are worked on, from now on."""
    queue, order = server.parlour.bot_workers.waiting, []
    real = queue.take

    def take() -> Waiting[Any]:
        entry = real()
        order.append(entry.asker.guest)
        return entry

    queue.take = take  # type: ignore[method-assign]
    return order


def check_quick(server: Server, bob: Visitor, table: str) -> None:
    """Between two questions of Bob's bot there are a few of Eve's: those answered while it was his own turn."""
    order = note_order(server)
    with bob.open(table, 0) as page:
        for _ in range(5):
            if not page.until_turn()["result"]:
                order.clear()
                page.act()
                page.until_turn()
                mine = [at for at, guest in enumerate(order) if guest == bob.keys["id"]]
                assert not mine or mine[0] <= 3, order


def test_a_bot_beside_many_tables_and_after_a_restart(tmp_path: Path) -> None:
    """One guest's tables of two greedy bots, which would all be asked before that of another."""
    database = f"sqlite:///{tmp_path}/parlour.db"
    with serving(database) as server, Visitor(server, "Eve") as eve, Visitor(server, "Bob") as bob:
        for _ in range(20):
            eve.make("china_gold", "greedy", "greedy")
        table = bob.make("goldmine", "me", "random", options={"target": 30})["id"]
        check_quick(server, bob, table)
        assert len(on_the_loop(server, server.parlour.bot_workers.thinking)) > 10
    with serving(database) as server, Visitor(server, "Bob") as other:
        other.http.headers["authorization"] = f"Bearer {bob.keys['token']}"
        other.keys = bob.keys
        assert len(on_the_loop(server, server.parlour.bot_workers.thinking)) > 10
        check_quick(server, other, table)


def test_a_table_whose_question_was_cleared_goes_on_later(server: Server, ada: Visitor) -> None:
    (worker,) = server.parlour.bot_workers.all
    assert worker.process.pid
    os.kill(worker.process.pid, signal.SIGSTOP)
    ada.make("goldmine", "random", "random", options={"target": 0})
    table = ada.make("goldmine", "random", "random", options={"target": 0})["id"]
    with ada.open(table) as page:
        assert on_the_loop(server, lambda: server.parlour.bot_workers.clear(table=table)) == 1
        os.kill(worker.process.pid, signal.SIGCONT)
        at = page.table["at"]
        server.move_clock(CLEARED / 2)
        assert page.ask(do="ping") == {"is": "pong"} and page.table["at"] == at
        server.move_clock(CLEARED / 2)
        while not page.table["result"]:
            page.wait("table")


def test_a_hint_that_was_cleared_is_refused(server: Server, ada: Visitor) -> None:
    (worker,) = server.parlour.bot_workers.all
    assert worker.process.pid
    card = ada.make("goldmine", "me", "me", hints=True)
    pages = [ada.open(card["id"], seat) for seat in range(2)]
    page = next(page for page in pages if page.table["legal"])
    os.kill(worker.process.pid, signal.SIGSTOP)
    ada.make("goldmine", "random", "random", options={"target": 0})
    page.send(do="hint")
    assert page.ask(do="ping") == {"is": "pong"}
    assert on_the_loop(server, lambda: server.parlour.bot_workers.clear(guest=ada.keys["id"])) == 1
    os.kill(worker.process.pid, signal.SIGCONT)
    assert page.wait("no")["no"] == "no hint could be found; ask again"
    assert page.ask(do="hint")["suggestions"]


def test_the_metrics_count_what_waits_and_what_was_spent(server: Server, ada: Visitor) -> None:
    with ada.open(ada.make("goldmine", "greedy", "greedy", options={"target": 0})["id"]) as page:
        while not page.table["result"]:
            page.wait("table")
    lines = dict(line.rsplit(" ", 1) for line in ada.http.get("/metrics").text.splitlines() if line[0] != "#")
    assert float(lines["motherlode_thinking_core_seconds"]) > 0 == float(lines["motherlode_questions"])
