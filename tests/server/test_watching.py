"""Games to watch: who allows it, and what a list tells to whom, and when."""

from typing import Any

from support.local_server import Server, Visitor

from motherlode.server import routes


def listed(visitor: Visitor) -> list[str]:
    return [card["id"] for card in visitor.get("/api/tables", watch=True)["tables"]]


def sit(ada: Visitor, bob: Visitor, **more: Any) -> str:
    card = ada.make("goldmine", "me", "link", **more)
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    return str(card["id"])


def test_begun_games_are_listed_where_their_maker_allows_it(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    waits = ada.make("goldmine", "me", "anyone")["id"]
    private, table = sit(ada, bob, watch=False), sit(ada, bob)
    bots = ada.make("goldmine", "random", "random")["id"]
    found = listed(eve)
    assert table in found and not {waits, private, bots} & set(found)
    card = next(card for card in eve.get("/api/tables", watch=True)["tables"] if card["id"] == table)
    assert card["host"] == "Ada" and not card["over"] and card["mine"] == []
    with ada.open(table, 0) as page:
        page.send(do="resign", at=page.table["at"])
        page.wait("table", lambda message: message["result"] is not None)
    assert table not in listed(eve)


def test_a_table_against_bots_alone_is_private_unless_its_maker_says_otherwise(ada: Visitor, eve: Visitor) -> None:
    private, shared = (ada.make("goldmine", "me", player)["id"] for player in ("random", "me"))
    public = ada.make("goldmine", "me", "random", watch=True)["id"]
    for key, status in ((private, 403), (shared, 403), (public, 200)):
        answer = eve.http.get(f"/api/tables/{key}/now")
        assert answer.status_code == status and ada.get(f"/api/tables/{key}/now")
    assert public in listed(eve) and not {private, shared} & set(listed(eve))
    for players in (("random", "random"), ("me", "link"), ("me", "random", "anyone")):
        game = "goldmine" if len(players) == 2 else "claimpoker"
        assert ada.make(game, *players)["watch"]


def test_private_games_take_nobodys_place(
    server: Server, ada: Visitor, bob: Visitor, eve: Visitor, monkeypatch: Any
) -> None:
    monkeypatch.setattr(routes, "MOST_WATCHED", 1)
    server.move_clock(1)
    table = sit(ada, bob)
    server.move_clock(1)
    sit(ada, bob, watch=False)
    assert listed(eve) == [table]


def test_who_is_told_late_finds_a_game_and_loses_it_late(
    server: Server, ada: Visitor, bob: Visitor, eve: Visitor
) -> None:
    table = sit(ada, bob, delay=60)
    assert table not in listed(eve)
    server.move_clock(60)
    assert table in listed(eve)
    with ada.open(table, 0) as page:
        page.send(do="resign", at=page.table["at"])
        page.wait("table", lambda message: message["result"] is not None)
    (card,) = (card for card in eve.get("/api/tables", watch=True)["tables"] if card["id"] == table)
    assert not card["over"] and not any(player["resigned"] or player["left"] for player in card["players"])
    server.move_clock(60)
    assert table not in listed(eve)


def test_an_invitation_names_its_host(ada: Visitor, eve: Visitor) -> None:
    ada.http.patch("/api/guests/me", json={"name": "<b>Ada & Co</b>"})
    card = ada.make("goldmine", "link", "random")
    assert eve.get(f"/api/tables/{card['id']}")["host"] == "<b>Ada & Co</b>"  # has no seat
    card = ada.make("goldmine", "me", "link")
    assert card["host"] == eve.get(f"/api/tables/{card['id']}")["host"] == "<b>Ada & Co</b>"
