"""A game owns everything about itself: no other code names one. And imports point one way."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from motherlode.game import SHOWN
from motherlode.games import GAMES

ROOT = Path(__file__).parent.parent
PACKAGE, PAGES = ROOT / "motherlode", ROOT / "web" / "src"
GENERATED = {PAGES / "wire.ts"}
COMMENT = re.compile(r"/\*.*?\*/|<!--.*?-->|(?<![:\"'`])//[^\n]*", re.DOTALL)


def own_folders(folder: Path) -> set[Path]:
    return {folder / "games" / name for name in GAMES}


def sources(folder: Path, *kinds: str) -> list[Path]:
    """The files that belong to no game."""
    found = [path for kind in kinds for path in folder.rglob(f"*.{kind}")]
    return sorted(path for path in found if path not in GENERATED and not own_folders(folder) & set(path.parents))


def squeezed(word: str) -> str:
    """A word in the one spelling that GOLD_HUNTING, GoldHunting, gold_hunting and Gold Hunting share."""
    return re.sub(r"[^a-z]", "", word.lower())


NAMES = {squeezed(word) for game in GAMES.values() for word in (game.NAME, game.TITLE)}


def python_words(source: str) -> Iterator[str]:
    """Names and strings of Python code; docstrings and comments may give examples."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value
        if isinstance(node, ast.Name):
            yield node.id
        if isinstance(node, ast.Attribute):
            yield node.attr
        if isinstance(node, ast.alias):
            yield node.name
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""


def named(words: Iterator[str] | list[str]) -> set[str]:
    return {name for word in words for name in NAMES if name in squeezed(word)}


def test_a_name_is_found_in_code_and_not_in_examples() -> None:
    assert named(python_words("from motherlode.games.goldmine import rules\nif 'gold_hunting' in s: pass")) == {
        "goldmine",
        "goldhunting",
    }
    assert not named(python_words('"""As in `Table("goldmine")`."""\nx = 1  # goldmine'))
    assert named([COMMENT.sub("", 'import "./games/china_gold/map"; // claimpoker')]) == {"chinagold"}


MODULES = [path for path in sources(PACKAGE, "py") if path.parent.parent.name != "migrations"]  # those are history


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_names_a_game(path: Path) -> None:
    assert not named(python_words(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sources(PAGES, "ts", "svelte", "css", "json"), ids=lambda path: str(path.name))
def test_no_page_names_a_game(path: Path) -> None:
    assert not named(COMMENT.sub("", path.read_text(encoding="utf-8")).splitlines())


NEVER_IMPORTS = {"bots": {"lab", "server"}, "lab": {"server"}, "server": {"lab"}, "games": {"lab", "server"}}


@pytest.mark.parametrize(("folder", "never"), NEVER_IMPORTS.items(), ids=NEVER_IMPORTS)
def test_imports_point_one_way(folder: str, never: set[str]) -> None:
    for path in (PACKAGE / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                imported = {f"{node.module}.{alias.name}" for alias in node.names}
            else:
                imported = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            for name in imported:
                assert not (name.startswith("motherlode.") and name.split(".")[1] in never), f"{path} imports {name}"


OURS = re.compile(r"^(?:from|import) (motherlode\S*|\.\S*)", re.MULTILINE)
RULES_IMPORT = {
    "rules.py": {"motherlode.data", "motherlode.game"},
    "events.py": {"motherlode.game", ".rules"},
    "showing.py": {"motherlode.game", ".rules", ".events"},
}


@pytest.mark.parametrize(("file", "may"), RULES_IMPORT.items(), ids=RULES_IMPORT)
def test_rules_import_only_the_contract_and_the_data_and_what_shows_them_the_rules(file: str, may: set[str]) -> None:
    for path in (PACKAGE / "games" / name / file for name in GAMES):
        imported = set(OURS.findall(path.read_text(encoding="utf-8")))
        assert imported and imported <= may


def test_what_tells_people_about_a_game_is_not_among_its_rules() -> None:
    for name, game in GAMES.items():
        tells = {member: vars(game)[member] for member in SHOWN if member in vars(game)}
        told_by = vars(import_module(f"motherlode.games.{name}.showing"))
        assert tells and tells == {member: told_by.get(member) for member in tells}
        own = [item for item in told_by.values() if getattr(item, "__module__", "") == told_by["__name__"]]
        assert own and not any(hasattr(item, "is_rule") for item in own)
