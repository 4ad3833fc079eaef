"""The routes of reviews: of games that are over, for whoever may see their records, or has a shared link."""

from fastapi import FastAPI, Request, Response

from motherlode.engine import Refusal
from motherlode.server import review_queries, review_wire
from motherlode.server.addresses import address
from motherlode.server.guest_requests import AnyGuest, SomeGuest, find_finished
from motherlode.server.live_table import LiveTable
from motherlode.server.parlour import Parlour
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import NotYours
from motherlode.server.reviews import FAILED, Reviews
from motherlode.server.schema import Guest


def add_reviews(app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit], reviews: Reviews) -> None:
    async def show(live: LiveTable, guest: Guest | None) -> review_wire.ReviewState:
        mine = [chair.seat for chair in live.chairs if guest and chair.guest == guest.id]
        shared = live.settings.watch or await parlour.storage.read(lambda db: review_queries.is_shared(db, live.id))
        if stored := await reviews.read(live.id):
            review = stored.model_copy(update={"players": list(live.record().players)})
            return review_wire.ReviewState(state="done", review=review, shared=shared, mine=mine)
        place = reviews.place(live.id)
        if place is not None:
            return review_wire.ReviewState(state="working", place=place, shared=shared, mine=mine)
        if reviews.has_failed(live.id):
            return review_wire.ReviewState(state="failed", no=FAILED, shared=shared, mine=mine)
        return review_wire.ReviewState(state="none", shared=shared, mine=mine)

    @app.get("/api/tables/{table}/review")
    async def show_review(table: str, guest: AnyGuest) -> review_wire.ReviewState:
        """What is known of the review of a finished game."""
        return await show(await find_finished(parlour, table, guest), guest)

    @app.post("/api/tables/{table}/review", responses={202: {"model": review_wire.ReviewState}})
    async def ask_for_review(
        table: str, guest: AnyGuest, request: Request, response: Response
    ) -> review_wire.ReviewState:
        """The review of a finished game. The first who asks has it made: ask again until it is there."""
        live = await find_finished(parlour, table, guest)
        if not live.core.is_over:
            raise Refusal("this game was given up before its end: games are reviewed that were played to the end")
        state = await show(live, guest)
        if state.state == "none":
            who = guest.id if guest else address(request)
            limits["reviews"].take(who, address(request))
            reviews.ask(who, address(request), table)
            state = await show(live, guest)
            if state.state == "none":  # another server reviews it
                state = state.model_copy(update={"state": "working", "place": 0})
        if state.state == "working":
            response.status_code = 202
        return state

    @app.post("/api/tables/{table}/review/share", status_code=204)
    async def share_review(table: str, guest: SomeGuest) -> None:
        """Whoever has the link may see this finished game from now on: its review, its record and its replay."""
        live = await check_player(table, guest)
        now = parlour.now()
        await parlour.guests.write(guest, lambda db: review_queries.share(db, live.id, now))

    @app.delete("/api/tables/{table}/review/share", status_code=204)
    async def unshare_review(table: str, guest: SomeGuest) -> None:
        """Only whoever may watch the table may see its game again."""
        live = await check_player(table, guest)
        await parlour.guests.write(guest, lambda db: review_queries.unshare(db, live.id))

    async def check_player(table: str, guest: Guest) -> LiveTable:
        live = await find_finished(parlour, table, guest)
        if not any(chair.guest == guest.id for chair in live.chairs):
            raise NotYours("only those who have played a game can share it")
        return live
