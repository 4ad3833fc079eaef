"""The keyboard alone: every kind of action of ChinaGold and Gold Hunting. Nothing here is clicked.

Each table goes on from a record at whose end the action is legal for seat 0, so that no throw and no deal matters.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.local_server import Server
from support.positions import find, last_of, sit
from support.visiting import Visit

from motherlode import engine
from motherlode.game import Game, Record
from motherlode.games import GAMES

gold_hunting = GAMES["gold_hunting"]

china_gold = GAMES["china_gold"]

TABS = 150
Wanted = Callable[[str], bool]


def sit_where(ada: Visit, game: Game, wanted: Wanted) -> tuple[int, str]:
    """At a table where seat 0 may do something wanted: at which place of the log, and what that is."""

    def names(s: Record) -> list[str]:
        return [name for name in map(game.ACTIONS.name, engine.legal(game, s)) if wanted(name)]

    played = find(game, lambda s: bool(s.turn == 0 and names(s)))
    sit(ada, played)
    return len(played.actions), names(last_of(played))[0]


def focused(ada: Visit) -> str:
    return str(ada.page.evaluate("(document.activeElement.ariaLabel ?? document.activeElement.innerText).trim()"))


def tab_to(ada: Visit, selector: str, words: str = "") -> None:
    for _ in range(TABS):
        ada.page.keyboard.press("Tab")
        if ada.page.evaluate("it => document.activeElement.matches(it)", selector) and words in focused(ada):
            return
    pytest.fail(f"the keyboard does not reach {selector} {words!r}")


def check_done(server: Server, ada: Visit, at: int, name: str) -> None:
    """The action of the log at this place, in the engine's words."""
    ada.page.wait_for_selector(f"[data-table]:not([data-at='{at}'])")
    sitting = server.parlour.tables[ada.table()]
    assert sitting.game.ACTIONS.name(sitting.core.log[at]) == name


# ChinaGold: arrows go from site to site


def go_to(ada: Visit, site: str) -> None:
    """From the focused site to another, by its row and then along it."""
    keys = ada.page.keyboard
    for _ in range(40):
        here = china_gold.SITES[int(ada.page.evaluate("document.activeElement.dataset.site"))]
        if here == site:
            return
        if here[0] != site[0]:
            keys.press("ArrowDown" if here[0] < site[0] else "ArrowUp")
        else:
            keys.press("ArrowRight" if int(here[1:]) < int(site[1:]) else "ArrowLeft")
    pytest.fail(f"the arrows do not reach {site}")


def last_site(name: str, length: int) -> str:
    _, site, way = name.split()
    (row, column), (down, right) = (
        china_gold.PLACES[china_gold.SITES.index(site)],
        china_gold.STEPS[china_gold.WAYS.index(way)],
    )
    end = (row + down * (length - 1), column + right * (length - 1))
    return str(china_gold.SITES[china_gold.PLACES.index(end)])


@pytest.mark.parametrize("kind", ["dig a site", "dig a line", "rebury"])
def test_china_gold_by_keys(server: Server, visit: Callable[..., Visit], kind: str) -> None:
    game, ada = GAMES["china_gold"], visit(color_scheme="dark", reduced_motion="no-preference")
    wanted: dict[str, Wanted] = {
        "dig a site": lambda name: name.startswith("dig") and name.count(" ") == 1,
        "dig a line": lambda name: name.startswith("dig") and name.count(" ") == 2,
        "rebury": lambda name: name.startswith("rebury"),
    }
    at, name = sit_where(ada, game, wanted[kind])
    keys = ada.page.keyboard
    tab_to(ada, "[data-site]")
    go_to(ada, name.split()[1])
    keys.press("Enter")
    if kind == "dig a line":
        go_to(ada, last_site(name, server.parlour.tables[ada.table()].core.position.throw))
        expect(ada.page.locator(".plan")).to_contain_text("Dig")  # told before it is done
        keys.press("Enter")
    else:
        expect(ada.page.locator(".plan button.main")).to_be_visible()
        keys.press("Escape")
        expect(ada.page.locator(".plan button.main")).to_have_count(0)  # taken back
        keys.press("Enter")
        keys.press("Enter")
    check_done(server, ada, at, name)


# Gold Hunting: letters and numbers


def build_by_keys(ada: Visit, size: int, letter: str) -> None:
    """All ten pieces, this one first; one is taken back on the way. Nothing is sent before it is done."""
    keys, before = ada.page.keyboard, ada.at()
    tab_to(ada, ".tray button", f"of {size} gold")
    keys.press(letter)
    keys.press(letter)
    keys.press("Backspace")
    placed = ada.page.locator(".site").filter(has_text=f"Pile {letter}")
    expect(placed).to_contain_text(f"from the bottom up {size}.")
    while (heaps := ada.page.locator(".tray button:enabled")).count():
        tab_to(ada, ".tray button")
        for pile in "ABCD":
            if heaps.count():
                keys.press(pile)
    assert ada.at() == before
    tab_to(ada, ".done .main")
    keys.press("Enter")


@pytest.mark.parametrize("kind", ["place", "mine", "rush", "keep", "mine from the bar"])
def test_gold_hunting_by_keys(server: Server, visit: Callable[..., Visit], kind: str) -> None:
    game, ada = GAMES["gold_hunting"], visit(color_scheme="light", reduced_motion="reduce")
    at, name = sit_where(ada, game, lambda name: name.startswith(kind[:4]))
    keys = ada.page.keyboard
    verb, *rest = name.split()
    letter = "ABCD"[int(rest[-1])] if rest else ""
    if kind == "place":
        build_by_keys(ada, int(rest[0]), letter)
    elif kind == "mine":
        tab_to(ada, ".pile", f"Pile {letter}")
        keys.press("Enter")
        expect(ada.page.get_by_role("button", name=f"{letter}").and_(ada.page.locator(".call")).first).to_be_focused()
        keys.press("Escape")
        expect(ada.page.locator(".calls")).to_have_count(0)
        assert f"Pile {letter}" in focused(ada)
        keys.press(rest[0])
    elif kind == "mine from the bar":
        tab_to(ada, ".number", rest[0])
        keys.press("Enter")
        tab_to(ada, ".pile", f"Pile {letter}")
        keys.press(" ")
    elif kind == "rush":
        tab_to(ada, ".pile", f"Pile {letter}")
        keys.press("Enter")
        tab_to(ada, ".call.rush")
        keys.press("Enter")
    else:
        for answer in ("Escape", "Enter"):
            if answer == "Escape":
                tab_to(ada, ".keep")
            expect(ada.page.locator(".keep")).to_be_focused()  # what was taken back has the focus again
            keys.press("Enter")
            expect(ada.page.get_by_role("button", name="Do it")).to_be_focused()
            keys.press(answer)
            expect(ada.page.get_by_role("alertdialog")).to_have_count(0)
    assert verb in {one.verb for one in gold_hunting.ACTIONS.kinds}
    check_done(server, ada, at, name)
