"""The data of a game as one table: its counts and values, each with its bounds, its clause and its meaning.

A game declares its data at the top of its `rules.py`, and its other constants follow from them:

    DATA = Data(__name__)
    GOLD = DATA.numbers("gold", (2, 3, 4, 5, 6, 7), 1, 40, "GM-1.1", "what each gold card is worth", length=(1, 6))
    DATA.require(sum(GOLD) % 2 == 1, "GM-4.1", "the gold must be an odd sum, so that a deal has a winner")

Each declaration returns the value in effect: the default, or in a *variant* of the game the changed value. A variant is
the same package imported again under another name (see `games.variant`); until then its package holds the CHANGES.
"""

import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from motherlode.engine import Refusal
from motherlode.game import VARIANT_DIGITS

CHANGES = "CHANGES"  # the attribute of a variant's package that holds its changed values
VARIANT_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
MOST_BYTES = 1 << 16  # of a file of values

Value = int | str | tuple["Value", ...]
Changes = Mapping[str, Value]
Length = tuple[int, int]  # the least and the most


class Datum(NamedTuple):
    """One line of the table. A number lies between low and high; a word matches `pattern`; lists have their lengths."""

    name: str
    default: Value
    low: int
    high: int
    clause: str
    meaning: str
    lengths: tuple[Length, ...] = ()  # of a list, then of the lists in it
    pattern: str = ""
    form: str = ""  # the pattern in words

    def check(self, value: object) -> Value:
        """The value, if it is one that this datum can have."""
        return self._check(value, self.lengths)

    def _check(self, value: object, lengths: tuple[Length, ...]) -> Value:
        if lengths:
            if not isinstance(value, (list, tuple)):
                raise self.refusal(f"a list of {length_words(lengths[0])} values, not {shortened(value)}")
            if not lengths[0][0] <= len(value) <= lengths[0][1]:
                raise self.refusal(f"a list of {length_words(lengths[0])} values, not of {len(value)}")
            return tuple(self._check(item, lengths[1:]) for item in value)
        if self.pattern:
            if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
                raise self.refusal(f"{self.form}, not {shortened(value)}")
            return value
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            raise self.refusal(f"a number from {self.low} to {self.high}, not {shortened(value)}")
        return value

    def refusal(self, wanted: str) -> Refusal:
        inside = "each value of " if self.lengths and not wanted.startswith("a list") else ""
        return Refusal(f"{self.clause}: {inside}{self.name} ({self.meaning}) must be {wanted}")

    def bounds(self) -> str:
        """What it can be, in words."""
        if not self.lengths:
            return f"{self.low} to {self.high}"
        each = self.form or f"{self.low} to {self.high}"
        return " lists of ".join(map(length_words, self.lengths)) + f", each {each}"


def length_words(length: Length) -> str:
    return str(length[0]) if length[0] == length[1] else f"{length[0]} to {length[1]}"


def shortened(value: object) -> str:
    written = repr(value)
    return written if len(written) <= 40 else f"{written[:40]}…"


class Data:
    """The table of one game. Its methods declare a datum each and return the value in effect."""

    def __init__(self, module: str = "") -> None:
        package = sys.modules.get(module.rpartition(".")[0])
        self.changes: Changes = getattr(package, CHANGES, {})
        self.table: dict[str, Datum] = {}

    def __iter__(self) -> Iterator[Datum]:
        return iter(self.table.values())

    def _declare(self, datum: Datum) -> Value:
        assert datum.name not in self.table, f"{datum.name} is declared twice"
        self.table[datum.name] = datum
        return datum.check(self.changes.get(datum.name, datum.default))

    def number(self, name: str, default: int, low: int, high: int, clause: str, meaning: str) -> int:
        value = self._declare(Datum(name, default, low, high, clause, meaning))
        assert isinstance(value, int)
        return value

    def numbers(
        self, name: str, default: Sequence[int], low: int, high: int, clause: str, meaning: str,
        *, length: Length | None = None,
    ) -> tuple[int, ...]:  # fmt: skip
        """Numbers by place; as many as the default has, unless `length` says otherwise."""
        lengths = (length or (len(default), len(default)),)
        value = self._declare(Datum(name, tuple(default), low, high, clause, meaning, lengths))
        assert isinstance(value, tuple)
        return tuple(item for item in value if isinstance(item, int))

    def lists(
        self, name: str, default: Sequence[tuple[int, ...]], low: int, high: int, clause: str, meaning: str,
        *, length: Length, of: Length,
    ) -> tuple[tuple[int, ...], ...]:  # fmt: skip
        """Lists of numbers: how many lists, and how many numbers in each."""
        value = self._declare(Datum(name, tuple(default), low, high, clause, meaning, (length, of)))
        assert isinstance(value, tuple)
        return tuple(tuple(item for item in row if isinstance(item, int)) for row in value if isinstance(row, tuple))

    def words(
        self, name: str, default: Sequence[str], pattern: str, form: str, clause: str, meaning: str,
        *, length: Length | None = None,
    ) -> tuple[str, ...]:  # fmt: skip
        """Words by place, each of a pattern; `form` says it in words."""
        lengths = (length or (len(default), len(default)),)
        value = self._declare(Datum(name, tuple(default), 0, 0, clause, meaning, lengths, pattern, form))
        assert isinstance(value, tuple)
        return tuple(item for item in value if isinstance(item, str))

    def require(self, holds: bool, clause: str, message: str) -> None:
        """Something that must hold between several values."""
        if not holds:
            raise Refusal(f"{clause}: {message}")

    def check(self, changes: Mapping[str, object], title: str) -> Changes:
        """The values that differ from the defaults, each in its bounds."""
        checked: dict[str, Value] = {}
        for name, value in changes.items():
            if name not in self.table:
                known = ", ".join(self.table) or "none; its numbers cannot be changed"
                raise Refusal(f"{title} has no value {name!r}; its values are: {known}")
            checked[name] = self.table[name].check(value)
        return {name: value for name, value in checked.items() if value != self.table[name].default}

    def toml(self, game: str, name: str) -> str:
        """The whole table as a file of values, with bounds, clauses and meanings as comments, ready to edit."""
        lines = [f'game = "{game}"', f'name = "{name}"']
        for datum in self:
            lines += ["", f"# {datum.clause}: {datum.meaning} ({datum.bounds()})"]
            lines.append(f"{datum.name} = {write(self.changes.get(datum.name, datum.default))}")
        return "\n".join(lines) + "\n"


def write(value: Value) -> str:
    """A value as text, in words that TOML and JSON share."""
    return json.dumps(value, ensure_ascii=False)


def read(text: str) -> object:
    """A value from its text; what it may be is for the table to say."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal(f"{shortened(text)} is not a number, a word in quotes or a list of them in brackets") from None


def variant_rules(rules: int, changes: Changes) -> int:
    """The RULES of a variant: those of its game, and then the hash of its changes."""
    return rules * VARIANT_DIGITS + contents_hash(changes) % VARIANT_DIGITS


def contents_hash(changes: Changes) -> int:
    """A number of 256 bits that stands for these changes."""
    text = json.dumps(dict(sorted(changes.items())))
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def check_name(name: object) -> str:
    """The name of a variant."""
    if not isinstance(name, str) or not VARIANT_NAME.fullmatch(name):
        raise Refusal(f"a variant's name is of small letters, digits and hyphens, at most 31, not {shortened(name)}")
    return name


class Values(NamedTuple):
    """What a file of values says: the variant's name, its game if it says so, and the changed values."""

    name: str
    game: str
    changes: dict[str, object]


def read_file(path: Path) -> Values:
    """A file of values, in TOML: `name`, perhaps `game`, and the values. Without a name, the file's own is taken."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f"a file of values has at most {MOST_BYTES:,} bytes")
        found = tomllib.loads(content.decode())
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{path} is not a file of values: {error}") from None
    name, game = found.pop("name", path.stem.lower()), found.pop("game", "")
    if not isinstance(game, str):
        raise Refusal(f"{path}: game must be the name of a game, not {shortened(game)}")
    return Values(check_name(name), game, found)
