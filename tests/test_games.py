"""Games from outside the package: files, folders, and what is wrong with them."""

import os
import pickle
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from motherlode import Table, bots, contract, engine, games, sheet
from motherlode.engine import Refusal

# A game with nothing optional: take one or two matches; whoever takes the last one wins.
MATCHES = """
from motherlode.game import OVER, Actions, Arg, Field, Kind, rule

NAME, TITLE, CREDIT, RULES, SEATS, LENGTH = "matches", "Matches", "nobody", 1, (2,), 12
FIELDS = (
    Field("turn", OVER, 1, 0, "who is to act"),
    Field("seats", 2, 2, 0, "number of players"),
    Field("shown", 0, 0, 1, "nothing is turned up"),
    Field("left", 0, 12, 0, "matches left"),
    Field("last", 0, 1, 0, "who took the last one"),
)
ACTIONS = Actions(Kind("take", (Arg("number", ("1", "2")),), "MA-1.1"))


@rule
def start(s, seats):
    s.seats, s.left = seats, 12


@rule
def legal(s, bits):
    bits[0] = 0b11 if s.left >= 2 else 0b01
    return 2 if s.left >= 2 else 1


@rule
def apply(s, a):
    s.left -= a + 1
    s.last = s.turn
    s.turn = OVER if s.left == 0 else 1 - s.turn


@rule
def score(s, out):
    out[0], out[1] = (1, 0) if s.last == 0 else (0, 1)


@rule
def winners(s):
    return 1 << s.last
"""


@pytest.fixture
def matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The game as a file. Whatever a test loads is forgotten after it."""
    monkeypatch.setattr(games, "GAMES", dict(games.GAMES))
    monkeypatch.setenv(games.PATHS, "")
    file = tmp_path / "matches.py"
    file.write_text(MATCHES, encoding="utf-8")
    return file


def test_a_file_is_a_game(matches: Path) -> None:
    """With the defaults of everything it does not bring."""
    game = games.load(str(matches))
    contract.check(game)
    assert game is games.load("matches") is games.find("matches") is games.load(str(matches))
    table = Table(game, seed=1)
    table.play(bots.make("greedy"), bots.make("search:50", plain=True))
    assert table.is_over and sum(table.points) == 1
    assert "matches left: 12" in Table(game).show(0)
    assert sheet.read(game) == "# Matches\n\nThis game has no rule sheet.\n"
    with pytest.raises(Refusal, match=r"no clause MA-1\.1; Matches has no rule sheet"):
        sheet.clause(game, "MA-1.1")


def test_a_folder_is_a_game_with_its_sheet_and_other_parts(matches: Path) -> None:
    folder = matches.parent / "matches"
    folder.mkdir()
    rules = MATCHES.replace("12", "MOST")
    (folder / "rules.py").write_text(f"from .numbers import MOST\n{rules}", encoding="utf-8")
    (folder / "numbers.py").write_text("MOST = 12\n", encoding="utf-8")
    (folder / "ending.py").write_text("from . import rules\n", encoding="utf-8")
    (folder / "sheet.md").write_text("# Matches\n- MA-1.1 Take one or two. [P]\n", encoding="utf-8")
    game = games.load(str(folder))
    assert sheet.clause(game, "1.1") == sheet.clause(game, "1.1", "fr") == "MA-1.1  Take one or two."
    ending = games.part(game, "ending")
    assert ending is not None and ending.rules is game
    assert games.part(game, "lesson") is None
    with pytest.raises(Refusal, match="is a game named 'matches', and so is"):
        games.load(str(matches))


SHOWING = """
from .rules import TITLE
FACTS = {"title": TITLE}
HEAD = "on the table"
def show(s):
    return f"{TITLE}: {s.left} {HEAD}"
"""


@pytest.fixture
def shown_matches(matches: Path) -> Path:
    """The game as a folder with a module of its own that shows it."""
    folder = matches.parent / "matches"
    folder.mkdir()
    matches.rename(folder / "rules.py")
    (folder / "showing.py").write_text(SHOWING, encoding="utf-8")
    return folder


def test_a_folder_may_show_its_game_in_a_module_of_its_own(shown_matches: Path) -> None:
    """What it does not define has its default or is in the rules; its other names are its own."""
    rules = shown_matches / "rules.py"
    rules.write_text(MATCHES + 'def sums(s):\n    return [("seats", s.seats, 2)]\n', encoding="utf-8")
    game = games.load(str(shown_matches))
    contract.check(game)
    s = engine.start(game)
    assert game.show(s) == "Matches: 12 on the table" and game.FACTS == {"title": "Matches"} and game.INKS == {}
    assert game.sums(s) == [("seats", 2, 2)] and not hasattr(game, "HEAD")
    assert pickle.loads(pickle.dumps(game)) is game
    games.GAMES.clear()
    assert games.load(str(shown_matches)) is game  # adopted again


@pytest.mark.parametrize("written", ["", "\n", "# Matches\n## \n##  \n\n- \n"])
def test_a_sheet_without_clauses_is_no_fault(shown_matches: Path, written: str) -> None:
    (shown_matches / "sheet.md").write_text(written, "utf-8")
    game = games.load(str(shown_matches))
    assert "MA-1.1" not in sheet.plain_clauses(game) and sheet.read(game) == written


def test_what_a_game_has_twice_is_refused(shown_matches: Path) -> None:
    rules = shown_matches / "rules.py"
    rules.write_text(MATCHES + 'FACTS = {}\ndef show(s):\n    return ""\n', encoding="utf-8")
    with pytest.raises(Refusal, match=r"rules\.py and showing\.py both have show, FACTS: keep each in one of them"):
        games.load(str(shown_matches))
    assert "matches" not in games.GAMES


@pytest.mark.parametrize(
    ("source", "said"),
    [("def (\n", "SyntaxError"), ("from .rules import NOWHERE\n", "ImportError: cannot import name 'NOWHERE'")],
)
def test_a_game_whose_showing_fails_is_refused(shown_matches: Path, source: str, said: str) -> None:
    (shown_matches / "showing.py").write_text(source, encoding="utf-8")
    with pytest.raises(Refusal, match=rf"showing.py of {shown_matches}/rules.py cannot be loaded: {said}"):
        games.load(str(shown_matches))
    assert "matches" not in games.GAMES


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{", "told.en.json cannot be read: "),
        ("\udcff", "told.en.json cannot be read: "),
        ("[]", "told.en.json holds no sentences"),
        ('{"event.end": 5}', "told.en.json: event.end is a sentence, or"),
        ('{"event.end": {"one": "it ends"}}', "told.en.json: event.end is a sentence, or"),
    ],
)
def test_a_game_with_broken_sentences_is_refused(shown_matches: Path, written: str, said: str) -> None:
    file = shown_matches / "told.en.json"
    file.write_bytes(written.encode("utf-8", "surrogateescape"))
    with pytest.raises(Refusal, match=said):
        games.load(str(shown_matches))
    file.write_text('{"event.end": "it ends"}', "utf-8")
    assert games.load(str(shown_matches)).NAME == "matches"


def test_a_game_that_is_one_file_has_no_neighbours(matches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither as a file nor as a module of a package that has more in it."""
    package = matches.parent / "more_in_it"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "showing.py").write_text("raise AssertionError\n", encoding="utf-8")
    file = matches.rename(package / "matches.py")
    assert "matches left: 12" in Table(games.load(str(file))).show(0)
    del games.GAMES["matches"]
    monkeypatch.syspath_prepend(str(matches.parent))
    game = games.load_offer(offer(matches.parent, "matches", "more_in_it.matches"))
    assert "matches left: 12" in Table(game).show(0)


def test_other_processes_find_it(matches: Path) -> None:
    games.load(str(matches))
    assert os.environ[games.PATHS] == str(matches)
    program = "from motherlode import GAMES; print(GAMES['matches'].TITLE)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == (
        "Matches\n"
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("NAME = 'x'\n", "is not a game: it has no TITLE, CREDIT"),
        ("def (\n", "cannot be loaded: SyntaxError"),
        ("import nowhere_to_be_found\n", "cannot be loaded: ModuleNotFoundError: No module named 'nowhere"),
        (MATCHES.replace('"matches"', '"goldmine"'), "is a game named 'goldmine', and so is"),
        (MATCHES.replace('"shown"', '"seen"'), "FIELDS begin with turn and seats, and one of them is shown"),
        (MATCHES.replace('"turn"', '"who"'), "FIELDS begin with turn and seats, and one of them is shown"),
    ],
)
def test_what_is_not_a_game_is_refused(matches: Path, source: str, said: str) -> None:
    matches.write_text(source, encoding="utf-8")
    before = dict(games.GAMES)
    with pytest.raises(Refusal, match=said):
        games.load(str(matches))
    assert before == games.GAMES


def test_what_is_not_there_is_refused(matches: Path) -> None:
    with pytest.raises(Refusal, match="does not exist; a game is a folder with"):
        games.load(str(matches.with_name("other.py")))
    with pytest.raises(Refusal, match="there is no game 'other'; the games are: blue_creek"):
        games.load("other")


def test_the_folder_around_a_game_is_refused_with_advice(matches: Path) -> None:
    package = matches.parent / "package" / "matches"
    package.mkdir(parents=True)
    matches.rename(package / "rules.py")
    with pytest.raises(Refusal, match=f"rules.py does not exist; did you mean {package}"):
        games.load(str(package.parent))


def offer(folder: Path, name: str, value: str) -> EntryPoint:
    """An entry point of a package that is installed in this folder."""
    installed = folder / "some_package-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: some-package\nVersion: 1.0\n", "utf-8")
    (installed / "entry_points.txt").write_text(f"[{games.GROUP}]\n{name} = {value}\n", "utf-8")
    return EntryPoint(name, value, games.GROUP)


def test_a_package_may_offer_a_game_under_any_name(matches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found by its own name, also when it is unpickled, and its file is the same game."""
    monkeypatch.syspath_prepend(str(matches.parent))
    game = games.load_offer(offer(matches.parent, "the best game", "matches"))
    assert game.__name__ == "matches" and games.find("matches") is game
    assert pickle.loads(pickle.dumps(game)) is game
    assert games.load(str(matches)) is game
    del sys.modules["matches"]


def test_what_cannot_be_loaded_does_not_stop_the_others(matches: Path) -> None:
    """Neither a package nor a path; the command line says what is wrong with them."""
    offer(matches.parent, "lost", "not_there.rules")
    missing = matches.with_name("missing.py")
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(matches.parent)])
    env = {**os.environ, "PYTHONPATH": path, games.PATHS: os.pathsep.join([str(missing), str(matches)])}
    command = [sys.executable, "-m", "motherlode.cli"]
    ran = subprocess.run([*command, "rules", "matches"], env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and ran.stdout.startswith("# Matches")
    assert "a game is left out: not_there.rules cannot be loaded: ModuleNotFoundError" in ran.stderr
    assert f"a game is left out: {missing} does not exist" in ran.stderr


def test_a_stranger_cannot_have_a_file_loaded(matches: Path) -> None:
    with pytest.raises(Refusal, match="there is no game"):
        games.find(str(matches))


def test_a_game_without_options_takes_none(matches: Path) -> None:
    with pytest.raises(Refusal, match="Matches has no option 'target'; it has: none"):
        engine.start(games.load(str(matches)), target=3)


CACHE = """
import sys
from motherlode import games
from motherlode.compiled import compiled
print(compiled(games.load(sys.argv[1])).simulate.stats.cache_path)
"""


TOGETHER = """
import sys
from motherlode import engine, games
from motherlode.compiled import compiled
from motherlode.lab.simulate import run_compiled
game = games.load(sys.argv[1])
print(flush=True)
input()
run_compiled(game, engine.start(game), 1, 1)
print(sum(compiled(game).simulate.stats.cache_misses.values()))
"""


def test_of_two_processes_one_compiles(matches: Path) -> None:
    """The other waits for it, and finds the loops in the cache."""
    env = {**os.environ, "XDG_CACHE_HOME": str(matches.parent / "cache")}
    command = [sys.executable, "-c", TOGETHER, str(matches)]
    both = [subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in "12"]
    for process in both:
        assert process.stdin and process.stdout and process.stdout.readline() == "\n"
    for process in both:
        assert process.stdin and process.stdin.write("go\n")
        process.stdin.flush()
    assert sorted(process.communicate()[0].strip() for process in both) == ["0", "1"]


def test_an_edited_rule_outside_the_package_is_never_played_from_the_cache(matches: Path) -> None:
    """Nor a constant that a rule takes from a neighbour: where its native code is kept is another place each time."""
    folder = matches.parent / "matches"
    folder.mkdir()
    rules, numbers = folder / "rules.py", folder / "numbers.py"
    rules.write_text("from .numbers import MOST\n" + MATCHES.replace("= seats, 12", "= seats, MOST"), "utf-8")
    numbers.write_text("MOST = 12\n", "utf-8")
    env = {**os.environ, "XDG_CACHE_HOME": str(matches.parent / "cache")}

    def cache() -> str:
        command = [sys.executable, "-c", CACHE, str(folder)]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    first = cache()
    assert str(matches.parent / "cache") in first and cache() == first
    rules.write_text(rules.read_text("utf-8").replace("s.last = s.turn", "s.last = 1 - s.turn"), "utf-8")
    edited = cache()
    assert edited != first
    numbers.write_text("MOST = 6\n", "utf-8")
    assert cache() not in (first, edited)
