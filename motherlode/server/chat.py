"""The chat of a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from motherlode.engine import Refusal
from motherlode.server import storage
from motherlode.server.refusals import NotYours

if TYPE_CHECKING:
    from motherlode.server.live_table import LiveTable


class Chat:
    def __init__(self, table: "LiveTable") -> None:
        self.table = table
        self.last_line = 0  # the id of the last line that was delivered

    async def say(self, seat: int, guest: storage.Guest | None, words: str) -> None:
        """Add a line; `seat` is that of the page it comes from."""
        table = self.table
        if not table.settings.chat:
            raise Refusal("this table has no chat")
        if guest is None:
            raise NotYours("to chat you need a name: become a guest")
        line, now = " ".join(words.split()), table.parlour.now()
        if not line:
            raise Refusal("the message is empty")

        def work(db: Connection) -> storage.ChatRow:
            row = storage.add_chat(db, table.id, None if seat < 0 else seat, guest, line, now)
            table.parlour.storage.notify(db, table=table.id)
            return row

        self.deliver([await table.commit(work)])

    def deliver(self, lines: Sequence[storage.ChatRow]) -> None:
        """Hand new lines to everybody who listens."""
        for line in lines:
            if line.id > self.last_line:
                self.last_line = line.id
                for listener in self.table.presence.listeners:
                    listener.lines.append(line)
                    listener.due.set()

    async def refresh(self) -> None:
        """Deliver what was said through other processes."""
        table = self.table
        lines = await table.parlour.storage.read(
            lambda db: storage.read_chat(db, table.id, self.last_line, table.parlour.settings.chat_lines)
        )
        self.deliver(lines)
