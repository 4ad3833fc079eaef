"""Claimpoker's board: cards on a table. Taking, giving, two cards of one pile, and how points come about."""

import re
from collections.abc import Callable

from playwright.sync_api import expect
from support.local_server import Server
from support.positions import find, last_of, sit, walk
from support.visiting import Visit

from motherlode import text
from motherlode.game import Record
from motherlode.games import GAMES
from motherlode.games.claimpoker import rules, showing

claimpoker = GAMES["claimpoker"]


def reached(wanted: Callable[[Record], bool]) -> text.Played:
    """A game with all new options up to a position that is wanted."""
    games = walk(claimpoker, 60, piles="any", doubles="either", cancelled="gone")
    return next(played for s, played in games if s.turn == 0 and wanted(s))


def test_two_cards_of_one_pile_are_taken_by_keyboard(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    played = reached(lambda s: s.phase == rules.TAKING and s.round == 1 and s.pairs > 0 and min(s.left[:2]) > 2)
    sit(ada, played)
    s, board = last_of(played), ada.page.locator("[data-board]")
    expect(board.get_by_text("Out of the game: one +1 and one −1")).to_have_count(int(s.pairs == 1))
    for n in range(6):
        expect(board.locator(".pile").nth(n).locator(".double")).to_have_count(len(showing.doubles_in(s, n)))
    beneath = board.get_by_role("button", name="Take the card beneath it too")
    pile = board.get_by_role("button", name="Pile 2:")
    pile.press("Enter")
    expect(beneath).to_be_visible()
    pile.press("Enter")  # taken back
    expect(beneath).to_have_count(0)
    pile.press("Enter")
    beneath.press("Enter")
    taken = board.get_by_role("region", name="Cards taken")
    expect(taken.get_by_role("button", name="Give away")).to_have_count(2)
    expect(board.get_by_role("button", name=f"Pile 2: {s.left[1] - 2} card")).to_be_visible()
    assert ada.page.locator("#panel li").filter(has_text="takes the top two cards of the second pile").count() == 1


def test_a_first_pile_alone_offers_the_card_beneath(server: Server, visit: Callable[..., Visit]) -> None:
    """A pile of one card has none beneath; under the other option no pile offers it."""
    ada = visit()
    played = reached(lambda s: s.phase == rules.TAKING and 1 in s.left)
    sit(ada, played)
    single = list(last_of(played).left).index(1)
    board = ada.page.locator("[data-board]")
    board.locator(".pile").nth(single).click()
    expect(board.locator(".pile[aria-pressed=true]")).to_have_count(1)
    expect(board.locator(".beneath")).to_have_count(0)


def test_a_gift_is_shown_before_it_is_given(server: Server, visit: Callable[..., Visit]) -> None:
    """One's own claim with the card kept, and on each of the others' claims what the gift is worth to them."""
    ada = visit()

    def wanted(s: Record) -> bool:
        if s.turn != 0 or s.phase != rules.GIVING:
            return False
        after, now = claimpoker.drawn(s)["after"], claimpoker.drawn(s)["now"]
        return all(after[rules.GIVE + 1][x]["points"] != now[x]["points"] for x in (0, 1))

    played = find(claimpoker, wanted)
    sit(ada, played)
    drawn, board = claimpoker.drawn(last_of(played)), ada.page.locator("[data-board]")
    own, other = board.locator(".mine"), board.get_by_role("region", name="Cards of Greedy bot 1")
    cards = own.locator(".item").count()
    board.get_by_role("button", name="Give away").first.click()
    gain = [drawn["after"][rules.GIVE + 1][x]["points"] - drawn["now"][x]["points"] for x in range(2)]
    expect(own.locator(".points b")).to_have_text(f"{gain[0]:+d}".replace("-", "−"))
    assert own.locator(".item").count() > cards
    give = other.get_by_role("button", name="Give ")
    expect(give).to_contain_text(f"{gain[1]:+d}".replace("-", "−"))
    give.hover()
    expect(other.locator(".points b")).to_have_text(f"{gain[1]:+d}".replace("-", "−"))
    give.click()
    first = showing.cards_to_give(last_of(played))["first"]
    expect(other.locator(f'[data-spot="player 2 card {first}"]')).to_have_count(1)


def test_five_claims_stay_where_they_are_when_a_gift_is_chosen(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(viewport={"width": 1280, "height": 720})
    games = walk(claimpoker, 1, 5)
    sit(ada, next(played for s, played in games if s.turn == 0 and s.phase == rules.GIVING))
    board = ada.page.locator("[data-board]")
    claims = [board.locator(f"[data-fixed='player {n}']") for n in range(1, 6)]
    before = [claim.bounding_box() for claim in claims]
    board.get_by_role("button", name="Give away").first.click()
    expect(board.locator(".give")).to_have_count(4)
    assert [claim.bounding_box() for claim in claims] == before


def test_what_cannot_be_taken_or_given_now_says_why(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, find(claimpoker, lambda s: s.turn == 0 and s.phase == rules.TAKING and 0 in s.left))
    board, notice = ada.page.locator("[data-board]"), ada.page.locator(".notice")
    board.locator(".pile[aria-disabled=true]").first.click(force=True)
    expect(notice).to_contain_text("Take the top cards of two different piles")
    sit(ada, find(claimpoker, lambda s: s.turn == 0 and s.phase == rules.GIVING), name="")
    board.locator(".pile").first.click(force=True)
    expect(notice).to_contain_text("Choose one of the two cards for another player")


def test_points_are_explained_by_a_tap(server: Server, visit: Callable[..., Visit]) -> None:
    """Kind by kind, as the rules count them, and what prospectors add."""
    ada = visit()

    def wanted(s: Record) -> bool:
        now = claimpoker.drawn(s)["now"][0]
        return bool(s.turn == 0 and s.round == 1 and now["adjusted"] >= 0 and now["points"] > 5 and s.points[0])

    played = find(claimpoker, wanted)
    sit(ada, played)
    s = last_of(played)
    now, own = claimpoker.drawn(s)["now"][0], ada.page.locator("[data-board] .mine")
    own.locator("summary").click()
    sums = own.locator(".sums")
    expect(sums).to_contain_text(f"{s.points[0]} + {now['points']} = {s.points[0] + now['points']} points")
    expect(sums).to_contain_text("Prospectors put")
    held = [k for k in range(8) if now["numbers"][k] or now["adjusted"] == k]
    expect(sums.locator("tr")).to_have_count(len(held))
    worth = [int(one.replace("−", "-")) for one in sums.locator("td.worth").all_text_contents()]
    assert worth == [now["worth"][k] for k in held]


def test_a_round_ends_with_a_summary_that_waits(server: Server, visit: Callable[..., Visit]) -> None:
    """It lists what every kind counts, and the next round begins when the player goes on. It rises over the board,
    which stays where it is."""
    ada = visit(viewport={"width": 1280, "height": 720})

    def ends(s: Record) -> bool:
        return bool(s.turn == 0 and s.round == 0 and s.phase == rules.ANSWERING)

    played = find(claimpoker, ends)
    sit(ada, played)
    ada.page.locator("[data-board]").get_by_role("button", name="Accept").click()
    summary = ada.page.locator(".cover")
    expect(summary.get_by_role("heading", name="Round 1", exact=True)).to_be_visible()
    expect(summary.locator("li").filter(has_text=", odd").first).to_contain_text("0")
    summary.locator("section").evaluate("(sheet) => (sheet.style.translate = '0 8rem')")  # it comes from below
    assert ada.page.locator(".board").evaluate("(board) => ((board.scrollTop = 99), board.scrollTop)") == 0
    summary.locator("section").evaluate("(sheet) => (sheet.style.translate = '')")
    expect(ada.page.locator("[data-board] .plank")).to_contain_text("Round 1 of 2")
    summary.locator(".go-on").click()
    expect(ada.page.locator("[data-board] .plank")).to_contain_text("Round 2 of 2")
    expect(ada.page.locator("[data-board] .plank")).to_contain_text("Odd ones count minus")


def test_the_score_sheet_of_the_game_has_both_rounds(server: Server, visit: Callable[..., Visit]) -> None:
    """A line below a player does not say the name again. The last card flies from a spot that is gone."""
    ada = visit(reduced_motion="no-preference")
    ada.page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 20})")
    ada.page.reload()
    sit(ada, find(claimpoker, lambda s: s.turn == 0 and s.round == 1 and s.phase == rules.ANSWERING))
    ada.page.locator("[data-board]").get_by_role("button", name="Accept").click()
    ada.page.locator(".outcome summary").click()
    sheet = ada.page.locator(".sheets > div").first
    expect(sheet.locator("li.title span")).to_have_text(["Round 1", "Round 2"])
    expect(sheet.locator("li").filter(has_text="×").first).to_have_text(re.compile(r"^\d+ × "))


def test_a_suggestion_is_marked_press_by_press(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, find(claimpoker, lambda s: s.turn == 0 and s.phase == rules.TAKING), hints=True)
    board, marked = ada.page.locator("[data-board]"), ada.page.locator("[data-board] .hinted")
    for presses in (2, 2):
        at = ada.at()
        ada.page.locator(".ask-hint").click()
        for _ in range(presses):
            expect(marked.first).to_be_visible()
            marked.first.click()
        ada.page.wait_for_function("at => document.querySelector('[data-table]').dataset.at > at", arg=at)
        if presses:
            ada.page.wait_for_selector("[data-table][data-sent=false]")
    expect(board.locator(".slot .card")).to_have_count(0)


def test_cards_fly_to_their_owners(server: Server, visit: Callable[..., Visit]) -> None:
    """Taken cards come from their piles; the gift goes to its receiver and the other card to whoever keeps it."""
    ada = visit(reduced_motion="no-preference")
    page = ada.page
    page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 100000})")  # so slow that it stays
    page.reload()
    sit(ada, find(claimpoker, lambda s: s.turn == 0 and s.phase == rules.TAKING and min(s.top) >= 0))
    flying, coming = page.locator(".stage > *"), page.locator("[data-board] .coming")
    for pile in (0, 1):
        page.locator("[data-board] .pile").nth(pile).click()
    expect(flying).to_have_count(2)
    assert (
        flying.locator("[style*=absolute]").first.evaluate("one => getComputedStyle(one).listStyleType") == "none"
    )  # outside its list, no dot
    expect(coming).to_have_count(2)
    assert coming.evaluate_all("all => all.map((one) => one.dataset.spot)") == ["taken 1", "taken 2"]
    page.keyboard.press("Escape")
    expect(flying).to_have_count(0)
    expect(coming).to_have_count(0)
    page.get_by_role("button", name="Give away").first.click()
    page.locator("[data-board] .give").last.click()
    expect(page.locator("[data-board] [data-spot^='player 3 card'].coming")).to_have_count(1)
    expect(page.locator("[data-board] [data-spot^='player 1 card'].coming")).to_have_count(1)
