"""Claimpoker's board: two cards of one pile, where doubles lie, and what has left the game."""

from collections.abc import Callable

from playwright.sync_api import expect
from support.local_server import Server
from support.positions import last_of, sit, walk
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
    expect(board.get_by_text("Out of the game: a prospector +1")).to_have_count(int(s.pairs == 1))
    for n in range(6):
        expect(board.locator(".pile").nth(n).locator(".double")).to_have_count(len(showing.doubles_in(s, n)))
    beneath = board.get_by_role("button", name="Take the card beneath it too (whiskey)")
    pile = board.get_by_role("button", name="Pile whiskey")
    pile.press("Enter")
    expect(beneath).to_be_visible()
    pile.press("Enter")  # taken back
    expect(beneath).to_have_count(0)
    pile.press("Enter")
    beneath.press("Enter")
    taken = board.get_by_role("region", name="Taken cards")
    expect(taken.get_by_role("button", name="Give away")).to_have_count(2)
    expect(board.get_by_role("img", name=f"Pile whiskey: {s.left[1] - 2} card")).to_be_visible()
    assert ada.page.locator("#panel li").filter(has_text="takes the top of whiskey and the card beneath").count() == 1


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
