"""Records, positions, asks and tables can be pickled and deep-copied, also for another process."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from motherlode import GAMES, Table, bots
from motherlode.game import Game, new_rng

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
COPY = pytest.mark.parametrize("duplicate", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])


def begun(game: Game) -> Table:
    """A table some decisions into its game."""
    table = Table(game, seed=5)
    table.play(*[bots.make("random")] * table.seats, actions=6)
    return table


@GAME
@COPY
def test_a_position_is_equal_bytes(game: Game, duplicate: Callable[[Any], Any]) -> None:
    s = begun(game).position
    t = duplicate(s)
    assert bytes(t) == bytes(s) and t.GAME is game and type(t) is type(s)
    t.turn = -2
    assert bytes(t) != bytes(s)


@GAME
@COPY
def test_an_ask_is_answered_alike(game: Game, duplicate: Callable[[Any], Any]) -> None:
    ask = begun(game).ask()
    other = duplicate(ask)
    assert (other.seat, other.legal, other.log, bytes(other.view)) == (ask.seat, ask.legal, ask.log, bytes(ask.view))
    assert bots.make("greedy")(other, new_rng(1)) == bots.make("greedy")(ask, new_rng(1))


@GAME
def test_a_table_goes_on_as_the_original(game: Game) -> None:
    """Chance too: its generator is part of the table."""
    table = begun(game)
    copies = [pickle.loads(pickle.dumps(table)), copy.deepcopy(table)]
    for one in (table, *copies):
        one.play(*[bots.make("random")] * one.seats)
    assert [one.log for one in copies] == [table.log] * 2


def test_another_process_reads_it() -> None:
    table = begun(GAMES["mount_goldrush"])
    program = "import pickle, sys; table = pickle.load(sys.stdin.buffer); print(table.game.NAME, table.at)"
    ran = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(table), capture_output=True, check=True)
    assert ran.stdout.decode().split() == ["mount_goldrush", str(table.at)]
