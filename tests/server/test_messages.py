"""What a seat is told is the same, byte for byte, in all worlds that it cannot tell apart."""

import json
from typing import Any

import pytest
from support.local_server import Server, Visitor

from motherlode import contract, engine, text
from motherlode.engine import Refusal
from motherlode.game import HIDDEN, Game, new_rng
from motherlode.games import GAMES
from motherlode.server import messages, wire
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.schema import Chair, LogRow, StoredSeal, StoredTable, TableFacts
from motherlode.server.table_settings import StoredSettings


def table_at(server: Server, game: Game, actions: list[int]) -> LiveTable:
    """A table with a person in every seat, after these actions."""
    seats = game.SEATS[-1]
    options = engine.check_options(game, {})
    settings, shares = StoredSettings(clock=60), text.Seal(shares=seats * (text.LEFT_OUT,)).write_shares()
    seals = [StoredSeal(0, 0, b"s" * 32, 0.0, shares)]
    facts = TableFacts("x" * 22, game.NAME, game.RULES, options, "maker", settings, seals, 0, None, 0.0, 0.0)
    s, rows = engine.start(game, seats), []
    for at, a in enumerate(actions):
        rows.append(LogRow(at, int(s.turn), a, 0.0, None))
        game.apply(s, a)
    return LiveTable(
        server.parlour, StoredTable(facts, [Chair(seat, guest="g", name="Ada") for seat in range(seats)], rows, None)
    )


def all_told(table: LiveTable, seat: int) -> list[str]:
    """Everything this seat can get the server to say now."""
    said: list[Any] = [messages.current_message(table, seat, None).model_dump_json(), table.at_for(seat)]
    if seat != PUBLIC and messages.position(table, seat)[0].turn == seat:
        said += [messages.why_message(table, seat, a).model_dump_json() for a in table.game.ACTIONS]
    try:
        said.append(messages.record_text(table, seat))
    except Refusal as no:
        said.append(str(no))
    return [str(part) for part in said]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_worlds_a_seat_cannot_tell_apart_are_told_alike(server: Server, game: Game) -> None:
    rng = new_rng(5, 1)
    differing = 0
    for number in range(2):
        steps = list(contract.random_game(game, engine.start(game, game.SEATS[-1]), new_rng(number)))
        log = [a for _, a, _ in steps]
        for at in range(number, len(log), max(1, len(log) // 12)):
            table = table_at(server, game, log[:at])
            for seat in range(PUBLIC, game.SEATS[-1]):
                if table.early_turn(seat):
                    continue  # in that world the log is shorter too: see below
                real = table.core.positions[-1]
                before = all_told(table, seat)
                world = engine.view(game, real, seat)
                game.guess(world, seat, rng)
                table.core.positions[-1] = world
                assert all_told(table, seat) == before
                table.core.positions[-1] = real
                differing += bytes(world) != bytes(real)
    has_secrets = any(game.told(s, a, PUBLIC) == HIDDEN for s, a, _ in steps)
    assert differing or not has_secrets, "no world was another: nothing was tested"


@pytest.mark.parametrize("placed", [1, 4, 9])
def test_how_far_the_other_has_built_is_told_to_nobody(server: Server, placed: int) -> None:
    """Gold Hunting: however many pieces seat 0 has placed, the others are told what they were told after none."""
    game = GAMES["gold_hunting"]
    opening = engine.start(game)
    log = [a for _, a, _ in contract.random_game(game, opening, new_rng(3))]
    for seat in (1, PUBLIC):
        none, some = table_at(server, game, log[:2]), table_at(server, game, log[: 2 + placed])
        assert all_told(none, seat) == all_told(some, seat)
    assert all_told(none, 0) != all_told(some, 0)


def test_whoever_waits_is_not_told_how_far_the_later_builder_is(server: Server) -> None:
    game = GAMES["gold_hunting"]
    log = [a for _, a, _ in contract.random_game(game, engine.start(game), new_rng(3))]
    for seat in (0, PUBLIC):
        none, some = table_at(server, game, log[:12]), table_at(server, game, log[:17])
        assert all_told(none, seat) == all_told(some, seat)


# What several receive is made once


def test_spectators_and_tabs_receive_what_was_made_once(
    server: Server, ada: Visitor, eve: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three watch, and seat 0 has two tabs; after every action each receives the bytes that its like does."""
    made: list[int] = []
    real = messages.table_message

    def count(table: LiveTable, seat: int, did: list[wire.Did], **more: Any) -> wire.TableMessage:
        made.append(seat)
        return real(table, seat, did, **more)

    key = ada.make("china_gold", "me", "me", watch=True)["id"]
    alike = [[eve.open(key) for _ in range(3)], [ada.open(key, 0) for _ in range(2)], [ada.open(key, 1)]]
    pages = [page for group in alike for page in group]
    for page in pages:  # nothing of the beginning is under way any more
        page.wait("presence", lambda message: message["watchers"] == 3 and all(message["present"]))
    monkeypatch.setattr(messages, "table_message", count)
    for _ in range(4):
        made.clear()
        acting = next(page for page in pages if page.table["legal"])
        acting.send(do="act", at=acting.table["at"], action=acting.table["legal"][0]["action"])
        for group in alike:
            received = {page.raw() for page in group}
            assert len(received) == 1
            for page in group:
                page.table = json.loads(min(received))
        assert sorted(made) == [PUBLIC, 0, 1]


def test_what_was_made_before_a_change_is_not_sent_after_it(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    """Leaving and coming back, for the log, leads from the same place to the same place."""
    card = ada.make("goldmine", "me", "link")
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    watching = [eve.open(card["id"]) for _ in range(2)]
    page = ada.open(card["id"], 0)  # it is Bob's turn: the bot waits
    for do, is_gone in (("leave", True), ("return", False), ("leave", True)):
        page.send(do=do)
        for other in watching:
            assert other.wait("table")["players"][0]["left"] == is_gone


def test_early_actions_reach_every_tab(ada: Visitor) -> None:
    """Gold Hunting's later builder: nobody else is told, so the table stays where it is."""
    table = ada.make("gold_hunting", "me", "me")["id"]
    with ada.open(table, 1) as one, ada.open(table, 1) as two:
        for at in range(12, 22):
            one.send(do="act", at=at, action=one.table["legal"][0]["action"])
            assert one.wait("table")["at"] == two.wait("table")["at"] == at + 1
            assert one.table == two.table
