"""The sentences of the pages and of the games."""

import json
from pathlib import Path

from motherlode import sentences
from motherlode.games import GAMES
from motherlode.sentences import Sentence

SOURCE = Path(__file__).parent.parent.parent / "web" / "src"


def paths_of(room: str, language: str) -> list[Path]:
    """The files of a room: a game's own words and what is told of it, or the words of a part of the pages."""
    if room in GAMES:
        return [SOURCE / "games" / room / f"words.{language}.json", sentences.path(GAMES[room], language)]
    return [SOURCE / "words" / f"{room}.{language}.json"]


def once(pairs: list[tuple[str, Sentence]]) -> dict[str, Sentence]:
    """A catalogue has every key once: of two, JSON takes the last without a word."""
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"twice: {[key for key in set(keys) if keys.count(key) > 1]}"
    return dict(pairs)


def catalogue(room: str, language: str = "en") -> dict[str, Sentence]:
    found: dict[str, Sentence] = {}
    for path in paths_of(room, language):
        found |= json.loads(path.read_text("utf-8"), object_pairs_hook=once)
    return found
