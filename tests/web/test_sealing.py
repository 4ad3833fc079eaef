"""Pages take part in the shuffle by themselves, also over plain http, where browsers have no `crypto.subtle`."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.local_server import Server, serving
from support.visiting import SINGLE_DEAL, Contexts, Parlour, Visit, make_table

WAIT = 10.0
BYTES = re.compile(r"[0-9a-f]{64}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """It waits for the pages, and they find it under a name that browsers do not take for this machine."""
    database = f"sqlite:///{tmp_path_factory.mktemp('seals') / 'parlour.db'}"
    with serving(database, seal_wait=WAIT, hosts=("parlour.internal",)) as running:
        running.url = f"http://parlour.internal:{running.port}"
        yield running


@pytest.fixture
def visit(visit: Callable[..., Visit]) -> Callable[..., Visit]:
    def open_one() -> Visit:
        opened = visit()
        opened.allowed = ["Cross-Origin-Opener-Policy"]  # browsers say that it does nothing over plain http
        return opened

    return open_one


def sit_down(visit: Visit, table: str, name: str) -> None:
    visit.turn_to(f"/table/{table}")
    visit.page.get_by_label("Your name at the table").fill(name)
    visit.page.get_by_role("button", name="Sit down").click()


def own_bytes(page: Page, table: str, seat: int) -> str:
    """What this browser has kept of its part in the latest seal."""
    kept = json.loads(page.evaluate(f"localStorage['motherlode.seen.{table}.{seat}']"))
    mine: str = [entry["mine"] for entry in kept["seen"] if "link" not in entry][-1]
    return mine


def shares(server: Server, table: str) -> tuple[str, ...]:
    return server.parlour.tables[table].facts.seal.closed().shares


def test_two_pages_take_part(server: Server, visit: Callable[..., Visit]) -> None:
    ada, bo = visit(), visit()
    assert ada.page.evaluate("[isSecureContext, typeof crypto.subtle]") == [False, "undefined"]
    make_table(ada, "Goldmine", {1: "Anyone"}, seat_0="Ada")
    expect(ada.page.get_by_role("heading", name="One seat is still open")).to_be_visible()
    table = ada.table()
    sit_down(bo, table, "Bo")
    for one in (ada, bo):
        expect(one.page.locator("[data-board] > div")).to_be_visible()
    mixed = own_bytes(ada.page, table, 0), own_bytes(bo.page, table, 1)
    assert shares(server, table) == mixed and mixed[0] != mixed[1] and all(map(BYTES.fullmatch, mixed))
    ada.page.get_by_role("tab", name="Shuffle").click()
    expect(ada.page.locator(".shares li")).to_have_text([f"Ada: {mixed[0]}", f"Bo: {mixed[1]}"])


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_page_that_was_closed_is_waited_for(server: Server, visit: Callable[..., Visit], comes_back: bool) -> None:
    ada, bo = visit(), visit()
    make_table(ada, "Goldmine", {1: "Anyone"}, seat_0="Ada")
    expect(ada.page.get_by_role("heading", name="One seat is still open")).to_be_visible()
    table = ada.table()
    ada.turn_to("/")
    sit_down(bo, table, "Bo")
    expect(bo.page.get_by_role("heading", name="Sealing the shuffle").first).to_be_visible()
    waiting = "Waiting for Ada: {n} seconds at most. After that, the shuffle goes ahead without them."
    expect(bo.page.get_by_text(waiting.format(n=10))).to_be_visible()
    expect(bo.page.locator("[data-board] > div")).to_have_count(0)
    if comes_back:
        ada.turn_to(f"/table/{table}")
        expect(ada.page.locator("[data-board] > div")).to_be_visible()
    else:
        expect(bo.page.get_by_text(waiting.format(n=9))).to_be_visible()  # the page counts
        server.move_clock(WAIT)
    expect(bo.page.locator("[data-board] > div")).to_be_visible()
    assert shares(server, table) == (
        own_bytes(ada.page, table, 0) if comes_back else "left out",
        own_bytes(bo.page, table, 1),
    )
    if not comes_back:
        bo.page.get_by_role("tab", name="Shuffle").click()
        expect(bo.page.locator(".shares li").first).to_have_text(
            "Ada: left out, because the page was not there in time"
        )


def test_a_shared_screen_takes_part_for_all_of_its_seats(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    make_table(ada, "Goldmine", {1: "A person here"}, seat_0="Ada", seat_1="Al")
    ada.page.locator(".curtain button").click()
    expect(ada.page.locator("[data-board] > div")).to_be_visible()
    table = ada.table()
    assert shares(server, table) == tuple(own_bytes(ada.page, table, seat) for seat in (0, 1))


def test_a_shared_screen_waits_for_others_without_a_curtain(server: Server, visit: Callable[..., Visit]) -> None:
    """Nothing is private before the game begins; then the curtain falls before anything is shown."""
    ada, bo = visit(), visit()
    make_table(ada, "Claimpoker", {1: "A person here", 2: "Anyone"}, 3, seat_0="Ada", seat_1="Al")
    expect(ada.page.get_by_role("heading", name="One seat is still open")).to_be_visible()
    table = ada.table()
    ada.page.evaluate(
        """() => {
            window.boards = 0;
            const count = () => (window.boards += document.querySelectorAll('[data-board]').length);
            new MutationObserver(count).observe(document.body, {childList: true, subtree: true});
        }"""
    )
    sit_down(bo, table, "Bo")
    expect(bo.page.locator("[data-board] > div")).to_be_visible()
    expect(ada.page.locator(".curtain")).to_be_visible()
    assert ada.page.evaluate("window.boards") == 0
    assert shares(server, table) == tuple(own_bytes(one.page, table, seat) for seat, one in enumerate((ada, ada, bo)))


def test_a_server_restored_from_a_backup(contexts: Contexts, tmp_path: Path) -> None:
    """The open page says so and takes part in drawing anew; the check tells it from a host who cheats."""
    parlour = Parlour(tmp_path / "parlour.db")
    try:
        ada = Visit(contexts, parlour)
        ada.allowed = ["WebSocket", "Failed to load resource"]  # while the server is away
        make_table(ada, "Goldmine", {1: "Greedy bot"}, options=SINGLE_DEAL)
        for _ in range(3):
            assert ada.click_something()
        ada.wait_for("true")
        table, first = ada.table(), own_bytes(ada.page, ada.table(), 0)
        with sqlite3.connect(parlour.database) as live, sqlite3.connect(tmp_path / "backup.db") as backup:
            live.backup(backup)
        for _ in range(3):
            assert ada.click_something()
        ada.wait_for("true")
        parlour.stop()
        expect(ada.page.get_by_text("The connection is lost")).to_be_visible()
        for old in tmp_path.glob("parlour.db*"):
            old.unlink()
        (tmp_path / "backup.db").rename(parlour.database)
        parlour.start()
        expect(ada.page.locator(".notice")).to_contain_text("The server was restored from a backup.")
        ada.page.locator(".notice").get_by_role("button", name="All right").click()
        ada.wait_for("true")
        assert own_bytes(ada.page, table, 0) != first
        ada.play_on(400)
        ada.page.get_by_role("tab", name="Shuffle").click()
        ada.page.get_by_role("button", name="Check it here").click()
        findings = ada.page.locator("[role=tabpanel] [role=status]")
        expect(findings).to_contain_text("The server was restored from a backup. From action")
        expect(findings).to_contain_text("that the restored server had lost")
        expect(findings.locator(".good")).to_have_count(6)  # two seals
        expect(findings.locator(".bad")).to_have_count(0)
        assert ada.leave() == []
    finally:
        parlour.stop()
