"""The SQL of reviews and of what they say of guests, each function inside a transaction of `storage`."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from motherlode.server import queries, results
from motherlode.server.schema import DAMAGED, JUDGED, MISTAKE, REVIEW, SEAT, SHARED, SITTING, is_sound


class StoredMistake(NamedTuple):
    """A mistake of a guest, and when it is to be tried again."""

    sitting: str
    seat: int
    at: int
    game: str
    kind: str
    loss: float
    made: float
    tries: int
    step: int
    due: float | None


class Judged(NamedTuple):
    """What was lost per decision in a game, and between which bounds that lies."""

    game: str
    decisions: int
    error: float
    low: float
    high: float


# Reviews


def read_review(db: Connection, sitting: str, version: int) -> dict[str, Any] | None:
    """The stored review; none where it cannot be read."""
    try:
        row = db.execute(sa.select(REVIEW).where(REVIEW.c.sitting == sitting, REVIEW.c.version == version)).first()
    except ValueError as error:  # JSON that is none
        DAMAGED.name(sitting, f"its review: {str(error)[:200]}")
        return None
    if row is None or not is_sound(REVIEW, row) or not isinstance(row.review, dict):
        return None
    return row.review


def add_review(db: Connection, sitting: str, version: int, review: Mapping[str, Any], now: float) -> None:
    """Instead of those that an older judge, or another process, has made; with what it says of the guests."""
    queries.check_open(db, sitting)
    db.execute(REVIEW.delete().where(REVIEW.c.sitting == sitting))
    db.execute(REVIEW.insert().values(sitting=sitting, version=version, review=dict(review), made=now))
    given = db.scalar(sa.select(SITTING.c.given).where(SITTING.c.id == sitting)) or 0
    asked = sa.select(*(SEAT.c[name] for name in results.Seated._fields)).where(SEAT.c.sitting == sitting)
    seated = [results.Seated(*row) for row in db.execute(asked)]
    seats = {seat["seat"]: seat for seat in review["seats"]}
    db.execute(JUDGED.delete().where(JUDGED.c.sitting == sitting))
    known = read_known(db, sitting)
    for mine in seated:
        if results.counts(mine, seated) and mine.resigned is None and mine.seat in seats:
            assert mine.guest
            add_judged(db, mine.guest, sitting, review["game"], seats[mine.seat])
            for mistake in seats[mine.seat]["mistakes"]:
                if mistake["at"] >= given:
                    known.discard((mine.guest, mine.seat, mistake["at"]))
                    add_mistake(db, mine.guest, sitting, review["game"], mistake, now)
    for guest, seat, at in known:  # the newer judge does not blame these
        db.execute(MISTAKE.delete().where(*key_of(guest, sitting, seat, at)))


def add_judged(db: Connection, guest: str, sitting: str, game: str, seat: Mapping[str, Any]) -> None:
    if seat["decisions"] and seat["error"] is not None:
        low, high = seat["error_interval"] or (0.0, 1.0)
        bounds = {"error": max(0.0, seat["error"]), "low": max(0.0, low), "high": max(0.0, high)}
        values = {"guest": guest, "sitting": sitting, "game": game, "decisions": seat["decisions"], **bounds}
        db.execute(JUDGED.insert().values(**values))


def add_mistake(db: Connection, guest: str, sitting: str, game: str, found: Mapping[str, Any], now: float) -> None:
    """One that is known already keeps its date."""
    key = key_of(guest, sitting, found["seat"], found["at"])
    if not db.execute(MISTAKE.update().where(*key).values(kind=found["kind"], loss=found["loss"])).rowcount:
        place = {"guest": guest, "sitting": sitting, "seat": found["seat"], "at": found["at"], "game": game}
        new = {"kind": found["kind"], "loss": found["loss"], "made": now, "tries": 0, "step": 0, "due": now}
        db.execute(MISTAKE.insert().values(**place, **new))


def read_known(db: Connection, sitting: str) -> set[tuple[str, int, int]]:
    asked = sa.select(MISTAKE.c.guest, MISTAKE.c.seat, MISTAKE.c.at).where(MISTAKE.c.sitting == sitting)
    return {tuple(row) for row in db.execute(asked)}


def key_of(guest: str, sitting: str, seat: int, at: int) -> list[Any]:
    return [MISTAKE.c.guest == guest, MISTAKE.c.sitting == sitting, MISTAKE.c.seat == seat, MISTAKE.c.at == at]


# Sharing


def is_shared(db: Connection, sitting: str) -> bool:
    return db.execute(sa.select(SHARED.c.sitting).where(SHARED.c.sitting == sitting)).first() is not None


def share(db: Connection, sitting: str, now: float) -> None:
    queries.check_open(db, sitting)
    if not is_shared(db, sitting):
        db.execute(SHARED.insert().values(sitting=sitting, made=now))


def unshare(db: Connection, sitting: str) -> None:
    db.execute(SHARED.delete().where(SHARED.c.sitting == sitting))


# Mistakes of a guest


def read_mistakes(
    db: Connection, guest: str, game: str | None = None, kind: str | None = None, **place: Any
) -> list[StoredMistake]:
    """Those that are due first come first, then the costliest; those that were learned come last."""
    asked = sa.select(*(MISTAKE.c[name] for name in StoredMistake._fields)).where(MISTAKE.c.guest == guest)
    given = {"game": game, "kind": kind, **place}
    asked = asked.where(*(MISTAKE.c[name] == value for name, value in given.items() if value is not None))
    order = MISTAKE.c.due.is_(None), MISTAKE.c.due, MISTAKE.c.loss.desc(), MISTAKE.c.sitting, MISTAKE.c.at
    rows = db.execute(asked.order_by(*order)).all()
    return [StoredMistake(*row) for row in rows if is_sound(MISTAKE, row, StoredMistake._fields)]


def change_mistake(db: Connection, guest: str, was: StoredMistake, **change: Any) -> None:
    """Unless it was tried by another page, or is gone, meanwhile."""
    same = [*key_of(guest, was.sitting, was.seat, was.at), MISTAKE.c.tries == was.tries]
    db.execute(MISTAKE.update().where(*same).values(**change))


def read_judged(db: Connection, guest: str) -> list[Judged]:
    asked = sa.select(*(JUDGED.c[name] for name in Judged._fields)).where(JUDGED.c.guest == guest)
    rows = db.execute(asked.order_by(JUDGED.c.sitting)).all()
    return [Judged(*row) for row in rows if is_sound(JUDGED, row, Judged._fields)]
