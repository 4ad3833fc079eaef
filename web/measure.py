"""Measure the pages in Chromium and write the figures into docs/parlour.md: `python3 dev.py bench pages`."""

import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from browser import ROOT, chromium, server
from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import TimeoutError as TooSlow

from motherlode.games import GAMES

DOCUMENT = ROOT / "docs" / "parlour.md"
START, END = "<!-- bench pages -->", "<!-- /bench pages -->"
VISITS = 12
ACTIONS = 40
CLICKS = 10  # to a first action, before this gives up

# Absolute time in milliseconds, the same in every page of this machine.
NOW = "performance.timeOrigin + performance.now()"
NOTE_CLICKS = f"addEventListener('click', () => (window.clickedAt = {NOW}), true)"
NOTE_UPDATES = f"""() => {{
  const table = document.querySelector("[data-table]");
  window.shownAt = {{}};
  const note = () => requestAnimationFrame(() => (window.shownAt[table.dataset.at] ??= {NOW}));
  new MutationObserver(note).observe(table, {{ attributeFilter: ["data-at"] }});
}}"""


def visit(browser: Browser) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", reduced_motion="reduce")
    context.add_init_script("localStorage['motherlode.preferences'] = JSON.stringify({pace: 0})")
    return context


def count_bytes(page: Page) -> Callable[[], int]:
    """How many bytes have come over the wire since now."""
    sizes: list[int] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    return lambda: sum(sizes)


def see_lobby(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(f".game:nth-child({len(GAMES)}) button.main:enabled")


def play_now(page: Page, title: str) -> None:
    page.get_by_role("button", name=f"Play now: {title}", exact=True).click()
    page.wait_for_selector("[data-mine=true] [data-board] > div")
    page.wait_for_load_state("networkidle")


def weights(browser: Browser, url: str) -> tuple[int, dict[str, int]]:
    """Bytes of the first page, and of the first page and a table of each game."""
    first, behind = 0, {}
    for name, game in GAMES.items():
        context = visit(browser)
        page = context.new_page()
        weight = count_bytes(page)
        see_lobby(page, url)
        page.wait_for_load_state("networkidle")
        first = weight()
        play_now(page, game.TITLE)
        behind[name] = weight()
        context.close()
    return first, behind


def seconds_to_lobby(browser: Browser, url: str) -> float:
    context = visit(browser)
    page = context.new_page()
    began = time.perf_counter()
    see_lobby(page, url)
    took = time.perf_counter() - began
    context.close()
    return took


def clicks_to_an_action(browser: Browser, url: str) -> int:
    context = visit(browser)
    page = context.new_page()
    see_lobby(page, url)
    play_now(page, "Goldmine")
    before = page.locator("[data-table]").get_attribute("data-at")
    for clicks in range(2, CLICKS):
        page.locator("[data-board] .can").first.click()
        try:
            page.wait_for_selector(f"[data-table]:not([data-at='{before}'])", timeout=3000)
        except TooSlow:
            continue
        context.close()
        return clicks
    raise SystemExit("no action was done")


def milliseconds_to_the_other_screen(browser: Browser, url: str) -> list[float]:
    """From a click on one page to the frame in which another player's page shows it."""
    contexts = [visit(browser), visit(browser)]
    for seat, context in enumerate(contexts):
        context.request.post(f"{url}/api/guests", data={"name": f"Player {seat}"})
    seats = [{"player": "me"}, {"player": "anyone"}]
    wanted = {"game": "goldmine", "seats": seats, "options": {"target": 50}}
    table = contexts[0].request.post(f"{url}/api/tables", data=wanted).json()["id"]
    contexts[1].request.post(f"{url}/api/tables/{table}/seats/1/take", data={})
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.goto(f"{url}/table/{table}")
        page.wait_for_selector("[data-board] > div")
        page.evaluate(NOTE_CLICKS)
        page.evaluate(NOTE_UPDATES)
    took: list[float] = []
    while len(took) < ACTIONS:
        pages[0].wait_for_selector("[data-sent=false]:is([data-turn='0'], [data-turn='1'], [data-turn='-2'])")
        turn = int(pages[0].locator("[data-table]").get_attribute("data-turn") or 0)
        if turn < 0:
            break
        here, there = pages[turn], pages[1 - turn]
        here.wait_for_selector("[data-mine=true][data-sent=false]")
        before = here.locator("[data-table]").get_attribute("data-at")
        here.locator("[data-board] .can").first.click()
        for page in pages:
            page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
        shown = there.evaluate(
            "async (before) => { await new Promise(requestAnimationFrame);"
            " const later = Object.entries(shownAt).filter(([at]) => Number(at) > before).map(([, when]) => when);"
            " return Math.min(...later) }",
            int(before or 0),
        )
        took.append(shown - here.evaluate("clickedAt"))
    for context in contexts:
        context.close()
    return took


def kib(size: int) -> str:
    return f"{size / 1024:.0f} KiB"


def measure() -> str:
    with server() as url, chromium() as browser:
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        first, behind = weights(browser, url)
        lobby = statistics.median(seconds_to_lobby(browser, url) for _ in range(VISITS))
        clicks = clicks_to_an_action(browser, url)
        took = sorted(milliseconds_to_the_other_screen(browser, url))
        version = browser.version
    slow = took[int(len(took) * 0.95)]
    rows = (
        ("the first page over the wire", "250 KiB", kib(first)),
        (
            "the first page and a table of any game",
            "250 KiB",
            f"{kib(min(behind.values()))} to {kib(max(behind.values()))}",
        ),
        ("until the first page is usable", "1 s", f"{lobby:.2f} s (median of {VISITS})"),
        (
            "from a click to the other player's screen",
            "50 ms",
            f"{statistics.median(took):.0f} ms (median of {len(took)}), 95 % within {slow:.0f} ms",
        ),
        ("clicks from the first page to a first action", "3", str(clicks)),
    )
    machine = f"Chromium {version}, {platform.system()}, {os.cpu_count()} cores shared with the server"
    lines = [
        f"{machine}; load average before the run: {load:.1f}.",
        "",
        "| What | At most | Measured |",
        "| --- | --- | --- |",
        *(f"| {what} | {most} | {found} |" for what, most, found in rows),
    ]
    return "\n".join(lines)


def write(document: Path, figures: str) -> None:
    before, _, rest = document.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    document.write_text(f"{before}{START}\n{figures}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    found = measure()
    write(DOCUMENT, found)
    print(found)
