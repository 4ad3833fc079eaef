"""What the documents say is true: their examples run, and everything there is is in them."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import motherlode
from motherlode import bots, cli
from motherlode.games import GAMES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = README + "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "docs/variants.md"])
def test_the_examples_run(name: str) -> None:
    outcome = doctest.testfile(
        str(ROOT / name), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert outcome.attempted > 5 and outcome.failed == 0


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))])
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{path.name} points at {target}"


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
    """The benchmark's tables are in the README and the laboratory's page, with every game."""
    table = README.partition("<!-- bench -->")[2].partition("<!-- /bench -->")[0]
    for name in GAMES:
        assert f"| {name} |" in table
    assert "OpenSpiel" in table


@pytest.mark.parametrize("path", [*sorted(ROOT.glob("*.lock")), ROOT / "pyproject.toml"], ids=lambda path: path.name)
def test_no_address_in_lock_files(path: Path) -> None:
    assert not re.search(r"https?://|index-url|find-links", path.read_text(encoding="utf-8"))
