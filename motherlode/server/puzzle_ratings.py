"""How strong solvers are and how hard puzzles are, by their tries: OpenSkill on Elo's scale.

A try is a game that the solver wins by the right answer and else the puzzle. Only a guest's first try at a puzzle
counts: then it has not seen the answer here. A solver has a rating in each game, because how hard a puzzle is at first
was measured with the levels of its own game. Tries and the solver's ratings go with the guest; what a puzzle has
learnt from them stays.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from math import log, sqrt
from typing import Any, NamedTuple

import sqlalchemy as sa
from openskill.models import BradleyTerryFull
from sqlalchemy import Connection

from motherlode.puzzles import Puzzle
from motherlode.server.schema import PUZZLE_RATING, PUZZLE_SOLVER, PUZZLE_TRY, is_sound

ELO = 400 / log(10)  # the scale on which 400 points are odds of ten to one
NEWCOMER = (1200.0, 350.0)  # mean and deviation of a solver of whom nothing is known: as a middling bot
MEASURED = 60.0  # the deviation of a puzzle that only bots have tried
HIGHEST = 10_000.0  # that nobody comes to
MODEL = BradleyTerryFull(mu=NEWCOMER[0], sigma=NEWCOMER[1], beta=ELO / sqrt(2), tau=NEWCOMER[1] / 100)


class Rating(NamedTuple):
    mean: float
    deviation: float
    tries: int = 0
    solved: int = 0


class Tried(NamedTuple):
    """A guest's first and last try at a puzzle."""

    solved: bool
    made: float
    solved_last: bool
    made_last: float


class Outcome(NamedTuple):
    """The ratings after a try; the solver's before and after it if it counts."""

    puzzle: Rating
    before: Rating | None = None
    mine: Rating | None = None


def key_of(puzzle: Puzzle) -> str:
    """What tries and ratings are stored by: another puzzle that is given the same id begins anew."""
    what = (puzzle.options, puzzle.seats, puzzle.actions, puzzle.answer)
    return f"{puzzle.id}~{sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:12]}"


def at_first(puzzle: Puzzle) -> Rating:
    return Rating(float(puzzle.difficulty), MEASURED)


def rate(solver: Rating, puzzle: Rating, is_right: bool) -> tuple[Rating, Rating]:
    """Both after a try."""
    sides = [[MODEL.rating(mu=one.mean, sigma=one.deviation)] for one in (solver, puzzle)]
    ((mine,), (its,)) = MODEL.rate(sides, ranks=[1, 2] if is_right else [2, 1])
    return (
        Rating(max(0.0, mine.mu), mine.sigma, solver.tries + 1, solver.solved + is_right),
        Rating(max(0.0, its.mu), its.sigma, puzzle.tries + 1, puzzle.solved + is_right),
    )


# Stored


def read_rating(table: sa.Table, row: sa.Row[Any]) -> Rating | None:
    """The rating in a row, if that is not damaged."""
    found = Rating(*row[-len(Rating._fields) :])
    is_possible = is_sound(table, row) and 0 <= found.mean < HIGHEST and 0 < found.deviation < HIGHEST
    return found if is_possible else None


def read_ratings(db: Connection, puzzles: Iterable[Puzzle]) -> dict[str, Rating]:
    """By id; of those that nobody has tried, what was measured."""
    keys = {key_of(puzzle): puzzle for puzzle in puzzles}
    rows = db.execute(sa.select(PUZZLE_RATING).where(PUZZLE_RATING.c.puzzle.in_(list(keys)))).all()
    known = {row.puzzle: read_rating(PUZZLE_RATING, row) for row in rows}
    return {puzzle.id: known.get(key) or at_first(puzzle) for key, puzzle in keys.items()}


def read_solver(db: Connection, guest: str) -> dict[str, Rating]:
    """A guest's ratings, by game."""
    rows = db.execute(sa.select(PUZZLE_SOLVER).where(PUZZLE_SOLVER.c.guest == guest)).all()
    found = {row.game: read_rating(PUZZLE_SOLVER, row) for row in rows}
    return {game: rating for game, rating in found.items() if rating}


def read_tries(db: Connection, guest: str, puzzles: Iterable[Puzzle]) -> dict[str, Tried]:
    """A guest's tries at these puzzles, by id."""
    tried = {key: one for key, _, one in list_tries(db, guest)}
    keys = {puzzle.id: key_of(puzzle) for puzzle in puzzles}
    return {puzzle: tried[key] for puzzle, key in keys.items() if key in tried}


def list_tries(db: Connection, guest: str) -> list[tuple[str, int, Tried]]:
    """Everything that a guest has tried: the puzzle's key, and the first action."""
    asked = sa.select(PUZZLE_TRY).where(PUZZLE_TRY.c.guest == guest).order_by(PUZZLE_TRY.c.made, PUZZLE_TRY.c.puzzle)
    rows = [row for row in db.execute(asked).all() if is_sound(PUZZLE_TRY, row)]
    return [(row.puzzle, row.action, Tried(row.solved, row.made, row.solved_last, row.made_last)) for row in rows]


def store_try(db: Connection, guest: str, puzzle: Puzzle, action: int, made: float) -> Outcome:
    """Store a guest's try; if it is the first, both are rated."""
    key, game, is_right = key_of(puzzle), puzzle.game.NAME, action == puzzle.answer
    of_puzzle = StoredRating(db, PUZZLE_RATING, puzzle=key)
    its = of_puzzle.found or at_first(puzzle)
    last = {"solved_last": is_right, "made_last": made}
    is_mine = (PUZZLE_TRY.c.guest == guest) & (PUZZLE_TRY.c.puzzle == key)
    if db.execute(PUZZLE_TRY.update().where(is_mine).values(last)).rowcount:
        return Outcome(its)
    first = {"guest": guest, "puzzle": key, "game": game, "action": action, "solved": is_right, "made": made}
    db.execute(PUZZLE_TRY.insert().values(first | last))
    of_solver = StoredRating(db, PUZZLE_SOLVER, guest=guest, game=game)
    before = of_solver.found
    mine, its = rate(before or Rating(*NEWCOMER), its, is_right)
    of_puzzle.put(its)
    of_solver.put(mine)
    return Outcome(its, before, mine)


class StoredRating:
    """A rating that nobody else can change until this transaction ends."""

    def __init__(self, db: Connection, table: sa.Table, **key: str) -> None:
        self.db, self.table, self.key = db, table, key
        self.where = sa.and_(*(table.c[name] == value for name, value in key.items()))
        row = db.execute(sa.select(table).where(self.where).with_for_update()).first()
        self.is_new, self.found = row is None, None if row is None else read_rating(table, row)

    def put(self, rating: Rating) -> None:
        """If another process has put the first one meanwhile, this fails, and the try has to be stored again."""
        if self.is_new:
            self.db.execute(self.table.insert().values({**self.key, **rating._asdict()}))
        else:
            self.db.execute(self.table.update().where(self.where).values(rating._asdict()))


# Which puzzle comes next


def choose(
    puzzles: list[Puzzle], ratings: Mapping[str, Rating], mine: Rating | None, tried: Mapping[str, Tried]
) -> Puzzle:
    """One that suits the solver, rather too easy as long as little is known. When all were tried, one that was not
    solved at the last try, or was solved the longest time ago."""
    mean, deviation = mine[:2] if mine else NEWCOMER
    fresh = [puzzle for puzzle in puzzles if puzzle.id not in tried]
    if fresh:
        return min(fresh, key=lambda puzzle: abs(ratings[puzzle.id].mean - (mean - deviation)))
    return min(puzzles, key=lambda puzzle: tried[puzzle.id][2:])


def following(puzzles: list[Puzzle], after: str | None) -> Puzzle:
    """For somebody unknown: the next one in order of difficulty, the easiest at first and after the hardest."""
    ids = [puzzle.id for puzzle in puzzles]
    return puzzles[(ids.index(after) + 1) % len(ids) if after in ids else 0]
