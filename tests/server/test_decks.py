"""Tables that draw from shuffled decks: they say so, plans leave the decks alone, and reading restores them."""

from typing import Any

import pytest
from support import asynchronous
from support.local_server import Server, Visitor

from motherlode import engine, proof
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.server.live_table import LiveTable
from motherlode.server.schema import LogRow, StoredTable
from motherlode.shuffles import Shuffles

SOURCED = pytest.mark.parametrize("game", [game for game in GAMES.values() if game.source], ids=lambda game: game.NAME)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_new_tables_say_how_chance_is_drawn(ada: Visitor, game: Game) -> None:
    players = ["me"] * game.SEATS[0]
    card = ada.make(game.NAME, *players)
    assert card["drawn"] == ("decks" if game.source else "") == ada.get(f"/api/tables/{card['id']}")["drawn"]


def test_nobody_chooses_how_chance_is_drawn(ada: Visitor) -> None:
    ada.post("/api/tables", 422, game="goldmine", seats=[{"player": "me"}, {"player": "random"}], drawn="")


def live(server: Server, ada: Visitor, game: Game, actions: int) -> LiveTable:
    """A table some way into its game."""
    card = ada.make(game.NAME, *["me"] * game.SEATS[0])
    for _ in range(actions):
        seats = [ada.get(f"/api/tables/{card['id']}/now", seat=seat) for seat in range(game.SEATS[0])]
        seat, now = next((seat, now) for seat, now in enumerate(seats) if now["legal"])
        ada.post(f"/api/tables/{card['id']}/act", seat=seat, at=now["at"], action=now["legal"][0]["action"])
    return server.parlour.tables[card["id"]]


def state(table: LiveTable) -> dict[int, Any]:
    shuffles = table.core.chance
    assert isinstance(shuffles, Shuffles)
    return {number: (deck.things, list(deck.order), set(deck.fixed)) for number, deck in shuffles.decks.items()}


def plans(table: LiveTable) -> list[list[tuple[int, int]]]:
    """What would come of every legal action."""
    return [[row[1:3] for row in table.plan(a).rows] for a in engine.legal(table.game, table.core.position)]


@SOURCED
def test_plans_leave_the_decks_alone(server: Server, ada: Visitor, game: Game) -> None:
    table = live(server, ada, game, 0)
    before = state(table)
    assert plans(table) == plans(table) and state(table) == before


@SOURCED
def test_a_table_that_is_read_again_draws_the_same(server: Server, ada: Visitor, game: Game) -> None:
    table = live(server, ada, game, 5)
    rows = [
        LogRow(at, int(table.core.positions[at].turn), a, table.facts.made, None) for at, a in enumerate(table.core.log)
    ]

    async def read() -> LiveTable:
        return LiveTable(table.parlour, StoredTable(table.facts, table.chairs, rows, None))

    again = asynchronous.run(read())
    assert state(again) == state(table) and plans(again) == plans(table)


@SOURCED
def test_what_is_drawn_follows_from_the_secret(server: Server, ada: Visitor, game: Game) -> None:
    table = live(server, ada, game, 4)
    played = table.record()
    assert proof.wrong_outcome(played) is None
    others = [(seal := played.seals[0])._replace(secret=64 * f"{n}") for n in range(5)]
    others += [seal._replace(shares=(64 * f"{n}", *seal.shares[1:])) for n in range(5)]
    for half in (others[:5], others[5:]):
        assert any(proof.wrong_outcome(played._replace(seals=(other,))) is not None for other in half)
