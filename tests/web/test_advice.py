"""What the page offers beyond acting: advice, bots by level, taking back while building, refusals in one's language."""

import re
from collections.abc import Callable

from playwright.sync_api import expect
from support import positions
from support.access import check_access
from support.visiting import PHONE, Visit, repeat_without_news, unfold

from motherlode.bots import levels
from motherlode.games import GAMES

PIECES = ((3, 0), (3, 1), (2, 2), (2, 3), (2, 0), (2, 1), (1, 2), (1, 3), (1, 0), (1, 1))  # of Gold Hunting, on piles


def new_table(visit: Visit, game: str) -> None:
    visit.page.get_by_role("link", name=f"Play with friends …: {GAMES[game].TITLE}", exact=True).click()
    expect(visit.page.get_by_role("button", name="Create the table")).to_be_visible()
    unfold(visit.page)


def test_advice_on_my_turn(visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.play_now("Goldmine")
    page, ask = ada.page, ada.page.get_by_role("button", name="What would you do?")
    ask.click()
    advice = page.locator(".hint .card")
    expect(advice).to_be_visible()
    suggested = advice.locator("li button")
    assert 1 <= suggested.count() <= 3
    expect(advice.locator("p").first).to_contain_text(re.compile("I would|glance|nothing to choose"))
    expect(page.locator("[data-board] .hinted")).to_have_count(1)
    best = page.locator("[data-board] .hinted").get_attribute("aria-label")
    if suggested.count() > 1:
        suggested.nth(1).hover()
        expect(page.locator("[data-board] .hinted")).not_to_have_attribute("aria-label", best or "")
    check_access(page)
    before = ada.at()
    suggested.first.click()
    page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
    expect(page.locator("[data-board] .hinted")).to_have_count(0)
    expect(advice).to_have_count(0)


def test_advice_of_a_short_look_says_so_and_gives_no_numbers(visit: Callable[..., Visit]) -> None:
    """The first look may be short or not; what is shown goes with what the server said."""
    ada, heard = visit(), list[str]()
    ada.page.on("websocket", lambda line: line.on("framereceived", lambda told: heard.append(str(told))))
    ada.play_now("Goldmine")
    ada.page.get_by_role("button", name="What would you do?").click()
    expect(ada.page.locator(".hint .card")).to_be_visible()
    (said,) = [told for told in heard if '"is":"hint"' in told]
    is_short = '"plain":true' in said
    expect(ada.page.get_by_role("button", name="Ask again")).to_have_count(int(is_short))
    has_numbers = ada.page.locator(".hint .win").count() > 0
    assert has_numbers != is_short or '"win":null' in said


def test_no_advice_where_the_table_has_none(visit: Callable[..., Visit]) -> None:
    ada = visit()
    new_table(ada, "goldmine")
    expect(ada.page.get_by_label("Players may ask for advice")).not_to_be_checked()
    ada.page.get_by_label("Player in seat 2").select_option("greedy")
    ada.page.get_by_role("button", name="Create the table").click()
    ada.wait_for("true")
    expect(ada.page.get_by_role("button", name="What would you do?")).to_have_count(0)


def test_bots_are_chosen_by_level(visit: Callable[..., Visit]) -> None:
    ada = visit()
    new_table(ada, "goldmine")
    seat = ada.page.get_by_label("Player in seat 2")
    names = seat.locator("optgroup").nth(1).locator("option").all_inner_texts()
    assert len(names) == len(levels.names(GAMES["goldmine"]))
    for name in names[1:]:
        assert re.search(r"^[\w ]+ · \w+$", name), name
    ada.page.get_by_text("How strong?").click()
    figures = ada.page.locator("fieldset details li").all_inner_texts()
    for figure in figures[1:]:
        assert re.search(r": beats the [\w ]+ in \d+% of games \(\d+% to \d+%\)$", figure), figure
    seat.select_option(levels.names(GAMES["goldmine"])[0])
    ada.page.get_by_label("Spectators may watch").check()
    ada.page.get_by_label("Delay for spectators").select_option("60")
    ada.page.get_by_label("Players may ask for advice").check()
    ada.page.get_by_role("button", name="Create the table").click()
    ada.wait_for("true")
    expect(ada.page.locator("aside li").nth(1)).to_contain_text("Greenhorn")
    expect(ada.page.get_by_role("button", name="What would you do?")).to_be_visible()
    card = ada.page.evaluate("fetch('/api' + location.pathname.replace('table', 'tables')).then(told => told.json())")
    assert (card["delay"], card["hints"]) == (60, True)


def test_building_can_be_taken_back_until_it_is_done(visit: Callable[..., Visit]) -> None:
    """All pieces are sent then, though messages without news come in between."""
    ada = visit(viewport=PHONE, only_once=True)
    ada.page.route_web_socket(re.compile("/socket"), repeat_without_news)
    ada.play_now("Gold Hunting")
    page, before = ada.page, ada.at()
    heap, site = page.locator(".heap"), page.locator(".site")

    def place(size: int, pile: int) -> None:
        if heap.nth(size - 1).get_attribute("aria-pressed") != "true":
            heap.nth(size - 1).click()
        site.nth(pile).click()

    done = page.get_by_role("button", name="Done building")
    place(3, 2)
    expect(site.nth(2)).to_contain_text("3 gold")
    expect(done).to_be_disabled()
    page.get_by_role("button", name="Take one back").click()
    expect(site.nth(2)).to_contain_text("empty")
    for size, pile in PIECES:
        place(size, pile)
    assert ada.at() == before  # nothing of it has left the page
    expect(page.get_by_role("tabpanel")).not_to_contain_text("places a")
    done.click()
    expect(page.locator(".calling.ready").or_(page.locator(".outcome"))).to_be_visible()
    told = page.get_by_role("tabpanel").locator("li", has_text="places a").all_inner_texts()
    placed = [re.search(r"places (a \d on pile [A-D])", line) for line in reversed(told)]
    assert [found and found[1] for found in placed] == [f"a {n} on pile {'ABCD'[at]}" for n, at in PIECES]


def test_the_last_pieces_are_for_the_empty_piles(visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.play_now("Gold Hunting")
    heap, site = ada.page.locator(".heap"), ada.page.locator(".site")
    for size, many in ((1, 4), (2, 3)):
        heap.nth(size - 1).click()
        for _ in range(many):
            site.nth(0).click()
    expect(site.nth(0)).to_have_attribute("aria-disabled", "true")
    for pile in range(1, 4):
        expect(site.nth(pile)).to_have_attribute("aria-disabled", "false")


def test_a_refusal_in_french_with_the_servers_words_behind_it(visit: Callable[..., Visit]) -> None:
    ada = visit(locale="fr-FR")
    ada.allowed = ["Failed to load resource"]
    ada.page.goto(f"{ada.parlour.url}/table/nosuchtable")
    told = ada.page.get_by_role("alert")
    expect(told).to_contain_text("Cela n'existe pas")
    words = told.get_by_text("there is no such table")
    expect(words).to_be_hidden()
    told.get_by_text("Le message du serveur").click()
    expect(words).to_be_visible()


def test_the_log_names_the_card_that_is_given(visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.play_now("Claimpoker")
    gives = ada.page.get_by_role("tabpanel").locator("li", has_text=re.compile(r" gives .+ to "))
    while not gives.count():
        ada.wait_for("true")
        ada.click_something()
    expect(gives.first).not_to_contain_text(re.compile("first|second"))


def test_a_long_log_is_told_to_its_beginning(visit: Callable[..., Visit]) -> None:
    late = next(
        played for s, played in positions.walk(GAMES["claimpoker"], 1) if len(played.actions) > 150 and not s.turn
    )
    ada = visit()
    positions.sit(ada, late)
    expect(ada.page.get_by_role("tabpanel").locator("li").nth(100)).to_be_attached()
