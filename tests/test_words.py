"""The catalogues of the pages: every sentence in every language, and every sentence that a component says."""

import json
import re
from pathlib import Path

import pytest

from motherlode.games import GAMES

SOURCE = Path(__file__).parent.parent / "web" / "src"
ROOMS = sorted([*GAMES, *(path.name.removesuffix(".en.json") for path in (SOURCE / "words").glob("*.en.json"))])


def path_of(room: str, language: str) -> Path:
    if room in GAMES:
        return SOURCE / "games" / room / f"words.{language}.json"
    return SOURCE / "words" / f"{room}.{language}.json"


def catalogue(room: str, language: str) -> dict[str, str | dict[str, str]]:
    text = path_of(room, language).read_text("utf-8")
    found: dict[str, str | dict[str, str]] = json.loads(text)
    return found


def holes(sentence: str | dict[str, str]) -> set[str]:
    parts = [sentence] if isinstance(sentence, str) else [sentence["one"], sentence["other"]]
    return {hole for part in parts for hole in re.findall(r"\{\w+\}", part)}


@pytest.mark.parametrize("room", ROOMS)
def test_both_languages_say_the_same_things(room: str) -> None:
    english, french = catalogue(room, "en"), catalogue(room, "fr")
    assert english.keys() == french.keys()
    for key, sentence in english.items():
        assert holes(sentence) == holes(french[key]), key


def test_what_components_say_is_in_the_catalogues() -> None:
    known = {f"{room}.{key}" for room in ROOMS for key in catalogue(room, "en")}
    said = {
        key
        for path in [*SOURCE.rglob("*.svelte"), *SOURCE.rglob("*.ts")]
        for key in re.findall(r'"((?:' + "|".join(ROOMS) + r')\.[a-z_A-Z.0-9]+)"', path.read_text("utf-8"))
        if path.parent != SOURCE / "words"
    }
    assert "gold_hunting.breakdown" in said
    assert said <= known, sorted(said - known)


@pytest.mark.parametrize("room", ["claimpoker", "gold_hunting"])
def test_nothing_is_kept_that_nobody_says(room: str) -> None:
    """Those the frame asks for by rule (words/index.ts) and those asked for by part are told by their beginning."""
    text = "".join(path.read_text("utf-8") for path in SOURCE.rglob("*.svelte"))
    text += "".join(path.read_text("utf-8") for path in SOURCE.rglob("*.ts"))
    by_rule = ("phase.", "did.", "act.", "ask.", "hidden.", "chance.", "word.", "marker.", "marker_hidden.")
    for key in catalogue(room, "en"):
        assert key.startswith(by_rule) or f'"{room}.{key}"' in text, key


@pytest.mark.parametrize("name", GAMES)
def test_every_action_has_its_sentences(name: str) -> None:
    """What a seat may do, as a choice and in the log; kinds that share a verb are told apart."""
    known, game = catalogue(name, "en"), GAMES[name]
    for room in ("act", "did"):
        said = [room + "." + kind.verb for kind in game.ACTIONS.kinds]
        exact = [f"{room}.{kind.verb}.{kind.args[-1].name}" if kind.args else "" for kind in game.ACTIONS.kinds]
        used = [fuller if fuller in known else key for key, fuller in zip(said, exact, strict=True)]
        assert set(used) <= known.keys(), set(used) - known.keys()
        assert len(set(used)) == len(used)


@pytest.mark.parametrize("name", GAMES)
def test_a_choice_says_every_argument(name: str) -> None:
    known = catalogue(name, "en")
    for kind in GAMES[name].ACTIONS.kinds:
        for arg in kind.args:
            if len(arg.words) > 1:
                assert "{" + arg.name.replace(" ", "_") + "}" in holes(known[f"act.{kind.verb}"]), (kind.verb, arg.name)
