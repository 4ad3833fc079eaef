"""What a seat, or the public, is told of a table: its messages, made from views and told logs and nothing else."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from motherlode import engine, games, proof, sheet, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, OVER, Actions, Game, Record
from motherlode.server import storage, wire
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.live_table import LiveTable, describe
from motherlode.server.parlour import Parlour


def when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def fields(game: Game, v: Record) -> dict[str, int | list[int]]:
    return {f.name: list(getattr(v, f.name)) if f.length else getattr(v, f.name) for f in game.FIELDS}


class Drawing(NamedTuple):
    """What a page draws a view with. Not to be changed: others get the same one."""

    view: dict[str, int | list[int]]
    drawn: dict[str, Any] | None
    text: str | None


@lru_cache(maxsize=64)  # those who see the same are told of it in a row
def drawing(game: Game, seen: bytes) -> Drawing:
    v = game.RECORD.from_buffer_copy(seen)
    return Drawing(fields(game, v), game.drawn(v), None if has_board(game) else game.show(v))


def has_board(game: Game) -> bool:
    """Whether the pages have a board for this game: they have one for every game of this package, and for no other."""
    return str(game.__name__).startswith(f"{games.__name__}.")


def players(parlour: Parlour, game: Game, chairs: list[storage.Chair], *, is_over: bool) -> list[wire.Player]:
    return [
        wire.Player(
            seat=chair.seat,
            kind="open" if chair.is_open else "bot" if chair.guest is None else "person",
            name=chair.name or chair.bot or "",
            bot=chair.bot,
            program=chair.program or (chair.guest is None and chair.bot is not None),
            takes=chair.takes if chair.is_open else None,  # type: ignore[arg-type]
            left=chair.left,
            warming=chair.bot is not None and not is_over and parlour.bot_workers.is_warming(chair.bot, game),
        )
        for chair in chairs
    ]


def result(game: Game, s: Record) -> wire.Result | None:
    if s.turn != OVER:
        return None
    return wire.Result(points=engine.points(game, s), winners=engine.winners(game, s), words=text.result(game, s))


def position(sitting: LiveTable, seat: int) -> tuple[Record, int]:
    """The position as far as this seat has been told of it, and the `at` of its message."""
    aside = sitting.aside(seat)
    if aside:
        return aside
    at = sitting.heard(seat)
    return sitting.core.positions[at], at


def has_to_remember(sitting: LiveTable, seat: int) -> bool:
    """Whether the past is this seat's to remember (ALL-5)."""
    if sitting.has_memory(seat):
        return False
    s, _ = position(sitting, seat)
    known, seen = (engine.view(sitting.game, s, seat, sight=sight) for sight in (False, True))
    return bytes(known) != bytes(seen)


def told(sitting: LiveTable, seat: int, since: int, early: int) -> list[wire.Did]:
    """What a seat is told from place `since` on; of its own early actions those from the `early`-th on.

    Early actions that it was told of already are not told again when the log has come to them.
    """
    heard = sitting.tell_all(seat)[since : sitting.heard(seat)]
    mine = [did for did in heard if did.actor == seat]
    skipped = {did.at for did in mine[:early]} if early and not sitting.early.get(seat) else set()
    waiting = [row for row in sitting.early.get(seat, [])[early:] if row.at >= since]
    return [did for did in heard if did.at not in skipped] + [early_did(sitting.game, row) for row in waiting]


def early_did(game: Game, row: storage.Row) -> wire.Did:
    """An early action, told to its own seat before it is done: what it turns up is still to come."""
    actions: Actions = game.ACTIONS
    verb, args, words = actions.read(row.action)[0].verb, actions.args(row.action), actions.name(row.action)
    return wire.Did(at=row.at, actor=row.actor, action=row.action, verb=verb, args=args, turned_up=None, words=words)


def time_left(sitting: LiveTable, seat: int, s: Record) -> float | None:
    """Of the turn, as this seat may know it in the position `s`."""
    is_untold = s.turn == OVER or (seat == PUBLIC and sitting.facts.delay)
    deadline = None if is_untold else sitting.deadline()
    return None if deadline is None else round(max(0.0, deadline - sitting.parlour.now()), 1)


def table_message(sitting: LiveTable, seat: int, did: list[wire.Did]) -> wire.TableMessage:
    """All that a seat (PUBLIC: a spectator) may know now."""
    game, facts = sitting.game, sitting.facts
    s, at = position(sitting, seat)
    legal: list[wire.Legal] = []
    if seat >= 0 and s.turn == seat and not sitting.is_waiting and sitting.chairs[seat].bot is None:
        legal = [wire.Legal(action=a, words=game.ACTIONS.name(a)) for a in engine.legal(game, s)]
    is_over = s.turn == OVER
    left = time_left(sitting, seat, s)
    clock = None if left is None else wire.Clock(seat=sitting.core.turn, left=left, turn=facts.clock or 0)
    drawn = drawing(game, bytes(engine.view(game, s, seat, sight=not sitting.has_memory(seat))))
    return wire.TableMessage(
        table=sitting.id,
        game=game.NAME,
        at=at,
        seat=None if seat == PUBLIC else seat,
        did=did,
        **drawn._asdict(),
        turn=s.turn,
        legal=legal,
        waiting=sitting.is_waiting,
        players=players(sitting.parlour, game, sitting.chairs, is_over=is_over),
        clock=clock,
        result=result(game, s),
        commitment=sitting.commitment,
        secret=facts.secret.hex() if is_over else None,
        rematch=sitting.rematch if is_over else None,
    )


def now(sitting: LiveTable, seat: int, since: int | None) -> wire.TableMessage:
    """The message for one who asks without a socket, or has just opened one."""
    did = [] if since is None or has_to_remember(sitting, seat) else told(sitting, seat, since, 0)
    return table_message(sitting, seat, did)


def next_message(sitting: LiveTable, listener: Listener, since: int | None = None, *, is_first: bool = False) -> str:
    """The message that brings a listener up to date, with what happened since its last."""
    seat = listener.seat
    heard, early = sitting.heard(seat), len(sitting.early.get(seat, []))
    if is_first:
        said = now(sitting, seat, since).model_dump_json(by_alias=True)
    else:
        left = time_left(sitting, seat, position(sitting, seat)[0])
        key = seat, listener.heard, listener.early, heard, left
        said = sitting.said.get(key, "")
        if not said:
            did = told(sitting, seat, listener.heard, listener.early)
            said = table_message(sitting, seat, did).model_dump_json(by_alias=True)
            if sum(other.seat == seat for other in sitting.listeners) > 1:
                sitting.said[key] = said
    listener.early = early if early or heard == listener.heard else 0
    listener.heard = heard
    return said


def chat_message(lines: list[storage.Line]) -> wire.ChatMessage:
    said = [wire.ChatLine(name=x.name, seat=x.seat, text=x.text, made=when(x.made)) for x in lines]
    return wire.ChatMessage(lines=said)


def presence_message(sitting: LiveTable) -> wire.PresenceMessage:
    present, watchers = sitting.present()
    return wire.PresenceMessage(present=present, watchers=watchers)


def why_message(sitting: LiveTable, seat: int, action: int) -> wire.WhyMessage:
    """Which clause forbids an action to this seat now."""
    s, _ = position(sitting, seat)
    game = sitting.game
    if action >= len(game.ACTIONS):
        raise Refusal(f"there is no action {action}; they are numbered 0 to {len(game.ACTIONS) - 1}")
    if s.turn != seat:
        raise Refusal("ask when it is your turn: what is legal depends on it")
    clause = game.why(engine.view(game, s, seat), action)
    words = sheet.clause(game, clause) if clause else f"{game.ACTIONS.name(action)} is legal"
    return wire.WhyMessage(action=action, clause=clause, words=words)


def told_log(sitting: LiveTable, seat: int) -> list[wire.Did]:
    """The past as told to a seat, but not what a person has to remember."""
    if has_to_remember(sitting, seat):
        raise Refusal(f"that is for you to remember: {sheet.clause(sitting.game, 'ALL-5')}")
    return told(sitting, seat, 0, 0)


def record_text(sitting: LiveTable, seat: int) -> str:
    """The whole record when the game is over; until then what the seat was told, as text."""
    if sitting.heard(seat) == sitting.core.at and sitting.is_over:
        return text.write_record(sitting.record())
    s, at = position(sitting, seat)
    head = {**text.game_lines(sitting.game), "seats": len(sitting.chairs)}
    head |= engine.options_of(sitting.game, s) | {"commitment": sitting.commitment}
    head |= {"told to": "the public" if seat == PUBLIC else f"seat {seat}", "at": at}
    lines = [f"{'*' if did.actor == CHANCE else did.actor} {did.words}" for did in told_log(sitting, seat)]
    return "\n".join(["motherlode told log", *(f"{key}: {value}" for key, value in head.items()), "", *lines, ""])


def tell(game: Game, at: int, s: Record, a: int, t: Record, seat: int | None) -> wire.Did:
    """The action that led from `s` to `t`, as a seat (PUBLIC: the public; None: with everything open) is told it."""
    if seat is None:
        return describe(game, at, s, a, t)
    return describe(game, at, engine.view(game, s, seat), game.told(s, a, seat), engine.view(game, t, seat))


def replay(played: text.Played, seat: int | None) -> wire.Replay:
    """A whole game to look at, with everything open or as a seat (PUBLIC: the public) saw it."""
    game, s = played.game, played.start()
    if seat is not None and not PUBLIC <= seat < played.seats:
        raise Refusal(f"the record has seats 0 to {played.seats - 1}, not {seat}")
    positions, proofs = [], []
    for at, a in enumerate([*played.actions, None]):
        drawn = drawing(game, bytes(s if seat is None else engine.view(game, s, seat)))
        did = None
        if a is not None:
            did = tell(game, at, s, a, engine.after(game, s, a), seat)
            if s.turn == CHANCE and at >= played.given:
                odds = proof.odds(game, s)
                proofs.append(wire.ChanceProof(at=at, outcomes=list(odds), odds=list(odds.values()), action=a))
        positions.append(wire.ReplayPosition(at=at, turn=s.turn, **drawn._asdict(), next=did))
        if a is not None:
            s = engine.after(game, s, a)
    verdict = proof.verify(played)
    return wire.Replay(
        game=game.NAME,
        seat=seat,
        options=played.options,
        players=list(played.players),
        positions=positions,
        result=result(game, s),
        commitment=played.commitment or None,
        secret=played.secret or None,
        given=played.given,
        proofs=proofs,
        checked=wire.Checked(
            commitment=verdict.commitment, chance=verdict.chance, chain=verdict.chain, words=verdict.words
        ),
    )
