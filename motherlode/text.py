"""Positions and whole games as text, both ways.

A position is one line that reads back: `goldmine/2 turn=1 phase=lead trump=H4 hand=H7+C2,D5 gold=7,-,?,-,-,-`. Fields
that are zero are left out; `-` is UNSEEN, `?` is HIDDEN, `,` separates the places of a field, `+` the members of a set,
`.` is the empty set. A record is a file:

    motherlode record
    game: goldmine
    rules: 2
    seats: 2
    target: 0
    scoring: both
    players: Ada, greedy
    actions: 55
    result: 14-13, seat 0 wins

    * trump H4
    * deal C2
    1 look 3

with one line per action, chance's with a `*`. It replays, resumes, is a test case and a bug report. Lines that begin
with `#` and empty ones are remarks. A record of a table that deals so that it can be checked (`proof.py`) also has the
lines `commitment`, `secret`, `shares` (what each seat added to the secret: its bytes, `bot` or `left out`; none in
version 0.1), `given` (how many of the first actions come from an older record), `drawn: decks` (where chance draws from
shuffled decks, not by place in the log) and `chain`. Where chance was sealed anew in the middle of the game, it has
`from 2: 57` (the first action drawn from the second seal), `commitment 2`, `secret 2` and `shares 2`. `resigned: 0`
names the seats that gave up. A record of a variant (`game: goldmine~short`) has a line for every value that it changes:
`data.gold: [1, 3, 5]`.
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from motherlode import data, engine, games
from motherlode.engine import Refusal
from motherlode.game import CHANCE, HIDDEN, OVER, UNSEEN, Actions, Event, Field, Game, Kind, Record, TurnedUp

FIRST_LINE = "motherlode record"
DATA = "data."  # before the name of a value that a variant changes
TURNS = {"chance": CHANCE, "over": OVER}
find_game = games.find
Drawn = Literal["", "decks"]  # how chance is drawn: by place in the log, or from shuffled decks
DECKS: Drawn = "decks"
BLANKS = {"-": UNSEEN, "?": HIDDEN}
BOT, LEFT_OUT = "bot", "left out"  # seats whose bytes are not part of a seal
MOST_SEALS = 50  # of a record: a server that was restored this often has other problems


def check_rules(game: Game, version: str) -> int | None:
    """The version of the rules that something was written under; None if it is this one."""
    if version == str(game.RULES):
        return None
    if not (version.isascii() and version.isdigit() and len(version) < 20 and engine.can_read(game, int(version))):
        raise Refusal(
            f"this was written under version {version[:20]} of the rules of {game.TITLE}, and this is version "
            f"{game.RULES}: it would not replay as it was played"
        )
    return int(version)


def actor_name(turn: int) -> str:
    return "*" if turn == CHANCE else str(turn)


# Positions


def write_value(field: Field, value: int) -> str:
    if field.name == "turn":
        return next((word for word, turn in TURNS.items() if turn == value), str(value))
    if field.of_set:
        return "+".join(word for bit, word in enumerate(field.words) if value >> bit & 1) or "."
    if field.blank and value in BLANKS.values():
        return next(word for word, blank in BLANKS.items() if blank == value)
    return field.words[value] if field.words else str(value)


def write_field(field: Field, s: Record) -> str:
    values = getattr(s, field.name)
    return ",".join(write_value(field, value) for value in (values if field.length else [values]))


def read_value(field: Field, word: str) -> int:
    if field.name == "turn" and word in TURNS:
        return TURNS[word]
    if field.blank and word in BLANKS:
        return BLANKS[word]
    if field.of_set:
        members = [] if word == "." else word.split("+")
        if all(member in field.words for member in members) and len(set(members)) == len(members):
            return sum(1 << list(field.words).index(member) for member in members)
        raise Refusal(f"{field.name}: {word!r} is not a set of {', '.join(field.words)}")
    if field.words:
        if word in field.words:
            return list(field.words).index(word)
        raise Refusal(f"{field.name}: {word!r} is none of {', '.join(field.words)}")
    digits = word.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 20 and field.low <= int(word) <= field.high:
        return int(word)
    raise Refusal(f"{field.name}: {word!r} is not a number from {field.low} to {field.high}")


def write_position(game: Game, s: Record) -> str:
    parts = [f"{game.NAME}/{game.RULES}"]
    for field in game.FIELDS:
        values = getattr(s, field.name)
        if any(values if field.length else [values]) or field.name == "turn":
            parts.append(f"{field.name}={write_field(field, s)}")
    return " ".join(parts)


def read_position(text: str) -> tuple[Game, Record]:
    head, *parts = text.split() or [""]
    name, slash, version = head.partition("/")
    game = find_game(name)
    rules = check_rules(game, version) if slash else None
    fields = {field.name: field for field in game.FIELDS}
    s, given = game.RECORD(), set()
    for option in set(game.OPTIONS) - set(engine.options_in(game, rules)):
        setattr(s, option.name, option.number(engine.check_options(game, {}, rules)[option.name]))
    for part in parts:
        key, equals, value = part.partition("=")
        if key not in fields or not equals:
            raise Refusal(f"{part!r} is not a field=value of {game.TITLE}; its fields are: {', '.join(fields)}")
        if key in given:
            raise Refusal(f"{key} is given twice")
        given.add(key)
        field = fields[key]
        if not field.length:
            setattr(s, key, read_value(field, value))
            continue
        words = value.split(",")
        if len(words) != field.length:
            raise Refusal(f"{key} has {field.length} values, not {len(words)}")
        for place, word in enumerate(words):
            getattr(s, key)[place] = read_value(field, word)
    if "turn" not in given:
        raise Refusal("a position says whose turn it is: turn=0, turn=chance or turn=over")
    return game, s


# Actions


class Line(NamedTuple):
    """An entry of a told log: what was done, what it turned up and what came of it, as data and in English."""

    verb: str  # known even when the action is hidden
    args: dict[str, str]  # name -> word; none when the action is hidden
    turned_up: TurnedUp | None
    words: str  # "play H7 (gold 5)"
    events: list[Event]


def table_of(game: Game, s: Record) -> Actions:
    """The table that the next action is numbered in: chance has its own."""
    table: Actions = game.ACTIONS if s.turn >= 0 else game.OUTCOMES
    return table


def name(game: Game, s: Record, a: int) -> str:
    """The words of an action at `s` (any view of it will do); `a` may be HIDDEN."""
    return f"{game.hidden(s)} ?" if a == HIDDEN else table_of(game, s).name(a)


def describe(game: Game, s: Record, told: int, t: Record, seat: int | None) -> Line:
    """One action that led from `s` to `t`, as a seat (-1: the public; None: who sees everything) was told it.

    Everything is found from this seat's views before and after.
    """
    before, after = (s, t) if seat is None else (engine.view(game, s, seat), engine.view(game, t, seat))
    return describe_views(game, before, told, after)


def describe_views(game: Game, before: Record, told: int, after: Record) -> Line:
    table, turned_up = table_of(game, before), game.turned_up(after)
    is_hidden = told == HIDDEN
    return Line(
        verb=game.hidden(before) if is_hidden else table.read(told)[0].verb,
        args={} if is_hidden else table.args(told),
        turned_up=turned_up,
        words=name(game, before, told) + (f" ({turned_up.words})" if turned_up else ""),
        events=game.events(before, told, after),
    )


def tell(game: Game, s: Record, a: int, seat: int | None = None) -> Line:
    """What a seat (-1: the public; None: who sees everything) is told when `a` is done at `s`."""
    told = a if seat is None else game.told(s, a, seat)
    return describe(game, s, told, engine.after(game, s, a), seat)


def read_action(game: Game, s: Record, words: str) -> int:
    """The action of these words or of this number, which need not be legal."""
    table = table_of(game, s)
    plain = " ".join(words.lower().split())
    if plain.isascii() and plain.isdigit() and len(plain) < 20 and int(plain) < len(table):
        return int(plain)
    for a in table:
        if table.name(a).lower() == plain:
            return int(a)
    kinds = ", ".join(pattern(kind) for kind in table.kinds)
    raise Refusal(f"{words.strip()[:80]!r} is no action of {game.TITLE}; they are: {kinds}")


def pattern(kind: Kind) -> str:
    """How actions of this kind are written: `dig <site> right`."""
    args = (arg.words[0] if len(arg.words) == 1 else f"<{arg.name}>" for arg in kind.args)
    return " ".join([kind.verb, *args])


# Records


class Seal(NamedTuple):
    """What chance draws from, from a place of the log on: a secret of the server, and what each seat added to it."""

    place: int = 0
    commitment: str = ""
    secret: str = ""  # in hex
    shares: tuple[str, ...] = ()  # of every seat: bytes in hex, BOT or LEFT_OUT; none in version 0.1

    def write_shares(self) -> str:
        return ", ".join(self.shares)


class Played(NamedTuple):
    """A game as it was played: everything its record says."""

    game: Game
    seats: int
    options: dict[str, Any]
    actions: list[int]
    players: Sequence[str] = ()
    seals: tuple[Seal, ...] = ()
    given: int = 0
    chain: str = ""
    rules: int | None = None  # the version of the rules it was played under; None: this one
    drawn: Drawn = ""
    resigned: tuple[int, ...] = ()  # the seats whose players gave up, which the table says and not the game

    def start(self) -> Record:
        return engine.start(self.game, self.seats, **self.options)

    def positions(self) -> list[Record]:
        """All positions, from the start on."""
        return list(accumulate(self.actions, partial(engine.after, self.game), initial=self.start()))

    def own_options(self) -> dict[str, Any]:
        """The options that its version of the rules had."""
        return {option.name: self.options[option.name] for option in engine.options_in(self.game, self.rules)}


def winners(game: Game, s: Record, resigned: Sequence[int] = ()) -> list[int]:
    """Who wins: nobody who has resigned. Where the rules name nobody else, the most points of the others win."""
    by_rules = engine.winners(game, s) if s.turn == OVER else []
    points, others = engine.points(game, s), [seat for seat in range(s.seats) if seat not in resigned]
    most = max(points[seat] for seat in others)
    return [seat for seat in by_rules if seat in others] or [seat for seat in others if points[seat] == most]


def result(game: Game, s: Record, resigned: Sequence[int] = ()) -> str:
    if s.turn != OVER and not resigned:
        return "unfinished"
    won = winners(game, s, resigned)
    who = f"seat {won[0]} wins" if len(won) == 1 else f"seats {' and '.join(map(str, won))} share the win"
    gave_up = "".join(f", seat {seat} resigned" for seat in resigned)
    return f"{'-'.join(map(str, engine.points(game, s)))}, {who}{gave_up}"


def game_lines(game: Game, rules: int | None = None) -> dict[str, Any]:
    """The lines of a record that say what game it is of, and under which version of its rules (None: this one)."""
    values = {DATA + name: data.write(value) for name, value in game.CHANGES.items()}
    return {"game": game.NAME, "rules": game.RULES if rules is None else rules, **values}


def read_game(head: dict[str, str], numbers: dict[str, int], *, new_variants: bool) -> tuple[Game, int | None]:
    """The game of a record and the version of its rules (None: this one); their lines are taken out of its head.

    A variant not loaded yet is loaded, if allowed.
    """
    name, version = head.pop("game"), head.pop("rules")
    values = {key.removeprefix(DATA): head.pop(key) for key in list(head) if key.startswith(DATA)}
    base, tilde, variant = name.partition("~")
    if values and not tilde:
        raise Refusal(f"line {min(numbers[DATA + key] for key in values)}: only a variant has data, as {name}~short")
    if values and (new_variants or name in games.VARIANTS):
        changes: dict[str, object] = {}
        for key, value in values.items():
            try:
                changes |= find_game(base).DATA.check({key: data.read(value)}, find_game(base).TITLE)
            except Refusal as refusal:
                raise Refusal(f"line {numbers[DATA + key]}: {refusal}") from None
        game = games.variant(find_game(base), changes, variant)
    else:
        game = find_game(name)
    return game, check_rules(game, version)


def write_record(played: Played) -> str:
    game, s, lines = played.game, played.start(), []
    for a in played.actions:
        lines.append(f"{actor_name(s.turn)} {name(game, s, a)}")
        game.apply(s, a)
    head = {**game_lines(game, played.rules), "seats": played.seats, **played.own_options()}
    if played.players:
        head["players"] = ", ".join(played.players)
    proof = seal_lines(played.seals) | {"given": played.given, "drawn": played.drawn, "chain": played.chain}
    proof |= {"resigned": ", ".join(map(str, played.resigned))}
    head |= {key: value for key, value in proof.items() if value}
    head |= {"actions": len(lines), "result": result(game, s, played.resigned)}
    return "\n".join([FIRST_LINE, *(f"{key}: {value}" for key, value in head.items()), "", *lines, ""])


def seal_lines(seals: Sequence[Seal]) -> dict[str, Any]:
    """The lines of a record's seals: of the first without a number."""
    lines: dict[str, Any] = {}
    for n, seal in enumerate(seals, 1):
        number = f" {n}" if n > 1 else ""
        lines |= {f"from{number}": seal.place} if n > 1 else {}
        lines |= {f"commitment{number}": seal.commitment, f"secret{number}": seal.secret}
        lines |= {f"shares{number}": seal.write_shares()}
    return lines


def read_seals(head: dict[str, str], seats: int, given: int) -> tuple[Seal, ...]:
    """The seals of a record; their lines are taken out of its head."""
    seals: list[Seal] = []
    while True:
        n = len(seals) + 1
        number = f" {n}" if n > 1 else ""
        commitment, secret, written = (head.pop(key + number, "") for key in ("commitment", "secret", "shares"))
        place = read_count(head.pop(f"from{number}", "0"), f"from{number}") if n > 1 else given
        if not (commitment or secret or written):
            return tuple(seals)
        if n > MOST_SEALS:
            raise Refusal(f"the record was sealed anew more than {MOST_SEALS - 1} times: it was edited")
        shares = tuple(share.strip() for share in written.split(",")) if written else ()
        if shares and len(shares) != seats:
            raise Refusal(f"the record's line 'shares{number}' has {len(shares)} shares, and there are {seats} seats")
        for share in shares:
            if share not in (BOT, LEFT_OUT) and not re.fullmatch(r"[0-9a-f]{64}", share):
                known = f"32 bytes in hex, {BOT!r} or {LEFT_OUT!r}"
                raise Refusal(f"the record's line 'shares{number}' has {share[:80]!r}; a share is {known}")
        if seals and (place < seals[-1].place or bool(shares) != bool(seals[0].shares)):
            raise Refusal(f"the record's line 'from{number}' is out of order: it was edited")
        seals.append(Seal(place, commitment, secret, shares))


def read_resigned(written: str, seats: int) -> tuple[int, ...]:
    """The seats of the line `resigned`, of which at least one must be left."""
    found = tuple(read_count(word.strip(), "resigned") for word in written.split(",")) if written else ()
    if len(set(found)) < len(found) or len(found) >= seats or any(seat >= seats for seat in found):
        raise Refusal(f"the record's line 'resigned' is {written[:80]!r}; it names some of the seats 0 to {seats - 1}")
    return found


def read_count(written: str, what: str) -> int:
    if not (written.isascii() and written.isdigit() and len(written) < 8):
        raise Refusal(f"the record's line {what!r} is {written[:80]!r}, which is no number")
    return int(written)


def read_record(text: str, *, new_variants: bool = False) -> Played:
    """Read a record, replaying it action by action; anything amiss is refused with its line.

    With `new_variants` a record of a variant that is not loaded loads it: rules are imported and may be compiled, so
    leave that to those who read their own files.
    """
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1)]
    lines = [(n, line) for n, line in lines if line and not line.startswith("#")]
    if not lines or lines[0][1] != FIRST_LINE:
        raise Refusal(f"this is not a record: the first line of one is {FIRST_LINE!r}")
    head: dict[str, str] = {}
    numbers: dict[str, int] = {}  # the line of each key
    at = 1
    while at < len(lines) and ":" in lines[at][1]:
        key, _, value = lines[at][1].partition(":")
        head[key.strip()] = value.strip()
        numbers[key.strip()] = lines[at][0]
        at += 1
    for key in ("game", "rules", "seats"):
        if key not in head:
            raise Refusal(f"the record has no line '{key}: …'; a record says its game, rules and seats")
    game, rules = read_game(head, numbers, new_variants=new_variants)
    seats = engine.check_seats(game, read_count(head.pop("seats"), "seats"))
    players = [name.strip() for name in head.pop("players", "").split(",") if name.strip()]
    action_count, result_words = head.pop("actions", None), head.pop("result", None)
    given, chain = read_count(head.pop("given", "0"), "given"), head.pop("chain", "")
    seals, resigned = read_seals(head, seats, given), read_resigned(head.pop("resigned", ""), seats)
    drawn: Drawn = ""
    if "drawn" in head:
        way = head.pop("drawn")
        if way != DECKS or game.source is None:
            known = f"'drawn: {DECKS}' or no such line" if game.source else "no such line"
            raise Refusal(f"line {numbers['drawn']}: 'drawn: {way}', and records of {game.TITLE} have {known}")
        drawn = DECKS
    options = engine.check_options(game, head, rules)
    played = Played(game, seats, options, [], players, seals, given, chain, rules, drawn, resigned)
    s = played.start()
    for n, line in lines[at:]:
        actor, _, words = line.partition(" ")
        try:
            played.actions.append(read_line(game, s, actor, words))
        except Refusal as refusal:
            raise Refusal(f"line {n}: {refusal}") from None
        game.apply(s, played.actions[-1])
    n = len(played.actions)
    if played.given > n:
        raise Refusal(
            f"the record says that its first {given} actions were given, and has {n}: it was cut off or edited"
        )
    if seals and seals[-1].place > n:
        raise Refusal(f"the record was sealed anew at action {seals[-1].place}, and has {n}: it was cut off or edited")
    if action_count is not None and action_count != str(n):
        raise Refusal(f"the record says it has {action_count} actions and has {n}: it was cut off or edited")
    words = result(game, s, resigned)
    if result_words is not None and result_words != words:
        raise Refusal(f"the record says {result_words!r}, but its actions lead to {words!r}: it was edited")
    return played


def read_line(game: Game, s: Record, actor: str, words: str) -> int:
    if s.turn == OVER:
        raise Refusal(f"{actor} {words}: the game is over already")
    if actor != actor_name(s.turn):
        raise Refusal(f"{actor} {words}: it is the turn of {actor_name(s.turn)} ('*' is chance)")
    a = read_action(game, s, words)
    if a not in engine.legal(game, s):
        if s.turn == CHANCE:
            raise Refusal(f"{actor} {words}: chance cannot decide that here")
        raise Refusal(f"{game.why(engine.view(game, s, s.turn), a)}: {actor} {words} is not legal here")
    return a
