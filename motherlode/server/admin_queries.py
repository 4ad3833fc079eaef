"""The SQL of the administration: finding, closing and deleting tables and guests, and what was done."""

from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from motherlode.engine import Refusal
from motherlode.server.queries import read_sound_cards
from motherlode.server.refusals import NoGuest, NoTable
from motherlode.server.schema import AUDIT, CHAT, FORMER, GUEST, METADATA, SEAT, SITTING, Chair, TableFacts, is_sound

STATES: dict[str, Any] = {
    "waiting": SITTING.c.begun.is_(None) & SITTING.c.ended.is_(None),
    "running": SITTING.c.begun.is_not(None) & SITTING.c.ended.is_(None),
    "over": SITTING.c.ended.is_not(None) & SITTING.c.closed.is_(None),
    "closed": SITTING.c.closed.is_not(None),
}


class StoredGuest(NamedTuple):
    id: str
    name: str
    made: float
    banned: float | None
    ban_reason: str | None
    muted: float | None
    tables: int


class AuditRow(NamedTuple):
    made: float
    what: str
    whom: str
    reason: str


class Line(NamedTuple):
    """A line of chat that a guest has said."""

    sitting: str
    seat: int | None
    text: str
    made: float


# What was done


def add_audit(db: Connection, made: float, what: str, whom: str, reason: str = "") -> None:
    db.execute(AUDIT.insert().values(made=made, what=what, whom=whom, reason=reason))


def list_audit(db: Connection, most: int) -> list[AuditRow]:
    asked = sa.select(AUDIT.c.made, AUDIT.c.what, AUDIT.c.whom, AUDIT.c.reason)
    return [AuditRow(*row) for row in db.execute(asked.order_by(AUDIT.c.id.desc()).limit(most))]


# Tables


def list_tables(
    db: Connection, state: str | None, guest: str | None, most: int
) -> list[tuple[TableFacts, list[Chair]]]:
    """The newest first, without the damaged ones, which the server's log names."""
    asked = sa.select(SITTING.c.id)
    if state:
        asked = asked.where(STATES[state])
    if guest:
        asked = asked.where(SITTING.c.id.in_(sa.select(SEAT.c.sitting).where(SEAT.c.guest == guest)))
    return read_sound_cards(db, list(db.scalars(asked.order_by(SITTING.c.made.desc(), SITTING.c.id).limit(most))))


def count_chat(db: Connection, key: str) -> int:
    return db.scalar(sa.select(sa.func.count()).where(CHAT.c.sitting == key)) or 0


def close_table(db: Connection, key: str, now: float) -> None:
    """The game ends here. Others who change this table at the same time come before, or are refused."""
    row = db.execute(sa.select(SITTING.c.ended, SITTING.c.closed).where(SITTING.c.id == key).with_for_update()).first()
    if row is None:
        raise NoTable
    if row.closed is not None:
        raise Refusal("this table is closed already")
    if row.ended is not None:
        raise Refusal("the game is over: there is nothing to close")
    db.execute(SITTING.update().where(SITTING.c.id == key).values(closed=now, ended=now))


def delete_table(db: Connection, key: str) -> None:
    """All that is stored of a table. Its own row goes first: then nobody can add to the others any more."""
    if not db.execute(SITTING.delete().where(SITTING.c.id == key)).rowcount:
        raise NoTable
    for table in METADATA.sorted_tables:
        if "sitting" in table.c:
            db.execute(table.delete().where(table.c.sitting == key))


def list_expired(db: Connection, before: float, most: int) -> list[str]:
    """Tables that ended before this time, those that ended first."""
    asked = sa.select(SITTING.c.id).where(SITTING.c.ended < before)
    return list(db.scalars(asked.order_by(SITTING.c.ended).limit(most)))


# Guests


def list_guests(db: Connection, name: str | None, most: int, key: str | None = None) -> list[StoredGuest]:
    """The newest first, without the damaged ones; with a name, those whose name contains it, in capitals or not."""
    tables = sa.select(sa.func.count(sa.distinct(SEAT.c.sitting))).where(SEAT.c.guest == GUEST.c.id).scalar_subquery()
    asked = sa.select(*(GUEST.c[column] for column in StoredGuest._fields[:-1]), tables)
    if name:
        asked = asked.where(GUEST.c.name.icontains(name, autoescape=True))
    if key is not None:
        asked = asked.where(GUEST.c.id == key)
    rows = db.execute(asked.order_by(GUEST.c.made.desc(), GUEST.c.id).limit(most)).all()
    return [StoredGuest._make(row) for row in rows if is_sound(GUEST, row[:-1], StoredGuest._fields[:-1])]


def read_guest(db: Connection, key: str) -> StoredGuest:
    found = list_guests(db, None, 1, key)
    if not found:
        raise NoGuest
    return found[0]


def change_guest(db: Connection, key: str, **change: Any) -> None:
    if not db.execute(GUEST.update().where(GUEST.c.id == key).values(**change)).rowcount:
        raise NoGuest


def list_seats(db: Connection, guest: str, *, running: bool = False) -> list[tuple[str, int]]:
    """Tables and seats of a guest: those that have not ended, or all."""
    asked = sa.select(SEAT.c.sitting, SEAT.c.seat).join(SITTING, SITTING.c.id == SEAT.c.sitting)
    asked = asked.where(SEAT.c.guest == guest)
    if running:
        asked = asked.where(SITTING.c.ended.is_(None))
    return [(row.sitting, row.seat) for row in db.execute(asked.order_by(SITTING.c.made, SEAT.c.sitting, SEAT.c.seat))]


def list_alone(db: Connection, guest: str) -> list[str]:
    """Tables where this guest sits, or which it made, and at which no other person has a seat."""
    others = sa.select(SEAT.c.sitting).where(SEAT.c.guest.is_not(None), SEAT.c.guest.not_in([guest, FORMER]))
    own = sa.select(SEAT.c.sitting).where(SEAT.c.guest == guest)
    asked = sa.select(SITTING.c.id).where((SITTING.c.maker == guest) | SITTING.c.id.in_(own))
    return list(db.scalars(asked.where(SITTING.c.id.not_in(others))))


def list_belonging(db: Connection, guest: str) -> list[tuple[TableFacts, list[Chair]]]:
    """Tables where a guest sits, or which it made, the oldest first."""
    own = sa.select(SEAT.c.sitting).where(SEAT.c.guest == guest)
    asked = sa.select(SITTING.c.id).where((SITTING.c.maker == guest) | SITTING.c.id.in_(own))
    return read_sound_cards(db, list(db.scalars(asked.order_by(SITTING.c.made, SITTING.c.id))))


def list_said(db: Connection, guest: str) -> list[Line]:
    asked = sa.select(CHAT.c.sitting, CHAT.c.seat, CHAT.c.text, CHAT.c.made).where(CHAT.c.guest == guest)
    rows = db.execute(asked.order_by(CHAT.c.id)).all()
    return [Line(*row) for row in rows if is_sound(CHAT, row, Line._fields)]


def delete_guest(db: Connection, key: str) -> None:
    """The guest and what it said. Its games with others stay, with a former guest in its seat."""
    if not db.execute(GUEST.delete().where(GUEST.c.id == key)).rowcount:
        raise NoGuest
    for table in METADATA.sorted_tables:
        if "guest" in table.c and table is not SEAT:
            db.execute(table.delete().where(table.c.guest == key))
    db.execute(SEAT.update().where(SEAT.c.guest == key).values(guest=FORMER))
    db.execute(SITTING.update().where(SITTING.c.maker == key).values(maker=FORMER))
