"""Making a table from what was asked: seats, options, and, to go on from it, a record."""

import random

from motherlode import engine, proof, text
from motherlode.engine import Refusal
from motherlode.game import OVER, Game
from motherlode.server import storage, wire
from motherlode.server.keys import digest, new_id, new_secret
from motherlode.server.live_table import LiveTable, check_bot
from motherlode.server.parlour import Parlour
from motherlode.server.storage import Chair, Row, StoredTable, TableFacts

LOTS = random.SystemRandom()


def chairs_for(
    new: wire.NewTable, guest: storage.Guest, game: Game, strongest: int
) -> tuple[list[Chair], dict[int, str]]:
    """A chair for every seat, and the codes of those that are for friends."""
    seats = list(new.seats)
    if new.seating == "random":
        LOTS.shuffle(seats)
    chairs, codes = [], {}
    for seat, asked in enumerate(seats):
        chair = Chair(seat)
        if asked.player == "me":
            chair = Chair(seat, guest=guest.id, name=guest.name, program=asked.program)
        elif asked.player == "link":
            codes[seat] = new_id()
            chair = Chair(seat, takes="link", code=digest(codes[seat]))
        elif asked.player == "anyone":
            chair = Chair(seat, takes="anyone")
        else:
            check_bot(asked.player, game, strongest)
            chair = Chair(seat, bot=asked.player)
        chairs.append(chair)
    return chairs, codes


def given_actions(new: wire.NewTable, game: Game, seats: int) -> tuple[dict[str, int | str], list[int]]:
    """The options and first actions of the record that the table goes on from."""
    if new.record is None:
        if new.at is not None:
            raise Refusal("`at` is a place in a record, and there is no record")
        return engine.check_options(game, dict(new.options)), []
    played = text.read_record(new.record)
    if played.game is not game:
        raise Refusal(f"the record is one of {played.game.TITLE}, not of {game.TITLE}")
    if played.seats != seats:
        raise Refusal(f"the record has {played.seats} seats, and you name {seats}")
    if new.options and engine.check_options(game, dict(new.options)) != played.options:
        raise Refusal("the record says its options itself: leave them out")
    at = len(played.actions) if new.at is None else new.at
    if at > len(played.actions):
        raise Refusal(f"the record has {len(played.actions)} actions, and {at} is more")
    if engine.replay(game, played.start(), played.actions[:at]).turn == OVER:
        raise Refusal("the game is over there: choose an earlier place to go on from")
    return played.options, played.actions[:at]


async def make(parlour: Parlour, guest: storage.Guest, new: wire.NewTable) -> tuple[LiveTable, dict[int, str]]:
    """A new table, stored; and the codes of the seats for friends."""
    game = text.find_game(new.game)
    seats = engine.check_seats(game, len(new.seats))
    options, given = given_actions(new, game, seats)
    chairs, codes = chairs_for(new, guest, game, parlour.settings.strongest_bot)
    now = parlour.now()
    facts = TableFacts(
        id=new_id(),
        game=game.NAME,
        rules=game.RULES,
        options=options,
        maker=guest.id,
        watch=new.watch,
        delay=new.delay,
        chat=new.chat,
        open_memory=new.open_memory,
        hints=new.hints,
        clock=new.clock,
        secret=new_secret(),
        given=len(given),
        rematch_of=None,
        made=now,
        begun=None if any(chair.is_open for chair in chairs) else now,
    )
    rows = link_given(game, facts, seats, given)
    if facts.begun is not None:
        rows += LiveTable(parlour, StoredTable(facts, chairs, rows, None)).plan(None)[0]
    await parlour.storage.write(lambda db: storage.add_table(db, facts, chairs, rows))
    return parlour.add(StoredTable(facts, chairs, rows, None)), codes


def link_given(game: Game, facts: TableFacts, seats: int, given: list[int]) -> list[Row]:
    link = proof.first_link(game, seats, facts.options, proof.commit(facts.secret), facts.given)
    s, rows = engine.start(game, seats, **facts.options), []
    for at, a in enumerate(given):
        link = proof.next_link(link, at, s.turn, a)
        rows.append(Row(at, int(s.turn), a, facts.made, link))
        game.apply(s, a)
    return rows
