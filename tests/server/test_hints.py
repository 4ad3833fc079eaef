"""*What would you do?* at a table: who may ask, what comes, and that it tells nothing its seat is not shown."""

import os
import secrets
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.local_server import PATIENCE, Page, Server, Visitor, play_out, serving
from support.lookalike_games import differing, twins
from support.outside_game import TAUGHT, taught_games
from support.twin_games import OPEN_GAMES

from motherlode import engine, text
from motherlode.game import CHANCE, OVER, Game, below, new_rng
from motherlode.games import GAMES
from motherlode.server import hints
from motherlode.server.bot_workers import BotWorker, Died
from motherlode.server.live_table import LiveTable

GAME = pytest.mark.parametrize("name", [*GAMES, *TAUGHT])


@pytest.fixture(scope="module")
def server(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Here nothing is compiled: every hint is a short one, or that of a network."""
    with taught_games(tmp_path_factory.mktemp("games"), *TAUGHT), serving(database) as running:
        running.parlour.bot_workers.prepare = lambda bot, game: None  # type: ignore[method-assign]
        yield running


def sit(ada: Visitor, game: str = "goldmine", **more: Any) -> Page:
    """A seat at a table with hints, on its turn."""
    players = ["me"] + ["random"] * (GAMES[game].SEATS[0] - 1)
    page = ada.open(ada.make(game, *players, hints=True, **more)["id"], 0)
    page.until_turn()
    return page


@GAME
def test_a_hint_in_every_game(ada: Visitor, name: str) -> None:
    with sit(ada, name) as page:
        for _ in range(5):
            table = page.until_turn()
            if table["result"]:
                break
            legal = {entry["action"]: entry["words"] for entry in table["legal"]}
            hint = page.ask(do="hint")
            assert hint["is"] == "hint" and hint["at"] == table["at"] and hint["plain"]
            found = hint["suggestions"]
            assert 1 <= len(found) <= 3 and len({entry["action"] for entry in found}) == len(found)
            assert len(found) == min(3, len(legal))
            for entry in found:
                assert legal[entry["action"]] == entry["words"] and entry["words"] in hint["words"]
                assert entry["win"] is None or 0 <= entry["win"] <= 1
            assert page.ask(do="hint") == hint  # no second thoughts
            page.act()


def test_the_only_action_needs_no_chance_to_win(ada: Visitor) -> None:
    """Goldmine's last card is one."""
    with sit(ada, options={"target": 0}) as page:
        while len(page.until_turn()["legal"]) != 1:
            assert not page.table["result"]
            page.act()
        hint = page.ask(do="hint")
        assert [entry["win"] for entry in hint["suggestions"]] == [None]
        assert hint["words"] == f"There is nothing to choose: {page.table['legal'][0]['words']}."


def test_a_table_says_whether_it_gives_hints(ada: Visitor) -> None:
    assert ada.make("goldmine", "me", "random", hints=True)["hints"]
    card = ada.make("goldmine", "me", "me")
    assert not card["hints"] and not ada.get(f"/api/tables/{card['id']}")["hints"]
    page = ada.open(card["id"], ada.get(f"/api/tables/{card['id']}/now")["turn"])
    no = page.ask(do="hint")
    assert no["is"] == "no" and no["do"] == "hint" and "this table gives no hints" in no["no"]


def test_a_rematch_keeps_it(ada: Visitor) -> None:
    card = ada.make("goldmine", "me", "me", hints=True, options={"target": 0})
    pages = [ada.open(card["id"], seat) for seat in range(2)]
    play_out(pages)
    pages[0].send(do="rematch")
    again = pages[0].wait("rematch")["table"]
    assert ada.get(f"/api/tables/{again}")["hints"]


def test_who_is_refused(ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "me", "anyone", hints=True, substitute="random", options={"target": 0})
    with ada.open(card["id"], 0) as one, ada.open(card["id"]) as watching:
        assert "has not begun" in one.ask(do="hint")["no"]
        bob.take(card["id"], 1)
        one.wait("table", lambda table: not table["waiting"])
        assert "a spectator only watches" in watching.ask(do="hint")["no"]
        with bob.open(card["id"], 1) as two:
            pages = [one, two]
            acting, other = pages[one.table["turn"]], pages[1 - one.table["turn"]]
            assert "a hint is for your own turn" in other.ask(do="hint")["no"]
            seat = acting.table["seat"]
            acting.send(do="leave")
            acting.wait("table", lambda table: table["players"][seat]["bot"] is not None)
            assert acting.ask(do="hint")["no"] == "a bot plays for you: return to your seat first"
            acting.send(do="return")
            acting.wait("table", lambda table: table["players"][seat]["bot"] is None)
            while other.table["at"] < acting.table["at"]:
                other.wait("table")
            play_out(pages)
            assert "the game is over" in one.ask(do="hint")["no"]


def test_what_is_asked_for_is_nothing_more(ada: Visitor) -> None:
    with sit(ada) as page:
        assert "Extra inputs" in page.ask(do="hint", seat=1)["no"]


# While it is thought about


@pytest.fixture
def worker(server: Server, ada: Visitor) -> Iterator[BotWorker]:
    """The thinking process, standing still."""
    (found,) = server.parlour.bot_workers.all or [start(server)]
    assert found.process.pid
    os.kill(found.process.pid, signal.SIGSTOP)
    yield found
    if found in server.parlour.bot_workers.all:
        os.kill(found.process.pid, signal.SIGCONT)


def start(server: Server) -> BotWorker:
    started: list[BotWorker] = []
    done = threading.Event()

    def work() -> None:
        started.append(server.parlour.bot_workers._start())
        done.set()

    server.loop.call_soon_threadsafe(work)
    assert done.wait(PATIENCE)
    return started[0]


def go_on(worker: BotWorker) -> None:
    assert worker.process.pid
    os.kill(worker.process.pid, signal.SIGCONT)


@pytest.fixture
def page(ada: Visitor) -> Iterator[Page]:
    """Ada alone at both seats, so that no bot thinks."""
    card = ada.make("goldmine", "me", "me", hints=True)
    with ada.open(card["id"], ada.get(f"/api/tables/{card['id']}/now")["turn"]) as opened:
        yield opened


def test_one_at_a_time(page: Page, worker: BotWorker) -> None:
    page.send(do="hint")
    assert page.ask(do="ping") == {"is": "pong"}
    assert "you have asked for a hint already" in page.ask(do="hint")["no"]
    go_on(worker)
    assert page.wait("hint")["suggestions"]


def test_when_the_table_moves_on(page: Page, worker: BotWorker) -> None:
    page.send(do="hint")
    page.act()
    go_on(worker)
    no = page.wait("no")
    assert "the table moved on before the hint was found" in no["no"] and no["do"] == "hint"


def test_when_the_process_dies(page: Page, worker: BotWorker) -> None:
    page.send(do="hint")
    assert page.ask(do="ping") == {"is": "pong"}
    worker.process.kill()
    assert page.wait("hint")["suggestions"]


def test_when_no_process_lives(page: Page, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    async def die(*_: object, **__: object) -> Any:
        raise Died

    with monkeypatch.context() as dying:
        dying.setattr(server.parlour.bot_workers, "suggest", die)
        assert page.ask(do="hint")["no"] == "no hint could be found; ask again"
    assert page.ask(do="hint")["suggestions"]


def test_when_the_page_has_gone(page: Page, ada: Visitor, server: Server, worker: BotWorker) -> None:
    """Nobody waits for it, and another page may ask."""
    page.send(do="hint")
    assert page.ask(do="ping") == {"is": "pong"}
    key, seat = page.table["table"], page.table["seat"]
    with ada.open(key) as watching:
        watching.wait("presence", lambda message: message["present"][seat])
        page.close()
        watching.wait("presence", lambda message: not message["present"][seat])
    go_on(worker)
    with ada.open(key, seat) as again:
        assert again.ask(do="hint")["suggestions"]


@pytest.mark.usefixtures("compiled")
def test_it_is_thought_about_anew_when_the_search_is_compiled(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path}/parlour.db") as server, Visitor(server) as ada:
        card = ada.make("goldmine", "me", "search:500", hints=True)
        with ada.open(card["id"], 0) as page:
            page.until_turn()
            while page.ask(do="hint")["plain"]:
                while page.table["players"][1]["warming"]:
                    page.wait("table")
            assert page.ask(do="hint")["suggestions"]


# What it tells


def hints_of(ada: Visitor, game: Game, logs: list[list[int]], seat: int, **options: Any) -> list[str]:
    """The hint for a seat at the end of each of these games, as it comes over the wire."""
    hints = []
    for log in logs:
        played = text.Played(game, game.SEATS[0], engine.check_options(game, options), log)
        card = ada.make(game.NAME, *["me"] * game.SEATS[0], hints=True, record=text.write_record(played))
        with ada.open(card["id"], seat) as page:
            page.until_turn()
            page.send(do="hint")
            page.raw()  # who is here
            hints.append(page.raw())
    return hints


def alike(game: Game, seat: int) -> list[list[int]]:
    """Two games up to a decision of this seat, which cannot tell them apart."""
    log = twins(game, game.SEATS[0], {}, seat, 30)
    at = max(at for at, pair in enumerate(log) if pair.actor == seat)
    assert differing(game, game.SEATS[0], {}, log) or game.NAME.removeprefix("taught_") in OPEN_GAMES
    return [[pair[1 + world] for pair in log[:at]] for world in range(2)]


@pytest.fixture
def same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda bits: 5)


@GAME
def test_alike_in_worlds_the_seat_cannot_tell_apart(ada: Visitor, same_seed: None, name: str) -> None:
    for seat in (0, 1):
        one, two = hints_of(ada, GAMES[name], alike(GAMES[name], seat), seat)
        assert '"is":"hint"' in one and one == two


@pytest.mark.parametrize("name", ["goldmine", "taught_goldmine"])
def test_a_hint_that_knows_too_much_is_caught(
    ada: Visitor, same_seed: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Planted: it thinks about the position instead of the view."""
    real = hints.question

    def leaky(table: LiveTable, seat: int, guest: str) -> Any:
        ask, at = real(table, seat, guest)
        return ask._replace(view=engine.copy(table.core.position)), at

    monkeypatch.setattr(hints, "question", leaky)
    one, two = hints_of(ada, GAMES[name], alike(GAMES[name], 0), 0)
    assert one != two


@pytest.mark.parametrize("name", ["blue_creek", "goldmine", "mount_goldrush", "taught_mount_goldrush"])
@pytest.mark.parametrize("open_memory", [False, True])
def test_a_person_is_not_reminded(server: Server, ada: Visitor, name: str, open_memory: bool) -> None:
    """What is thought about is what lies open, unless the table shows what was seen."""
    game, log = GAMES[name], past(GAMES[name])
    record = text.write_record(text.Played(game, game.SEATS[0], engine.check_options(game, {}), log))
    card = ada.make(name, *["me"] * game.SEATS[0], hints=True, record=record, open_memory=open_memory)
    table = server.parlour.tables[card["id"]]
    s = table.core.position
    ask, _ = hints.question(table, s.turn, ada.keys["id"])
    known, seen = (bytes(engine.view(game, s, s.turn, sight=sight)) for sight in (False, True))
    assert known != seen and bytes(ask.view) == (known if open_memory else seen) and ask.log == []


def past(game: Game) -> list[int]:
    """A game up to where whoever is to act remembers something."""
    s, rng, log = engine.start(game), new_rng(1), []
    while s.turn == CHANCE or bytes(engine.view(game, s, s.turn)) == bytes(engine.view(game, s, s.turn, sight=True)):
        legal = engine.legal(game, s)
        log.append(engine.draw(game, s, rng) if s.turn == CHANCE else legal[below(rng, len(legal))])
        game.apply(s, log[-1])
        assert s.turn != OVER
    return log


def test_how_far_another_has_built_does_not_show(ada: Visitor, same_seed: None) -> None:
    """Gold Hunting's seats build at the same time: a hint at the second seat, before and after the first has begun."""
    game, opening, hints = GAMES["gold_hunting"], [], []
    s = engine.start(game)
    while s.turn == CHANCE:
        opening.append(engine.legal(game, s)[0])
        game.apply(s, opening[-1])
    record = text.write_record(text.Played(game, 2, engine.check_options(game, {}), opening))
    for placed in (0, 7):
        card = ada.make(game.NAME, "me", "me", hints=True, record=record)
        with ada.open(card["id"], 0) as other, ada.open(card["id"], 1) as page:
            for _ in range(placed):
                other.until_turn(), other.act()
            page.until_turn()
            hints.append(page.ask(do="hint"))
    assert hints[0]["is"] == "hint" and hints[0] == hints[1]
