"""Lessons and rulebooks are data: every step is legal, every sentence is there in all languages, as is every clause."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from motherlode import engine, lessons, sheet
from motherlode.game import CHANCE, OVER, Game, below, new_rng
from motherlode.games import GAMES
from motherlode.sentences import LANGUAGES

ROOT = Path(__file__).parent.parent
LONGEST_STEP = 260  # characters: it has to fit above the board on a phone
MOST_STEPS = 28  # two to three minutes
GAMES_TRIED = 6
each_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def words(game: Game, what: str, language: str) -> dict[str, str]:
    folder = ROOT / ("motherlode/games" if what == "lesson" else "web/src/games") / game.NAME
    found: dict[str, str] = json.loads((folder / f"{what}.{language}.json").read_text("utf-8"))
    return found


@cache
def lesson(game: Game) -> lessons.Lesson:
    found = lessons.load(game)
    assert found, f"{game.NAME} has no lesson"
    return found


@each_game
def test_a_lesson_can_be_played(game: Game) -> None:
    """`text.read_record` has checked that every action is legal."""
    played, steps = lesson(game)
    assert played.game is game and 3 < len(steps) <= MOST_STEPS
    assert [step.at for step in steps] == sorted(step.at for step in steps)
    position, own, last = played.start(), [], len(played.actions)
    for at, action in enumerate(played.actions):
        if position.turn == lessons.LEARNER and at >= steps[0].at:
            own.append(at)
        position = engine.after(game, position, action)
    assert position.turn != OVER, "the game goes on after the lesson"
    assert steps[-1].at == last, "the last step is said at the end"
    said = {step.at for step in steps}
    assert not [at for at in own if at not in said], "something is said before every decision of the learner"
    assert len(own) >= 4, "a lesson is played, not read"


@each_game
def test_a_lesson_is_said_in_every_language(game: Game) -> None:
    wanted = {step.say for step in lesson(game).steps}
    for language in LANGUAGES:
        said = words(game, "lesson", language)
        assert set(said) == wanted, language
        assert not [key for key, sentence in said.items() if not 10 < len(sentence) <= LONGEST_STEP], language


@each_game
def test_a_rulebook_is_written_in_every_language(game: Game) -> None:
    page = (ROOT / "web/src/games" / game.NAME / "Book.svelte").read_text("utf-8")
    used = set(re.findall(rf'"{game.NAME}\.book\.([\w.]+)"', page))
    for language in LANGUAGES:
        assert set(words(game, "book", language)) == used, language
    clauses = set(re.findall(r"\b[A-Z]{2,3}-[\d.]+\b", page))
    assert clauses and not [clause for clause in clauses if clause not in sheet.clauses(game)]


def answers(game: Game) -> set[str]:
    """The clauses by which something was refused in random games with all options."""
    found: set[str] = set()
    for seed in range(GAMES_TRIED):
        rng = new_rng(seed)
        options = {option.name: option.values[below(rng, len(option.values))] for option in game.OPTIONS}
        s = engine.start(game, game.SEATS[seed % len(game.SEATS)], **engine.check_options(game, options))
        while s.turn != OVER:
            legal = engine.legal(game, s)
            if s.turn != CHANCE:
                view = engine.view(game, s, s.turn)
                every = max(1, len(game.ACTIONS) // 60)
                found |= {engine.why(game, view, a) or "" for a in range(below(rng, every), len(game.ACTIONS), every)}
            s = engine.after(game, s, engine.draw(game, s, rng) if s.turn == CHANCE else legal[below(rng, len(legal))])
    return found - {""}


@each_game
def test_a_refusal_is_plain(game: Game) -> None:
    """Why something cannot be done is said in one plain sentence before the clause."""
    for language in LANGUAGES:
        said = json.loads((ROOT / "web/src/games" / game.NAME / f"words.{language}.json").read_text("utf-8"))
        assert not sorted(clause for clause in answers(game) if f"why.{clause}" not in said), language
