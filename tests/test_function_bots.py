"""Bots in Python, named as py:module:function: they play wherever bots are named, and fail with all that helps."""

import json
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import Run

from motherlode import GAMES, Refusal, Table, bots, text
from motherlode.bots import BotSpec, memory
from motherlode.bots.function import FunctionFailed
from motherlode.game import Game, new_rng
from motherlode.lab.match import match
from motherlode.lab.simulate import simulate
from motherlode.table import Ask

ROOT = Path(__file__).parent.parent
EXAMPLE = "py:highest_card:choose"
FIRST = "def choose(ask, rng):\n    return ask.legal[0]\n"
GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
Write = Callable[[str], str]
numbers = count()


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Afterwards nothing that was imported is left."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith(("my_bot_", "highest_card")):
            del sys.modules[name]


@pytest.fixture
def write(clean: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a module into the current folder; the name of its function `choose` as a bot."""
    monkeypatch.chdir(tmp_path)

    def name_of(source: str) -> str:
        module = f"my_bot_{next(numbers)}"
        (tmp_path / f"{module}.py").write_text(source, "utf-8")
        return f"py:{module}:choose"

    return name_of


@pytest.fixture
def in_examples(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")


def untimed(answer: Any) -> Any:
    return json.loads(json.dumps(answer), object_hook=lambda part: {k: v for k, v in part.items() if "second" not in k})


@GAME
@pytest.mark.usefixtures("in_examples")
def test_the_example_plays_every_game(game: Game) -> None:
    for seats in game.SEATS:
        table = Table(game, seats, seed=3)
        table.play(*[bots.make(EXAMPLE, game)] * seats, actions=30)


@pytest.mark.usefixtures("in_examples")
def test_the_example_is_better_than_chance_on_any_number_of_cores() -> None:
    players, options = [EXAMPLE, "random"], {"target": 0}
    one, two = (match(GAMES["goldmine"], players, games=100, options=options, cores=n) for n in (1, 2))
    assert untimed(one) == untimed(two) and one["players"][0]["win_share"] > 0.55
    one, two = (simulate(GAMES["goldmine"], players=players, games=60, options=options, cores=n) for n in (1, 2))
    assert untimed(one) == untimed(two) and one["win_share"][0] > 0.5


def test_the_documents_show_the_example() -> None:
    source = (ROOT / "examples" / "highest_card.py").read_text("utf-8")
    assert f"```python\n{source}```" in (ROOT / "docs" / "bots.md").read_text("utf-8")


def test_it_is_found_in_the_current_folder_by_every_command(run: Run, write: Write, tmp_path: Path) -> None:
    name = write(FIRST)
    played = json.loads(run("match", "goldmine", "--bots", f"{name},random", "--games", 2, "--json").out)
    assert played["players"][0]["bot"] == name
    assert json.loads(run("simulate", "goldmine", "--bots", f"{name},{name}", "--games", 2, "--json").out)["games"] == 2
    ran = run("play", "goldmine", "--players", f"{name},random", "--seed", 1, "--save", tmp_path / "record.txt")
    assert ran.status == 0 and ran.err == ""
    table, random = Table("goldmine", seed=1), bots.make("random")
    table.play(lambda ask, rng: ask.legal[0], random)
    assert Table.load(tmp_path / "record.txt").log == table.log


# Additions and memory


def test_additions_come_before_the_function(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only one action is legal, exact endings ask nobody else, and need no solver."""
    monkeypatch.setattr(bots.exact, "ending_of", lambda game: None)
    source = "def choose(ask, rng):\n    assert len(ask.legal) > 1\n    return ask.legal[0]\n"
    name = write(source)
    for game in (None, GAMES["goldmine"]):
        Table("goldmine", seed=2).play(*[bots.make(f"{name}+exact", game)] * 2)
    with pytest.raises(FunctionFailed, match="AssertionError"):
        Table("goldmine", seed=2).play(*[bots.make(name)] * 2)


def test_a_function_with_a_memory_is_given_what_it_remembers(write: Write) -> None:
    name = write("seen = []\n\n\ndef choose(ask, rng):\n    seen.append(bytes(ask.view))\n    return ask.legal[0]\n")
    table = Table("mount_goldrush", seed=2)
    table.play(*[bots.make("random")] * table.seats, actions=30)
    ask = table.ask()
    assert bots.make(f"{name}@0")(ask, new_rng(1)) == bots.make(name)(ask, new_rng(1)) == ask.legal[0]
    seen = sys.modules[name.split(":")[1]].seen
    assert seen == [bytes(memory.remembered_view(ask, 0)), bytes(ask.view)] and seen[0] != seen[1]


@GAME
def test_a_function_decides_everything_itself(game: Game, write: Write) -> None:
    """Also where any plan would be a tell, and our own bots draw lots."""
    table, first = Table(game, seed=4), write(FIRST)
    table.play(*[bots.make(first)] * table.seats, actions=60)
    decisions = [(s, a) for s, a in zip(table.positions, table.log, strict=False) if s.turn >= 0]
    again = Table(game, seed=4)
    again.play(*[lambda ask, rng: ask.legal[0]] * again.seats, actions=60)
    assert again.log == table.log and decisions


@GAME
def test_what_a_function_does_with_its_question_changes_no_table(game: Game, write: Write) -> None:
    wreck = write(
        "import ctypes\n\n\ndef choose(ask, rng):\n    a = ask.legal[0]\n    ask.legal.clear()\n    ask.log.clear()\n"
        "    ctypes.memset(ctypes.addressof(ask.view), 0, ctypes.sizeof(ask.view))\n    return a\n"
    )
    tables = []
    for name in (write(FIRST), wreck):
        table = Table(game, seed=4)
        table.play(*[bots.make(name)] * table.seats, actions=40)
        tables.append([table.log, *(table.told(seat) for seat in range(table.seats)), bytes(table.position)])
    assert tables[0] == tables[1]


# What fails


FAILING = "def choose(ask, rng):\n    if len(ask.log) > 20:\n        return 1 // 0  # here\n    return ask.legal[0]\n"


def failure(ask: Ask, name: str) -> FunctionFailed:
    with pytest.raises(FunctionFailed) as failed:
        bots.make(name)(ask, new_rng(1))
    return failed.value


@GAME
def test_an_exception_names_bot_position_and_legal_actions_and_has_its_traceback(game: Game, write: Write) -> None:
    name = write("def choose(ask, rng):\n    ask.legal.clear()\n    return {}['x']  # here\n")
    ask = Table(game, seed=1).ask()
    failed = failure(ask, name)
    at = f"in seat {ask.seat} of {game.NAME} at action {len(ask.log)}"
    assert str(failed).startswith(f"{name} failed {at}: KeyError: 'x'; its view: ")
    assert text.write_position(game, ask.view) in str(failed) and "\n" not in str(failed)
    for a in ask.legal[:24]:
        assert f"{a} {text.name(game, ask.view, a)!r}" in str(failed)
    assert ("more" in str(failed)) == (len(ask.legal) > 24)
    assert "return {}['x']  # here" in failed.trace and "motherlode/bots" not in failed.trace
    assert isinstance(failed.__cause__, KeyError)


@pytest.mark.parametrize(
    "answer", ["None", "'look 0'", "True", "999", "-1", "0.0", "[0]", "{}", "exit(3)", "10**9999", "rng"]
)
def test_an_answer_that_is_no_legal_action_ends_the_run(answer: str, write: Write) -> None:
    ask = Table("goldmine", seed=7, target=0).ask()
    assert {0, 1} < set(ask.legal)
    failed = failure(ask, write(f"def choose(ask, rng):\n    return {answer}\n"))
    assert " in seat " in str(failed) and "legal: " in str(failed) and len(str(failed)) < 2000


@pytest.mark.parametrize("answer", [np.int64, np.uint8, np.array], ids=["int64", "uint8", "array"])
def test_every_kind_of_integer_is_an_answer(answer: Callable[[int], Any], write: Write) -> None:
    name = write("def choose(ask, rng):\n    return kind(ask.legal[0])\n")
    bot = bots.make(name)
    sys.modules[name.split(":")[1]].kind = answer  # type: ignore[attr-defined]
    ask = Table("goldmine", seed=1).ask()
    found = bot(ask, new_rng(1))
    assert found == ask.legal[0] and type(found) is int


@pytest.mark.parametrize("cores", [1, 2])
def test_a_failure_ends_a_match_and_a_simulation(cores: int, write: Write) -> None:
    """It comes whole from another process, and what other bots do then does not matter."""
    players = [write(FAILING), "random"]
    said = r"failed in seat . of goldmine at action .*ZeroDivisionError"
    with pytest.raises(FunctionFailed, match=said) as in_match:
        match(GAMES["goldmine"], players, games=8, cores=cores)
    with pytest.raises(FunctionFailed, match=said) as in_simulation:
        simulate(GAMES["goldmine"], players=players, games=8, cores=cores)
    assert "return 1 // 0  # here" in in_match.value.trace and "# here" in in_simulation.value.trace


def test_the_command_line_prints_the_traceback_and_a_sentence(run: Run, write: Write, tmp_path: Path) -> None:
    name = write(FAILING)
    for line in (f"match goldmine --bots {name},random", f"play goldmine --players {name},random --save r.txt"):
        ran = run(*line.split())
        *trace, sentence = ran.err.splitlines()
        assert ran.status == 2 and trace[0].startswith("Traceback") and any("# here" in part for part in trace)
        assert sentence.startswith(f"motherlode: {name} failed in seat") and "legal: " in sentence
    assert "to continue: motherlode play goldmine --record r.txt" in ran.out
    assert len(Table.load(tmp_path / "r.txt").log) > 20


# What is no function


def test_wrong_names_are_refused(write: Write, tmp_path: Path) -> None:
    module = write("import collections.abc\nnumber = 3\n\n\nclass Player:\n    pass\n").split(":")[1]
    folder = tmp_path / "my_bot_folder"
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    for name, said in {
        "py:": "written py:MODULE:FUNCTION, as in py:my_bot:choose, not 'py:'",
        "py:my_bot": "not 'py:my_bot'",
        "py:./my_bot.py:choose": "is written py:MODULE:FUNCTION",
        "py:my_bot:a:b": "is written py:MODULE:FUNCTION",
        "py:my bot:choose": "is written py:MODULE:FUNCTION",
        "py:..my_bot:choose": "is written py:MODULE:FUNCTION",
        "py:my_bot_none:choose": "there is no module 'my_bot_none', in the current folder or installed",
        "py:my_bot_folder.none:choose": "there is no module 'my_bot_folder.none'",
        f"py:{module}.none:choose": f"there is no module '{module}.none'",
        f"py:{module}:choose": f"the module {module} ({tmp_path / module}.py) has no 'choose'",
        f"py:{module}:number": "is no function; a bot is called with (ask, rng)",
        f"py:{module}:Player": "is a class: name an instance of it",
        f"py:{module}:number+luck": "not '+luck'",
        f"py:{module}:number@200": "a recall is a number",
        "py:math:choose": "the module math",
    }.items():
        for game in (None, GAMES["goldmine"]):
            with pytest.raises(Refusal) as refused:
                bots.make(name, game)
            assert said in str(refused.value), name


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import my_bot_no_such_thing", "ModuleNotFoundError: No module named 'my_bot_no_such_thing'"),
        ("from math import nonsense", "ImportError: cannot import name 'nonsense'"),
        ("1 // 0", "ZeroDivisionError: integer division or modulo by zero"),
        ("def choose(:", "SyntaxError: invalid syntax"),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(source: str, said: str, write: Write, run: Run) -> None:
    name = write(source)
    for bot in (name, f"{name}+exact"):
        with pytest.raises(FunctionFailed, match=f"importing {name.split(':')[1]} failed: ") as failed:
            bots.make(bot)
        assert said in str(failed.value) and source in failed.value.trace and "importlib" not in failed.value.trace
    ran = run("match", "goldmine", "--bots", f"{name},random")
    assert ran.status == 2 and source in ran.err and said in ran.err.splitlines()[-1]


# Strangers


def test_no_name_is_imported_before_a_bot_is_made_of_it(write: Write) -> None:
    """A server reads names that strangers wrote, to refuse them."""
    name = write("raise AssertionError")
    for spelled in (name, f"{name}+exact", f"{name}@90"):
        spec = BotSpec.parse(spelled, GAMES["goldmine"])
        assert spec.kind == "function" and str(spec) == spelled
        assert spec.compiled_parts(GAMES["goldmine"]) == ([bots.exact] if "+exact" in spelled else [])
        with pytest.raises(Refusal, match="a bot in Python takes a seat as a guest, over the API"):
            spec.check_for_server(2000)
    assert name.split(":")[1] not in sys.modules
