"""Puzzles in words alone: `motherlode puzzle GAME --text`, and after a game that was played in words."""

from rich.console import Console

from motherlode import sentences
from motherlode.engine import Refusal
from motherlode.puzzle_terminal import PuzzleTerminal, share
from motherlode.puzzles import Puzzle, Step
from motherlode.text_table import Now, TextTable, did_of, now_of

NAMES = ("Ada", "Bo", "Cleo", "Dan", "Eve")  # of the players, as on the pages
HELP = """\
a number, or a choice or some of its words: your answer
actions: list your choices; actions WORDS: those with these words
position: the whole position, one fact per line
log: everything you were told before
rules, or rules 3.2: the rules, or one clause
answer: give up, and hear the answer
next: go on to another puzzle
quit: stop"""


class TextPuzzle(PuzzleTerminal):
    """Asks puzzles in sentences, one per line."""

    help = HELP

    def __init__(self, puzzle: Puzzle, console: Console) -> None:
        self.words = TextTable(puzzle.game, console.file)
        super().__init__(puzzle, console)

    def begin(self, puzzle: Puzzle) -> None:
        super().begin(puzzle)
        self.names = self.words.names = list(NAMES[: puzzle.seats])

    @property
    def now(self) -> Now:
        return now_of(self.game, self.ask.view, self.ask.legal)

    def say(self, line: str, style: str | None = None) -> None:
        self.words.say(*line.strip("\n").split("\n"))

    def show(self) -> None:
        puzzle = self.puzzle
        self.say(f"Puzzle {puzzle.id}: {self.game.TITLE}. Difficulty {puzzle.difficulty}.")
        self.say(f"You are {self.names[puzzle.seat]}. One action is clearly best: which?")
        self.words.describe(self.now)
        self.words.ask(self.now)

    def list_actions(self, some: str = "") -> None:
        self.words.list_choices(self.now, some)

    def tell(self, steps: list[Step]) -> None:
        self.words.tell([did_of(at, s.told.actor, s.told.action, s.line) for at, s in enumerate(steps)], None)

    def show_rules(self, number: str) -> None:
        self.words.rules(number)

    def called(self, action: int) -> str:
        return sentences.choice(self.game, action, self.names, drawn=self.now.drawn)

    def find(self, line: str) -> int:
        return self.words.find(line, self.now)

    def refuse(self, refusal: Refusal) -> None:
        self.say(sentences.stop(str(refusal)))

    def chance(self, action: int, value: float) -> str:
        return f"{share(value)}: {self.called(action)}."
