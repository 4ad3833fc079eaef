"""The functions that write observations, generated as source from a layout, so that they run interpreted, compiled and
on a GPU, as the rules do.

They write into a row of columns, or into a packed row: words of 32 bits, with a bit for each column and eight for each
number. A GPU packs rows, because its threads have little memory, and unpacks them together.
"""

from collections.abc import Callable, Iterator
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
    """Where everything is in a packed row: a bit per column, then eight bytes for every eight columns with numbers.

    A number's eight bits are where its column says in those bytes. In the log all columns have bytes.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        of_features = [feature for feature in layout.features if feature.kind in NUMBERS]
        columns = {column for feature in of_features for column in feature.columns}
        columns |= {*range(layout.knowledge, layout.size)} if layout.log else set()
        groups = sorted({column // 8 for column in columns})
        flags = -(-layout.size // 32)
        self.numbers = np.full(layout.size // 8, -1, np.int32)  # of every eight columns, the word of their bytes
        self.numbers[groups] = flags + 2 * np.arange(len(groups))
        self.words = flags + 2 * len(groups)

    def shift(self, first: int) -> int:
        """The bit of a number minus eight times its column, for all numbers of a field that begins at this column."""
        group = next(at for at in range(first // 8, len(self.numbers)) if self.numbers[at] >= 0)
        return 32 * int(self.numbers[group]) - 64 * group


def source(layout: Layout, packing: Packing | None) -> str:
    """The source of encode(s, seat, out), which writes what a view says into a row of zeros."""
    lines = ["def encode(s, seat, out):", "    n = s.seats", "    me = max(seat, 0)"]
    lines += ["    if seat >= 0:", "        mark(out, seat)"]
    for feature in layout.features[1:]:
        lines += ["    " + line for line in field_source(layout.most, feature, packing)]
    return "\n".join(lines) + "\n"


def field_source(most: int, feature: Feature, packing: Packing | None) -> Iterator[str]:
    """The lines that write one field: a loop over its places, the observer's first."""
    field, space = feature.field, ""
    share = field.length // most
    if not field.length:
        yield f"x = s.{field.name}"
        yield f"c = {feature.first}"
    elif field.by_seat:
        space = " " * 8
        yield f"for r in range({most}):"
        yield f"    at = absolute(r, me, n) * {share}"
        yield f"    for k in range({share}):"
        yield f"        x = s.{field.name}[at + k]"
        yield f"        c = {feature.first} + (r * {share} + k) * {feature.width}"
    else:
        space = " " * 4
        yield f"for k in range({field.length}):"
        yield f"    x = s.{field.name}[k]"
        yield f"    c = {feature.first} + k * {feature.width}"
    if field.blank:
        yield f"{space}if x < 0:"
        yield f"{space}    mark(out, c - 1 - x)"
        yield f"{space}else:"
        space += "    "
        yield f"{space}c += 2"
    yield from (space + line for line in value_source(most, feature, packing))


def value_source(most: int, feature: Feature, packing: Packing | None) -> Iterator[str]:
    """The lines that write a value `x`, which is not blank, from column `c` on."""
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
    else:
        number = f"x - {field.low}"
        numbers = [number] if kind == "number" else [f"({number}) // {BYTE}", f"({number}) % {BYTE}"]
        for k, value in enumerate(numbers):
            place = f"8 * (c + {k}) + {packing.shift(feature.first)}" if packing else f"c + {k}"
            yield f"write(out, {place}, {value})"


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
    set_one, set_number = (mark_bit, write_bits) if packing else (mark, write)
    times, shift = (8, packing.shift(layout.knowledge) if layout.log else 0) if packing else (1, 0)
    most, actions, kinds, shown = layout.most, len(layout.game.ACTIONS), layout.told, layout.shown.length

    @inner
    def encode_told(told: Words, seat: int, seats: int, out: Words, at: int) -> None:
        set_one(out, at + (0 if told[0] < 0 else 1 + relative(told[0], seat, seats)))
        at += 1 + most
        outcomes = actions if told[0] < 0 else 0
        set_one(out, at + (0 if told[1] == HIDDEN else 1 + outcomes + told[1]))
        at += kinds
        for k in range(shown):
            set_number(out, times * (at + k) + shift, told[2 + k])

    return encode_told
