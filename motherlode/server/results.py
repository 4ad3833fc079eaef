"""How games end: the score of a table, and what counts for the record of a guest.

Both are stored with the last action. The score belongs to the table and is deleted with it; the record belongs to the
guest. A game counts for a person who has played one seat to the end, or resigned it, at a table that did not begin from
a record and where no decision was taken back.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from motherlode.bots import levels
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.server.schema import FORMER, PLAYED, SCORE, SEAT, SITTING, TableFacts, is_sound

Result = Literal["won", "drawn", "lost"]
PEOPLE, PROGRAMS, SEVERAL = OTHERS = ("people", "programs", "several")  # opponents that are not one kind of bot


class Played(NamedTuple):
    """A game that counts for a guest."""

    game: str
    against: str
    result: Result
    ended: float


class Seated(NamedTuple):
    """Who has a seat when a game ends."""

    seat: int
    guest: str | None
    bot: str | None
    program: bool
    left: bool
    resigned: float | None = None


class Score(NamedTuple):
    seat: int
    points: int
    result: Result


def result_of(seat: int, winners: Sequence[int]) -> Result:
    """A win that is shared is a draw."""
    if seat not in winners:
        return "lost"
    return "won" if len(winners) == 1 else "drawn"


def counts(mine: Seated, seated: Sequence[Seated]) -> bool:
    """Whether a person has played this seat to the end or resigned it, and has no other one at the same screen."""
    seats = Counter(one.guest for one in seated)
    is_person = mine.guest not in (None, FORMER) and not mine.program
    has_played = mine.resigned is not None or (mine.bot is None and not mine.left)
    return is_person and has_played and seats[mine.guest] == 1


def opponents(mine: Seated, seated: Sequence[Seated]) -> str:
    """Whom a seat has played against: a bot by its name, or one of OTHERS."""
    others = [one for one in seated if one is not mine]
    if any(one.guest and not one.program for one in others):
        return PEOPLE
    if any(one.guest for one in others):
        return PROGRAMS
    bots = {one.bot for one in others}
    return bots.pop() or SEVERAL if len(bots) == 1 else SEVERAL


def end_table(db: Connection, facts: TableFacts, ended: float, points: Sequence[int], winners: Sequence[int]) -> None:
    """Store how a game has ended. Who has the seats is read here: another process may have changed it."""
    key = facts.id
    db.execute(SITTING.update().where(SITTING.c.id == key).values(ended=ended))
    asked = sa.select(*(SEAT.c[name] for name in Seated._fields)).where(SEAT.c.sitting == key)
    seated = [Seated(*row) for row in db.execute(asked)]
    scores = [Score(one.seat, points[one.seat], result_of(one.seat, winners)) for one in seated]
    db.execute(SCORE.insert(), [{"sitting": key, **score._asdict()} for score in scores])
    for mine in seated:
        if counts(mine, seated) and not facts.given and facts.undo_of is None:
            played = Played(facts.game, opponents(mine, seated), result_of(mine.seat, winners), ended)
            db.execute(PLAYED.insert().values(at_table=key, guest=mine.guest, **played._asdict()))


def read_scores(db: Connection, ids: Sequence[str]) -> dict[str, list[Score]]:
    """The scores of tables by seat, without damaged ones. Games that ended before scores were kept have none."""
    found: dict[str, list[Score]] = {key: [] for key in ids}
    for row in db.execute(sa.select(SCORE).where(SCORE.c.sitting.in_(ids)).order_by(SCORE.c.seat)).all():
        if is_sound(SCORE, row) and row.result in ("won", "drawn", "lost"):
            found[row.sitting].append(Score(*row[1:]))
    return found


# A guest's record


def read_played(db: Connection, guest: str) -> list[Played]:
    """The games that count for a guest, the first one first."""
    asked = sa.select(*(PLAYED.c[name] for name in Played._fields)).where(PLAYED.c.guest == guest)
    rows = db.execute(asked.order_by(PLAYED.c.ended, PLAYED.c.at_table)).all()
    return [
        Played(*row) for row in rows if is_sound(PLAYED, row, Played._fields) and row.result in ("won", "drawn", "lost")
    ]


def delete_played(db: Connection, guest: str) -> None:
    db.execute(PLAYED.delete().where(PLAYED.c.guest == guest))


def tally(played: Iterable[Played]) -> dict[str, Any]:
    """How many were played, won and drawn, and the wins in a row: at the end, and at most."""
    results = [one.result for one in played]
    streak = longest = 0
    for result in results:
        streak = streak + 1 if result == "won" else 0
        longest = max(longest, streak)
    count = Counter(results)
    return {"played": len(results), "won": count["won"], "drawn": count["drawn"], "streak": streak, "longest": longest}


def best_beaten(game: Game, played: Iterable[Played]) -> str | None:
    """The highest level of a game that a guest has won against."""
    won = {one.against for one in played if one.game == game.NAME and one.result == "won"}
    return next((level for level in reversed(levels.names(game)) if level in won), None)


def suitable(game: Game, best: str | None) -> str:
    """The level to play next: the weakest for a newcomer, then the one above the best that was beaten."""
    names = levels.names(game)
    return names[0] if best is None else names[min(names.index(best) + 1, len(names) - 1)]


def order_of(against: str) -> tuple[int, str]:
    """Levels from the weakest on, then other bots, then OTHERS."""
    if against in levels.NAMES:
        return levels.NAMES.index(against), ""
    return len(levels.NAMES) + (against in OTHERS), against


def games_of(played: Iterable[Played]) -> list[str]:
    """All games there are, and those that were played and are not here any more."""
    return list(dict.fromkeys([*GAMES, *(one.game for one in played)]))
