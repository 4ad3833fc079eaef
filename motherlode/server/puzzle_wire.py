"""Puzzles on the wire: what is sent of one before a try, and what after it.

Before, it is made from the seat's view, its legal actions and its told log, like a table's messages. The answer, what
it is worth, how hard it is and what followed are only in `PuzzleVerdict`.
"""

from typing import Any

from motherlode import engine
from motherlode.game import Record
from motherlode.puzzles import Proof, Puzzle, Verdict
from motherlode.server import messages, told_logs
from motherlode.server.puzzle_ratings import Rating
from motherlode.server.wire import Action, Did, Incoming, Legal, Outgoing, View


class PuzzleRating(Outgoing):
    """A rating on Elo's scale: 200 points more than a puzzle's mean three right answers in four."""

    rating: int
    margin: int  # with 95 % certainty it is off by no more than this
    tries: int  # that count
    solved: int


class PuzzleGame(Outgoing):
    """How many puzzles a game has, and how you do at them."""

    game: str
    title: str
    puzzles: int
    tried: int  # of these, by you
    mine: PuzzleRating | None  # null: you have no try that counts


class PuzzleGames(Outgoing):
    games: list[PuzzleGame]


class PuzzleSheet(Outgoing):
    """A decision as its seat knows it: one of the `legal` actions is clearly best."""

    id: str
    game: str
    title: str
    seats: int
    options: dict[str, int | str]
    seat: int
    at: int  # how many actions the seat was told of
    view: View
    drawn: dict[str, Any] | None = None
    text: str | None = None
    legal: list[Legal]
    did: list[Did]  # all that the seat was told
    solved: bool | None  # by you, at your first try; null: you have not tried


class PuzzleOfTheDay(Outgoing):
    date: str  # 2026-11-18, in UTC
    puzzle: PuzzleSheet


class PuzzleTry(Incoming):
    action: Action


class PuzzleChance(Outgoing):
    """An action, and the chance to win with it."""

    action: int
    words: str
    chance: float


class PuzzleStep(Outgoing):
    """What the seat is told and sees of the answer, and of what followed it."""

    at: int
    turn: int
    view: View
    drawn: dict[str, Any] | None = None
    text: str | None = None
    did: Did


class PuzzleLevel(Outgoing):
    """How often a level of the game's bots finds the answer."""

    level: str
    share: float


class PuzzleVerdict(Outgoing):
    """What is said to a try."""

    right: bool
    action: int
    answer: Legal
    proof: Proof  # proved: every line was computed to its end; found: a long search is certain of it
    chances: list[PuzzleChance]  # the best first; the action tried is missing if nobody needs to consider it
    steps: list[PuzzleStep]
    levels: list[PuzzleLevel]  # the weakest first
    puzzle: PuzzleRating  # after this try
    counts: bool  # a guest's first try
    before: PuzzleRating | None  # yours, before and after a try that counts
    mine: PuzzleRating | None


BODIES = (PuzzleGames, PuzzleSheet, PuzzleOfTheDay, PuzzleTry, PuzzleVerdict)


def rating_card(rating: Rating) -> PuzzleRating:
    return PuzzleRating(
        rating=round(rating.mean), margin=round(1.96 * rating.deviation), tries=rating.tries, solved=rating.solved
    )


def drawing(puzzle: Puzzle, s: Record) -> dict[str, Any]:
    """What the seat knows of a position, all that it was ever shown included: nobody has to remember a puzzle."""
    return messages.drawing(puzzle.game, bytes(engine.view(puzzle.game, s, puzzle.seat)))._asdict()


def sheet(puzzle: Puzzle, solved: bool | None) -> PuzzleSheet:
    table, game, seat = puzzle.table(), puzzle.game, puzzle.seat
    logs = told_logs.ToldLogs(table)
    at = logs.count(seat, table.at)
    return PuzzleSheet(
        id=puzzle.id,
        game=game.NAME,
        title=game.TITLE,
        seats=puzzle.seats,
        options=table.options,
        seat=seat,
        at=at,
        **drawing(puzzle, table.position),
        legal=[messages.legal_action(game, a) for a in engine.legal(game, table.position)],
        did=logs.told(seat, 0, at),
        solved=solved,
    )


def steps(puzzle: Puzzle) -> list[PuzzleStep]:
    """The answer, and how strong players went on."""
    table, game, found = puzzle.table(), puzzle.game, []
    for a in (puzzle.answer, *puzzle.after):
        s, at = table.position, table.at
        table.append(a)
        did = told_logs.tell(game, at, s, a, table.position, puzzle.seat)
        turn = int(table.position.turn)
        found.append(PuzzleStep(at=table.at, turn=turn, **drawing(puzzle, table.position), did=did))
    return found


def verdict(
    puzzle: Puzzle, judged: Verdict, action: int, rating: Rating, before: Rating | None, mine: Rating | None
) -> PuzzleVerdict:
    """`before` and `mine`: the solver's rating, where the try counts."""
    game = puzzle.game
    worth = sorted(judged.values.items(), key=lambda pair: (-pair[1], pair[0]))
    return PuzzleVerdict(
        right=judged.is_right,
        action=action,
        answer=messages.legal_action(game, judged.best),
        proof=puzzle.proof,
        chances=[PuzzleChance(action=a, words=game.ACTIONS.name(a), chance=value) for a, value in worth],
        steps=steps(puzzle),
        levels=[PuzzleLevel(level=level, share=share) for level, share in puzzle.solved_by.items()],
        puzzle=rating_card(rating),
        counts=mine is not None,
        before=before and rating_card(before),
        mine=mine and rating_card(mine),
    )
