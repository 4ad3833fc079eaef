"""The puzzles in a browser: the day's, one after the other, by keyboard and on a phone, in both languages."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from support.access import check_access, check_contrast
from support.catalogues import catalogue
from support.local_server import Server
from support.visiting import PHONE, Visit

from motherlode import engine, puzzles
from motherlode.games import GAMES
from motherlode.puzzles import Puzzle
from motherlode.server.routes import WEB

ON_A_PHONE = {"viewport": PHONE, "locale": "fr-CA", "has_touch": True}
OPEN = "[data-puzzle][data-tried=false] [data-board] > :not(.wait)"
TRIED = "[data-puzzle][data-tried=true]"


def some(game: str) -> Puzzle:
    """One whose answer is not the first of its choices."""
    listed = puzzles.of(GAMES[game])
    return next(one for one in listed if engine.legal(one.game, one.table().position)[0] != one.answer)


def wrong(puzzle: Puzzle) -> int:
    return engine.legal(puzzle.game, puzzle.table().position)[0]


def words(language: str) -> dict[str, str]:
    return {key: str(said) for key, said in catalogue("puzzles", language).items()}


def become(ada: Visit) -> None:
    ada.ask("/api/guests", name="Ada")
    ada.page.evaluate("localStorage['motherlode.known'] = '1'")


def shown(page: Page) -> Puzzle:
    """The puzzle on the page, once it can be tried."""
    page.wait_for_selector(OPEN)
    return puzzles.find(page.locator("[data-puzzle]").get_attribute("data-puzzle") or "")


def answer(page: Page, action: int) -> None:
    """From the list in words; if the page asks, yes."""
    if page.locator("details.words").get_attribute("open") is None:
        page.locator("details.words summary").click()
    page.locator(f"details.words button[data-action='{action}']").click()
    if (ask := page.locator("[role=alertdialog] .main")).is_visible():
        ask.click()
    page.wait_for_selector(TRIED)


def test_from_the_lobby_to_the_puzzle_of_the_day(server: Server, visit: Callable[..., Visit]) -> None:
    """Two visitors are given the same one; whoever has solved it is told so."""
    days = []
    for _ in range(2):
        ada = visit()
        become(ada)
        ada.page.get_by_role("link", name="Or solve the puzzle of the day").click()
        ada.page.get_by_role("link", name="Solve it").click()
        days.append(shown(ada.page))
        expect(ada.page.locator("h1")).to_contain_text("Puzzle of the day")
        expect(ada.page).to_have_url(f"{server.url}/puzzles/{days[-1].id}")
        answer(ada.page, days[-1].answer)
        ada.turn_to("/puzzles")
        expect(ada.page.get_by_text("You have solved it.")).to_be_visible()
    assert days[0] == days[1]


def test_one_after_the_other(visit: Callable[..., Visit]) -> None:
    """None comes twice, and the rating is the one on the page of all puzzles."""
    ada = visit()
    become(ada)
    ada.turn_to("/puzzles")
    tile = ada.page.locator("li[data-game=goldmine]")
    expect(tile).to_contain_text("Not rated yet")
    tile.get_by_role("link").click()
    seen, ratings = set(), []
    for k in range(5):
        puzzle = shown(ada.page)
        seen.add(puzzle.id)
        answer(ada.page, puzzle.answer if k % 2 else next(a for a in puzzle.values if a != puzzle.answer))
        expect(ada.page.locator("h1")).to_have_text("Right!" if k % 2 else "Not the best.")
        ratings.append(ada.page.locator(".ratings p").first.inner_text())
        ada.page.get_by_role("button", name="Next puzzle").click()
    shown(ada.page)
    assert len(seen) == 5
    assert re.fullmatch(r"Your first rating: \d+ ± \d+", ratings[0])
    changes = [re.fullmatch(r"Your rating: (\d+ ± \d+) \(([+-])\d+\)", one) for one in ratings[1:]]
    assert [change[2] for change in changes if change] == ["+", "-", "+", "-"]
    ada.turn_to("/puzzles")
    expect(tile).to_contain_text(f"Your rating: {changes[-1][1]}" if changes[-1] else "?")
    expect(tile).to_contain_text("5 tried, 2 solved")


def test_whoever_is_unknown_is_not_rated_until_they_want_to(visit: Callable[..., Visit]) -> None:
    ada = visit(at="/puzzles/goldmine")
    first = shown(ada.page)
    answer(ada.page, first.answer)
    expect(ada.page.locator(".ratings")).to_contain_text("Your tries are not rated")
    ada.page.get_by_role("button", name="Next puzzle").click()
    ada.page.wait_for_selector(f"[data-puzzle]:not([data-puzzle='{first.id}'])")
    answer(ada.page, shown(ada.page).answer)
    ada.page.get_by_role("button", name="Have my tries rated from now on").click()
    expect(ada.page.locator(".ratings")).to_contain_text("From now on your first tries are rated.")
    ada.page.get_by_role("button", name="Next puzzle").click()
    answer(ada.page, shown(ada.page).answer)
    expect(ada.page.locator(".ratings")).to_contain_text("Your first rating")


def test_a_second_try_does_not_count(visit: Callable[..., Visit]) -> None:
    ada, puzzle = visit(), some("goldmine")
    become(ada)
    for _ in range(2):
        ada.page.goto(f"{ada.parlour.url}/puzzles/{puzzle.id}")
        shown(ada.page)
        answer(ada.page, wrong(puzzle))
    expect(ada.page.locator(".ratings[data-counts=false]")).to_contain_text("Only your first try counts")
    ada.page.reload()
    shown(ada.page)
    expect(ada.page.locator(".prompt .task")).to_contain_text("You have tried this puzzle before")


# In every game, in both languages


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_of_every_game(server: Server, visit: Callable[..., Visit], game: str, language: str) -> None:
    """Missed, with its answer, the chances as figures and bars, how sure they are, and what followed on the board."""
    puzzle, said = some(game), words(language)
    ada = visit(
        at=f"/puzzles/{puzzle.id}", locale=f"{language}-CA", color_scheme="dark" if language == "fr" else "light"
    )
    page = ada.page
    shown(page)
    name = said[f"name.{puzzle.seat}"]
    expect(page.locator(".prompt .task")).to_contain_text(said["task"].replace("{name}", name))
    assert not re.search(r"\{\w+\}", page.locator("main").inner_text())
    check_access(page)
    answer(page, wrong(puzzle))
    expect(page.locator("h1")).to_have_text(said["wrong"])
    expect(page.locator("main [role=status]").first).to_contain_text(said["wrong"])
    bars = page.locator("[data-chance]")
    best_first = sorted(puzzle.values, key=lambda a: (-puzzle.values[a], a))
    first = [a for a in best_first if a in best_first[:4] or a == wrong(puzzle)]
    best_first = first + [a for a in best_first if a not in first]
    page.locator("section:has(#why) details").evaluate_all("all => all.forEach((one) => (one.open = true))")
    assert bars.evaluate_all("all => all.map((one) => Number(one.dataset.chance))") == best_first
    widths = bars.locator(".bar i").evaluate_all("all => all.map((one) => parseFloat(one.style.width))")
    assert widths == pytest.approx([100 * puzzle.values[a] for a in best_first])
    figures = [int(re.sub(r"\D", "", one)) for one in bars.locator(".figure").all_inner_texts()]
    assert figures == pytest.approx([100 * puzzle.values[a] for a in best_first], abs=0.51)
    expect(page.locator(".proof")).to_contain_text(said[f"{puzzle.proof}.what"])
    expect(page.locator("[data-board] .hinted").first).to_be_attached()
    check_access(page)
    lines = page.locator("[data-step]")
    for k in range(lines.count()):
        sentence = lines.nth(k).inner_text()
        assert sentence and not re.search(r"\{\w+\}", sentence)
        lines.nth(k).click()
        expect(page.locator(".prompt .task")).to_have_text(sentence)
    expect(page.locator("[data-puzzle]")).to_have_attribute("data-shown", str(1 + len(puzzle.after)))
    page.locator(".lines button").first.click()
    expect(page.locator("[data-puzzle]")).to_have_attribute("data-shown", "0")
    check_contrast(page)


def test_nothing_that_a_page_is_sent_before_a_try_has_the_answer(server: Server, visit: Callable[..., Visit]) -> None:
    """Whatever it asks for until then, code and words included: nothing has a field of a verdict, or of the file."""
    ada = visit()
    for game in GAMES:
        ada.page.goto(f"{server.url}/puzzles/{some(game).id}")
        shown(ada.page)
    asked = [url for url in dict.fromkeys(ada.requests) if url.startswith(server.url)]
    assert sum("/api/puzzles/" in url for url in asked) == len(GAMES)
    for url in asked:
        body = ada.context.request.get(url).text()
        assert not re.search('"(answer|chances|steps|gap|solved_by|proof|difficulty)":', body), url
    assert not [path for path in WEB.rglob("*") if path.is_file() and b'"solved_by"' in path.read_bytes()]


# By keyboard alone, and by finger


def test_by_keyboard_alone(visit: Callable[..., Visit]) -> None:
    """From the lobby to the answer, what followed and the next puzzle."""
    ada = visit()
    page = ada.page

    def reach(selector: str) -> None:
        """By the tab key."""
        page.locator(selector).first.wait_for()
        for _ in range(250):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        pytest.fail(f"the tab key does not come to {selector}")

    reach("a[href='/puzzles']")
    page.keyboard.press("Enter")
    reach("a[href='/puzzles/goldmine']")
    page.keyboard.press("Enter")
    puzzle = shown(page)
    assert page.evaluate("document.activeElement.id") == "main"
    reach("details.words summary")
    page.keyboard.press("Enter")
    reach(f"details.words button[data-action='{puzzle.answer}']")
    page.keyboard.press("Enter")
    page.wait_for_selector(TRIED)
    assert page.evaluate("document.activeElement.id") == "puzzle", "the verdict has the focus"
    expect(page.locator("main [role=status]").first).to_contain_text("Right! The best: ")
    reach("[data-step]")
    page.keyboard.press("Enter")
    expect(page.locator("[data-puzzle]")).not_to_have_attribute("data-shown", "0")
    page.keyboard.press("Shift+Tab")
    reach("a[href='/puzzles'], .prompt .main")  # around the page to the prompt
    page.locator(".prompt .main").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(f"[data-puzzle]:not([data-puzzle='{puzzle.id}'])")


def test_on_the_board_by_keyboard(visit: Callable[..., Visit]) -> None:
    """The board's own buttons take the answer; Escape takes back what the page asks about."""
    ada = visit(at="/icon.svg")
    ada.page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 0, ask: true})")
    ada.page.goto(f"{ada.parlour.url}/puzzles/{some('goldmine').id}")
    shown(ada.page)
    ada.page.locator("[data-board] .can").first.focus()
    ada.page.keyboard.press("Enter")
    expect(ada.page.get_by_role("alertdialog")).to_contain_text("Is this your answer")
    check_access(ada.page)
    ada.page.keyboard.press("Escape")
    expect(ada.page.get_by_role("alertdialog")).to_have_count(0)
    ada.page.locator("[data-board] .can").first.focus()
    ada.page.keyboard.press("Enter")
    ada.page.keyboard.press("Enter")
    ada.page.wait_for_selector(TRIED)


@pytest.mark.parametrize("game", ["goldmine", "china_gold", "mount_goldrush"])
def test_on_a_phone(visit: Callable[..., Visit], game: str) -> None:
    """By finger, on the board; the prompt and the board stay where they are, and what to press is in sight."""
    ada = visit(at=f"/puzzles/{some(game).id}", **ON_A_PHONE)
    page = ada.page
    shown(page)
    where = "() => ['prompt', 'board'].map((one) => document.querySelector(`[data-fixed=${one}]`).offsetTop)"
    before = page.evaluate(where)
    page.locator("details.words summary").tap()
    page.locator("details.words button").first.tap()
    if (ask := page.locator("[role=alertdialog] .main")).is_visible():
        ask.tap()
    page.wait_for_selector(TRIED)
    assert page.evaluate(where) == before
    expect(page.locator(".prompt .main")).to_be_in_viewport()
    page.locator(".prompt button.arrow").last.tap()
    expect(page.locator("[data-puzzle]")).not_to_have_attribute("data-shown", "0")
    page.locator(".prompt .to-why").tap()
    expect(page.locator("#why")).to_be_in_viewport()
    check_access(page)


def test_an_illegal_press_is_explained_and_is_no_try(visit: Callable[..., Visit]) -> None:
    """On a board that has something to press that is not allowed now."""
    ada = visit()
    become(ada)
    ada.allowed = ["400"]
    for puzzle in puzzles.of(GAMES["goldmine"]):
        ada.page.goto(f"{ada.parlour.url}/puzzles/{puzzle.id}")
        shown(ada.page)
        if (forbidden := ada.page.locator("[data-board] button[aria-disabled=true]")).count():
            forbidden.first.click(force=True)  # Playwright would wait
            expect(ada.page.locator(".over[role=status] p")).not_to_be_empty()
            expect(ada.page.locator("[data-puzzle]")).to_have_attribute("data-tried", "false")
            assert ada.page.evaluate("fetch('/api/puzzles').then((answer) => answer.text())").count('"tried":0') == 6
            return
    pytest.fail("there is no such puzzle")


def test_what_is_not_there(visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.allowed = ["404", "400"]
    for what, said in (("goldmine-99999", "has no puzzle"), ("nonesuch", "there is no game")):
        ada.page.goto(f"{ada.parlour.url}/puzzles/{what}")
        expect(ada.page.get_by_role("alert")).to_contain_text(said)
        ada.page.get_by_role("link", name="All puzzles").click()
        expect(ada.page.locator("li[data-game]")).to_have_count(len(GAMES))


def test_the_rulebook_leads_to_the_puzzles(visit: Callable[..., Visit]) -> None:
    ada = visit(at="/rules/china_gold")
    ada.page.get_by_role("link", name="Puzzles").click()
    assert shown(ada.page).game.NAME == "china_gold"
    assert json.loads(ada.page.evaluate("fetch('/api/puzzles').then((answer) => answer.text())"))["games"]
