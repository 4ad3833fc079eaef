"""Rule sheets: the numbered clauses that tests, comments and refusals point at. English decides, others translate.

Tags in square brackets say where a clause comes from; `motherlode/games/sheet.md` lists them. A ruling is a tag of its
own, in one of these two forms; the option is there only if people can choose another reading:

    [R: print says "the whole printed sentence"; the reason; option `name`]
    [R: print is silent; the reason; option `name`]
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from motherlode import data, sentences
from motherlode.engine import Refusal
from motherlode.game import Game, Option

LANGUAGES = sentences.LANGUAGES
MOST_VALUES = 12  # of an option are all listed
COMMON = None  # instead of a game: the sheet of clauses that hold for every game
VARIANT = {
    "en": ("The variant", "These values replace those above.", "instead of"),
    "fr": ("La variante", "Ces valeurs remplacent celles ci-dessus.", "au lieu de"),
}
CLAUSE = re.compile(r"^- ([A-Z]+-\d+(?:\.\d+)?) ")
TAG = re.compile(r"\s*\[([^\]]*\b[PFRDG]\b[^\]]*)\]")
RULING = {
    "en": re.compile(r'R: print (?:says "(?P<print>.+?)"|is silent); (?P<why>[^;]+?)(?:; option `(?P<option>\w+)`)?'),
    "fr": re.compile(
        r"R : le texte imprimé (?:dit « (?P<print>.+?) »|n'en dit rien) ; (?P<why>[^;]+?)"
        r"(?: ; option `(?P<option>\w+)`)?"
    ),
}
RULING_WORDS = {  # print says, print is silent, what we play, why
    "en": ('print says "{}"', "print is silent", "we play: {}", "because: {}"),
    "fr": ("le texte imprimé dit « {} »", "le texte imprimé n'en dit rien", "on joue : {}", "raison : {}"),
}


class Passage(NamedTuple):
    """A clause, or another paragraph of a sheet, its lines joined."""

    number: str  # of the clause, GM-3.2, or else of the section, GM-7
    told: str
    is_clause: bool


class Ruling(NamedTuple):
    """What was decided where the printed rules leave a choice."""

    clause: str  # or the section, where it is in no clause
    print: str  # the printed sentence, "" where print is silent
    played: str  # the clause or paragraph in plain words
    why: str
    option: str  # "scoring=both,winner", with the values that can be chosen; "" where there is none


def path(game: Game | None, language: str) -> Path:
    """Where a sheet is: sheet.md in the game's folder, or beside a game that is one file, under its name."""
    rules = Path(__file__).parent / "games" / "rules.py" if game is None else Path(str(game.__file__))
    stem = "sheet" if rules.stem == "rules" else rules.stem
    return rules.with_name(f"{stem}.md" if language == "en" else f"{stem}.{language}.md")


@cache
def read(game: Game | None, language: str = "en") -> str:
    """A game's sheet; in English if there is no translation."""
    if language not in LANGUAGES:
        raise Refusal(f"there is no rule sheet in {language!r}; there are {', '.join(LANGUAGES)}")
    for file in (path(game, language), path(game, "en")):
        if file.exists():
            return file.read_text(encoding="utf-8") + (changed(game, language) if game and game.VARIANT else "")
    assert game is not None
    return f"# {game.TITLE}\n\nThis game has no rule sheet.\n"


def changed(game: Game, language: str) -> str:
    """What a variant changes, as the last section of its sheet."""
    title, remark, instead = VARIANT[language]
    lines = ["", f"## {title} {game.VARIANT}", remark]
    for name, value in game.CHANGES.items():
        datum = game.DATA.table[name]
        lines.append(f"- `{name}` ({datum.clause}): {data.write(value)} {instead} {data.write(datum.default)}")
    return "\n".join([*lines, ""])


def passages(game: Game | None, language: str = "en") -> list[Passage]:
    """Every clause, and every paragraph of the numbered sections."""
    title, *lines = read(game, language).splitlines() or [""]
    prefix = title.rpartition("(")[2].rstrip(")")
    found: list[Passage] = []
    section, goes_on = "", False
    for line in lines:
        if line.startswith("## "):
            section, goes_on = line.removeprefix("## ").partition(" ")[0], False
        elif not line:
            goes_on = False
        elif goes_on and not line.startswith("- "):
            found[-1] = found[-1]._replace(told=f"{found[-1].told} {line.strip()}")
        elif (match := CLAUSE.match(line)) or section:
            number, told = (match[1], line[match.end() :].strip()) if match else (f"{prefix}-{section}", line)
            found.append(Passage(number, told, is_clause=match is not None))
            goes_on = True
    return found


@cache
def clauses(game: Game | None, language: str = "en") -> dict[str, str]:
    """Every clause of a sheet with its text."""
    return {passage.number: passage.told for passage in passages(game, language) if passage.is_clause}


def plain(told: str) -> str:
    """What a clause says, without tags and Markdown."""
    return re.sub(r"[*`]", "", TAG.sub("", told))


def full_number(game: Game, number: str) -> str:
    """The number of a clause of this game or of all games, `GM-3.2` or just `3.2`; refused if there is none."""
    prefix = next(iter(clauses(game)), "ALL-").partition("-")[0]
    wanted = number.upper() if "-" in number else f"{prefix}-{number}"
    if wanted not in clauses(game) | clauses(COMMON):
        has = ", ".join(clauses(game)) or "no rule sheet"
        raise Refusal(f"there is no clause {wanted}; {game.TITLE} has {has}")
    return wanted


def clause(game: Game, number: str, language: str = "en") -> str:
    """One clause in plain words, found as `GM-3.2` or just `3.2`."""
    wanted = full_number(game, number)
    return f"{wanted}  {plain_clauses(game, language)[wanted]}"


def plain_clauses(game: Game, language: str = "en") -> dict[str, str]:
    """Every clause of this game, then of all games, in plain words."""
    known = clauses(game, language) | clauses(COMMON, language)
    return {number: plain(told) for number, told in known.items()}


def rulings(game: Game | None, language: str = "en") -> list[Ruling]:
    """Every ruling of a sheet; a tag that cannot be read is refused."""
    return [
        read_ruling(game, number, told.removeprefix("- "), tag)
        for number, told, _ in passages(game, language)
        for tag in TAG.findall(told)
        if re.search(r"\bR\b", tag)
    ]


def read_ruling(game: Game | None, number: str, told: str, tag: str) -> Ruling:
    match = next(filter(None, (form.fullmatch(tag) for form in RULING.values())), None)
    if not match:
        raise Refusal(f"{number}: [{tag}] is no ruling; write [R: print is silent; the reason] for example")
    printed, why, name = match.group("print", "why", "option")
    option = next((option for option in (game.OPTIONS if game else ()) if option.name == name), None)
    if name and not option:
        raise Refusal(f"{number}: there is no option {name}")
    return Ruling(number, plain(printed or ""), plain(told), plain(why), choices(option) if option else "")


def choices(option: Option) -> str:
    """An option with the values that can be chosen: "scoring=both,winner", "accident=0,2,3,…,100"."""
    values = [str(value) for value in option.values]
    return f"{option.name}={','.join(values if len(values) <= MOST_VALUES else [*values[:3], '…', values[-1]])}"


def ruling_line(ruling: Ruling, language: str = "en") -> str:
    """A ruling in one line: the clause, what print says, what we play, why, and the option."""
    says, is_silent, played, why = RULING_WORDS[language]
    parts = [says.format(ruling.print) if ruling.print else is_silent, played.format(ruling.played)]
    parts += [why.format(ruling.why), *([f"option {ruling.option}"] if ruling.option else [])]
    return f"{ruling.clause}  {' | '.join(parts)}"
