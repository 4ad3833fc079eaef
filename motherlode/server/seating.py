"""Who has the seats of a table, and how they change hands."""

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from motherlode import bots
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.server import storage
from motherlode.server.keys import digest, new_id
from motherlode.server.refusals import NotYours
from motherlode.server.storage import Chair, Conflict
from motherlode.table import Stale

if TYPE_CHECKING:
    from motherlode.server.live_table import LiveTable


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
        return chair

    async def change(self, seat: int, *, commitment: str | None = None, **change: Any) -> None:
        """Store who has a seat now, and what its new player has committed to."""
        table, was = self.table, self.table.chairs[seat]
        chairs = [replace(was, **change) if chair.seat == seat else chair for chair in table.chairs]
        seals = list(table.facts.seals)
        if chairs[seat].guest != was.guest and seals[-1].fixed is None:
            others = {other: hash_ for other, hash_ in seals[-1].commitments.items() if other != seat}
            seals[-1] = replace(seals[-1], commitments=others | ({seat: commitment} if commitment else {}))
        columns = {key: value for key, value in change.items() if key != "name"}
        table.presence.last_seen[seat] = table.parlour.now()
        try:
            await table.change(
                lambda db: storage.change_chair(db, table.id, seat, was, **columns), chairs=chairs, seals=seals
            )
        except Conflict as conflict:
            await table.refresh()
            raise Stale(str(conflict)) from None

    async def take(
        self, seat: int, guest: storage.Guest, code: str | None, program: bool, commitment: str | None = None
    ) -> int:
        """Sit down: with the code of the seat's link, or where the seat is open to anyone.

        Whoever has the seat already may commit to its bytes.
        """
        chair = self.check_seat(seat)
        if code is not None:
            if chair.code is None or not secrets.compare_digest(chair.code, digest(code)):
                raise NotYours("this link is not good any more: each takes a seat once; ask for a new one")
        elif chair.guest == guest.id:
            if commitment:
                await self.table.sealing.commit(seat, commitment)
            return seat
        elif not chair.is_open:
            raise NotYours("this seat is taken")
        elif chair.takes != "anyone":
            raise NotYours("this seat is for whoever has its link")
        sits = {"guest": guest.id, "name": guest.name, "bot": None, "left": False, "code": None, "program": program}
        await self.change(seat, commitment=commitment, **sits)
        return seat

    async def new_code(self, seat: int, guest: str) -> str:
        """A code that takes this seat, once: its player may give it away, or the table's maker while it is open."""
        chair = self.check_seat(seat)
        if chair.guest != guest and not (chair.is_open and self.table.facts.maker == guest):
            raise NotYours("this seat is not yours to give away")
        code = new_id()
        await self.change(seat, code=digest(code))
        return code

    async def leave(self, seat: int, guest: str | None) -> None:
        self.check_owner(seat, guest)
        await self.change(seat, left=True)

    async def come_back(self, seat: int, guest: str | None) -> None:
        self.check_owner(seat, guest)
        await self.change(seat, left=False, bot=None)

    async def substitute(self, seat: int, bot: str, asker: int, guest: str | None) -> None:
        """Give the seat of a player who is gone to a bot."""
        table = self.table
        self.check_owner(asker, guest)
        chair = self.check_seat(seat)
        if chair.bot is not None or chair.guest is None or seat == asker:
            raise Refusal("this seat has no player who could be replaced")
        if table.is_over:
            raise Refusal("the game is over")
        settings = table.parlour.settings
        check_bot(bot, table.game, settings.strongest_bot)
        is_here = table.presence.present()[0][seat]
        wait = table.presence.last_seen[seat] + settings.gone_after - table.parlour.now()
        if is_here and not chair.left:
            raise Refusal(f"{chair.name} is still here")
        if wait > 0 and not chair.left:
            raise Refusal(f"wait {wait:.0f} seconds more: {chair.name} may come back")
        await self.change(seat, bot=bot)


def check_bot(name: str, game: Game, strongest: int) -> None:
    """Refuse programs, bots that count time, and bots stronger than the server allows."""
    bots.BotSpec.parse(name, game).check_for_server(strongest)
