"""Mutants of a game's rules: what `dev.py soak` counts, and that it can tell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from motherlode.games import GAMES

pytest.importorskip("resource", reason="mutants run in forked processes")
from support import mutants

TESTS = Path(__file__).parent
SOURCE = """
@rule
def answer(s, card):
    if 2 <= card < s.led and s.left != NONE:
        s.won[s.turn + 1] = 3


def words(s):
    return s.won[0] == 1
"""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=TESTS, env=env, stdout=subprocess.PIPE, text=True, check=False)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "support.mutants", *arguments)


def test_comparisons_constants_and_indices_of_rules_are_changed() -> None:
    changed = {mutant.diff(SOURCE, "rules.py").partition("->")[2].strip() for mutant in mutants.places(SOURCE)}
    condition = ["2", "<=", "card", "<", "s.led and s.left", "!=", "NONE:"]
    others = {0: ("3", "1"), 1: ("<", ">"), 3: ("<=", ">"), 5: ("==", ">"), 6: ("(NONE + 1):", "(NONE - 1):")}
    indices = ("(s.turn + 1) + 1", "(s.turn + 1) - 1", "s.turn + 2", "s.turn + 0")
    assert changed == {
        *(" ".join(["if", *condition[:at], word, *condition[at + 1 :]]) for at in others for word in others[at]),
        *(f"s.won[{index}] = 3" for index in indices),
        *(f"s.won[s.turn + 1] = {value}" for value in (4, 2)),
    }


def test_a_seed_chooses() -> None:
    one, again, other = (mutants.chosen(SOURCE, 8, seed) for seed in (1, 1, 2))
    assert one == again != other and len(set(one)) == len(set(other)) == 8


def test_a_fault_is_caught_and_a_survivor_listed() -> None:
    """A line of Goldmine has two mutants: low cards win, or equal cards too, of which there are none.

    The test of its clause catches the first; that of another clause does not.
    """
    words = "return card > led"
    lines = mutants.rules_file("goldmine").read_text(encoding="utf-8").splitlines()
    [line] = [number for number, line in enumerate(lines, 1) if words in line]
    arguments = ("goldmine", "--games", "3", "--lines", f"{line}-{line}", "--tests")
    ran = run(*arguments, "games/test_goldmine.py -k test_3_6")
    assert ran.returncode == 0
    assert ran.stdout == "goldmine: 1 of 1 mutants caught (100.0 %); 1 more played 3 games alike\n"
    ran = run(*arguments, "games/test_goldmine.py -k test_1_1")
    assert ran.returncode == 1
    survivor, figures = ran.stdout.splitlines()
    assert survivor == f"survived: motherlode/games/goldmine/rules.py:{line}: {words}  ->  return card < led"
    assert figures == "goldmine: 0 of 1 mutants caught (0.0 %); 1 more played 3 games alike"


ENDLESS = """
from support.mutants import in_children, judge, load_what_all_need, rules_file, tests_of
load_what_all_need()
source = rules_file("goldmine").read_text(encoding="utf-8").replace("s.left &= ~LOOKING", "while True: pass")
print(*in_children({0: lambda: judge("goldmine", source, ["the game's own"], tests_of("goldmine"), seconds=1)}, 1))
"""


def test_a_mutant_that_never_ends_is_stopped() -> None:
    assert python("-c", ENDLESS).stdout == "(0, None)\n"


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_the_tests_of_a_game_catch_its_mutants(name: str) -> None:
    ran = run(name)
    print(ran.stdout)
    assert ran.returncode == 0
