"""Bots from outside: any program that reads questions and writes answers, one JSON object per line; see docs/bots.md.

A program is asked through its standard input whenever its seat is to act, and ended with the game. If one of its
answers says `"stay": true`, it is told how the game ended instead, and if its answer to that says so again, it is kept
for the next game. One that exits, does not answer in time or answers with an illegal action loses its seat: it is
killed, and the seat plays on at random.
"""

import json
import shlex
import shutil
from typing import Any

from motherlode import text
from motherlode.bots import programs
from motherlode.bots.programs import Lost, Program
from motherlode.engine import Refusal
from motherlode.game import HIDDEN, Game, Record, Rng, below
from motherlode.table import Ask, Table, Told

STAY = "stay"


class Outside:
    """A program in a seat, for one game."""

    def __init__(self, command: str, limit: float) -> None:
        try:
            self.command = tuple(shlex.split(command))
        except ValueError as error:
            raise Refusal(f"cmd:{command} cannot be read: {error}") from None
        if not self.command or not shutil.which(self.command[0]):
            raise Refusal(f"there is no program {' '.join(self.command[:1])!r}: write cmd:PROGRAM ARGUMENTS")
        self.limit = limit
        self.lost: str | None = None
        self.program: Program | None = None

    def __call__(self, ask: Ask, rng: Rng) -> int:
        number = below(rng, 1 << 31)
        if not self.lost:
            try:
                return self.answer(ask, number)
            except Lost as lost:
                self.lost = f"{lost} at action {len(ask.log)}"
                self.end()
        return ask.legal[number % len(ask.legal)]

    def answer(self, ask: Ask, number: int) -> int:
        if self.program is None:
            try:
                self.program = programs.take(self.command, ask.seat)
            except OSError as error:
                raise Lost(f"could not be started ({error.strerror})") from None
        line = self.program.exchange(json.dumps(question(ask, number, self.program.games)), self.limit)
        try:
            answer = json.loads(line)
            a = text.read_action(ask.game, ask.view, str(answer["action"]))
        except (ValueError, KeyError, TypeError):
            raise Lost(f"answered {line[:60]!r}") from None
        if a not in ask.legal:
            raise Lost(f"answered {text.name(ask.game, ask.view, a)!r}, which is illegal,")
        self.program.stays |= answer.get(STAY) is True
        return a

    def end(self, table: Table | None = None) -> str | None:
        """End the program, unless it stays after the finished game at this table; why it lost its seat, if it did."""
        program, self.program = self.program, None
        if program:
            stays = False
            try:
                stays = table is not None and table.is_over and program.stays and self.says_stay(program, table)
            finally:
                (programs.keep if stays else programs.end)(program)
        return self.lost

    def says_stay(self, program: Program, table: Table) -> bool:
        """Tell a program how a game ended; whether it answers that it stays."""
        try:
            line = program.exchange(json.dumps(result(table, program.seat, program.games)), self.limit)
            return json.loads(line)[STAY] is True
        except (Lost, ValueError, KeyError, TypeError):
            return False


def question(ask: Ask, number: int, games: int = 1) -> dict[str, Any]:
    """What a program is asked: everything its seat may know."""
    legal = {str(a): text.name(ask.game, ask.view, a) for a in ask.legal}
    return {**known(ask.game, ask.seat, ask.view, ask.log, games), "legal": legal, "random": number}


def result(table: Table, seat: int, games: int) -> dict[str, Any]:
    """What a program is told at the end of a game: the result, and everything its seat may know."""
    over = {"points": table.points, "winners": table.winners}
    return {**known(table.game, seat, table.view(seat), table.told(seat), games), "over": over}


def known(game: Game, seat: int, view: Record, log: list[Told], games: int) -> dict[str, Any]:
    return {
        "game": game.NAME,
        "rules": game.RULES,
        "table": games,
        "seat": seat,
        "view": fields(game, view),
        "position": text.write_position(game, view),
        "log": [[actor, None if told == HIDDEN else told, list(shown)] for actor, told, shown in log],
    }


def fields(game: Game, view: Record) -> dict[str, Any]:
    values = {field.name: getattr(view, field.name) for field in game.FIELDS}
    return {name: value if isinstance(value, int) else list(value) for name, value in values.items()}
