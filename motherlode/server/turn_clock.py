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
        self.fixed: tuple[float | None, float] = (None, table.parlour.started)
        begun = table.facts.begun
        self.began = None if begun is None else table.parlour.steady_time(begun)  # when the game began

    def deadline(self) -> float | None:
        """When the time of the seat to act is over. Decisions in a row are one turn; a restart begins it anew."""
        table = self.table
        seat, seconds = table.core.turn, table.settings.clock
        if seconds is None or self.began is None or seat < 0 or table.is_paused:
            return None
        n = table.core.at
        while n and table.core.positions[n - 1].turn in (seat, CHANCE):
            n -= 1
        since = max((table.done[n - 1] if n else self.began), self.began, table.parlour.started, self.sealed())
        resumed, left = table.facts.resumed, table.facts.time_left
        if resumed is not None and left is not None and table.moment(resumed) >= since:
            return table.moment(resumed) + left  # the turn goes on where it was adjourned
        return since + seconds

    def sealed(self) -> float:
        """When the last commitments were fixed: a game that is sealed anew waits for that."""
        fixed, parlour = self.table.facts.seal.fixed, self.table.parlour
        if fixed != self.fixed[0]:
            self.fixed = fixed, parlour.started if fixed is None else parlour.steady_time(fixed)
        return self.fixed[1]

    def bot_to_act(self) -> str | None:
        """The bot that acts now: the seat's own, or the substitute of a player who has run out of time."""
        table = self.table
        if table.is_paused or table.core.turn < 0:
            return None
        bot, deadline = table.chairs[table.core.turn].bot, self.deadline()
        if bot is None and deadline is not None and table.parlour.steady() >= deadline:
            return table.substitute
        return bot

    def turn_began(self) -> float:
        """When the others were last told of something: since then they wait for the seat to act."""
        table = self.table
        others = [seat for seat in range(PUBLIC, len(table.chairs)) if seat != table.core.turn]
        n = table.logs.last_told(others, table.core.at)
        began = table.parlour.started if self.began is None else self.began
        return max(table.done[n - 1] if n else began, began)

    def stop(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None

    def start(self) -> None:
        """Let the bot act whose turn it is, or wait for the player's time to run out."""
        self.stop()
        if self.began is None and not self.table.is_waiting:
            self.began = self.table.parlour.steady()
        if self.bot_to_act() is not None:
            self.table.drive_bots()
            return
        deadline = self.deadline()
        if deadline is not None:
            parlour = self.table.parlour
            self.timer = parlour.clock.call_later(deadline - parlour.steady(), self.start)
