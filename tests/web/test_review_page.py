"""The review of a finished game, and my mistakes: by keyboard, for everybody, in both languages and on a phone."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from support.access import check_access, check_contrast
from support.catalogues import catalogue
from support.local_server import Server
from support.positions import ending, find, last_of, sit
from support.reviewed import QuickJudge, play_by_requests
from support.visiting import DESK, PHONE, Visit

from motherlode.bots import levels
from motherlode.game import OVER
from motherlode.games import GAMES

GAME = "goldmine"
WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(autouse=True)
def judge(server: Server) -> Iterator[QuickJudge]:
    """A quick one: what pages show does not depend on who judges."""
    run = server.app.state.reviews.run
    yield QuickJudge(server)
    server.app.state.reviews.run = run


def play_to_the_end(ada: Visit) -> str:
    """A game whose last decision is mine; the table's id."""
    played = find(GAMES[GAME], lambda s: ending(GAMES[GAME], s) is not None)
    sit(ada, played, seat=last_of(played).turn, name="")
    ada.do(ending(GAMES[GAME], last_of(played)) or 0)
    expect(ada.page.locator(".outcome")).to_be_visible()
    return ada.table()


def finished(ada: Visit) -> str:
    """A game that was played from its first action on, so that mistakes are mine."""
    seats = [{"player": "me"}, {"player": "random"}]
    key = str(ada.ask("/api/tables", game=GAME, seats=seats, options={"target": 0})["id"])
    play_by_requests(ada, key)
    return key


def be_guest(ada: Visit) -> None:
    ada.ask("/api/guests", name="Ada")
    ada.page.evaluate("localStorage['motherlode.known'] = '1'")
    ada.page.reload()


def seat_of(ada: Visit, key: str) -> dict[str, Any]:
    """What the page that is open says of the first seat."""
    expect(ada.page.locator("[data-review=done]")).to_be_attached()
    seat: dict[str, Any] = ada.ask(f"/api/tables/{key}/review")["review"]["seats"][0]
    return seat


def said(language: str, key: str, **values: Any) -> str:
    """A sentence of the review, as the page says it."""
    sentence = str(catalogue("review", language)[key])
    return re.sub(r"\{(\w+)\}", lambda hole: str(values[hole[1]]), sentence)


def test_from_the_end_of_a_game_to_its_review(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    be_guest(ada)
    key = play_to_the_end(ada)
    ada.page.get_by_role("link", name="Review", exact=True).click()
    expect(ada.page.get_by_role("heading", name="Review: Goldmine")).to_be_visible()
    expect(ada.page.locator("[data-review=done]")).to_be_visible()
    assert ada.page.url == f"{server.url}/review/{key}"
    ada.turn_to(f"/table/{key}#replay")
    ada.page.get_by_role("link", name="Review", exact=True).click()
    expect(ada.page.locator("[data-review=done]")).to_be_visible()
    ada.turn_to("/games")
    ada.page.get_by_role("link", name=re.compile("^Review: Goldmine")).first.press("Enter")
    expect(ada.page.locator("[data-review=done]")).to_be_visible()


def test_the_page_waits_and_says_so(server: Server, visit: Callable[..., Visit], judge: QuickJudge) -> None:
    """It asks again by itself, less and less often; what went wrong is said, too."""
    ada = visit(only_once=True)
    be_guest(ada)
    first, second = finished(ada), finished(ada)
    judge.go_on.clear()
    ada.page.clock.install()
    ada.turn_to(f"/review/{first}")
    expect(ada.page.get_by_role("status").get_by_text(said("en", "working"))).to_be_visible()
    ada.ask(f"/api/tables/{second}/review")
    ada.turn_to(f"/review/{second}")
    expect(ada.page.get_by_role("status").get_by_text("One other game is reviewed first.")).to_be_visible()
    check_access(ada.page)

    def fail(_: Any) -> Any:
        raise ValueError

    judge.judge = fail
    judge.go_on.set()
    while server.app.state.reviews.asked:
        pass
    ada.page.clock.run_for(1000)
    expect(ada.page.get_by_text(said("en", "failed"))).to_be_visible()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_review_by_keyboard(server: Server, visit: Callable[..., Visit], language: str) -> None:
    """Along the decisions, and from one of them into the replay; everything has its words."""
    ada = visit(locale=f"{language}-CA", viewport=DESK)
    be_guest(ada)
    key = finished(ada)
    ada.turn_to(f"/review/{key}")
    page = ada.page
    slider = page.get_by_role("slider", name=re.compile(said(language, "curve.along")[:12]))
    slider.focus()
    points = seat_of(ada, key)["curve"]
    for n, keys in ((2, "ArrowRight"), (3, "ArrowRight"), (2, "ArrowLeft")):
        page.keyboard.press(keys)
        expect(page.locator(".there p")).to_contain_text(re.compile(rf"\b{n} (of|sur) {len(points) - 1}"))
        assert str(n) in (slider.get_attribute("aria-valuetext") or "")
    expect(page.locator(".said")).not_to_be_empty()  # what was decided there, from the replay
    page.keyboard.press("End")
    expect(page.locator(".there p")).to_contain_text(said(language, "curve.end", known="")[:6])
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("[data-board] > div").first).to_be_visible()
    assert page.url == f"{server.url}/table/{key}?at={points[1]['at']}&from=0#replay"
    expect(page.get_by_role("combobox").first).to_have_value("0")  # as my seat saw it


def test_a_review_is_for_everybody(server: Server, visit: Callable[..., Visit]) -> None:
    """What axe says, by day and by lamplight; the curve has words and a table; and nothing is wider than a phone."""
    ada = visit(viewport=PHONE, color_scheme="light")
    be_guest(ada)
    key = finished(ada)
    ada.turn_to(f"/review/{key}")
    page = ada.page
    expect(page.get_by_role("img", name=re.compile("The chance to win through the game"))).to_be_visible()
    expect(page.locator("article")).to_have_count(3)
    for details in page.locator("main details summary").all():
        details.click()
    rows = page.locator(".scroll tbody tr")
    points = seat_of(ada, key)["curve"]
    expect(rows).to_have_count(len(points))
    check_access(page)
    page.emulate_media(color_scheme="dark")
    check_contrast(page)
    assert not page.evaluate(WIDE)
    for path in ("/mistakes", "/mistakes#" + "/".join(map(str, first_mistake(ada)))):
        ada.turn_to(path)
        expect(page.locator("li.card, [data-board] > div").first).to_be_visible()
        check_access(page)
        assert not page.evaluate(WIDE), path


def first_mistake(ada: Visit) -> tuple[str, int, int]:
    found = ada.page.evaluate("fetch('/api/guests/me/mistakes').then((answer) => answer.json())")["mistakes"][0]
    return found["table"], found["seat"], found["at"]


def test_the_parts_are_shown_to_add_up(server: Server, visit: Callable[..., Visit]) -> None:
    """As they are written, rounded, for every seat."""
    ada = visit()
    be_guest(ada)
    ada.turn_to(f"/review/{finished(ada)}")
    expect(ada.page.locator("table caption")).to_have_count(2)
    for table in ada.page.locator(".sums table").all():
        for column in (0, 1):
            figures = [row.locator("td.figure").nth(column).inner_text() for row in table.locator("tbody tr").all()]
            *parts, result = (round(10 * float(figure.replace("−", "-").rstrip("%"))) for figure in figures)
            assert len(parts) == 4 and sum(parts) == result


def test_try_again_from_here_against_the_same_bots(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    be_guest(ada)
    key = finished(ada)
    ada.turn_to(f"/review/{key}")
    mistake = seat_of(ada, key)["mistakes"][1]
    ada.page.locator("article").nth(1).get_by_role("button", name=re.compile("^Try again from here")).click()
    ada.wait_for("true")
    live = server.parlour.tables[ada.table()]
    assert live.id != key and live.core.at == mistake["at"] == live.facts.given and not live.settings.watch
    assert [chair.bot for chair in live.chairs] == [None, "random"]
    assert live.core.log == server.parlour.tables[key].core.log[: mistake["at"]]


def test_people_are_replaced_by_the_tables_own_bot(server: Server, visit: Callable[..., Visit]) -> None:
    ada, bob = visit(), visit()
    for one in (ada, bob):
        be_guest(one)
    chairs = [{"player": "me"}, {"player": "anyone"}]
    level = levels.names(GAMES[GAME])[1]
    options = {"target": 0}
    key = ada.ask("/api/tables", game=GAME, seats=chairs, options=options, substitute=level)["id"]
    bob.ask(f"/api/tables/{key}/seats/1/take")
    while True:
        now = ada.context.request.get(f"{server.url}/api/tables/{key}/now?seat=0").json()
        if now["turn"] == OVER:
            break
        one = (ada, bob)[now["turn"]]
        mine = one.context.request.get(f"{server.url}/api/tables/{key}/now?seat={now['turn']}").json()
        one.ask(f"/api/tables/{key}/act", seat=now["turn"], at=mine["at"], action=mine["legal"][0]["action"])
    ada.turn_to(f"/review/{key}")
    ada.page.get_by_role("button", name=re.compile("^Try again from here")).first.click()
    ada.wait_for("true")
    assert [chair.bot for chair in server.parlour.tables[ada.table()].chairs] == [None, level]


def test_sharing(server: Server, visit: Callable[..., Visit]) -> None:
    """Only after a player has said so; then whoever has the link sees review and replay, and can play on from it."""
    ada, eve = visit(), visit()
    be_guest(ada)
    key = finished(ada)
    eve.allowed = ["403"]
    eve.turn_to(f"/review/{key}")
    expect(eve.page.get_by_role("alert")).to_contain_text("may not be watched")
    ada.turn_to(f"/review/{key}")
    ada.page.get_by_role("button", name="Share", exact=True).click()
    dialog = ada.page.get_by_role("dialog")
    expect(dialog.get_by_role("textbox")).to_have_value(f"{server.url}/review/{key}")
    check_access(ada.page)
    dialog.get_by_role("button", name=said("en", "share.do")).press("Enter")
    expect(dialog.get_by_text(said("en", "share.is"))).to_be_visible()
    eve.page.reload()
    expect(eve.page.locator("article")).to_have_count(3)
    expect(eve.page.get_by_role("link", name=said("en", "mistakes"))).to_have_count(0)
    eve.page.locator("article button").first.click()
    expect(eve.page.locator("[data-board] > div").first).to_be_visible()
    eve.page.go_back()
    eve.page.locator("article").first.get_by_role("button", name=re.compile("^Try again from here")).click()
    eve.wait_for("true")
    dialog.get_by_role("button", name=said("en", "share.stop")).press("Enter")
    expect(dialog).to_be_hidden()
    eve.turn_to(f"/review/{key}")
    expect(eve.page.get_by_role("alert")).to_contain_text("may not be watched")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_my_mistakes_to_try_again(server: Server, visit: Callable[..., Visit], language: str) -> None:
    """By keyboard: from the list to the position, an answer, why, and the next one; what was found comes back later."""
    ada = visit(locale=f"{language}-CA")
    be_guest(ada)
    ada.turn_to("/mistakes")
    page = ada.page
    expect(page.get_by_text(said(language, "nothing"))).to_be_visible()
    key = finished(ada)
    ada.turn_to(f"/review/{key}")
    page.get_by_role("link", name=said(language, "mistakes")).press("Enter")
    expect(page.locator("li.card")).to_have_count(3)
    expect(page.get_by_role("heading", name=said(language, "today"))).to_be_visible()
    page.locator("li.card a").first.press("Enter")
    table, seat, at = first_mistake(ada)
    answers = ada.ask(f"/api/tables/{key}/review")["review"]["seats"][0]["mistakes"]
    best = next(one["best"] for one in answers if one["at"] == at)
    expect(page.locator("[data-board] > div").first).to_be_visible()
    legal = ada.page.evaluate(
        "path => fetch(path).then((answer) => answer.json())", f"/api/guests/me/mistakes/{table}/{seat}/{at}"
    )["legal"]
    number = next(n for n, one in enumerate(legal) if one["action"] == best)
    page.locator("details.words summary").press("Enter")
    page.locator("details.words button").nth(number).press("Enter")
    expect(page.locator("[data-tried=true]")).to_be_visible()
    expect(page.locator(".answer")).to_be_focused()
    expect(page.get_by_role("status").get_by_text(said(language, "try.best"))).to_be_visible()
    expect(page.get_by_text(said(language, "why"), exact=True)).to_be_visible()
    page.get_by_role("link", name=said(language, "next")).press("Enter")
    expect(page.locator("[data-tried='']")).to_be_visible()
    page.locator("[data-board] .can").first.click()
    expect(page.locator("[data-tried=true], [data-tried=false]")).to_be_visible()
    third = page.get_by_role("link", name=said(language, "next"))
    assert str(third.get_attribute("href")).split("/")[-1] not in (str(at), page.url.split("/")[-1])
    page.get_by_role("link", name=said(language, "mistakes")).press("Enter")
    expect(page.get_by_role("heading", name=said(language, "later"))).to_be_visible()
    expect(page.locator("section[aria-labelledby=due] li.card")).to_have_count(1)
    expect(page.locator("section[aria-labelledby=later] li.card")).to_have_count(2)


def test_another_seats_review(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    be_guest(ada)
    ada.turn_to(f"/review/{finished(ada)}")
    expect(ada.page.get_by_text("As Ada knew it").first).to_be_visible()
    ada.page.get_by_role("combobox").select_option(label="Random bot")
    expect(ada.page.get_by_text("As Random bot knew it").first).to_be_visible()
    expect(ada.page.get_by_role("link", name="My mistakes")).to_have_count(0)
