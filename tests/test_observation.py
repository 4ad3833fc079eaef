"""Observations: the view and nothing else, the observer first."""

import json

import numpy as np
import pytest
from support.command_line import Run
from support.two_piles import GAME as TWO_PILES

from motherlode import bots, contract, engine
from motherlode.engine import Refusal, view
from motherlode.envs.encoder import Packing, encoder, told_encoder
from motherlode.envs.observation import Layout, kind_and_width, layout
from motherlode.game import OVER, Field, Game, new_rng
from motherlode.games import GAMES
from motherlode.table import Table

EVERY_GAME = pytest.mark.parametrize("game", [*GAMES.values(), TWO_PILES], ids=lambda game: game.NAME)


@EVERY_GAME
def test_an_observation_turns_back_into_the_view(game: Game) -> None:
    found = layout(game)
    for number, (seats, options) in enumerate(contract.tables(game)):
        positions = [t for _, _, t in contract.random_game(game, engine.start(game, seats, **options), new_rng(number))]
        for t in contract.some(positions, 12, number):
            for seat in range(-1, seats):
                v = view(game, t, seat)
                rows = [found.encode(v, seat, dtype=dtype) for dtype in (np.uint8, np.float32)]
                assert [row.dtype for row in rows] == [np.uint8, np.float32]
                assert rows[1].max() <= 1
                for row in rows:
                    back, observer = found.decode(row)
                    assert (bytes(back), observer) == (bytes(v), seat)


@EVERY_GAME
def test_every_column_has_a_name_of_its_own(game: Game) -> None:
    for log in (0, 2):
        names = layout(game, log).names()
        assert len(names) == len({*names}) == layout(game, log).size


def column(row: np.ndarray, found: Layout, name: str) -> int:
    return int(row[found.names().index(name)])


def test_the_observer_comes_first() -> None:
    game = GAMES["claimpoker"]
    found = layout(game)
    for seats in game.SEATS:
        s = engine.start(game, seats)
        for seat in range(seats):
            s.points[seat] = 10 + seat
        for seat in range(seats):
            row = found.encode(view(game, s, seat), seat)
            points = [column(row, found, f"points[{nth}]") for nth in range(seats)]
            assert points == [10 + (seat + nth) % seats for nth in range(seats)]
            assert column(row, found, f"observer={seat}") == 1
            assert column(row, found, f"mover={(s.mover - seat) % seats}") == 1


def test_shares_of_seats_turn_with_them() -> None:
    """In Blue Creek two slots belong to every seat: places, members and values turn alike."""
    game = GAMES["blue_creek"]
    found = layout(game)
    s = engine.start(game, 3)
    s.card[2 * 1 + 1], s.came[2 * 1 + 1], s.up = 2, 2 * 0 + 1, 1 << (2 * 2 + 1)
    row = found.encode(s, 1)
    assert column(row, found, f"card[0,1]={game.EQUIPMENT[2]}") == 1
    assert column(row, found, f"came[0,1]={2 * 2 + 1}") == 1  # seat 0 is two after seat 1
    assert column(row, found, f"up.{2 * 1 + 1}") == 1


@pytest.mark.parametrize("name", GAMES)
def test_the_log_is_what_the_seat_was_told(name: str) -> None:
    game = GAMES[name]
    for seats in game.SEATS:
        table = Table(game, seats, seed=3)
        found = layout(game, 5)
        names = np.array(found.names())
        while not table.is_over and table.at < 40:
            for seat in range(seats):
                row = found.encode(table.view(seat), seat, table.told(seat))
                assert found.decode(row)[1] == seat
                told = table.told(seat)[::-1][:5]
                for back in range(5):
                    marks = names[(row == 1) & np.char.startswith(names, f"log[{back}].")]
                    marks = [mark for mark in marks.tolist() if ".shown" not in mark]
                    if back >= len(told):
                        assert marks == []
                        continue
                    actor, action, shown = told[back]
                    words = game.OUTCOMES if actor < 0 else game.ACTIONS
                    who = "chance" if actor < 0 else (actor - seat) % seats
                    what = "hidden" if action < 0 else words.name(action)
                    assert marks == [f"log[{back}].actor={who}", f"log[{back}].told={what}"]
                    end = found.knowledge + (back + 1) * found.entry
                    assert row[end - found.shown.length : end].tolist() == list(shown)
            table.act(bots.make("random")(table.ask(), table.rng))


def test_bad_input() -> None:
    goldmine = layout(GAMES["goldmine"])
    with pytest.raises(Refusal, match="0 to 1000 entries of the log, not -1"):
        layout(GAMES["goldmine"], -1)
    with pytest.raises(Refusal, match="uint8 or float32, not int64"):
        goldmine.encode(engine.start(GAMES["goldmine"]), 0, dtype=np.int64)
    with pytest.raises(Refusal, match=rf"a row of {goldmine.size} columns, not \(3,\)"):
        goldmine.decode(np.zeros(3, np.uint8))
    with pytest.raises(Refusal, match="largest_digit splits"):
        kind_and_width(Field("code", 0, 99_999, 0, "a code"))


def test_wide_numbers_and_single_ones() -> None:
    """A number over 255 is in two columns: in ChinaGold the throws."""
    game = GAMES["china_gold"]
    found = layout(game)
    s = engine.start(game)
    s.turn, s.throws = OVER, 259
    row = found.encode(s, 0)
    assert (column(row, found, "throws.256s"), column(row, found, "throws.rest")) == (1, 3)
    assert column(row, found, "turn=over") == 1


def test_the_command(run: Run) -> None:
    answer = json.loads(run("observe", "goldmine", "--log", 2, "--json").out)
    assert answer["size"] == len(answer["columns"]) == sum(row["columns"] for row in answer["features"])
    assert "cards in hand" in run("observe", "goldmine").out
    assert run("observe", "goldmine", "--columns").out.splitlines()[0] == "0 observer=0"
    assert run("observe", "goldmine", "--log", -1).err.startswith("motherlode: an observation has the last 0 to 1000")


@EVERY_GAME
def test_a_packed_row_unpacks_to_the_same_columns(game: Game) -> None:
    """As a GPU packs it: with the log, at every seat count."""
    for seats in game.SEATS:
        found = layout(game, 3)
        packing = Packing(found)
        encode, encode_told = (make(found, engine.uncompiled, packing) for make in (encoder, told_encoder))
        table = Table(game, seats, seed=8)
        while not table.is_over and table.at < 60:
            for seat in range(-1, seats):
                log = table.told(seat) if seat >= 0 else []
                packed = [0] * packing.words
                encode(table.view(seat), seat, packed)
                for back, (actor, action, shown) in enumerate(log[::-1][:3]):
                    values = np.frombuffer(shown, np.dtype(found.shown.ctype())).tolist()
                    encode_told([actor, action, *values], seat, seats, packed, found.knowledge + back * found.entry)
                whole = sum(word << (32 * k) for k, word in enumerate(packed))
                row = [whole >> column & 1 for column in range(found.size)]
                for group, word in enumerate(packing.numbers.tolist()):
                    for column in range(8 * group, 8 * group + 8 if word >= 0 else 0):
                        row[column] |= whole >> (32 * word + 8 * (column % 8)) & 255
                assert row == found.encode(table.view(seat), seat, log).tolist()
            table.act(bots.make("random")(table.ask(), table.rng))
