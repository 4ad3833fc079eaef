"""A table from its making to its end, over real sockets."""

import pytest
from support.local_server import Server, Visitor, play_out

from motherlode.games import GAMES


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_between_two_visitors(ada: Visitor, bob: Visitor, game: str) -> None:
    seats = ["me", "link"] + ["random"] * (GAMES[game].SEATS[0] - 2)
    card = ada.make(game, *seats)
    assert card["waiting"] and len(card["links"]) == 1 and card["mine"] == [0]
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    with ada.open(card["id"], 0) as one, bob.open(card["id"], 1) as two:
        assert one.table["seal"]["commitment"] == card["commitment"] and not one.table["seal"]["secret"]
        play_out([one, two], pick=3)
        assert one.table["result"] == two.table["result"] and one.table["turn"] == -2
        assert one.table["seal"]["secret"] and one.table["legal"] == []
    assert ada.get(f"/api/tables/{card['id']}")["over"]


def test_alone_against_a_bot(server: Server, ada: Visitor) -> None:
    card = ada.make("goldmine", "me", "greedy", options={"target": 0})
    assert [player["kind"] for player in card["players"]] == ["person", "bot"]
    with ada.open(card["id"], 0) as page:
        while not page.until_turn()["result"]:
            page.act()
        assert sum(page.table["result"]["points"]) == 27


def test_what_the_rules_say_of_a_view_comes_with_it(ada: Visitor) -> None:
    """Only what that seat's own view says."""
    card = ada.make("claimpoker", "me", "me", "me")
    with ada.open(card["id"], 0) as page:
        page.act()
        table = page.until_turn()
        assert set(table["drawn"]["after"]) == {str(legal["action"]) for legal in table["legal"]}
        assert [tableau["points"] for tableau in table["drawn"]["now"]] == [0, 0, 0]
    card = ada.make("goldmine", "me", "greedy")
    with ada.open(card["id"], 0) as page:
        assert page.table["drawn"]["taken"] == [[], []] and page.table["text"] is None


def test_a_bot_whose_process_dies_does_not_stop_the_table(
    server: Server, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pool is made anew; and where a bot cannot think at all, chance acts for it."""
    card = ada.make("goldmine", "me", "greedy", options={"target": 0})
    with ada.open(card["id"], 0) as page:
        page.until_turn()
        assert server.parlour.bot_workers.all
        for worker in server.parlour.bot_workers.all:
            worker.process.kill()
        page.act()
        page.until_turn()

        async def fail(*_: object) -> int:
            raise MemoryError

        monkeypatch.setattr(server.parlour.bot_workers, "choose", fail)
        while not page.until_turn()["result"]:
            page.act()
