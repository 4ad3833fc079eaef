"""Every page, every phase of every board, in both languages: for everybody, and not wider than any phone's screen.

What axe says of them, in a light and in a dark room; and whether everything fits (see `support.layout`). A board is
looked at in every phase of its game, on tables that go on from records, so that no deal matters. A third visitor speaks
a language with longer sentences between marks (`support.pseudo`): everything fits, and nothing is said without marks.
All three look at the narrowest screen, and one of them at a wider one too.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from support import pseudo
from support.access import check_access, check_contrast
from support.histories import add_history
from support.layout import HEIGHT, LONG_NAME, WIDTHS, Faults, arrive, be_known
from support.local_server import Server
from support.positions import ending, find, is_to_look, last_of, phases, sit
from support.reviewed import QuickJudge, play_by_requests
from support.visiting import DESK, ROOT, Contexts, Visit

from motherlode import puzzles
from motherlode.games import GAMES

PHONE, NARROW = ({"width": width, "height": HEIGHT} for width in (WIDTHS[-1], WIDTHS[0]))
LOOKS: dict[str, dict[str, Any]] = {
    "desk, light, English": {"viewport": DESK, "color_scheme": "light", "locale": "en-GB"},
    "phone, dark, French": {"viewport": PHONE, "color_scheme": "dark", "locale": "fr-CA"},
    "phone, longer and marked": {"viewport": NARROW, "color_scheme": "light", "locale": "en-IE"},
}
DESK_LOOK, PHONE_LOOK, MARKED = LOOKS
SCREENS = {DESK_LOOK: WIDTHS[:1], PHONE_LOOK: (WIDTHS[0], PHONE["width"]), MARKED: WIDTHS[:1]}
LESSONS = {path.parent.name for path in (ROOT / "motherlode" / "games").glob("*/lesson.json")}


class Looker:
    """A visitor with a long name who looks closely; the pictures go to the folder MOTHERLODE_SHOTS, if there is one."""

    def __init__(self, visit: Callable[..., Visit], look: str) -> None:
        self.look, self.widths = LOOKS[look], SCREENS[look]
        self.axe = self.look["locale"] == "en-GB"  # where a page is the same to axe in both languages
        self.is_marked = look == MARKED
        self.ada = visit(**self.look, has_touch=True, only_once=self.is_marked)
        self.page = self.ada.page
        self.faults = Faults()
        if self.is_marked:
            pseudo.speak(self.page)
            be_known(self.ada)
        else:
            arrive(self.ada)

    def people(self) -> list[str]:
        """Who sits at the tables that the lobby lists: other tests may have left some."""
        lists = [
            self.ada.context.request.get(f"{self.ada.parlour.url}/api/tables?watch={watch}").json()["tables"]
            for watch in ("true", "false")
        ]
        players = [player for tables in lists for table in tables for player in table["players"]]
        return [player["name"] for player in players if player["kind"] == "person"]

    def at(self, place: str, *, axe: bool = True, both_lights: bool = False) -> None:
        if self.is_marked:
            self.faults += [f"{place}: {fault}" for fault in pseudo.untranslated(self.page, LONG_NAME, *self.people())]
        elif axe:
            check_access(self.page)
        if both_lights and not self.is_marked:
            now, other = sorted(("light", "dark"), key=lambda light: light != self.look["color_scheme"])
            self.page.emulate_media(color_scheme=other)  # type: ignore[arg-type]
            check_contrast(self.page)
            self.page.emulate_media(color_scheme=now)  # type: ignore[arg-type]
        if folder := os.environ.get("MOTHERLODE_SHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            name = f"{place}-{self.look['viewport']['width']}.png".replace(" ", "-").replace(":", "")
            self.page.screenshot(path=Path(folder) / name, full_page=True)
        if self.is_marked:  # with its marks a word may be too long, as no word of a language is
            self.faults.look(self.ada, place, faces=("own",), widths=self.widths)
            self.faults[:] = [fault for fault in self.faults if "is broken in" not in fault]
        else:
            self.faults.look(self.ada, place, widths=self.widths)
        self.page.set_viewport_size(self.look["viewport"])


@pytest.fixture(params=LOOKS)
def looker(server: Server, visit: Callable[..., Visit], request: pytest.FixtureRequest) -> Looker:
    return Looker(visit, request.param)


@pytest.fixture(scope="module", params=LOOKS)
def regular(contexts: Contexts, server: Server, request: pytest.FixtureRequest) -> Iterator[Looker]:
    """Who goes from table to table: to arrive costs as much as to look at several boards."""
    looker = Looker(lambda **more: Visit(contexts, server, **more), request.param)
    yield looker
    assert looker.ada.leave() == []


def test_pages(looker: Looker, server: Server) -> None:
    ada, page = looker.ada, looker.page
    expect(page.locator(".game")).to_have_count(len(GAMES))
    looker.at("lobby", both_lights=True)
    page.locator("header button").click()
    page.locator("dialog details summary").click()
    looker.at("preferences", both_lights=True)
    page.keyboard.press("Escape")
    ada.turn_to("/#record")
    expect(page.locator("input[type=file]")).to_be_attached()
    looker.at("record", both_lights=True)
    for game in GAMES:
        ada.turn_to(f"/#make/{game}")
        expect(page.locator(f"form[data-game={game}] option[value=me]").first).to_be_attached()
        if len(seats := GAMES[game].SEATS) > 1:
            page.locator("form select").first.select_option(str(seats[-1]))
        page.locator("form details").evaluate_all("all => all.forEach((one) => (one.open = true))")
        is_last = game == list(GAMES)[-1]
        page.locator("form ol select").last.select_option("link" if is_last else "anyone")
        looker.at(f"new table: {game}", axe=looker.axe or is_last, both_lights=is_last)
    page.locator("form button.main").click()
    expect(page.locator("main img").first).to_be_visible()  # the QR code
    looker.at("waiting", both_lights=True)
    link = page.locator("main input[readonly]").first.input_value()
    ada.turn_to("/")
    expect(page.locator(".tables li a").first).to_be_visible()
    looker.at("lobby with tables", both_lights=True)
    ada.turn_to(link.removeprefix(server.url))
    expect(page.locator("#my-name")).to_be_visible()
    looker.at("invitation", both_lights=True)
    looker.faults.check()


def test_my_games_and_my_record(looker: Looker, server: Server) -> None:
    """Of a guest with games of every kind, and of one with none."""
    ada, page = looker.ada, looker.page
    for address in ("/games", "/my-record"):
        ada.turn_to(address)
        expect(page.locator(".page > p a.main, .page > section, .page h1").first).to_be_visible()
        looker.at(f"{address} of a newcomer", axe=looker.axe)
    guest = page.evaluate("fetch('/api/guests/me').then((answer) => answer.json())")["id"]
    ada.ask("/api/tables", game="claimpoker", seats=[{"player": player} for player in ("me", "panner", "anyone")])
    add_history(server, guest)
    ada.turn_to("/")
    expect(page.locator(".game .why").first).to_be_visible()
    page.locator(".game details").evaluate_all("all => all.forEach((one) => (one.open = true))")
    looker.at("lobby of an old hand", both_lights=True)
    ada.turn_to("/games")
    expect(page.locator("li.card")).to_have_count(1 + len(GAMES))
    looker.at("my games", both_lights=True)
    ada.turn_to("/my-record")
    expect(page.locator(".games > li")).to_have_count(len(GAMES))
    page.locator("main details summary").click()
    looker.at("my record", both_lights=True)
    page.locator(".do button").click()
    expect(page.locator("dialog button.main")).to_be_visible()
    looker.at("delete my record?")
    page.keyboard.press("Escape")
    ada.turn_to("/there/is/no/such/page/at-all-anywhere-in-this-parlour")
    expect(page.locator("main a.main")).to_be_visible()
    looker.at("no page", both_lights=True)
    looker.faults.check()


def test_a_review_and_my_mistakes(looker: Looker, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, page = looker.ada, looker.page
    monkeypatch.setattr(server.app.state.reviews, "run", QuickJudge(server).run)
    page.evaluate("localStorage['motherlode.known'] ??= '1'")
    key = ada.ask("/api/tables", game="goldmine", seats=[{"player": "me"}, {"player": "random"}])["id"]
    play_by_requests(ada, key)
    ada.turn_to(f"/review/{key}")
    expect(page.locator("article")).to_have_count(3)
    page.locator("main details summary").evaluate_all("all => all.forEach((one) => one.click())")
    expect(page.locator(".said")).not_to_be_empty()
    looker.at("review", both_lights=True)
    page.locator(".top button").click()
    expect(page.locator("dialog button.main")).to_be_visible()
    looker.at("share this review")
    page.keyboard.press("Escape")
    ada.turn_to("/mistakes")
    expect(page.locator("li.card")).to_have_count(3)
    looker.at("my mistakes", both_lights=True)
    page.locator("li.card a").first.click()
    expect(page.locator("[data-board] > div").first).to_be_visible()
    page.locator("details.words summary").click()
    looker.at("a mistake to try again")
    page.locator("details.words button").first.click()
    expect(page.locator("article")).to_be_visible()
    looker.at("a mistake that was tried again", both_lights=True)
    looker.faults.check()


def test_a_table_and_what_is_beside_it(looker: Looker) -> None:
    ada, page = looker.ada, looker.page
    sit(ada, find(GAMES["goldmine"], is_to_look), name="")
    for tab in ("log", "chat", "rules", "seal"):
        page.locator(f"#tab-{tab}").click()
        if tab == "rules":
            page.locator(".sheet").wait_for()
        looker.at(f"tab {tab}")
    page.locator("aside section details summary").click()
    page.locator("aside section details button").first.click()
    expect(page.locator("dialog img")).to_be_visible()
    looker.at("link to this seat")
    page.keyboard.press("Escape")
    page.locator("details.words summary").click()
    page.locator("[data-board] button[aria-disabled=true]").first.click(force=True)  # Playwright would wait
    expect(page.locator(".notice")).to_be_visible()
    looker.at("why not")
    page.locator(".notice button").first.click()
    ada.allowed = ["ERR_INTERNET_DISCONNECTED", "WebSocket"]
    ada.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    looker.at("lost line")
    ada.context.set_offline(False)
    expect(page.locator(".lost")).to_have_count(0)
    together = ada.ask("/api/tables", game="goldmine", seats=[{"player": "me"}] * 2, clock=30, hints=True)["id"]
    ada.turn_to(f"/table/{together}")
    expect(page.locator(".curtain")).to_be_visible()
    looker.at("curtain")
    page.locator(".curtain button").click()
    page.wait_for_selector("[data-mine=true] [data-board] > div")
    looker.at("clock")
    page.locator("section.hint > button").click()
    expect(page.locator(".hint li").first).to_be_visible()
    looker.at("advice")
    page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 0, ask: true})")
    page.reload()
    page.locator(".curtain button").click()
    page.locator("[data-board] .can").first.click()
    expect(page.get_by_role("alertdialog")).to_be_visible()
    check_access(page)
    page.locator(".ask button").last.click()
    page.goto(f"{ada.parlour.url}/table/{together}#watch")
    page.locator("[data-board] .hand").first.wait_for()
    check_access(page)
    looker.faults.check()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("regular", [MARKED], indirect=True, scope="module")
def test_what_one_learns_from(regular: Looker, game: str) -> None:
    """In longer, marked sentences: `test_books` and `test_lessons` look at them otherwise."""
    looker = regular
    looker.ada.turn_to(f"/rules/{game}")
    expect(looker.page.locator("main h1")).to_be_visible()
    looker.at("rulebook")
    if game in LESSONS:
        looker.ada.turn_to(f"/learn/{game}")
        expect(looker.page.locator("main [data-board] > div")).to_be_visible()
        looker.at("lesson")
    looker.faults.check()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("regular", LOOKS, indirect=True, scope="module")
def test_a_puzzle(regular: Looker, game: str) -> None:
    """The hardest one, which nobody has tried, and its answer."""
    looker = regular
    ada, page = looker.ada, looker.page
    if game == next(iter(GAMES)):
        ada.turn_to("/puzzles")
        expect(page.locator("li[data-game]")).to_have_count(len(GAMES))
        page.locator("main details summary").click()
        looker.at("puzzles", both_lights=True)
    ada.turn_to(f"/puzzles/{puzzles.of(GAMES[game])[-1].id}")
    page.wait_for_selector("[data-tried=false] [data-board] > :not(.wait)")
    page.locator("details.words summary").click()
    looker.at(f"puzzle: {game}", axe=looker.axe)
    page.locator("details.words button").first.click()
    if (ask := page.locator(".over .main")).is_visible():
        ask.click()
    page.wait_for_selector("[data-tried=true]")
    page.locator("aside details").evaluate_all("all => all.forEach((one) => (one.open = true))")
    looker.at(f"answer: {game}", axe=looker.axe, both_lights=True)
    looker.faults.check()


@pytest.mark.parametrize("game", GAMES)
def test_every_phase(regular: Looker, game: str) -> None:
    """With as many players as there can be."""
    looker = regular
    ada, page = looker.ada, looker.page
    for phase, played in phases(GAMES[game], GAMES[game].SEATS[-1]).items():
        position = last_of(played)
        sit(ada, played, seat=position.turn, name="")
        page.locator("[data-board] details").evaluate_all("all => all.forEach((one) => (one.open = true))")
        looker.at(f"{game} {phase}", axe=looker.axe)
        if phase == "end":
            ada.do(ending(GAMES[game], position) or 0)
            expect(page.locator(".outcome")).to_be_visible()
            looker.at(f"{game} outcome")
            page.locator(".outcome a[href$='#replay']").click()
            expect(page.locator("input[type=range]")).to_be_visible()
            page.locator(".steps button").last.click()
            looker.at(f"{game} replay", axe=looker.axe)
    looker.faults.check()
