"""After a game in words: its review, and puzzles."""

from collections.abc import Callable, Sequence

from rich.console import Console

from motherlode import puzzles, sentences, text
from motherlode.command_line import in_background
from motherlode.engine import Refusal
from motherlode.puzzle_terminal import today
from motherlode.terminal import Quit
from motherlode.text_puzzle import TextPuzzle
from motherlode.text_table import TextTable

HELP = """\
review: where your result came from, and your costliest decisions; review all: those of everybody
puzzle: a puzzle of this game; puzzle today: the puzzle of the day"""


class Afterwards:
    """Answers what may be asked when a game is over. `record` reads its record, for these seats or all."""

    def __init__(self, words: TextTable, record: Callable[[], text.Played], seats: Sequence[int] | None) -> None:
        self.words, self.record, self.seats = words, record, seats
        self.puzzle: TextPuzzle | None = None  # the one that is asked now

    def obey(self, line: str) -> bool:
        """Do what was typed; False if it is nothing of this."""
        if self.puzzle:
            self.go_on(self.puzzle, line)
            return True
        try:
            match line.split():
                case ["review"]:
                    self.review(self.seats)
                case ["review", "all"]:
                    self.review(None)
                case ["puzzle"]:
                    self.ask(puzzles.some_of(self.words.game)[0])
                case ["puzzle", "today"]:
                    self.ask(puzzles.of_the_day(today())[1])
                case _:
                    return False
        except Refusal as refusal:
            self.words.say(sentences.stop(str(refusal)))
        return True

    def review(self, seats: Sequence[int] | None) -> None:
        from motherlode.review import telling
        from motherlode.review.review import review

        played = self.record()
        self.words.say("The game is being judged, which takes some seconds.")
        found = in_background(lambda: review(played, seats=seats))
        self.words.say(*telling.spoken(played.game, found, self.words.names))

    def ask(self, puzzle: puzzles.Puzzle) -> None:
        self.puzzle = TextPuzzle(puzzle, Console(file=self.words.out))
        self.puzzle.show()

    def go_on(self, puzzle: TextPuzzle, line: str) -> None:
        try:
            puzzle.obey(line)
        except Quit:
            self.puzzle = None
            self.words.say(puzzle.how_to_return(), HELP)


def unknown(line: str) -> Refusal:
    return Refusal(f"{line[:80]!r} is nothing that can be done after the game; ? helps")
