"""The HTTP routes: parse, call, answer. `wire` types what they take and answer; `live_table` does the work."""

import asyncio
import contextlib
import functools
import io
import secrets
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from secrets import compare_digest
from typing import Annotated, Any

import segno
from fastapi import FastAPI, Query, Request, Response, WebSocket
from fastapi.responses import HTMLResponse, PlainTextResponse
from sqlalchemy import Connection
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from motherlode import bots, lessons, sheet, text
from motherlode.bots import levels
from motherlode.engine import Refusal
from motherlode.game import Actions, Game
from motherlode.games import GAMES
from motherlode.server import messages, queries, schema, table_setup, wire
from motherlode.server.addresses import Listens, Proxies, address
from motherlode.server.admin import add_admin
from motherlode.server.api_page import api_page
from motherlode.server.bodies import Bodies
from motherlode.server.connections import Connections
from motherlode.server.guest_requests import (
    COOKIE,
    AnyGuest,
    SomeGuest,
    charge_entries,
    find_finished,
    find_record,
    find_seat,
    own_seat,
    read_token,
    who_asks,
)
from motherlode.server.guests import SIGNED_OUT_WORDS
from motherlode.server.housekeeping import Housekeeping
from motherlode.server.keys import digest, new_id
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.middleware import (
    STATUS,
    RequestChecks,
    add_error_handlers,
    add_lost_page,
    deny_socket,
    is_asked_here,
)
from motherlode.server.mistakes_routes import add_mistakes
from motherlode.server.my_games_routes import add_my_games
from motherlode.server.parlour import Parlour
from motherlode.server.puzzle_routes import add_puzzles
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import BrokenLog, NotSignedIn, NotYours, Unstored
from motherlode.server.review_routes import add_reviews
from motherlode.server.reviews import Reviews
from motherlode.server.schema import Guest
from motherlode.server.settings import Settings
from motherlode.server.websocket import PageSocket

WEB = Path(__file__).parent.parent / "web"
A_YEAR = 365 * 24 * 3600
MOST_CARDS = 100
MOST_WATCHED = 30
LIMITS = (
    *("sockets", "messages", "chats", "spectator_chats", "requests"),
    *("guests", "tables", "uploads", "replays", "reviews", "tries"),
)
NO_FRONT_END = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Motherlode</title>
<h1>Motherlode</h1><p>The table server is running, but its pages have not been built:
the folder <code>motherlode/web</code> is missing. The <a href="/api/docs">API</a> works anyway.</p></html>"""

Described = Annotated[bool, Query(description="the position also as one sentence per fact (`described`)")]
SeatQuery = Annotated[int | None, Query(ge=0, le=9, description="my seat; without it: the public")]
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": wire.Refused} for status in sorted({status for _, status in STATUS} | {422})
}
PLAIN: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


def create_app(settings: Settings) -> FastAPI:
    """The application; it opens the database when it starts."""
    parlour = Parlour(settings)
    limits = {
        kind: RateLimit(kind, getattr(settings, kind), settings.clock.steady, settings.visitors_per_address)
        for kind in LIMITS
    }

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await parlour.open()
        app.state.administration.open()
        app.state.housekeeping.start_retention()
        try:
            yield
        finally:
            app.state.administration.close()
            await parlour.close()

    app = FastAPI(
        title="Motherlode",
        description="Six gold-rush tabletop games. The socket's messages are described on /api/docs.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=REFUSALS,
    )
    connections, bodies = Connections(settings), Bodies(settings, who_asks)
    app.state.listens = None  # `serve` says where it listens
    app.state.parlour, app.state.limits, app.state.connections, app.state.bodies = parlour, limits, connections, bodies
    app.add_middleware(RequestChecks, parlour=parlour, limits=limits, connections=connections, bodies=bodies)
    add_error_handlers(app, parlour)
    add_games(app)
    add_guests(app, parlour, limits)
    add_tables(app, parlour, limits)
    add_my_games(app, parlour, limits, table_card)
    add_puzzles(app, parlour, limits)
    add_playing(app, parlour, limits)
    add_records(app, parlour, limits)
    reviews = app.state.reviews = Reviews(parlour)
    add_reviews(app, parlour, limits, reviews)
    add_mistakes(app, parlour, limits, reviews)
    add_running(app, parlour, connections.proxies)
    add_admin(app, parlour, limits)
    add_pages(app)
    return app


# Games


def game_card(game: Game) -> dict[str, Any]:
    options = [
        wire.OptionCard(name=o.name, values=list(o.values), clause=o.clause, meaning=o.meaning)
        for o in game.OPTIONS
        if o.is_offered
    ]
    card = wire.GameCard(
        name=game.NAME,
        title=game.TITLE,
        credit=game.CREDIT,
        rules=game.RULES,
        seats=list(game.SEATS),
        options=options,
        length=game.LENGTH,
        has_memory=game.recalled_places is not None,
        remembers=game.REMEMBERS,
        levels=[wire.LevelCard(**step) for step in levels.measured(game)],
    )
    return card.model_dump()


def kind_cards(actions: Actions) -> list[wire.KindCard]:
    return [
        wire.KindCard(
            verb=kind.verb,
            first=first,
            args=[wire.ArgCard(name=arg.name, words=list(arg.words)) for arg in kind.args],
            clause=kind.clause,
        )
        for kind, first in zip(actions.kinds, actions.first, strict=True)
    ]


def game_sheet(game: Game, card: dict[str, Any], language: str) -> wire.GameSheet:
    fields = [wire.FieldCard(**{**f._asdict(), "words": list(f.words)}) for f in game.FIELDS]
    return wire.GameSheet(
        **card,
        fields=fields,
        actions=kind_cards(game.ACTIONS),
        outcomes=kind_cards(game.OUTCOMES),
        sheet=sheet.read(game, language),
        clauses=sheet.plain_clauses(game, language),
    )


def add_games(app: FastAPI) -> None:
    cards: dict[str, dict[str, Any]] = {}

    def card(game: Game) -> dict[str, Any]:
        if game.NAME not in cards:
            cards[game.NAME] = game_card(game)
        return cards[game.NAME]

    @app.get("/api/games")
    def list_games() -> list[wire.GameCard]:
        """Every game: seats, options, credit."""
        return [wire.GameCard(**card(game)) for game in GAMES.values()]

    @app.get("/api/games/{name}")
    def show_game(name: str, language: str = "en") -> wire.GameSheet:
        """Everything about a game: fields, actions, outcomes, rule sheet."""
        game = text.find_game(name)
        return game_sheet(game, card(game), language)

    @app.get("/api/games/{name}/lesson")
    def show_lesson(name: str) -> wire.Lesson:
        """A guided first game."""
        game = text.find_game(name)
        found = lessons.load(game)
        if found is None:
            raise Refusal(f"{game.TITLE} has no lesson: its rule sheet is at /api/games/{name}")
        return messages.lesson(found)

    @app.get("/api/bots")
    def list_bots() -> list[wire.BotCard]:
        """The bots a seat can be given to."""
        return [
            wire.BotCard(name=name, meaning=(sys.modules[make.__module__].__doc__ or name).splitlines()[0])
            for name, make in bots.BOTS.items()
        ]


# Guests


def add_guests(app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit]) -> None:
    def set_cookie(request: Request, response: Response, token: str) -> None:
        is_secure = parlour.settings.secure_cookie or request.url.scheme == "https"
        response.set_cookie(COOKIE, token, max_age=A_YEAR, httponly=True, samesite="strict", secure=is_secure)

    @app.post("/api/guests", status_code=201)
    async def become_guest(new: wire.NewGuest, request: Request, response: Response) -> wire.GuestKeys:
        """Become a guest. The token and the recovery code are shown only once."""
        limits["guests"].take(address(request))
        keys = wire.GuestKeys(id=new_id(), name=new.name, token=secrets.token_urlsafe(16), recovery=new_id())
        made = parlour.now()
        await parlour.storage.write(
            lambda db: queries.add_guest(db, keys.id, keys.name, digest(keys.token), digest(keys.recovery), made)
        )
        set_cookie(request, response, keys.token)
        return keys

    @app.get("/api/guests/me")
    async def show_guest(guest: SomeGuest) -> wire.GuestCard:
        return wire.GuestCard(id=guest.id, name=guest.name)

    @app.patch("/api/guests/me")
    async def rename(new: wire.NewGuest, guest: SomeGuest) -> wire.GuestCard:
        """Change your name; tables show it at once."""
        renamed = await parlour.guests.rename(guest, new.name)
        return wire.GuestCard(id=renamed.id, name=renamed.name)

    @app.post("/api/guests/recover")
    async def recover(code: wire.Recover, request: Request, response: Response) -> wire.GuestKeys:
        """Become the guest with this recovery code again; the old token and code, and what goes on by them, end."""
        limits["guests"].take(address(request))
        token, recovery = secrets.token_urlsafe(16), new_id()
        guest = await parlour.guests.sign_out(
            lambda db: queries.rekey_guest(db, digest(code.code), digest(token), digest(recovery))
        )
        set_cookie(request, response, token)
        return wire.GuestKeys(id=guest.id, name=guest.name, token=token, recovery=recovery)

    @app.post("/api/guests/forget", status_code=204)
    async def forget(guest: AnyGuest, response: Response) -> None:
        """End this token and what goes on by it, and delete the cookie. With the recovery code you can come back."""

        def work(db: Connection) -> Guest:
            assert guest
            if not queries.change_guest(db, guest, token=digest(new_id())):
                raise NotSignedIn(SIGNED_OUT_WORDS)
            return guest

        if guest:
            await parlour.guests.sign_out(work)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")

    @app.delete("/api/guests/me", status_code=204)
    async def delete_me(guest: SomeGuest, request: Request, response: Response) -> None:
        """Delete all that is stored of you, for good. Games with others stay, without your name."""
        housekeeping: Housekeeping = request.app.state.housekeeping
        await housekeeping.delete_guest(guest.id, "by the guest")
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")


# Tables


def table_card(
    parlour: Parlour,
    facts: schema.TableFacts,
    chairs: list[schema.Chair],
    guest: Guest | None,
    *,
    is_over: bool,
    host: str = "",
) -> dict[str, Any]:
    game = text.find_game(facts.game)
    players = messages.players(parlour, game, chairs, key=facts.id, is_over=is_over)
    in_seats = list(zip(players, chairs, strict=True))
    mine = [chair.seat for chair in chairs if guest and chair.guest == guest.id]
    return wire.TableCard(
        id=facts.id,
        game=facts.game,
        title=game.TITLE,
        options=facts.options,
        players=players,
        waiting=facts.begun is None,
        over=is_over and facts.closed is None,
        given=facts.given,
        undone=facts.undo_of is not None,
        closed=facts.closed is not None,
        goes_on=facts.goes_on,
        adjourned=facts.adjourned is not None and (bool(mine) or not facts.settings.delay),
        host=host or next((player.name for player, chair in in_seats if chair.guest == facts.maker), ""),
        **{
            **facts.settings.model_dump(),
            "substitute": facts.settings.substitute or parlour.settings.substitute_in(game),
        },
        commitment=facts.seals[0].commitment,
        made=messages.timestamp(facts.made),
        mine=mine,
        maker=guest is not None and facts.maker == guest.id,
    ).model_dump()


def seat_link(request: Request, table: str, seat: int, code: str) -> wire.SeatLink:
    """The code comes after a #, so that no server's log ever contains it."""
    path = f"/table/{table}#seat={seat}&code={code}"
    image = io.BytesIO()
    whole = (lan_address(request) or str(request.base_url).rstrip("/")) + path
    segno.make(whole, micro=False).save(image, kind="svg", scale=4, xmldecl=False)
    return wire.SeatLink(seat=seat, path=path, address=whole, code=code, qr=image.getvalue().decode())


def lan_address(request: Request) -> str | None:
    """For who asks on this machine: how others in the local network reach the server, if it listens there."""
    listens: Listens | None = request.app.state.listens
    if listens is None or listens.only_here or not is_asked_here(request, request.app.state.connections.proxies):
        return None
    return listens.address()


def add_tables(app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit]) -> None:
    @app.post("/api/tables", status_code=201)
    async def make_table(new: wire.NewTable, guest: SomeGuest, request: Request) -> wire.NewTableCard:
        """Make a table, from the start or from a place in a record."""
        limits["tables"].take(guest.id, address(request))
        live, codes = await table_setup.make_table(parlour, guest, new)
        card = table_card(parlour, live.facts, live.chairs, guest, is_over=live.is_over)
        links = [seat_link(request, live.id, seat, code) for seat, code in codes.items()]
        return wire.NewTableCard(**card, links=links)

    @app.get("/api/tables")
    async def list_tables(guest: AnyGuest, mine: bool = False, watch: bool = False) -> wire.Tables:
        """My tables, or those with a seat open to anyone, or games to watch; the newest first."""
        if mine and guest is None:
            return wire.Tables(tables=[])

        def read(db: Connection) -> list[tuple[schema.TableFacts, list[schema.Chair]]]:
            if mine and guest:
                return queries.list_mine(db, guest.id, MOST_CARDS)
            if watch:
                return queries.list_watchable(db, parlour.now(), MOST_WATCHED)
            return queries.list_open(db, MOST_CARDS)

        cards = []
        for facts, chairs in await parlour.storage.read(read):  # my own, or such as have not begun, or run
            try:
                is_over = facts.ended is not None and not watch
                if watch and facts.settings.delay:  # nothing of this is told yet
                    chairs = [replace(chair, left=False, resigned=None, adjourns=False) for chair in chairs]
                    facts = replace(facts, closed=None, goes_on=None)
                card = table_card(parlour, facts, chairs, guest, is_over=is_over)
                cards.append(wire.TableCard(**card))
            except Exception as error:  # noqa: BLE001 - one damaged table, or one of a game that is not here any more
                schema.DAMAGED.name(facts.id, f"{type(error).__name__}: {str(error)[:200]}")
        return wire.Tables(tables=cards)

    @app.get("/api/tables/{table}")
    async def show_table(table: str, guest: AnyGuest) -> wire.TableCard:
        """A table as anybody may see it."""
        live = await parlour.find(table)
        viewer = own_seat(live, guest)
        chairs, maker, host = messages.told_chairs(live, viewer), live.facts.maker, ""
        if not any(chair.guest == maker for chair in chairs):
            found = await parlour.storage.read(lambda db: queries.find_guest(db, id=maker))
            host = found.name if found else ""
        is_over = live.is_told_over(viewer)
        facts = live.told_facts(viewer)
        return wire.TableCard(**table_card(parlour, facts, chairs, guest, is_over=is_over, host=host))

    @app.post("/api/tables/{table}/seats/{seat}/take")
    async def take_seat(table: str, seat: int, take: wire.Take, guest: SomeGuest) -> wire.Taken:
        """Sit down."""
        live = await parlour.find(table)
        asked = take.code, take.program, take.commitment
        taken = await live.serially(parlour.guests.as_guest(guest, lambda: live.seating.take(seat, guest, *asked)))
        return wire.Taken(table=table, seat=taken)

    @app.post("/api/tables/{table}/seats/{seat}/open")
    async def open_share(table: str, seat: int, asked: wire.OpenShare, guest: SomeGuest) -> wire.TableMessage:
        """Open the bytes that your seat has committed to, when all commitments are fixed."""
        live, seat = await find_seat(parlour, table, seat, guest)
        await live.serially(parlour.guests.as_guest(guest, lambda: live.sealing.open(seat, asked.share)))
        return messages.current_message(live, seat, None)

    @app.post("/api/tables/{table}/seats/{seat}/link")
    async def link_seat(table: str, seat: int, guest: SomeGuest, request: Request) -> wire.SeatLink:
        """A link that takes the seat, once; older links are no longer valid."""
        live = await parlour.find(table)
        code = await live.serially(parlour.guests.as_guest(guest, lambda: live.seating.new_code(seat, guest.id)))
        return seat_link(request, table, seat, code)


# Playing


def add_playing(app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit]) -> None:
    @app.get("/api/tables/{table}/now")
    async def look(
        request: Request,
        table: str,
        guest: AnyGuest,
        seat: SeatQuery = None,
        after: Annotated[int | None, Query(ge=0, le=1_000_000)] = None,
        since: Annotated[int | None, Query(ge=0, le=1_000_000)] = None,
        described: Described = False,
    ) -> wire.TableMessage:
        """What a seat may know now; with `after`, as soon as there is more than that or it is the seat's turn."""
        live, viewer = await find_seat(parlour, table, seat, guest)
        message = messages.current_message(live, viewer, since, described=described)
        charge_entries(limits["requests"], request, guest, len(message.did))
        if after is None:
            return message
        listener = Listener(viewer, guest)
        live.presence.arrive(listener, quietly=True)
        try:
            async with asyncio.timeout(parlour.settings.wait):
                while not (message.at > after or message.legal or message.result or listener.dropped):
                    listener.told_count = live.told_count(viewer)
                    await listener.due.wait()
                    listener.due.clear()
                    message = messages.current_message(live, viewer, since, described=described)
        except TimeoutError:
            pass
        finally:
            live.presence.depart(listener, quietly=True)
        parlour.guests.check_signed_in(guest)
        live.seating.check_not_removed(guest and guest.id)
        if viewer != PUBLIC:
            live.seating.check_owner(viewer, guest.id if guest else None)
        return message

    @app.post("/api/tables/{table}/act")
    async def act(table: str, asked: wire.SeatAct, guest: SomeGuest, request: Request) -> wire.TableMessage:
        """Act without a socket."""
        limits["messages"].take(guest.id, address(request))
        live, seat = await find_seat(parlour, table, asked.seat, guest)
        await live.serially(parlour.guests.as_guest(guest, lambda: live.act(seat, asked.at, asked.action, guest.id)))
        return messages.current_message(live, seat, None)

    @app.post("/api/tables/{table}/undo")
    async def undo(table: str, asked: wire.Undo, guest: SomeGuest, request: Request) -> wire.Taken:
        """Take my last decision back, against bots: the game goes on from before it at a new table."""
        limits["tables"].take(guest.id, address(request))
        live, seat = await find_seat(parlour, table, asked.seat, guest)
        work = parlour.guests.as_guest(guest, lambda: table_setup.take_back(live, asked, guest))
        return wire.Taken(table=await live.serially(work), seat=seat)

    @app.websocket("/api/tables/{table}/socket")
    async def socket(socket: WebSocket, table: str) -> None:
        try:
            seat, since, described = (read_number(socket, key) for key in ("seat", "since", "described"))
            guest = await who_asks(socket)
            if guest is None and (seat is not None or read_token(socket)):
                raise NotSignedIn("who are you? POST /api/guests gives you a token")
            live, viewer = await find_seat(parlour, table, seat, guest)
        except (Refusal, Unstored, BrokenLog) as no:
            await deny_socket(socket, no)
            return
        await PageSocket(parlour, limits, socket, live, viewer, guest, described=bool(described)).talk(since)


def read_number(socket: WebSocket, key: str) -> int | None:
    written = socket.query_params.get(key)
    if written is None:
        return None
    if not (written.isascii() and written.isdigit() and len(written) < 8):
        raise Refusal(f"{key} is a number, not {written[:20]!r}")
    return int(written)


# Records


def add_records(app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit]) -> None:
    replays = ThreadPoolExecutor(1, "replay")  # one after the other: many at once would slow everything else down

    async def answer(make: Callable[[], wire.Replay]) -> Response:
        """A replay, which takes a while to make and to write."""
        loop = asyncio.get_running_loop()
        body = await loop.run_in_executor(replays, lambda: make().model_dump_json(by_alias=True))
        return Response(body, media_type="application/json")

    @app.get("/api/tables/{table}/log")
    async def show_log(request: Request, table: str, guest: AnyGuest, seat: SeatQuery = None) -> wire.Log:
        """The log as a seat, or the public, was told it."""
        live, viewer = await find_seat(parlour, table, seat, guest)
        did = messages.told_log(live, viewer)
        charge_entries(limits["requests"], request, guest, len(did))
        return wire.Log(seat=seat, did=did)

    @app.get("/api/tables/{table}/record", response_model=None, responses=PLAIN)
    async def show_record(request: Request, table: str, guest: AnyGuest, seat: SeatQuery = None) -> PlainTextResponse:
        """The record: complete when the game is over, until then what the seat was told."""
        live, viewer = await find_record(parlour, table, seat, guest)
        charge_entries(limits["requests"], request, guest, live.told_count(viewer))
        name = f"{live.game.NAME}.txt"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return PlainTextResponse(messages.record_text(live, viewer), headers=headers)

    @app.get("/api/tables/{table}/replay", response_model=wire.Replay)
    async def show_replay(
        table: str,
        guest: AnyGuest,
        request: Request,
        seat: Annotated[int | None, Query(ge=-1, le=9)] = None,
        described: Described = False,
    ) -> Response:
        """Every position of a finished game: everything open, or as a seat (-1: the public) saw it."""
        limits["replays"].take(guest.id if guest else address(request), address(request))
        played = (await find_finished(parlour, table, guest)).record()
        return await answer(lambda: messages.replay(played, seat, described=described))

    @app.post("/api/records", response_model=wire.Replay)
    async def check_record(
        new: wire.NewRecord,
        guest: SomeGuest,
        request: Request,
        seat: Annotated[int | None, Query(ge=-1, le=9)] = None,
    ) -> Response:
        """Replay a record of your own, validated action by action."""
        limits["uploads"].take(guest.id, address(request))
        return await answer(lambda: messages.replay(text.read_record(new.record), seat))


# Running


def add_running(app: FastAPI, parlour: Parlour, proxies: Proxies) -> None:
    @app.get("/api/here")
    async def here(request: Request) -> wire.Here:
        """How others reach this server, for who asks on its own machine."""
        listens: Listens | None = request.app.state.listens
        if listens is None or not is_asked_here(request, proxies):
            return wire.Here(only_here=False, command=None, address=None)
        return wire.Here(only_here=listens.only_here, command=listens.command, address=listens.address())

    @app.get("/health")
    async def health() -> wire.Health:
        """The process answers."""
        return wire.Health(status="stopping" if parlour.is_stopping else "ok")

    @app.get("/ready", responses={503: {"model": wire.Health}})
    async def ready(response: Response) -> wire.Health:
        """The server can serve: the database takes writes."""
        if not parlour.is_ready:
            response.status_code = 503
            return wire.Health(status="stopping" if parlour.is_stopping else "unready")
        try:
            await parlour.try_write()
        except Unstored:
            response.status_code = 503
            return wire.Health(status="unready", reason="the database takes no writes now")
        return wire.Health(status="ok")

    @app.get("/metrics", response_model=None, responses=PLAIN)
    async def metrics(request: Request) -> PlainTextResponse:
        """For Prometheus, on this machine or with the `metrics_token`."""
        token = parlour.settings.metrics_token
        given = request.headers.get("authorization", "").encode("latin-1")
        if not is_asked_here(request, proxies) and not (token and compare_digest(given, f"Bearer {token}".encode())):
            raise NotYours("the metrics are for whoever runs the server (see the setting `metrics_token`)")
        return PlainTextResponse(parlour.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def add_pages(app: FastAPI) -> None:
    @app.get("/api/docs", response_class=HTMLResponse, include_in_schema=False)
    @functools.cache
    def docs() -> str:
        return api_page(app.openapi())

    if not (WEB / "index.html").exists():

        @app.get("/", response_class=HTMLResponse, include_in_schema=False)
        def no_front_end() -> str:
            return NO_FRONT_END

        return

    index = (WEB / "index.html").read_text("utf-8")

    @app.get("/games", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/my-record", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/mistakes", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/review/{name}", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/table/{name}", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/table/{name}/text", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/learn/{name}", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/rules/{name}", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/puzzles", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/puzzles/{name}", response_class=HTMLResponse, include_in_schema=False)
    def show_page(name: str = "") -> str:
        """Which page it is, the front end finds from the address."""
        return index

    add_lost_page(app, index)
    app.mount("/", GZipMiddleware(StaticFiles(directory=WEB, html=True)))
