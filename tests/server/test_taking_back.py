"""Taking a decision back against bots: a new table from before it, which does not count and shows nothing hidden."""

import json
from functools import partial
from typing import Any

import pytest
from support.generated_requests import Request
from support.local_server import Server, Visitor
from support.lookalike_games import twins
from support.viewer_tape import Table, Tape, World, begin, chance_of, compare, play, sit_down

from motherlode import proof, text
from motherlode.games import GAMES


def undo(visitor: Visitor, table: str, at: int, status: int = 200, seat: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = visitor.post(f"/api/tables/{table}/undo", status, seat=seat, at=at)
    return found


def test_the_game_goes_on_from_before_the_last_decision(server: Server, ada: Visitor) -> None:
    table = ada.make("goldmine", "me", "random", options={"target": 0})["id"]
    with ada.open(table, 0) as page:
        before = page.until_turn()
        page.act()
        page.until_turn()
        at = page.table["at"]
        assert "moved on" in undo(ada, table, at + 1, 409)["no"]
        new = undo(ada, table, at)
        assert new["seat"] == 0
        page.wait("table", lambda message: message["closed"])
        assert page.table["goes_on"] == new["table"] and page.table["seal"]["secret"] is None
        assert "goes on at another table" in page.ask(do="act", at=at, action=page.table["at"])["no"]
        assert undo(ada, table, at) == new  # from another tab
    with ada.open(new["table"], 0) as page:
        assert page.table["undone"] and page.table["given"] == page.table["at"] == before["at"]
        assert page.table["view"] == before["view"] and page.table["legal"] == before["legal"]
        assert page.table["seal"]["commitment"] != before["seal"]["commitment"]
        page.act(1)
        page.until_turn()
        again = undo(ada, new["table"], page.table["at"])["table"]
    listed = {card["id"]: card["undone"] for card in ada.get("/api/tables", mine=True)["tables"]}
    assert listed.get(again) and table not in listed and new["table"] not in listed
    with ada.open(again, 0) as page:
        while not page.until_turn()["result"]:
            page.act()
        page.send(do="rematch")
        rematch = page.wait("rematch")["table"]
    played = text.read_record(ada.http.get(f"/api/tables/{again}/record", params={"seat": 0}).text)
    assert played.given == before["at"] and proof.verify(played).is_good
    card = ada.get(f"/api/tables/{rematch}")
    assert not card["undone"] and card["given"] == 0


def test_a_game_taken_back_to_its_beginning_does_not_count_either(ada: Visitor) -> None:
    """Mount Goldrush begins without chance: before the first decision there is nothing that came from a record."""
    table = ada.make("mount_goldrush", "me", "random")["id"]
    with ada.open(table, 0) as page:
        page.until_turn()
        page.act()
        page.until_turn()
        new = undo(ada, table, page.table["at"])["table"]
    with ada.open(new, 0) as page:
        page.until_turn()
        assert page.table["undone"] and page.table["given"] == 0
        page.send(do="resign", at=page.table["at"])
        page.wait("table", lambda message: message["result"] is not None)
    assert ada.get("/api/guests/me/record")["played"] == 0
    listed = [card["id"] for card in ada.get("/api/guests/me/games", over=True)["tables"]]
    assert new in listed and table not in listed


def test_what_was_forced_is_not_what_is_taken_back(ada: Visitor) -> None:
    table = ada.make("goldmine", "me", "random", options={"target": 0})["id"]
    with ada.open(table, 0) as page:
        choices: list[int] = []
        while not page.until_turn()["result"] and not (choices and len(page.table["legal"]) == 1):
            choices.append(page.table["at"])
            page.act()
        assert len(page.table["legal"]) == 1, "a deal of Goldmine ends with a card that has to be played"
        page.act()
        page.until_turn()
        if page.table["result"]:
            assert "over" in undo(ada, table, page.table["at"], 409)["no"]
            return
        new = undo(ada, table, page.table["at"])["table"]
    assert ada.get(f"/api/tables/{new}/now", seat=0)["at"] == choices[-1]


def test_when_nothing_can_be_taken_back(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    card = ada.make("goldmine", "me", "link")
    assert "has not begun" in undo(ada, card["id"], 0, 409)["no"]
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    two = bob.open(card["id"], 1)
    two.act()
    assert "all others are bots" in undo(bob, card["id"], two.table["at"], 400, seat=1)["no"]
    assert "not yours" in undo(eve, card["id"], 0, 403)["no"]
    table = ada.make("goldmine", "me", "random", options={"target": 0})["id"]
    with ada.open(table, 0) as page:
        assert "not decided anything" in undo(ada, table, page.until_turn()["at"], 400)["no"]
        page.send(do="resign", at=page.table["at"])
        page.wait("table", lambda message: message["result"] is not None)
        assert "over" in undo(ada, table, page.table["at"], 409)["no"]


def test_spectators_are_told_late(server: Server, ada: Visitor, eve: Visitor) -> None:
    more = {"options": {"target": 0}, "delay": 60, "watch": True}
    table = ada.make("goldmine", "me", "random", **more)["id"]
    with ada.open(table, 0) as page:
        page.until_turn(), page.act(), page.until_turn()
        server.move_clock(60)
        with eve.open(table) as watching:
            before = eve.get(f"/api/tables/{table}/now"), eve.get(f"/api/tables/{table}")
            listed = [card for card in eve.get("/api/tables", watch=True)["tables"] if card["id"] == table]
            new = undo(ada, table, page.table["at"])["table"]
            server.move_clock(59)
            assert (eve.get(f"/api/tables/{table}/now"), eve.get(f"/api/tables/{table}")) == before
            assert [card for card in eve.get("/api/tables", watch=True)["tables"] if card["id"] == table] == listed
            assert listed and watching.ask(do="ping") == {"is": "pong"} and not watching.table["closed"]
            server.move_clock(1)
            assert watching.wait("table", lambda message: message["closed"])["goes_on"] == new
    assert eve.get(f"/api/tables/{table}")["goes_on"] == new
    assert table not in [card["id"] for card in eve.get("/api/tables", watch=True)["tables"]]


def test_a_seat_that_a_bot_plays_for_somebody_is_not_a_bot(ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "link", "me", substitute="random")
    bob.take(card["id"], 0, code=card["links"][0]["code"])
    with ada.open(card["id"], 1) as page, bob.open(card["id"], 0) as other:
        page.act()
        other.send(do="leave")
        page.wait("table", lambda message: message["players"][0]["bot"] is not None)
        page.until_turn()
        assert "all others are bots" in undo(ada, card["id"], page.table["at"], 400, seat=1)["no"]


@pytest.mark.parametrize("game", ["goldmine", "gold_hunting", "blue_creek", "mount_goldrush"])
def test_nothing_hidden_is_shown(worlds: list[World], game: str) -> None:
    """Two games that the viewer cannot tell apart: taken back, and asked for everything, they still look alike."""
    table = Table(GAMES[game], 2, {}, 0)
    log = twins(table.game, 2, {}, 0, 40)
    last = max(at for at, pair in enumerate(log) if pair.actor == 0)
    tapes = []
    for world in worlds:
        seen = sit_down(world, table, chance_of(log, world.number))
        begin(world, seen)
        play(world, seen, log[:last])
        live, bob = world.live(seen[0].key), world.players[1].keys["id"]
        world.run(live.serially(partial(replace, world, live, bob)))
        world.settle()
        tapes.append(seen)
    compare(*tapes)
    for world, (viewer, _) in zip(worlds, tapes, strict=True):
        body = {"seat": 0, "at": viewer.last["at"]}
        asked = Request("POST", f"/api/tables/{viewer.key}/undo", {}, body)
        status, answer = world.run(viewer.fetch(asked))
        assert status == 200, answer
        world.settle()
        new = Tape(world, "the viewer at the new table", json.loads(answer)["table"], viewer.keys, 0)
        world.run(new.listen())
        new.ask_everything(but_tables=False)
        tapes[world.number].append(new)
    compare(*tapes)
    assert tapes[0][-1].last["undone"]


async def replace(world: World, live: Any, guest: str) -> None:
    """The other seat is a bot's for good."""
    await world.app.state.housekeeping.replace(live, 1, guest)
