"""The contract of a game, and the tools its rules are written with.

A game is a module, `rules.py` in a folder of its own: no base class, no instance. `Rules` lists what it must have:

    NAME TITLE CREDIT RULES     its name in code, its title, who made it, the integer version of its behaviour
    SEATS LENGTH                allowed numbers of players, the most decisions a game can take
    FIELDS RECORD               every field of its record; `record(FIELDS)` makes the record's type
    ACTIONS                     what seats decide, numbered from 0

and these rules, which change a record `s` in place. Marked `@rule`, they are compiled as they are by Numba and CUDA:

    start(s, seats)             the opening position; `s` is all zero except for its options, which are already set
    legal(s, bits) -> count     what the seat to act may do (at CHANCE: the possible outcomes), one bit per action in
                                int64 words, all of which it writes; it reads only what the seat to act knows
    apply(s, a)                 perform a legal action
    score(s, out)               points per seat
    winners(s) -> bits          who has won, one bit per seat; asked when the game is over

`Game` adds the optional members with their defaults; `adopt` turns a module into a `Game`:

    DATA                        its counts and values as a table, see `data.py`: with others it is a variant
    OPTIONS OUTCOMES            the game's options; what chance decides, numbered from 0
    OLDEST_RULES                the earliest version whose games can still be read, its new options being what they were
    odds(s, a) -> int           the integer weight of a chance outcome
    draw(s, rng) -> a           `legal` and `odds` in one, for speed; must have the same distribution
    useful(s, bits) -> count    like `legal`, without actions that are never worth a thought; bots consider only these
    hide(s, seat)               blank everything this seat has never been shown (seat -1: the public)
    forget(s, seat, kept)       also blank what is not in sight now, except for the places in the bits `kept`: 0 is a
                                person's sight, -1 is perfect memory (memory games; elsewhere it does nothing)
    REMEMBERS                   remembering is part of the game; if not, tables show people everything they have seen
                                (open memory), unless they are made without
    told(s, a, seat) -> a       the action as this seat is told it, or HIDDEN; asked before `apply`
    guess(s, seat, rng)         fill a hidden record's blanks with a world drawn from all that agree with it

and in plain Python, called on a view only, what tells people about it. These members, `SHOWN`, are in a second module,
`showing.py` beside `rules.py`, or in `rules.py` itself. `showing.py` imports the rules, never the other way round:

    hidden(s) -> str            the verb of an action told HIDDEN at this point: "discard"; "" if none ever is
    turned_up(s)                what `shown` says, as `TurnedUp`, or None
    EVENTS                      what can come of an action: the kinds of event, with their arguments and clauses
    events(before, told, after) what came of an action as it was told, between two views of the same observer
    why(s, a) -> clause         the clause that forbids an action that is not legal; `engine.why` asks
    show(s) -> str              one screen of text; INKS colours it: {regular expression: style}
    describe(s) -> list         the same for whoever hears it: an `Event` per fact, whose sentence is `position.KIND` of
                                told.*.json; an argument may be several words with commas between them
    sums(s)                     (what, is, should be): the sums of the sheet that never change
    drawn(s) -> dict            what the rules say about a view for those who draw it, as plain JSON; `stands_for` in it
                                maps words of arguments to what they stand for here: {"which": {"first": "sieve2"}}
    FACTS                       what a drawing needs to know about the game at any time, as plain JSON
    FACE_DOWN                   fields with a thing on each place that stays UNSEEN until it is turned up, each with the
                                field that says which thing it is (itself, where it lies still): for `hindsight.py`

In a third module, `clues.py`, a game may say what a network is told of a view, see `envs/clues.py`:

    CLUES                       the columns: `Clue`s
    clues(s, me, out, at)       a rule that writes them, as this seat counts

A few more are plain Python, but belong to the play, and so to `rules.py`:

    blind(s) -> bool            whether any plan in this decision would be a tell: bots decide at random
    source(s) -> Source         at every chance node: the deck that chance draws from and the position in it. With it,
                                whoever turns the card at place 12 first finds the same card: see `Source`
    deck(s, number)             what lies in a deck, asked at its first draw; without it, what `legal` and `odds` say
    decides_early(s, seat, actions)
                                where seats decide at the same time, in secret: the position for a seat whose turn has
                                not come but who has already decided these actions (`turn` is that seat only while it
                                has more to decide), and how many decisions come before its first; else None
    recalled_places(actor, told, shown, seat) -> bits
                                memory games: which places of `kept` an entry of a seat's told log brings to mind

Interpreted, a record is a `ctypes.Structure`; compiled, it is a NumPy record over the same bytes. Both are read and
written as `s.turn` and `s.hand[seat]`. All fields are signed, so bit sets stay below 63 bits and nothing wraps around.
"""

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, cast, overload

if TYPE_CHECKING:
    from motherlode.data import Data
    from motherlode.data import Value as DataValue

CHANCE: Final = -1  # values of `turn` besides the seats
OVER: Final = -2

UNSEEN: Final = -1  # blanks, outside every low…high: nobody has seen it; chance will decide
HIDDEN: Final = -2  # somebody has seen it; `guess` fills it

VARIANT_DIGITS: Final = 10**7  # the last digits of a variant's RULES are a hash of its changes; all stay below 2^31

EVERYONE: Final = 127  # in `shown`: shown to all seats and to the public


class Numbers(Protocol):
    """Numbers that rules read by place: a tuple, a field of a record, or an array."""

    def __getitem__(self, place: int, /) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...


class Words(Numbers, Protocol):
    """Numbers that rules also write: a list, or a ctypes or NumPy array."""

    def __setitem__(self, place: int, value: int, /) -> None: ...


Bits = Words  # int64 words, one bit per action
Rng = Words  # one uint64, see `below`

if TYPE_CHECKING:

    class Value(int):
        """A field of a record: a number, or numbers by place. Only FIELDS says which."""

        @overload
        def __getitem__(self, place: int) -> int: ...
        @overload
        def __getitem__(self, place: slice) -> list[int]: ...
        def __getitem__(self, place: int | slice) -> int | list[int]: ...
        @overload
        def __setitem__(self, place: int, value: int) -> None: ...
        @overload
        def __setitem__(self, place: slice, value: Sequence[int]) -> None: ...
        def __setitem__(self, place: int | slice, value: int | Sequence[int]) -> None: ...
        def __iter__(self) -> Iterator[int]: ...
        def __len__(self) -> int: ...


class Record(ctypes.Structure):
    """A position, or a view of one: the fields of its game's FIELDS. It can be pickled and copied."""

    GAME: "Game"  # set by `adopt`

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Value: ...
        def __setattr__(self, name: str, value: int) -> None: ...

    def __reduce__(self) -> tuple[Any, ...]:
        return read_record, (self.GAME, bytes(self))


def read_record(game: "Game", content: bytes) -> Record:
    """The record of these bytes."""
    return game.RECORD.from_buffer_copy(content)


F = TypeVar("F", bound=Callable[..., Any])


def rule(function: F) -> F:
    """Mark a function that can be compiled. Numba is slow to import, so it is told only when something is compiled."""
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
    by_seat: bool = False  # its places belong to the seats in equal shares: all of seat 0's, then all of seat 1's
    of_seats: bool = False  # its values do, or the members of its sets: a seat, a card before a seat
    largest_digit: int = 0  # a number whose decimal digits are read one by one; 0: it is not read so

    def ctype(self) -> type[ctypes.c_int8 | ctypes.c_int16 | ctypes.c_int32 | ctypes.c_int64]:
        for kind in (ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64):
            if self.high < 1 << (8 * ctypes.sizeof(kind) - 1):
                return kind
        raise ValueError(f"field {self.name}: {self.high} does not fit 63 bits")


def words(name: str, values: Sequence[str], length: int, meaning: str, **more: bool) -> Field:
    """A field whose values have names."""
    return Field(name, 0, len(values) - 1, length, meaning, values, **more)


def a_set(name: str, values: Sequence[str], length: int, meaning: str, **more: bool) -> Field:
    """A field that is a set of named things, one bit each."""
    return Field(name, 0, (1 << len(values)) - 1, length, meaning, values, of_set=True, **more)


class Option(NamedTuple):
    """A choice made before the game; the first value is the default. Numbers are stored as such, words by index."""

    name: str
    values: Sequence[int] | Sequence[str]
    clause: str
    meaning: str
    since: int = 1  # the version of the rules that brought it
    was: int | str | None = None  # what games of earlier versions were played under; None: the default
    retired: Sequence[int] | Sequence[str] = ()  # values of games of earlier versions that new games are not offered

    @property
    def is_offered(self) -> bool:
        """Whether there is anything to choose in a new game."""
        return len(self.values) > 1

    def every_value(self) -> list[int | str]:
        return [*self.values, *self.retired]

    def field(self) -> Field:
        numbers = [self.number(value) for value in self.every_value()]
        names = [str(value) for value in self.every_value()] if isinstance(self.values[0], str) else ()
        return Field(self.name, min(numbers), max(numbers), 0, self.meaning, names)

    def number(self, value: int | str) -> int:
        return value if isinstance(value, int) else self.every_value().index(value)

    def value(self, number: int) -> int | str:
        return self.every_value()[number] if isinstance(self.values[0], str) else number


def record(fields: Sequence[Field]) -> type[Record]:
    """The record's type, without holes so that equal positions are equal bytes: largest first, padded by `_rest`."""
    sized = sorted(fields, key=lambda f: -ctypes.sizeof(f.ctype()))
    layout = [(f.name, f.ctype() * f.length if f.length else f.ctype()) for f in sized]
    rest = -sum(ctypes.sizeof(kind) for _, kind in layout) % ctypes.sizeof(sized[0].ctype())
    layout += [("_rest", ctypes.c_int8 * rest)] if rest else []
    return type("Record", (Record,), {"_fields_": layout})


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


class TurnedUp(NamedTuple):
    """What an action showed a seat beyond its own words, read from `shown` in that seat's view."""

    kind: str
    args: dict[str, str]  # name -> word of the game's tables
    words: str  # the same in English: "gold 5"


class Source(NamedTuple):
    """Where an outcome of chance is drawn from: the outcome is `first +` the thing that lies there.

    A deck is a list of things, whole numbers with repetitions, that is shuffled once in a game. Every position of it is
    drawn at most once, and neither number may depend on the order of play where that of the cards on a table would not:
    the card at this place, the n-th card of this pile. What is thrown once is position 0 of a deck of its own.

    What lies in a deck is found at its first draw. Without `deck` every legal outcome lies in it, minus `first`, as
    often as its `odds` say. `deck(s, number)` lists the things itself. One may be a reference `(deck, position)` to
    what lies in another deck, if that has no references and nothing in common with this one's own things, and what is
    referred to is drawn in no other way.
    """

    deck: int
    position: int
    first: int = 0


Thing = int | tuple[int, int]  # in a deck: a number, or a reference to a deck and a position in it


NUMBER: Final = ()  # instead of an argument's words: any whole number, in decimal


class Event(NamedTuple):
    """What came of an action: gold won, a trick, a failed search, the end.

    Arguments named `seat` and `other` are seats. `points` is signed: what `seat` gained in `score`. Whoever sees
    everything can add up every seat's score at any time, and every seat can at the end.
    """

    kind: str  # of the game's EVENTS
    args: dict[str, str]  # name -> word of the game's tables, or a number


def event(kind: str, /, **args: int | str) -> Event:
    """An event with these arguments, as words."""
    return Event(kind, {name: str(value) for name, value in args.items()})


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

    def args(self, a: int) -> dict[str, str]:
        """The arguments of an action: name -> word."""
        kind, values = self.read(a)
        return {arg.name: arg.words[value] for arg, value in zip(kind.args, values, strict=True)}

    def name(self, a: int) -> str:
        """An action in words: its verb and its arguments."""
        if a not in self.names:
            self.names[a] = " ".join([self.read(a)[0].verb, *self.args(a).values()])
        return self.names[a]


# Bits and random numbers, in arithmetic that gives the same result interpreted, compiled and on a GPU.


@rule
def count(x: int) -> int:
    """The number of set bits, of up to 64."""
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
    """The place of the k-th set bit, counted from 0. It halves without branches, which could not be predicted."""
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
def nth_of(counts: Numbers, k: int) -> int:
    """The kind of the k-th thing, given how many there are of each kind."""
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
    """Set `rng`, which must be 0, to the start of a stream. Streams are unrelated (SplitMix64's finaliser)."""
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
    """A random number in 0…n-1, exactly uniform, n at most 2^31 (PCG XSH-RS 64/32, then Lemire's method)."""
    while True:
        z = rng[0]
        rng[0] = z * 6364136223846793005 + 1442695040888963407
        m = ((((z >> 22) ^ z) >> (22 + (z >> 61))) & 0xFFFFFFFF) * n
        low = m & 0xFFFFFFFF
        if low >= n or low >= (1 << 32) % n:
            return m >> 32


class RandomNumbers(ctypes.Array[ctypes.c_uint64]):
    """A random number generator for interpreted rules; a class with a name, so that it can be pickled."""

    _type_ = ctypes.c_uint64
    _length_ = 1


def new_rng(number: int, stream: int = 0) -> Rng:
    """A random number generator at the start of a stream."""
    rng = RandomNumbers()
    seed(rng, number, stream)
    return rng


# The contract as types


class Rules(Protocol):
    """What a game's module must have, so that the type checker can check modules."""

    @property
    def NAME(self) -> str: ...  # noqa: N802
    @property
    def TITLE(self) -> str: ...  # noqa: N802
    @property
    def CREDIT(self) -> str: ...  # noqa: N802
    @property
    def RULES(self) -> int: ...  # noqa: N802
    @property
    def SEATS(self) -> Sequence[int]: ...  # noqa: N802
    @property
    def LENGTH(self) -> int: ...  # noqa: N802
    @property
    def FIELDS(self) -> Sequence[Field]: ...  # noqa: N802
    @property
    def RECORD(self) -> type[Record]: ...  # noqa: N802
    @property
    def ACTIONS(self) -> Actions: ...  # noqa: N802

    def start(self, s: Record, seats: int, /) -> None: ...
    def legal(self, s: Record, bits: Bits, /) -> int: ...
    def apply(self, s: Record, a: int, /) -> None: ...
    def score(self, s: Record, out: Words, /) -> None: ...
    def winners(self, s: Record, /) -> int: ...


# What `showing.py` may have.
SHOWN = (
    "hidden", "turned_up", "EVENTS", "events", "why", "show", "describe", "INKS", "sums", "drawn", "FACTS", "FACE_DOWN",
)  # fmt: skip


class Clue(NamedTuple):
    """Columns of a game's `clues`: a name, the most that they can be, how many places they are for, and how many each
    place has."""

    name: str
    most: int
    places: int
    each: int = 1


class Showing(Protocol):
    """What the `showing.py` of a game with a board has, so that the type checker can check modules.

    Nothing in it is required: `Game` has the defaults. `hidden` and `turned_up` are only for games that need them.
    """

    @property
    def INKS(self) -> Mapping[str, str]: ...  # noqa: N802
    @property
    def FACTS(self) -> Mapping[str, object]: ...  # noqa: N802

    def why(self, s: Record, a: int, /) -> str: ...
    def show(self, s: Record, /) -> str: ...
    def describe(self, s: Record, /) -> list[Event]: ...
    def sums(self, s: Record, /) -> list[tuple[str, int, int]]: ...
    def drawn(self, s: Record, /) -> dict[str, object]: ...


@rule
def even_odds(s: Record, a: int) -> int:
    return 1


@rule
def hide_nothing(s: Record, seat: int) -> None:
    """Everything is open."""


@rule
def forget_nothing(s: Record, seat: int, kept: int) -> None:
    """Sight equals knowledge."""


@rule
def tell_everything(s: Record, a: int, seat: int) -> int:
    return a


@rule
def guess_nothing(s: Record, seat: int, rng: Rng) -> None:
    """There is nothing to guess."""


def fields_of(game: "Game", s: Record) -> dict[str, int | list[int]]:
    """A record as a dictionary of plain numbers."""
    return {f.name: list(getattr(s, f.name)) if f.length else int(getattr(s, f.name)) for f in game.FIELDS}


class Game(ModuleType):
    """A module that keeps the contract, with defaults for the optional members that it does not define."""

    if TYPE_CHECKING:
        NAME: str
        TITLE: str
        CREDIT: str
        RULES: int
        SEATS: Sequence[int]
        LENGTH: int
        FIELDS: Sequence[Field]
        RECORD: type[Record]
        ACTIONS: Actions

        def start(self, s: Record, seats: int, /) -> None: ...
        def legal(self, s: Record, bits: Bits, /) -> int: ...
        def apply(self, s: Record, a: int, /) -> None: ...
        def score(self, s: Record, out: Words, /) -> None: ...
        def winners(self, s: Record, /) -> int: ...

        DATA: "Data"

    SOURCE: str  # what `games.load` finds it by; for a variant, its game
    VARIANT: str = ""  # the name of a variant among those of its game
    CHANGES: Mapping[str, "DataValue"] = {}  # the values in which a variant differs from its game
    OLDEST_RULES: int | None = None  # None: only those of this version can be read
    REMEMBERS: bool = True  # whether people have to remember what `forget` takes away, unless a table says otherwise
    OPTIONS: Sequence[Option] = ()
    OUTCOMES: Actions = Actions()
    FACTS: Mapping[str, Any] = {}
    FACE_DOWN: Mapping[str, str] = {}
    INKS: Mapping[str, str] = {}
    EVENTS: Sequence[Kind] = ()
    odds = staticmethod(even_odds)
    hide = staticmethod(hide_nothing)
    forget = staticmethod(forget_nothing)
    told = staticmethod(tell_everything)
    guess = staticmethod(guess_nothing)
    draw: Callable[[Record, Rng], int] | None = None
    useful: Callable[[Record, Bits], int] | None = None
    source: Callable[[Record], Source] | None = None
    deck: Callable[[Record, int], Sequence[Thing]] | None = None
    CLUES: Sequence[Clue] = ()
    clues: Callable[[Record, int, Words, int], None] | None = None
    recalled_places: Callable[[int, int, bytes, int], int] | None = None
    decides_early: Callable[[Record, int, Sequence[int]], tuple[Record, int] | None] | None = None

    def blind(self, s: Record) -> bool:
        return False

    def hidden(self, s: Record) -> str:
        return ""

    def turned_up(self, s: Record) -> TurnedUp | None:
        return None

    def events(self, before: Record, told: int, after: Record) -> list[Event]:
        return []

    def why(self, s: Record, a: int) -> str:
        """The clause that grants such actions."""
        return self.ACTIONS.read(a)[0].clause

    def show(self, s: Record) -> str:
        """Every field by its meaning, in the words of its table."""
        from motherlode.text import write_field

        return "\n".join([self.TITLE, "", *(f"{field.meaning}: {write_field(field, s)}" for field in self.FIELDS)])

    def describe(self, s: Record) -> list[Event]:
        """The lines of `show`."""
        return [event("", line=" ".join(line.split())) for line in self.show(s).splitlines() if line.strip()]

    def sums(self, s: Record) -> list[tuple[str, int, int]]:
        return []

    def drawn(self, s: Record) -> dict[str, Any]:
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        from motherlode.games import load, load_variant

        if self.VARIANT:
            return load_variant, (self.SOURCE, dict(self.CHANGES), self.VARIANT)
        return load, (self.SOURCE,)

    def __deepcopy__(self, memo: object) -> "Game":
        return self


def adopt(rules: Rules, source: str, showing: Showing | None = None) -> Game:
    """Make a module a Game, with what its `showing` has. `source` is what `games.load` finds it by."""
    from motherlode.data import Data

    module = cast(Game, rules)
    module.__class__ = Game
    module.DATA = getattr(rules, "DATA", Data())
    module.SOURCE = source
    module.RECORD.GAME = module
    for name in SHOWN:
        if hasattr(showing, name):
            setattr(module, name, getattr(showing, name))
    return module
