"""What is read from the database and written to it, each function inside a transaction of `storage`."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from motherlode.engine import Refusal
from motherlode.server import names
from motherlode.server.refusals import BrokenLog, Conflict, NoTable, NotYours, TableClosed, moment
from motherlode.server.schema import (
    CHAT,
    DAMAGED,
    FORMER,
    FORMER_NAME,
    GUEST,
    HEARTBEAT,
    LOG,
    RESTRICTION,
    SEAL,
    SEAT,
    SHARE,
    SITTING,
    Chair,
    ChatRow,
    Guest,
    LogRow,
    Restriction,
    StoredSeal,
    StoredTable,
    TableFacts,
    as_name,
    check_row,
    is_sound,
)
from motherlode.server.table_settings import LONGEST_DELAY, StoredSettings

# Guests


def add_guest(db: Connection, key: str, name: str, token: bytes, recovery: bytes, made: float) -> None:
    db.execute(GUEST.insert().values(id=key, name=name, token=token, recovery=recovery, made=made))


def find_guest(db: Connection, **by: bytes | str) -> Guest | None:
    """The guest with this id, or with this hash of a token or a recovery code."""
    ((column, value),) = by.items()
    asked = sa.select(GUEST.c.id, GUEST.c.name, GUEST.c.token, GUEST.c.banned, GUEST.c.ban_reason)
    row = db.execute(asked.where(GUEST.c[column] == value)).first()
    if row is None:
        return None
    banned = row.banned if isinstance(row.banned, float | int) else None  # that of a damaged row is none
    return Guest(row.id, as_name(row.name), row.token, banned, as_name(row.ban_reason))


def rekey_guest(db: Connection, old: bytes, token: bytes, recovery: bytes) -> Guest:
    """Another token and recovery code; returns the guest as it was before."""
    guest = find_guest(db, recovery=old)
    changed = db.execute(GUEST.update().where(GUEST.c.recovery == old).values(token=token, recovery=recovery))
    if guest is None or changed.rowcount != 1:
        raise Refusal("no guest has this recovery code; each works once")
    return guest


def change_guest(db: Connection, guest: Guest, **change: str | bytes) -> bool:
    """Another name, or a token that nobody has; False if the guest's token is not valid any more."""
    is_known = (GUEST.c.id == guest.id) & (GUEST.c.token == guest.token)
    return db.execute(GUEST.update().where(is_known).values(**change)).rowcount == 1


# Tables


def add_table(db: Connection, facts: TableFacts, chairs: Sequence[Chair], rows: Sequence[LogRow]) -> None:
    columns = {key: value for key, value in vars(facts).items() if key != "seals"}
    counted = {"settings": facts.settings.model_dump(), "seats": len(chairs), "actions": 0}
    db.execute(SITTING.insert().values(**{**columns, **counted}))
    for seal in facts.seals:
        store_seal(db, facts.id, None, seal)
    for chair in chairs:
        columns = {key: value for key, value in vars(chair).items() if key != "name"}
        db.execute(SEAT.insert().values(sitting=facts.id, **columns))
    add_rows(db, facts.id, rows)


# Written out: these are done for every action.
GOES_ON = "closed IS NULL AND ended IS NULL AND adjourned IS NULL"
COUNT = sa.text(f"UPDATE sitting SET actions = actions + :more WHERE id = :key AND {GOES_ON}")
COLUMNS = ("sitting", *LogRow._fields)
ADD = sa.text(f"INSERT INTO log ({', '.join(COLUMNS)}) VALUES (:{', :'.join(COLUMNS)})")


def add_rows(db: Connection, sitting: str, rows: Sequence[LogRow]) -> None:
    """Add actions to the log of a table, if it is still there and its game goes on."""
    if rows:
        db.execute(ADD, [{"sitting": sitting, **row._asdict()} for row in rows])
        if not db.execute(COUNT, {"key": sitting, "more": len(rows)}).rowcount:
            check_open(db, sitting)
            raise Conflict("the game was given up or adjourned: look again")


def link_rows(db: Connection, sitting: str, links: dict[int, bytes]) -> None:
    """Store the links of actions that were stored before the actions they follow."""
    for at, link in links.items():
        db.execute(LOG.update().where(LOG.c.sitting == sitting, LOG.c.at == at).values(link=link))


def change_running(db: Connection, key: str, was: TableFacts, actions: int | None = None, **change: Any) -> None:
    """Change a table whose game has not ended, and is adjourned or not as it was known to be; if it matters, with so
    many actions in its log."""
    is_same = SITTING.c.adjourned.is_not_distinct_from(was.adjourned)
    if actions is not None:
        is_same &= SITTING.c.actions == actions
    runs = (SITTING.c.id == key) & SITTING.c.ended.is_(None) & SITTING.c.closed.is_(None) & is_same
    if not db.execute(SITTING.update().where(runs).values(**change)).rowcount:
        check_open(db, key)
        raise Conflict("the game has ended, or somebody else was first: look again")


def begin_table(db: Connection, key: str, begun: float) -> None:
    db.execute(SITTING.update().where(SITTING.c.id == key, SITTING.c.begun.is_(None)).values(begun=begun))


def check_open(db: Connection, key: str) -> None:
    """Refuse to change a table that was deleted or closed; until this transaction is committed, neither happens."""
    asked = sa.select(SITTING.c.closed).where(SITTING.c.id == key)
    row = db.execute(asked.with_for_update(read=True, key_share=True)).first()
    if row is None:
        raise NoTable
    if row.closed is not None:
        raise TableClosed


def read_chairs(db: Connection, ids: Sequence[str]) -> dict[str, list[Chair]]:
    joined = SEAT.outerjoin(GUEST, GUEST.c.id == SEAT.c.guest)
    name = sa.case((SEAT.c.guest == FORMER, FORMER_NAME), else_=GUEST.c.name)
    asked = sa.select(SEAT, name).select_from(joined).where(SEAT.c.sitting.in_(ids)).order_by(SEAT.c.seat)
    found: dict[str, list[Chair]] = {key: [] for key in ids}
    for *seat, name in db.execute(asked).all():
        check_row(SEAT, seat)
        found[seat[0]].append(Chair(*seat[1:], *[as_name(name) if seat[3] else None]))
    return found


def read_rows(db: Connection, key: str, since: int = 0) -> list[LogRow]:
    asked = sa.select(LOG.c.at, LOG.c.actor, LOG.c.action, LOG.c.made, LOG.c.link)
    found = db.execute(asked.where(LOG.c.sitting == key, LOG.c.at >= since).order_by(LOG.c.at))
    rows = []
    for row in found.all():
        check_row(LOG, (key, *row))
        rows.append(LogRow(*row))
    return rows


def read_facts(row: sa.Row[Any], seals: list[StoredSeal]) -> TableFacts:
    check_row(SITTING, row)
    columns = dict(row._mapping)
    return TableFacts(**{**columns, "settings": StoredSettings(**columns["settings"]), "seals": seals})


@contextmanager
def reading(key: str) -> Iterator[None]:
    """Whatever goes wrong with the rows of a table is its damage."""
    try:
        yield
    except (SQLAlchemyError, BrokenLog):
        raise
    except Exception as error:  # noqa: BLE001 - such as JSON that is none
        raise BrokenLog(f"table {key}: {type(error).__name__}: {str(error)[:200]}") from None


def read_table(db: Connection, key: str, since: int = 0) -> StoredTable | None:
    with reading(key):
        cards = read_cards(db, [key])
        if not cards:
            return None
        facts, chairs = cards[0]
        rematch = db.scalar(sa.select(SITTING.c.id).where(SITTING.c.rematch_of == key))
        rows, restrictions = read_rows(db, key, since), read_restrictions(db, key)
        if since + len(rows) < facts.actions:  # another process may have added some since we read the facts
            raise BrokenLog(f"table {key}: of {facts.actions} actions {since + len(rows)} are stored")
        return StoredTable(facts, chairs, rows, rematch, restrictions)


def read_cards(db: Connection, ids: Sequence[str]) -> list[tuple[TableFacts, list[Chair]]]:
    chairs, seals = read_chairs(db, ids), read_seals(db, ids)
    rows = db.execute(sa.select(SITTING).where(SITTING.c.id.in_(ids))).all()
    found = {row.id: read_facts(row, seals[row.id]) for row in rows}
    for key, facts in found.items():
        if [chair.seat for chair in chairs[key]] != list(range(facts.seats)):
            raise BrokenLog(f"table {key}: its {facts.seats} seats are not all stored")
        if not facts.seals or [seal.number for seal in facts.seals] != list(range(len(facts.seals))):
            raise BrokenLog(f"table {key}: its seals are not all stored")
    return [(found[key], chairs[key]) for key in ids if key in found]


def read_sound_cards(db: Connection, ids: Sequence[str]) -> list[tuple[TableFacts, list[Chair]]]:
    """Without the damaged ones: all at once, or, if one of them is damaged, one by one."""
    try:
        return read_cards(db, ids)
    except SQLAlchemyError:
        raise
    except Exception:  # noqa: BLE001 - of a damaged row
        cards = []
        for key in ids:
            try:
                with reading(key):
                    cards += read_cards(db, [key])
            except BrokenLog as error:
                DAMAGED.name(key, str(error))
        return cards


def list_mine(db: Connection, guest: str, most: int) -> list[tuple[TableFacts, list[Chair]]]:
    asked = sa.select(SITTING.c.id).join(SEAT, SEAT.c.sitting == SITTING.c.id).where(SEAT.c.guest == guest)
    asked = asked.where(SITTING.c.goes_on.is_(None))  # what was taken back goes on at another table of the list
    asked = asked.group_by(SITTING.c.id, SITTING.c.made).order_by(SITTING.c.made.desc()).limit(most)
    return read_sound_cards(db, list(db.scalars(asked)))


def list_open(db: Connection, most: int) -> list[tuple[TableFacts, list[Chair]]]:
    """Tables with a seat for anyone, the newest first. Those that begin from a record, whose maker knows and may have
    chosen what chance decided, are not among them."""
    free = sa.select(SEAT.c.sitting).where(SEAT.c.takes == "anyone", SEAT.c.guest.is_(None), SEAT.c.bot.is_(None))
    asked = sa.select(SITTING.c.id).where(SITTING.c.ended.is_(None), SITTING.c.begun.is_(None), SITTING.c.id.in_(free))
    asked = asked.where(SITTING.c.given == 0)
    return read_sound_cards(db, list(db.scalars(asked.order_by(SITTING.c.made.desc()).limit(most))))


def list_watchable(db: Connection, now: float, most: int) -> list[tuple[TableFacts, list[Chair]]]:
    """Running games that anybody may watch, the newest first. One whose spectators are told late is listed from when
    they are told of its beginning until they are told of its end; those that are not listed take nobody's place."""
    people = sa.exists().where(SEAT.c.sitting == SITTING.c.id, SEAT.c.guest.is_not(None))
    is_closed = SITTING.c.closed.is_not(None) & SITTING.c.goes_on.is_(None)  # by whoever runs the server
    runs = SITTING.c.ended.is_(None) | ((SITTING.c.ended > now - LONGEST_DELAY) & ~is_closed)
    settings = sa.cast(SITTING.c.settings, sa.Text)  # as text: it may be damaged
    asked = sa.select(SITTING.c.id, settings, SITTING.c.begun, SITTING.c.ended)
    asked = asked.where(SITTING.c.begun.is_not(None), runs, people, settings.contains('"watch": true'))
    asked = asked.order_by(SITTING.c.begun.desc())

    def may_be_watched(written: str, begun: float, ended: float | None) -> bool:
        try:
            table = StoredSettings(**json.loads(written))
        except (ValueError, TypeError):
            return False
        return table.watch and begun + table.delay <= now and (ended is None or now < ended + table.delay)

    with db.execute(asked) as rows:
        found = (key for key, *told in rows if may_be_watched(*told))
        return read_sound_cards(db, list(islice(found, most)))


def list_unattended(db: Connection) -> list[str]:
    """Running tables that go on without anybody's page: those with a bot or a clock."""
    has_clock = ~sa.cast(SITTING.c.settings, sa.Text).contains('"clock": null')  # as text: it may be damaged
    with_bot = sa.select(SEAT.c.sitting).where(SEAT.c.bot.is_not(None))
    asked = sa.select(SITTING.c.id).where(SITTING.c.ended.is_(None), SITTING.c.begun.is_not(None))
    asked = asked.where(SITTING.c.adjourned.is_(None))
    return list(db.scalars(asked.where(has_clock | SITTING.c.id.in_(with_bot))))


def read_resigned(db: Connection, sitting: str) -> list[int]:
    asked = sa.select(SEAT.c.seat).where(SEAT.c.sitting == sitting, SEAT.c.resigned.is_not(None))
    return list(db.scalars(asked.order_by(SEAT.c.seat)))


def withdraw_adjourning(db: Connection, sitting: str) -> None:
    """Nobody asks to adjourn any more."""
    db.execute(SEAT.update().where(SEAT.c.sitting == sitting).values(adjourns=False))


def lock_chairs(db: Connection, sitting: str, known: Sequence[Chair]) -> None:
    """Keep other processes from changing who has which seat meanwhile; what they have changed is a conflict."""
    db.execute(sa.select(SITTING.c.id).where(SITTING.c.id == sitting).with_for_update())
    who = ("guest", "bot", "resigned", "adjourns")
    asked = sa.select(*(SEAT.c[name] for name in who)).where(SEAT.c.sitting == sitting).order_by(SEAT.c.seat)
    if [tuple(row) for row in db.execute(asked)] != [tuple(getattr(chair, name) for name in who) for chair in known]:
        raise Conflict("somebody else was first: look again")


def read_restrictions(db: Connection, sitting: str) -> dict[str, Restriction]:
    asked = sa.select(RESTRICTION.c.guest, RESTRICTION.c.muted, RESTRICTION.c.removed)
    found = db.execute(asked.where(RESTRICTION.c.sitting == sitting))
    return {guest: Restriction(muted, removed) for guest, muted, removed in found}


def restrict(db: Connection, sitting: str, guest: str, restriction: Restriction) -> None:
    db.execute(RESTRICTION.delete().where(RESTRICTION.c.sitting == sitting, RESTRICTION.c.guest == guest))
    if any(restriction):
        db.execute(RESTRICTION.insert().values(sitting=sitting, guest=guest, **restriction._asdict()))


def change_chair(db: Connection, sitting: str, seat: int, was: Chair, **change: Any) -> None:
    """Change who has a seat, unless somebody else has changed it meanwhile."""
    same = [
        SEAT.c[key].is_not_distinct_from(getattr(was, key))
        for key in ("guest", "bot", "left", "code", "resigned", "adjourns")
    ]
    done = db.execute(SEAT.update().where(SEAT.c.sitting == sitting, SEAT.c.seat == seat, *same).values(**change))
    if done.rowcount != 1:
        raise Conflict("somebody else was first: look again")


# Seals


def store_seal(db: Connection, sitting: str, was: StoredSeal | None, seal: StoredSeal) -> None:
    """Store what has become of a seal, unless somebody else has changed it meanwhile."""
    mine = [SEAL.c.sitting == sitting, SEAL.c.number == seal.number]
    columns = {name: getattr(seal, name) for name in ("place", "secret", "fixed", "shares")}
    if was is None:
        db.execute(SEAL.insert().values(sitting=sitting, number=seal.number, **columns))
    else:
        db.execute(sa.select(SEAL.c.number).where(*mine).with_for_update())
        if was not in read_seals(db, [sitting])[sitting]:
            raise Conflict("somebody else was first: look again")
        db.execute(SEAL.update().where(*mine).values(**columns))
    db.execute(SHARE.delete().where(SHARE.c.sitting == sitting))
    for seat, commitment in seal.commitments.items():
        share = {"seat": seat, "commitment": commitment, "share": seal.opened.get(seat)}
        db.execute(SHARE.insert().values(sitting=sitting, **share))


def read_seals(db: Connection, ids: Sequence[str]) -> dict[str, list[StoredSeal]]:
    found: dict[str, list[StoredSeal]] = {key: [] for key in ids}
    for row in db.execute(sa.select(SEAL).where(SEAL.c.sitting.in_(ids)).order_by(SEAL.c.number)).all():
        check_row(SEAL, row)
        found[row[0]].append(StoredSeal(*row[1:]))
    for row in db.execute(sa.select(SHARE).where(SHARE.c.sitting.in_(ids))).all():
        check_row(SHARE, row)
        sitting, seat, commitment, share = row
        seal = found[sitting][-1]
        seal.commitments[seat] = commitment
        if share is not None:
            seal.opened[seat] = share
    return found


# Chat


def add_chat(
    db: Connection,
    sitting: str,
    seat: int | None,
    guest: str,
    name: str,
    text: str,
    made: float,
    reaction: str | None = None,
) -> ChatRow:
    """A line of chat, unless its guest is muted."""
    muted = db.scalar(sa.select(GUEST.c.muted).where(GUEST.c.id == guest))
    if muted is not None and made < muted:
        raise NotYours(f"you may not chat before {moment(muted)}")
    values = {"seat": seat, "guest": guest, "name": name, "text": text, "made": made, "reaction": reaction}
    row = db.execute(CHAT.insert().values(sitting=sitting, **values).returning(CHAT.c.id))
    return ChatRow(row.scalar_one(), seat, guest, name, text, made, reaction)


def read_chat(db: Connection, sitting: str, after: int, most: int) -> list[ChatRow]:
    """The last lines of the players, and of the spectators."""
    asked = sa.select(CHAT.c.id, CHAT.c.seat, CHAT.c.guest, CHAT.c.name, CHAT.c.text, CHAT.c.made, CHAT.c.reaction)
    asked = asked.where(CHAT.c.sitting == sitting, CHAT.c.id > after).order_by(CHAT.c.id.desc()).limit(most)
    kinds = [asked.where(CHAT.c.seat.is_not(None)), asked.where(CHAT.c.seat.is_(None))]
    rows = [row for kind in kinds for row in db.execute(kind).all() if is_sound(CHAT, (row.id, sitting, *row[1:]))]
    lines = sorted(ChatRow(*row) for row in rows)
    return [line._replace(name=names.shown(line.name), text=names.clean(line.text)) for line in lines]


def count_spectators_lines(db: Connection, sitting: str, guest: str) -> tuple[int, int]:
    """How many lines spectators have written at a table, and how many of them this guest."""
    asked = sa.select(sa.func.count()).where(CHAT.c.sitting == sitting, CHAT.c.seat.is_(None))
    return db.scalar(asked) or 0, db.scalar(asked.where(CHAT.c.guest == guest)) or 0


# Whether it works


def beat(db: Connection, now: float) -> None:
    """A write that only shows that the database takes writes."""
    if not db.execute(HEARTBEAT.update().where(HEARTBEAT.c.id == 1).values(made=now)).rowcount:
        db.execute(HEARTBEAT.insert().values(id=1, made=now))
