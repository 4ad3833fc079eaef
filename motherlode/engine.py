"""What all games share, written against the contract in `game.py`: start, copy, act, draw, play out, replay, perft.

These functions trust their callers: actions are not checked. `table.py` checks and refuses. `programs` builds the loops
of one game from its rules; the same source runs interpreted, under Numba (`compiled.py`) and in a CUDA kernel
(`lab/cuda.py`), and gives equal bytes for equal random numbers.
"""

import ctypes
from collections.abc import Callable, Iterable
from functools import cache
from types import SimpleNamespace
from typing import Any, Protocol

from motherlode.game import (
    CHANCE,
    OVER,
    VARIANT_DIGITS,
    Bits,
    F,
    Game,
    Option,
    Record,
    Rng,
    below,
    nth_action,
    seed,
)

WIN = 60  # one win, in units that 1 to 5 winners share without a rest
MOST_SEATS = 5
LARGEST_SEED = (1 << 63) - 1

# The places of what `simulate` adds up. From POINTS, SQUARED_POINTS and WINS on there is one place per seat.
GAMES_PLAYED, DECISIONS, SQUARED_DECISIONS, POINTS = range(4)
SQUARED_POINTS = POINTS + MOST_SEATS
WINS = SQUARED_POINTS + MOST_SEATS
SUMS = WINS + MOST_SEATS  # how many places there are


class Refusal(ValueError):
    """Bad input, refused with nothing changed: what, why (the clause, where there is one) and what would be right."""


@cache
def words_of(game: Game) -> int:
    """The number of 64-bit words in the game's sets of actions."""
    return (max(len(game.ACTIONS), len(game.OUTCOMES)) + 63) // 64


def new_bits(game: Game) -> Bits:
    return (ctypes.c_int64 * words_of(game))()


def check_seats(game: Game, seats: int) -> int:
    if seats not in game.SEATS:
        allowed = " or ".join(map(str, game.SEATS))
        raise Refusal(f"{game.TITLE} is for {allowed} seats, not {seats}")
    return seats


def check_seed(seed: int) -> int:
    if not -LARGEST_SEED - 1 <= seed <= LARGEST_SEED:
        raise Refusal(f"a seed is a number from {-LARGEST_SEED - 1} to {LARGEST_SEED}, not {seed}")
    return seed


def can_read(game: Game, rules: int) -> bool:
    """Whether games of this version of the rules can be read: this version's, and earlier ones that are still known."""
    oldest = game.RULES if game.OLDEST_RULES is None else game.OLDEST_RULES
    is_same_variant = not game.VARIANT or rules % VARIANT_DIGITS == game.RULES % VARIANT_DIGITS
    return oldest <= rules <= game.RULES and is_same_variant


def options_in(game: Game, rules: int | None) -> list[Option]:
    """The options that the game had in this version of its rules (None: has now)."""
    version = None if rules is None else rules // VARIANT_DIGITS if game.VARIANT else rules
    return [option for option in game.OPTIONS if version is None or option.since <= version]


def check_options(game: Game, options: dict[str, Any], rules: int | None = None) -> dict[str, Any]:
    """A value for every option of the game, by default its first. Values may be given as text.

    With `rules` they are the options of a game of an earlier version: those it lacks have the values that it was
    played under.
    """
    known = {option.name: option for option in options_in(game, rules)}
    for name in options:
        if name not in known:
            offered = ", ".join(option.name for option in known.values() if option.is_offered)
            raise Refusal(f"{game.TITLE} has no option {name!r}; it has: {offered or 'none'}")
    checked: dict[str, Any] = {}
    for option in game.OPTIONS:
        name = option.name
        if name not in known:
            checked[name] = option.values[0] if option.was is None else option.was
            continue
        given = options.get(name, option.values[0])
        matching = [value for value in option.every_value() if str(value) == str(given)]
        if not matching:
            allowed = ", ".join(map(str, option.values[:12])) + (", …" if len(option.values) > 12 else "")
            raise Refusal(f"{option.clause}: {name} can be {allowed}, not {given!r}")
        checked[name] = matching[0]
    return checked


def check_new_options(game: Game, options: dict[str, Any]) -> dict[str, Any]:
    """A value for every option of a new game: those that only records of earlier versions may have are refused."""
    checked = check_options(game, options)
    for option in game.OPTIONS:
        given = checked[option.name]
        if given not in option.values:
            allowed = ", ".join(map(str, option.values))
            raise Refusal(
                f"{option.clause}: {option.name}={given} is only for records of earlier versions of {game.TITLE}; "
                f"in a new game it can be {allowed}"
            )
    return checked


def start(game: Game, seats: int | None = None, **options: Any) -> Record:
    """The opening position."""
    s = game.RECORD()
    chosen = check_options(game, options)
    for option in game.OPTIONS:
        setattr(s, option.name, option.number(chosen[option.name]))
    game.start(s, check_seats(game, game.SEATS[0] if seats is None else seats))
    return s


def options_of(game: Game, s: Record) -> dict[str, Any]:
    return {option.name: option.value(getattr(s, option.name)) for option in game.OPTIONS}


def copy(s: Record) -> Record:
    return type(s).from_buffer_copy(s)


def after(game: Game, s: Record, a: int) -> Record:
    """The position after an action. `s` does not change: whoever keeps it can undo."""
    t = copy(s)
    game.apply(t, a)
    return t


def view(game: Game, s: Record, seat: int, *, sight: bool = False) -> Record:
    """What a seat (-1: the public) knows, or with `sight` only what it can see right now."""
    t = copy(s)
    game.hide(t, seat)
    if sight:
        game.forget(t, seat, 0)
    return t


def legal(game: Game, s: Record) -> list[int]:
    """The legal actions in ascending order; at CHANCE, the possible outcomes."""
    return listed(game, s, game.legal)


def listed(game: Game, s: Record, rule: Callable[[Record, Bits], int]) -> list[int]:
    """The actions that a rule marks, in ascending order."""
    bits = new_bits(game)
    rule(s, bits)
    found = []
    for at, word in enumerate(bits):
        rest = word & 0xFFFFFFFFFFFFFFFF
        while rest:
            lowest = rest & -rest
            found.append(64 * at + lowest.bit_length() - 1)
            rest ^= lowest
    return found


def useful(game: Game, s: Record) -> list[int]:
    """The legal actions that bots consider, in ascending order."""
    return listed(game, s, game.useful or game.legal)


def why(game: Game, s: Record, a: int) -> str | None:
    """The clause that forbids an action in a position, or a seat's view of it; None if it is legal."""
    return None if s.turn >= 0 and a in legal(game, s) else game.why(s, a)


def shown(game: Game, s: Record, seat: int) -> bytes:
    """What the last action turned up, as this seat saw it."""
    return bytes(view(game, s, seat).shown)


def points(game: Game, s: Record) -> list[int]:
    out = [0] * s.seats
    game.score(s, out)
    return out


def winners(game: Game, s: Record) -> list[int]:
    """The winning seats; none before the end."""
    bits = game.winners(s) if s.turn == OVER else 0
    return [seat for seat in range(s.seats) if bits >> seat & 1]


def utility(game: Game, s: Record) -> list[float]:
    """ALL-6: the result as a zero-sum utility."""
    return shared(s.seats, winners(game, s))


def shared(n: int, won: list[int]) -> list[float]:
    """The utility by ALL-6 of n seats, of which these have won."""
    return [(n / len(won) - 1) / (n - 1) if seat in won else -1 / (n - 1) for seat in range(n)]


def replay(game: Game, s: Record, actions: Iterable[int]) -> Record:
    """The position after these actions, which include the outcomes of chance."""
    t = copy(s)
    for a in actions:
        game.apply(t, a)
    return t


def perft(game: Game, s: Record, depth: int) -> dict[int, int]:
    """Count the sequences of `depth` actions, outcomes of chance included, by their first action."""
    count = interpreted(game).perft
    scratch = (game.RECORD * (depth + 1))()
    bits = (ctypes.c_int64 * words_of(game) * (depth + 1))()
    under = {}
    for a in legal(game, s) if depth else []:
        scratch[0] = after(game, s, a)
        under[a] = count(scratch, bits, depth - 1)
    return under


class Decorator(Protocol):
    """Compiles a function, or leaves it as it is."""

    def __call__(self, function: F, /) -> F: ...


def programs(game: Game, inner: Decorator, entry: Decorator) -> SimpleNamespace:
    """The loops of one game: `entry` compiles those that are called from Python, `inner` those that they call."""
    game_legal, game_apply, game_score, game_winners = game.legal, game.apply, game.score, game.winners
    game_odds = game.odds
    words = words_of(game)

    if game.draw is not None:
        game_draw = game.draw

        @inner
        def draw(s: Record, rng: Rng, bits: Bits) -> int:
            return game_draw(s, rng)

    else:

        @inner
        def draw(s: Record, rng: Rng, bits: Bits) -> int:
            choices = game_legal(s, bits)
            total = 0
            for k in range(choices):
                total += game_odds(s, nth_action(bits, k))
            rest = below(rng, total)
            for k in range(choices):
                rest -= game_odds(s, nth_action(bits, k))
                if rest < 0:
                    break
            return nth_action(bits, k)

    @inner
    def playout(s: Record, rng: Rng, bits: Bits) -> int:
        """Play at random to the end and return the number of decisions."""
        decisions = 0
        while s.turn != OVER:
            if s.turn == CHANCE:
                game_apply(s, draw(s, rng, bits))
            else:
                game_apply(s, nth_action(bits, below(rng, game_legal(s, bits))))
                decisions += 1
        return decisions

    @entry
    def simulate(
        opening: Any, number: int, first: int, stop: int, step: int, kept: int, ends: Any,
        scratch: Any, rng: Rng, bits: Bits, out: Bits, sums: Bits,
    ) -> None:  # fmt: skip
        """Play games first, first+step, … below stop, each from its own stream of random numbers, and add them up.

        The records that games 0…kept-1 end in go to `ends`; the rest is scratch memory: a GPU cannot allocate any.
        """
        s = scratch[0]
        for stream in range(first, stop, step):
            scratch[0] = opening[0]
            rng[0] = 0
            seed(rng, number, stream)
            decisions = playout(s, rng, bits)
            if stream < kept:
                ends[stream] = scratch[0]
            sums[GAMES_PLAYED] += 1
            sums[DECISIONS] += decisions
            sums[SQUARED_DECISIONS] += decisions * decisions
            game_score(s, out)
            won = game_winners(s)
            share = 0
            for seat in range(s.seats):
                share += (won >> seat) & 1
            for seat in range(s.seats):
                sums[POINTS + seat] += out[seat]
                sums[SQUARED_POINTS + seat] += out[seat] * out[seat]
                if (won >> seat) & 1:
                    sums[WINS + seat] += WIN // share

    @entry
    def perft(scratch: Any, bits: Any, depth: int) -> int:
        """Count the sequences of `depth` actions from scratch[0]. CUDA has no recursion, so this keeps a stack."""
        if depth == 0:
            return 1
        total = game_legal(scratch[0], bits[0])
        if depth == 1:
            return total
        total = 0
        at = 0
        while at >= 0:
            w = 0
            while w < words and bits[at][w] == 0:
                w += 1
            if w == words:
                at -= 1
                continue
            a = nth_action(bits[at], 0)
            bits[at][w] &= bits[at][w] - 1
            scratch[at + 1] = scratch[at]
            game_apply(scratch[at + 1], a)
            choices = game_legal(scratch[at + 1], bits[at + 1])
            if at + 2 == depth:
                total += choices
            else:
                at += 1
        return total

    return SimpleNamespace(draw=draw, playout=playout, simulate=simulate, perft=perft)


def uncompiled(function: F) -> F:
    """What `programs` takes to build loops in plain Python."""
    return function


def lean(programs: F) -> F:
    """Mark a builder of loops that allocate nothing."""
    programs.is_lean = True  # type: ignore[attr-defined]
    return programs


@cache
def interpreted(game: Game) -> SimpleNamespace:
    """The game's loops in plain Python."""
    return programs(game, inner=uncompiled, entry=uncompiled)


def simulate(game: Game, opening: Record, number: int, games: int) -> tuple[list[int], list[Record]]:
    """Play random games 0…games-1 of a seed, interpreted: their sums and final records. `lab.simulate` is faster."""
    start, scratch, ends = ((game.RECORD * n)() for n in (1, 1, games))
    start[0] = opening
    sums, rng = [0] * SUMS, (ctypes.c_uint64 * 1)()
    interpreted(game).simulate(
        start, number, 0, games, 1, games, ends, scratch, rng, new_bits(game), [0] * MOST_SEATS, sums
    )
    return sums, list(ends)


def draw(game: Game, s: Record, rng: Rng) -> int:
    """Draw an outcome of chance."""
    outcome: int = interpreted(game).draw(s, rng, new_bits(game))
    return outcome


def playout(game: Game, s: Record, rng: Rng) -> int:
    """Play `s` at random to its end, in place, and return the number of decisions."""
    decisions: int = interpreted(game).playout(s, rng, new_bits(game))
    return decisions
