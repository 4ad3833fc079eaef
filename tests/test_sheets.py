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
    files = [PACKAGE / "games" / game.NAME / name for name in ("rules.py", "events.py", "showing.py")]
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
    assert sheet.clause(goldmine, "3.2").endswith("Nobody passes.")
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
    tags = [letter for tag in sheet.TAG.findall(told) for letter in letters(tag)]
    return tags, sorted(re.findall(r"\d+", told)), sorted(re.findall(r"`[^`]+`", told))


def letters(tag: str) -> list[str]:
    """What a tag says of its clause. A ruling quotes sentences, in which a D may begin a word: D'abord."""
    return ["R"] if re.match(r"R\s*:", tag) else re.findall(r"\b[PFRDG]\b", tag)


@GAME
@pytest.mark.parametrize("language", sheet.LANGUAGES)
def test_a_clause_in_plain_words_has_no_markdown_and_no_tags(game: Game, language: str) -> None:
    told = sheet.plain_clauses(game, language)
    assert told.keys() == sheet.clauses(game).keys() | sheet.clauses(sheet.COMMON).keys()
    for number, words in told.items():
        assert len(words) > 10 and not re.search(r"[*`\[\]]|  |\s$| [.,)]", words), f"{number}: {words}"


def test_plain_words_keep_the_sentence_around_a_tag() -> None:
    told = "Figures 1 1 [D]. **All** `x=y` (none [R: print is silent; why]), *too* [P, F]; not [this]. [G: it ends]"
    assert sheet.plain(told) == "Figures 1 1. All x=y (none), too; not [this]."


@pytest.mark.parametrize("game", [*GAMES.values(), sheet.COMMON], ids=[*GAMES, "all"])
def test_every_ruling_can_be_read(game: Game | None) -> None:
    """Rulings are in numbered sections, have one of the two forms and name options: the same in all languages."""
    listed = {language: sheet.rulings(game, language) for language in sheet.LANGUAGES}
    for language, found in listed.items():
        _, *sections = re.split(r"^## ", sheet.read(game, language), flags=re.MULTILINE)
        tags = [tag for section in sections for tag in sheet.TAG.findall(section) if "R" in letters(tag)]
        assert len(tags) == len(found), f"a ruling is outside the numbered sections: {tags}"
        same = [(ruling.clause, bool(ruling.print), ruling.option) for ruling in found]
        assert same == [(ruling.clause, bool(ruling.print), ruling.option) for ruling in listed["en"]]
    for ruling, translated in zip(listed["en"], listed["fr"], strict=True):
        assert not ruling.print or translated.print != ruling.print, f"{ruling.clause}: the quotation is not translated"


def test_rulings_are_read() -> None:
    goldmine = GAMES["goldmine"]

    def read(tag: str) -> sheet.Ruling:
        return sheet.read_ruling(goldmine, "GM-1.1", f"We **play** this. [P] [{tag}]", tag)

    assert read("R: print is silent; because") == ("GM-1.1", "", "We play this.", "because", "")
    silent = "R : le texte imprimé n'en dit rien ; parce que"
    assert read(silent) == ("GM-1.1", "", "We play this.", "parce que", "")
    printed = read('R: print says "Take it; then go. Or "stay"."; because; option `target`')
    assert (printed.print, printed.why, printed.option) == ('Take it; then go. Or "stay".', "because", "target=30,50,0")
    french = read("R : le texte imprimé dit « Prenez-la ; restez. » ; parce que ; option `target`")
    assert (french.print, french.why, french.option) == ("Prenez-la ; restez.", "parce que", "target=30,50,0")


def test_a_language_without_a_sheet_is_refused() -> None:
    with pytest.raises(Refusal, match="there is no rule sheet in 'de'; there are en, fr"):
        sheet.read(GAMES["goldmine"], "de")


def test_the_values_of_an_option_are_listed() -> None:
    values = {option.name: sheet.choices(option) for game in GAMES.values() for option in game.OPTIONS}
    assert values["target"] == "target=30,50,0" and values["accident"] == "accident=0,2,3,…,100"


@pytest.mark.parametrize(
    "tag",
    [
        "R",
        "P, R",
        "R: because",
        "R; print is silent; because",
        "R: print is silent",
        "R: print is silent; because; and because",
        "R: print is silent; because; option target",
        'R: print says "this"',
        "R: print says this; because",
        "R: le texte imprimé n'en dit rien ; parce que",
        "R : le texte imprimé dit « ceci » : parce que",
    ],
)
def test_a_ruling_in_another_form_is_refused(tag: str) -> None:
    with pytest.raises(Refusal, match=r"GM-1\.1: \[.*\] is no ruling; write \[R: print is silent; the reason\]"):
        sheet.read_ruling(GAMES["goldmine"], "GM-1.1", "", tag)


def test_a_ruling_with_an_unknown_option_is_refused() -> None:
    with pytest.raises(Refusal, match="there is no option overlay"):
        sheet.read_ruling(GAMES["goldmine"], "GM-1.1", "", "R: print is silent; because; option `overlay`")
