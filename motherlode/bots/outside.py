"""Bots from outside: any program that reads questions and writes answers, one JSON object per line.

A program is started for one game and asked through its standard input whenever its seat is to act; see docs/bots.md.
One that exits, does not answer in time or answers with an illegal action loses its seat: it is killed, and the seat
plays on at random.
"""

import contextlib
import json
import queue
import shlex
import shutil
import subprocess
import threading
from typing import Any, TextIO

from motherlode import text
from motherlode.engine import Refusal
from motherlode.game import HIDDEN, Record, Rng, below
from motherlode.table import Ask


class Lost(Exception):
    """Why a program loses its seat."""


class Outside:
    """A program in a seat."""

    def __init__(self, command: str, limit: float) -> None:
        try:
            self.command = shlex.split(command)
        except ValueError as error:
            raise Refusal(f"cmd:{command} cannot be read: {error}") from None
        if not self.command or not shutil.which(self.command[0]):
            raise Refusal(f"there is no program {' '.join(self.command[:1])!r}: write cmd:PROGRAM ARGUMENTS")
        self.limit = limit
        self.lost: str | None = None
        self.process: subprocess.Popen[str] | None = None
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()

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
        line = self.exchange(json.dumps(question(ask, number)))
        try:
            a = json.loads(line)["action"]
            a = text.read_action(ask.game, ask.view, str(a))
        except (ValueError, KeyError, TypeError):
            raise Lost(f"answered {line[:60]!r}") from None
        if a not in ask.legal:
            raise Lost(f"answered {text.name(ask.game, ask.view, a)!r}, which is illegal,")
        return a

    def exchange(self, line: str) -> str:
        """Write a line and read one."""
        try:
            if self.process is None:
                self.process = subprocess.Popen(
                    self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
                )
                threading.Thread(target=self.read_lines, args=(self.process.stdout,), daemon=True).start()
        except OSError as error:
            raise Lost(f"could not be started ({error.strerror})") from None
        assert self.process.stdin
        with contextlib.suppress(OSError):  # if it has exited, reading finds out
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        try:
            answer = self.lines.get(timeout=self.limit)
        except queue.Empty:
            raise Lost(f"was silent for {self.limit:g} s") from None
        if not answer:
            raise Lost(f"ended with status {self.process.wait()}")
        return answer.strip()

    def read_lines(self, pipe: TextIO) -> None:
        """Read in a thread, because a pipe cannot be read with a time limit. An empty line is the end."""
        with pipe, contextlib.suppress(UnicodeDecodeError):
            for line in pipe:
                self.lines.put(line)
        self.lines.put("")

    def end(self) -> str | None:
        """End the program; why it lost its seat, if it did."""
        process, self.process = self.process, None
        if process:
            assert process.stdin
            with contextlib.suppress(OSError):
                process.stdin.close()
            process.kill()
            process.wait()
        return self.lost


def question(ask: Ask, number: int) -> dict[str, Any]:
    """What a program is asked: everything its seat may know."""
    return {
        "game": ask.game.NAME,
        "rules": ask.game.RULES,
        "seat": ask.seat,
        "view": fields(ask.game, ask.view),
        "position": text.write_position(ask.game, ask.view),
        "legal": {str(a): text.name(ask.game, ask.view, a) for a in ask.legal},
        "log": [[actor, None if told == HIDDEN else told, list(shown)] for actor, told, shown in ask.log],
        "random": number,
    }


def fields(game: Any, view: Record) -> dict[str, Any]:
    values = {field.name: getattr(view, field.name) for field in game.FIELDS}
    return {name: value if isinstance(value, int) else list(value) for name, value in values.items()}
