"""What a seat, or the public, is told about a table: messages made from views and told logs, and from nothing else."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from motherlode import engine, games, hindsight, lessons, proof, sentences, sheet, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, OVER, Game, Record, fields_of
from motherlode.server import names, schema, sealing, told_logs, wire
from motherlode.server.chat import pseudonym
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.live_table import LiveTable
from motherlode.server.parlour import Parlour
from motherlode.shuffles import Shuffles


def timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


class Drawing(NamedTuple):
    """What a page draws a view with. Never change it: others are sent the same one."""

    view: dict[str, int | list[int]]
    drawn: dict[str, Any] | None
    text: str | None


@lru_cache(maxsize=64)  # listeners who see the same are sent it one after the other
def drawing(game: Game, view: bytes) -> Drawing:
    v = game.RECORD.from_buffer_copy(view)
    return Drawing(fields_of(game, v), game.drawn(v), None if has_board(game) else game.show(v))


@lru_cache(maxsize=64)
def description(game: Game, view: bytes) -> list[wire.Event]:
    """A view as one sentence per fact."""
    v = game.RECORD.from_buffer_copy(view)
    lines, names = sentences.described(game, v), sentences.seat_names(int(v.seats))
    words = sentences.position(game, lines, names)
    return [wire.Event(kind=one.kind, args=one.args, words=said) for one, said in zip(lines, words, strict=True)]


def has_board(game: Game) -> bool:
    """Whether the pages have a board for this game: they have one for every game of this package, and for no other."""
    return str(game.__name__).startswith(f"{games.__name__}.")


def players(parlour: Parlour, game: Game, chairs: list[schema.Chair], *, key: str, is_over: bool) -> list[wire.Player]:
    """Who has the seats of the table with this key."""
    warming = {
        chair.bot for chair in chairs if chair.bot and not is_over and parlour.bot_workers.is_warming(chair.bot, game)
    }
    return in_seats(tuple(chairs), frozenset(warming), key)


@lru_cache(maxsize=1024)  # most messages of a game have the same ones
def in_seats(chairs: tuple[schema.Chair, ...], warming: frozenset[str], key: str) -> list[wire.Player]:
    shown = names.at_table(tuple(chair.name for chair in chairs))
    guests = Counter(chair.guest for chair in chairs if chair.guest)
    return [
        wire.Player(
            seat=chair.seat,
            kind="open" if chair.is_open else "bot" if chair.guest is None else "person",
            name=name or chair.bot or "",
            who=pseudonym(key, chair.guest) if chair.guest else None,
            shared=guests[chair.guest or ""] > 1,
            bot=chair.bot,
            program=chair.program or (chair.guest is None and chair.bot is not None),
            takes=chair.takes if chair.is_open else None,  # type: ignore[arg-type]
            left=chair.left,
            resigned=chair.resigned is not None,
            adjourns=chair.adjourns,
            warming=chair.bot in warming,
        )
        for name, chair in zip(shown, chairs, strict=True)
    ]


def told_chairs(table: LiveTable, seat: int) -> list[schema.Chair]:
    """Who has the seats. Who has got up is not told to whoever is told late: most get up when the game is over."""
    if not table.is_late(seat) or table.is_told_over(seat):
        return table.chairs
    return [
        replace(
            chair,
            left=False,
            adjourns=False,
            resigned=chair.resigned if table.is_told_of(chair.resigned, seat) else None,
        )
        for chair in table.chairs
    ]


def result(game: Game, s: Record, resigned: tuple[int, ...] = ()) -> wire.Result | None:
    """The result of a game that is over, by its rules or since seats were resigned."""
    if s.turn != OVER and not resigned:
        return None
    return wire.Result(
        points=engine.points(game, s),
        winners=text.winners(game, s, resigned),
        resigned=list(resigned),
        words=text.result(game, s, resigned),
    )


def position(table: LiveTable, seat: int) -> tuple[Record, int]:
    """The position as far as this seat has been told of it, and the `at` of its message."""
    early = table.early_turn(seat)
    if early:
        return early
    at = table.told_count(seat)
    return table.core.positions[at], at


def has_to_remember(table: LiveTable, seat: int) -> bool:
    """Whether the seat knows something now that it has to remember by itself (ALL-5)."""
    s, _ = position(table, seat)
    if table.has_perfect_memory(seat) or table.is_told_over(seat) or table.is_closed:
        return False
    known, seen = (engine.view(table.game, s, seat, sight=sight) for sight in (False, True))
    return bytes(known) != bytes(seen)


def news(table: LiveTable, seat: int, since: int, early: int) -> list[wire.Did]:
    """What a seat is told from place `since` on; of its own early actions those from the `early`-th on.

    Early actions that it was told of already are not told again when the log has come to them.
    """
    told = table.logs.told(seat, since, table.told_count(seat))
    waiting = table.early.get(seat, [])
    own = [did.at for did in told if did.actor == seat]
    known = set(own[:early]) if early and not waiting else set()
    return [did for did in told if did.at not in known] + [
        told_logs.describe_early(table.game, row.at, seat, row.action) for row in waiting[early:] if row.at >= since
    ]


def time_left(table: LiveTable, seat: int, s: Record) -> float | None:
    """Seconds left of the turn, as far as this seat may know in the position `s`."""
    is_untold = s.turn == OVER or table.is_late(seat)
    deadline = None if is_untold else table.clock.deadline()
    return None if deadline is None else round(max(0.0, deadline - table.parlour.steady()), 1)


def seal_card(table: LiveTable, seat: int, *, is_over: bool) -> wire.Seal:
    """The last seal that a seat has been told of; its secret when the game is over."""
    seals, is_full = table.facts.seals, not any(chair.is_open for chair in table.chairs)
    if table.is_late(seat):
        seals = [seal for seal in seals if seal.place <= table.told_count(seat)] or seals[:1]
    seal = seals[-1]
    if seal.shares is not None:
        return closed_seal(seal.closed(), is_over)
    return wire.Seal(
        place=seal.place,
        stage="commit" if seal.fixed is None else "open",
        commitment=seal.commitment,
        commitments=[seal.commitments.get(chair.seat) for chair in table.chairs],
        awaited=sealing.awaited(table.chairs, seal),
        left=round(max(0.0, table.sealing.seconds_left), 1) if is_full else None,
        shares=None,
        secret=None,
    )


@lru_cache(maxsize=4096)
def legal_action(game: Game, action: int) -> wire.Legal:
    return wire.Legal(action=action, words=game.ACTIONS.name(action))


@lru_cache(maxsize=1024)  # all messages of a game have the same one
def closed_seal(seal: text.Seal, is_over: bool) -> wire.Seal:
    secret, shares = seal.secret if is_over else None, list(seal.shares)
    return wire.Seal(
        place=seal.place,
        stage="closed",
        commitment=seal.commitment,
        commitments=[],
        awaited=[],
        left=None,
        shares=shares,
        secret=secret,
    )


def table_message(table: LiveTable, seat: int, did: list[wire.Did], *, described: bool = False) -> wire.TableMessage:
    """Everything that a seat (PUBLIC: a spectator) may know now."""
    game, told = table.game, table.told_count(seat)
    s, at = table.early_turn(seat) or (table.core.positions[told], told)
    legal: list[wire.Legal] = []
    if seat >= 0 and s.turn == seat and not table.is_paused and table.chairs[seat].bot is None:
        legal = [legal_action(game, a) for a in engine.legal(game, s)]
    is_over = table.is_told_over(seat)
    is_late, facts = table.is_late(seat), table.told_facts(seat)
    left = time_left(table, seat, s)
    clock = None if left is None else wire.Clock(seat=table.core.turn, left=left, turn=table.settings.clock or 0)
    view = bytes(engine.view(game, s, seat, sight=not table.has_perfect_memory(seat)))
    return wire.TableMessage(
        table=table.id,
        game=game.NAME,
        at=at,
        seat=None if seat == PUBLIC else seat,
        did=did,
        **drawing(game, view)._asdict(),
        described=description(game, view) if described else None,
        turn=OVER if is_over else s.turn,
        legal=legal,
        waiting=table.is_waiting,
        players=players(table.parlour, game, told_chairs(table, seat), key=table.id, is_over=is_over),
        muted=sorted(pseudonym(table.id, guest) for guest, one in table.restrictions.items() if one.muted),
        clock=clock,
        result=result(game, table.core.position, table.resigned()) if is_over else None,
        adjourned=None if facts.adjourned is None or is_late else timestamp(facts.adjourned),
        given=facts.given,
        undone=facts.undo_of is not None,
        seal=seal_card(table, seat, is_over=is_over),
        head=table.head(told),
        rematch=table.rematch if is_over else None,
        closed=facts.closed is not None,
        goes_on=facts.goes_on,
    )


def current_message(table: LiveTable, seat: int, since: int | None, *, described: bool = False) -> wire.TableMessage:
    """The message for whoever asks without a socket, or has just opened one."""
    did = [] if since is None or has_to_remember(table, seat) else news(table, seat, since, 0)
    return table_message(table, seat, did, described=described)


def next_message(table: LiveTable, listener: Listener, since: int | None = None, *, is_first: bool = False) -> str:
    """The message that brings a listener up to date, with what happened since its last one."""
    seat = listener.seat
    told, early = table.told_count(seat), len(table.early.get(seat, []))
    if is_first:
        current = current_message(table, seat, since, described=listener.described)
        message = current.model_dump_json(by_alias=True)
    else:
        left = time_left(table, seat, position(table, seat)[0])
        key = seat, listener.described, listener.told_count, listener.early_count, told, left
        message = table.message_cache.get(key, "")
        if not message:
            did = news(table, seat, listener.told_count, listener.early_count)
            news_message = table_message(table, seat, did, described=listener.described)
            message = news_message.model_dump_json(by_alias=True)
            if sum(other.seat == seat for other in table.presence.listeners) > 1:
                table.message_cache[key] = message
    listener.early_count = early if early or told == listener.told_count else 0
    listener.told_count = told
    return message


def chat_message(table: LiveTable, lines: list[schema.ChatRow]) -> wire.ChatMessage:
    return wire.ChatMessage(
        lines=[
            wire.ChatLine(
                name=line.name,
                seat=line.seat,
                who=pseudonym(table.id, line.guest) if line.guest else None,
                text=line.text,
                made=timestamp(line.made),
                reaction=line.reaction,
            )
            for line in lines
        ]
    )


def presence_message(table: LiveTable, seat: int) -> wire.PresenceMessage:
    present, watchers = table.presence.told_to(seat)
    return wire.PresenceMessage(present=present, watchers=watchers)


def why_message(table: LiveTable, seat: int, action: int) -> wire.WhyMessage:
    """Which clause forbids an action to this seat now."""
    s, _ = position(table, seat)
    game = table.game
    table.check_action(action)
    if s.turn != seat:
        raise Refusal("ask when it is your turn: what is legal depends on it")
    clause = engine.why(game, engine.view(game, s, seat), action)
    words = sheet.clause(game, clause) if clause else f"{game.ACTIONS.name(action)} is legal"
    return wire.WhyMessage(action=action, clause=clause, words=words)


def told_log(table: LiveTable, seat: int) -> list[wire.Did]:
    """The past as told to a seat; refused where a person has to remember it."""
    if has_to_remember(table, seat):
        raise Refusal(f"that is for you to remember: {sheet.clause(table.game, 'ALL-5')}")
    return news(table, seat, 0, 0)


def record_text(table: LiveTable, seat: int) -> str:
    """The whole record when the game is over; until then what the seat was told, as text."""
    if table.is_told_over(seat):
        return text.write_record(table.record())
    _, at = position(table, seat)
    head = {**text.game_lines(table.game, table.rules), "seats": len(table.chairs)}
    head |= table.record().own_options() | {"commitment": table.facts.seals[0].commitment}
    head |= {"told to": "the public" if seat == PUBLIC else f"seat {seat}", "at": at}
    lines = [f"{text.actor_name(did.actor)} {did.words}" for did in told_log(table, seat)]
    return "\n".join(["motherlode told log", *(f"{key}: {value}" for key, value in head.items()), "", *lines, ""])


def replay(played: text.Played, seat: int | None, *, described: bool = False) -> wire.Replay:
    """A whole game to look at, with everything open or as a seat (PUBLIC: the public) saw it."""
    game, s = played.game, played.start()
    if seat is not None and not PUBLIC <= seat < played.seats:
        raise Refusal(f"the record has seats 0 to {played.seats - 1}, not {seat}")
    positions, proofs = [], []
    decks = Shuffles(game, lambda _, n: list(range(n))) if played.drawn else None  # what lies in them, unshuffled
    past = played.positions() if seat is None else []
    if decks:
        past = hindsight.opened(game, past)
    for at, a in enumerate([*played.actions, None]):
        view = bytes(past[at] if seat is None else engine.view(game, s, seat))
        t = s if a is None else engine.after(game, s, a)
        did = None if a is None else told_logs.tell(game, at, s, a, t, seat)
        drawn, said = drawing(game, view)._asdict(), description(game, view) if described else None
        positions.append(wire.ReplayPosition(at=at, turn=s.turn, **drawn, described=said, next=did))
        if a is not None and s.turn == CHANCE and (decks or at >= played.given):
            odds, source = proof.odds(game, s), decks.source(s)._asdict() if decks else {}
            proofs.append(wire.ChanceProof(at=at, outcomes=list(odds), odds=list(odds.values()), action=a, **source))
        s = t
    verdict = proof.verify(played)
    return wire.Replay(
        game=game.NAME,
        seat=seat,
        options=played.options,
        players=list(played.players),
        positions=positions,
        result=result(game, s, played.resigned),
        seals=[
            wire.ReplaySeal(place=seal.place, commitment=seal.commitment, secret=seal.secret, shares=list(seal.shares))
            for seal in played.seals
        ],
        facts=proof.facts_of(played),
        chain=played.chain,
        given=played.given,
        drawn=played.drawn,
        proofs=proofs,
        decks=[wire.DeckProof(deck=n, things=deck.things) for n, deck in decks.decks.items()] if decks else [],
        checked=wire.Checked(
            commitment=verdict.commitment, chance=verdict.chance, chain=verdict.chain, words=verdict.words
        ),
    )


def lesson(found: lessons.Lesson) -> wire.Lesson:
    """A guided first game as the learner sees it."""
    game, s, seat = found.played.game, found.played.start(), lessons.LEARNER
    positions = []
    for at, a in enumerate([*found.played.actions, None]):
        drawn = drawing(game, bytes(engine.view(game, s, seat, sight=True)))
        legal = [legal_action(game, b) for b in engine.legal(game, s)] if s.turn == seat else []
        t = s if a is None else engine.after(game, s, a)
        did = None if a is None else told_logs.tell(game, at, s, a, t, seat)
        positions.append(wire.LessonPosition(at=at, turn=s.turn, **drawn._asdict(), legal=legal, next=did))
        s = t
    return wire.Lesson(
        game=game.NAME,
        seats=found.played.seats,
        steps=[wire.LessonStep(**step._asdict()) for step in found.steps],
        positions=positions,
        record=text.write_record(found.played),
    )
