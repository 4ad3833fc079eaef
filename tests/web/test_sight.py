"""Memory games: a person is shown what lies open now; where the table agreed on open memory, all that was ever turned.

The tables go on from a record in which something was turned up and turned down again, so that no deal matters.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.local_server import Server
from support.positions import find, sit
from support.visiting import Visit, make_table, unfold

from motherlode import engine, text
from motherlode.game import CHANCE, Game, Record
from motherlode.games import GAMES

MEMORY = ("mount_goldrush", "blue_creek")
TO_REMEMBER = 3  # things


def forgotten(game: Game, s: Record) -> list[int]:
    """The places (slots) that seat 0 has seen but does not see now."""
    known, seen = (engine.view(game, s, 0, sight=sight).card for sight in (False, True))
    return [place for place in range(len(known)) if known[place] >= 0 > seen[place]]


def something_to_remember(game: Game) -> text.Played:
    """Seat 0 is to act and would know a few things by heart."""
    return find(game, lambda s: s.turn == 0 and len(forgotten(game, s)) >= TO_REMEMBER)


def labels(ada: Visit, game: str) -> list[str]:
    """What the board says of each place, or of each slot, in their order."""
    pieces = {"mount_goldrush": ".place > [aria-label]", "blue_creek": ".pair button"}[game]
    found: list[str] = ada.page.locator(pieces).evaluate_all("all => all.map((one) => one.ariaLabel)")
    return found


@pytest.mark.parametrize("game", MEMORY)
def test_sight_without_and_knowledge_with_open_memory(server: Server, visit: Callable[..., Visit], game: str) -> None:
    ada, played = visit(), something_to_remember(GAMES[game])
    said = {}
    for is_open in (False, True):
        table = sit(ada, played, open_memory=is_open)
        said[is_open] = labels(ada, game)
        places = forgotten(GAMES[game], server.parlour.tables[table].core.position)
        assert len(places) >= TO_REMEMBER
        if not is_open:
            expect(ada.page.get_by_text("Nothing to show.")).to_be_visible()
            assert ada.page.locator(".known").count() == 0
    apart = [place for place, (shut, opened) in enumerate(zip(said[False], said[True], strict=True)) if shut != opened]
    assert apart == places
    for place in places:
        assert said[True][place] not in said[False]  # it says what lies there
    assert ada.page.locator(".known").count() == len(places)  # and shows it


def test_open_memory_is_agreed_on_the_page_of_a_new_table(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    make_table(ada, "Mount Goldrush", {}, 2, "Open memory")
    assert server.parlour.tables[ada.table()].settings.open_memory
    ada.page.get_by_role("link", name="Motherlode").click()
    make_table(ada, "Mount Goldrush", {}, 2)
    assert not server.parlour.tables[ada.table()].settings.open_memory
    ada.page.goto(f"{server.url}/#make/china_gold")
    expect(ada.page.get_by_role("button", name="Create the table")).to_be_visible()
    expect(ada.page.get_by_label("Open memory")).to_have_count(0)  # nothing to remember there


def test_memory_is_open_unless_unticked_where_remembering_is_not_the_game(
    server: Server, visit: Callable[..., Visit]
) -> None:
    ada = visit()
    for is_open in (True, False):
        ada.page.goto(f"{server.url}/#make/goldmine")
        unfold(ada.page)
        box = ada.page.get_by_label("Open memory")
        expect(box).to_be_checked()
        box.set_checked(is_open)
        ada.page.get_by_role("button", name="Create the table").click()
        ada.page.wait_for_selector("[data-table]")
        assert server.parlour.tables[ada.table()].settings.open_memory == is_open
    ada.page.goto(server.url)
    ada.play_now("Goldmine")
    assert server.parlour.tables[ada.table()].settings.open_memory


def test_goldmine_turns_tricks_and_looks_face_down(server: Server, visit: Callable[..., Visit]) -> None:
    """Seat 0 leads in a later trick, has looked, played and discarded; then without open memory the row is face down
    and of the cards that are gone only the last trick is named."""
    game, ada = GAMES["goldmine"], visit()

    def is_later(s: Record) -> bool:
        return bool(s.phase == game.LEAD and s.turn == 0 and s.looked[0] & ~s.won[0] & ~s.won[1] and s.thrown[0])

    played = find(game, lambda s: is_later(s) and s.sought < 0)
    for is_open in (False, True):
        table = sit(ada, played, open_memory=is_open)
        s = server.parlour.tables[table].core.position
        row = ada.page.get_by_role("list", name="The gold row").locator("li")
        in_row = [row.nth(place).locator("button") for place in range(s.trick, game.TRICKS)]
        known = [place for place in range(s.trick, game.TRICKS) if s.looked[0] >> place & 1]
        worth = [
            place for place, gold in enumerate(in_row, s.trick) if "worth" in (gold.get_attribute("aria-label") or "")
        ]
        assert known and worth == (known if is_open else [])
        ada.page.get_by_text("Cards gone").click()
        gone = ada.page.locator("details.gone p").all_inner_texts()
        assert any("Thrown away" in line for line in gone) == is_open
        cards = sum(line.count(" of ") for line in gone)
        assert cards == (2 if not is_open else 2 * s.trick + s.threw[0])
        face_down = [int(line.split()[0]) for line in gone if "face down" in line]
        assert sum(face_down) == 2 * s.trick + sum(s.threw) - cards
        expect(ada.page.locator(".trick figure")).to_have_count(2)  # the last trick, also on a page just opened


@pytest.mark.parametrize("game", MEMORY)
def test_the_log_does_not_remember_for_a_person(server: Server, visit: Callable[..., Visit], game: str) -> None:
    """What was told in an earlier turn is told no longer, unless the table agreed on it."""
    ada, played = visit(), something_to_remember(GAMES[game])
    for is_open in (False, True):
        table = sit(ada, played, open_memory=is_open)
        for _ in range(4):
            before = ada.at()
            ada.do()
            ada.page.wait_for_selector(f"[data-table]:not([data-at='{before}'])")
            ada.wait_for("true")
        told = [did for did in server.parlour.tables[table].logs.told(0) if did.actor >= 0 or did.action is not None]
        actor = next(did.actor for did in reversed(told) if did.actor >= 0)
        before = max(at for at, did in enumerate(told) if did.actor not in (actor, CHANCE))
        turn = len(told) - next(at for at, did in enumerate(told) if at > before and did.actor == actor)
        expect(ada.page.locator("[role=tabpanel] ol > li")).to_have_count(len(told) if is_open else turn)


def test_a_deal_is_told_in_one_sentence(visit: Callable[..., Visit]) -> None:
    """Not card by card, though the cards of others, which are hidden, are dealt in between."""
    ada = visit()
    ada.play_now("Goldmine")
    dealt = ada.page.get_by_role("tabpanel").locator("li").filter(has_text="Dealt: ")
    expect(dealt).to_have_text(re.compile(r"^\s*Dealt: (the \d of \w+, ){5}the \d of \w+\s*$"))
