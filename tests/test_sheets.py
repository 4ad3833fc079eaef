"""The rule sheets and what points at them."""

import re
from pathlib import Path

import pytest

from motherlode import sheet
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.games import GAMES

TESTS = Path(__file__).parent
PACKAGE = Path(sheet.__file__).parent
GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def names_of_tests(path: Path) -> set[str]:
    return set(re.findall(r"^def test_([a-z0-9_]+)\(", path.read_text(encoding="utf-8"), re.MULTILINE))


@GAME
def test_every_clause_has_a_test(game: Game) -> None:
    names = names_of_tests(TESTS / "games" / f"test_{game.NAME}.py")
    for clause in sheet.clauses(game):
        section, number = clause.partition("-")[2].split(".")
        assert any(name.startswith(f"{section}_{number}_") for name in names), f"{clause} has no test"


@GAME
def test_every_worked_position_has_a_test(game: Game) -> None:
    names = names_of_tests(TESTS / "games" / f"test_{game.NAME}.py")
    worked = sheet.read(game).partition("Worked positions")[2]
    numbers = re.findall(r"^(\d+)\. ", worked, re.MULTILINE)
    assert numbers
    for number in numbers:
        assert any(name.startswith(f"worked_{number}_") for name in names), f"worked position {number} has no test"


def test_every_clause_for_all_games_has_a_test() -> None:
    names = names_of_tests(TESTS / "games" / "test_all_games.py")
    for clause in sheet.clauses(sheet.COMMON):
        assert any(name.startswith(clause.lower().replace("-", "_") + "_") for name in names), f"{clause} has no test"


@GAME
def test_every_clause_the_code_names_exists(game: Game) -> None:
    prefix = next(iter(sheet.clauses(game))).partition("-")[0]
    known = set(sheet.clauses(game))
    files = [PACKAGE / "games" / game.NAME / name for name in ("rules.py", "showing.py")]
    code = "".join(file.read_text(encoding="utf-8") for file in files)
    tests = (TESTS / "games" / f"test_{game.NAME}.py").read_text(encoding="utf-8")
    named = set(re.findall(rf"\b{prefix}-\d+\.\d+", code + tests))
    assert named and named <= known, f"no such clause: {sorted(named - known)}"


@GAME
def test_the_options_are_those_of_the_sheet(game: Game) -> None:
    for option in game.OPTIONS:
        assert f"`{option.name}`" in sheet.read(game) or f"`{option.name}=" in sheet.read(game.NAME)
        assert option.clause in sheet.clauses(game)


def test_a_clause_is_found_by_its_short_name_and_joined() -> None:
    goldmine = GAMES["goldmine"]
    assert sheet.clause(goldmine, "3.2") == sheet.clause(goldmine, "gm-3.2")
    assert sheet.clause(goldmine, "3.2").endswith("Nobody passes. [P]")
    assert sheet.clause(goldmine, "ALL-8").startswith("ALL-8  A decision point")


def test_an_unknown_clause_is_refused() -> None:
    with pytest.raises(Refusal, match=r"there is no clause GM-9\.9; Goldmine has GM-1\.1"):
        sheet.clause(GAMES["goldmine"], "9.9")


@pytest.mark.parametrize("game", [*GAMES.values(), sheet.COMMON], ids=[*GAMES, "all"])
@pytest.mark.parametrize("language", [language for language in sheet.LANGUAGES if language != "en"])
def test_a_translation_says_the_same_clauses(game: Game | None, language: str) -> None:
    """The same clauses in the same order, each with the same tags, numbers, other clauses and words of the code."""
    english, other = sheet.clauses(game), sheet.clauses(game, language)
    assert list(english) == list(other)
    for clause, told in english.items():
        assert facts(told) == facts(other[clause]), clause


@GAME
@pytest.mark.parametrize("language", [language for language in sheet.LANGUAGES if language != "en"])
def test_a_translation_has_the_same_sections(game: Game, language: str) -> None:
    """Also what is not in clauses: decisions, options, knowledge, worked positions."""
    english, other = (re.split(r"^## ", sheet.read(game, tongue), flags=re.MULTILINE) for tongue in ("en", language))
    assert len(english) == len(other)
    for one, two in zip(english[1:], other[1:], strict=True):
        assert facts(one) == facts(two)
        assert re.findall(r"^\d+\. ", one, re.MULTILINE) == re.findall(r"^\d+\. ", two, re.MULTILINE)


def facts(told: str) -> tuple[list[str], list[str], list[str]]:
    """What no translation changes: tags, numbers and words of the code."""
    tags = [tag for note in re.findall(r"\[([^\]]*)\]", told) for tag in re.findall(r"\b[PFRDG]\b", note)]
    return tags, sorted(re.findall(r"\d+", told)), sorted(re.findall(r"`[^`]+`", told))


def test_a_language_without_a_sheet_is_refused() -> None:
    with pytest.raises(Refusal, match="there is no rule sheet in 'de'; there are en, fr"):
        sheet.read(GAMES["goldmine"], "de")
