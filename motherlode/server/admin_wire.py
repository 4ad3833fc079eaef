"""What `motherlode admin` sends and is sent; `/api/admin/…` in the OpenAPI document.

Nothing hidden is here: of a running game as much as its public is told, and in an export what its seat was told.
"""

from typing import Annotated, Literal

from pydantic import Field

from motherlode.server.puzzle_wire import PuzzleRating
from motherlode.server.review_wire import MyMistake
from motherlode.server.table_settings import StoredSettings
from motherlode.server.wire import CountedGame, Did, Incoming, Outgoing

State = Literal["waiting", "running", "over", "closed"]
Reason = Annotated[str, Field(max_length=200)]
TEN_YEARS = 10 * 365 * 24 * 3600


class Because(Incoming):
    """Why it is done, for the log of what was done."""

    reason: Reason = ""


class Sanction(Because):
    """A ban or a mute. The guest is told the reason of a ban."""

    seconds: Annotated[float, Field(ge=1, le=TEN_YEARS, strict=False)]


class AdminPlayer(Outgoing):
    seat: int
    guest: str | None  # its id
    name: str
    bot: str | None
    left: bool


class AdminTable(Outgoing):
    id: str
    game: str
    state: State
    maker: str  # a guest's id
    players: list[AdminPlayer]
    made: str  # when, ISO 8601, UTC
    begun: str | None
    ended: str | None


class AdminTables(Outgoing):
    tables: list[AdminTable]


class AdminTableSheet(AdminTable):
    """More about one table."""

    options: dict[str, int | str]
    settings: StoredSettings
    rules: int
    at: int | None  # how many actions the public was told of; null, like what follows: its log cannot be replayed
    moved: str | None  # when the last of them happened
    present: list[bool] | None  # which seats have an open page
    watchers: int | None
    chat_lines: int
    fault: str | None  # why its log cannot be replayed


class AdminGuest(Outgoing):
    id: str
    name: str
    made: str
    tables: int
    banned: str | None  # until when
    ban_reason: str | None
    muted: str | None  # until when


class AdminGuests(Outgoing):
    guests: list[AdminGuest]


class AdminGuestSheet(AdminGuest):
    at_tables: list[AdminTable]


class ExportedSeat(Outgoing):
    seat: int
    actions: list[Did]  # the guest's own, as they were told to it
    left_out: str | None  # why they are left out


class ExportedTable(Outgoing):
    id: str
    game: str
    options: dict[str, int | str]
    state: State
    made_by_guest: bool
    made: str
    begun: str | None
    ended: str | None
    seats: list[ExportedSeat]


class ExportedLine(Outgoing):
    table: str
    seat: int | None
    text: str
    made: str


class ExportedTry(Outgoing):
    """The first try at a puzzle, and the last."""

    puzzle: str
    action: int
    solved: bool
    made: str
    solved_last: bool
    made_last: str


class ExportedRating(PuzzleRating):
    game: str


class Export(Outgoing):
    """Everything stored that belongs to one guest. Tokens are stored only as hashes and left out."""

    guest: AdminGuest
    tables: list[ExportedTable]
    chat: list[ExportedLine]
    record: list[CountedGame]
    mistakes: list[MyMistake]
    puzzle_tries: list[ExportedTry]
    puzzle_ratings: list[ExportedRating]


class Deleted(Outgoing):
    """A guest was deleted: its games with others stay."""

    tables_deleted: int
    tables_kept: int


class Question(Outgoing):
    """A bot's decision, or a hint, that is computed or waits for it."""

    guest: str  # on whose account it is
    table: str
    game: str
    bot: str  # empty: a hint
    is_working: bool  # it is computed now
    seconds: float  # since it was asked


class Queue(Outgoing):
    """The questions in one process: those that are worked on, then those that wait."""

    process: str
    processes: int  # that share the database, as far as this one knows
    questions: list[Question]


class Cleared(Outgoing):
    """How many questions were dropped in the process that answers; the others drop theirs too."""

    cleared: int


class AuditEntry(Outgoing):
    made: str
    what: str
    whom: str
    reason: str


class Audit(Outgoing):
    entries: list[AuditEntry]
