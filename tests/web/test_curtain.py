"""Two people at one browser: while the curtain is down there is nothing private in the page.

What the page holds then depends on who is next and on nothing else: it is the same at every curtain of that person.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.local_server import Server
from support.visiting import Visit, make_table

from motherlode.games import GAMES
from motherlode.server.clicking import OFFERED

CLICKS = 400
CURTAINS = 3  # for each


def play_behind_curtains(ada: Visit) -> dict[str, list[str]]:
    """Play until each has seen enough curtains: the whole page at each of them, by its title."""
    page, seen = ada.page, dict[str, list[str]]()
    for _ in range(CLICKS):
        page.wait_for_selector(".curtain, .over, [data-table][data-mine=true][data-sent=false]")
        if len(seen) == 2 and min(map(len, seen.values())) >= CURTAINS:
            return seen
        if page.locator(".curtain").is_visible():
            expect(page.locator("[data-board], [data-table], [role=tabpanel]")).to_have_count(0)
            seen.setdefault(page.locator("h1").inner_text().strip(), []).append(
                page.locator("body").evaluate("it => it.outerHTML")
            )
            page.locator(".curtain button").click()
            page.wait_for_selector("[data-table][data-sent=false] [data-board] > div")
        elif page.locator(".over button").is_visible():
            assert page.locator(OFFERED).count() == 0
            page.locator(".over button").click()
        else:
            ada.do()
    pytest.fail("too few curtains")


@pytest.mark.parametrize("game", ["goldmine", "gold_hunting"])
def test_nothing_private_while_the_curtain_is_down(server: Server, visit: Callable[..., Visit], game: str) -> None:
    """Goldmine from trick to trick, and Gold Hunting from the building into the mining."""
    ada = visit()
    make_table(ada, GAMES[game].TITLE, {1: "A person here"}, seat_0="Ada", seat_1="Bo")
    ada.page.wait_for_selector(".curtain")
    seen = play_behind_curtains(ada)
    assert set(seen) == {"Ada, it is your turn", "Bo, it is your turn"}
    for pages in seen.values():
        assert len(pages) >= CURTAINS and len(set(pages)) == 1
    ada.page.reload()
    expect(ada.page.locator(".curtain")).to_be_visible()  # who comes back has to open it, too
    expect(ada.page.locator("[data-board], [role=tabpanel]")).to_have_count(0)


def test_each_builds_behind_the_curtain(server: Server, visit: Callable[..., Visit]) -> None:
    """Gold Hunting: what one has built the other is not shown, on the same screen."""
    ada = visit()
    make_table(ada, "Gold Hunting", {1: "A person here"}, seat_0="Ada", seat_1="Bo")
    page, core = ada.page, server.parlour.tables
    page.get_by_role("button", name="I am Ada: open").click()
    table = ada.table()
    while page.locator(".over").count() == 0:
        ada.do()
        page.wait_for_selector(".over, [data-mine=true][data-sent=false]")
    page.get_by_role("button", name="Hand over to Bo").click()
    page.get_by_role("button", name="I am Bo: open").click()
    page.wait_for_selector("[data-mine=true] .building")
    piles = [pile for pile in core[table].core.position.pile if pile > 0]
    assert len(piles) == 4  # hers stand
    hers = page.get_by_role("region", name="Mountain range of Ada")
    expect(hers).to_contain_text("Ada builds behind the screen")
    assert "from the bottom up" not in hers.inner_html()
    expect(page.locator(".building .site .unseen").first).not_to_contain_text("from the bottom up")
