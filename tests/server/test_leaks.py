"""Whoever cannot tell two worlds apart receives equal bytes from them, whatever they ask (`viewer_tape`).

The tables are generated from the games' seats and options, the requests from the OpenAPI document and the socket's
messages. Leaks planted in the server make what is received differ, and are caught.
"""

import asyncio
import json
from typing import Any

import pytest
from support.generated_requests import Request, reply_kinds
from support.lookalike_games import twins
from support.scripted_chance import SCRIPTS
from support.twin_games import DELAY, LENGTH, check, check_end, finish, last_part, options_of, tables_of
from support.viewer_tape import OPTIONS, Table, Tape, World, begin, chance_of, sit_down

from motherlode import engine
from motherlode import table as core
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.server.bot_workers import BotWorkers
from motherlode.server.listener import PUBLIC


@pytest.mark.parametrize("table", [table for game in GAMES.values() for table in tables_of(game)], ids=str)
def test_worlds_that_look_alike(worlds: list[World], table: Table) -> None:
    """Of each game the first table that is watched, and the first that is not, are looked at before the game begins
    too; there, what is no table's is also asked."""
    is_watched = table.seat == PUBLIC
    is_first = table == next(other for other in tables_of(table.game) if (other.seat == PUBLIC) == is_watched)
    check(worlds, table, but_tables=is_first, before=is_first)


# The end, of which spectators are told late


@pytest.mark.parametrize(
    ("game", "seats"),
    [pytest.param(game, seats, id=f"{name} {seats}") for name, game in GAMES.items() for seats in game.SEATS],
)
def test_the_end_is_told_late(worlds: list[World], game: Game, seats: int) -> None:
    options = options_of(game)
    check_end(worlds, Table(game, seats, options[seats % len(options)], PUBLIC, delay=DELAY, bot=True))


def test_a_player_who_only_watches_is_told_late(worlds: list[World]) -> None:
    """Without a seat in the question its guest is a spectator; what is asked as a player is answered at once."""
    game, world = GAMES["goldmine"], worlds[0]
    table = Table(game, 2, {}, PUBLIC, delay=DELAY, bot=True)
    stranger = sit_down(world, table, {}, last_part(table))[-1]
    begin(world, [stranger])
    world.move_clock(DELAY)
    finish(world, stranger.key)
    player = Tape(world, "a player", stranger.key, world.players[0].keys, 0)
    player.forbidden.clear()
    path = f"/api/tables/{stranger.key}"

    def ask(tape: Tape, what: str, **query: Any) -> tuple[int, str]:
        return world.run(tape.fetch(Request("GET", path + what, query, None)))

    for what in ("/now", "/log", "/record"):
        assert ask(player, what) == ask(stranger, what)
        assert ask(player, what, seat=0) != ask(player, what)
    assert json.loads(ask(player, "")[1])["over"] and not json.loads(ask(stranger, "")[1])["over"]
    assert (ask(player, "/replay")[0], ask(stranger, "/replay")[0]) == (200, 400)


def test_every_kind_of_message_is_compared(worlds: list[World]) -> None:
    """Somebody who listens to the end of a game is sent every kind of message that there is."""
    world, table = worlds[0], Table(GAMES["goldmine"], 2, {}, 0)
    tapes = sit_down(world, table, {}, last_part(table))
    viewer = tapes[0]
    begin(world, tapes)
    viewer.ask_everything(but_tables=False)
    viewer.allow_secret()
    tapes[1].allow_secret()
    while not viewer.last["result"]:
        at, turn = viewer.last["at"], viewer.last["turn"]
        action = engine.legal(table.game, world.live(viewer.key).core.position)[0]
        if turn == 0:
            world.run(viewer.tell(do="act", at=at, action=action))
        else:
            world.act(viewer.key, turn, at, action)
    world.run(viewer.tell(do="rematch"))
    assert viewer.kinds | {"pong"} >= reply_kinds(), "a kind of message is never compared: say how it comes to be sent"


# Bots of the server


def bot_hears(monkeypatch: pytest.MonkeyPatch, world: World, game: Game) -> list[Any]:
    """All that the server's bot at seat 0 is handed."""
    table = Table(game, 2, OPTIONS.get(game.NAME, {}), 0)
    log = twins(game, 2, table.options, 0, LENGTH + 6)
    last = max(at for at, pair in enumerate(log) if pair.actor == 0)
    heard: list[Any] = []

    async def choose(_: Any, bot: str, ask: Any, seed: int, *, asker: Any) -> int:
        told = [tuple(entry) for entry in ask.log]
        if len(told) > last:
            await asyncio.Event().wait()
        heard.append((bot, ask.game.NAME, ask.seat, bytes(ask.view), ask.legal, told))
        return log[len(told)][1 + world.number]

    monkeypatch.setattr(BotWorkers, "choose", choose)
    key = world.players[1].make(game.NAME, "random", "anyone", options=table.options)["id"]
    SCRIPTS[key] = chance_of(log, world.number)
    world.take(key, 1, world.players[1].keys)
    live = world.live(key)
    for at, pair in enumerate(log[:last]):
        if pair.actor == 1:
            world.until(live, at)
            world.act(key, 1, at, pair[1 + world.number])
    world.until(live, last + 1)
    return heard


def check_bot(monkeypatch: pytest.MonkeyPatch, worlds: list[World], game: Game) -> None:
    one, two = [bot_hears(monkeypatch, world, game) for world in worlds]
    assert len(one) > 3 and one == two


@pytest.mark.parametrize("game", ["blue_creek", "goldmine"])
def test_a_bot(monkeypatch: pytest.MonkeyPatch, worlds: list[World], game: str) -> None:
    check_bot(monkeypatch, worlds, GAMES[game])


def test_a_bot_that_is_handed_too_much_is_caught(monkeypatch: pytest.MonkeyPatch, worlds: list[World]) -> None:
    monkeypatch.setattr(core.Table, "view", lambda table, seat, sight=False: table.position)
    with pytest.raises(AssertionError):
        check_bot(monkeypatch, worlds, GAMES["goldmine"])
