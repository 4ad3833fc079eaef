"""The tables of the database, what their rows are in memory, and what a column cannot hold.

The log is the table: no column holds a position, and a restart replays the log. The primary key (sitting, at) of the
log makes a second action at the same place impossible, whichever process tries.
"""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Boolean, Column, Float, Index, Integer, LargeBinary, String, Table

from motherlode import proof, text
from motherlode.server import names
from motherlode.server.faults import Damaged
from motherlode.server.keys import digest
from motherlode.server.refusals import BrokenLog
from motherlode.server.table_settings import StoredSettings

METADATA = sa.MetaData()
Id = String(32)

GUEST = Table(
    "guest",
    METADATA,
    Column("id", Id, primary_key=True),
    Column("name", String(40), nullable=False),
    Column("token", LargeBinary(32), nullable=False, unique=True),  # only its hash
    Column("recovery", LargeBinary(32), nullable=False, unique=True),  # only its hash
    Column("made", Float(53), nullable=False),
    Column("banned", Float(53)),  # until when
    Column("muted", Float(53)),  # until when
    Column("ban_reason", String(200)),
)
SITTING = Table(
    "sitting",
    METADATA,
    Column("id", Id, primary_key=True),
    Column("game", String(40), nullable=False),
    Column("rules", Integer, nullable=False),
    Column("options", sa.JSON, nullable=False),
    Column("maker", Id, nullable=False),
    Column("settings", sa.JSON, nullable=False, server_default="{}"),
    Column("given", Integer, nullable=False),
    Column("rematch_of", Id, unique=True),
    Column("made", Float(53), nullable=False),
    Column("begun", Float(53)),  # when it was sealed, and the game began
    Column("ended", Float(53)),  # an index for finding running tables; the log decides
    Column("seats", Integer, nullable=False, server_default="0"),  # how many rows of `seat` there must be …
    Column("actions", Integer, nullable=False, server_default="0"),  # … and of `log`: a cut one is noticed
    Column("closed", Float(53)),  # when it was closed, unfinished; then it has also ended
    Column("adjourned", Float(53)),  # since when the game is adjourned …
    Column("resumed", Float(53)),  # … when it was last resumed, and the seconds that the turn had left then
    Column("time_left", Float(53)),
    Column("undo_of", Id),  # it goes on from a place of this table: a decision was taken back there …
    Column("goes_on", Id),  # … which was closed, and says where the game goes on
    Index("sitting_by_end", "ended", "made"),
)
SEAL = Table(
    "seal",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("place", Integer, nullable=False),  # the first action that is drawn from it
    Column("secret", LargeBinary(32), nullable=False),
    Column("fixed", Float(53)),  # when the commitments of the seats were fixed
    Column("shares", String(1000)),  # when they were opened: as in a record; empty at tables of version 0.1
)
SHARE = Table(  # of a table's last seal, until it is closed
    "share",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("commitment", String(64), nullable=False),
    Column("share", String(64)),  # the seat's bytes in hex, once it has opened them
)
SEAT = Table(
    "seat",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("takes", String(6)),  # how it can be taken while nobody has it: link, anyone
    Column("guest", Id),
    Column("bot", String(40)),  # who acts, also for a guest who is gone
    Column("program", Boolean, nullable=False),
    Column("left", Boolean, nullable=False),
    Column("code", LargeBinary(32)),  # the hash of the code in its one-time link
    Column("resigned", Float(53)),  # when its player gave the game up
    Column("adjourns", Boolean, nullable=False, server_default=sa.false()),  # its player asks to adjourn
    Index("seat_by_guest", "guest"),
)
SCORE = Table(  # of a seat in a finished game
    "score",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("points", Integer, nullable=False),
    Column("result", String(5), nullable=False),  # won, drawn, lost
)
PLAYED = Table(  # a guest's record, one row for every game that counts; it outlives the tables
    "played",
    METADATA,
    Column("at_table", Id, primary_key=True),  # it counts once, whichever process stores it
    Column("guest", Id, primary_key=True),
    Column("game", String(40), nullable=False),
    Column("against", String(40), nullable=False),  # the bot, or one of `results.OTHERS`
    Column("result", String(5), nullable=False),
    Column("ended", Float(53), nullable=False),
    Index("played_by_guest", "guest", "ended"),
)
LOG = Table(
    "log",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("at", Integer, primary_key=True),
    Column("actor", Integer, nullable=False),
    Column("action", Integer, nullable=False),
    Column("made", Float(53), nullable=False),
    Column("link", LargeBinary(32)),  # of the hash chain; missing while an action before it is
)
CHAT = Table(
    "chat",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("sitting", Id, nullable=False),
    Column("seat", Integer),  # null: a spectator
    Column("guest", Id),  # missing in lines of version 0.1
    Column("name", String(48), nullable=False),  # as the table showed it, with its number
    Column("text", String(500), nullable=False),
    Column("made", Float(53), nullable=False),
    Column("reaction", String(20)),  # the key of a quick reaction; its text says it in English
    Index("chat_by_sitting", "sitting", "id"),
    Index("chat_by_guest", "guest"),
)
AUDIT = Table(
    "audit",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("made", Float(53), nullable=False),
    Column("what", String(40), nullable=False),
    Column("whom", Id, nullable=False),  # a guest or a table
    Column("reason", String(200), nullable=False),
)
HEARTBEAT = Table(
    "heartbeat",
    METADATA,
    Column("id", Integer, primary_key=True),  # there is only 1
    Column("made", Float(53), nullable=False),
)
RESTRICTION = Table(
    "restriction",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("guest", Id, primary_key=True),
    Column("muted", Boolean, nullable=False),
    Column("removed", Boolean, nullable=False),
)
REVIEW = Table(  # of a finished game
    "review",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("version", Integer, primary_key=True),  # of what judged it: a newer one judges again
    Column("review", sa.JSON, nullable=False),  # without the names of its players, who may be gone by now
    Column("made", Float(53), nullable=False),
)
SHARED = Table(  # a finished game that one of its players has shared: whoever has the link may see it
    "shared",
    METADATA,
    Column("sitting", Id, primary_key=True),
    Column("made", Float(53), nullable=False),
)
JUDGED = Table(  # what a review says of all decisions of a guest in one game: its error rate, and between which bounds
    "judged",
    METADATA,
    Column("guest", Id, primary_key=True),
    Column("sitting", Id, primary_key=True),
    Column("game", String(40), nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("error", Float(53), nullable=False),
    Column("low", Float(53), nullable=False),
    Column("high", Float(53), nullable=False),
)
MISTAKE = Table(  # of a guest, to try again
    "mistake",
    METADATA,
    Column("guest", Id, primary_key=True),
    Column("sitting", Id, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("at", Integer, primary_key=True),
    Column("game", String(40), nullable=False),
    Column("kind", String(40), nullable=False),  # the verb of what was done
    Column("loss", Float(53), nullable=False),
    Column("made", Float(53), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("step", Integer, nullable=False),  # how many intervals have grown
    Column("due", Float(53)),  # when it is to be tried again; null: it has been learned
)
PUZZLE_TRY = Table(  # a guest's tries at a puzzle: the first counts, the last says what may come again
    "puzzle_try",
    METADATA,
    Column("guest", Id, primary_key=True),
    Column("puzzle", String(80), primary_key=True),  # as `puzzle_ratings.key_of` names it
    Column("game", String(40), nullable=False),
    Column("action", Integer, nullable=False),  # of the first …
    Column("solved", Boolean, nullable=False),
    Column("made", Float(53), nullable=False),
    Column("solved_last", Boolean, nullable=False),  # … and of the last
    Column("made_last", Float(53), nullable=False),
)
PUZZLE_SOLVER = Table(  # a guest's rating in a game
    "puzzle_solver",
    METADATA,
    Column("guest", Id, primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("mean", Float(53), nullable=False),
    Column("deviation", Float(53), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
)
PUZZLE_RATING = Table(  # a puzzle's, once somebody has tried it; nobody's name is in it
    "puzzle_rating",
    METADATA,
    Column("puzzle", String(80), primary_key=True),
    Column("mean", Float(53), nullable=False),
    Column("deviation", Float(53), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
)
FORMER, FORMER_NAME = "former", "a former guest"  # stand for every guest that was deleted


class Guest(NamedTuple):
    id: str
    name: str
    token: bytes = b""  # the hash of what it was known by
    banned: float | None = None  # until when
    ban_reason: str | None = None


@dataclass(frozen=True)
class Chair:
    """Who has a seat."""

    seat: int
    takes: str | None = None
    guest: str | None = None
    bot: str | None = None
    program: bool = False
    left: bool = False
    code: bytes | None = None
    resigned: float | None = None
    adjourns: bool = False
    name: str | None = None  # the guest's

    @property
    def is_open(self) -> bool:
        return self.guest is None and self.bot is None

    @property
    def is_played_by_guest(self) -> bool:
        """Whether its guest decides, and no bot; one who is banned has left without one."""
        return self.guest is not None and self.bot is None and self.resigned is None and not self.left

    def fits(self, code: str) -> bool:
        """Whether this is the code of its link."""
        return self.code is not None and hmac.compare_digest(self.code, digest(code))


@dataclass
class StoredSeal:
    """What chance draws from, from a place of the log on, and how far the seats have come with it."""

    number: int
    place: int
    secret: bytes
    fixed: float | None = None
    shares: str | None = None
    commitments: dict[int, str] = field(default_factory=dict)  # by seat
    opened: dict[int, str] = field(default_factory=dict)  # by seat: bytes in hex

    @property
    def commitment(self) -> str:
        return proof.commit(self.secret)

    def closed(self) -> text.Seal:
        """As a record has it."""
        assert self.shares is not None, "it is still open"
        return close_seal(self.place, self.secret, self.shares)


@lru_cache(maxsize=1024)
def close_seal(place: int, secret: bytes, shares: str) -> text.Seal:
    return text.Seal(place, proof.commit(secret), secret.hex(), tuple(shares.split(", ")) if shares else ())


@dataclass
class TableFacts:
    """What is fixed when a table is made, and when it began and ended."""

    id: str
    game: str
    rules: int
    options: dict[str, Any]
    maker: str
    settings: StoredSettings
    seals: list[StoredSeal]
    given: int
    rematch_of: str | None
    made: float
    begun: float | None = None
    ended: float | None = None
    seats: int = field(default=0, compare=False)  # these two are counted by `queries`
    actions: int = field(default=0, compare=False)
    closed: float | None = None
    adjourned: float | None = None
    resumed: float | None = None
    time_left: float | None = None
    undo_of: str | None = None
    goes_on: str | None = None

    @property
    def seal(self) -> StoredSeal:
        """The last one."""
        return self.seals[-1]


class LogRow(NamedTuple):
    """One action of the log."""

    at: int
    actor: int
    action: int
    made: float
    link: bytes | None


class Restriction(NamedTuple):
    """What the maker of a table does not let a guest do there."""

    muted: bool = False
    removed: bool = False


class StoredTable(NamedTuple):
    """Everything that is stored about a table except its chat."""

    facts: TableFacts
    chairs: list[Chair]
    rows: list[LogRow]
    rematch: str | None
    restrictions: Mapping[str, Restriction] = MappingProxyType({})  # by guest


class ChatRow(NamedTuple):
    """One line of chat."""

    id: int
    seat: int | None
    guest: str | None
    name: str
    text: str
    made: float
    reaction: str | None = None


# Damage: what a column holds that nobody can have stored there. SQLite takes anything, and disks and people err.

DAMAGED = Damaged()
END_OF_TIME = 2.5e11  # seconds; later there are no dates


def column_checks(table: Table) -> dict[str, tuple[tuple[type, ...], int | None]]:
    """What each column may hold: of which types, and its length: of a text at most, of bytes exactly."""
    checks = {}
    for column in table.columns:
        kinds: tuple[type, ...] = (dict, list) if isinstance(column.type, sa.JSON) else (column.type.python_type,)
        kinds += ((int,) if kinds == (float,) else ()) + ((type(None),) if column.nullable else ())
        checks[column.name] = kinds, getattr(column.type, "length", None)
    return checks


CHECKS = {table.name: column_checks(table) for table in METADATA.tables.values()}


def find_damage(table: Table, row: Sequence[Any], columns: Sequence[str] | None = None) -> str:
    """The column that is damaged, of all or of these; nothing where none is."""
    checks = CHECKS[table.name]
    for name, value in zip(columns or checks, row, strict=True):
        (kinds, length), kind = checks[name], type(value)
        if (
            kind not in kinds
            or (length is not None and kind is bytes and len(value) != length)
            or (length is not None and kind is str and len(value) > length)
            or (kind is float and not 0 <= value < END_OF_TIME)
        ):
            return f"{table.name}.{name}"
    return ""


def is_sound(table: Table, row: Sequence[Any], columns: Sequence[str] | None = None) -> bool:
    return not find_damage(table, row, columns)


def check_row(table: Table, row: Sequence[Any]) -> None:
    if damage := find_damage(table, row):
        raise BrokenLog(f"{damage} cannot be this")


def as_name(stored: Any) -> str:
    """A guest's name as it is shown: that of a damaged row is empty."""
    return names.shown(stored) if isinstance(stored, str) else ""
