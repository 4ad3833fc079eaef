"""What a seat is told is the same, byte for byte, in all worlds that it cannot tell apart."""

from typing import Any

import pytest
from parlour import Server

from motherlode import contract, engine
from motherlode.engine import Refusal
from motherlode.game import HIDDEN, Game, new_rng
from motherlode.games import GAMES
from motherlode.server import telling
from motherlode.server.listener import PUBLIC
from motherlode.server.store import Chair, Facts, Kept, Row
from motherlode.server.table import Sitting


def sitting_at(server: Server, game: Game, actions: list[int]) -> Sitting:
    """A table with a person in every seat, after these actions."""
    seats = game.SEATS[-1]
    options = engine.check_options(game, {})
    facts = Facts(
        "x" * 22, game.NAME, game.RULES, options, "maker", True, 0, True, False, False, 60, b"s" * 32, 0, None, 0.0, 0.0
    )
    s, rows = engine.start(game, seats), []
    for at, a in enumerate(actions):
        rows.append(Row(at, int(s.turn), a, 0.0, None))
        game.apply(s, a)
    return Sitting(server.house, Kept(facts, [Chair(seat, guest="g", name="Ada") for seat in range(seats)], rows, None))


def all_told(sitting: Sitting, seat: int) -> list[str]:
    """Everything this seat can get the server to say now."""
    said: list[Any] = [telling.now(sitting, seat, None).model_dump_json(), sitting.at_of(seat)]
    if seat != PUBLIC and telling.position(sitting, seat)[0].turn == seat:
        said += [telling.why_message(sitting, seat, a).model_dump_json() for a in sitting.game.ACTIONS]
    try:
        said.append(telling.record_text(sitting, seat))
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
            sitting = sitting_at(server, game, log[:at])
            for seat in range(PUBLIC, game.SEATS[-1]):
                if sitting.aside(seat):
                    continue  # in that world the log is shorter too: see below
                real = sitting.core.positions[-1]
                before = all_told(sitting, seat)
                world = engine.view(game, real, seat)
                game.guess(world, seat, rng)
                sitting.core.positions[-1] = world
                assert all_told(sitting, seat) == before
                sitting.core.positions[-1] = real
                differing += bytes(world) != bytes(real)
    has_secrets = any(game.told(s, a, PUBLIC) == HIDDEN for s, a, _ in steps)
    assert differing or not has_secrets, "no world was another: nothing was tested"


@pytest.mark.parametrize("placed", [1, 4, 9])
def test_how_far_the_other_has_built_is_told_to_nobody(server: Server, placed: int) -> None:
    """Gold Hunting: after so many pieces of seat 0, seat 1 and the public are told what they were told after none."""
    game = GAMES["gold_hunting"]
    opening = engine.start(game)
    log = [a for _, a, _ in contract.random_game(game, opening, new_rng(3))]
    for seat in (1, PUBLIC):
        none, some = sitting_at(server, game, log[:2]), sitting_at(server, game, log[: 2 + placed])
        assert all_told(none, seat) == all_told(some, seat)
    assert all_told(none, 0) != all_told(some, 0)


def test_whoever_waits_is_not_told_how_far_the_later_builder_is(server: Server) -> None:
    game = GAMES["gold_hunting"]
    log = [a for _, a, _ in contract.random_game(game, engine.start(game), new_rng(3))]
    for seat in (0, PUBLIC):
        none, some = sitting_at(server, game, log[:12]), sitting_at(server, game, log[:17])
        assert all_told(none, seat) == all_told(some, seat)
