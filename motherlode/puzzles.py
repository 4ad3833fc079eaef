"""Puzzles: positions with one best action, from games between strong players, and how a try at one is answered.

A game keeps its puzzles in `puzzles.json` beside its rules; `motherlode puzzles` finds them (see `lab/puzzles.py`).
Until it has answered, a solver gets the seat's `ask` and nothing else: the true position, the answer and what follows
stay here. A game that brings no such file has no puzzles, and so has a variant.
"""

import json
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from motherlode import games, text
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.table import Ask, Table, Told, check_legal

FILE = "puzzles.json"
EASIEST, HARDEST = 600, 2200  # difficulties
OURS = f"{games.__name__}."  # the modules of the games of this package, from which the puzzle of the day is taken

Proof = Literal["proved", "found"]


class Puzzle(NamedTuple):
    """A decision of a seat after these actions. Values are chances to win, of every useful action."""

    id: str
    options: dict[str, Any]
    seats: int
    actions: list[int]  # outcomes of chance included
    seat: int
    answer: int
    values: dict[int, float]
    gap: float  # from the answer to the second best
    proof: Proof
    difficulty: int
    solved_by: dict[str, float]  # by level: the share of its tries that were right
    after: list[int]  # how strong players went on after the answer, outcomes of chance included

    @property
    def game(self) -> Game:
        return games.find(game_name(self.id))

    def table(self) -> Table:
        """The true position: nothing of it but what `ask` holds may reach a solver before the answer."""
        return Table.replay(text.Played(self.game, self.seats, self.options, self.actions), seed=0)

    def ask(self, game: Game | None = None) -> Ask:
        """What the seat is given: its view, its legal actions and the log as it was told it."""
        if game not in (None, self.game):
            raise Refusal(f"{self.id} is a puzzle of {self.game.TITLE}, not of {game.TITLE}")
        return self.table().ask()


class Step(NamedTuple):
    """An action, or an outcome of chance, as the solver's seat is told it."""

    told: Told
    line: text.Line


class Verdict(NamedTuple):
    """What is said to a try."""

    is_right: bool
    best: int
    value: float | None  # of the try; None for an action that nobody needs to consider
    values: dict[int, float]
    explanation: list[Step]  # the answer, and how strong players went on


class Made(NamedTuple):
    """How a game's puzzles were made."""

    command: str
    version: str
    rules: int
    date: str
    judged: str


class Puzzles(NamedTuple):
    made: Made
    puzzles: list[Puzzle]  # the easiest first


def game_name(puzzle_id: str) -> str:
    return puzzle_id.rpartition("-")[0]


def path(game: Game) -> Path | None:
    """Where a game keeps its puzzles; None if it has no folder of its own, or is a variant."""
    file = Path(game.__file__) if game.__file__ and not game.VARIANT else None
    return file.with_name(FILE) if file and games.is_in_folder(file) else None


@cache
def read(game: Game) -> Puzzles | None:
    """A game's puzzles and how they were made; None if it brings none."""
    file = path(game)
    return parse(file.read_text("utf-8"), game) if file and file.exists() else None


def parse(content: str, game: Game) -> Puzzles:
    """The puzzles in a file's content."""
    found = json.loads(content)
    made = Made(**found["made"])
    text.check_rules(game, str(made.rules))
    listed = [
        Puzzle(**{"after": [], **one, "values": {int(a): value for a, value in one["values"].items()}})
        for one in found["puzzles"]
    ]
    return Puzzles(made, in_order(listed))


def in_order(found: list[Puzzle]) -> list[Puzzle]:
    return sorted(found, key=lambda puzzle: (puzzle.difficulty, puzzle.id))


def write(made: Made, found: list[Puzzle]) -> str:
    """The content of a file with these puzzles, one per line."""

    def line(puzzle: Puzzle) -> str:
        return json.dumps(puzzle._asdict(), separators=(",", ":"))

    rows = ",\n".join(line(puzzle) for puzzle in in_order(found))
    return f'{{"made": {json.dumps(made._asdict())},\n"puzzles": [\n{rows}\n]}}\n'


def of(game: Game) -> list[Puzzle]:
    """A game's puzzles, the easiest first; none if it brings none."""
    found = read(game)
    return found.puzzles if found else []


def brought_by(game: Game) -> Puzzles:
    """A game's puzzles and how they were made; a game without any says so."""
    found = read(game)
    if not found or not found.puzzles:
        raise Refusal(f"{game.TITLE} has no puzzles; `motherlode puzzles {game.NAME} --out {FILE}` looks for some")
    return found


def some_of(game: Game) -> list[Puzzle]:
    """A game's puzzles, the easiest first; a game without any says so."""
    return brought_by(game).puzzles


def find(puzzle_id: str) -> Puzzle:
    """The puzzle of this id, such as goldmine-001."""
    game = games.find(game_name(puzzle_id)) if "-" in puzzle_id else None
    if game is None:
        raise Refusal(f"a puzzle is named by its game and its number, as in {example()}, not {puzzle_id[:80]!r}")
    known = {puzzle.id: puzzle for puzzle in some_of(game)}
    if puzzle_id not in known:
        raise Refusal(f"{game.TITLE} has no puzzle {puzzle_id[:80]!r}; its puzzles are {min(known)} to {max(known)}")
    return known[puzzle_id]


def example() -> str:
    return f"{next(iter(games.GAMES))}-001"


def try_answer(puzzle: Puzzle, action: int | str) -> Verdict:
    """Whether an action is the answer, what all are worth, and what follows the answer. What is illegal is refused."""
    game, s = puzzle.game, puzzle.table().position
    a = text.read_action(game, s, str(action))
    check_legal(game, s, puzzle.seat, a)
    return Verdict(a == puzzle.answer, puzzle.answer, puzzle.values.get(a), puzzle.values, explain(puzzle))


def history(puzzle: Puzzle) -> list[Step]:
    """Everything before the decision, as the seat was told it."""
    start = text.Played(puzzle.game, puzzle.seats, puzzle.options, [])
    return follow(puzzle, Table.replay(start, seed=0), puzzle.actions)


def explain(puzzle: Puzzle) -> list[Step]:
    """The answer and what followed, as the seat is told it."""
    return follow(puzzle, puzzle.table(), [puzzle.answer, *puzzle.after])


def follow(puzzle: Puzzle, table: Table, actions: list[int]) -> list[Step]:
    steps = []
    for a in actions:
        line = text.tell(table.game, table.position, a, puzzle.seat)
        table.append(a)
        steps.append(Step(table.told(puzzle.seat)[-1], line))
    return steps


def of_the_day(day: date) -> tuple[Game, Puzzle]:
    """The puzzle of a day: a function of the date and the package alone. All games take turns.

    A game's puzzles come in an order that looks random, and all of them come before one comes again.
    """
    ours = [game for game in games.GAMES.values() if game.__name__.startswith(OURS) and of(game)]
    if not ours:
        raise Refusal("no game here has puzzles")
    turn, number = divmod(day.toordinal(), len(ours))
    game = sorted(ours, key=lambda game: game.NAME)[number]
    shuffled = sorted(of(game), key=lambda puzzle: sha256(puzzle.id.encode()).digest())
    return game, shuffled[turn % len(shuffled)]


def next_one(puzzle: Puzzle, *, harder: bool) -> Puzzle | None:
    """The next puzzle of the same game that is harder, or easier; None after the last."""
    ordered = of(puzzle.game)
    at = ordered.index(puzzle) + (1 if harder else -1)
    return ordered[at] if 0 <= at < len(ordered) else None
