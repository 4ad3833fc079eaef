"""The chat of a table: the players' lines, and apart from them the spectators'.

Spectators are told what players say as late as everything else. Players are not told what spectators say while the
game runs: somebody who looks on may know what a player must not.
"""

import hashlib
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from motherlode.engine import Refusal
from motherlode.server import names, queries, schema
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.refusals import NotYours
from motherlode.server.schema import ChatRow

if TYPE_CHECKING:
    from motherlode.server.live_table import LiveTable

LONGEST = 500
REACTIONS = {  # key -> in English
    "hello": "Hello!",
    "well_played": "Well played!",
    "thank_you": "Thank you!",
    "oops": "Oops!",
    "hurry_up": "Your turn, hurry up!",
    "good_game": "Good game!",
}


class Chat:
    def __init__(self, table: "LiveTable") -> None:
        self.table = table
        self.last_line = 0  # the id of the last line that was delivered
        most = table.parlour.settings.chat_lines
        self.players: deque[ChatRow] = deque(maxlen=most)
        self.spectators: deque[ChatRow] = deque(maxlen=most)
        self.due: dict[int, float] = {}  # of the players' lines: when spectators may be told of them

    async def react(self, seat: int, guest: schema.Guest | None, reaction: str) -> None:
        """A quick reaction: a line of chat that every page says in its own language."""
        await self.say(seat, guest, REACTIONS[reaction], reaction)

    async def say(self, seat: int, guest: schema.Guest | None, words: str, reaction: str | None = None) -> None:
        """Add a line; `seat` is that of the page it comes from. A player who looks on as well speaks as a player."""
        table = self.table
        if not table.settings.chat:
            raise Refusal("this table has no chat")
        if guest is None:
            raise NotYours("to chat you need a name: become a guest")
        table.seating.check_not_removed(guest.id)
        if table.restriction(guest.id).muted:
            raise NotYours("whoever made this table has muted you here")
        line, now = names.clean(words), table.parlour.now()
        if not line:
            raise Refusal("the message is empty")
        if len(line) > LONGEST:
            raise Refusal(f"a message has at most {LONGEST} characters")
        if seat == PUBLIC:
            seat = next((chair.seat for chair in table.chairs if chair.guest == guest.id), PUBLIC)
        name = self.spectators_name(guest) if seat == PUBLIC else table.names()[seat] or guest.name

        def work(db: Connection) -> ChatRow:
            if seat == PUBLIC:
                self.check_room(*queries.count_spectators_lines(db, table.id, guest.id))
            row = queries.add_chat(db, table.id, None if seat == PUBLIC else seat, guest.id, name, line, now, reaction)
            table.parlour.storage.notify(db, table=table.id)
            return row

        self.deliver([await table.commit(work)])

    def check_room(self, all_lines: int, own: int) -> None:
        most = self.table.parlour.settings.spectator_lines
        if all_lines >= most:
            raise Refusal(f"the spectators' chat of this table is full: it has room for {most} lines")
        if own >= max(1, most // 10):
            raise Refusal(f"a spectator may write {max(1, most // 10)} lines at a table: you have written them")

    def spectators_name(self, guest: schema.Guest) -> str:
        """With a letter where somebody else here could be taken for this guest: Anna (b)."""
        key = names.key(guest.name)
        alike = [line for line in self.spectators if names.key(line.name) == key]
        before = next((line.name for line in alike if line.guest == guest.id), None)
        if before is not None:
            return before
        others = len({line.guest for line in alike})
        others += any(name is not None and names.key(name) == key for name in self.table.names())
        if not (others or names.is_reserved(guest.name)):
            return guest.name
        return f"{guest.name} ({chr(ord('a') + others) if others < 26 else others})"

    def deliver(self, lines: Sequence[ChatRow]) -> None:
        """Hand new lines to everybody who may be told of them, now or when the spectators' delay is over."""
        table = self.table
        for line in lines:
            if line.id > self.last_line:
                self.last_line = line.id
                (self.spectators if line.seat is None else self.players).append(line)
                self.due[line.id] = table.parlour.steady_time(line.made) + table.settings.delay
                wait = self.due[line.id] - table.parlour.steady()
                if line.seat is not None and wait > 0:
                    table.parlour.clock.call_later(wait, self.wake)
        kept = {line.id for line in self.players}
        self.due = {line: due for line, due in self.due.items() if line in kept}
        self.wake()

    def forget(self, guest: str) -> None:
        """A guest was deleted: new pages are not sent what it said."""
        for lines in (self.players, self.spectators):
            kept = [line for line in lines if line.guest != guest]
            lines.clear()
            lines.extend(kept)

    def wake(self) -> None:
        for listener in self.table.presence.listeners:
            listener.due.set()

    def may_hear(self, listener: Listener, line: ChatRow) -> bool:
        table = self.table
        is_player = listener.guest is not None and any(chair.guest == listener.guest for chair in table.chairs)
        if line.seat is None:
            return not is_player or table.is_waiting or table.is_over or line.guest == listener.guest
        return is_player or self.due.get(line.id, 0.0) <= table.parlour.steady()

    def news(self, listener: Listener) -> list[ChatRow]:
        """The lines that a listener may be told of and has not been sent yet; from now on they count as sent."""
        recent = [*self.players, *self.spectators]
        if not recent:
            return []
        listener.heard &= {line.id for line in recent}
        found = sorted(line for line in recent if line.id not in listener.heard and self.may_hear(listener, line))
        listener.heard |= {line.id for line in found}
        return found

    async def refresh(self) -> None:
        """Deliver what was said through other processes."""
        table = self.table
        lines = await table.parlour.storage.read(
            lambda db: queries.read_chat(db, table.id, self.last_line, table.parlour.settings.chat_lines)
        )
        self.deliver(lines)


@lru_cache(maxsize=10_000)
def pseudonym(table: str, guest: str) -> str:
    """What a guest is called at one table, and nowhere else, so that nobody can be followed from table to table."""
    return hashlib.sha256(f"{table} {guest}".encode()).hexdigest()[:16]
