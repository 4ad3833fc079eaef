"""A table that begins from a record, whose maker may have chosen what chance decided, does not pass for another."""

from typing import Any

from support.local_server import Visitor, play_out

from motherlode import engine, text
from motherlode.game import CHANCE
from motherlode.games import GAMES

GAME = GAMES["goldmine"]


def chosen_deal() -> str:
    """A record of nothing but the deal: of all cards, seat 0 gets the best that chance could give."""
    actions: list[int] = []
    s = engine.start(GAME, 2, target=0)
    while s.turn == CHANCE:
        actions.append(max(engine.legal(GAME, s)) if len(actions) % 2 else min(engine.legal(GAME, s)))
        s = engine.after(GAME, s, actions[-1])
    return text.write_record(text.Played(GAME, 2, engine.check_options(GAME, {"target": 0}), actions))


def listed(visitor: Visitor) -> list[str]:
    return [card["id"] for card in visitor.get("/api/tables")["tables"]]


def make(ada: Visitor, **more: Any) -> dict[str, Any]:
    return ada.make(GAME.NAME, "me", "anyone", **more)


def test_a_rigged_table_is_not_listed_and_says_what_it_is(ada: Visitor, bob: Visitor) -> None:
    fair, rigged = make(ada, options={"target": 0}), make(ada, record=chosen_deal())
    key, given = rigged["id"], 13
    assert listed(bob) == [fair["id"]], "a chosen deal is offered to everybody"
    assert (fair["given"], rigged["given"]) == (0, given)
    assert bob.get(f"/api/tables/{key}")["given"] == given
    assert bob.open(key).table["given"] == bob.get(f"/api/tables/{key}/now")["given"] == given
    assert [card["given"] for card in ada.get("/api/tables", mine=True)["tables"] if card["id"] == key] == [given]
    bob.take(key, 1)  # whoever knows it may sit down
    pages = [ada.open(key, 0), bob.open(key, 1)]
    play_out(pages)
    replay = bob.get(f"/api/tables/{key}/replay")
    assert replay["given"] == given and f"given: {given}" in bob.http.get(f"/api/tables/{key}/record").text
    assert [position["turn"] for position in replay["positions"][:given]] == [CHANCE] * given
    pages[0].send(do="rematch")
    again = pages[0].wait("rematch")["table"]
    assert bob.get(f"/api/tables/{again}")["given"] == 0, "a rematch draws anew"
