"""Making a table: from what was asked for, from a place in a record, as a rematch, or to take a decision back."""

import asyncio
import random
from collections import Counter
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from motherlode import engine, proof, text
from motherlode.engine import Refusal
from motherlode.game import OVER, Game, Record
from motherlode.server import queries, schema, wire
from motherlode.server.keys import digest, new_id, new_secret
from motherlode.server.live_table import LiveTable, begin_chain
from motherlode.server.log_plan import make_plan
from motherlode.server.parlour import Parlour
from motherlode.server.refusals import Unstored
from motherlode.server.schema import Chair, StoredSeal, StoredTable, TableFacts
from motherlode.server.seating import check_bot
from motherlode.server.table_settings import StoredSettings, TableSettings
from motherlode.table import Stale

LOTS = random.SystemRandom()


def chairs_for(
    new: wire.NewTable, guest: schema.Guest, game: Game, strongest: int
) -> tuple[list[Chair], dict[int, str], dict[int, str]]:
    """A chair for every seat, the codes of those that are for friends, and the commitments of those who have one."""
    seats = list(new.seats)
    if new.seating == "random":
        LOTS.shuffle(seats)
    chairs, codes, commitments = [], {}, {}
    for seat, asked in enumerate(seats):
        chair = Chair(seat)
        if asked.player == "me":
            chair = Chair(seat, guest=guest.id, name=guest.name, program=asked.program)
            if asked.commitment:
                commitments[seat] = asked.commitment
        elif asked.player == "link":
            codes[seat] = new_id()
            chair = Chair(seat, takes="link", code=digest(codes[seat]))
        elif asked.player == "anyone":
            chair = Chair(seat, takes="anyone")
        else:
            check_bot(asked.player, game, strongest)
            chair = Chair(seat, bot=asked.player)
        chairs.append(chair)
    return chairs, codes, commitments


def given_actions(new: wire.NewTable, game: Game, seats: int) -> tuple[dict[str, int | str], list[int]]:
    """The options and first actions of the record that the table goes on from."""
    if new.record is None:
        if new.at is not None:
            raise Refusal("`at` is a place in a record, and there is no record")
        return engine.check_new_options(game, dict(new.options)), []
    played = text.read_record(new.record)
    if played.game is not game:
        raise Refusal(f"the record is one of {played.game.TITLE}, not of {game.TITLE}")
    if played.seats != seats:
        raise Refusal(f"the record has {played.seats} seats, and you name {seats}")
    if new.options and engine.check_options(game, dict(new.options)) != played.options:
        raise Refusal("the record has its own options: leave them out")
    at = len(played.actions) if new.at is None else new.at
    if at > len(played.actions):
        raise Refusal(f"the record has {len(played.actions)} actions: it cannot go on from action {at}")
    if engine.replay(game, played.start(), played.actions[:at]).turn == OVER:
        raise Refusal("the game is over there: choose an earlier place to go on from")
    return played.options, played.actions[:at]


def settings_for(new: wire.NewTable, game: Game, parlour: Parlour) -> StoredSettings:
    """The settings that were asked for. Where remembering is not part of the game, memory is open by default; where
    nobody else is invited, the table is private by default."""
    asked = new.model_dump(include=set(TableSettings.model_fields) & new.model_fields_set)
    players = Counter(seat.player for seat in new.seats)
    is_private = players["me"] > 0 and not players["link"] + players["anyone"]
    if players["me"] > 1 and not asked.setdefault("shared", True):
        raise Refusal("one guest has one seat, unless the table is a shared screen: several seats are `me`")
    asked["substitute"] = asked.get("substitute") or parlour.settings.substitute_in(game)
    check_bot(asked["substitute"], game, parlour.settings.strongest_bot)
    return StoredSettings(
        drawn=proof.way(game), **{"open_memory": not game.REMEMBERS, "watch": not is_private, **asked}
    )


async def make_table(parlour: Parlour, guest: schema.Guest, new: wire.NewTable) -> tuple[LiveTable, dict[int, str]]:
    """A new table, stored; and the codes of the seats for friends."""
    parlour.check_room(guest.id)
    game = text.find_game(new.game)
    seats = engine.check_seats(game, len(new.seats))
    asked = new, game, seats
    options, given = await asyncio.to_thread(given_actions, *asked) if new.record else given_actions(*asked)
    chairs, codes, commitments = chairs_for(new, guest, game, parlour.settings.strongest_bot)
    facts = TableFacts(
        id=new_id(),
        game=game.NAME,
        rules=game.RULES,
        options=options,
        maker=guest.id,
        settings=settings_for(new, game, parlour),
        seals=[StoredSeal(0, len(given), new_secret(), commitments=commitments)],
        given=len(given),
        rematch_of=None,
        made=parlour.now(),
    )
    stored = begin(parlour, facts, chairs, given)
    await parlour.storage.write(lambda db: queries.add_table(db, *stored[:3]))
    return parlour.add(stored), codes


def begin(parlour: Parlour, facts: TableFacts, chairs: list[Chair], given: list[int]) -> StoredTable:
    """A new table with the actions of a record, and with what chance decides if nobody has to be waited for."""
    game = text.find_game(facts.game)

    def next_given(_: Record, at: int) -> int | None:
        return given[at] if at < len(given) else None

    opening, chain = engine.start(game, len(chairs), **facts.options), begin_chain(facts, len(chairs))
    rows = make_plan(game, opening, 0, *chain, facts.made, next_given, {}).rows
    live = LiveTable(parlour, StoredTable(facts, chairs, rows, None))
    seal = live.sealing.advance(chairs, facts.seal)
    if seal.shares is not None:
        facts = replace(facts, begun=facts.made)
        rows += live.plan(seals=[seal]).rows
    return StoredTable(replace(facts, seals=[seal]), chairs, rows, None)


async def make_rematch(table: LiveTable, seat: int, guest: str | None) -> str:
    """The id of a new table with the same players, everybody one seat further."""
    table.seating.check_owner(seat, guest)
    table.check_open()
    if not table.is_over:
        raise Refusal("the game is not over yet")
    if table.rematch:
        return table.rematch
    table.parlour.check_room(table.facts.maker)
    chairs: list[Chair] = []
    for chair in table.chairs[-1:] + table.chairs[:-1]:
        if table.restriction(chair.guest).removed:
            chair = replace(chair, guest=None, name=None, bot=table.substitute, program=False)
        if chair.guest == schema.FORMER:
            chair = replace(chair, guest=None, name=None, bot=table.substitute)
        bot = chair.bot if chair.guest is None else None
        chairs.append(replace(chair, seat=len(chairs), bot=bot, left=False, code=None, resigned=None, adjourns=False))
    parlour = table.parlour
    facts = replace(
        table.facts,
        id=new_id(),
        rules=table.game.RULES,
        options=table.core.options,
        settings=table.settings.model_copy(update={"drawn": proof.way(table.game)}),
        seals=[StoredSeal(0, 0, new_secret())],
        given=0,
        rematch_of=table.id,
        made=parlour.now(),
        begun=None,
        ended=None,
        resumed=None,
        time_left=None,
        undo_of=None,
    )
    stored = begin(parlour, facts, chairs, [])

    def work(db: Connection) -> None:
        queries.add_table(db, *stored[:3])
        for one, restriction in table.restrictions.items():
            queries.restrict(db, facts.id, one, restriction)
        parlour.storage.notify(db, table=table.id)

    try:
        await table.commit(work)
        table.rematch = facts.id
    except Stale:  # another process was asked as well
        pass
    for listener in table.presence.listeners:
        if table.is_told_over(listener.seat):
            listener.rematch = table.rematch
    table.notify(everyone=True)
    if not table.rematch:
        raise Unstored("the new table could not be made; try again")
    return table.rematch


def last_choice(table: LiveTable, seat: int) -> int:
    """The place in the log where this seat last had a choice."""
    core = table.core
    for at in reversed(range(core.at)):
        s = core.positions[at]
        if s.turn == seat and len(engine.legal(table.game, s)) > 1:
            return at
    raise Refusal("you have not decided anything yet that could be taken back")


async def take_back(table: LiveTable, asked: wire.Undo, guest: schema.Guest) -> str:
    """The id of a new table that goes on from before this seat's last decision, against the same bots.

    The old table is closed: what is seen at the new one must not help there. The player knows what followed, so the new
    one does not count; what chance has not decided yet is drawn anew.
    """
    chair, seat = table.seating.check_owner(asked.seat, guest.id), asked.seat
    if table.facts.goes_on:
        return table.facts.goes_on
    table.leaving.check_running()
    if any(other.guest for other in table.chairs if other.seat != seat):
        raise Refusal("a decision can be taken back only where all others are bots: others have seen what it led to")
    if chair.resigned is not None:
        raise Refusal("you have resigned: this game is over for you")
    if asked.at != table.at_for(seat):
        raise Stale(f"the table has moved on from action {asked.at} to {table.at_for(seat)} for you: look again")
    if table.early or not table.sealing.is_closed:
        raise Refusal("wait a moment: the others are still deciding")
    parlour, was, now = table.parlour, table.facts, table.parlour.now()
    parlour.check_room(guest.id)
    at = last_choice(table, seat)
    commitments = {seat: asked.commitment} if asked.commitment else {}
    facts = TableFacts(
        id=new_id(),
        game=was.game,
        rules=table.game.RULES,
        options=table.core.options,
        maker=was.maker,
        settings=table.settings.model_copy(update={"drawn": proof.way(table.game)}),
        seals=[StoredSeal(0, at, new_secret(), commitments=commitments)],
        given=at,
        rematch_of=None,
        made=now,
        undo_of=table.id,
    )
    chairs = [
        replace(other, bot=None if other.guest else other.bot, left=False, code=None, adjourns=False)
        for other in table.chairs
    ]
    stored = begin(parlour, facts, chairs, table.core.log[:at])
    closed: dict[str, Any] = {"ended": now, "closed": now, "goes_on": facts.id}

    known = table.chairs

    def work(db: Connection) -> None:
        queries.lock_chairs(db, table.id, known)  # the seat may be somebody else's by another process
        queries.change_running(db, table.id, was, **closed)
        queries.add_table(db, *stored[:3])
        for one, restriction in table.restrictions.items():
            queries.restrict(db, facts.id, one, restriction)
        parlour.storage.tell(db, table=table.id)

    await table.commit(work)
    table.facts = replace(was, **closed)
    parlour.add(stored)
    table.notify(everyone=True)
    return facts.id
