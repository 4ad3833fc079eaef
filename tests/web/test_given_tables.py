"""A table that begins from a record says so before one sits down, while one plays, and in its replay."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.local_server import Server, Visitor, play_out
from support.visiting import DESK, PHONE, Visit

from motherlode import engine, text
from motherlode.game import CHANCE
from motherlode.games import GAMES

GAME = GAMES["goldmine"]
GIVEN = 13
BEFORE = {
    "en-GB": "its first 13 actions were not drawn here",
    "fr-FR": "ses 13 premières actions n'ont pas été tirées ici",
}
WHILE = {
    "en-GB": "the first 13 actions were not drawn here",
    "fr-FR": "les 13 premières actions n'ont pas été tirées ici",
}
AFTER = {"en-GB": "Outcomes of chance among them: 13.", "fr-FR": "Décisions du hasard parmi elles : 13."}


def chosen_deal() -> str:
    actions: list[int] = []
    s = engine.start(GAME, 2, target=0)
    while s.turn == CHANCE:
        actions.append(engine.legal(GAME, s)[0])
        s = engine.after(GAME, s, actions[-1])
    assert len(actions) == GIVEN
    return text.write_record(text.Played(GAME, 2, engine.check_options(GAME, {"target": 0}), actions))


@pytest.mark.parametrize(("locale", "viewport"), [("en-GB", DESK), ("fr-FR", PHONE)], ids=["desk", "phone"])
def test_a_rigged_table_says_so(
    server: Server, visit: Callable[..., Visit], locale: str, viewport: dict[str, int]
) -> None:
    with Visitor(server, "Ada") as ada:
        card = ada.make(GAME.NAME, "me", "anyone", record=chosen_deal())
        plain = ada.make(GAME.NAME, "me", "anyone")
        invitation = ada.make(GAME.NAME, "me", "link", record=chosen_deal())["links"][0]["path"]
        bob = visit(locale=locale, viewport=viewport)
        expect(bob.page.locator(f"#open + ul a[href*='{plain['id']}']")).to_be_visible()
        expect(bob.page.locator(f"a[href*='{card['id']}']")).to_have_count(0)  # not among the open tables
        bob.turn_to(invitation)
        expect(bob.page.locator("form .given")).to_contain_text(BEFORE[locale])
        bob.turn_to(f"/table/{card['id']}")
        expect(bob.page.locator("form .given")).to_contain_text(BEFORE[locale])
        bob.page.locator("form button").click()
        expect(bob.page.locator("form .given")).to_have_count(0)
        expect(bob.page.locator("aside .given")).to_contain_text(WHILE[locale])
        table = server.parlour.tables[card["id"]]
        page = ada.open(card["id"], 0)
        with Visitor(server, "Bob") as elsewhere:
            elsewhere.http.headers["authorization"] = f"Bearer {bob.context.cookies()[0]['value']}"
            play_out([page, elsewhere.open(card["id"], 1)])
        assert table.is_over
        bob.turn_to("/games")
        mine = bob.page.locator("li", has=bob.page.locator(f"a[href*='{card['id']}']"))
        expect(mine.locator(".given")).to_contain_text(WHILE[locale])
        bob.turn_to(f"/table/{card['id']}#replay")
        expect(bob.page.locator(".replay .given")).to_contain_text(AFTER[locale])
