"""Leaks planted in the server are caught by the twin games (`twin_games`); a request that nobody fills is named.

Most of the leaks are planted only in the long run.
"""

import base64
import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from support.generated_requests import Scene, Unfillable, http_requests, socket_requests
from support.twin_games import DELAY, check, check_end, few
from support.viewer_tape import Table, World

from motherlode import engine, text
from motherlode.game import fields_of
from motherlode.games import GAMES
from motherlode.server import hints, messages, my_games, presence, queries, routes, schema, wire
from motherlode.server.admin import Administration
from motherlode.server.chat import Chat
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.told_logs import ToldLogs
from motherlode.server.websocket import PageSocket
from motherlode.table import Ask

Plant = Callable[[pytest.MonkeyPatch], None]
GAME = GAMES["goldmine"]


def plant_message(change: Callable[[LiveTable, int, wire.TableMessage], None]) -> Plant:
    """Whatever table is told of is changed like this."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        real = messages.table_message

        def leaky(table: LiveTable, seat: int, did: list[wire.Did], **more: Any) -> wire.TableMessage:
            message = real(table, seat, did, **more)
            change(table, seat, message)
            return message

        monkeypatch.setattr(messages, "table_message", leaky)

    return plant


def plant_card(change: Callable[[schema.TableFacts, list[schema.Chair], dict[str, Any]], None]) -> Plant:
    """Whatever card is shown, in a list or alone, is changed like this."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        real = routes.table_card

        def leaky(parlour: Any, facts: schema.TableFacts, chairs: list[schema.Chair], *more: Any, **named: Any) -> Any:
            card = real(parlour, facts, chairs, *more, **named)
            change(facts, chairs, card)
            return card

        monkeypatch.setattr(routes, "table_card", leaky)

    return plant


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


def set_to(target: Any, name: str, value: Any) -> Plant:
    return lambda monkeypatch: monkeypatch.setattr(target, name, value)


# While the game goes on


def send_whole_positions(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    message.view = fields_of(table.game, table.core.position)


def describe_whole_positions(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    if message.described is not None:
        message.described = messages.description(table.game, bytes(table.core.position))


def send_the_secret(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    message.seal = message.seal.model_copy(update={"secret": table.facts.seal.secret.hex()})


def send_half_of_the_secret(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    message.rematch = table.facts.seal.secret.hex()[:16]


def send_the_secret_as_commitment(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    secret = base64.urlsafe_b64encode(b"!" + table.facts.seal.secret).decode()
    message.seal = message.seal.model_copy(update={"commitment": secret})


def send_legal_actions_of_the_other(table: LiveTable, seat: int, message: wire.TableMessage) -> None:
    if table.core.turn >= 0:
        legal = engine.legal(table.game, table.core.position)
        message.legal = [wire.Legal(action=a, words=table.game.ACTIONS.name(a)) for a in legal]


def tell_the_action(logs: ToldLogs, did: wire.Did, a: int) -> None:
    did.action = a


def tell_the_arguments(logs: ToldLogs, did: wire.Did, a: int) -> None:
    did.args = (logs.core.game.ACTIONS if did.actor >= 0 else logs.core.game.OUTCOMES).args(a)


def send_only_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole position goes out once, with the first message of a socket."""
    real = messages.current_message

    def leaky(table: LiveTable, seat: int, since: int | None, **more: Any) -> wire.TableMessage:
        return real(table, seat, since, **more).model_copy(update={"view": fields_of(table.game, table.core.position)})

    monkeypatch.setattr(messages, "current_message", leaky)


def write_everything(table: LiveTable, seat: int) -> str:
    """The whole game in the download, without its secret."""
    return text.write_record(table.record()._replace(seals=(), chain=""))


def refuse_with_the_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that names the log's last link: whoever guesses the hidden actions can check the guess."""
    real = PageSocket.refuse

    def leaky(page: PageSocket, no: str, clause: str | None, do: str | None) -> None:
        real(page, f"{no} ({page.table.links[-1].hex()[:8]})", clause, do)

    monkeypatch.setattr(PageSocket, "refuse", leaky)


def hint_from_the_position(monkeypatch: pytest.MonkeyPatch) -> None:
    real = hints.question

    def leaky(table: LiveTable, *more: Any) -> tuple[Ask, int]:
        ask, at = real(table, *more)
        return ask._replace(view=table.core.position), at

    monkeypatch.setattr(hints, "question", leaky)


def name_the_guest(facts: schema.TableFacts, chairs: list[schema.Chair], card: dict[str, Any]) -> None:
    for player, chair in zip(card["players"], chairs, strict=True):
        player["name"] = chair.guest or ""


PLAYING: dict[str, Plant] = {
    "whole positions": plant_message(send_whole_positions),
    "whole positions as sentences": plant_message(describe_whole_positions),
    "the whole opening in the first message": send_only_at_first,
    "the secret": plant_message(send_the_secret),
    "half of the secret": plant_message(send_half_of_the_secret),
    "the secret in place of the commitment": plant_message(send_the_secret_as_commitment),
    "the secret in a list of tables": plant_card(lambda facts, _, card: card.update(title=facts.seal.secret.hex())),
    "the secret backwards on a card": plant_card(
        lambda facts, _, card: card.update(title=facts.seal.secret.hex()[::-1])
    ),
    "who made the table, by id": plant_card(lambda facts, _, card: card.update(title=facts.maker)),
    "administration without a token": set_to(Administration, "check", lambda *_: None),
    "guests by their ids": plant_card(name_the_guest),
    "other hand in the log": plant_log(tell_the_action),
    "other hand in the log's arguments": plant_log(tell_the_arguments),
    "other hand in the record": set_to(messages, "record_text", write_everything),
    "a refusal with the chain": refuse_with_the_chain,
    "legal actions of the other": plant_message(send_legal_actions_of_the_other),
    "a hint that knows everything": hint_from_the_position,
}


@pytest.mark.parametrize(
    "plant",
    few(PLAYING, 6, "whole positions as sentences", "the secret in a list of tables", "administration without a token"),
)
def test_a_leak_while_playing_is_caught(monkeypatch: pytest.MonkeyPatch, worlds: list[World], plant: Plant) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError, match=r"differs|may not have"):
        check(worlds, Table(GAME, 2, {}, 0), but_tables=False)


@pytest.mark.soak
def test_a_leak_of_my_games_is_caught(monkeypatch: pytest.MonkeyPatch, worlds: list[World]) -> None:
    """What a guest asks about itself knows no more than its seat."""
    monkeypatch.setattr(my_games, "standing_of", lambda live, own: my_games.Standing(points=list(live.core.log)))
    with pytest.raises(AssertionError, match=r"differs, asking GET /api/guests/me/games"):
        check(worlds, Table(GAME, 2, {}, 0), before=False)


@contextlib.contextmanager
def one_more_route(app: FastAPI, path: str, answer: Callable[..., Any]) -> Iterator[None]:
    routes_before = list(app.router.routes)
    app.get(path)(answer)
    app.router.routes.insert(0, app.router.routes.pop())
    app.openapi_schema = None
    yield
    app.router.routes[:] = routes_before
    app.openapi_schema = None


def test_a_leak_of_a_new_route_is_caught(worlds: list[World]) -> None:
    with contextlib.ExitStack() as stack:
        for world in worlds:
            stack.enter_context(one_more_route(world.app, "/api/tables/{table}/peek", peeking(world)))
        with pytest.raises(AssertionError, match="peek"):
            check(worlds, Table(GAME, 2, {}, 0), but_tables=False)


def peeking(world: World) -> Callable[..., Any]:
    async def peek(table: str) -> dict[str, Any]:
        return {"log": list(world.live(table).core.log)}

    return peek


# When the game is over, and spectators do not know


def if_over(change: Callable[[LiveTable, wire.TableMessage], None]) -> Plant:
    return plant_message(lambda table, seat, message: change(table, message) if table.is_over else None)


def tell_of_the_end(table: LiveTable, message: wire.TableMessage) -> None:
    message.turn = -2


def tell_the_points(table: LiveTable, message: wire.TableMessage) -> None:
    message.result = messages.result(table.game, table.core.position)


def tell_the_rematch(table: LiveTable, message: wire.TableMessage) -> None:
    message.rematch = table.rematch


def tell_the_secret(table: LiveTable, message: wire.TableMessage) -> None:
    message.seal = message.seal.model_copy(update={"secret": table.facts.seal.secret.hex()})


def tell_the_place(table: LiveTable, message: wire.TableMessage) -> None:
    message.at = table.core.at


def cool_down(table: LiveTable, message: wire.TableMessage) -> None:
    for player in message.players:
        player.warming = False


def list_what_is_over(db: Any, most: int) -> list[Any]:
    """Among the open tables, those that have just ended."""
    ended = sa.select(schema.SITTING.c.id).where(schema.SITTING.c.ended.is_not(None))
    return queries.read_cards(db, list(db.scalars(ended.order_by(schema.SITTING.c.made.desc()).limit(1))))


def list_the_watched_too_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that is over is not listed any more, though spectators do not know."""
    real = queries.list_watchable
    monkeypatch.setattr(queries, "list_watchable", lambda db, now, most: real(db, now + DELAY, most))


def announce_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rematch is announced to those, too, who do not know that the game is over."""
    monkeypatch.setattr(LiveTable, "is_told_over", lambda table, seat: table.is_over)


ENDING: dict[str, Plant] = {
    "the secret": if_over(tell_the_secret),
    "whose turn it is": if_over(tell_of_the_end),
    "the points": if_over(tell_the_points),
    "the rematch": if_over(tell_the_rematch),
    "how far the log is": if_over(tell_the_place),
    "bots that no longer warm up": if_over(cool_down),
    "over on the card": plant_card(lambda facts, _, card: card.update(over=facts.ended is not None)),
    "when it ended on the card": plant_card(lambda facts, _, card: card.update(made=str(facts.ended))),
    "the record, the replay and the rematch's message": announce_to_all,
    "a list": set_to(queries, "list_open", list_what_is_over),
    "games to watch": list_the_watched_too_soon,
    "a message that says nothing": set_to(PageSocket, "is_news", lambda *_: True),
    "what players say": set_to(Chat, "may_hear", lambda *_: True),
    "players who go": set_to(presence.Presence, "told_to", lambda found, seat: found.present()),
    "players who get up": set_to(messages, "told_chairs", lambda table, seat: table.chairs),
}


@pytest.mark.parametrize("plant", few(ENDING, 4, "the secret", "games to watch"))
def test_a_leak_of_the_end_is_caught(monkeypatch: pytest.MonkeyPatch, worlds: list[World], plant: Plant) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError, match=r"differs|may not have"):
        check_end(worlds, Table(GAME, 2, {"target": 0}, PUBLIC, delay=DELAY, bot=True))


# What nobody has said how to fill

SCENE = Scene("T" * 22, GAME, {}, 2, 0, "Viewer", 3, [], False)


def test_a_route_that_cannot_be_filled_is_named() -> None:
    app = FastAPI()
    app.get("/api/tables/{table}/things/{thing}")(lambda table, thing: None)
    with pytest.raises(
        Unfillable, match=r"nobody has said what 'thing' of /api/tables/\{table\}/things/\{thing\} may be"
    ):
        list(http_requests(app, SCENE))


def test_a_message_that_cannot_be_filled_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wave(wire.Incoming):
        do: Literal["wave"]
        hand: str

    monkeypatch.setattr(wire, "SOCKET_REQUESTS", (Wave,))
    with pytest.raises(Unfillable, match="nobody has said what 'hand' of Wave may be"):
        list(socket_requests(SCENE))
