"""Guided first games. A game's folder has a record, `lesson.txt`, and what is said on the way, `lesson.json`.

Each step is said before action `at` of the record, with the words that `lesson.en.json` and `lesson.fr.json` have for
it. The learner sits in seat 0 and does the actions of that seat; all others, and chance, follow the record. What comes
before the first step has happened already. After the last action the same game goes on freely.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from motherlode import text
from motherlode.game import Game

LEARNER = 0


class Step(NamedTuple):
    at: int
    say: str
    ring: str | None = None  # what the page draws a ring around: a spot of the board; None: what is to be pressed


class Lesson(NamedTuple):
    played: text.Played
    steps: tuple[Step, ...]


@cache
def load(game: Game) -> Lesson | None:
    """The lesson of a game; None: it has none. A variant has other rules than the lesson of its game."""
    folder = Path(str(game.__file__)).parent
    if not (folder / "lesson.txt").exists() or "~" in game.NAME:
        return None
    steps = json.loads((folder / "lesson.json").read_text("utf-8"))
    return Lesson(text.read_record((folder / "lesson.txt").read_text("utf-8")), tuple(Step(**step) for step in steps))
