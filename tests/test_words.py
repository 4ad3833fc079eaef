"""The catalogues of the pages: every sentence in every language, and every sentence that a component says."""

import json
import re
from itertools import product
from pathlib import Path

import pytest
from support.catalogues import SOURCE, catalogue, paths_of

from motherlode import contract, engine, sentences, text
from motherlode.game import CHANCE, HIDDEN, new_rng
from motherlode.games import GAMES
from motherlode.sentences import Sentence

ROOMS = sorted([*GAMES, *(path.name.removesuffix(".en.json") for path in (SOURCE / "words").glob("*.en.json"))])


def holes(sentence: Sentence) -> set[str]:
    parts = [sentence] if isinstance(sentence, str) else [sentence["one"], sentence["other"]]
    return {hole for part in parts for hole in re.findall(r"\{\w+\}", part)}


@pytest.mark.parametrize("room", ROOMS)
def test_both_languages_say_the_same_things(room: str) -> None:
    english, french = catalogue(room, "en"), catalogue(room, "fr")
    assert english.keys() == french.keys()
    for key, sentence in english.items():
        assert holes(sentence) == holes(french[key]), key


@pytest.mark.parametrize("game", GAMES)
def test_a_game_says_what_it_is_about(game: str) -> None:
    assert {"about", "aim"} <= catalogue(game).keys()


def french(said: str) -> str:
    """A sentence with no-break spaces before : ; ? ! and inside « », where there is a space or none."""
    said = re.sub(r"(?<=[^\s\d/])\s*([;?!»])|(?<=[^\s\d/])\s*(:)(?=\s|$)", "\u00a0\\1\\2", said)
    return re.sub(r"«\s*", "«\u00a0", said)


def test_french_has_its_spaces(rewrite: bool) -> None:
    """`--rewrite` mends them."""
    assert french("Quoi? «Oui»: 3:2, voilà ;") == "Quoi\u00a0? «\u00a0Oui\u00a0»\u00a0: 3:2, voilà\u00a0;"
    value = re.compile(r'(?<=": ")(?:[^"\\]|\\.)*')
    wrong = []
    for path in [*SOURCE.rglob("*.fr.json"), *(SOURCE.parent.parent / "motherlode" / "games").rglob("*.fr.json")]:
        text = path.read_text("utf-8")
        mended = value.sub(lambda said: french(said[0]), text)
        if rewrite:
            path.write_text(mended, "utf-8")
        else:
            pairs = zip(text.splitlines(), mended.splitlines(), strict=True)
            wrong += [f"{path.name}: {line.strip()}" for line, better in pairs if line != better]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.svelte")), ids=lambda path: path.stem)
def test_a_sentence_is_not_put_together_around_a_colon(path: Path) -> None:
    """In French a space comes before it: the whole sentence has its place in the catalogue."""
    markup = re.sub(r"<script.*?</script>|<style.*?</style>", "", path.read_text("utf-8"), flags=re.DOTALL)
    assert not re.findall(r"\bt\([^{}]*\)\}:", markup)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.svelte")), ids=lambda path: path.stem)
def test_nothing_is_said_past_the_catalogues(path: Path) -> None:
    """Between the tags of a component, and in what it says of its parts, there is no word but in expressions."""
    markup = re.sub(r"<script.*?</script>|<style.*?</style>|<!--.*?-->", "", path.read_text("utf-8"), flags=re.DOTALL)
    while (rest := re.sub(r"\{[^{}]*\}", "", markup)) != markup:
        markup = rest
    names = re.findall(r'\b(?:aria-label|title|alt|placeholder)="([^"]*)"', markup)
    assert not re.findall(r"[^\W\d_]{2,}", " ".join([*names, re.sub(r"<[^>]*>", "", markup)]))


def test_what_components_say_is_in_the_catalogues() -> None:
    known = {f"{room}.{key}" for room in ROOMS for key in catalogue(room, "en")}
    said = {
        key
        for path in [*SOURCE.rglob("*.svelte"), *SOURCE.rglob("*.ts")]
        for key in re.findall(r'"((?:' + "|".join(ROOMS) + r')\.[a-z_A-Z.0-9]+)"', path.read_text("utf-8"))
        if path.parent != SOURCE / "words" and path.name != "Book.svelte"  # test_guides.py reads rulebooks
    }
    assert "gold_hunting.how_to_build" in said
    assert said <= known, sorted(said - known)


# The keys that the pages ask of every game (words/index.ts), and those that a board asks for by a part of them.
BY_RULE = (
    r"title|kind|minutes|about|credit|for|start|tie|aim"
    r"|(tie|option|phase|act|ask|did|chance|hidden|shown|event|position|word|number)\..+|phase"
    r"|(aim|finishes|zoom|why|summary|sheet|nobody|beats|said|tip|odd_counts|marker|marker_hidden)\..+"
    r"|(at|slot|swap|stage|site|fade|areas?|hint|preview|card|left|suit|colour|came|key)\..+"
)


@pytest.mark.parametrize("name", GAMES)
def test_nothing_is_kept_that_nobody_says(name: str) -> None:
    source = "".join(path.read_text("utf-8") for path in [*SOURCE.rglob("*.svelte"), *SOURCE.rglob("*.ts")])
    for key in catalogue(name, "en"):
        assert re.fullmatch(BY_RULE, key) or f'"{name}.{key}"' in source or f'"{key}"' in source, key


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
        exact = f"act.{kind.verb}.{kind.args[-1].name}" if kind.args else ""
        said = holes(known.get(exact) or known[f"act.{kind.verb}"])
        for arg in kind.args:
            if len(arg.words) > 1:
                assert hole(arg.name) in said, (kind.verb, arg.name)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_its_place_in_the_lobby(name: str) -> None:
    game, known = GAMES[name], catalogue(name, "en")
    values = [f"option.{option.name}" for option in game.OPTIONS if option.is_offered]
    assert {"title", "kind", "minutes", "about", "tie", *values} <= known.keys()
    assert known["title"] == game.TITLE


@pytest.mark.parametrize("name", GAMES)
def test_a_position_has_a_sentence_for_every_fact(name: str) -> None:
    """With every value of every option, as a seat, the public and whoever sees everything may know it."""
    game, known, said = GAMES[name], catalogue(name, "en"), set[str]()
    values = [
        {},
        *({option.name: value} for option in game.OPTIONS if option.is_offered for value in option.values[1:]),
    ]
    for number, (options, seats) in enumerate(product(values, {game.SEATS[0], game.SEATS[-1]})):
        names = [f"P{seat}" for seat in range(seats)]
        for at, (_, _, t) in enumerate(
            contract.random_game(game, engine.start(game, seats, **options), new_rng(number))
        ):
            views = [t, engine.view(game, t, -1), engine.view(game, t, 0, sight=at % 2 == 0)]
            lines = [line for view in views for line in game.describe(view)]
            said |= {f"position.{line.kind}" for line in lines}
            if at % 20 == 0:
                assert all(holes(known[f"position.{line.kind}"]) <= {hole(arg) for arg in line.args} for line in lines)
                for language in sentences.LANGUAGES:
                    assert not [
                        one for one in sentences.position(game, lines, names, language) if "{" in one or "\n" in one
                    ]
    assert said == {key for key in known if key.startswith("position.")}


@pytest.mark.parametrize("name", GAMES)
def test_the_log_has_a_sentence_for_everything_that_is_told(name: str) -> None:
    """Every outcome, every hidden action and everything turned up in random games, with the arguments it comes with."""
    game, known = GAMES[name], catalogue(name, "en")
    for seats, number in product(game.SEATS, range(3)):
        for s, a, t in contract.random_game(game, engine.start(game, seats), new_rng(number)):
            for seat in range(-1, seats):
                told = game.told(s, a, seat)
                line = text.describe(game, s, told, t, seat)
                if told == HIDDEN:
                    assert f"hidden.{line.verb}" in known
                elif s.turn == CHANCE:
                    assert holes(known[f"chance.{line.verb}"]) <= {hole(arg) for arg in line.args}
                for event in line.events:
                    assert holes(known[f"event.{event.kind}"]) <= {hole(arg) for arg in event.args}
                if line.turned_up and s.turn >= 0:
                    assert holes(known[f"shown.{line.turned_up.kind}"]) <= {hole(arg) for arg in line.turned_up.args}


def hole(arg: str) -> str:
    return "{" + arg.replace(" ", "_") + "}"


@pytest.mark.parametrize("name", GAMES)
def test_people_count_from_1(name: str) -> None:
    """An argument whose words are the numbers from 0 is a player, or has words of its own, or is counted from 1."""
    known = catalogue(name, "en")
    for kind in (*GAMES[name].ACTIONS.kinds, *GAMES[name].OUTCOMES.kinds):
        for arg in kind.args:
            if arg.name != "seat" and list(arg.words) == [str(n) for n in range(len(arg.words))]:
                assert f"number.{arg.name}" in known or all(f"word.{arg.name}.{n}" in known for n in arg.words)


TOLD = r"(act|ask|did|chance|hidden|shown|event|position|phase|word|number|nobody)\.|(phase|aim)$"


@pytest.mark.parametrize("name", GAMES)
def test_what_is_told_is_beside_the_rules(name: str) -> None:
    """Python reads these sentences too; the page's own words are not among them."""
    for language in sentences.LANGUAGES:
        words, told = (json.loads(path.read_text("utf-8")) for path in paths_of(name, language))
        assert not words.keys() & told.keys()
        assert all(re.match(TOLD, key) for key in told)
        assert not [key for key in words if re.match(TOLD, key)]
    kinds = {kind.verb for kind in GAMES[name].EVENTS}
    assert {key for key in told if key.startswith("event.")} == {f"event.{kind}" for kind in kinds}
