"""What the documents say is true: their examples run, and everything there is is in them."""

import doctest
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import pytest
from support import example_game

import motherlode
from motherlode import bots, cli
from motherlode.games import GAMES, PATHS
from motherlode.lab import bench_envs, cuda, strength

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = README + "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FOLDERS = ("docs", "examples", "motherlode", "tests", "web")
BUILT = {"node_modules", ".venv", "dist", "build"}
DOCUMENTS = sorted(
    path.relative_to(ROOT)
    for path in [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
    if not BUILT & set(path.relative_to(ROOT).parts)
)
WIDEST = 120
BATCHES = ROOT / "tests" / "h200_batches.json"


@pytest.fixture
def written_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The game that docs/your-own-game.md writes, put together from its own pieces, in the current folder."""
    shutil.copytree(example_game.FOLDER, tmp_path / example_game.NAME)
    (tmp_path / example_game.NAME / "rules.py").write_text("\n\n\n".join(pieces("python")) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(PATHS, "")
    yield
    GAMES.pop(example_game.NAME, None)


def pieces(language: str) -> list[str]:
    """The pieces of files in docs/your-own-game.md; those with a prompt are examples instead."""
    written = (ROOT / "docs" / "your-own-game.md").read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)\n```$", written, re.MULTILINE | re.DOTALL)
    return [piece for piece in found if not piece.startswith(">>>")]


QUOTED = (("markdown", "night_coach/sheet.md"), ("json", "night_coach/told.en.json"), ("toml", "pyproject.toml"))


def test_your_own_game_is_the_example() -> None:
    """The pieces of code together are the example's rules, line by line; what else is quoted is in its files."""
    rules = (example_game.FOLDER / "rules.py").read_text(encoding="utf-8")
    assert all(f"{piece}\n" in rules for piece in pieces("python"))
    assert "\n".join(pieces("python")).split() == rules.split()
    for language, path in QUOTED:
        file = (example_game.PACKAGE / path).read_text(encoding="utf-8")
        assert pieces(language) and all(f"{piece}\n" in file for piece in pieces(language))


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "docs/variants.md", "docs/your-own-game.md"])
@pytest.mark.usefixtures("written_game")
def test_the_examples_run(name: str) -> None:
    outcome = doctest.testfile(
        str(ROOT / name), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert outcome.attempted > 5 and outcome.failed == 0


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / path).read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert (ROOT / path.parent / target).exists(), f"{path} points at {target}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_lines_are_short(path: Path) -> None:
    """Tables may be wider, and a word that cannot be broken."""
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
        is_table = line.startswith("|")
        is_one_word = " " not in line.strip(" -*>")
        assert len(line) <= WIDEST or is_table or is_one_word, f"{path}:{number} has {len(line)} characters"


def test_the_map_names_what_there_is() -> None:
    listed = re.findall(r"^(\S+)  ", ARCHITECTURE.partition("```\n")[2].partition("```")[0], re.MULTILINE)
    assert "motherlode/server/" in listed
    for name in listed:
        assert (ROOT / name).exists(), name
        assert not name.endswith("/") or (ROOT / name).is_dir(), name


def test_the_architecture_names_what_there_is() -> None:
    """`path/file.py` is a file; `server.parlour.Parlour` is in the package; `TableConnection.act` is in the pages."""
    prose = re.sub(r"```.*?```", "", ARCHITECTURE, flags=re.DOTALL)
    named = set(re.findall(r"`([^`\n]+)`", prose))
    files = {name for name in named if re.fullmatch(r"[\w./-]+/[\w.-]+\.\w+", name)}
    members = {name for name in named if re.fullmatch(r"[a-z_]+(\.\w+)+", name)} - files
    in_pages = {name for name in named if re.fullmatch(r"[A-Z]\w+\.\w+", name)}
    assert len(files) > 5 and len(members) > 30 and in_pages
    for name in files:
        assert (ROOT / name).is_file(), name
    for name in members:
        assert resolve_name(f"motherlode.{name}") is not None
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "web" / "src").rglob("*.ts")]
    for name in in_pages:
        kind, member = name.split(".")
        found = re.compile(rf"class {kind} .*^  {member}\(", re.DOTALL | re.MULTILINE)
        assert any(found.search(page) for page in pages), name


def test_every_game_is_in_the_table_with_its_seats_and_credit() -> None:
    rows = {row.split("`")[1]: row for row in README.splitlines() if row.startswith("| `")}
    assert set(rows) == set(GAMES)
    for game in GAMES.values():
        seats = f"{game.SEATS[0]}-{game.SEATS[-1]}" if len(game.SEATS) > 1 else str(game.SEATS[0])
        assert f"`{game.NAME}` {game.TITLE} | {seats} |" in rows[game.NAME]
        assert game.CREDIT.split(",")[-1].strip() in rows[game.NAME]


def test_every_command_is_documented() -> None:
    registered = cli.app.registered_commands
    commands = [command.name or command.callback.__name__ for command in registered if command.callback]
    assert "play" in commands
    for name in commands:
        assert f"motherlode {name}" in DOCS, f"motherlode {name} is in no document"


def test_every_bot_and_public_name_is_documented() -> None:
    for name in bots.BOTS:
        assert f'"{name}' in DOCS
    for name in motherlode.__all__:
        assert name in DOCS


def test_every_verb_is_documented() -> None:
    usage = subprocess.run([sys.executable, str(ROOT / "dev.py"), "--help"], capture_output=True, text=True, check=True)
    verbs = re.findall(r"^  (\w+)", usage.stdout, re.MULTILINE)
    assert {"play", "test", "check", "fix", "bench", "soak"} <= set(verbs)
    for verb in verbs:
        assert verb in README


def test_an_unknown_verb_is_refused_with_the_verbs() -> None:
    for arguments, said in ((["dance"], "there is no verb 'dance'"), ([], "name a verb")):
        ran = subprocess.run(
            [sys.executable, str(ROOT / "dev.py"), *arguments], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 2 and said in ran.stderr and "play" in ran.stderr


def test_the_figures_are_there() -> None:
    """The tables of the benchmark are in docs/speed.md, with every game; those of the GPU are of the recorded run."""
    speed = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    table = speed.partition("<!-- games -->")[2].partition("<!-- /games -->")[0]
    for name in GAMES:
        assert f"| {name} |" in table
    assert "OpenSpiel" in table
    recorded = json.loads((ROOT / "tests" / "h200.json").read_text(encoding="utf-8"))
    assert f"<!-- gpu -->\n{cuda.table(recorded)}\n<!-- /gpu -->" in speed
    learners = speed.partition("<!-- envs -->")[2].partition("<!-- /envs -->")[0]
    for library in ("pgx", "pettingzoo", "openspiel", "gymnasium", *(f"motherlode | {name}" for name in GAMES)):
        assert f"\n| {library} | " in learners, library
    written = bench_envs.recorded_table(json.loads(BATCHES.read_text(encoding="utf-8")))
    assert f"<!-- batches -->\n{written}\n<!-- /batches -->" in speed
    assert "| compiled |" not in README


def test_the_tables_of_exploitability_are_of_what_was_kept() -> None:
    """Of both reduced games and the example, with a lower bound called one."""
    written = (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
    rows = strength.read(ROOT / "docs" / "strength.json")
    assert f"<!-- exact -->\n{strength.exact_table(rows)}\n<!-- /exact -->" in written
    assert f"<!-- bounds -->\n{strength.bounds_table(rows)}\n<!-- /bounds -->" in written
    assert "lower bound" in strength.bounds_table(rows)
    reduced = {f"{path.parent.name}~reduced" for path in (ROOT / "motherlode" / "games").glob("*/reduced.toml")}
    assert {example_game.NAME, *reduced} <= {row["game"] for row in rows if row["kind"] != "lower bound"}
    assert all(row["command"].startswith("motherlode exploit ") for row in rows)


def test_the_picture_comes_before_any_table() -> None:
    picture, table = README.find("!["), README.find("\n|")
    assert 0 < picture < table
    assert picture < README.find("```"), "the picture is on the first screen"


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation and f"\nlicense: {project['license']}\n" in citation
    changes = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert project["version"] in changes


@pytest.mark.parametrize("path", [*sorted(ROOT.glob("*.lock")), ROOT / "pyproject.toml"], ids=lambda path: path.name)
def test_no_address_in_lock_files(path: Path) -> None:
    assert not re.search(r"https?://|index-url|find-links", path.read_text(encoding="utf-8"))
