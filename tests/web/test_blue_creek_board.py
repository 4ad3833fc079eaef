"""The board of Gold Rush at Blue Creek: all in one view, what is asked, and what happens where it happens."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FloatRect, expect
from support.local_server import Server
from support.positions import find, phases, sit
from support.visiting import Visit

from motherlode import engine, text
from motherlode.game import Record
from motherlode.games import GAMES

blue_creek = GAMES["blue_creek"]
TOOLS = ["tool sieve", "tool pickaxe", "tool shovel", "deal knife right"]
PLACED = [*TOOLS, "place left", "place right", "place left"]
WAIT_FOR_SAID = "async (words) => { while (!window.said.includes(words)) await new Promise(requestAnimationFrame) }"
TWO = ["tool sieve", "tool knife", "deal pickaxe left", "deal shovel left", "place left", "place left"]
WATCH_SAID = """() => {
  window.said = [];
  const seen = ({ addedNodes }) => addedNodes.forEach((one) => window.said.push(one.textContent));
  new MutationObserver((all) => all.forEach(seen)).observe(document.querySelector(".stage"), { childList: true });
}"""
SPOTS = ["creek", "pile", *(f"place:{n}" for n in range(10)), *(f"slot:{n}" for n in range(8))]
CAMPS = [f"{what}:{p}" for p in range(4) for what in ("player", "gold")]
IN_VIEW = """() => {
  scrollTo({ top: document.querySelector(".prompt").getBoundingClientRect().top + scrollY, behavior: "instant" });
  const from = document.querySelector(".prompt").getBoundingClientRect().bottom;
  const parts = [...document.querySelectorAll("[data-board] :is(.creek, .task, .camp)")];
  const boxes = parts.map((one) => one.getBoundingClientRect());
  return boxes.every(({ top, bottom }) => top >= from - 1 && bottom <= innerHeight);
}"""
EMPTY = [action for place in (0, 3, 5) for action in (f"turn {place}", "river empty")]


def played(*actions: str, seats: int = 3, **options: str) -> text.Played:
    """A game, of three if nothing is said, in which this happened."""
    chosen = engine.check_options(blue_creek, options)
    s, log = engine.start(blue_creek, seats, **chosen), list[int]()
    for action in actions:
        log.append(text.read_action(blue_creek, s, action))
        s = engine.after(blue_creek, s, log[-1])
    return text.Played(blue_creek, seats, chosen, log)


def prefer(ada: Visit, pace: int) -> None:
    """The milliseconds that each thing is shown for."""
    ada.page.evaluate("pace => localStorage['motherlode.preferences'] = JSON.stringify({pace})", pace)
    ada.page.reload()


def cards(ada: Visit) -> list[str]:
    """Everything in the page about each card of the creek, without its number."""
    river = ada.page.locator(".river > *")
    found: list[str] = river.evaluate_all("all => all.map((one) => one.outerHTML + one.tabIndex + one.offsetWidth)")
    return [
        re.sub(rf'Card {n} of the creek:|>{n}</small>|"place[: ]{n - 1}"', "", html) for n, html in enumerate(found, 1)
    ]


def test_a_card_turned_and_empty_looks_like_one_never_turned(server: Server, visit: Callable[..., Visit]) -> None:
    ada, seen = visit(), {}
    for is_open in (False, True):
        sit(ada, played(*PLACED, *EMPTY), open_memory=is_open)
        seen[is_open] = cards(ada)
    assert len(seen[False]) == 10 and len(set(seen[False])) == 1
    assert [n for n in range(10) if seen[True][n] != seen[False][n]] == [0, 3, 5]
    assert all("seen that it is empty" in seen[True][n] for n in (0, 3, 5))
    assert "empty" not in seen[False][0]


def test_marked_a_card_turned_and_empty_is_seen(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, played(*PLACED, *EMPTY, empties="marked"))
    expect(ada.page.get_by_role("button", name="turned, empty")).to_have_count(3)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_tool_is_placed(server: Server, visit: Callable[..., Visit], side: str) -> None:
    ada = visit()
    table = sit(ada, played(*TOOLS))
    own = ada.page.get_by_role("button", name=re.compile("^Ada, "))
    expect(own.filter(has=ada.page.locator(".known"))).to_have_count(0)  # it lies nowhere yet
    ada.page.get_by_role("button", name=f"Tool on the {side}").click()
    seen = f"Ada, {side} card: face down, you have seen sieve"
    expect(ada.page.get_by_role("button", name=seen)).to_be_visible()
    assert server.parlour.tables[table].core.position.card[1 if side == "left" else 0] == blue_creek.WHISKEY


def test_the_doubter_names_the_gold_that_is_dealt_next(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    gold = ["river knife", "river sieve", "river shovel", *["river empty"] * 7]
    table = sit(ada, played(*PLACED, "doubt", *gold, dealing="chosen"))
    expect(ada.page.get_by_text(re.compile("^The next card goes to Greedy bot"))).to_be_visible()
    ada.page.get_by_role("button", name=re.compile("^Card 3 of the creek: .*give it next")).click()
    expect(ada.page.get_by_role("button", name="give it next")).to_have_count(2)
    won = server.parlour.tables[table].core.position.won
    assert [blue_creek.GOLD[n] for n in range(16) if won[1] >> n & 1] == ["shovel"]


def test_a_game_that_the_guard_ended_does_not_say_that_all_gold_has_an_owner(
    server: Server, visit: Callable[..., Visit]
) -> None:
    ada = visit()
    turns = [action for place in (0, 1, 2) for action in (f"turn {place}", "river empty")]
    sit(ada, played(*PLACED, *turns, *["turn 0"] * 99))
    ada.page.locator(".river button").first.click()
    expect(ada.page.locator(".task")).to_contain_text("Too many turns brought nothing")
    expect(ada.page.get_by_text("All the gold has an owner")).to_have_count(0)


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (820, 1180)], ids=str)
def test_creek_and_equipment_are_in_one_view(
    server: Server, visit: Callable[..., Visit], size: tuple[int, int]
) -> None:
    ada = visit(viewport={"width": size[0], "height": size[1]})
    for seats in (2, 4):
        sit(ada, phases(blue_creek, seats)[str(blue_creek.SEARCH)])
        assert ada.page.evaluate(IN_VIEW), seats


def test_every_spot_of_what_happens_is_on_the_board(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, played(*PLACED))
    found = ada.page.locator("[data-board] [data-spot]").evaluate_all("all => all.map((one) => one.dataset.spot)")
    assert {*SPOTS, *CAMPS} <= set(found) and len(found) == len(set(found))


def test_the_prompt_says_what_is_sought(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    want = ada.page.locator(".prompt .want")
    for card, asked in {
        "shovel": "Find a shovel: turn over one equipment card.",
        "sieve-knife": "Find a sieve and a knife: turn over one equipment card.",
        "teeth-2a": "Find 2 whiskeys: turn over one equipment card.",
    }.items():
        sit(ada, played(*PLACED, "turn 0", f"river {card}"))
        expect(want).to_have_text(asked)
    choices = ada.page.locator("details.words")
    choices.locator("summary").click()
    for name in ("Ada's left card", "Greedy bot 2's right card", "Sleepy Dan's left card"):
        expect(choices.get_by_role("button", name=f"turn over {name}")).to_be_visible()
    ada.page.get_by_role("button", name="Ada, right card").click()  # a whiskey
    expect(want).to_have_text("Find a whiskey: turn over one equipment card.")


def test_a_search_that_fails_shows_what_was_found_instead(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    prefer(ada, pace=1)
    sit(ada, played(*PLACED, "turn 0", "river shovel-knife"))
    ada.page.evaluate(WATCH_SAID)
    ada.page.get_by_role("button", name="Ada, right card").click()
    ada.page.evaluate(WAIT_FOR_SAID, "Wanted: shovel, knife. Found: whiskey!")


def test_a_doubt_uncovers_the_creek_where_its_cards_lie(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(reduced_motion="no-preference")
    prefer(ada, pace=100_000)  # what is shown stays
    sit(ada, played(*TWO, seats=2))
    place = ada.page.locator("[data-spot='place:7']").bounding_box()
    ada.page.get_by_role("button", name="No gold is left!").click()
    ada.say_yes()
    verdict = ada.page.locator(".verdict")
    expect(verdict).to_contain_text(re.compile("There is gold! Ada must give it away|Not a grain! Ada was right"))
    if "There is gold" in verdict.inner_text():  # it comes to its owner later
        expect(ada.page.locator("[data-spot='gold:1']")).to_have_class(re.compile("changing"))
        expect(ada.page.locator(".stage div.gold")).to_contain_text("0 gold cards")
    assert "others" not in verdict.inner_text()  # there is one
    cards = ada.page.locator(".creek li")
    expect(cards).to_have_count(10)
    assert place and cards.nth(7).bounding_box() == pytest.approx(place, abs=1)
    verdict.get_by_role("button", name="Back to the creek").click()
    expect(cards).to_have_count(0)


def test_a_robbery_is_shown_at_the_camp_that_is_robbed(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    turns = ["turn 0", "river empty", "turn 1", "river pickaxe", "reveal 3", "turn 2", "river empty"]
    prefer(ada, pace=100_000)  # what is shown stays
    sit(ada, played(*PLACED, *turns, "doubt", *["river empty"] * 8))
    ada.page.locator("[data-spot='player:1']").get_by_role("button", name="Rob Greedy bot 1").click()
    said = ada.page.locator(".said")
    expect(said).to_have_text("Robbed!")
    assert is_over(said.bounding_box(), ada.page.locator("[data-spot='player:1']").bounding_box())


def is_over(one: FloatRect | None, other: FloatRect | None) -> bool:
    assert one and other
    return other["x"] <= one["x"] + one["width"] / 2 <= other["x"] + other["width"]


def test_with_two_open_tools_one_is_chosen_first(server: Server, visit: Callable[..., Visit]) -> None:
    """The sieve came to Ada's right card in a swap, and both of her tools lie open."""
    ada = visit()

    def has_two(s: Record) -> bool:
        return bool(s.turn == 0 and s.phase == blue_creek.SWAPPING and s.up & 0b11 == 0b11)

    table = sit(ada, find(blue_creek, has_two))
    before = list(server.parlour.tables[table].core.position.card)
    expect(ada.page.get_by_role("button", name="swap it for your tool")).to_have_count(0)
    ada.page.get_by_role("button", name=re.compile("^Ada, right card.*give it away")).click()
    ada.page.get_by_role("button", name=re.compile("swap it for your tool")).last.click()
    ada.page.wait_for_selector("[data-sent=false]")
    expect(ada.page.locator(".give")).to_have_count(1)  # the other one
    after = server.parlour.tables[table].core.position.card
    assert after[0] == before[0] and after[1] != before[1]


def test_nobody_is_called_a_prospector(server: Server, visit: Callable[..., Visit]) -> None:
    """That is what a level of the bots is called."""
    ada = visit()
    sit(ada, phases(blue_creek, 2)[str(blue_creek.CHOOSE)])
    board = ada.page.locator("[data-board]")
    for name in ("Sleepy Sam", "Sleepy Dan"):
        expect(board.locator(".camp", has_text=name)).to_be_visible()
    assert "prospector" not in board.inner_text().lower()
