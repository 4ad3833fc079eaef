"""Whoever cannot tell two worlds apart receives equal bytes from them, whatever they ask (`viewer_tape`).

The tables are generated from the games' seats and options, the requests from the OpenAPI document and the socket's
messages. Leaks planted in the server make what is received differ, and are caught.
"""

import asyncio
import json
from itertools import cycle, islice
from typing import Any

import pytest
from support.generated_requests import Request, reply_kinds
from support.lookalike_games import differing, twins
from support.scripted_chance import SCRIPTS
from support.viewer_tape import OPTIONS, Table, Tape, World, begin, chance_of, compare, play, sit_down

from motherlode import contract, engine, text
from motherlode import table as core
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.server import table_setup
from motherlode.server.bot_workers import BotWorkers
from motherlode.server.listener import PUBLIC

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


def check(worlds: list[World], table: Table, *, but_tables: bool = True) -> None:
    """A table before its game begins, and when it has gone on, as all who look are told of it; for those who are told
    late, before and after."""
    log = twins(table.game, table.seats, table.options, table.seat, LENGTH, tries=2)
    apart = differing(table.game, table.seats, table.options, log)
    assert len(log) > LENGTH // 2 and (apart == 0 if table.game.NAME in OPEN_GAMES else apart > len(log) // 3)
    if table.seat >= 0:  # up to where the viewer is to act
        log = log[: max(at for at, pair in enumerate(log) if pair.actor == table.seat)]
    tapes = [sit_down(world, table, chance_of(log, world.number)) for world in worlds]
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


@pytest.mark.parametrize("table", [table for game in GAMES.values() for table in tables_of(game)], ids=str)
def test_worlds_that_look_alike(worlds: list[World], table: Table) -> None:
    check(worlds, table)


# The end, of which spectators are told late


def last_part(table: Table) -> str:
    """The record of a game that is over after a few more decisions, of which the first is one of a person."""
    opening = engine.start(table.game, table.seats, **table.options)
    steps = list(contract.random_game(table.game, opening, new_rng(table.seats)))
    first = max(at for at, (s, _, _) in enumerate(steps[:-1]) if 0 <= s.turn < table.seats - 1)
    actions = [a for _, a, _ in steps[:first]]
    options = engine.check_options(table.game, table.options)
    return text.write_record(text.Played(table.game, table.seats, options, actions))


def finish(world: World, key: str) -> None:
    """The game is played to its end and a rematch is made, and everybody gets up and goes."""
    live, player = world.live(key), world.players[0]
    world.bots_act = True
    while not live.is_over:
        at, turn = live.core.at, live.core.turn
        if live.chairs[turn].bot:
            world.until(lambda at=at: live.core.at > at)
        else:
            world.act(key, turn, at, engine.legal(live.game, live.core.position)[0])
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
        assert tape.last["seal"]["secret"] == secret and tape.last["result"] and tape.last["rematch"]
        path = f"/api/tables/{key}"
        assert json.loads(world.run(tape.fetch(Request("GET", path, {}, None)))[1])["over"]
        assert secret in world.run(tape.fetch(Request("GET", f"{path}/record", {}, None)))[1]


@pytest.mark.parametrize(("game", "seats"), [(game, seats) for game in GAMES.values() for seats in game.SEATS], ids=str)
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

    async def choose(_: Any, bot: str, ask: Any, seed: int) -> int:
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
            world.until(lambda at=at: live.core.at == at)
            world.act(key, 1, at, pair[1 + world.number])
    world.until(lambda: live.core.at > last)
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
