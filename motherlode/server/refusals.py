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


class ForeignHost(Refusal):
    """A name is asked for that is not this server's."""


class TooLarge(Refusal):
    """The request has more bytes than are allowed."""


class HeadTooLarge(Refusal):
    """The request's head has more bytes than are allowed."""


class TooOften(Refusal):
    """A rate limit is reached."""


class TooManyConnections(Refusal):
    """There is no room for another connection, or another large request."""


class BrokenLog(Exception):
    """The stored log is not one that this table can have written."""
