"""The routes of a guest's own mistakes."""

from typing import Annotated

from fastapi import FastAPI, Path, Query, Request
from sqlalchemy import Connection

from motherlode.engine import Refusal
from motherlode.server import mistakes, review_queries, review_wire
from motherlode.server.guest_requests import SomeGuest, charge_entries
from motherlode.server.live_table import LiveTable
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import NoMistake
from motherlode.server.review_queries import StoredMistake
from motherlode.server.reviews import Reviews
from motherlode.server.schema import Guest
from motherlode.table import check_legal

MOST = 200
Filter = Annotated[str | None, Query(max_length=40, pattern=r"^[^\x00]*$")]
SeatOf = Annotated[int, Path(ge=0, le=9)]
PlaceOf = Annotated[int, Path(ge=0, le=1_000_000)]


def add_mistakes(app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit], reviews: Reviews) -> None:
    async def find(guest: Guest, table: str, seat: int, at: int) -> tuple[LiveTable, StoredMistake]:
        """A mistake of this guest, and where it was made."""

        def read(db: Connection) -> list[StoredMistake]:
            return review_queries.read_mistakes(db, guest.id, sitting=table, seat=seat, at=at)

        found = await parlour.storage.read(read)
        if not found:
            raise NoMistake
        live = await parlour.find(table)
        if not (live.is_told_over(seat) and at < live.core.at):
            raise NoMistake
        return live, found[0]

    @app.get("/api/guests/me/mistakes")
    async def list_my_mistakes(
        guest: SomeGuest,
        game: Filter = None,
        kind: Filter = None,
        most: Annotated[int, Query(ge=1, le=MOST)] = MOST,
    ) -> review_wire.MyMistakes:
        """What you did worst in reviewed games, what is due first, and what you lose per decision."""

        def read(db: Connection) -> tuple[list[StoredMistake], list[review_queries.Judged]]:
            return review_queries.read_mistakes(db, guest.id, game, kind), review_queries.read_judged(db, guest.id)

        found, judged = await parlour.storage.read(read)
        now = parlour.now()
        return review_wire.MyMistakes(
            mistakes=[mistakes.card(one, now) for one in found[:most]],
            total=len(found),
            due=sum(mistakes.is_due(one, now) for one in found),
            rates=mistakes.rates(judged),
        )

    @app.get("/api/guests/me/mistakes/{table}/{seat}/{at}")
    async def show_my_mistake(
        request: Request, table: str, seat: SeatOf, at: PlaceOf, guest: SomeGuest
    ) -> review_wire.MistakePosition:
        """The position as your seat knew it; not what would have been better."""
        live, one = await find(guest, table, seat, at)
        charge_entries(limits["requests"], request, guest, at)
        return mistakes.position(live, one, parlour.now())

    @app.post("/api/guests/me/mistakes/{table}/{seat}/{at}")
    async def try_my_mistake(
        table: str, seat: SeatOf, at: PlaceOf, asked: review_wire.Try, guest: SomeGuest
    ) -> review_wire.Tried:
        """Try again: whether that is the best, what it was and why, and when the mistake comes back."""
        live, was = await find(guest, table, seat, at)
        live.check_action(asked.action)
        check_legal(live.game, live.core.positions[at], seat, asked.action)
        stored = await reviews.read(table)
        seats = stored.seats if stored else []
        answer = next((one for of in seats for one in of.mistakes if (one.seat, one.at) == (seat, at)), None)
        if answer is None:
            raise Refusal("this game has to be reviewed again first: open its review")
        is_best, now = asked.action == answer.best, parlour.now()
        change = mistakes.after_try(was, is_best=is_best, now=now)
        await parlour.guests.write(guest, lambda db: review_queries.change_mistake(db, guest.id, was, **change))
        return review_wire.Tried(right=is_best, mistake=mistakes.card(was._replace(**change), now), answer=answer)
