"""The server's own refusals, and what cannot be."""

from motherlode.engine import Refusal


class NotSignedIn(Refusal):
    """The token is missing or unknown."""


class NotYours(Refusal):
    """Somebody else's seat."""


class NoTable(Refusal):
    """There is no such table."""

    def __init__(self) -> None:
        super().__init__("there is no such table")


class ForeignOrigin(Refusal):
    """A page of another site asks."""


class TooLarge(Refusal):
    """The request has more bytes than are allowed."""


class TooOften(Refusal):
    """A rate limit is reached."""


class NoRoom(Refusal):
    """More tables are busy than this server can have."""


class BrokenLog(Exception):
    """What is stored of a table is not something that it can have written. Only the log says what."""
