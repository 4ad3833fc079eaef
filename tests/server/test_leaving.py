"""Leaving honestly: to a bot, by resigning, by adjourning together; stored, then shown, and never to escape a clock."""

import random
from typing import Any

import pytest
from support.administrator import Administrator
from support.local_server import Page, Server, Visitor, play_out, serving
from websockets.exceptions import ConnectionClosed

from motherlode import engine, proof, text
from motherlode.games import GAMES
from motherlode.server.refusals import Unstored
from motherlode.server.storage import Storage


def sit(ada: Visitor, bob: Visitor, **more: Any) -> tuple[str, Page, Page]:
    card = ada.make("goldmine", "me", "link", **{"options": {"target": 0}, **more})
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    return card["id"], ada.open(card["id"], 0), bob.open(card["id"], 1)


def resign(page: Page) -> None:
    page.send(do="resign", at=page.table["at"])


def reload(server: Server, table: str) -> None:
    """As after a restart."""
    server.loop.call_soon_threadsafe(server.parlour.forget, table)


# Leaving to a bot


def test_a_seat_left_before_the_game_is_open_again(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    table = ada.make("claimpoker", "me", "anyone", "anyone")["id"]
    bob.take(table, 1)
    with ada.open(table, 0) as one, bob.open(table, 1) as two:
        two.send(do="leave")
        seat = one.wait("table", lambda message: message["players"][1]["kind"] == "open")["players"][1]
        assert seat["takes"] == "anyone"
        with pytest.raises(ConnectionClosed):
            two.wait("no")
        eve.take(table, 1)
        one.wait("table", lambda message: message["players"][1]["name"] == "Eve")


def test_a_program_is_told_apart_from_a_person(ada: Visitor, bob: Visitor) -> None:
    table = ada.make("goldmine", "me", "anyone")["id"]
    bob.take(table, 1, program=True)
    players = ada.get(f"/api/tables/{table}")["players"]
    assert [(player["kind"], player["program"]) for player in players] == [("person", False), ("person", True)]


# Resigning


def counted(visitor: Visitor) -> tuple[int, int]:
    """How many games count for a guest, and how many of them it has won."""
    found = visitor.get("/api/guests/me/record")
    return found["played"], found["won"]


def test_of_two_the_other_wins(server: Server, ada: Visitor, bob: Visitor) -> None:
    table, one, two = sit(ada, bob)
    two.act()
    while one.table["at"] < two.table["at"]:
        one.wait("table")
    assert "moved on" in one.ask(do="resign", at=one.table["at"] - 1)["no"]
    resign(one)
    for page in (one, two):
        page.wait("table", lambda message: message["result"] is not None)
        result = page.table["result"]
        assert (result["winners"], result["resigned"]) == ([1], [0])
        assert result["words"].endswith("seat 1 wins, seat 0 resigned")
        assert page.table["turn"] == -2 and not page.table["legal"]
        assert [player["resigned"] for player in page.table["players"]] == [True, False]
    assert one.ask(do="resign", at=one.table["at"])["no"] == "the game is over"
    assert two.ask(do="act", at=two.table["at"], action=0)["no"] == "the game is over"
    card = ada.get(f"/api/tables/{table}")
    assert card["over"] and card["players"][0]["resigned"]
    assert (counted(ada), counted(bob)) == ((1, 0), (1, 1))
    (game,) = (one for one in ada.get("/api/guests/me/games", over=True)["tables"] if one["id"] == table)
    assert game["result"] == "lost" and game["players"][0]["resigned"]
    reload(server, table)
    now = bob.get(f"/api/tables/{table}/now", seat=1)
    assert now["result"] == result
    record = bob.http.get(f"/api/tables/{table}/record", params={"seat": 1}).text
    assert "\nresigned: 0\n" in record and "seat 1 wins, seat 0 resigned" in record
    played = text.read_record(record)
    assert proof.verify(played).is_good and "the server's word" in proof.verify(played).words
    assert text.write_record(played) == record
    replay = ada.get(f"/api/tables/{table}/replay")
    assert replay["result"] == result and replay["checked"]["chain"]
    assert any(seat["id"] == table and seat["over"] for seat in ada.get("/api/tables", mine=True)["tables"])


@pytest.mark.parametrize(("name", "loser"), [*((name, 0) for name in GAMES), ("gold_hunting", 1)])
def test_whenever_it_is_everybody_is_told(
    server: Server, ada: Visitor, bob: Visitor, eve: Visitor, others: list[Visitor], name: str, loser: int
) -> None:
    """Also while both build behind their screens, one of them ahead of the log."""
    people, rng = [ada, bob, *others][: GAMES[name].SEATS[0]], random.Random(name)
    table = ada.make(name, "me", *["anyone"] * (len(people) - 1))["id"]
    for seat, one in enumerate(people[1:], 1):
        one.take(table, seat)
    pages = [one.open(table, seat) for seat, one in enumerate(people)]
    everybody = [*pages, eve.open(table)]
    for _ in range(9):
        for page in pages:
            page.ask(do="ping")
        rng.choice([page for page in pages if page.table["legal"]]).act(rng.randrange(100))
    for page in everybody:
        page.ask(do="ping")
    before = [page.table["at"] for page in everybody]
    for seat in range(loser, loser + len(people) - 1):
        pages[seat].ask(do="ping")
        resign(pages[seat])
        assert pages[seat].ask(do="ping") == {"is": "pong"}
    for page, at in zip(everybody, before, strict=True):
        page.ask(do="ping")
        assert page.table["result"] and page.table["at"] >= at  # pages ignore what is older
        assert page.table["result"] == pages[0].table["result"]
    reload(server, table)
    for seat, one in enumerate(people):
        assert one.get(f"/api/tables/{table}/now", seat=seat)["result"] == pages[0].table["result"]
    assert ada.get(f"/api/tables/{table}/replay")["result"] == pages[0].table["result"]


def test_a_record_says_only_what_can_be() -> None:
    opening = text.Played(text.find_game("goldmine"), 2, {"target": 0, "scoring": "both"}, [])
    written = text.write_record(opening._replace(resigned=(1,)))
    assert text.read_record(written).resigned == (1,)
    for wrong in ("0, 1", "2", "1, 1", "-1", "one"):
        with pytest.raises(engine.Refusal, match="resigned"):
            text.read_record(written.replace("resigned: 1\n", f"resigned: {wrong}\n"))
    with pytest.raises(engine.Refusal, match="edited"):
        text.read_record(written.replace("resigned: 1\n", "resigned: 0\n"))


def test_of_three_a_bot_plays_on_and_who_resigned_has_lost(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    table = ada.make("claimpoker", "me", "anyone", "anyone", substitute="random")["id"]
    bob.take(table, 1)
    eve.take(table, 2)
    pages = [visitor.open(table, seat) for seat, visitor in enumerate((ada, bob, eve))]
    resign(pages[1])
    for page in pages:
        page.wait("table", lambda message: message["players"][1]["resigned"])
        assert page.table["result"] is None and page.table["players"][1]["bot"] == "random"
    assert "you have resigned" in pages[1].ask(do="return")["no"]
    assert "you have resigned" in pages[1].ask(do="resign", at=pages[1].table["at"])["no"]
    assert "you have resigned" in pages[1].ask(do="act", at=pages[1].table["at"], action=0)["no"]
    assert bob.http.post(f"/api/tables/{table}/seats/1/link").status_code == 403
    play_out([pages[0], pages[2]])
    assert counted(bob) == (1, 0)  # the bot did not play for him
    result = pages[0].table["result"]
    assert result["resigned"] == [1] and result["winners"] and 1 not in result["winners"]


def test_who_resigned_does_not_win_though_the_bot_has_most() -> None:
    game = text.find_game("claimpoker")
    s = text.Played(game, 3, {option.name: option.values[0] for option in game.OPTIONS}, []).start()
    s.turn = -2
    assert text.winners(game, s) == engine.winners(game, s)
    assert text.winners(game, s, [0]) == [1, 2] and text.winners(game, s, [0, 2]) == [1]


def test_against_bots_alone_the_game_is_over(ada: Visitor) -> None:
    table = ada.make("claimpoker", "me", "random", "random")["id"]
    with ada.open(table, 0) as page:
        page.until_turn()
        resign(page)
        result = page.wait("table", lambda message: message["result"] is not None)["result"]
        assert result["resigned"] == [0] and set(result["winners"]) <= {1, 2}
        page.send(do="rematch")
        again = page.wait("rematch")
    with ada.open(again["table"], again["seat"]) as page:
        assert not any(player["resigned"] for player in page.table["players"]) and page.table["result"] is None


def test_not_before_the_game_and_not_for_others(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    card = ada.make("goldmine", "me", "link")
    with ada.open(card["id"], 0) as one, eve.open(card["id"]) as watching:
        assert "has not begun" in one.ask(do="resign", at=0)["no"]
        bob.take(card["id"], 1, code=card["links"][0]["code"])
        for do in ({"do": "resign", "at": 13}, {"do": "adjourn"}, {"do": "resume"}):
            assert "a spectator only watches" in watching.ask(**do)["no"]


def test_spectators_are_told_late(server: Server, ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    table, one, _two = sit(ada, bob, delay=60)
    server.move_clock(60)
    with eve.open(table) as watching:
        resign(one)
        one.wait("table", lambda message: message["result"] is not None)
        server.move_clock(59)
        assert watching.ask(do="ping") == {"is": "pong"}
        assert watching.table["result"] is None and not watching.table["players"][0]["resigned"]
        assert not eve.get(f"/api/tables/{table}")["over"]
        assert [card["id"] for card in eve.get("/api/tables", watch=True)["tables"]].count(table) == 1
        reload(server, table)
        assert eve.get(f"/api/tables/{table}/now")["result"] is None
    with eve.open(table) as watching:
        server.move_clock(1)
        assert watching.wait("table", lambda message: message["result"] is not None)["result"]["resigned"] == [0]
        assert table not in [card["id"] for card in eve.get("/api/tables", watch=True)["tables"]]


# Adjourning


def test_against_bots_it_stops_at_once_and_goes_on(server: Server, ada: Visitor) -> None:
    table = ada.make("goldmine", "me", "random", clock=100)["id"]
    with ada.open(table, 0) as page:
        page.until_turn()
        server.move_clock(40)
        page.send(do="adjourn")
        page.wait("table", lambda message: message["adjourned"] is not None)
        assert page.table["clock"] is None and not page.table["legal"]
        assert "adjourned" in page.ask(do="act", at=page.table["at"], action=0)["no"]
        assert ada.get(f"/api/tables/{table}")["adjourned"]
        server.move_clock(3600)
        assert page.ask(do="ping") == {"is": "pong"}
    reload(server, table)
    with ada.open(table, 0) as page:
        assert page.table["adjourned"] is not None
        page.send(do="resume")
        page.wait("table", lambda message: message["adjourned"] is None)
        assert page.table["clock"]["left"] == 60.0 and page.table["legal"]  # not a second more than before
        assert page.ask(do="resume")["no"] == "the game is not adjourned"


def test_people_have_to_agree(server: Server, ada: Visitor, bob: Visitor) -> None:
    """Who asks to adjourn because the clock runs out gains nothing by it."""
    _, one, two = sit(ada, bob, clock=30)
    two.send(do="adjourn")
    one.wait("table", lambda message: message["players"][1]["adjourns"])
    assert one.table["adjourned"] is None and one.table["clock"]["left"] == 30.0
    server.move_clock(30)
    one.wait("table", lambda message: message["turn"] == 0)
    one.send(do="resume")  # no
    two.wait("table", lambda message: not message["players"][1]["adjourns"])
    two.send(do="adjourn")
    one.wait("table", lambda message: message["players"][1]["adjourns"])
    one.send(do="adjourn")
    for page in (one, two):
        page.wait("table", lambda message: message["adjourned"] is not None)
        assert not any(player["adjourns"] for player in page.table["players"])


def test_nobody_resumes_behind_anothers_back(server: Server, ada: Visitor, bob: Visitor) -> None:
    table, one, two = sit(ada, bob)
    for page in (one, two):
        page.send(do="adjourn")
    one.wait("table", lambda message: message["adjourned"] is not None)
    two.close()
    one.wait("presence", lambda message: message["present"] == [True, False])
    assert "not everybody is here: wait for Bob" in one.ask(do="resume")["no"]
    server.move_clock(100)
    assert "adjourned" in one.ask(do="substitute", seat=1)["no"]
    with bob.open(table, 1):
        one.wait("presence", lambda message: message["present"] == [True, True])
        one.send(do="resume")
        one.wait("table", lambda message: message["adjourned"] is None)


def test_after_a_day_it_goes_on_without_who_is_away(server: Server, ada: Visitor, bob: Visitor) -> None:
    _, one, two = sit(ada, bob)
    for page in (one, two):
        page.send(do="adjourn")
    one.wait("table", lambda message: message["adjourned"] is not None)
    two.close()
    one.wait("presence", lambda message: message["present"] == [True, False])
    server.move_clock(24 * 3600)
    one.send(do="resume")
    one.wait("table", lambda message: message["adjourned"] is None)


def test_only_who_plays_adjourns_and_goes_on(server: Server, ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    """Who has resigned, or left to a bot, does not say no for the others, and does not resume behind their backs."""
    table = ada.make("claimpoker", "me", "anyone", "anyone", "anyone", substitute="random")["id"]
    with Visitor(server, "Zoe") as zoe:
        for seat, one in enumerate((bob, eve, zoe), 1):
            one.take(table, seat)
        pages = [one.open(table, seat) for seat, one in enumerate((ada, bob, eve, zoe))]
        resign(pages[2])
        pages[3].send(do="leave")
        for page in pages:
            page.wait("table", lambda message: message["players"][2]["resigned"] and message["players"][3]["bot"])

        def check_others() -> None:
            for do in ("adjourn", "resume"):
                assert "you have resigned" in pages[2].ask(do=do)["no"]
                assert "return to your seat" in pages[3].ask(do=do)["no"]

        pages[0].send(do="adjourn")
        pages[1].wait("table", lambda message: message["players"][0]["adjourns"])
        check_others()
        pages[1].send(do="adjourn")
        pages[0].wait("table", lambda message: message["adjourned"] is not None)
        server.move_clock(25 * 3600)
        check_others()
        pages[1].send(do="resume")
        pages[0].wait("table", lambda message: message["adjourned"] is None)


def test_who_is_banned_is_not_waited_for(server: Server, ada: Visitor, bob: Visitor, host: Administrator) -> None:
    _, one, _two = sit(ada, bob)
    host.does("ban", bob.keys["id"], "--for", "2h")
    one.wait("table", lambda message: message["players"][1]["left"])
    one.send(do="adjourn")
    one.wait("table", lambda message: message["adjourned"] is not None)
    one.send(do="resume")
    one.wait("table", lambda message: message["adjourned"] is None)


def test_a_bot_does_not_ask_to_adjourn(server: Server, ada: Visitor, bob: Visitor, host: Administrator) -> None:
    """Its player did, and is gone or deleted."""
    for is_deleted in (False, True):
        _, one, two = sit(ada, bob)
        two.send(do="adjourn")
        one.wait("table", lambda message: message["players"][1]["adjourns"])
        two.close()
        if is_deleted:
            host.does("delete-guest", bob.keys["id"], "--yes")
        else:
            one.wait("presence", lambda message: message["present"] == [True, False])
            server.move_clock(21)
            one.send(do="substitute", seat=1)
        one.wait("table", lambda message: message["players"][1]["bot"] is not None)
        assert not one.table["players"][1]["adjourns"]


def test_an_adjourned_game_can_be_resigned(ada: Visitor) -> None:
    with ada.open(ada.make("goldmine", "me", "random")["id"], 0) as page:
        page.until_turn()
        page.send(do="adjourn")
        page.wait("table", lambda message: message["adjourned"] is not None)
        resign(page)
        page.wait("table", lambda message: message["result"] is not None)


def test_spectators_who_are_told_late_see_nothing_of_it(server: Server, ada: Visitor, bob: Visitor) -> None:
    table = ada.make("goldmine", "me", "random", delay=60, watch=True)["id"]
    with ada.open(table, 0) as page, bob.open(table) as watching:
        page.until_turn()
        server.move_clock(60)
        page.send(do="adjourn")
        page.wait("table", lambda message: message["adjourned"] is not None)
        assert watching.ask(do="ping") == {"is": "pong"} and watching.table["adjourned"] is None
        assert not bob.get(f"/api/tables/{table}")["adjourned"] and ada.get(f"/api/tables/{table}")["adjourned"]
        assert ada.get("/api/guests/me/games")["tables"][0]["adjourned"]


# A table that was closed


def test_nobody_sits_down_at_a_closed_table(ada: Visitor, bob: Visitor, host: Administrator) -> None:
    table = ada.make("goldmine", "me", "anyone")["id"]
    assert host.http.post(f"/tables/{table}/close", json={"reason": "late"}).status_code == 204
    answer = bob.http.post(f"/api/tables/{table}/seats/1/take", json={})
    assert answer.status_code == 409 and "closed" in answer.json()["no"]


def test_the_commit_comes_first(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be stored has not happened."""
    with serving(f"sqlite:///{tmp_path}/parlour.db") as server, Visitor(server) as ada:
        page = ada.open(ada.make("goldmine", "me", "random")["id"], 0)
        page.until_turn()

        async def write(*_: Any) -> Any:
            raise Unstored("this cannot be stored now; try again")

        with monkeypatch.context() as patch:
            patch.setattr(Storage, "write", write)
            for message in ({"do": "resign", "at": page.table["at"]}, {"do": "adjourn"}):
                assert "cannot be stored" in page.ask(**message)["no"]
        assert page.ask(do="ping") == {"is": "pong"}
        assert page.table["result"] is None and page.table["adjourned"] is None
