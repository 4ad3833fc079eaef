"""Puzzles at a terminal, or through a pipe: the position as text, a try, and the answer explained by its events."""

from datetime import UTC, date, datetime
from typing import TextIO

from rich.console import Console

from motherlode import puzzles, sentences
from motherlode.engine import Refusal
from motherlode.puzzles import Puzzle, Step, Verdict
from motherlode.terminal import Quit, ink, list_actions, print_told, say_refusal, show_rules

HELP = """\
  ACTION          your answer, by name (play H7) or by number
  position        show the position again
  actions         list the legal actions again
  log             everything the seat was told before
  rules [CLAUSE]  the rules, or one clause: rules 3.2
  answer          give up, and see the answer
  next            go on to a harder puzzle
  quit            stop"""
KNOWN = {
    "proved": "This is proved: everything that can follow was computed.",
    "found": "This was found by many long searches, which agree.",
}


class PuzzleTerminal:
    """Asks puzzles of one game, one after the other, until there is no more input or the person quits."""

    help = HELP

    def __init__(self, puzzle: Puzzle, console: Console) -> None:
        self.console = console
        self.begin(puzzle)

    def begin(self, puzzle: Puzzle) -> None:
        self.puzzle, self.game, self.ask = puzzle, puzzle.game, puzzle.ask()
        self.names = sentences.seat_names(puzzle.seats)
        self.names[puzzle.seat] += " (you)"
        self.verdict: Verdict | None = None

    def play(self, source: TextIO) -> None:
        """Ask until the person stops."""
        self.show()
        try:
            while (line := self.read(source)) is not None:
                self.obey(line)
        except Quit:
            pass
        self.say(self.how_to_return())

    def how_to_return(self) -> str:
        return f"To come back to this puzzle: motherlode puzzle {self.game.SOURCE} --id {self.puzzle.id}"

    def say(self, line: str, style: str | None = None) -> None:
        self.console.print(line, style=style, highlight=False, markup=False)

    def read(self, source: TextIO) -> str | None:
        """A line of input; None if there is no more."""
        if self.console.is_terminal and source.isatty():
            self.console.print("next puzzle (Enter), or quit> " if self.verdict else "your answer> ", end="")
        line = source.readline()
        return " ".join(line.split()) if line else None

    def show(self) -> None:
        """Show the puzzle as the seat sees it."""
        puzzle = self.puzzle
        title = f"{puzzle.id}: {self.game.TITLE}, you are seat {puzzle.seat}. Difficulty {puzzle.difficulty}."
        self.say(title, "bold")
        self.console.print(ink(self.game, self.game.show(self.ask.view)))
        self.list_actions()
        self.say("What is best? (? for help)")

    def list_actions(self, some: str = "") -> None:
        list_actions(self.console, self.game, self.ask.legal)

    def tell(self, steps: list[Step]) -> None:
        for step in steps:
            print_told(self.console, self.game, step.told, step.line, self.names)

    def show_rules(self, number: str) -> None:
        show_rules(self.console, self.game, number)

    def called(self, action: int) -> str:
        return self.game.ACTIONS.name(action)

    def find(self, line: str) -> int | str:
        """The action that an answer means."""
        return line

    def obey(self, line: str) -> None:
        """Do what was typed."""
        word, _, rest = line.partition(" ")
        try:
            if word in ("?", "help"):
                self.say(self.help)
            elif word == "quit":
                raise Quit
            elif word == "position":
                self.show()
            elif word == "actions":
                self.list_actions(rest)
            elif word == "log":
                self.tell(puzzles.history(self.puzzle))
            elif word == "rules":
                self.show_rules(rest)
            elif word == "answer":
                self.explain(puzzles.try_answer(self.puzzle, self.puzzle.answer))
            elif word == "next" or (not line and self.verdict):
                self.go_on()
            elif self.verdict:
                raise Refusal("this puzzle is answered: next goes on, quit stops")
            elif line:
                self.answer(line)
        except Refusal as refusal:
            self.refuse(refusal)

    def refuse(self, refusal: Refusal) -> None:
        say_refusal(self.console, self.game, refusal)

    def answer(self, line: str) -> None:
        """Say whether a try is right, and explain."""
        verdict = puzzles.try_answer(self.puzzle, self.find(line))
        best = self.called(verdict.best)
        value = "nobody needs to consider it" if verdict.value is None else f"it wins {share(verdict.value)}"
        if verdict.is_right:
            self.say(f"Right: {best} is best.", "green")
        else:
            self.say(f"No: {value}. Best is {best}.", "red")
        self.explain(verdict)

    def explain(self, verdict: Verdict) -> None:
        """What follows the answer, what every action is worth, and how that is known."""
        self.verdict = verdict
        self.say("\nHow it may go on:")
        self.tell(verdict.explanation)
        self.say("\nChances to win:")
        for a, value in sorted(verdict.values.items(), key=lambda item: (-item[1], item[0])):
            self.say(self.chance(a, value))
        self.say(KNOWN[self.puzzle.proof])
        right = ", ".join(f"{level} {share(part)}" for level, part in self.puzzle.solved_by.items())
        self.say(f"Who finds it: {right}.")
        self.say("next: another puzzle; quit: stop")

    def chance(self, action: int, value: float) -> str:
        return f"  {share(value):>6}  {self.called(action)}"

    def go_on(self) -> None:
        """The next puzzle: a harder one, or an easier one after a wrong answer."""
        is_harder = self.verdict is None or self.verdict.is_right
        following = puzzles.next_one(self.puzzle, harder=is_harder)
        if following is None:
            raise Refusal(f"this is the {'hardest' if is_harder else 'easiest'} puzzle of {self.game.TITLE}")
        self.begin(following)
        self.show()


def today() -> date:
    """The day of a puzzle of the day: the same everywhere."""
    return datetime.now(UTC).date()


def share(value: float) -> str:
    return f"{value:.0%}"
