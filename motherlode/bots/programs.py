"""The processes of programs from outside: started, asked line by line, kept for the next game, and ended in any case.

A program that stays waits in `idle` for the next game in which its command has its seat, in the same rotation if it is
one of a match. So it is never in two seats of a table, and never sees a deal again that is played from other seats.
Ctrl-C does not reach programs: the process that started them ends them, and if that is killed, `keeper.py` does it.
"""

import contextlib
import multiprocessing.util
import os
import queue
import subprocess
import sys
import threading
from collections import defaultdict
from contextvars import ContextVar
from typing import TextIO

from motherlode.bots import keeper

Command = tuple[str, ...]
Place = tuple[Command, int, int]  # a command, its seat, and the rotation
rotation: ContextVar[int] = ContextVar("rotation", default=0)  # in which a match plays a deal


class Lost(Exception):
    """Why a program loses its seat."""


class Program:
    """A running program. Every line that it is sent it answers with one."""

    def __init__(self, command: Command, seat: int) -> None:
        self.seat, self.place = seat, (command, seat, rotation.get())
        self.games = 0  # that it was seated in
        self.stays = False
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            process_group=None if sys.platform == "win32" else 0,
        )
        threading.Thread(target=self.read_lines, args=(self.process.stdout,), daemon=True).start()

    def exchange(self, line: str, limit: float) -> str:
        """Write a line and read one."""
        assert self.process.stdin
        with contextlib.suppress(OSError):  # if it has exited, reading finds out
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        try:
            answer = self.lines.get(timeout=limit)
        except queue.Empty:
            raise Lost(f"was silent for {limit:g} s") from None
        if not answer:
            raise Lost(f"ended with status {self.process.wait()}")
        return answer.strip()

    def read_lines(self, pipe: TextIO) -> None:
        """Read in a thread, because a pipe cannot be read with a time limit. An empty line is the end."""
        with pipe, contextlib.suppress(UnicodeDecodeError):
            for line in pipe:
                self.lines.put(line)
        self.lines.put("")

    def kill(self) -> None:
        assert self.process.stdin
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        keeper.kill(self.process.pid)
        self.process.wait()


class Programs:
    """All programs that this process has started."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.running: set[Program] = set()
        self.idle: dict[Place, list[Program]] = defaultdict(list)
        self.keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__], stdin=subprocess.PIPE, text=True, start_new_session=True
        )
        # Unlike `atexit`, this also works in the laboratory's processes.
        self.at_exit = multiprocessing.util.Finalize(None, end_all, exitpriority=0)

    def start(self, command: Command, seat: int) -> Program:
        program = Program(command, seat)
        self.running.add(program)
        self.note("+", program)
        return program

    def end(self, program: Program) -> None:
        program.kill()
        self.running.discard(program)
        self.note("-", program)

    def note(self, sign: str, program: Program) -> None:
        assert self.keeper.stdin
        with contextlib.suppress(OSError):  # without a keeper programs are ended as well, unless this process is killed
            self.keeper.stdin.write(f"{sign}{program.process.pid}\n")
            self.keeper.stdin.flush()

    def close(self) -> None:
        assert self.keeper.stdin
        with contextlib.suppress(OSError):
            self.keeper.stdin.close()
        self.keeper.wait()
        self.at_exit.cancel()


_all: list[Programs] = []  # the last may be of this process; others are of the processes it was forked from


def own() -> Programs | None:
    return _all[-1] if _all and _all[-1].owner == os.getpid() else None


def take(command: Command, seat: int) -> Program:
    """A program for the next game of this seat: one that has stayed, or a new one."""
    programs = own()
    if programs is None:
        programs = Programs()
        _all.append(programs)
    waiting = programs.idle[command, seat, rotation.get()]
    while waiting:
        program = waiting.pop()
        if program.process.poll() is None:
            break
        programs.end(program)
    else:
        program = programs.start(command, seat)
    program.games += 1
    return program


def keep(program: Program) -> None:
    """Its game is over, and the program waits for the next."""
    if programs := own():
        programs.idle[program.place].append(program)


def end(program: Program) -> None:
    """End a program, and what it has started."""
    if programs := own():
        programs.end(program)


def end_waiting() -> None:
    """End the programs that wait for another game."""
    if programs := own():
        for waiting in programs.idle.values():
            while waiting:
                programs.end(waiting.pop())
        if not programs.running:
            _all.remove(programs)
            programs.close()


def end_all() -> None:
    """End all programs, also those in a game: this process ends."""
    if programs := own():
        for program in list(programs.running):
            programs.end(program)
        programs.idle.clear()
        end_waiting()
