"""The contract of a game, and the few tools its rules are written with.

A game is a module in `motherlode/games`: no base class, no instance. It has

    NAME TITLE CREDIT RULES     its name in code, its title, who made it, the integer version of its behaviour
    SEATS OPTIONS LENGTH        allowed numbers of players, its options, the most decisions a game can take
    FIELDS                      every field of its record; `record(FIELDS)` makes the record's type
    ACTIONS OUTCOMES            what seats decide and what chance decides, each numbered from 0

and these rules, on a record `s`, in place, marked `@rule` so that Numba and CUDA compile the very same functions:

    start(s, seats)             the opening position; `s` is all zero but for its options, already written
    legal(s, bits) -> count     what the one to act may do (at CHANCE: the possible outcomes): one bit each, in int64
                                words, all of which it writes; it reads nothing that the one to act does not know
    odds(s, a) -> int           the integer weight of a chance outcome
    apply(s, a)                 do it; `a` is taken to be legal
    hide(s, seat)               blank all this seat has never been shown (seat -1: the public)
    forget(s, seat, kept)       blank, further, what is not in sight now, but for the places in the bits `kept`: 0 is a
                                person's sight, -1 is perfect memory (memory games; elsewhere it does nothing)
    told(s, a, seat) -> a       the action as this seat is told it, or HIDDEN; asked before `apply`
    guess(s, seat, rng)         fill a hidden record's blanks with a world drawn from all that agree with it
    score(s, out)               points per seat
    winners(s) -> bits          who has won, one bit a seat; asked when the game is over
    draw(s, rng) -> a           optional: `legal` and `odds` in one, for speed; must have the same distribution

and in plain Python, called on a view only:

    hidden(s) -> str            what a seat reads that was told HIDDEN at this point: "discard ?"
    turned_up(s) -> str         what `shown` says, in words, or nothing: "gold 5"
    why(s, a) -> clause | None  the clause that forbids it; None exactly for legal actions
    show(s) -> str              one screen of text; INKS colours it: {regular expression: style}
    sums(s)                     (what, is, should be): the sheet's sums that never change
    drawn(s) -> dict            optional: what a drawing of a view wants that is for the rules to say, as plain JSON
    FACTS                       optional: what a drawing wants to know of the game, always, as plain JSON
    aside(s, seat, actions)     optional: where seats decide at the same time, in secret: the position for one whose
                                turn has not come but who has decided these actions already (`turn` is that seat only
                                while it has more to decide), and how many decisions come before its first; else None
    recalled_places(actor, told, shown, seat) -> bits
                                memory games: which places of `kept` an entry of the log a seat was told brings to mind

Interpreted, a record is a `ctypes.Structure`; compiled, it is a NumPy record over the same bytes. Both speak
`s.turn` and `s.hand[seat]`. All fields are signed, so bit sets stay below 63 bits and no unsigned trap is near.
"""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

CHANCE: Final = -1  # values of `turn` besides the seats
OVER: Final = -2

UNSEEN: Final = -1  # blanks, outside every low…high: nobody has seen it; chance will decide
HIDDEN: Final = -2  # somebody has seen it; `guess` fills it

EVERYONE: Final = 127  # in `shown`: shown to all seats and to the public

Record = Any  # a record's fields are only known from its FIELDS
Rng = Any  # one uint64, see `below`
Bits = Any  # int64 words, one bit an action
Game = Any  # a module that keeps this contract

F = TypeVar("F", bound=Callable[..., Any])


def rule(function: F) -> F:
    """Mark a function that also compiles. Numba, slow to import, is told of it when something is first compiled."""
    function.is_rule = True  # type: ignore[attr-defined]
    return function


class Field(NamedTuple):
    """One line of a game's FIELDS. `words` name the values; with `of_set` a value is a set of them, one bit each."""

    name: str
    low: int
    high: int
    length: int  # 0: a single value
    meaning: str
    words: Sequence[str] = ()
    of_set: bool = False
    blank: bool = False  # may be UNSEEN or HIDDEN

    def ctype(self) -> Any:
        for kind in (ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64):
            if self.high < 1 << (8 * ctypes.sizeof(kind) - 1):
                return kind
        raise ValueError(f"field {self.name}: {self.high} does not fit 63 bits")


def words(name: str, values: Sequence[str], length: int, meaning: str, *, blank: bool = False) -> Field:
    """A field whose values have names."""
    return Field(name, 0, len(values) - 1, length, meaning, values, blank=blank)


def a_set(name: str, values: Sequence[str], length: int, meaning: str) -> Field:
    """A field that is a set of named things, one bit each."""
    return Field(name, 0, (1 << len(values)) - 1, length, meaning, values, of_set=True)


class Option(NamedTuple):
    """A choice made before the game, the first value by default. Numbers are stored as they are, words by place."""

    name: str
    values: Sequence[int] | Sequence[str]
    clause: str
    meaning: str

    def field(self) -> Field:
        numbers = [self.number(value) for value in self.values]
        names = [str(value) for value in self.values] if isinstance(self.values[0], str) else ()
        return Field(self.name, min(numbers), max(numbers), 0, self.meaning, names)

    def number(self, value: int | str) -> int:
        return value if isinstance(value, int) else list(self.values).index(value)

    def value(self, number: int) -> int | str:
        return self.values[number] if isinstance(self.values[0], str) else number


def record(fields: Sequence[Field]) -> type[ctypes.Structure]:
    """The record's type without holes, so that equal positions are equal bytes: largest first, filled up by `_rest`."""
    sized = sorted(fields, key=lambda f: -ctypes.sizeof(f.ctype()))
    layout = [(f.name, f.ctype() * f.length if f.length else f.ctype()) for f in sized]
    rest = -sum(ctypes.sizeof(kind) for _, kind in layout) % ctypes.sizeof(sized[0].ctype())
    layout += [("_rest", ctypes.c_int8 * rest)] if rest else []
    return type("Record", (ctypes.Structure,), {"_fields_": layout})


class Arg(NamedTuple):
    """An argument of an action: its name and the words of its values."""

    name: str
    words: Sequence[str]


class Kind(NamedTuple):
    """A kind of action: its verb, its arguments, and the clause that grants it."""

    verb: str
    args: tuple[Arg, ...]
    clause: str

    def size(self) -> int:
        size = 1
        for arg in self.args:
            size *= len(arg.words)
        return size


class Actions:
    """A table of kinds of action, numbered one after the other; the last argument runs fastest."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds
        self.first: list[int] = []  # the number of each kind's first action
        self.names: dict[int, str] = {}  # those asked for
        total = 0
        for kind in kinds:
            self.first.append(total)
            total += kind.size()
        self.total = total

    def __len__(self) -> int:
        return self.total

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.total))

    def read(self, a: int) -> tuple[Kind, list[int]]:
        """The kind of an action and its arguments' values."""
        for kind, first in zip(self.kinds, self.first, strict=True):
            if first <= a < first + kind.size():
                rest, values = a - first, []
                for arg in reversed(kind.args):
                    rest, value = divmod(rest, len(arg.words))
                    values.append(value)
                return kind, values[::-1]
        raise ValueError(f"there is no action {a}; they are numbered 0 to {self.total - 1}")

    def name(self, a: int) -> str:
        if a not in self.names:
            kind, values = self.read(a)
            said = [arg.words[v] for arg, v in zip(kind.args, values, strict=True)]
            self.names[a] = " ".join([kind.verb, *said])
        return self.names[a]


# Bits and random numbers, in arithmetic that is the same interpreted (on Python's integers), compiled and on a GPU.


@rule
def count(x: int) -> int:
    """How many bits are set, in up to 64."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((x * 0x0101010101010101) >> 56) & 0x7F


@rule
def lowest(x: int) -> int:
    """The place of the lowest set bit."""
    return count((x & -x) - 1)


@rule
def nth(x: int, k: int) -> int:
    """The place of the k-th set bit, from 0: halving without branches, for they could not be predicted."""
    at = 0
    for half in (32, 16, 8, 4, 2, 1):
        c = count(x & ((1 << half) - 1))
        skip = half if k >= c else 0
        k -= c if k >= c else 0
        x >>= skip
        at += skip
    return at


@rule
def nth_action(bits: Bits, k: int) -> int:
    """The k-th action of those in `bits`."""
    w = 0
    c = count(bits[0])
    while k >= c:
        k -= c
        w += 1
        c = count(bits[w])
    return (w << 6) + nth(bits[w], k)


@rule
def put(bits: Bits, a: int) -> None:
    """Add action `a` to `bits`."""
    bits[a >> 6] |= 1 << (a & 63)


@rule
def has(bits: Bits, a: int) -> bool:
    """Whether action `a` is in `bits`."""
    return (bits[a >> 6] >> (a & 63)) & 1 == 1


@rule
def nth_of(counts: Sequence[int], k: int) -> int:
    """Which kind the k-th of things counted by kind is."""
    kind = 0
    while k >= counts[kind]:
        k -= counts[kind]
        kind += 1
    return kind


@rule
def is_shown(to: int, seat: int) -> bool:
    """Whether something shown to the seats `to` was shown to this one (-1: to the public)."""
    return to == EVERYONE or (seat >= 0 and (to >> seat) & 1 == 1)


@rule
def seed(rng: Rng, number: int, stream: int) -> None:
    """Set `rng`, which is 0, to the start of a stream; any two are as good as unrelated (SplitMix64's finaliser)."""
    for part in (number, stream):
        rng[0] = (rng[0] ^ part) + 0x9E3779B97F4A7C15
        z = rng[0]
        rng[0] = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
        z = rng[0]
        rng[0] = (z ^ (z >> 27)) * 0x94D049BB133111EB
        z = rng[0]
        rng[0] = z ^ (z >> 31)


@rule
def below(rng: Rng, n: int) -> int:
    """A random number of 0…n-1, each exactly as likely, n at most 2^31 (PCG XSH-RS 64/32, then Lemire's method)."""
    while True:
        z = rng[0]
        rng[0] = z * 6364136223846793005 + 1442695040888963407
        m = ((((z >> 22) ^ z) >> (22 + (z >> 61))) & 0xFFFFFFFF) * n
        low = m & 0xFFFFFFFF
        if low >= n or low >= (1 << 32) % n:
            return m >> 32


def new_rng(number: int, stream: int = 0) -> Rng:
    """A random number generator for interpreted rules."""
    rng = (ctypes.c_uint64 * 1)()
    seed(rng, number, stream)
    return rng
