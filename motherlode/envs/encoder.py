"""The functions that write observations, generated as source from a layout, so that they run interpreted, compiled and
on a GPU, as the rules do.

They write into a row of columns, or into a packed row: words of 32 bits, with a bit for each column that is 0 or 1 and
eight for each number. A GPU packs rows, for its threads have little memory, and unpacks them together.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from motherlode.envs.observation import BYTE, Feature, Layout
from motherlode.envs.rotation import absolute, relative
from motherlode.game import HIDDEN, Words, rule

NUMBERS = ("number", "wide")  # kinds of features whose columns are not 0 or 1
BITS = 8  # of a number in a packed row


@rule
def mark(out: Words, at: int) -> None:
    """Write 1 into a column."""
    out[at] = 1


@rule
def mark_set(out: Words, at: int, members: int, size: int) -> None:
    """Write a column for each member that a set of this size may have."""
    for i in range(size):
        out[at + i] = (members >> i) & 1


@rule
def write(out: Words, at: int, number: int) -> None:
    """Write a number into a column."""
    out[at] = number


@rule
def mark_bit(out: Words, at: int) -> None:
    """`mark` in a packed row."""
    out[at >> 5] |= 1 << (at & 31)


@rule
def mark_bits(out: Words, at: int, members: int, size: int) -> None:
    """`mark_set` in a packed row."""
    word, place = at >> 5, at & 31
    out[word] |= (members & (0xFFFFFFFF >> place)) << place
    members >>= 32 - place
    while members > 0:
        word += 1
        out[word] |= members & 0xFFFFFFFF
        members >>= 32


@rule
def write_bits(out: Words, at: int, number: int) -> None:
    """`write` in a packed row."""
    mark_bits(out, at, number, BITS)


class Packing:
    """Where everything is in a packed row."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.first: dict[str, int] = {}  # of each field, its first bit
        at = 0
        for feature in layout.features:
            self.first[feature.field.name] = at
            at += feature.places * self.width(feature)
        self.knowledge = at
        self.entry = layout.entry + (BITS - 1) * layout.shown.length
        self.size = at + layout.log * self.entry  # bits of a row
        self.words = self.size // 32 + 2  # one to spare: a number may be read across two

    def width(self, feature: Feature) -> int:
        """The bits of one place."""
        blanks = 2 * feature.field.blank
        return blanks + (feature.width - blanks) * (BITS if feature.kind in NUMBERS else 1)

    @cached_property
    def table(self) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Of every column twice its bit, plus 1 if it is a number."""
        cells: list[int] = []
        for feature in self.layout.features:
            for place in range(feature.places):
                first = self.first[feature.field.name] + place * self.width(feature)
                blanks = 2 * feature.field.blank
                is_number = feature.kind in NUMBERS
                cells += [2 * (first + k) for k in range(blanks)]
                step = BITS if is_number else 1
                cells += [2 * (first + blanks + k * step) + is_number for k in range(feature.width - blanks)]
        shown = self.layout.shown.length
        for entry in range(self.layout.log):
            first = self.knowledge + entry * self.entry
            cells += [2 * (first + k) for k in range(self.layout.entry - shown)]
            first += self.layout.entry - shown
            cells += [2 * (first + k * BITS) + 1 for k in range(shown)]
        return np.array(cells, np.int32)


def source(layout: Layout, packing: Packing | None) -> str:
    """The source of encode(s, seat, out), which writes what a view says into a row of zeros."""
    lines = ["def encode(s, seat, out):", "    n = s.seats", "    me = max(seat, 0)"]
    lines += ["    if seat >= 0:", "        mark(out, seat)"]
    for feature in layout.features[1:]:
        first = packing.first[feature.field.name] if packing else feature.first
        width = packing.width(feature) if packing else feature.width
        lines += ["    " + line for line in field_source(layout.most, feature, first, width)]
    return "\n".join(lines) + "\n"


def field_source(most: int, feature: Feature, first: int, width: int) -> Iterator[str]:
    """The lines that write one field: a loop over its places, the observer's first."""
    field, space = feature.field, ""
    share = field.length // most
    if not field.length:
        yield f"x = s.{field.name}"
        yield f"c = {first}"
    elif field.by_seat:
        space = " " * 8
        yield f"for r in range({most}):"
        yield f"    at = absolute(r, me, n) * {share}"
        yield f"    for k in range({share}):"
        yield f"        x = s.{field.name}[at + k]"
        yield f"        c = {first} + (r * {share} + k) * {width}"
    else:
        space = " " * 4
        yield f"for k in range({field.length}):"
        yield f"    x = s.{field.name}[k]"
        yield f"    c = {first} + k * {width}"
    if field.blank:
        yield f"{space}if x < 0:"
        yield f"{space}    mark(out, c - 1 - x)"
        yield f"{space}else:"
        space += "    "
        yield f"{space}c += 2"
    blanks = 2 * field.blank
    step = (width - blanks) // (feature.width - blanks)
    yield from (space + line for line in value_source(most, feature, step))


def value_source(most: int, feature: Feature, step: int) -> Iterator[str]:
    """The lines that write a value `x`, which is not blank, from `c` on; columns of numbers are `step` apart."""
    field, kind = feature.field, feature.kind
    if kind == "set" and field.of_seats:
        share = len(field.words) // most
        yield f"for j in range({most}):"
        yield f"    y = (x >> (absolute(j, me, n) * {share})) & {(1 << share) - 1}"
        yield f"    mark_set(out, c + j * {share}, y, {share})"
    elif kind == "set":
        yield f"mark_set(out, c, x, {len(field.words)})"
    elif kind == "one of":
        if field.name == "turn":
            yield "y = x if x < 0 else relative(x, me, n)"
        elif field.of_seats:
            share = (field.high + 1) // most
            yield f"y = relative(x // {share}, me, n) * {share} + x % {share}"
        else:
            yield "y = x"
        yield f"mark(out, c + y - {field.low})"
    elif kind == "digits":
        yield "d = c - 1"
        yield "while x > 0:"
        yield "    if x % 10 > 0:"
        yield "        mark(out, d + x % 10)"
        yield f"    d += {field.largest_digit}"
        yield "    x = x // 10"
    elif kind == "number":
        yield f"write(out, c, x - {field.low})"
    else:
        yield f"write(out, c, (x - {field.low}) // {BYTE})"
        yield f"write(out, c + {step}, (x - {field.low}) % {BYTE})"


def encoder(layout: Layout, inner: Callable[[Any], Any], packing: Packing | None = None) -> Any:
    """The function encode(view, seat, row of zeros), which `inner` compiles."""
    scope: dict[str, Any] = {"absolute": absolute, "relative": relative}
    functions = (mark_bit, mark_bits, write_bits) if packing else (mark, mark_set, write)
    scope |= dict(zip(("mark", "mark_set", "write"), functions, strict=True))
    exec(compile(source(layout, packing), f"<observation of {layout.game.NAME}>", "exec"), scope)
    return inner(scope["encode"])


def told_encoder(layout: Layout, inner: Callable[[Any], Any], packing: Packing | None = None) -> Any:
    """The function encode_told(told, seat, seats, out, at), which writes an entry of the log as `Layout.encode_told`.

    What was told is an array: actor, action, and what was shown.
    """
    set_one, set_number, step = (mark_bit, write_bits, BITS) if packing else (mark, write, 1)
    most, actions, kinds, shown = layout.most, len(layout.game.ACTIONS), layout.told, layout.shown.length

    @inner
    def encode_told(told: Words, seat: int, seats: int, out: Words, at: int) -> None:
        set_one(out, at + (0 if told[0] < 0 else 1 + relative(told[0], seat, seats)))
        at += 1 + most
        outcomes = actions if told[0] < 0 else 0
        set_one(out, at + (0 if told[1] == HIDDEN else 1 + outcomes + told[1]))
        at += kinds
        for k in range(shown):
            set_number(out, at + k * step, told[2 + k])

    return encode_told
