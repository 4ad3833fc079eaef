"""Somebody sets the machine's clock back or forward by an hour: nothing stops, and nothing happens too early."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.local_server import Page, Server, StillClock, Visitor, serving

from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import TooOften

HOUR = 3600.0


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    with serving(database, pace=1.0) as running:
        yield running


@pytest.fixture(params=[-HOUR, HOUR], ids=["back", "forward"])
def hour(request: pytest.FixtureRequest) -> float:
    return float(request.param)


def set_clock(server: Server, seconds: float) -> None:
    clock = server.parlour.clock
    assert isinstance(clock, StillClock)
    clock.set_by += seconds


def wait_for_timer(server: Server, seconds: float) -> None:
    """Until something waits for this many seconds to pass; asking keeps the server busy meanwhile."""
    clock = server.parlour.clock
    assert isinstance(clock, StillClock)
    with Visitor(server, "Zoe") as zoe:
        for _ in range(5000):
            if any(when - clock.time == seconds for when, _ in clock.due):
                return
            zoe.get("/health")
    pytest.fail(f"nothing waits for {seconds} seconds, but {[when - clock.time for when, _ in clock.due]}")


def two_at_a_table(ada: Visitor, bob: Visitor, **more: Any) -> tuple[str, Page, Page]:
    card = ada.make("goldmine", "me", "link", **more)
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    return card["id"], ada.open(card["id"], 0), bob.open(card["id"], 1)


def is_quiet(page: Page) -> bool:
    """Nothing new about the table is on its way."""
    at = page.table["at"]
    return page.ask(do="ping") == {"is": "pong"} and page.table["at"] == at


def test_bots_keep_their_pace(server: Server, ada: Visitor, hour: float) -> None:
    with ada.open(ada.make("china_gold", "me", "random")["id"], 0) as page:
        for _ in range(3):
            while not page.table["legal"]:
                wait_for_timer(server, 1.0)
                assert is_quiet(page)
                server.move_clock(1)
                page.wait("table")
            set_clock(server, hour)
            page.act()


def test_limits_refill_as_time_passes(hour: float) -> None:
    clock = StillClock()
    limit = RateLimit("things", (2, 10.0), clock.steady)
    limit.take("ada")
    limit.take("ada")
    clock.set_by += hour
    with pytest.raises(TooOften, match=r"wait 5\.0 s"):
        limit.take("ada")
    clock.move(5)
    limit.take("ada")


def test_the_limits_of_the_server_are_those(server: Server, hour: float) -> None:
    clock = server.parlour.clock
    assert isinstance(clock, StillClock)
    for limit in server.app.state.limits.values():
        before = limit.now()
        set_clock(server, hour)
        assert limit.now() == before == clock.time


def test_a_turn_lasts_as_long_as_it_should(server: Server, ada: Visitor, bob: Visitor, hour: float) -> None:
    _, one, two = two_at_a_table(ada, bob, clock=30)
    server.move_clock(10)
    set_clock(server, hour)
    two.act()
    assert one.until_turn()["clock"] == {"seat": 0, "left": 30.0, "turn": 30}
    set_clock(server, hour)
    server.move_clock(29)
    assert is_quiet(one)
    server.move_clock(1)
    one.wait("table")


def test_spectators_are_as_far_behind_as_they_should(
    server: Server, ada: Visitor, bob: Visitor, eve: Visitor, hour: float
) -> None:
    table, _, two = two_at_a_table(ada, bob, delay=60)
    with eve.open(table) as watching:
        server.move_clock(60)
        assert watching.wait("table")["at"] == 13
        set_clock(server, hour)
        two.act()
        set_clock(server, hour)
        server.move_clock(59)
        assert is_quiet(watching)
        server.move_clock(1)
        assert watching.wait("table")["at"] == two.table["at"]


def test_who_is_gone_is_waited_for(server: Server, ada: Visitor, bob: Visitor, hour: float) -> None:
    _, one, two = two_at_a_table(ada, bob)
    two.close()
    one.wait("presence", lambda message: message["present"] == [True, False])
    set_clock(server, hour)
    assert one.ask(do="substitute", seat=1)["no"] == "wait 20 seconds more: Bob may come back"
    server.move_clock(20)
    one.send(do="substitute", seat=1)
    one.wait("table", lambda message: message["players"][1]["bot"] is not None)


def test_what_is_shown_goes_by_the_clock_that_was_set(server: Server, ada: Visitor, hour: float) -> None:
    before = ada.make("goldmine", "me", "me")["made"]
    set_clock(server, hour)
    assert (ada.make("goldmine", "me", "me")["made"] > before) == (hour > 0)


def test_after_a_restart_nobody_waits_longer_than_the_settings_say(tmp_path: Path) -> None:
    """What is stored then lies in the future: in doubt it has just been done."""
    database = f"sqlite:///{tmp_path / 'parlour.db'}"
    with serving(database) as first, Visitor(first, "Ada") as ada, Visitor(first, "Bob") as bob:
        table, one, two = two_at_a_table(ada, bob, delay=60, clock=30)
        two.act()
        at, token = two.table["at"], ada.http.headers["authorization"]
        one.close()
        two.close()
    with (
        serving(database, clock=StillClock(1_000_000.0 - HOUR)) as second,
        Visitor(second, "Ada") as ada,
        Visitor(second, "Eve") as eve,
        eve.open(table) as watching,
    ):
        ada.http.headers["authorization"] = token
        with ada.open(table, 0) as one:
            assert one.table["at"] == at and one.table["clock"]["left"] == 30.0
        second.move_clock(59)
        assert watching.table["at"] == 0 and is_quiet(watching)
        second.move_clock(1)
        assert watching.wait("table")["at"] >= at


def test_processes_whose_machines_disagree_go_by_the_database(new_postgresql: Callable[[], str], hour: float) -> None:
    """A table played through one process is loaded by another, whose machine is an hour ahead or behind."""
    database, away = new_postgresql(), StillClock(500.0)
    away.set_by = hour
    with serving(database) as first, Visitor(first, "Ada") as ada, Visitor(first, "Bob") as bob:
        table, _one, two = two_at_a_table(ada, bob, delay=60, clock=30)
        two.act()
        with serving(database, clock=away) as other, Visitor(other, "Eve") as eve, eve.open(table) as watching:
            assert watching.table["at"] == 0
            ada.http.base_url, ada.server = other.url, other
            with ada.open(table, 0) as one:
                assert 20 < one.table["clock"]["left"] <= 30
                other.move_clock(60)
                assert watching.wait("table")["at"] >= two.table["at"]
