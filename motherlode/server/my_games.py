"""A guest's own games, page by page, and its record: what is shown of both is made here."""

import csv
import io
import re
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.games import GAMES
from motherlode.server import queries, results, schema, wire
from motherlode.server.live_table import LiveTable
from motherlode.server.messages import position, timestamp
from motherlode.server.parlour import ID, Parlour
from motherlode.server.refusals import BrokenLog
from motherlode.server.results import Played, Score
from motherlode.server.schema import GUEST, RESTRICTION, SCORE, SEAT, SITTING, Chair, TableFacts

RECENT = 20  # the results that a chart shows


class Wanted(NamedTuple):
    """Which of a guest's games."""

    over: bool
    game: str | None = None
    bot: str | None = None
    person: str | None = None
    result: results.Result | None = None


class Found(NamedTuple):
    """A page of a guest's games, how many there are, and where the next page begins."""

    cards: list[tuple[TableFacts, list[Chair]]]
    scores: dict[str, list[Score]]
    total: int
    next: str | None


# Finding them


def own_tables(guest: str) -> sa.Select[Any]:
    """Where a guest has a seat, except where it was sent away."""
    removed = sa.select(RESTRICTION.c.sitting).where(RESTRICTION.c.guest == guest, RESTRICTION.c.removed)
    return sa.select(SEAT.c.sitting).where(SEAT.c.guest == guest, SEAT.c.sitting.not_in(removed))


def conditions(guest: str, wanted: Wanted) -> list[Any]:
    other = SEAT.alias()
    asked = [SITTING.c.id.in_(own_tables(guest)), SITTING.c.ended.is_not(None) == wanted.over]
    asked.append(SITTING.c.goes_on.is_(None))  # what was taken back goes on at another table
    if wanted.game:
        asked.append(SITTING.c.game == wanted.game)
    if wanted.bot:
        asked.append(
            SITTING.c.id.in_(sa.select(other.c.sitting).where(other.c.guest.is_(None), other.c.bot == wanted.bot))
        )
    if wanted.person:
        named = sa.select(GUEST.c.id).where(GUEST.c.name == wanted.person, GUEST.c.id != guest)
        asked.append(SITTING.c.id.in_(sa.select(other.c.sitting).where(other.c.guest.in_(named))))
    if wanted.result:
        own = (SEAT.c.sitting == SCORE.c.sitting) & (SEAT.c.seat == SCORE.c.seat) & (SEAT.c.guest == guest)
        asked.append(
            SITTING.c.id.in_(sa.select(SCORE.c.sitting).join(SEAT, own).where(SCORE.c.result == wanted.result))
        )
    return asked


class Cursor(NamedTuple):
    """The last game of a page."""

    when: float
    table: str

    @classmethod
    def read(cls, written: str) -> "Cursor":
        when, _, table = written.partition("~")
        if not (re.fullmatch(r"[0-9]{1,12}([.][0-9]{1,9})?", when) and ID.fullmatch(table)):
            raise Refusal(f"`after` is the `next` of an earlier answer, not {written[:40]!r}")
        return cls(float(when), table)

    def __str__(self) -> str:
        return f"{self.when}~{self.table}"


def find(db: Connection, guest: str, wanted: Wanted, after: Cursor | None, most: int) -> Found:
    """The latest first: finished games by their end, others by when their table was made."""
    when = SITTING.c.ended if wanted.over else SITTING.c.made
    asked = conditions(guest, wanted)
    total = db.scalar(sa.select(sa.func.count()).select_from(SITTING).where(*asked)) or 0
    if after is not None:
        asked.append((when < after.when) | ((when == after.when) & (SITTING.c.id < after.table)))
    rows = db.execute(
        sa.select(SITTING.c.id, when).where(*asked).order_by(when.desc(), SITTING.c.id.desc()).limit(most + 1)
    ).all()
    ids = [row[0] for row in rows[:most]]
    following = str(Cursor(rows[most - 1][1], ids[-1])) if len(rows) > most else None
    return Found(queries.read_sound_cards(db, ids), results.read_scores(db, ids), total, following)


def opponents(db: Connection, guest: str) -> wire.MyOpponents:
    mine = own_tables(guest)
    games = set(db.scalars(sa.select(SITTING.c.game).where(SITTING.c.id.in_(mine)).distinct()))
    bots = db.scalars(sa.select(SEAT.c.bot).where(SEAT.c.sitting.in_(mine), SEAT.c.guest.is_(None)).distinct())
    others = sa.select(SEAT.c.guest).where(SEAT.c.sitting.in_(mine), SEAT.c.guest != guest)
    people = {schema.as_name(name) for name in db.scalars(sa.select(GUEST.c.name).where(GUEST.c.id.in_(others)))}
    known = [bot for bot in bots if isinstance(bot, str)]
    return wire.MyOpponents(
        games=[name for name in GAMES if name in games],
        bots=sorted(known, key=results.order_of),
        people=sorted(people - {""}),
    )


# Showing them


class Standing(NamedTuple):
    """Whose turn it is as a seat is told, and since when; the score when the game is over."""

    turn: int | None = None
    since: str | None = None
    points: list[int] | None = None
    result: results.Result | None = None


def standing_of(live: LiveTable, own: list[int]) -> Standing:
    """From the view of a seat of one's own, and nothing else."""
    views = [(*position(live, seat), seat) for seat in own]
    s, _, seat = next((view for view in views if view[0].turn == view[2]), views[0])
    if live.is_told_over(seat):
        end = live.core.position
        winners = text.winners(live.game, end, live.resigned())
        return Standing(points=engine.points(live.game, end), result=results.result_of(seat, winners))
    if live.is_waiting or live.is_closed or live.is_adjourned:
        return Standing()
    told, parlour = live.told_count(seat), live.parlour
    done = live.done[told - 1] if told else live.clock.began
    since = None if done is None else timestamp(parlour.now() - parlour.steady() + done)
    return Standing(turn=s.turn if s.turn >= 0 else None, since=since)


async def standing(parlour: Parlour, facts: TableFacts, own: list[int], scores: list[Score]) -> Standing:
    """Of a finished game as it was stored; of others, and where that is missing, from the log."""
    if len(scores) == facts.seats:
        return Standing(points=[score.points for score in scores], result=scores[own[0]].result)
    if facts.closed is not None or facts.begun is None:
        return Standing()
    try:
        return standing_of(await parlour.find(facts.id), own)
    except (Refusal, BrokenLog):  # its log, or its game, is not what it was
        return Standing()


# The record


def level_record(against: str, played: list[Played]) -> wire.LevelRecord:
    rows = [one for one in played if one.against == against]
    return wire.LevelRecord(against=against, **results.tally(rows), last=timestamp(rows[-1].ended))


def game_record(name: str, played: list[Played]) -> wire.GameRecord:
    game, rows = GAMES.get(name), [one for one in played if one.game == name]
    best = results.best_beaten(game, rows) if game else None
    return wire.GameRecord(
        game=name,
        title=game.TITLE if game else name,
        **results.tally(rows),
        best=best,
        suits=results.suitable(game, best) if game else None,
        levels=[level_record(one, rows) for one in sorted({row.against for row in rows}, key=results.order_of)],
        recent=[row.result for row in rows[-RECENT:]],
    )


def show_record(played: list[Played]) -> wire.MyRecord:
    return wire.MyRecord(
        **results.tally(played), games=[game_record(name, played) for name in results.games_of(played)]
    )


def exported(played: list[Played]) -> list[wire.CountedGame]:
    return [wire.CountedGame(**{**one._asdict(), "ended": timestamp(one.ended)}) for one in played]


def as_csv(played: list[Played]) -> str:
    """A line for every game."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(wire.CountedGame.model_fields)
    lines.writerows((timestamp(one.ended), one.game, one.against, one.result) for one in played)
    return written.getvalue()
