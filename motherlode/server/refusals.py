"""The server's own refusals, and what cannot be."""

from datetime import UTC, datetime

from motherlode.engine import Refusal
from motherlode.table import NotYourTurn


def moment(seconds: float) -> str:
    """A time as people write it."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


class NotSignedIn(Refusal):
    """The token is missing or unknown."""


class NotYours(Refusal):
    """Somebody else's seat."""


class NoTable(Refusal):
    """There is no such table."""

    def __init__(self) -> None:
        super().__init__("there is no such table")


class NoGuest(Refusal):
    """There is no such guest."""

    def __init__(self) -> None:
        super().__init__("there is no such guest")


class NoMistake(Refusal):
    """There is no such mistake of this guest."""

    def __init__(self) -> None:
        super().__init__("you have no such mistake")


class NoPuzzle(Refusal):
    """There is no such puzzle."""


class TableClosed(NotYourTurn):
    """The game ends here, unfinished."""

    def __init__(self, why: str = "whoever runs this server has closed this table") -> None:
        super().__init__(f"{why}: its game ends here, unfinished")


class Banned(NotYours):
    """The guest may not come for a while."""

    def __init__(self, until: float, reason: str | None = None) -> None:
        self.until = until
        super().__init__(f"you may not play here before {moment(until)}" + (f": {reason}" if reason else ""))


class ForeignOrigin(Refusal):
    """A page of another site asks."""


class ForeignHost(Refusal):
    """A name is asked for that is not this server's."""


class TooLarge(Refusal):
    """The request has more bytes than are allowed."""


class HeadTooLarge(Refusal):
    """The request's head has more bytes than are allowed."""


class TooOften(Refusal):
    """A rate limit is reached."""


class NoRoom(Refusal):
    """More tables are busy than this server can have."""


class TooManyConnections(Refusal):
    """There is no room for another connection, or another large request."""


class BrokenLog(Exception):
    """What is stored of a table is not something that it can have written. Only the log says what."""


class Unstored(Exception):
    """The database did not take it; nothing was acknowledged."""


class Conflict(Exception):
    """Somebody else was first: look again."""
