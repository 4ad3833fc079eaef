"""Positions, views, records, asks, tables and refusals can be pickled and copied, also for another process."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.outside_game import outside_game

from motherlode import GAMES, Illegal, Table, bots, contract, engine, text
from motherlode.bots import BotSpec
from motherlode.bots.function import FunctionFailed
from motherlode.game import Game, below, new_rng
from motherlode.table import Bot, NotYourTurn, Stale

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
Duplicate = Callable[[Any], Any]


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


DUPLICATES: list[Duplicate] = [pickled, copy.deepcopy, copy.copy]
COPY = pytest.mark.parametrize("duplicate", DUPLICATES)


def randoms(table: Table) -> list[Bot]:
    return [bots.make("random")] * table.seats


def begun(game: Game) -> Table:
    """A table some decisions into its game."""
    table = Table(game, seed=5)
    table.play(*randoms(table), actions=6)
    return table


@GAME
@COPY
def test_a_position_is_equal_bytes(game: Game, duplicate: Duplicate) -> None:
    table = begun(game)
    for s in (table.position, *(table.view(seat) for seat in range(-1, table.seats))):
        t = duplicate(s)
        assert bytes(t) == bytes(s) and t.GAME is game and type(t) is type(s)
        t.turn = -2
        assert bytes(t) != bytes(s)


@GAME
@COPY
def test_an_ask_is_answered_alike(game: Game, duplicate: Duplicate) -> None:
    ask = begun(game).ask()
    other = duplicate(ask)
    assert (other.seat, other.legal, other.log, bytes(other.view)) == (ask.seat, ask.legal, ask.log, bytes(ask.view))
    assert bots.make("greedy")(other, new_rng(1)) == bots.make("greedy")(ask, new_rng(1))


@GAME
@COPY
def test_a_record_is_the_same_text(game: Game, duplicate: Duplicate) -> None:
    table = begun(game)
    table.players = ["Ann", *["random"] * (table.seats - 1)]
    played = table.record()
    assert duplicate(played) == played and text.write_record(duplicate(played)) == text.write_record(played)


@COPY
@pytest.mark.parametrize(
    "name", ["random", "search:2x500ms+exact@90", "baron", "py:my_bot:choose+exact@0", "cmd:./mine --fast"]
)
def test_the_name_of_a_bot_is_the_same(name: str, duplicate: Duplicate) -> None:
    assert str(duplicate(BotSpec.parse(name))) == name


@COPY
@pytest.mark.parametrize(
    "refusal",
    [Illegal("GM-3.5", "GM-3.5: no"), NotYourTurn("no"), Stale("no"), FunctionFailed("no", "trace")],
    ids=lambda refusal: type(refusal).__name__,
)
def test_a_refusal_says_the_same(refusal: Exception, duplicate: Duplicate) -> None:
    """An exception that cannot be unpickled would break the laboratory's processes."""
    other = duplicate(refusal)
    assert type(other) is type(refusal) and str(other) == str(refusal) and vars(other) == vars(refusal)


# Tables


def contents(table: Table) -> list[Any]:
    """Everything that can be seen of a table, and what it will draw from."""
    decks = getattr(table.chance, "decks", {}).items()
    drawn = [(number, list(deck.things), list(deck.order), set(deck.fixed)) for number, deck in decks]
    told = [list(table.told(seat)) for seat in range(-1, table.seats)]
    positions = [bytes(s) for s in table.positions]
    return [table.game, table.seed, list(table.rng), drawn, positions, list(table.log), list(table.players), told]


def play_on(table: Table) -> None:
    table.play(*randoms(table))


def undo_and_play_on(table: Table) -> None:
    table.undo()
    table.play(*randoms(table))


def check_duplicates(table: Table, go_on: Callable[[Table], None]) -> None:
    """Every duplicate goes on as the original does, to the same end, and changes nothing of it."""
    before, ends = contents(table), []
    for duplicate in DUPLICATES:
        other = duplicate(table)
        assert contents(other) == before and type(other) is type(table)
        go_on(other)
        ends.append(contents(other))
        assert contents(table) == before
    go_on(table)
    assert table.is_over and ends == [contents(table)] * len(ends)


@GAME
@pytest.mark.parametrize("go_on", [play_on, undo_and_play_on])
def test_a_table_goes_on_as_the_original(game: Game, go_on: Callable[[Table], None]) -> None:
    """At any moment of a game, with every option and number of seats: the same deal, numbers and bytes to the end."""
    rng = new_rng(1)
    for number, (seats, options) in enumerate(contract.tables(game, 3, 4)):
        table = Table(game, seats, seed=number, stream=number % 3, **options)
        table.players = [f"player {seat}" for seat in range(seats)]
        table.play(*randoms(table), actions=1 + below(rng, 40))
        check_duplicates(table, go_on)


@GAME
def test_at_its_opening_and_at_its_end_a_table_is_copied_too(game: Game) -> None:
    table = Table(game, seed=3)
    check_duplicates(table, play_on)
    check_duplicates(table, play_on)  # it is over
    check_duplicates(table, undo_and_play_on)


def test_a_table_of_a_game_without_decks_goes_on_too(tmp_path: Path) -> None:
    """Players and chance draw from the same numbers there, which stay the same for both in a copy."""
    with outside_game(tmp_path, "source = None\n") as game:
        for go_on in (play_on, undo_and_play_on):
            table = Table(game, seed=3)
            assert not hasattr(table.chance, "decks")
            table.play(*randoms(table), actions=5)
            check_duplicates(table, go_on)


@GAME
def test_a_record_that_is_continued_with_its_seed_goes_on_with_the_deal_when_copied(game: Game) -> None:
    table = begun(game)
    resumed = Table.resume(pickled(table.record()), seed=5)

    def take_first(ask: Any, rng: Any) -> int:
        return int(ask.legal[0])

    for one in (table, *(duplicate(resumed) for duplicate in DUPLICATES)):
        one.play(*[take_first] * one.seats)
        assert one.log == table.log and bytes(one.position) == bytes(table.position)


def test_another_process_plays_on(tmp_path: Path) -> None:
    tables = [begun(game) for game in GAMES.values()]
    (tmp_path / "tables").write_bytes(pickle.dumps(tables))
    program = (
        "import pickle, sys\nfrom motherlode import bots\n"
        "for table in pickle.load(open(sys.argv[1], 'rb')):\n"
        "    table.play(*[bots.make('random')] * table.seats)\n"
        "    print(bytes(table.position).hex(), table.log)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "tables")]
    ran = subprocess.run(command, capture_output=True, check=True, text=True)
    for table, line in zip(tables, ran.stdout.splitlines(), strict=True):
        table.play(*randoms(table))
        assert line == f"{bytes(table.position).hex()} {table.log}"
        assert engine.replay(table.game, table.positions[0], table.log).turn == table.turn
