"""The routes of a guest's own games and record."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import PlainTextResponse

from motherlode.server import messages, my_games, results, schema, wire
from motherlode.server.guest_requests import AnyGuest, SomeGuest, charge_entries
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit
from motherlode.server.schema import Guest

MOST_MINE = 20
Filter = Annotated[str | None, Query(max_length=40, pattern=r"^[^\x00]*$")]
CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}


def add_my_games(
    app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit], table_card: Callable[..., dict[str, Any]]
) -> None:
    @app.get("/api/guests/me/games")
    async def list_my_games(
        request: Request,
        guest: SomeGuest,
        over: bool = False,
        game: Filter = None,
        bot: Filter = None,
        person: Filter = None,
        result: Literal["won", "drawn", "lost"] | None = None,
        after: Annotated[str | None, Query(max_length=100)] = None,
        most: Annotated[int, Query(ge=1, le=MOST_MINE)] = MOST_MINE,
    ) -> wire.MyGames:
        """Your games that are not over, or those that are; the latest first."""
        wanted, cursor = (
            my_games.Wanted(over, game, bot, person, result),
            my_games.Cursor.read(after) if after else None,
        )
        found = await parlour.storage.read(lambda db: my_games.find(db, guest.id, wanted, cursor, most))
        tables = []
        for facts, chairs in found.cards:
            own = [chair.seat for chair in chairs if chair.guest == guest.id]
            if facts.id not in parlour.tables and not found.scores[facts.id]:
                charge_entries(limits["requests"], request, guest, facts.actions)
            try:
                card = table_card(parlour, facts, chairs, guest, is_over=facts.ended is not None)
                standing = await my_games.standing(parlour, facts, own, found.scores[facts.id])
                ended = None if facts.ended is None else messages.timestamp(facts.ended)
                tables.append(wire.MyGame(**card, **standing._asdict(), ended=ended))
            except Exception as error:  # noqa: BLE001 - one damaged table, or one of a game that is not here any more
                schema.DAMAGED.name(facts.id, f"{type(error).__name__}: {str(error)[:200]}")
        return wire.MyGames(tables=tables, total=found.total, next=found.next)

    @app.get("/api/guests/me/opponents")
    async def list_my_opponents(guest: SomeGuest) -> wire.MyOpponents:
        """The games you have played, and with whom."""
        return await parlour.storage.read(lambda db: my_games.opponents(db, guest.id))

    async def read_played(guest: Guest | None) -> list[results.Played]:
        return await parlour.storage.read(lambda db: results.read_played(db, guest.id)) if guest else []

    @app.get("/api/guests/me/record")
    async def show_my_record(guest: AnyGuest) -> wire.MyRecord:
        """What you have played and won, and the level of each game that suits you; without a token: a newcomer's."""
        return my_games.show_record(await read_played(guest))

    @app.delete("/api/guests/me/record", status_code=204)
    async def delete_my_record(guest: SomeGuest) -> None:
        """Forget what you have played and won. The tables stay."""
        await parlour.guests.write(guest, lambda db: results.delete_played(db, guest.id))

    @app.get("/api/guests/me/record.json")
    async def export_my_record(guest: SomeGuest, response: Response) -> wire.RecordExport:
        """Every game that counts, to download."""
        response.headers["content-disposition"] = 'attachment; filename="motherlode-record.json"'
        return wire.RecordExport(games=my_games.exported(await read_played(guest)))

    @app.get("/api/guests/me/record.csv", response_model=None, responses=CSV)
    async def export_my_record_as_csv(guest: SomeGuest) -> PlainTextResponse:
        """The same as a table."""
        headers = {"content-disposition": 'attachment; filename="motherlode-record.csv"'}
        return PlainTextResponse(my_games.as_csv(await read_played(guest)), headers=headers, media_type="text/csv")
