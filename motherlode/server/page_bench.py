"""What the pages weigh and how quick they are, measured in Chromium: `motherlode bench page`.

Everything is measured several times over and every run is told, the slow ones too.
"""

import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from motherlode.games import GAMES
from motherlode.server.browsers import chromium, server
from motherlode.server.clicking import PATIENCE, Player

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VISITS = 8
ACTIONS = 40
CLICKS = 3000  # of one game, before this gives up

# At most: what the pages promise.
FIRST_PAGE = 150 * 1024  # bytes over the wire
TABLE = 250 * 1024  # bytes, the first page included
USABLE = 1.0  # seconds
CLICKS_TO_ACT = 2
OTHER_SCREEN = 50.0  # milliseconds, 95 of 100
TASK = 50.0  # milliseconds

# Absolute time in milliseconds, the same in every page of this machine.
NOW = "performance.timeOrigin + performance.now()"
NOTE_CLICKS = f"addEventListener('click', () => (window.clickedAt = {NOW}), true)"
NOTE_UPDATES = f"""() => {{
  const table = document.querySelector("[data-table]");
  window.shownAt = {{}};
  const note = () => requestAnimationFrame(() => (window.shownAt[table.dataset.at] ??= {NOW}));
  new MutationObserver(note).observe(table, {{ attributeFilter: ["data-at"] }});
}}"""
NOTE_TASKS = """() => {
  window.tasks = [];
  const note = (list) => window.tasks.push(...list.getEntries().map((one) => one.duration));
  window.taskObserver = new PerformanceObserver(note);
  window.taskObserver.observe({ type: "longtask" });
}"""
SHOWN_AFTER = """async (before) => {
  for (;;) {
    const times = Object.entries(shownAt).filter(([at]) => Number(at) > before).map(([, when]) => when);
    if (times.length) return Math.min(...times);
    await new Promise((later) => setTimeout(later, 5));
  }
}"""


class Visitor(Player):
    """A newcomer in a browser of their own, who has set the pace to at once."""

    def __init__(self, page: "Page", url: str) -> None:
        self.page, self.url, self.rng, self.last = page, url, random.Random(1), {"at": -1, "names": []}

    def run(self, script: str, given: Any) -> Any:
        return self.page.evaluate(script, given)

    def press(self, x: float, y: float) -> None:
        self.page.mouse.click(x, y)

    def see_lobby(self) -> None:
        self.page.goto(self.url)
        self.page.wait_for_selector(f".game:nth-child({len(GAMES)}) button.main:enabled")

    def play_now(self, title: str) -> None:
        self.page.get_by_role("button", name=f"Play now: {title}", exact=True).click()
        self.page.wait_for_selector("[data-mine=true] [data-board] > div")
        self.page.wait_for_load_state("networkidle")

    def at(self) -> int:
        return int(self.page.locator("[data-table]").get_attribute("data-at") or 0)


@contextmanager
def visitor(browser: "Browser", url: str) -> "Iterator[Visitor]":
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    context.add_init_script("localStorage['motherlode.preferences'] = JSON.stringify({pace: 0})")
    yield Visitor(context.new_page(), url)
    context.close()


def count_bytes(page: "Page") -> Callable[[], int]:
    """How many bytes have come over the wire since now."""
    sizes: list[int] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    return lambda: sum(sizes)


def weights(browser: "Browser", url: str) -> tuple[int, dict[str, int]]:
    """Bytes of the first page, and of the first page and a table of each game."""
    first, behind = 0, {}
    for name, game in GAMES.items():
        with visitor(browser, url) as one:
            weight = count_bytes(one.page)
            one.see_lobby()
            if not first:  # it is the same for all
                one.page.wait_for_load_state("networkidle")
                first = weight()
            one.play_now(game.TITLE)
            behind[name] = weight()
    return first, behind


def seconds_to_lobby(browser: "Browser", url: str) -> float:
    with visitor(browser, url) as one:
        began = time.perf_counter()
        one.see_lobby()
        return time.perf_counter() - began


def play(browser: "Browser", url: str, title: str) -> tuple[int, float]:
    """A whole game: the clicks until the board has taken one of them, and the milliseconds of the longest task.

    The first click opens the table. A task under 50 ms is not told by the browser, and counts as 0.
    """
    with visitor(browser, url) as one:
        one.see_lobby()
        one.play_now(title)
        one.page.evaluate(NOTE_TASKS)
        clicks, board = 1, one.page.locator("[data-board]")
        before = board.inner_html()
        while board.inner_html() == before:
            one.click_something()
            clicks += 1
            one.page.wait_for_selector("[data-table][data-sent=false]")
        one.play_on(CLICKS)
        tasks: list[float] = one.page.evaluate("tasks.concat(taskObserver.takeRecords().map((one) => one.duration))")
        return clicks, max(tasks, default=0.0)


def milliseconds_to_the_other_screen(browser: "Browser", url: str) -> list[float]:
    """From a click on one page to the frame in which another player's page shows it."""
    game = next(name for name, game in GAMES.items() if list(game.SEATS) == [2])
    with visitor(browser, url) as first, visitor(browser, url) as second:
        pair = first, second
        for number, one in enumerate(pair):
            one.page.context.request.post(f"{url}/api/guests", data={"name": f"Player {number + 1}"})
        wanted = {"game": game, "seats": [{"player": "me"}, {"player": "anyone"}]}
        table = first.page.context.request.post(f"{url}/api/tables", data=wanted).json()["id"]
        second.page.context.request.post(f"{url}/api/tables/{table}/seats/1/take", data={})
        for one in pair:
            one.page.goto(f"{url}/table/{table}")
            one.page.wait_for_selector("[data-board] > div")
            one.page.evaluate(NOTE_CLICKS)
            one.page.evaluate(NOTE_UPDATES)
        took: list[float] = []
        while len(took) < ACTIONS:
            first.page.wait_for_selector("[data-sent=false]:is([data-turn='0'], [data-turn='1'], [data-turn='-2'])")
            turn = int(first.page.locator("[data-table]").get_attribute("data-turn") or 0)
            if turn < 0:
                break
            here, there = pair[turn], pair[1 - turn]
            here.page.wait_for_selector("[data-mine=true][data-sent=false]")
            before = here.at()
            while here.at() == before and here.click_something():
                here.page.wait_for_selector("[data-table][data-sent=false]", state="attached")
            took.append(there.page.evaluate(SHOWN_AFTER, before) - here.page.evaluate("clickedAt"))
        return took


def run(say: Callable[[str], None], runs: int) -> dict[str, Any]:
    """Everything measured, in bytes, seconds and milliseconds, by run."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    with chromium() as browser, server() as url:
        version = browser.version
        measured = [measure(lambda said, n=n: say(f"run {n + 1} of {runs}: {said}"), browser, url) for n in range(runs)]  # type: ignore[misc]
    machine = f"Chromium {version}, {platform.system()}, {os.cpu_count()} cores shared with the server"
    return {"machine": machine, "load_before": load, "runs": measured}


def measure(say: Callable[[str], None], browser: "Browser", url: str) -> dict[str, Any]:
    say("what the pages weigh")
    first, behind = weights(browser, url)
    say("until the first page is usable")
    usable = [seconds_to_lobby(browser, url) for _ in range(VISITS)]
    say("from one screen to the other")
    other = sorted(milliseconds_to_the_other_screen(browser, url))
    games = {}
    for name, game in GAMES.items():
        say(f"a whole game: {game.TITLE}")
        games[name] = play(browser, url, game.TITLE)
    return {
        "first_page_bytes": first,
        "table_bytes": behind,
        "usable_seconds": usable,
        "other_screen_ms": other,
        "clicks": {name: clicks for name, (clicks, _) in games.items()},
        "longest_task_ms": {name: task for name, (_, task) in games.items()},
    }


def table(answer: dict[str, Any]) -> str:
    """The figures as Markdown, a column for each run."""
    runs = answer["runs"]

    def kib(size: int) -> str:
        return f"{size / 1024:.0f} KiB"

    def quick(took: list[float]) -> str:
        return f"{took[int(len(took) * 0.95)]:.0f} ms"

    def task(longest: float) -> str:
        return f"{longest:.0f} ms" if longest else f"under {TASK:.0f} ms"

    rows: list[tuple[str, str, list[str]]] = [
        ("the first page over the wire", kib(FIRST_PAGE), [kib(one["first_page_bytes"]) for one in runs]),
        (
            "the first page and the heaviest table",
            kib(TABLE),
            [kib(max(one["table_bytes"].values())) for one in runs],
        ),
        (
            f"until the first page is usable, median of {VISITS} visits",
            f"{USABLE:.0f} s",
            [f"{statistics.median(one['usable_seconds']):.2f} s" for one in runs],
        ),
        ("… the slowest of them", "", [f"{max(one['usable_seconds']):.2f} s" for one in runs]),
        (
            "from a click to the other player's screen, 95 of 100 actions",
            f"{OTHER_SCREEN:.0f} ms",
            [quick(one["other_screen_ms"]) for one in runs],
        ),
        ("… their median", "", [f"{statistics.median(one['other_screen_ms']):.0f} ms" for one in runs]),
    ]
    clicks = [str(max(one["clicks"].values())) for one in runs]
    rows.append(("clicks from the first page until the board has taken one, in any game", str(CLICKS_TO_ACT), clicks))
    for name, game in GAMES.items():
        tasks = [task(one["longest_task_ms"][name]) for one in runs]
        rows.append((f"the longest task in a whole game: {game.TITLE}", f"{TASK:.0f} ms", tasks))
    numbers = [f"run {n + 1}" for n in range(len(runs))]
    return "\n".join(
        [
            f"{answer['machine']}; load average before the runs: {answer['load_before']:.1f}.",
            "",
            f"| What | At most | {' | '.join(numbers)} |",
            f"| --- | --- |{' --- |' * len(runs)}",
            *(f"| {what} | {most} | {' | '.join(found)} |" for what, most, found in rows),
        ]
    )
