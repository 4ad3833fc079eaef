"""Whoever cannot tell two worlds apart receives equal bytes from them, over real sockets (`viewer_tape`).

Leaks planted in the server make what is received differ, and are caught.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from support.local_server import Server, Visitor
from support.scripted_chance import SCRIPTS
from support.viewer_tape import OPTIONS, Plant, chance_of, compare, plant_message, play, twins_of

from motherlode import engine, text
from motherlode.game import Game, fields_of
from motherlode.games import GAMES
from motherlode.server import messages, wire
from motherlode.server.bot_workers import BotWorkers
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.told_logs import ToldLogs
from motherlode.server.websocket import PageSocket
from motherlode.table import Table

pytestmark = pytest.mark.usefixtures("injected_chance")


def check(server: Server, others: list[Visitor], viewer: Visitor, seat: int, game: Game, program: bool = False) -> None:
    log = twins_of(game, seat)
    tapes = [play(others, viewer, seat, game, log, world, program) for world in range(2)]
    assert len({server.parlour.tables[tape.key].facts.seal.secret for tape in tapes}) == 2
    compare(*tapes)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
class TestWorlds:
    def test_a_person(self, server: Server, others: list[Visitor], person: Visitor, game: Game) -> None:
        check(server, others, person, 0, game)

    def test_a_program(self, server: Server, others: list[Visitor], program: Visitor, game: Game) -> None:
        check(server, others, program, 1, game, program=True)

    def test_a_spectator(self, server: Server, others: list[Visitor], stranger: Visitor, game: Game) -> None:
        check(server, others, stranger, PUBLIC, game)


# Bots of the server


def bot_hears(monkeypatch: pytest.MonkeyPatch, others: list[Visitor], game: Game) -> list[list[Any]]:
    """All that the server's bot at seat 0 is handed, in both worlds."""
    log = twins_of(game, 0)
    last = max(at for at, pair in enumerate(log) if pair.actor == 0)
    heard: list[list[Any]] = [[], []]
    world = 0

    async def choose(_: Any, bot: str, ask: Any, seed: int) -> int:
        told = [tuple(entry) for entry in ask.log]
        if len(told) > last:
            await asyncio.Event().wait()
        heard[world].append((bot, ask.game.NAME, ask.seat, bytes(ask.view), ask.legal, told))
        return log[len(told)][1 + world]

    monkeypatch.setattr(BotWorkers, "choose", choose)
    for world in range(2):
        card = others[1].make(game.NAME, "random", "anyone", options=OPTIONS.get(game.NAME, {}))
        SCRIPTS[card["id"]] = chance_of(log, world)
        others[1].take(card["id"], 1)
        path = f"/api/tables/{card['id']}"
        for at, pair in enumerate(log[:last]):
            if pair.actor == 1:
                while others[1].get(f"{path}/now", seat=1, after=at - 1)["turn"] != 1:
                    pass
                others[1].post(f"{path}/act", seat=1, at=at, action=pair[1 + world])
        while others[1].get(f"{path}/now", seat=1, after=last)["at"] <= last:
            pass
    return heard


def check_bot(monkeypatch: pytest.MonkeyPatch, others: list[Visitor], game: Game) -> None:
    one, two = bot_hears(monkeypatch, others, game)
    assert len(one) > 3 and one == two


@pytest.mark.parametrize("game", ["blue_creek", "goldmine"])
def test_a_bot(monkeypatch: pytest.MonkeyPatch, others: list[Visitor], game: str) -> None:
    check_bot(monkeypatch, others, GAMES[game])


# Planted leaks: each of them is caught


def send_whole_positions(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    message.view = fields_of(table.game, table.core.position)


def send_the_secret(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    message.seal.secret = table.facts.seal.secret.hex()


def send_half_of_the_secret_as_rematch(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    message.rematch = table.facts.seal.secret.hex()[:16]


def send_legal_actions_of_the_other(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    message.legal = [
        wire.Legal(action=a, words=table.game.ACTIONS.name(a))
        for a in engine.legal(table.game, table.core.position)
        if table.core.turn >= 0
    ]


def send_only_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole position goes out once, with the first message of a socket."""
    real = messages.current_message

    def leaky(table: LiveTable, seat: int, since: int | None) -> wire.TableMessage:
        message = real(table, seat, since)
        send_whole_positions(table, seat, message)
        return message

    monkeypatch.setattr(messages, "current_message", leaky)


def plant_log(change: Callable[[ToldLogs, wire.Did, int], None]) -> Plant:
    """Every entry of a told log is changed like this, by an action that the seat may not know."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        real = ToldLogs.told

        def leaky(logs: ToldLogs, seat: int, since: int = 0, until: int | None = None) -> list[wire.Did]:
            told = real(logs, seat, since, until)
            for did in told:
                change(logs, did, logs.core.log[did.at])
            return told

        monkeypatch.setattr(ToldLogs, "told", leaky)

    return plant


def tell_the_action(logs: ToldLogs, did: wire.Did, a: int) -> None:
    did.action = a


def tell_the_arguments(logs: ToldLogs, did: wire.Did, a: int) -> None:
    did.args = (logs.core.game.ACTIONS if did.actor >= 0 else logs.core.game.OUTCOMES).args(a)


def word_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other's hand in the words of the log, and only in the download."""
    monkeypatch.setattr(
        messages, "record_text", lambda table, seat: text.write_record(table.record()._replace(seals=(), chain=""))
    )


def refuse_with_the_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that names the log's last link: whoever guesses the hidden actions can check the guess."""
    real = PageSocket.refuse

    def leaky(page: PageSocket, no: str, clause: str | None, do: str | None) -> None:
        real(page, f"{no} ({page.table.links[-1].hex()[:8]})", clause, do)

    monkeypatch.setattr(PageSocket, "refuse", leaky)


WORLD_LEAKS: dict[str, Plant] = {
    "whole positions": plant_message(send_whole_positions),
    "the whole opening in the first message": send_only_at_first,
    "the secret": plant_message(send_the_secret),
    "half of the secret": plant_message(send_half_of_the_secret_as_rematch),
    "other hand in the log": plant_log(tell_the_action),
    "other hand in the log's arguments": plant_log(tell_the_arguments),
    "other hand in the record": word_everything,
    "a refusal with the chain": refuse_with_the_chain,
}


@pytest.mark.parametrize("plant", WORLD_LEAKS.values(), ids=WORLD_LEAKS)
def test_a_planted_leak_is_caught(
    monkeypatch: pytest.MonkeyPatch, server: Server, others: list[Visitor], person: Visitor, plant: Plant
) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError, match="differs"):
        check(server, others, person, 0, GAMES["goldmine"])


def test_planted_legal_actions_of_the_other_are_caught(
    monkeypatch: pytest.MonkeyPatch, server: Server, others: list[Visitor], person: Visitor
) -> None:
    plant_message(send_legal_actions_of_the_other)(monkeypatch)
    with pytest.raises(AssertionError, match="differs"):
        check(server, others, person, 0, GAMES["goldmine"])


def test_a_bot_that_is_handed_too_much_is_caught(monkeypatch: pytest.MonkeyPatch, others: list[Visitor]) -> None:
    monkeypatch.setattr(Table, "view", lambda core, seat, sight=False: core.position)
    with pytest.raises(AssertionError):
        check_bot(monkeypatch, others, GAMES["goldmine"])
