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
from motherlode.bots import guided, network, policy
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.server import bot_workers
from motherlode.server.bot_workers import BotWorkers, Question
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

BOTS = ("random", "search:5", "policy", "policy+search:5")
CHOOSE = BotWorkers.choose


def bot_hears(monkeypatch: pytest.MonkeyPatch, world: World, game: Game, bot: str) -> list[Question]:
    """All that a worker process is handed for the server's bot at seat 0, but for the random seed."""
    table = Table(game, 2, OPTIONS.get(game.NAME, {}), 0)
    log = twins(game, 2, table.options, 0, LENGTH + 6)
    last = max(at for at, pair in enumerate(log) if pair.actor == 0)
    heard: list[Question] = []

    async def queue(_: BotWorkers, question: Question, asker: Any) -> int:
        if len(question.log) > last:
            await asyncio.Event().wait()
        heard.append(question._replace(seed=9))
        return log[len(question.log)][1 + world.number]

    monkeypatch.setattr(BotWorkers, "choose", CHOOSE)
    monkeypatch.setattr(BotWorkers, "_queue", queue)
    world.move_clock(0.001)  # so that lists, of the newest first, have one order
    key = world.players[1].make(game.NAME, bot, "anyone", options=table.options)["id"]
    SCRIPTS[key] = chance_of(log, world.number)
    world.take(key, 1, world.players[1].keys)
    live = world.live(key)
    for at, pair in enumerate(log[:last]):
        if pair.actor == 1:
            world.until(live, at)
            world.act(key, 1, at, pair[1 + world.number])
    world.until(live, last + 1)
    return heard


def answers(question: Question) -> list[Any]:
    """What is answered to it; a search that a network guides is here the interpreted one."""
    found: list[Any] = [bot_workers.answer(question)]
    if question.bot and "policy" in question.bot:
        game = GAMES[question.game]
        ask = core.Ask(game, question.seat, game.RECORD.from_buffer_copy(question.view), question.legal, [])
        net = network.of(game)
        found += [policy.Policy(game, net, plain=True).mix(ask), guided.search(ask, new_rng(9), net, 5, plain=True)]
    return found


def check_bot(monkeypatch: pytest.MonkeyPatch, worlds: list[World], game: Game, bot: str) -> None:
    one, two = [bot_hears(monkeypatch, world, game, bot) for world in worlds]
    assert len(one) > 3 and {question.bot for question in one} == {bot}
    assert [answers(question) for question in one] == [answers(question) for question in two]
    assert one == two


@pytest.mark.parametrize("game", ["blue_creek", "gold_hunting", "goldmine"])
@pytest.mark.parametrize("bot", BOTS)
def test_a_bot(monkeypatch: pytest.MonkeyPatch, policies: None, worlds: list[World], game: str, bot: str) -> None:
    check_bot(monkeypatch, worlds, GAMES[game], bot)


@pytest.mark.parametrize("bot", ["random", "policy+search:5"])
def test_a_bot_that_is_handed_too_much_is_caught(
    monkeypatch: pytest.MonkeyPatch, policies: None, worlds: list[World], bot: str
) -> None:
    monkeypatch.setattr(core.Table, "view", lambda table, seat, sight=False: table.position)
    with pytest.raises(AssertionError):
        check_bot(monkeypatch, worlds, GAMES["goldmine"], bot)
