"""Leaving a game honestly: resigning it, or adjourning it together. (`Seating.leave` is for leaving it to a bot.)

A seat that resigns has lost. The game ends at once where only one seat, or only bots, are left; otherwise a bot plays
on for it. Neither is an action of the game: the table stores it, and its record says it.

An adjournment needs everybody who plays. It stops the clock, which goes on with the time that the turn had left. The
game is resumed when all of them are here again, or by any of them after a day: nobody can keep it adjourned, and nobody
can resume it behind another's back.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.server import queries, results
from motherlode.server.refusals import moment
from motherlode.server.schema import Chair
from motherlode.table import NotYourTurn, Stale

if TYPE_CHECKING:
    from motherlode.server.live_table import LiveTable

LONGEST_ABSENCE = 24 * 3600.0  # seconds after which an adjourned game is resumed without those who are away


class Leaving:
    def __init__(self, table: "LiveTable") -> None:
        self.table = table

    def check_running(self) -> None:
        self.table.check_open()
        if self.table.is_waiting:
            raise NotYourTurn("the game has not begun: leave your seat instead")
        if self.table.is_over:
            raise NotYourTurn("the game is over")

    def check_plays(self, seat: int, guest: str | None) -> None:
        """Whoever has resigned, or has left to a bot, neither stops the others' game nor goes on with it."""
        chair = self.table.seating.check_owner(seat, guest)
        self.check_running()
        if chair.resigned is not None:
            raise Refusal("you have resigned: this game is over for you")
        if chair.bot is not None:
            raise NotYourTurn("a bot plays for you: return to your seat first")

    async def resign(self, seat: int, at: int, guest: str | None) -> None:
        """The game is over for this seat, and lost."""
        table = self.table
        chair = table.seating.check_owner(seat, guest)
        self.check_running()
        if chair.resigned is not None:
            raise Refusal("you have resigned already")
        if at != table.at_for(seat):
            raise Stale(f"the table has moved on from action {at} to {table.at_for(seat)} for you: look again")
        others = [other for other in table.chairs if other.seat != seat and other.resigned is None]
        ends = len(others) == 1 or not any(other.guest for other in others)
        was, now, known = table.facts, table.parlour.now(), table.count_actions()
        points = engine.points(table.game, table.core.position)
        winners = text.winners(table.game, table.core.position, (*table.resigned(), seat))
        bot = chair.bot if ends else chair.bot or table.substitute

        def store(db: Connection) -> None:
            queries.change_running(db, table.id, was, actions=known, ended=now if ends else None)
            if ends:
                results.end_table(db, was, now, points, winners)

        facts = {"ended": now} if ends else {}
        change: dict[str, Any] = {"resigned": now, "bot": bot, "left": False, "adjourns": False, "code": None}
        await table.seating.change(seat, store, facts=facts, **change)

    async def adjourn(self, seat: int, guest: str | None) -> None:
        """Ask to adjourn; when everybody who plays has asked for it, the game stops."""
        table = self.table
        self.check_plays(seat, guest)
        table.check_begun()
        if self.others(guest, lambda other: not other.adjourns):
            await table.seating.change(seat, adjourns=True)
            return
        was, now, deadline, known = table.facts, table.parlour.now(), table.clock.deadline(), table.chairs
        left = None if deadline is None else max(0.0, deadline - table.parlour.steady())

        def store(db: Connection) -> None:
            queries.lock_chairs(db, table.id, known)  # somebody may have said no by another process
            queries.change_running(db, table.id, was, adjourned=now, time_left=left)
            queries.withdraw_adjourning(db, table.id)

        await table.change(store, chairs=self.without_asking(), adjourned=now, time_left=left)

    async def resume(self, seat: int, guest: str | None) -> None:
        """Go on with an adjourned game; or let it go on, if somebody only asks to adjourn it."""
        table = self.table
        self.check_plays(seat, guest)
        was, now = table.facts, table.parlour.now()
        if was.adjourned is None and not any(chair.adjourns for chair in table.chairs):
            raise Refusal("the game is not adjourned")
        present = table.presence.present()[0]
        away = self.others(guest, lambda other: not present[other.seat])
        until = None if was.adjourned is None else was.adjourned + LONGEST_ABSENCE
        if until is not None and away and now < until:
            names = ", ".join(name for name in (table.names()[other] for other in away) if name)
            raise Refusal(f"not everybody is here: wait for {names}, or until {moment(until)}")
        resumed = was.resumed if was.adjourned is None else now

        def store(db: Connection) -> None:
            queries.change_running(db, table.id, was, adjourned=None, resumed=resumed)
            queries.withdraw_adjourning(db, table.id)

        await table.change(store, chairs=self.without_asking(), adjourned=None, resumed=resumed)

    def others(self, guest: str | None, is_meant: Callable[[Chair], bool]) -> list[int]:
        """The seats that other guests play themselves, of those that are meant."""
        chairs = [chair for chair in self.table.chairs if chair.is_played_by_guest and chair.guest != guest]
        return [chair.seat for chair in chairs if is_meant(chair)]

    def without_asking(self) -> list[Chair]:
        return [replace(chair, adjourns=False) for chair in self.table.chairs]
