"""Rule sheets: the numbered clauses that tests, comments and refusals point at. English decides, others translate."""

import re
from functools import cache
from pathlib import Path

from motherlode import data
from motherlode.engine import Refusal
from motherlode.game import Game

LANGUAGES = ("en", "fr")
COMMON = None  # instead of a game: the sheet of clauses that hold for every game
VARIANT = {
    "en": ("The variant", "These values replace those above.", "instead of"),
    "fr": ("La variante", "Ces valeurs remplacent celles ci-dessus.", "au lieu de"),
}
CLAUSE = re.compile(r"^- ([A-Z]+-\d+(?:\.\d+)?) ")


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


@cache
def clauses(game: Game | None, language: str = "en") -> dict[str, str]:
    """Every clause of a sheet with its text, its continuation lines joined."""
    found: dict[str, str] = {}
    current = None
    for line in read(game, language).splitlines():
        match = CLAUSE.match(line)
        if match:
            current = match[1]
            found[current] = line[2:].removeprefix(current).strip()
        elif current and line.startswith("  "):
            found[current] += " " + line.strip()
        else:
            current = None
    return found


def clause(game: Game, number: str, language: str = "en") -> str:
    """One clause, `GM-3.2` or just `3.2`."""
    prefix = next(iter(clauses(game)), "ALL-").partition("-")[0]
    wanted = number.upper() if "-" in number else f"{prefix}-{number}"
    known = clauses(game, language) | clauses(COMMON, language)
    if wanted not in known:
        has = ", ".join(clauses(game)) or "no rule sheet"
        raise Refusal(f"there is no clause {wanted}; {game.TITLE} has {has}")
    return f"{wanted}  {known[wanted]}"
