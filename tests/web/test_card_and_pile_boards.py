"""The boards of Goldmine and Gold Hunting: where things are shown, what stays, why something cannot be done."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.local_server import Server
from support.positions import find, last_of, sit
from support.visiting import ROOT, Visit

from motherlode.game import Record
from motherlode.games import GAMES
from motherlode.games.gold_hunting import rules as gold_hunting
from motherlode.games.goldmine import rules as goldmine


def is_last_answer(s: Record) -> bool:
    """Goldmine: seat 0 ends a deal, and the match goes on."""
    is_last = s.turn == 0 and s.phase == goldmine.ANSWER and s.trick == goldmine.TRICKS - 1
    return bool(is_last and max(s.points) + goldmine.GREATEST_GOLD < s.target)


def test_a_deal_of_goldmine_ends_with_a_summary_and_the_next_begins_without_its_trick(
    server: Server, visit: Callable[..., Visit]
) -> None:
    ada = visit()
    sit(ada, find(GAMES["goldmine"], is_last_answer))
    ada.page.locator("[data-board] .can").first.click()
    expect(ada.page.locator("#summary")).to_have_text("Deal 1")
    expect(ada.page.locator(".cover")).to_contain_text("the match goes to 30")
    expect(ada.page.locator(".trick figure")).to_have_count(1)  # the card that was led lies where it lay
    ada.page.locator(".go-on").click()
    ada.wait_for("true")
    expect(ada.page.locator(".where")).to_contain_text("deal 2")
    expect(ada.page.locator(".trick figure")).to_have_count(0)


def test_trumps_of_goldmine_are_named(server: Server, visit: Callable[..., Visit]) -> None:
    ada, game = visit(), GAMES["goldmine"]
    played = find(game, lambda s: bool(s.turn == 0 and s.phase == game.LEAD and trumps(s)))
    table = sit(ada, played)
    held = trumps(server.parlour.tables[table].core.position)
    expect(ada.page.locator(".ribbon")).to_have_text(["trump"] * len(held))
    expect(ada.page.locator("li:has(.ribbon)").get_by_role("button", name=", trump")).to_have_count(len(held))


def trumps(s: Record) -> list[int]:
    suit = s.trump // goldmine.PER_SUIT
    return [card for card in range(len(goldmine.CARDS)) if s.hand[0] >> card & 1 and card // goldmine.PER_SUIT == suit]


def is_lead(s: Record) -> bool:
    return bool(s.turn == 0 and s.phase == goldmine.LEAD)


def is_hunt(s: Record) -> bool:
    """Gold Hunting: one of the other's piles is gone, and both markers are there."""
    return bool(s.turn == 0 and s.phase == gold_hunting.MINING and 0 in list(s.pile)[4:])


@pytest.mark.parametrize(("game", "wanted"), [("goldmine", is_lead), ("gold_hunting", is_hunt)])
def test_what_happens_is_shown_at_spots_that_are_there(
    server: Server, visit: Callable[..., Visit], game: str, wanted: Callable[[Record], bool]
) -> None:
    source = (ROOT / "web" / "src" / "games" / game / "effects.ts").read_text("utf-8")
    kinds = set(re.findall(r"`([a-z]+)-\$\{", source))
    alone = set(re.findall(r'(?:at|from|to): "([a-z]+)"', source))
    assert len(kinds) > 4 and alone
    ada = visit()
    sit(ada, find(GAMES[game], wanted))
    spots: list[str] = ada.page.locator("[data-spot]").evaluate_all("all => all.map((one) => one.dataset.spot)")
    assert alone <= set(spots)
    assert kinds <= {spot.split("-")[0] for spot in spots}


SCALE = """() => [...document.querySelectorAll(".range")].map((range) => {
  const box = (name) => range.querySelector(name).getBoundingClientRect();
  const piles = [...range.querySelectorAll(".column")].map((column) => column.offsetHeight);
  return { piles, isApart: box(".foot").bottom <= box(".left").top };
})"""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_both_ranges_of_gold_hunting_have_one_scale(
    server: Server, visit: Callable[..., Visit], size: tuple[int, int]
) -> None:
    """Piles known piece by piece and those of which only the height is known; also where one is high."""
    ada = visit(viewport={"width": size[0], "height": size[1]})

    def is_high(s: Record) -> bool:
        return bool(s.turn == 0 and s.phase == gold_hunting.MINING and max(s.height[:4]) > 9)

    played = find(GAMES["gold_hunting"], is_high)
    sit(ada, played)
    theirs, own = ada.page.evaluate(SCALE)
    assert theirs["isApart"] and own["isApart"]
    heights = [*last_of(played).height[4:], *last_of(played).height[:4]]
    pixels = theirs["piles"] + own["piles"]
    unit = sum(pixels) / sum(heights)
    assert all(abs(pile - unit * gold) < 3 for pile, gold in zip(pixels, heights, strict=True))


def test_gold_hunting_says_plainly_why_a_pile_cannot_be_lifted(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, find(GAMES["gold_hunting"], is_hunt))
    ada.page.locator(".pile[aria-disabled=true]").first.click(force=True)
    expect(ada.page.locator(".notice p").first).to_contain_text("Nothing is left of this pile")
