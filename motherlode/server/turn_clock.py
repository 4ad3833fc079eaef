"""Whose time runs at a table, which bot acts, and since when everybody waits for it."""

from typing import TYPE_CHECKING

from motherlode.game import CHANCE
from motherlode.server.listener import PUBLIC
from motherlode.server.settings import Timer

if TYPE_CHECKING:
    from motherlode.server.live_table import LiveTable


class TurnClock:
    def __init__(self, table: "LiveTable") -> None:
        self.table = table
        self.timer: Timer | None = None

    def deadline(self) -> float | None:
        """When the time of the seat to act is over. Decisions in a row are one turn; a restart begins it anew."""
        table = self.table
        seat, seconds, begun = table.core.turn, table.settings.clock, table.facts.begun
        if seconds is None or begun is None or seat < 0 or table.is_paused:
            return None
        n = table.core.at
        while n and table.core.positions[n - 1].turn in (seat, CHANCE):
            n -= 1
        since = (table.made[n - 1] if n else 0.0), begun, table.parlour.started, table.facts.seal.fixed or 0.0
        return max(since) + seconds

    def bot_to_act(self) -> str | None:
        """The bot that acts now: the seat's own, or the one that acts for a player who has run out of time."""
        table = self.table
        if table.is_paused or table.core.turn < 0:
            return None
        bot, deadline = table.chairs[table.core.turn].bot, self.deadline()
        if bot is None and deadline is not None and table.parlour.now() >= deadline:
            return table.parlour.settings.clock_bot
        return bot

    def turn_began(self) -> float:
        """When the others were last told of something: since then they wait for the seat to act."""
        table = self.table
        others = [seat for seat in range(PUBLIC, len(table.chairs)) if seat != table.core.turn]
        n = table.logs.last_told(others, table.core.at)
        return max(table.made[n - 1] if n else 0.0, table.facts.begun or 0.0)

    def stop(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None

    def start(self) -> None:
        """Let the bot act whose turn it is, or wait for the player's time to run out."""
        self.stop()
        if self.bot_to_act() is not None:
            self.table.drive_bots()
            return
        deadline = self.deadline()
        if deadline is not None:
            self.timer = self.table.parlour.clock.call_at(deadline, self.start)
