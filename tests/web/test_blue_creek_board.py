"""The board of Gold Rush at Blue Creek: cards that look alike, placing one's tool, and dealing the gold of a doubt."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.local_server import Server
from support.positions import sit
from support.visiting import Visit

from motherlode import engine, text
from motherlode.games import GAMES

blue_creek = GAMES["blue_creek"]
TOOLS = ["tool sieve", "tool pickaxe", "tool shovel", "deal knife right"]
PLACED = [*TOOLS, "place left", "place right", "place left"]
EMPTY = [action for place in (0, 3, 5) for action in (f"turn {place}", "river empty")]


def played(*actions: str, **options: str) -> text.Played:
    """A game of three in which this happened."""
    chosen = engine.check_options(blue_creek, options)
    s, log = engine.start(blue_creek, 3, **chosen), list[int]()
    for action in actions:
        log.append(text.read_action(blue_creek, s, action))
        s = engine.after(blue_creek, s, log[-1])
    return text.Played(blue_creek, 3, chosen, log)


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
