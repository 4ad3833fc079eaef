"""A game from outside the package, played in the browser: it brings no board, no words and no picture of its own."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from support.access import check_access
from support.local_server import Server, serving
from support.outside_game import NAME, TITLE, outside_game
from support.visiting import DESK, PHONE, Contexts, Visit, unfold

from motherlode.games import GAMES
from motherlode.server.bot_workers import BotWorkers

CLICKS = 60  # a single deal has 24 decisions
FRENCH_PHONE: dict[str, Any] = {"viewport": PHONE, "locale": "fr-CA", "color_scheme": "dark"}


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp(NAME)
    with pytest.MonkeyPatch.context() as patch, outside_game(folder):
        patch.setattr(
            BotWorkers, "prepare", lambda workers, bot, game: None
        )  # compiling takes long: the plain search will do
        with serving(f"sqlite:///{folder / 'parlour.db'}") as running:
            yield running


@pytest.fixture
def visitor(contexts: Contexts, outside: Server) -> Iterator[Callable[..., Visit]]:
    """Like `visit`, at the server that knows the game."""
    visits: list[Visit] = []

    def open_one(**more: Any) -> Visit:
        visits.append(Visit(contexts, outside, **more))
        return visits[-1]

    yield open_one
    assert not [said for one in visits for said in one.leave()]


def sit(ada: Visit, **more: Any) -> None:
    """At a single deal against a bot."""
    ada.ask("/api/guests", name="Ada")
    chairs = [{"player": "me"}, {"player": "greedy"}]
    table = ada.ask("/api/tables", game=NAME, seats=chairs, options={"target": 0}, **more)["id"]
    ada.page.goto(f"{ada.parlour.url}/table/{table}")
    ada.wait_for("true")


def test_the_lobby_offers_it_under_its_own_name(visitor: Callable[..., Visit]) -> None:
    ada = visitor()
    page = ada.page
    expect(page.locator(".game")).to_have_count(len(GAMES))
    tile = page.locator(".game").filter(has_text=TITLE)
    expect(tile.locator("svg")).to_be_visible()
    expect(tile.locator(".about")).to_have_text(GAMES[NAME].CREDIT)
    check_access(page)
    page.get_by_role("link", name=f"Play with friends …: {TITLE}", exact=True).click()
    expect(page.get_by_role("heading", name=TITLE)).to_be_visible()
    expect(page.locator("option[value=greenhorn]").last).to_have_text("Greenhorn")
    page.get_by_text("How strong?").click()
    expect(page.get_by_text("Greenhorn: not measured yet")).to_be_visible()
    unfold(page)
    option = page.get_by_label(GAMES[NAME].OPTIONS[0].meaning)
    option.select_option("0")
    check_access(page)
    page.get_by_role("button", name="Create the table").click()
    ada.wait_for("true")
    expect(page).to_have_title(f"● Your turn · {TITLE}")
    page.locator("header a").first.click()
    expect(page.locator(".tables li").filter(has_text=TITLE).first).to_be_visible()


@pytest.mark.parametrize(
    "look", [{"viewport": DESK}, FRENCH_PHONE], ids=["desk, light, English", "phone, dark, French"]
)
def test_it_is_played_by_clicking(visitor: Callable[..., Visit], look: dict[str, Any]) -> None:
    ada = visitor(**look)
    page = ada.page
    sit(ada)
    expect(page.locator("pre")).to_contain_text(f"{TITLE}, a single deal: deal 1, trick 1 of 6")
    expect(page.locator("pre")).to_contain_text("seat 1     0 gold   6 cards")  # a view: nothing of the other's hand
    check_access(page)
    ada.play_on(CLICKS)
    expect(page.locator(".outcome")).to_be_visible()
    expect(page.locator("pre")).to_contain_text("trick 6 of 6")
    expect(page.locator("#panel li").first).to_contain_text("play ")  # the log, in the game's own words
    check_access(page)
    page.locator("#tab-rules").click()
    expect(page.locator(".sheet")).to_contain_text("GM-3.5")
    page.locator(".outcome a[href$='#replay']").click()
    page.locator("input[type=range]").press("Home")
    expect(page.locator("pre")).to_contain_text("trick 1 of 6")
    check_access(page)


def test_it_is_played_by_keys(visitor: Callable[..., Visit]) -> None:
    """Tab goes from verb to verb, the arrows from one action of a verb to the next."""
    ada = visitor(**FRENCH_PHONE)
    page = ada.page
    sit(ada)
    expect(page.get_by_role("heading", name=re.compile("look|discard")).first).to_be_visible()
    for turn in range(CLICKS):
        ada.wait_for("true")
        if ada.turn() == -2:
            break
        offered = page.locator("[data-board] .choices").last.locator("button")
        names = offered.evaluate_all("all => all.map((one) => one.ariaLabel)")
        for _ in range(100):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.ariaLabel") in names:
                break
        wanted = turn % len(names)
        page.keyboard.press("Home")
        for _ in range(wanted):
            page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.ariaLabel") == names[wanted]
        at = ada.at()
        page.keyboard.press("Enter")
        page.wait_for_selector(f"[data-table]:not([data-at='{at}'])")
    expect(page.locator(".outcome")).to_be_visible()


def test_one_may_ask_for_advice(visitor: Callable[..., Visit]) -> None:
    ada = visitor()
    page = ada.page
    sit(ada, hints=True)
    page.get_by_role("button", name="What would you do?").click()
    first = page.locator(".hint ol button").first
    expect(first).to_be_visible()
    said = re.compile(re.escape(first.locator(".what").inner_text()), re.IGNORECASE)
    expect(page.locator("[data-board] button.hinted")).to_have_attribute("aria-label", said)
    first.click()
    ada.say_yes()
