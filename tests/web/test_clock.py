"""The clock of a turn: shown, running by the page's own time, and what happens when it is over.

Both clocks stand still until the test moves them: the browser's (Playwright's) and the server's.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from playwright.sync_api import WebSocket, expect
from support.local_server import Server
from support.visiting import Visit, unfold

START = datetime(2030, 1, 1, tzinfo=UTC)


def test_the_clock_runs_out_and_a_bot_acts(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(only_once=True)
    page = ada.page
    heard: list[WebSocket] = []
    page.on("websocket", lambda opened: heard.append(opened))  # noqa: PLW0108
    page.clock.install(time=START)
    page.reload()
    page.clock.pause_at(START + timedelta(hours=1))
    page.get_by_role("link", name="Play with friends …: Goldmine").click()
    unfold(page)
    page.get_by_label("Time per turn").select_option(label="30 seconds")
    page.get_by_role("button", name="Create the table").click()
    ada.wait_for("true")
    clock = page.locator(".clock")
    expect(clock).to_have_text("Time left for Guest: 0:30")
    expect(clock).not_to_have_class(re.compile("late"))
    with heard[-1].expect_event("framereceived", lambda frame: "pong" in frame):  # or the connection counts as lost
        page.clock.run_for(21_000)
    expect(clock).to_have_text("Time left for Guest: 0:09")
    expect(clock).to_have_class(re.compile("late"))
    page.clock.run_for(13_000)  # less than the page waits before it asks again whether the connection is still there
    expect(clock).to_have_text("Time left for Guest: 0:00")  # and not less: the server's time decides

    before = ada.at()
    server.move_clock(29)
    page.reload()
    expect(clock).to_have_text("Time left for Guest: 0:01")
    assert ada.at() == before
    server.move_clock(1)
    page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
    ada.wait_for("true")
    assert server.parlour.tables[ada.table()].core.positions[before].turn == 0  # what was hers a bot has done
    expect(clock).to_have_text("Time left for Guest: 0:30")  # a turn of her own again
    expect(page.get_by_role("tabpanel").get_by_role("listitem").filter(has_text="Guest").first).to_be_visible()
    ada.do()
    assert ada.at() > before


def test_no_clock_where_none_was_agreed(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.play_now("Goldmine")
    before = ada.at()
    server.move_clock(100_000)
    ada.page.reload()
    ada.wait_for("true")
    assert ada.at() == before
    expect(ada.page.locator(".clock")).to_have_count(0)
