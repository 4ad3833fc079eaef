"""What a seat knows, as numbers for a learner: a row of columns, made from a game's FIELDS alone, for any game.

    set         one column per member: 1 if it is there
    one of      one column per value: 1 for the one it is. Words, seats, and numbers of few values
    digits      the same for every decimal digit from the last to the first, without columns for 0
    number      one column with the number, above its lowest
    wide        two columns with a number over 255: how many times 256, and the rest

What may be blank has two columns before these: nobody has seen it, somebody else has. Seats are counted from the
observer: what belongs to it comes first, then what belongs to the seat after it. The first columns say which seat it
is, because actions name seats as they are. With `log`, the last entries of what the seat was told follow, the latest
first. At the end a row is filled up with zeros to a multiple of eight columns. A column is a byte; as a float, numbers
are scaled to 0…1.

A row is made from a view, never from a position, and can be turned back into it: it has all of the view and nothing
else. `encoder.py` makes the functions that write it.
"""

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from motherlode.engine import Refusal, uncompiled
from motherlode.envs.rotation import absolute, relative
from motherlode.game import HIDDEN, UNSEEN, Field, Game, Record
from motherlode.table import Told

FEW = 6  # values that a number may have to get a column for each
BYTE = 256
MOST_LOG = 1000
Row = np.ndarray[Any, Any]


class Feature(NamedTuple):
    """The columns of a field: as many for each of its places."""

    field: Field
    kind: str
    first: int
    width: int  # columns for each place

    @property
    def places(self) -> int:
        return max(1, self.field.length)

    @property
    def columns(self) -> range:
        return range(self.first, self.first + self.places * self.width)

    @property
    def largest(self) -> int:
        """The largest number in one of its columns, with which floats are scaled."""
        return max(1, self.field.high - self.field.low) if self.kind == "number" else BYTE - 1

    def names(self, seats: int) -> Iterator[str]:
        """The name of every column, of a game for at most so many seats."""
        for place in range(self.places):
            share = self.field.length // seats
            where = f"{place // share},{place % share}" if self.field.by_seat and share > 1 else str(place)
            name = f"{self.field.name}[{where}]" if self.field.length else self.field.name
            yield from (name + end for end in self.endings())

    def endings(self) -> list[str]:
        """What the columns of one place are called after its name."""
        field = self.field
        if self.kind == "set":
            endings = [f".{word}" for word in field.words]
        elif field.name == "turn":
            endings = ["=over", "=chance", *(f"={seat}" for seat in range(field.high + 1))]
        elif self.kind == "one of":
            endings = [f"={value}" for value in field.words or range(field.low, field.high + 1)]
        elif self.kind == "digits":
            digits = range(1, field.largest_digit + 1)
            endings = [f".digit {k}={digit}" for k in range(len(str(field.high))) for digit in digits]
        else:
            endings = [""] if self.kind == "number" else [".256s", ".rest"]
        return ["=unseen", "=hidden", *endings] if field.blank else endings


def kind_and_width(field: Field) -> tuple[str, int]:
    """How a value of this field is written, and in how many columns without blanks."""
    values = field.high - field.low + 1
    if field.of_set:
        return "set", len(field.words)
    if field.largest_digit:
        return "digits", len(str(field.high)) * field.largest_digit
    if field.words or field.of_seats or values <= FEW or field.name == "turn":
        return "one of", values
    if values > BYTE * BYTE:
        raise Refusal(f"{field.name} has {values} values, too many for an observation: largest_digit splits a number")
    return ("number", 1) if values <= BYTE else ("wide", 2)


class Layout:
    """The columns of a game's observations: the same for every number of seats and with all options."""

    def __init__(self, game: Game, log: int = 0) -> None:
        if not 0 <= log <= MOST_LOG:
            raise Refusal(f"an observation has the last 0 to {MOST_LOG} entries of the log, not {log}")
        self.game, self.log = game, log
        self.most = max(game.SEATS)
        observer = Field("observer", 0, self.most - 1, 0, "the seat that knows this, counted from seat 0")
        self.features = [Feature(observer, "one of", 0, self.most)]
        at = self.most
        for field in game.FIELDS:
            kind, width = kind_and_width(field)
            self.features.append(Feature(field, kind, at, width + 2 * field.blank))
            at = self.features[-1].columns.stop
        self.knowledge = at  # columns of what the seat knows now
        self.shown = next(field for field in game.FIELDS if field.name == "shown")
        self.told = len(game.ACTIONS) + len(game.OUTCOMES) + 1  # what can be told: an action, an outcome, or HIDDEN
        self.entry = 1 + self.most + self.told + self.shown.length  # columns of an entry: who, what, and what it showed
        self.filled = at + log * self.entry
        self.size = -(-self.filled // 8) * 8

    def names(self) -> list[str]:
        """The name of every column."""
        names = [name for feature in self.features for name in feature.names(self.most)]
        who = ["=chance", *(f"={seat}" for seat in range(self.most))]
        what = [
            "hidden",
            *map(self.game.ACTIONS.name, self.game.ACTIONS),
            *map(self.game.OUTCOMES.name, self.game.OUTCOMES),
        ]
        shown = [f".shown[{k}]" for k in range(self.shown.length)]
        entry = [*(f".actor{end}" for end in who), *(f".told={action}" for action in what), *shown]
        names += [f"log[{back}]{end}" for back in range(self.log) for end in entry]
        return names + [f"filling[{k}]" for k in range(self.size - self.filled)]

    @cached_property
    def scale(self) -> Row:
        """What every column is divided by as a float."""
        scale = np.ones(self.size, np.float32)
        for feature in self.features:
            if feature.kind in ("number", "wide"):
                blanks = 2 * feature.field.blank
                cells = scale[feature.first : feature.columns.stop].reshape(feature.places, feature.width)
                cells[:, blanks:] = feature.largest
        if self.log:
            entries = scale[self.knowledge : self.filled].reshape(self.log, self.entry)
            entries[:, self.entry - self.shown.length :] = max(1, self.shown.high)
        return scale

    def encode(self, view: Record, seat: int, log: Sequence[Told] = (), dtype: Any = np.uint8) -> Row:
        """The observation of a seat (-1: the public) by its view and what it was told."""
        if np.dtype(dtype) not in (np.uint8, np.float32):
            raise Refusal(f"observations are uint8 or float32, not {np.dtype(dtype)}")
        row = np.zeros(self.size, np.uint8)
        self.interpreted(view, seat, row)
        for back, told in enumerate(reversed(log[max(0, len(log) - self.log) :])):
            at = self.knowledge + back * self.entry
            self.encode_told(told, max(seat, 0), view.seats, row[at : at + self.entry])
        return row if np.dtype(dtype) == np.uint8 else row / self.scale

    def encode_told(self, told: Told, me: int, seats: int, out: Row) -> None:
        """An entry of the log: who acted, what the seat was told of it, and what it was shown."""
        who, what = np.split(out[: 1 + self.most + self.told], [1 + self.most])
        who[0 if told.actor < 0 else 1 + relative(told.actor, me, seats)] = 1
        outcomes = len(self.game.ACTIONS) if told.actor < 0 else 0
        what[0 if told.action == HIDDEN else 1 + outcomes + told.action] = 1
        out[self.entry - self.shown.length :] = (self.shown.ctype() * self.shown.length).from_buffer_copy(told.shown)

    def decode(self, row: Row) -> tuple[Record, int]:
        """The view that an observation was made from, and its seat; it may be without the filling."""
        if row.shape not in ((self.size,), (self.filled,)):
            raise Refusal(f"an observation of {self.game.TITLE} is a row of {self.size} columns, not {row.shape}")
        if row.dtype != np.uint8:
            row = np.rint(row * self.scale[: len(row)]).astype(np.uint8)
        observer = np.flatnonzero(row[: self.most]).tolist()
        view, me = self.game.RECORD(), observer[0] if observer else 0
        for feature in sorted(self.features[1:], key=lambda feature: feature.field.name != "seats"):  # that one first
            field = feature.field
            cells = row[feature.first : feature.columns.stop].reshape(feature.places, feature.width).tolist()
            values = [self.decode_value(feature, own, me, view.seats) for own in cells]
            if not field.length:
                setattr(view, field.name, values[0])
                continue
            share, places = field.length // self.most, getattr(view, field.name)
            for k, value in enumerate(values):
                place = absolute(k // share, me, view.seats) * share + k % share if field.by_seat else k
                places[place] = value
        return view, observer[0] if observer else -1

    def decode_value(self, feature: Feature, cells: list[int], me: int, seats: int) -> int:
        field = feature.field
        if field.blank and 1 in cells[:2]:
            return (UNSEEN, HIDDEN)[cells.index(1)]
        cells = cells[2:] if field.blank else cells

        def turn_back(value: int, values: int) -> int:
            share = values // self.most
            return absolute(value // share, me, seats) * share + value % share

        if feature.kind == "set":
            members = [i for i, is_there in enumerate(cells) if is_there]
            return sum(1 << (turn_back(i, len(cells)) if field.of_seats else i) for i in members)
        if feature.kind == "one of":
            value = cells.index(1) + field.low
            if field.name == "turn":
                return absolute(value, me, seats) if value >= 0 else value
            return turn_back(value, field.high + 1) if field.of_seats else value
        if feature.kind == "digits":
            digits = [[0, *cells[k : k + field.largest_digit]] for k in range(0, len(cells), field.largest_digit)]
            return sum(10**k * (digit.index(1) if 1 in digit else 0) for k, digit in enumerate(digits))
        return field.low + (cells[0] if feature.kind == "number" else BYTE * cells[0] + cells[1])

    @cached_property
    def interpreted(self) -> Any:
        """Writes what a view says into a row of zeros, in plain Python."""
        from motherlode.envs.encoder import encoder

        return encoder(self, uncompiled)


@cache
def layout(game: Game, log: int = 0) -> Layout:
    """The columns of a game's observations, with this many entries of the log."""
    return Layout(game, log)
