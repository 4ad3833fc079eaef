"""Who has the seats of a table, and how they change hands."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from motherlode import bots
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.server import queries, schema, storage
from motherlode.server.chat import pseudonym
from motherlode.server.keys import digest, new_id
from motherlode.server.listener import BANNED, REMOVED, SIGNED_OUT, Listener
from motherlode.server.refusals import Banned, NotSignedIn, NotYours
from motherlode.server.schema import Chair

if TYPE_CHECKING:
    from motherlode.server.live_table import LiveTable

REMOVED_WORDS = "whoever made this table has sent you away from it"
RESIGNED_WORDS = "this seat was resigned: nobody can take it any more"


class Seating:
    def __init__(self, table: "LiveTable") -> None:
        self.table = table

    def check_seat(self, seat: int) -> Chair:
        chairs = self.table.chairs
        if not 0 <= seat < len(chairs):
            raise Refusal(f"the table has seats 0 to {len(chairs) - 1}, not {seat}")
        return chairs[seat]

    def check_owner(self, seat: int, guest: str | None) -> Chair:
        chair = self.check_seat(seat)
        if guest is None or chair.guest != guest:
            raise NotYours("this seat is not yours")
        self.check_not_removed(guest)
        return chair

    def check_not_removed(self, guest: str | None) -> None:
        if self.table.restriction(guest).removed:
            raise NotYours(REMOVED_WORDS)

    def check_arrival(self, listener: Listener, guest: schema.Guest | None) -> None:
        """Who was let in may have been signed out, banned or removed before it began to listen."""
        try:
            self.table.parlour.guests.check_signed_in(guest)
            self.check_not_removed(listener.guest)
        except NotSignedIn as no:
            listener.drop(str(no), SIGNED_OUT)
        except Banned as no:
            listener.drop(str(Banned(no.until)), BANNED)  # a close message has no room for the reason
        except NotYours as no:
            listener.drop(str(no), REMOVED)

    async def change(
        self,
        seat: int,
        also: storage.Work[None] | None = None,
        *,
        commitment: str | None = None,
        facts: dict[str, Any] | None = None,
        **change: Any,
    ) -> None:
        """Store who has a seat now, what its new player has committed to, and `also` something else: these facts."""
        table, known, was = self.table, self.table.chairs, self.table.chairs[seat]
        chairs = [replace(was, **change) if chair.seat == seat else chair for chair in table.chairs]
        seals = list(table.facts.seals)
        if chairs[seat].guest != was.guest and seals[-1].fixed is None:
            others = {other: hash_ for other, hash_ in seals[-1].commitments.items() if other != seat}
            seals[-1] = replace(seals[-1], commitments=others | ({seat: commitment} if commitment else {}))
        columns = {key: value for key, value in change.items() if key != "name"}

        def work(db: Connection) -> None:
            queries.lock_chairs(db, table.id, known)
            queries.change_chair(db, table.id, seat, was, **columns)
            if also:
                also(db)

        table.presence.last_seen[seat] = table.parlour.steady()
        await table.change(work, chairs=chairs, seals=seals, **(facts or {}))

    async def take(
        self, seat: int, guest: schema.Guest, code: str | None, program: bool, commitment: str | None = None
    ) -> int:
        """Sit down: with the code of the seat's link, or where the seat is open to anyone.

        Whoever has the seat already may commit to its bytes.
        """
        chair = self.check_seat(seat)
        self.table.check_open()
        if chair.resigned is not None and chair.guest != guest.id:
            raise NotYours(RESIGNED_WORDS)
        if code is not None:
            if not chair.fits(code):  # it may have been made by another process just now
                await self.table.refresh()
                chair = self.check_seat(seat)
            if not chair.fits(code):
                raise NotYours("this link is not good any more: each takes a seat once; ask for a new one")
        elif chair.guest == guest.id:
            if commitment:
                await self.table.sealing.commit(seat, commitment)
            return seat
        elif not chair.is_open:
            raise NotYours("this seat is taken")
        elif chair.takes != "anyone":
            raise NotYours("this seat is for whoever has its link")
        self.check_not_removed(guest.id)
        self.check_only_seat(seat, guest.id)
        if self.table.sealing.is_fixed and not chair.is_open:  # else it would play with another's bytes
            raise Refusal("the shuffle is being sealed with the bytes of whoever has this seat: take it in a moment")
        if not self.table.is_waiting:  # who has to remember must not become one who need not
            if program and not chair.program:
                raise NotYours("the game has begun, and this seat is a person's: no program can take it any more")
            program = chair.program
        sits: dict[str, Any] = {
            "guest": guest.id,
            "name": guest.name,
            "bot": None,
            "left": False,
            "code": None,
            "program": program,
            "adjourns": False,
        }
        await self.change(seat, commitment=commitment, **sits)
        return seat

    def check_only_seat(self, seat: int, guest: str) -> None:
        """One guest, one seat, unless several people share a screen."""
        others = [chair.seat for chair in self.table.chairs if chair.guest == guest and chair.seat != seat]
        if others and not self.table.settings.shared:
            raise NotYours(f"you have seat {others[0]}: one guest has one seat, unless the table is a shared screen")

    async def new_code(self, seat: int, guest: str) -> str:
        """A code that takes this seat, once: its player may give it away, or the table's maker while it is open."""
        chair = self.check_seat(seat)
        if chair.guest != guest and not (chair.is_open and self.table.facts.maker == guest):
            raise NotYours("this seat is not yours to give away")
        if chair.resigned is not None:
            raise NotYours(RESIGNED_WORDS)
        code = new_id()
        await self.change(seat, code=digest(code))
        return code

    async def leave(self, seat: int, guest: str | None) -> None:
        """Get up: the substitute plays on, and its player may come back. Before the game the seat is open again."""
        chair, table = self.check_owner(seat, guest), self.table
        if table.is_waiting and not table.sealing.is_fixed and not table.is_closed:
            await self.change(seat, **opened(chair))
        else:
            goes_on = not (table.is_over or table.is_closed)
            bot = chair.bot or (table.substitute if goes_on else None)
            await self.change(seat, left=True, adjourns=False, bot=bot)

    async def come_back(self, seat: int, guest: str | None) -> None:
        chair = self.check_owner(seat, guest)
        if chair.resigned is not None:
            raise Refusal("you have resigned: this game is over for you")
        await self.change(seat, left=False, bot=None)

    async def substitute(self, seat: int, asker: int, guest: str | None) -> None:
        """Give the seat of a player who is gone to the table's substitute."""
        table = self.table
        self.check_owner(asker, guest)
        chair = self.check_seat(seat)
        if chair.bot is not None or chair.guest is None or seat == asker:
            raise Refusal("this seat has no player who could be replaced")
        if table.is_over:
            raise Refusal("the game is over")
        if table.is_adjourned:
            raise Refusal("the game is adjourned: nobody has to be replaced")
        settings = table.parlour.settings
        is_here = table.presence.present()[0][seat]
        wait = table.presence.last_seen[seat] + settings.gone_after - table.parlour.steady()
        name = table.names()[seat]
        if is_here and not chair.left:
            raise Refusal(f"{name} is still here")
        if wait > 0 and not chair.left:
            raise Refusal(f"wait {wait:.0f} seconds more: {name} may come back")
        await self.change(seat, bot=table.substitute, adjourns=False)

    # What the maker of a table decides

    def check_maker(self, guest: str | None, who: str) -> str:
        """The guest who is meant, by its pseudonym; only the maker of the table may ask."""
        table = self.table
        if guest is None or table.facts.maker != guest:
            raise NotYours("only whoever made this table may do that")
        here = {chair.guest for chair in table.chairs} | {line.guest for line in table.chat.spectators}
        here |= {*table.restrictions, *(listener.guest for listener in table.presence.listeners)}
        meant = next((one for one in here if one and pseudonym(table.id, one) == who), None)
        if meant is None:
            raise Refusal("nobody here is called that: `who` is that of a player or of a line of chat")
        if meant == guest:
            raise Refusal("that is you: to get up, leave your seat")
        return meant

    async def mute(self, who: str, muted: bool, guest: str | None) -> None:
        """Let a guest say nothing more in this table's chat, or let it speak again."""
        meant, table = self.check_maker(guest, who), self.table
        restriction = table.restriction(meant)._replace(muted=muted)
        await table.commit(self.restrict(meant, restriction))
        table.restrictions[meant] = restriction
        table.notify(everyone=True)

    async def remove(self, who: str, guest: str | None) -> None:
        """Send a guest away: its seat is open again or, once the shuffle is sealed, the substitute's."""
        meant, table = self.check_maker(guest, who), self.table
        restriction = table.restriction(meant)._replace(removed=True)
        store = self.restrict(meant, restriction)
        seats = [] if table.is_over else [chair for chair in table.chairs if chair.guest == meant]
        can_open = table.is_waiting and not table.sealing.is_fixed
        for chair in seats:
            replaced = {"bot": chair.bot or table.substitute, "left": True, "adjourns": False, "code": None}
            await self.change(chair.seat, store, **(opened(chair) if can_open else replaced))
        if not seats:
            await table.commit(store)
        table.restrictions[meant] = restriction
        self.drop_removed()
        table.notify(everyone=True)

    def restrict(self, guest: str, restriction: schema.Restriction) -> storage.Work[None]:
        def work(db: Connection) -> None:
            queries.restrict(db, self.table.id, guest, restriction)
            self.table.parlour.storage.notify(db, table=self.table.id)

        return work

    def drop_removed(self) -> None:
        for listener in self.table.presence.listeners:
            if self.table.restriction(listener.guest).removed:
                listener.drop(REMOVED_WORDS, REMOVED)

    def rename(self, guest: schema.Guest) -> None:
        """A guest is called something else now."""
        table = self.table
        if any(chair.guest == guest.id and chair.name != guest.name for chair in table.chairs):
            table.chairs = [replace(c, name=guest.name) if c.guest == guest.id else c for c in table.chairs]
            table.notify(everyone=True)


def opened(chair: Chair) -> dict[str, Any]:
    """What changes when a seat is open again."""
    return {
        "guest": None,
        "name": None,
        "takes": chair.takes or "link",
        "program": False,
        "left": False,
        "code": None,
        "adjourns": False,
    }


def check_bot(name: str, game: Game, strongest: int) -> None:
    """Refuse programs, bots that count time, and bots stronger than the server allows."""
    bots.BotSpec.parse(name, game).check_for_server(strongest)
