"""A long log costs the server as much as many requests: nobody slows the others down by asking for it often."""

import random

import pytest
from support.local_server import Visitor, serving

from motherlode import engine
from motherlode.games import GAMES
from motherlode.table import Table
from motherlode.text import write_record


def long_game() -> str:
    """A record of Claimpoker, two actions before its end."""
    game, rng = GAMES["claimpoker"], random.Random(1)
    table = Table(game, 4)
    while not table.is_over:
        table.act(rng.choice(engine.legal(game, table.position)))
    return write_record(table.record())


@pytest.mark.parametrize("route", ["log", "record", "now?since=0"])
def test_a_long_log_counts_as_many_requests(database: str, route: str) -> None:
    with serving(database, requests=(100, 10.0)) as server, Visitor(server, "Ada") as ada:
        table = ada.make("claimpoker", "me", "random", "random", "random", record=long_game(), at=120)["id"]
        asked = [ada.http.get(f"/api/tables/{table}/{route}").status_code for _ in range(30)]
        assert asked[:5] == [200] * 5 and 10 < asked.count(200) < 20 and asked[-1] == 429
        server.move_clock(10.0)
        short = [ada.http.get(f"/api/tables/{table}/now").status_code for _ in range(30)]
        assert short == [200] * 30
