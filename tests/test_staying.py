"""Programs that stay for many games: told what happens, started again when they fail, and never left running."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from support.command_line import Run

from motherlode import GAMES, Table, bots, engine, text
from motherlode.bots import keeper, programs
from motherlode.lab.match import match

ROOT = Path(__file__).parent.parent
GOLDMINE = GAMES["goldmine"]

# Writes down every line that it reads, with its number as a process, and answers as in its last argument.
PROGRAM = """
import json, os, sys
heard = open(sys.argv[1], "a")
for line in sys.stdin:
    ask = json.loads(line)
    heard.write(json.dumps({"pid": os.getpid(), **ask}) + "\\n")
    heard.flush()
    if "over" in ask:
        answer = {"stay": True}
    else:
        legal = list(ask["legal"])
        answer = {"action": int(legal[ask["random"] % len(legal)]), "stay": True}
    CHANGE
    print(json.dumps(answer), flush=True)
"""
LEAVES = "answer.pop('stay', None)"  # as every program was before


class Program:
    """A program in a folder, and what it has heard."""

    def __init__(self, folder: Path, change: str = "pass") -> None:
        self.file = folder / f"heard-{len(list(folder.iterdir()))}"
        path = self.file.with_suffix(".py")
        path.write_text(PROGRAM.replace("CHANGE", change), "utf-8")
        self.name = "cmd:" + shlex.join([sys.executable, str(path), str(self.file)])

    def heard(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]

    def processes(self) -> dict[int, list[dict[str, Any]]]:
        """What each of its processes heard."""
        found = defaultdict(list)
        for line in self.heard():
            found[line["pid"]].append(line)
        return found

    def is_running(self) -> bool:
        return any(is_running(pid) for pid in self.processes())


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def play(*players: str, games: int = 8, cores: int = 1, game: str = "goldmine", **more: Any) -> dict[str, Any]:
    options = {"target": 0} if game == "goldmine" else {}
    return match(GAMES[game], list(players), games=games, seed=3, options=options, cores=cores, limit=60, **more)


def untimed(answer: Any) -> Any:
    text = re.sub(r"cmd:[^\"]*", "cmd", json.dumps({**answer, "seconds": 0}))
    return json.loads(text, object_hook=lambda part: {k: v for k, v in part.items() if "second" not in k})


# What it is told


def test_one_process_per_seat_is_told_every_game_and_its_result(tmp_path: Path) -> None:
    program = Program(tmp_path)
    answer = play(program.name, "random", save=tmp_path / "saved")
    assert answer["lost"] == [] and len(program.processes()) == 2  # of eight games
    for seat, lines in enumerate(program.processes().values()):
        assert {line["seat"] for line in lines} == {seat}
        assert [line["table"] for line in lines] == sorted(line["table"] for line in lines)
        for number in range(4):  # this seat is its in one game of every deal
            *questions, over = [line for line in lines if line["table"] == number + 1]
            assert questions and not any("over" in line for line in questions)
            table = Table.load(tmp_path / "saved" / f"goldmine-{number:05}-{seat}.txt")
            assert over["over"] == {"points": table.points, "winners": table.winners}
            assert over["position"] == text.write_position(table.game, table.view(seat))
            assert len(over["log"]) == len(table.log) > len(questions[-1]["log"])
            assert {"legal", "random"}.isdisjoint(over)
    assert not program.is_running()


@pytest.mark.parametrize("game", GAMES)
def test_at_the_end_a_seat_is_told_what_its_view_says_and_no_more(game: str) -> None:
    """The line is made of the seat's view, its log as it was told, and the result."""
    for seats in GAMES[game].SEATS:
        table = Table(game, seats, seed=5)
        table.play(*[bots.make("random")] * seats)
        for seat in range(seats):
            told = bots.outside.result(table, seat, 1)
            view = engine.view(table.game, table.position, seat)
            assert bytes(text.read_position(told["position"])[1]) == bytes(view)
            assert told["view"] == bots.outside.fields(table.game, view)
            assert [tuple(entry[:2]) for entry in told["log"]] == [
                (actor, None if action < 0 else action) for actor, action, _ in table.told(seat)
            ]
            assert told["over"] == {"points": table.points, "winners": table.winners}


def test_the_same_program_in_two_seats_never_sees_a_deal_twice(tmp_path: Path) -> None:
    program = Program(tmp_path)
    play(program.name, program.name, "random", games=6, game="claimpoker")
    assert len(program.processes()) == 6  # two players, in three seats each
    for lines in program.processes().values():
        assert len({line["seat"] for line in lines}) == 1
        first = {line["table"]: line["log"][0] for line in lines}  # what chance dealt first, in each game
        assert first.keys() == {1, 2} and first[1] != first[2]


def test_staying_changes_no_game(tmp_path: Path) -> None:
    stays, leaves = Program(tmp_path), Program(tmp_path, LEAVES)
    answers = [play(name, "greedy:1", cores=cores) for name in (stays.name, leaves.name) for cores in (1, 2)]
    assert all(untimed(answer) == untimed(answers[0]) for answer in answers)
    assert len(stays.processes()) <= 2 + 4 and len(leaves.processes()) == 16
    assert not stays.is_running() and not leaves.is_running()


def test_a_program_that_says_nothing_of_staying_is_asked_as_before(tmp_path: Path) -> None:
    program = Program(tmp_path, LEAVES)
    play(program.name, "random", games=4)
    assert len(program.processes()) == 4
    assert all({"legal", "random"} <= set(line) and line["table"] == 1 for line in program.heard())


def test_the_documented_example_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, example = re.findall(r"```python\n(#!.*?)```", (ROOT / "docs" / "bots.md").read_text("utf-8"), re.DOTALL)
    path = tmp_path / "program.py"
    path.write_text(example.replace("# import torch", "print(file=open('started', 'a'))  # import torch"), "utf-8")
    monkeypatch.chdir(tmp_path)
    answer = play("cmd:" + shlex.join([sys.executable, str(path)]), "random")
    assert answer["lost"] == [] and (tmp_path / "started").read_text("utf-8") == "\n\n"


# What goes wrong

CRASH = "if ask['table'] == 2 and len(ask['log']) > 16 and 'over' not in ask: sys.exit(5)"


@pytest.mark.parametrize("cores", [1, 2])
def test_one_that_crashes_loses_that_seat_and_is_started_again(tmp_path: Path, cores: int) -> None:
    program = Program(tmp_path, CRASH)
    answer = play(program.name, "random", games=12, cores=cores)
    crashed = [pid for pid, lines in program.processes().items() if lines[-1]["table"] == 2 and "over" not in lines[-1]]
    assert answer["games"] == 12 and len(answer["lost"]) == len(crashed) > 0
    assert all("ended with status 5" in lost["why"] for lost in answer["lost"])
    if cores == 1:  # in each seat: a game, a crash, and again
        assert len(program.processes()) == 6 == len(crashed)
    assert not program.is_running()


AT_THE_END = {
    "sys.exit(0)": 8,
    "answer = {}": 8,
    "answer = {'stay': 1}": 8,
    "answer = []": 8,
    "print('what?', flush=True); continue": 8,
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); answer['stay'] = False": 8,
    "pass": 2,
}


@pytest.mark.parametrize("change", AT_THE_END)
def test_one_that_does_not_stay_in_the_end_is_ended_and_loses_nothing(tmp_path: Path, change: str) -> None:
    lines = [line.strip() for line in change.split(";")]
    program = Program(tmp_path, "if 'over' in ask:\n" + "\n".join(f"        {line}" for line in lines))
    answer = play(program.name, "random")
    assert answer["lost"] == [] and len(program.processes()) == AT_THE_END[change]
    assert not program.is_running()


def test_one_that_ended_while_it_waited_is_started_again(tmp_path: Path) -> None:
    program = Program(tmp_path)
    for number in range(2):
        table, outside = Table("goldmine", seed=number, target=0), bots.make(program.name)
        table.play(outside, bots.make("random"))
        assert bots.end(outside, table) is None
        (pid,) = set(program.processes()) if number == 0 else {0}
        if pid:
            waiting = programs.own()
            assert waiting and is_running(pid)
            (one,) = waiting.running
            one.process.kill()
            one.process.wait()
    assert len(program.processes()) == 2 and program.is_running()
    bots.end_programs()
    assert not program.is_running() and programs.own() is None


def test_silence_at_the_end_is_no_way_to_stay(tmp_path: Path) -> None:
    program = Program(tmp_path, "if 'over' in ask: continue")
    table, outside = Table("goldmine", seed=1, target=0), bots.make(program.name, limit=60)
    table.play(outside, bots.make("random"))
    outside.limit = 0  # type: ignore[attr-defined]
    assert bots.end(outside, table) is None and not program.is_running()
    bots.end_programs()


# Side by side


def test_tables_side_by_side_have_programs_of_their_own(tmp_path: Path) -> None:
    program = Program(tmp_path)
    tables = [Table("goldmine", seed=number, target=0) for number in range(2)]
    players = [bots.make(program.name) for _ in tables]
    while not all(table.is_over for table in tables):
        for table, player in zip(tables, players, strict=True):
            table.play(player, bots.make("random"), actions=1)
    assert len(program.processes()) == 2
    for table, player in zip(tables, players, strict=True):
        assert bots.end(player, table) is None
    for lines in program.processes().values():
        assert "over" in lines[-1] and {line["table"] for line in lines} == {1}
    bots.end_programs()
    assert not program.is_running()


def test_a_match_leaves_the_programs_of_other_tables_alone(tmp_path: Path) -> None:
    """A table in this process goes on, whichever processes the match has; those do not use what waits here."""
    program = Program(tmp_path)
    table, player = Table("goldmine", seed=1, target=0), bots.make(program.name)
    table.play(player, bots.make("random"), actions=4)
    (mine,) = program.processes()
    for cores in (1, 2):
        assert play(program.name, "random", cores=cores)["lost"] == []
    table.play(player, bots.make("random"))
    assert bots.end(player, table) is None and {line["table"] for line in program.processes()[mine]} == {1}
    assert play(program.name, "random", cores=2)["lost"] == []  # while it waits
    assert {line["table"] for line in program.processes()[mine]} == {1}
    bots.end_programs()
    assert not program.is_running()


# Nothing is left running


def test_the_terminal_ends_its_programs(run: Run, tmp_path: Path) -> None:
    program = Program(tmp_path)
    players = f"{program.name},random"
    assert run("play", "goldmine", "--players", players, "--save", tmp_path / "record.txt").status == 0
    assert program.heard()[-1]["over"] and not program.is_running() and programs.own() is None


# Ends for nothing but being killed, with a child that holds on to its output.
STUBBORN = """
import os, signal, subprocess, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
subprocess.Popen(["sleep", "600"])
sys.stdin.readline()
os.write(2, b"asked %d\\n" % os.getpid())
while True:
    signal.pause()
"""


@pytest.mark.parametrize(("number", "cores"), [("SIGINT", 1), ("SIGINT", 2), ("SIGTERM", 1), ("SIGKILL", 2)])
def test_however_a_match_is_ended_no_process_is_left(tmp_path: Path, number: str, cores: int) -> None:
    """All that it started writes into one pipe, which is closed when the last of them has ended."""
    path = tmp_path / "program.py"
    path.write_text(STUBBORN, "utf-8")
    bot = "cmd:" + shlex.join([sys.executable, str(path)])
    line = ["match", "goldmine", "--bots", f"{bot},{bot}", "--games", "8", "--cores", str(cores), "--limit", "600"]
    command = [sys.executable, "-m", "motherlode.cli", *line]
    with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT, text=True, start_new_session=True) as child:
        assert child.stderr
        asked = []
        try:
            for _ in range(cores):
                word, asker = child.stderr.readline().split()
                asked.append(int(asker))
                assert word == "asked"
            if number == "SIGINT":
                os.killpg(child.pid, signal.SIGINT)  # as a terminal does
            else:
                child.send_signal(getattr(signal, number))
            _, err = child.communicate(timeout=60)
        finally:
            child.kill()
            for pid in asked:
                keeper.kill(pid)  # if they are left
    assert (child.returncode, err) == (130, "motherlode: interrupted\n") or number != "SIGINT"
