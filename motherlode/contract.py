"""Checks that a game keeps the contract in `game.py`: `contract.check(game)`.

Each check plays seeded random games and raises `Broken`, with the position as text that reads back, when a promise
fails. The tests run them over all GAMES; whoever writes a game of their own can run them too.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import cbrt, sqrt
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from motherlode import engine, sheet, text
from motherlode.engine import after, copy, legal, shown, view
from motherlode.envs import clues, observation
from motherlode.game import CHANCE, HIDDEN, OVER, UNSEEN, Game, Record, Rng, Source, Thing, below, new_rng
from motherlode.shuffles import Order, Shuffles, seeded

T = TypeVar("T")
Look = tuple[int, Record, int, Record]  # an action, the position after it, how a seat is told it, its view afterwards
RULES = (
    "clues",
    "start",
    "legal",
    "apply",
    "score",
    "winners",
    "odds",
    "draw",
    "useful",
    "hide",
    "forget",
    "told",
    "guess",
)
MOST_ASKED = 64  # actions at a position
SMALL = 6  # things in a deck that is shuffled in every way
WORLDS = 80  # guessed where actions are told apart that a view does not; half of them is over six deviations
SURE = 6.0  # how many standard deviations a fixed-seed statistic may be off


class Broken(AssertionError):
    """A game breaks a promise of the contract."""


def ensure(kept: bool, promise: str, game: Game, s: Record) -> None:
    if not kept:
        raise Broken(f"{promise}\n  at {text.write_position(game, s)}")


def tables(game: Game, most_options: int = 12, most_combinations: int = 16) -> list[tuple[int, dict[str, Any]]]:
    """Every seat count with every combination of options; of a long list of values, the first two and the last.

    Where there are more combinations, every value alone, and other combinations at every seat count to fill up.
    """
    choices = [
        [
            (option.name, value)
            for at, value in enumerate(option.values)
            if len(option.values) <= most_options or at < 2 or at == len(option.values) - 1
        ]
        for option in game.OPTIONS
    ]
    combinations = [dict(chosen) for chosen in product(*choices)]
    if len(combinations) <= most_combinations:
        return [(seats, options) for seats in game.SEATS for options in combinations]
    default = combinations[0]
    alone = [default, *({**default, name: value} for values in choices for name, value in values[1:])]
    others, rng, chosen = [options for options in combinations if options not in alone], new_rng(0, 4), []
    for seats in game.SEATS:
        more = [others.pop(below(rng, len(others))) for _ in range(min(most_combinations - len(alone), len(others)))]
        chosen += [(seats, options) for options in (*alone, *more)]
    return chosen


def options_to_compare(game: Game, combinations: int = 20) -> list[dict[str, Any]]:
    """The defaults, every value of every option alone, and seeded combinations; values of earlier versions too.

    Of a long list of values, the first two, the tenth and the last.
    """
    values = {}
    for option in game.OPTIONS:
        every = option.every_value()
        values[option.name] = [*every[:2], every[9], every[-1]] if len(every) > 20 else every
    default = engine.check_options(game, {})
    chosen = [default]
    for name, listed in values.items():
        chosen += [{**default, name: value} for value in listed if value != default[name]]
    most, rng = len(chosen) + combinations, new_rng(0, 5)
    for _ in range(10 * combinations):
        options = {name: listed[below(rng, len(listed))] for name, listed in values.items()}
        if options not in chosen and len(chosen) < most:
            chosen.append(options)
    return chosen


def random_game(game: Game, s: Record, rng: Rng) -> Iterator[tuple[Record, int, Record]]:
    """A random game as (before, action, after), chance's actions included."""
    while s.turn != OVER:
        options = legal(game, s)
        a = engine.draw(game, s, rng) if s.turn == CHANCE else options[below(rng, len(options))]
        t = after(game, s, a)
        yield s, a, t
        s = t


def check(game: Game, games: int = 3) -> None:
    """All checks, at every seat count and with every option."""
    check_data(game)
    for seats, options in tables(game):
        for number in range(games):
            check_play(game, seats, options, number)
            check_secrets(game, seats, options, number)
    check_draw(game)
    check_source(game)


def twice(names: list[str]) -> str:
    """The first name that is there twice, or nothing."""
    return next((name for name, times in Counter(names).items() if times > 1), "")


def check_data(game: Game) -> None:
    """Check the tables that describe a game, and that its rules are marked as such."""

    def promise(kept: bool, words: str) -> None:
        if not kept:
            raise Broken(f"{game.NAME}: {words}")

    names = [field.name for field in game.FIELDS]
    options = [option.name for option in game.OPTIONS]
    first = ["turn", "seats", *options]
    promise(names[: len(first)] == first, f"FIELDS begin with {', '.join(first)}")
    promise("shown" in names, "one of the FIELDS is shown: what the last action turned up")
    promise(not twice(names), f"every field has a name of its own: {twice(names)}")
    file = Path(str(game.__file__))
    named = file.parent.name if file.name == "rules.py" else file.stem
    promise(named == game.NAME.partition("~")[0], f"a game is named after its folder or file, here {named}")
    promise(0 < max(game.SEATS) <= engine.MOST_SEATS, f"a game has at most {engine.MOST_SEATS} seats")
    clauses = sheet.clauses(game)
    for table in (game.ACTIONS, game.OUTCOMES):
        doubled = twice([table.name(a) for a in table])
        promise(not doubled, f"two actions are named {doubled!r}")
    kinds = (*game.ACTIONS.kinds, *game.OUTCOMES.kinds, *game.EVENTS)
    for kind in kinds:
        promise(bool(kind.clause.partition("-")[2]), f"{kind.verb} names its clause, such as XY-3.2")
        is_known = kind.clause in clauses or kind.clause in sheet.clauses(sheet.COMMON) or not clauses
        promise(is_known, f"{kind.verb} names {kind.clause}, which is not in the sheet")
    doubled = twice([kind.verb for kind in game.EVENTS])
    promise(not doubled, f"two kinds of event are named {doubled!r}")
    most = max(game.SEATS)
    for field in game.FIELDS:
        is_shared = not field.by_seat or (field.length > 0 and field.length % most == 0)
        promise(is_shared, f"the {field.length} places of {field.name} belong to {most} seats in equal shares")
        values = len(field.words) if field.of_set else field.high + 1
        is_shared = not field.of_seats or (field.low == 0 and values % most == 0)
        promise(is_shared, f"the {values} values of {field.name} belong to {most} seats in equal shares")
    for name in RULES:
        function = getattr(game, name)
        promise(function is None or hasattr(function, "is_rule"), f"{name} is marked @rule, so that it can be compiled")


def check_bounds(game: Game, s: Record, *, is_world: bool = False) -> None:
    """Every field is in its bounds; in a world, unlike in a view, nothing is blank that somebody has seen."""
    for field in game.FIELDS:
        values = getattr(s, field.name) if field.length else [getattr(s, field.name)]
        for value in values:
            is_blank = field.blank and (value == UNSEEN or (value == HIDDEN and not is_world))
            ensure(is_blank or field.low <= value <= field.high, f"{field.name} is {value}, out of its bounds", game, s)


def check_sums(game: Game, s: Record) -> None:
    for what, is_now, always in game.sums(s):
        ensure(is_now == always, f"{what}: {is_now}, which should always be {always}", game, s)


def check_legal(game: Game, s: Record, number: int) -> None:
    """Check `legal`: its count, that it writes every word and marks only actions there are, and what `why` says.

    Of a long list of actions that are not legal, `why` is asked about other ones for another number.
    """
    masks = []
    for poison in (0, -1):
        bits = engine.new_bits(game)
        for w in range(len(bits)):
            bits[w] = poison
        counted = game.legal(s, bits)
        masks.append(list(bits))
    ensure(masks[0] == masks[1], "legal writes every word of its bits", game, s)
    actions = legal(game, s)
    ensure(counted == len(actions) >= 1, f"legal counts {counted} and marks {len(actions)}", game, s)
    table = game.ACTIONS if s.turn >= 0 else game.OUTCOMES
    ensure(max(actions) < len(table), f"there is no action {max(actions)}", game, s)
    if s.turn == CHANCE:
        ensure(all(game.odds(s, a) > 0 for a in actions), "every possible outcome has odds", game, s)
        return
    v = view(game, s, s.turn)
    ensure(legal(game, v) == actions, "legal reads only what the seat to act knows", game, s)
    useful = engine.useful(game, v)
    ensure(len(useful) > 0 and {*useful} <= {*actions}, "some of the legal actions are useful, and no others", game, s)
    clauses = sheet.clauses(game)
    for a in {*some(list(table), MOST_ASKED, number)} - {*actions}:
        clause = game.why(v, a)
        is_known = clause in clauses or not clauses
        ensure(is_known, f"why({table.name(a)}) names {clause}, which is not in the sheet", game, s)


def check_play(game: Game, seats: int, options: dict[str, Any], number: int) -> None:
    """One random game: deterministic, within bounds and length, sums kept, text and records read back."""
    opening = engine.start(game, seats, **options)
    s, log, decisions = opening, list[int](), 0
    check_bounds(game, opening, is_world=True)
    tallies = [Tally(game, opening, observer) for observer in (None, *range(-1, seats))]
    for s, a, t in random_game(game, opening, new_rng(number)):
        before = bytes(s)
        check_legal(game, s, len(log))
        ensure(bytes(after(game, s, a)) == bytes(t) and bytes(s) == before, "apply is deterministic", game, s)
        check_bounds(game, t, is_world=True)
        check_sums(game, t)
        ensure(t.seats == seats, "the number of seats stays", game, t)
        reread = text.read_position(text.write_position(game, t))[1]
        ensure(bytes(reread) == bytes(t), "a position reads back from its text", game, t)
        ensure(text.read_action(game, s, text.name(game, s, a)) == a, "an action reads back from its name", game, s)
        lines = {tally.seat: text.tell(game, s, a, tally.seat) for tally in tallies}
        check_told(game, s, t, lines)
        for tally in tallies:
            tally.add(s, a, t, lines[tally.seat])
        log.append(a)
        decisions += s.turn >= 0
        ensure(decisions <= game.LENGTH, f"{decisions} decisions, and LENGTH is {game.LENGTH}", game, t)
        s = t
    ensure(len(engine.winners(game, s)) >= 1, "somebody wins", game, s)
    ensure(game.winners(s) >> seats == 0, "only seats win", game, s)
    ensure(bytes(engine.replay(game, opening, log)) == bytes(s), "the log replays to equal bytes", game, s)
    played = text.Played(game, seats, engine.check_options(game, options), log)
    ensure(text.read_record(text.write_record(played)) == played._replace(players=[]), "a record reads back", game, s)


def check_told(game: Game, s: Record, t: Record, lines: dict[int | None, text.Line]) -> None:
    """What every seat is told of an action is in the words of the game's own tables."""
    verbs = {kind.verb for kind in text.table_of(game, s).kinds}
    known = {word for field in game.FIELDS for word in field.words}
    kinds = (*game.ACTIONS.kinds, *game.OUTCOMES.kinds)
    known |= {word for kind in kinds for arg in kind.args for word in arg.words}
    for seat in range(-1, s.seats):
        line = lines[seat]
        ensure(line.verb in verbs, f"{line.verb!r}, told to seat {seat}, is a verb of the game", game, s)
        if line.turned_up:
            unknown = set(line.turned_up.args.values()) - known
            ensure(not unknown, f"what turned up is in words of the game's tables: {sorted(unknown)}", game, t)


class Tally:
    """Every seat's score, added up by one observer from its events."""

    def __init__(self, game: Game, opening: Record, seat: int | None) -> None:
        self.game, self.seat, self.points = game, seat, engine.points(game, opening)

    def add(self, s: Record, a: int, t: Record, line: text.Line) -> None:
        """Check the events of an action that led from `s` to `t`, and add up what they say."""
        game, seat = self.game, self.seat
        kinds = {kind.verb: kind for kind in game.EVENTS}
        for event in line.events:
            kind = kinds.get(event.kind)
            ensure(kind is not None, f"{event.kind!r} is one of the game's EVENTS", game, s)
            words = {arg.name: arg.words for arg in kind.args} if kind else {}
            ensure(words.keys() == event.args.keys(), f"an event {event.kind} has {', '.join(words)}", game, s)
            for name, word in event.args.items():
                is_right = word in words[name] if words[name] else word.removeprefix("-").isdigit()
                ensure(is_right, f"{name} of an event {event.kind} cannot be {word!r}", game, s)
            if "points" in event.args:
                self.points[int(event.args["seat"])] += int(event.args["points"])
        told = a if seat is None else game.told(s, a, seat)
        if seat is not None and told == HIDDEN and bytes(view(game, s, seat)) == bytes(view(game, t, seat)):
            ensure(not line.events, f"nothing happens that seat {seat} neither sees nor is told", game, s)
        if game.EVENTS and (seat is None or t.turn == OVER):
            who = "somebody who sees everything" if seat is None else f"seat {seat}"
            score = engine.points(game, t)
            ensure(self.points == score, f"the events of {who} add up to {self.points}, the score is {score}", game, t)


def some(positions: list[T], most: int, number: int) -> list[T]:
    """At most `most` of a game's positions, evenly spread; other ones for another number."""
    every = max(1, -(-len(positions) // most))
    return positions[number % every :: every]


def check_secrets(game: Game, seats: int, options: dict[str, Any], number: int, *, most: int = 60) -> None:
    """Check that a seat is given the same in all worlds that it cannot tell apart."""
    rng = new_rng(number, 1)
    played = random_game(game, engine.start(game, seats, **options), new_rng(number))
    positions = [s for s, _, _ in played]
    for s in some(positions, most, number):
        for seat in range(-1, seats):
            check_worlds(game, s, seat, rng)
    for s in positions:
        check_kept(game, s, rng)


def check_worlds(game: Game, s: Record, seat: int, rng: Rng) -> None:
    v = view(game, s, seat)
    ensure(bytes(view(game, v, seat)) == bytes(v), f"hiding twice hides no more (seat {seat})", game, s)
    ensure(
        bytes(view(game, v, -1)) == bytes(view(game, s, -1)), f"the public is told no more than seat {seat}", game, s
    )
    perfect, sight = copy(v), copy(v)
    game.forget(perfect, seat, -1)
    game.forget(sight, seat, 0)
    ensure(bytes(perfect) == bytes(v), f"perfect memory forgets nothing (seat {seat})", game, s)
    w = copy(v)
    game.guess(w, seat, rng)
    check_bounds(game, w, is_world=True)
    check_sums(game, w)
    ensure(bytes(view(game, w, seat)) == bytes(v), f"what seat {seat} guesses agrees with what it was shown", game, s)
    check_observation(game, s, seat, v, w)
    recalled = copy(sight)
    game.guess(recalled, seat, rng)
    check_sums(game, recalled)
    if 0 <= seat == s.turn:
        ensure(legal(game, w) == legal(game, s), f"seat {seat}'s legal actions are equal in its worlds", game, s)
    if w.turn != s.turn:
        raise Broken(f"whose turn it is differs in seat {seat}'s worlds\n  at {text.write_position(game, s)}")
    for a in set(legal(game, s)) & set(legal(game, w)):
        told = game.told(s, a, seat)
        ensure(told == game.told(w, a, seat), f"seat {seat} is told the same in its worlds", game, s)
        ensure(told in (a, HIDDEN), f"seat {seat} is told the action or HIDDEN", game, s)
        if told == HIDDEN:
            ensure(seat < 0 or seat != s.turn, f"seat {seat} is told what it does itself", game, s)
            ensure(text.name(game, v, HIDDEN) == text.name(game, s, HIDDEN), "what is hidden is worded alike", game, s)
        if bytes(w) == bytes(s):
            continue  # one world goes on alike
        t, u = after(game, s, a), after(game, w, a)
        if shown(game, t, seat) == shown(game, u, seat):
            same = bytes(view(game, t, seat)) == bytes(view(game, u, seat))
            same = same and text.describe(game, s, told, t, seat) == text.describe(game, w, told, u, seat)
            ensure(same, f"seat {seat} learns by {text.name(game, s, a)!r} what it was neither told nor shown", game, s)


def check_observation(game: Game, s: Record, seat: int, v: Record, w: Record) -> None:
    """Check that a learner is given the view and nothing else: the same in a world `w` that it cannot tell apart."""
    layout = observation.layout(game)
    row = layout.encode(v, seat)
    same = bool((layout.encode(view(game, w, seat), seat) == row).all())
    ensure(same, f"seat {seat}'s observations are equal in its worlds", game, s)
    back, observer = layout.decode(row)
    ensure(observer == seat and bytes(back) == bytes(v), f"seat {seat}'s observation turns back into its view", game, s)
    check_clues(game, s, v, max(seat, 0))


def check_clues(game: Game, s: Record, v: Record, seat: int) -> None:
    """Check that the clues of a view write every column, and no more in it than they say."""
    if game.clues is None:
        return
    told = []
    for poison in (0, -1):
        told.append([poison] * clues.size(game))
        game.clues(v, seat, told[-1], 0)
    ensure(told[0] == told[1], "clues write every column", game, s)
    most = clues.tops(game)[-clues.size(game) :]
    ensure(all(0 <= x <= top for x, top in zip(told[0], most, strict=True)), "clues are in their bounds", game, s)


def check_kept(game: Game, s: Record, rng: Rng) -> None:
    """Check that views keep what seats are told, and nothing else: `hide` and `told` agree."""
    children = [(a, after(game, s, a)) for a in legal(game, s)]
    for seat in range(-1, s.seats):
        looks = [(a, t, game.told(s, a, seat), view(game, t, seat)) for a, t in children]
        check_untold(game, s, seat, looks)
        check_told_apart(game, s, seat, looks, rng)


def check_untold(game: Game, s: Record, seat: int, looks: list[Look]) -> None:
    """Actions that a seat is not told must look alike to it afterwards."""
    seen: dict[bytes, tuple[int, bytes]] = {}
    for a, _, told, v in looks:
        if told == HIDDEN:
            other, look = seen.setdefault(bytes(v.shown), (a, bytes(v)))
            if look != bytes(v):
                names = f"{text.name(game, s, a)!r} from {text.name(game, s, other)!r}"
                ensure(False, f"seat {seat} can tell {names} by what `hide` leaves, but is told neither", game, s)


def check_told_apart(game: Game, s: Record, seat: int, looks: list[Look], rng: Rng) -> None:
    """Actions that are told differently and lead to different positions but to one view are suspicious.

    They are harmless where the seat knows no more by the difference: it was told from which of two covered piles a
    piece was lifted.
    """
    first: dict[bytes, Look] = {}
    for a, t, told, v in looks:
        other, u, other_told, _ = first.setdefault(bytes(v), (a, t, told, v))
        if told != other_told and bytes(t) != bytes(u):
            one, two = (possible(game, s, seat, words, bytes(v), rng) for words in (told, other_told))
            names = f"{text.name(game, s, a)!r} and {text.name(game, s, other)!r}"
            promise = f"seat {seat} is told {names} apart, but its view afterwards does not keep which it was"
            ensure(not differ(one, two), promise, game, s)
            return


def possible(game: Game, s: Record, seat: int, told: int, look: bytes, rng: Rng) -> list[int]:
    """Positions that a seat holds possible after it was told this and its view is `look`, each as one large number."""
    v = view(game, s, seat)
    found: list[int] = []
    for _ in range(10 * WORLDS):
        w = copy(v)
        game.guess(w, seat, rng)
        actions = legal(game, w)
        if told != HIDDEN:
            actions = [told] if told in actions else []
        agreeing = [after(game, w, a) for a in actions if game.told(w, a, seat) == told]
        agreeing = [t for t in agreeing if bytes(view(game, t, seat)) == look]
        if agreeing:
            found.append(int.from_bytes(bytes(agreeing[below(rng, len(agreeing))])))
        if len(found) == WORLDS:
            return found
    return []


def differ(one: list[int], two: list[int]) -> bool:
    """Whether some bit of the record is set in far more of these positions than of those."""
    if not (one and two):
        return False  # too few worlds to say
    size = max(one + two).bit_length()
    return any(2 * abs(sum(t >> at & 1 for t in one) - sum(t >> at & 1 for t in two)) > WORLDS for at in range(size))


def far_off(seen: Counter[Any], odds: dict[Any, float]) -> float:
    """How many standard deviations a sample is from its distribution (chi-square, after Wilson and Hilferty)."""
    if not set(seen) <= set(odds):
        return float("inf")
    n, total = seen.total(), sum(odds.values())
    squares = sum((seen[key] - n * weight / total) ** 2 / (n * weight / total) for key, weight in odds.items())
    freedom = len(odds) - 1
    if not freedom:
        return 0.0
    spread = 2 / (9 * freedom)
    return (cbrt(squares / freedom) - (1 - spread)) / sqrt(spread)


def check_sample(sample: Callable[[], Any], odds: dict[Any, float], promise: str, game: Game, s: Record) -> None:
    n = 30 * len(odds)
    off = far_off(Counter(sample() for _ in range(n)), odds)
    ensure(off < SURE, f"{promise}: {n} samples are {off:.1f} standard deviations off", game, s)


def check_compiled(game: Game, games: int = 8) -> None:
    """Check that compiled games end in the bytes of interpreted ones, at every seat count and with options chosen by
    `options_to_compare`. Not part of `check`: compiling is slow."""
    from numba.core.errors import NumbaError

    from motherlode.lab.simulate import run_compiled

    for seats, options in product(game.SEATS, options_to_compare(game)):
        opening = engine.start(game, seats, **options)
        sums, ends = engine.simulate(game, opening, 11, games)
        try:
            fast_sums, fast_ends = run_compiled(game, opening, 11, games, kept=games)
        except NumbaError as error:
            raise Broken(f"{game.NAME} does not compile: {error}") from None
        equal = fast_sums.tolist() == sums and fast_ends.tobytes() == b"".join(bytes(s) for s in ends)
        ensure(equal, "compiled games end as interpreted ones do", game, opening)


def check_draw(game: Game, games: int = 1, *, most: int = 60) -> None:
    """Check that `draw` has the distribution of `odds`."""
    rng = new_rng(0, 2)
    for seats, options in tables(game, most_options=2):
        for number in range(games):
            played = random_game(game, engine.start(game, seats, **options), new_rng(number))
            for s in some([s for s, _, _ in played if s.turn == CHANCE], most, number):
                odds = {a: float(game.odds(s, a)) for a in legal(game, s)}
                check_sample(lambda s=s: engine.draw(game, s, rng), odds, "draw follows odds", game, s)  # type: ignore[misc]


class Drawn(NamedTuple):
    """An outcome of chance in a game that was dealt by decks."""

    s: Record
    source: Source
    thing: int


class Dealt(NamedTuple):
    """A random game dealt by decks."""

    draws: list[Drawn]
    decks: dict[int, list[Thing]]  # what lay in each


def check_source(game: Game, games: int = 1, *, most: int = 6) -> None:
    """Check that what is drawn from shuffled decks follows `odds`, and does not depend on the order of play.

    At every draw the things that may still lie there must be those that `odds` weighs, exactly. Small decks are then
    shuffled in every way, with what was drawn before given; some others many times, which is compared by chi-square.
    """
    if game.source is None:
        return
    sampled: list[tuple[Dealt, int]] = []
    for seats, options in tables(game):
        for number in range(games):
            opening = engine.start(game, seats, **options)
            dealt, other = (deal(game, opening, number, stream) for stream in range(2))
            check_same_deal(game, dealt, other)
            small = [at for at, drawn in enumerate(dealt.draws) if len(dealt.decks[drawn.source.deck]) <= SMALL]
            for at in some(small, most, number):
                check_every_shuffle(game, dealt, at)
            sampled += [(dealt, at) for at in range(len(dealt.draws))]
    for dealt, at in some(sampled, most, 0):
        numbers = iter(range(1_000_000))
        s = dealt.draws[at].s
        odds = {a: float(game.odds(s, a)) for a in legal(game, s)}

        def sample(dealt: Dealt = dealt, at: int = at, numbers: Iterator[int] = numbers) -> int:
            return drawn_after(game, dealt, at, partial(seeded, next(numbers), 0))

        check_sample(sample, odds, "what is drawn from decks follows odds", game, s)


def deal(game: Game, opening: Record, number: int, stream: int) -> Dealt:
    """A random game that the seed `number` deals; another stream plays it otherwise."""
    shuffles, rng = Shuffles(game, partial(seeded, number, 0)), new_rng(number, 4 + stream)
    draws: list[Drawn] = []
    s, seen = opening, set[tuple[int, int]]()
    while s.turn != OVER:
        options = legal(game, s)
        if s.turn != CHANCE:
            s = after(game, s, options[below(rng, len(options))])
            continue
        before = bytes(s)
        try:
            source = shuffles.source(s)
            ensure(bytes(s) == before, "source changes nothing", game, s)
            place = (source.deck, source.position)
            ensure(place not in seen, f"no position is drawn twice: {source}", game, s)
            weights = {source.first + thing: share for thing, share in shuffles.shares(source).items()}
            total = sum(game.odds(s, a) for a in options)
            odds = {a: Fraction(int(game.odds(s, a)), total) for a in options}
            ensure(weights == odds, f"{source}: what may still lie there is what odds weighs", game, s)
            a = shuffles.outcome(s)
            shuffles.fix(s, a)
        except ValueError as error:
            raise Broken(f"{error}\n  at {text.write_position(game, s)}") from None
        seen.add(place)
        draws.append(Drawn(s, source, a - source.first))
        s = after(game, s, a)
    return Dealt(draws, {number: deck.things for number, deck in shuffles.decks.items()})


def check_same_deal(game: Game, dealt: Dealt, other: Dealt) -> None:
    """Two ways to play one deal: where both draw from the same position of equal decks, both find the same."""
    found = {(drawn.source.deck, drawn.source.position): drawn.thing for drawn in dealt.draws}
    for s, source, thing in other.draws:
        is_same = {*related(dealt.decks, source.deck)} == {*related(other.decks, source.deck)} and all(
            dealt.decks[deck] == other.decks[deck] for deck in related(other.decks, source.deck)
        )
        if game.deck is None and source.deck in dealt.decks:
            ensure(is_same, f"the same lies in deck {source.deck} whatever was played", game, s)
        if is_same and (source.deck, source.position) in found:
            same = found[source.deck, source.position] == thing
            ensure(same, f"{source} is the same whatever was played", game, s)


def related(decks: dict[int, list[Thing]], deck: int) -> list[int]:
    """A deck, those that it refers to, and those that refer to them; none if it was not drawn from."""
    below_it = {thing[0] for thing in decks.get(deck, ()) if isinstance(thing, tuple)}
    beside = {n for n, things in decks.items() for t in things if isinstance(t, tuple) and t[0] in below_it}
    return sorted(({deck} & {*decks}) | below_it | beside)


def drawn_after(game: Game, dealt: Dealt, at: int, order: Order) -> int:
    """What is drawn if decks are shuffled in another order and all earlier outcomes are given."""
    shuffles, source = Shuffles(game, order), dealt.draws[at].source
    for deck in related(dealt.decks, source.deck):
        shuffles.add(deck, dealt.decks[deck])
    for _, earlier, thing in dealt.draws[:at]:
        if earlier.deck in shuffles.decks:
            shuffles.put(earlier.deck, earlier.position, thing)
    return source.first + shuffles.thing(source.deck, source.position)


def check_every_shuffle(game: Game, dealt: Dealt, at: int) -> None:
    """Shuffle a small deck, without references, in every way: what is drawn is exactly as likely as its odds say."""
    s, source, _ = dealt.draws[at]
    things = dealt.decks[source.deck]
    if any(isinstance(thing, tuple) for thing in things):
        return
    orders = list(permutations(range(len(things))))
    seen = Counter(drawn_after(game, dealt, at, lambda _, __, order=order: list(order)) for order in orders)  # type: ignore[misc]
    odds = {a: int(game.odds(s, a)) for a in legal(game, s)}
    exact = {a: Fraction(times, len(orders)) for a, times in seen.items()}
    wanted = {a: Fraction(weight, sum(odds.values())) for a, weight in odds.items()}
    ensure(exact == wanted, f"{source} is drawn by its odds, whatever was given before", game, s)


def beliefs(game: Game, opening: Record, log: list[int], seat: int, most: int = 50_000) -> dict[bytes, float]:
    """All worlds that agree with what a seat was told and shown, with their weights: every possible past is followed.

    Chance counts with its odds; others' hidden choices count as uniform over their distinct outcomes.
    """
    worlds = {bytes(opening): 1.0}
    real = copy(opening)
    for a in log:
        told = game.told(real, a, seat)
        t = after(game, real, a)
        turned = shown(game, t, seat)
        grown: dict[bytes, float] = {}
        for world, weight in worlds.items():
            s = game.RECORD.from_buffer_copy(world)
            options = legal(game, s)
            agreeing = {b: after(game, s, b) for b in options if game.told(s, b, seat) == told}
            outcomes = len({bytes(child) for child in agreeing.values()})
            total = sum(game.odds(s, b) for b in options) if s.turn == CHANCE else 1
            for b, child in agreeing.items():
                if shown(game, child, seat) == turned:
                    share = game.odds(s, b) / total if s.turn == CHANCE else 1 / outcomes
                    grown[bytes(child)] = grown.get(bytes(child), 0.0) + weight * share
        worlds, real = grown, t
        if len(worlds) > most:
            raise ValueError(f"more than {most} worlds: follow a shorter log")
    return worlds


def without_shown(s: Record) -> bytes:
    """The position without what was last shown, which `guess` does not fill in."""
    for k in range(len(s.shown)):
        s.shown[k] = 0
    return bytes(s)


def check_guess(game: Game, opening: Record, log: list[int], seat: int, number: int = 0) -> int:
    """Compare `guess` with every possible past; the number of worlds there are."""
    s = engine.replay(game, opening, log)
    worlds = beliefs(game, opening, log, seat)
    v = view(game, s, seat)
    for world in worlds:
        same = bytes(view(game, game.RECORD.from_buffer_copy(world), seat)) == bytes(v)
        ensure(same, f"what seat {seat} is given follows from what it was told and shown", game, s)
    rng = new_rng(number, 3)
    odds: dict[bytes, float] = {}
    for world, weight in worlds.items():
        key = without_shown(game.RECORD.from_buffer_copy(world))
        odds[key] = odds.get(key, 0.0) + weight

    def sample() -> bytes:
        w = copy(v)
        game.guess(w, seat, rng)
        return without_shown(w)

    check_sample(sample, odds, f"seat {seat}'s guess is exact over {len(worlds)} worlds", game, s)
    return len(worlds)
