"""Mutants: a game whose rules have one small fault, to see whether the game's tests catch it.

`python -m support.mutants goldmine` (in tests/) makes 200 of them: of all comparisons, constants and indices in the
game's rules it changes one, chosen by a seed. Each mutant runs in a process of its own that imports the changed source
under the game's own name, interpreted. First it is compared with the game in seeded random games: one that plays
exactly alike is equivalent, and not counted. Then the game's tests are run until the first failure. What exceeds its
time, as an endless loop does, is caught. Survivors are listed with their lines.
"""

import argparse
import ast
import hashlib
import json
import os
import random
import re
import resource
import shlex
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple, NoReturn

import pytest

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
COUNT = 200  # mutants of a game
EQUAL_GAMES = 300  # random games that an equivalent mutant plays alike
CAUGHT, SURVIVED, EQUIVALENT = "caught", "survived", "equivalent"

OTHER_COMPARISONS = {
    "<": ("<=", ">"),
    "<=": ("<", ">"),
    ">": (">=", "<"),
    ">=": (">", "<"),
    "==": ("!=", ">="),
    "!=": ("==", ">"),
}


class Mutant(NamedTuple):
    """One change in a file of rules: columns `first` to `last` of a line get other words."""

    line: int
    first: int
    last: int
    words: str

    def source(self, original: str) -> str:
        lines = original.splitlines(keepends=True)
        lines[self.line - 1] = self.changed(lines[self.line - 1])
        return "".join(lines)

    def changed(self, line: str) -> str:
        content = line.encode()  # columns are counted in bytes
        return (content[: self.first] + self.words.encode() + content[self.last :]).decode()

    def diff(self, original: str, name: str) -> str:
        line = original.splitlines()[self.line - 1]
        return f"{name}:{self.line}: {line.strip()}  ->  {self.changed(line).strip()}"


def rules_file(name: str) -> Path:
    return ROOT / "motherlode" / "games" / name / "rules.py"


def places(source: str) -> list[Mutant]:
    """Every change of one comparison, constant or index of a rule."""
    tree = ast.parse(source)
    found = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and "rule" in [ast.unparse(one) for one in function.decorator_list]:
            for statement in function.body:
                for node in ast.walk(statement):
                    found |= set(changes(node, source))
    return sorted(found)


def changes(node: ast.AST, source: str) -> Iterator[Mutant]:
    """The changes at one node, if it is on one line."""
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for left, right in zip(operands, node.comparators, strict=False):
            if left.end_lineno == right.lineno and left.end_col_offset is not None:
                line = source.splitlines()[right.lineno - 1].encode()
                between = line[left.end_col_offset : right.col_offset].decode()
                sign = re.search(r"[<>=!]+", between)
                for other in OTHER_COMPARISONS[sign[0]] if sign else ():
                    words = between.replace(sign[0], other) if sign else ""
                    yield Mutant(right.lineno, left.end_col_offset, right.col_offset, words)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield replaced(node, str(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        for value in (node.value + 1, node.value - 1):
            yield replaced(node, str(value) if value >= 0 else f"({value})")
    elif isinstance(node, ast.Name) and node.id.isupper() and isinstance(node.ctx, ast.Load):
        for change in ("+ 1", "- 1"):
            yield replaced(node, f"({node.id} {change})")
    elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
        index = ast.get_source_segment(source, node.slice) or ""
        for change in ("+ 1", "- 1") if "\n" not in index else ():
            yield replaced(node.slice, f"({index}) {change}")


def replaced(node: ast.expr, words: str) -> Mutant:
    assert node.end_col_offset is not None
    return Mutant(node.lineno, node.col_offset, node.end_col_offset, words)


def chosen(source: str, count: int, seed: int) -> list[Mutant]:
    every = places(source)
    return random.Random(seed).sample(every, min(count, len(every)))


class Import(MetaPathFinder):
    """Imports the rules of a game from another source than is in its file."""

    def __init__(self, name: str, source: str) -> None:
        self.module, self.path, self.source = f"motherlode.games.{name}.rules", str(rules_file(name)), source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.module:
            return None
        source = self.source

        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:
                return compile(source, self.path, "exec")

        return spec_from_file_location(fullname, self.path, loader=Loader(fullname, self.path))


def digests(name: str, games: int) -> Iterator[str]:
    """What happens in each of some seeded random games: every position, and now and then what a seat is given."""
    contract, engine, motherlode_game = (import_module(f"motherlode.{part}") for part in ("contract", "engine", "game"))
    game = import_module("motherlode.games").GAMES[name]
    tables = [(seats, options) for options in contract.options_to_compare(game) for seats in game.SEATS]
    for number in range(games):
        seats, options = tables[number % len(tables)]
        digest = hashlib.sha256()

        def note(*values: object, digest: Any = digest) -> None:
            digest.update(repr(values).encode())

        opening = engine.start(game, seats, **options)
        played = contract.random_game(game, opening, motherlode_game.new_rng(number, 6))
        last = opening
        for at, (before, a, after) in enumerate(played):
            last = after
            if at > 10 * game.LENGTH:
                break  # it may never end
            actions = engine.legal(game, before)
            note(bytes(before), actions, a)
            if before.turn == motherlode_game.CHANCE:
                note([game.odds(before, b) for b in actions])
            if (at + number) % 4 == 0:
                seat = (at // 4 + number) % (seats + 1) - 1
                note([game.told(before, b, seat) for b in actions], engine.points(game, before))
                v = engine.view(game, before, seat)
                sight = engine.copy(v)
                game.forget(sight, seat, (number * 0x9E3779B97F4A7C15 >> at % 32) & 0x7FFFFFFF)
                note(bytes(v), bytes(sight))
                for w in (v, sight):
                    game.guess(w, seat, motherlode_game.new_rng(number, at))
                    note(bytes(w))
            if (at + number) % 16 == 0:
                note([bytes(engine.after(game, before, b)) for b in actions])
        note(bytes(last), engine.points(game, last), game.winners(last))
        yield digest.hexdigest()


class FirstFailure:
    """A plugin of pytest that notes the first test that fails."""

    name = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid


def tests_of(name: str) -> list[str]:
    """The game's tests, the quickest first; `-k` leaves out those of other games."""
    general = ("games/test_playthroughs.py", "games/test_perft.py", "games/test_all_games.py")
    own = (f"games/test_{name}.py", "games/test_survivors.py", "test_contract.py::test_the_contract_is_kept")
    files = [str(TESTS / file) for file in (*general, *own) if (TESTS / file.partition("::")[0]).exists()]
    return [*files, "-k", name]


def first_failure(arguments: list[str]) -> str:
    """Run tests until one fails, and say which."""
    noted = FirstFailure()
    options = ["-x", "-q", "-p", "no:cacheprovider", "--assert=plain", "-c", str(ROOT / "pyproject.toml")]
    status = pytest.main([*options, *arguments], plugins=[noted])
    return noted.name or (f"exit status {int(status)}" if status else "")


def used_seconds() -> float:
    """Processor time of this process: unlike the clock's, it does not depend on what else the machine does."""
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def is_equal(name: str, right: list[str], seconds: float) -> bool:
    """Whether the game that is imported here plays alike, in this time."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return all(one == other for one, other in zip(digests(name, len(right)), right, strict=True))
    except Exception:  # noqa: BLE001
        return False  # a rule that fails, or never ends, differs
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def judge(name: str, source: str, right: list[str], arguments: list[str], seconds: float) -> dict[str, str]:
    """Compare a mutant with its game, then run the tests on it, each within this time."""
    sys.meta_path.insert(0, Import(name, source))
    if is_equal(name, right, seconds):
        return {"verdict": EQUIVALENT, "by": ""}
    limit = int(used_seconds() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    failed = first_failure(arguments)
    return {"verdict": CAUGHT if failed else SURVIVED, "by": failed}


def in_children(tasks: dict[int, Callable[[], object]], cores: int) -> Iterator[tuple[int, Any]]:
    """Run each task in a process forked from this one: its number and answer, as JSON; None if it was killed."""
    running: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, task in tasks.items():
            if len(running) == cores:
                yield ended(running, Path(folder))
            pid = os.fork()
            if pid == 0:
                answer(task, Path(folder, str(number)))
            running[pid] = number
        while running:
            yield ended(running, Path(folder))


def answer(task: Callable[[], object], file: Path) -> NoReturn:
    """Do the task of a child."""
    status = 1
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            file.write_text(json.dumps(task()), encoding="utf-8")
        status = 0
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        os._exit(status)


def ended(running: dict[int, int], folder: Path) -> tuple[int, Any]:
    """Wait for a child."""
    pid, status = os.wait()
    number = running.pop(pid)
    if os.WIFSIGNALED(status):
        return number, None
    if status:
        raise SystemExit("a child failed, as the lines above say")
    return number, json.loads((folder / str(number)).read_text(encoding="utf-8"))


def load_what_all_need() -> None:
    """Import what the tests import, then forget this project's modules: a mutant must import its own."""
    import_module("conftest")
    import_module("hypothesis")
    for module in list(sys.modules):
        if module.partition(".")[0] in ("motherlode", "support", "conftest"):
            del sys.modules[module]


def run(
    name: str, mutants: list[Mutant], arguments: list[str], *, games: int = EQUAL_GAMES, cores: int = 0
) -> Iterator[tuple[Mutant, str, str]]:
    """Judge mutants: each one's verdict, and the test that caught it."""
    source = rules_file(name).read_text(encoding="utf-8")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # starts in a third of the time
    load_what_all_need()
    [(_, (right, failed, used))] = in_children(
        {0: lambda: (list(digests(name, games)), first_failure(arguments), used_seconds())}, 1
    )
    if failed:
        raise SystemExit(f"{name} fails its tests as it is: {failed}")
    tasks = {
        number: lambda mutant=mutant: judge(name, mutant.source(source), right, arguments, 5 + 2 * used)
        for number, mutant in enumerate(mutants)
    }
    for number, answered in in_children(tasks, cores or os.cpu_count() or 1):  # type: ignore[arg-type]
        verdict, by = (answered["verdict"], answered["by"]) if answered else (CAUGHT, "its time")
        yield mutants[number], verdict, by


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Change one place of a game's rules at a time and run its tests.")
    parser.add_argument("game")
    parser.add_argument("--count", type=int, default=COUNT, help="mutants")
    parser.add_argument("--seed", type=int, default=0, help="chooses them")
    parser.add_argument("--games", type=int, default=EQUAL_GAMES, help="that an equivalent mutant plays alike")
    parser.add_argument("--cores", type=int, default=0)
    parser.add_argument("--least", type=float, default=95, help="percent that must be caught")
    parser.add_argument("--lines", help="FIRST-LAST: only changes in these lines")
    parser.add_argument("--verbose", action="store_true", help="list every mutant")
    parser.add_argument("--tests", help="arguments for pytest; by default all tests of the game")
    given = parser.parse_args(arguments)
    file = rules_file(given.game)
    source, shown = file.read_text(encoding="utf-8"), str(file.relative_to(ROOT))
    mutants = chosen(source, given.count, given.seed)
    if given.lines:
        first, last = map(int, given.lines.split("-"))
        mutants = [mutant for mutant in places(source) if first <= mutant.line <= last]
    verdicts: Counter[str] = Counter()
    tests = shlex.split(given.tests) if given.tests else tests_of(given.game)
    for mutant, verdict, by in run(given.game, mutants, tests, games=given.games, cores=given.cores):
        verdicts[verdict] += 1
        if verdict == SURVIVED or given.verbose:
            print(f"{verdict}: {mutant.diff(source, shown)}{f'  ({by})' if by else ''}", flush=True)
    counted = verdicts[CAUGHT] + verdicts[SURVIVED]
    share = 100 * verdicts[CAUGHT] / counted if counted else 100
    print(
        f"{given.game}: {verdicts[CAUGHT]} of {counted} mutants caught ({share:.1f} %); "
        f"{verdicts[EQUIVALENT]} more played {given.games} games alike",
        flush=True,
    )
    return 0 if share >= given.least else 1


if __name__ == "__main__":
    sys.exit(main())
