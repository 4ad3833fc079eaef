"""Rule sheets: the numbered clauses that tests, comments and refusals point at; English decides, others translate."""

import re
from functools import cache
from pathlib import Path

from motherlode.engine import Refusal
from motherlode.game import Game

FOLDER = Path(__file__).parent / "games"
LANGUAGES = ("en", "fr")
COMMON = "."  # the sheet of clauses that hold for every game
CLAUSE = re.compile(r"^- ([A-Z]+-\d+(?:\.\d+)?) ")


@cache
def read(name: str, language: str = "en") -> str:
    if language not in LANGUAGES:
        raise Refusal(f"there is no rule sheet in {language!r}; there are {', '.join(LANGUAGES)}")
    return (FOLDER / name / ("sheet.md" if language == "en" else f"sheet.{language}.md")).read_text(encoding="utf-8")


@cache
def clauses(name: str, language: str = "en") -> dict[str, str]:
    """Every clause of a sheet with its text, its continuation lines joined."""
    found: dict[str, str] = {}
    current = None
    for line in read(name, language).splitlines():
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
    prefix = next(iter(clauses(game.NAME))).partition("-")[0]
    wanted = number.upper() if "-" in number else f"{prefix}-{number}"
    known = clauses(game.NAME, language) | clauses(COMMON, language)
    if wanted not in known:
        raise Refusal(f"there is no clause {wanted}; {game.TITLE} has {', '.join(clauses(game.NAME))}")
    return f"{wanted}  {known[wanted]}"
