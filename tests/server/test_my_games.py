"""A guest's own games, some at a time: what is listed, by what they are filtered, and what nobody is told."""

from typing import Any

import pytest
import sqlalchemy as sa
from support.local_server import Server, Visitor, play_out

from motherlode.server import schema
from motherlode.server.keys import new_id
from motherlode.server.messages import timestamp

SINGLE_DEAL = {"target": 0}


def mine(visitor: Visitor, **asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = visitor.get("/api/guests/me/games", **asked)
    return found


def ids(found: dict[str, Any]) -> list[str]:
    return [table["id"] for table in found["tables"]]


def test_unfinished_games_say_whose_turn_it_is_and_since_when(server: Server, ada: Visitor, bob: Visitor) -> None:
    waiting = ada.make("goldmine", "me", "anyone")["id"]
    server.move_clock(1)
    key = ada.make("china_gold", "me", "anyone")["id"]
    bob.take(key, 1)
    server.move_clock(100)
    pages = [ada.open(key, 0), bob.open(key, 1)]
    turn = pages[0].table["turn"]
    pages[turn].act()
    done = timestamp(server.parlour.now())
    server.move_clock(50)
    for visitor, own in ((ada, 0), (bob, 1)):
        table = mine(visitor)["tables"][0]
        now = visitor.get(f"/api/tables/{key}/now", seat=own)
        assert (table["id"], table["turn"], table["mine"]) == (key, now["turn"], [own])
        assert table["points"] is table["result"] is table["ended"] is None
        assert table["since"] == done
    assert ids(mine(ada)) == [key, waiting]
    assert mine(ada)["tables"][1]["turn"] is None and mine(ada)["tables"][1]["waiting"]
    assert ids(mine(bob)) == [key]


@pytest.mark.parametrize("seat", [0, 1])
def test_nobody_is_told_how_far_another_is_behind_the_screen(
    server: Server, ada: Visitor, bob: Visitor, seat: int
) -> None:
    """In Gold Hunting both build at the same time, unseen. That one has finished, the other's page is told too."""
    key = bob.make("gold_hunting", *("me", "anyone")[:: 1 if seat == 0 else -1])["id"]
    ada.take(key, 1 - seat)
    page = bob.open(key, seat)
    before = mine(ada)
    assert before["tables"][0]["turn"] == 1 - seat
    while page.table["legal"]:
        server.move_clock(1)
        page.act()
        assert mine(ada) == before or not page.table["legal"]
    assert page.table["at"] > 10


def test_a_finished_game_has_its_score_and_is_found_by_it(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    eve.make("claimpoker", "me", "greedy", "greedy")
    with_bob = ada.make("goldmine", "me", "anyone", options=SINGLE_DEAL)["id"]
    bob.take(with_bob, 1)
    with_bot = ada.make("goldmine", "random", "me", options=SINGLE_DEAL)["id"]
    play_out([ada.open(with_bob, 0), bob.open(with_bob, 1)])
    play_out([ada.open(with_bot, 1)])
    running = ada.make("china_gold", "me", "random")["id"]
    assert ids(mine(ada)) == [running] and set(ids(mine(ada, over=True))) == {with_bob, with_bot}
    for table in mine(ada, over=True)["tables"]:
        result = ada.get(f"/api/tables/{table['id']}/now")["result"]
        assert table["points"] == result["points"] and table["ended"]
        seat, winners = table["mine"][0], result["winners"]
        assert table["result"] == ("lost" if seat not in winners else "won" if len(winners) == 1 else "drawn")
        assert table["id"] in ids(mine(ada, over=True, result=table["result"]))
    assert mine(ada, over=True, bot="random", person="Bob")["total"] == 0
    assert ids(mine(ada, over=True, bot="random")) == [with_bot]
    assert ids(mine(ada, over=True, person="Bob")) == [with_bob] and mine(ada, over=True, person="Ada")["total"] == 0
    assert ids(mine(ada, game="china_gold")) == [running] and mine(ada, over=True, game="china_gold")["total"] == 0
    total = sum(mine(ada, over=True, result=result)["total"] for result in ("won", "drawn", "lost"))
    assert total == 2
    known = {"games": ["china_gold", "goldmine"], "bots": ["random"], "people": ["Bob"]}
    assert ada.get("/api/guests/me/opponents") == known


def test_a_game_of_before_has_its_score_from_its_log(server: Server, ada: Visitor) -> None:
    key = ada.make("goldmine", "me", "random", options=SINGLE_DEAL)["id"]
    play_out([ada.open(key, 0)])
    before = mine(ada, over=True)
    with server.parlour.storage.engine.begin() as db:
        db.execute(schema.SCORE.delete().where(schema.SCORE.c.sitting == key))
    assert mine(ada, over=True) == before and before["tables"][0]["points"]


def test_every_game_is_on_one_page(server: Server, ada: Visitor, bob: Visitor) -> None:
    """Also where many ended at the same moment; and other people's are on none."""
    first = ada.make("goldmine", "me", "random", options=SINGLE_DEAL)["id"]
    play_out([ada.open(first, 0)])
    keys = {first}
    with server.parlour.storage.engine.begin() as db:
        for number in range(46):
            key = new_id()
            for table in (schema.SITTING, schema.SEAT, schema.SEAL, schema.SCORE):
                column = table.c.id if table is schema.SITTING else table.c.sitting
                for row in db.execute(sa.select(table).where(column == first)).all():
                    changed = {column.name: key} | (
                        {"made": number // 7, "ended": number // 7} if column.name == "id" else {}
                    )
                    db.execute(table.insert().values(**{**row._mapping, **changed}))
            keys.add(key)
    seen: list[str] = []
    after: dict[str, Any] = {}
    while True:
        found = mine(ada, over=True, **after)
        assert found["total"] == len(keys) and len(found["tables"]) <= 20
        seen += ids(found)
        if found["next"] is None:
            break
        after = {"after": found["next"]}
    assert len(seen) == len(set(seen)) and set(seen) == keys
    assert mine(bob, over=True)["tables"] == []
    assert len(ids(mine(ada, over=True, most=3))) == 3


@pytest.mark.parametrize(
    "after", ["x", "5", "~", "nan~aaaaaaaaaaaaaaaaaaaaaa", "1.0~short", "1e5~aaaaaaaaaaaaaaaaaaaaaa"]
)
def test_a_page_that_nobody_was_told_of(ada: Visitor, after: str) -> None:
    answer = ada.http.get("/api/guests/me/games", params={"after": after})
    assert answer.status_code == 400 and "`next`" in answer.json()["no"]


def test_whoever_was_sent_away_is_told_nothing_more(ada: Visitor, bob: Visitor) -> None:
    key = ada.make("goldmine", "me", "anyone", options=SINGLE_DEAL)["id"]
    bob.take(key, 1)
    page = ada.open(key, 0)
    who = page.table["players"][1]["who"]
    page.send(do="remove", who=who)
    page.wait("table", lambda table: table["players"][1]["bot"])
    assert ids(mine(bob)) == [] and ids(mine(ada)) == [key]
    play_out([page])
    assert ids(mine(bob, over=True)) == [] and bob.get("/api/guests/me/record")["played"] == 0


# Addresses that are no page


def test_a_browser_gets_a_page_and_a_program_a_refusal(ada: Visitor) -> None:
    for path in ("/games", "/my-record", "/table/x"):
        answer = ada.http.get(path, headers={"accept": "text/html"})
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    for path in ("/nothing", "/table/x/y", "/assets/none.js"):
        page = ada.http.get(path, headers={"accept": "text/html,*/*;q=0.8"})
        assert (
            page.status_code == 404 and '<div id="parlour"' in page.text and page.headers["cache-control"] == "no-store"
        )
        refused = ada.http.get(path)
        assert refused.status_code == 404 and refused.json()["no"] == "Not Found"
    for path in ("/api/nothing", "/api/guests/me/nothing"):
        answer = ada.http.get(path, headers={"accept": "text/html"})
        assert answer.status_code == 404 and answer.json()["no"] == "Not Found"
