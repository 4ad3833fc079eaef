"""The routes of `motherlode admin`, for whoever runs the server: `housekeeping` does the work.

They are refused without the server's admin token, which is sent in the header Authorization and never in a cookie, and
to every request that names an Origin, as those of pages do.
"""

import logging
import secrets
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Query, Request, Response
from fastapi.routing import APIRoute
from sqlalchemy import Connection

from motherlode.engine import Refusal
from motherlode.server import (
    admin_queries,
    messages,
    mistakes,
    my_games,
    puzzle_ratings,
    puzzle_wire,
    queries,
    results,
    review_queries,
)
from motherlode.server import admin_wire as wire
from motherlode.server.addresses import address
from motherlode.server.admin_queries import StoredGuest
from motherlode.server.admin_token import make_token, remove_token
from motherlode.server.housekeeping import Housekeeping
from motherlode.server.keys import digest
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.messages import timestamp
from motherlode.server.parlour import Parlour
from motherlode.server.puzzle_ratings import Rating, Tried
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import BrokenLog, NoTable, NotSignedIn
from motherlode.server.schema import Chair, TableFacts

log = logging.getLogger("motherlode")
Most = Annotated[int, Query(ge=1, le=10_000)]
Why = Annotated[wire.Reason, Query()]


class Administration:
    """The token, and who is let in with it."""

    def __init__(self, parlour: Parlour, attempts: RateLimit) -> None:
        self.parlour, self.attempts = parlour, attempts
        self.token: str | None = None

    def open(self) -> None:
        try:
            self.token = make_token(self.parlour.settings)
        except OSError as error:
            log.warning("no administration: its token cannot be written", extra={"reason": error.strerror})
        else:
            if self.token is None:
                log.info("no administration: on PostgreSQL it needs the setting admin_token")

    def close(self) -> None:
        if self.token:
            remove_token(self.parlour.settings, self.token)

    def check(self, request: Request) -> None:
        """Whoever has the token is let in, however often others have tried."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        is_same = secrets.compare_digest(digest(given.strip()[:1000]), digest(self.token or ""))
        if self.token and is_same and scheme.lower() == "bearer" and "origin" not in request.headers:
            return
        self.attempts.take(address(request))
        raise NotSignedIn("this is for whoever runs the server")


class AdminRoute(APIRoute):
    """A route that looks at nothing of a request before it has seen the token."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def check_first(request: Request) -> Response:
            request.app.state.administration.check(request)
            return await handle(request)

        return check_first


# What is shown


def when(seconds: float | None) -> str | None:
    return None if seconds is None else timestamp(seconds)


def state(facts: TableFacts) -> wire.State:
    if facts.closed is not None:
        return "closed"
    if facts.ended is not None:
        return "over"
    return "waiting" if facts.begun is None else "running"


def show_table(facts: TableFacts, chairs: list[Chair]) -> wire.AdminTable:
    players = [
        wire.AdminPlayer(seat=chair.seat, guest=chair.guest, name=chair.name or "", bot=chair.bot, left=chair.left)
        for chair in chairs
    ]
    return wire.AdminTable(
        id=facts.id,
        game=facts.game,
        state=state(facts),
        maker=facts.maker,
        players=players,
        made=timestamp(facts.made),
        begun=when(facts.begun),
        ended=when(facts.ended),
    )


def show_guest(guest: StoredGuest, now: float) -> wire.AdminGuest:
    """What has come to its end is not shown."""
    is_banned = guest.banned is not None and now < guest.banned
    return wire.AdminGuest(
        id=guest.id,
        name=guest.name,
        made=timestamp(guest.made),
        tables=guest.tables,
        banned=when(guest.banned) if is_banned else None,
        ban_reason=guest.ban_reason if is_banned else None,
        muted=when(guest.muted) if guest.muted is not None and now < guest.muted else None,
    )


def export_seat(live: LiveTable, seat: int) -> wire.ExportedSeat:
    """What a guest did at a seat, as it was told of it."""
    try:
        told = messages.told_log(live, seat)
    except Refusal as no:  # it has to remember that
        return wire.ExportedSeat(seat=seat, actions=[], left_out=str(no))
    return wire.ExportedSeat(seat=seat, actions=[did for did in told if did.actor == seat], left_out=None)


def export_try(puzzle: str, action: int, tried: Tried) -> wire.ExportedTry:
    moments = {"made": timestamp(tried.made), "made_last": timestamp(tried.made_last)}
    return wire.ExportedTry(puzzle=puzzle, action=action, **{**tried._asdict(), **moments})


def export_rating(game: str, rating: Rating) -> wire.ExportedRating:
    return wire.ExportedRating(game=game, **puzzle_wire.rating_card(rating).model_dump())


async def export_table(parlour: Parlour, facts: TableFacts, chairs: list[Chair], guest: str) -> wire.ExportedTable:
    own = [chair.seat for chair in chairs if chair.guest == guest]
    try:
        live = await parlour.find(facts.id)
        seats = [export_seat(live, seat) for seat in own]
    except (Refusal, BrokenLog):
        seats = [wire.ExportedSeat(seat=seat, actions=[], left_out="its log cannot be replayed") for seat in own]
    return wire.ExportedTable(
        id=facts.id,
        game=facts.game,
        options=facts.options,
        state=state(facts),
        made_by_guest=facts.maker == guest,
        made=timestamp(facts.made),
        begun=when(facts.begun),
        ended=when(facts.ended),
        seats=seats,
    )


async def show_sheet(parlour: Parlour, key: str) -> wire.AdminTableSheet:
    """A table, also one whose log is damaged."""

    def read(db: Connection) -> list[tuple[TableFacts, list[Chair]]]:
        with queries.reading(key):
            return queries.read_cards(db, [key])

    found = await parlour.storage.read(read)
    if not found:
        raise NoTable
    facts, chairs = found[0]
    sheet: dict[str, Any] = dict.fromkeys(("at", "moved", "present", "watchers", "fault"))
    try:
        live = await parlour.find(key)
    except BrokenLog as error:
        sheet["fault"] = str(error)
    except NoTable:
        raise
    except Refusal as no:  # such as a game that is not installed any more
        sheet["fault"] = str(no)
    else:
        at = live.told_count(PUBLIC)
        present, watchers = live.presence.present()
        moved = when(parlour.now() - parlour.steady() + live.done[at - 1]) if at else None
        sheet |= {"at": at, "moved": moved, "present": present, "watchers": watchers}
    return wire.AdminTableSheet(
        **show_table(facts, chairs).model_dump(),
        **sheet,
        options=facts.options,
        settings=facts.settings,
        rules=facts.rules,
        chat_lines=await parlour.storage.read(lambda db: admin_queries.count_chat(db, key)),
    )


# Routes


def add_admin(app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit]) -> None:
    app.state.administration = Administration(parlour, limits["guests"])
    router = APIRouter(prefix="/api/admin", route_class=AdminRoute, tags=["administration"])
    housekeeping = app.state.housekeeping = Housekeeping(parlour)
    add_table_routes(router, parlour, housekeeping)
    add_guest_routes(router, parlour, housekeeping)
    add_other_routes(router, parlour, housekeeping)
    app.include_router(router)


def add_table_routes(router: APIRouter, parlour: Parlour, housekeeping: Housekeeping) -> None:
    @router.get("/tables")
    async def list_tables(
        state: wire.State | None = None, guest: str | None = None, most: Most = 100
    ) -> wire.AdminTables:
        """The newest first."""
        found = await parlour.storage.read(lambda db: admin_queries.list_tables(db, state, guest, most))
        return wire.AdminTables(tables=[show_table(*card) for card in found])

    @router.get("/tables/{table}")
    async def show(table: str) -> wire.AdminTableSheet:
        return await show_sheet(parlour, table)

    @router.post("/tables/{table}/close", status_code=204)
    async def close(table: str, because: wire.Because) -> None:
        """End a game unfinished."""
        await housekeeping.close(table, because.reason)

    @router.delete("/tables/{table}", status_code=204)
    async def delete(table: str, reason: Why = "") -> None:
        await housekeeping.delete(table, reason)


def add_guest_routes(router: APIRouter, parlour: Parlour, housekeeping: Housekeeping) -> None:
    async def read_guest(guest: str) -> StoredGuest:
        return await parlour.storage.read(lambda db: admin_queries.read_guest(db, guest))

    @router.get("/guests")
    async def list_guests(name: str | None = None, most: Most = 100) -> wire.AdminGuests:
        """The newest first; with a name, those whose name contains it."""
        found = await parlour.storage.read(lambda db: admin_queries.list_guests(db, name, most))
        return wire.AdminGuests(guests=[show_guest(guest, parlour.now()) for guest in found])

    @router.get("/guests/{guest}")
    async def show(guest: str) -> wire.AdminGuestSheet:
        found = show_guest(await read_guest(guest), parlour.now())
        cards = await parlour.storage.read(lambda db: admin_queries.list_tables(db, None, guest, 10_000))
        return wire.AdminGuestSheet(**found.model_dump(), at_tables=[show_table(*card) for card in cards])

    @router.post("/guests/{guest}/ban", status_code=204)
    async def ban(guest: str, sanction: wire.Sanction) -> None:
        await housekeeping.ban(guest, sanction.seconds, sanction.reason)

    @router.delete("/guests/{guest}/ban", status_code=204)
    async def unban(guest: str, reason: Why = "") -> None:
        await housekeeping.unban(guest, reason)

    @router.post("/guests/{guest}/mute", status_code=204)
    async def mute(guest: str, sanction: wire.Sanction) -> None:
        await housekeeping.mute(guest, sanction.seconds, sanction.reason)

    @router.delete("/guests/{guest}/mute", status_code=204)
    async def unmute(guest: str, reason: Why = "") -> None:
        await housekeeping.unmute(guest, reason)

    @router.get("/guests/{guest}/export")
    async def export(guest: str) -> wire.Export:
        """Everything stored that belongs to a guest."""
        found = show_guest(await read_guest(guest), parlour.now())
        cards, said, played, found_mistakes, tries, ratings = await parlour.storage.read(
            lambda db: (
                admin_queries.list_belonging(db, guest),
                admin_queries.list_said(db, guest),
                results.read_played(db, guest),
                review_queries.read_mistakes(db, guest),
                puzzle_ratings.list_tries(db, guest),
                puzzle_ratings.read_solver(db, guest),
            )
        )
        tables = [await export_table(parlour, *card, guest) for card in cards]
        lines = [
            wire.ExportedLine(table=line.sitting, seat=line.seat, text=line.text, made=timestamp(line.made))
            for line in said
        ]
        await housekeeping.write("export", guest, lambda db: None)
        return wire.Export(
            guest=found,
            tables=tables,
            chat=lines,
            record=my_games.exported(played),
            mistakes=[mistakes.card(one, parlour.now()) for one in found_mistakes],
            puzzle_tries=[export_try(*row) for row in tries],
            puzzle_ratings=[export_rating(*rated) for rated in ratings.items()],
        )

    @router.delete("/guests/{guest}")
    async def delete(guest: str, reason: Why = "") -> wire.Deleted:
        """Delete a guest. Its games with others stay, with a former guest in its seat."""
        deleted, kept = await housekeeping.delete_guest(guest, reason)
        return wire.Deleted(tables_deleted=deleted, tables_kept=kept)


def add_other_routes(router: APIRouter, parlour: Parlour, housekeeping: Housekeeping) -> None:
    @router.get("/queue")
    async def show_queue() -> wire.Queue:
        """What bots compute, and what waits for it."""
        others = len(parlour.peers.last_notice) if parlour.peers else 0
        questions = [wire.Question(**asked._asdict()) for asked in parlour.bot_workers.thinking()]
        return wire.Queue(process=parlour.storage.process, processes=1 + others, questions=questions)

    @router.delete("/queue")
    async def clear_queue(guest: str | None = None, table: str | None = None, reason: Why = "") -> wire.Cleared:
        """Drop the questions that wait: all, or those of a guest, or of a table."""
        return wire.Cleared(cleared=await housekeeping.clear_queue(guest, table, reason))

    @router.get("/log")
    async def show_log(most: Most = 100) -> wire.Audit:
        """What was done, the latest first."""
        found = await parlour.storage.read(lambda db: admin_queries.list_audit(db, most))
        entries = [wire.AuditEntry(**{**row._asdict(), "made": timestamp(row.made)}) for row in found]
        return wire.Audit(entries=entries)
