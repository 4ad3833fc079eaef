"""Two games that look alike to whoever looks, played on two servers: what they receive is equal (`viewer_tape`).

`check` plays them from the beginning; `check_end` plays the end of one of them, of which spectators are told late.
"""

import json
import random
from itertools import cycle, islice
from typing import Any, TypeVar

import pytest

from motherlode import contract, engine, text
from motherlode.game import Game, new_rng
from motherlode.server import table_setup
from motherlode.server.listener import PUBLIC
from motherlode.server.schema import Guest
from support.generated_requests import Request
from support.lookalike_games import differing, twins
from support.viewer_tape import Table, Tape, World, begin, chance_of, compare, play, sit_down

T = TypeVar("T")
LENGTH = 24  # actions of the two games, chance's included
DELAY = 30
OPEN_GAMES = ("china_gold", "claimpoker", "mount_goldrush")  # only the secret, which decides what is to come, is hidden


def options_of(game: Game) -> list[dict[str, Any]]:
    """The defaults, and every value of every option alone."""
    offered = {option.name for option in game.OPTIONS if option.is_offered}
    found = [options for seats, options in contract.tables(game, most_combinations=0) if seats == game.SEATS[0]]
    return [{name: value for name, value in options.items() if name in offered} for options in found]


def tables_of(game: Game) -> list[Table]:
    """Every seat of the largest table, one of each smaller one, and the public; every value of every option; with a
    delay and without."""
    viewers = [(seats, seats % 2) for seats in game.SEATS[:-1]]
    viewers += [(game.SEATS[-1], seat) for seat in range(PUBLIC, game.SEATS[-1])]
    options = options_of(game)
    count = max(len(viewers), len(options))
    return [
        Table(game, seats, chosen, seat, delay=DELAY * (k % 2), open_memory=k % 3 == 0, program=k % 4 == 1)
        for k, ((seats, seat), chosen) in enumerate(zip(cycle(viewers), islice(cycle(options), count), strict=False))
    ]


def few(plants: dict[str, T], count: int, *always: str) -> list[Any]:
    """These leaks as parameters of a test, by name; all but `always` and some others only in the long run."""
    others = [name for name in plants if name not in always]
    chosen = {*always, *random.Random(1).sample(others, count - len(always))}
    marks = {name: () if name in chosen else (pytest.mark.soak,) for name in plants}
    return [pytest.param(plant, id=name, marks=marks[name]) for name, plant in plants.items()]


def check(worlds: list[World], table: Table, *, but_tables: bool = True, before: bool = True) -> None:
    """A table, if wanted before its game begins, and when it has gone on, as all who look are told of it; for those who
    are told late, before and after."""
    log = twins(table.game, table.seats, table.options, table.seat, LENGTH, tries=2)
    apart = differing(table.game, table.seats, table.options, log)
    assert len(log) > LENGTH // 2 and (apart == 0 if table.game.NAME in OPEN_GAMES else apart > len(log) // 3)
    if table.seat >= 0:  # up to where the viewer is to act
        log = log[: max(at for at, pair in enumerate(log) if pair.actor == table.seat)]
    tapes = [sit_down(world, table, chance_of(log, world.number)) for world in worlds]
    if before:
        for seen in tapes:
            seen[-1].ask_everything(but_tables=False)
    for world, seen in zip(worlds, tapes, strict=True):
        begin(world, seen)
        play(world, seen, log)
    for tape in [*tapes[0], *tapes[1]]:
        tape.ask_everything(but_tables=but_tables)
    compare(*tapes)
    if table.delay:
        for world in worlds:
            world.move_clock(table.delay)
        for seen in tapes:
            seen[-1].ask_everything(but_tables=False)
        compare(*tapes)


def last_part(table: Table) -> str:
    """The record of a game that is over after a few more decisions, of which the first is one of a person."""
    opening = engine.start(table.game, table.seats, **table.options)
    steps = list(contract.random_game(table.game, opening, new_rng(table.seats)))
    first = max(at for at, (s, _, _) in enumerate(steps[:-1]) if 0 <= s.turn < table.seats - 1)
    actions = [a for _, a, _ in steps[:first]]
    options = engine.check_options(table.game, table.options)
    return text.write_record(text.Played(table.game, table.seats, options, actions))


def finish(world: World, key: str) -> None:
    """The game is played to its end; a player says so, makes a rematch, gets up and goes."""
    live, player = world.live(key), world.players[0]
    world.bots_act = True
    while not live.is_over:
        at, turn = live.core.at, live.core.turn
        if live.chairs[turn].bot:
            world.until(live, at + 1)
        else:
            world.act(key, turn, at, engine.legal(live.game, live.core.position)[0])
    world.run(live.serially(lambda: live.chat.say(0, Guest(player.keys["id"], player.keys["name"]), "a good game")))
    world.settle()
    world.run(live.serially(lambda: table_setup.make_rematch(live, 0, player.keys["id"])))
    world.settle()
    world.run(live.serially(lambda: live.seating.leave(0, player.keys["id"])))
    world.settle()


def check_end(worlds: list[World], table: Table) -> None:
    """In one of two worlds the game comes to its end, but spectators are not told yet; then they are."""
    record = last_part(table)
    tapes = [sit_down(world, table, {}, record) for world in worlds]
    pages = []
    for world, seen in zip(worlds, tapes, strict=True):
        begin(world, seen)
        pages.append(Tape(world, "a player", seen[0].key, world.players[0].keys, 0))
        world.run(pages[-1].listen())
        pages[-1].forbidden.clear()
        world.move_clock(table.delay)
    compare(*tapes)
    world, key = worlds[0], tapes[0][0].key
    finish(world, key)
    pages[0].close()
    world.settle()
    compare(*tapes)
    for other, (guest, stranger) in zip(worlds, tapes, strict=True):
        guest.ask_everything(but_tables=False)
        other.move_clock(table.delay - 2)
        stranger.ask_everything(but_tables=False)
    compare(*tapes)
    secret = world.live(key).facts.seal.secret.hex()
    for other, seen in zip(worlds, tapes, strict=True):  # as after a restart
        other.forget(seen[0].key)
        for tape in seen:
            other.run(tape.listen())
        seen[table.seats % 2].ask_everything(but_tables=False)
    compare(*tapes)
    for tape in tapes[0]:
        tape.allow_secret()
    world.move_clock(2)
    for tape in tapes[0]:
        assert "a good game" in str(tape.kept)
        assert tape.last["seal"]["secret"] == secret and tape.last["result"] and tape.last["rematch"]
        path = f"/api/tables/{key}"
        assert json.loads(world.run(tape.fetch(Request("GET", path, {}, None)))[1])["over"]
        assert secret in world.run(tape.fetch(Request("GET", f"{path}/record", {}, None)))[1]
    for other, seen in zip(worlds, tapes, strict=True):  # or lists would tell the worlds apart from here on
        live = other.live(seen[0].key)
        for one in filter(None, (live.id, live.rematch)):
            other.run(other.app.state.housekeeping.delete(one, "over"))
