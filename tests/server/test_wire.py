"""The contract of the API: what may be asked, and its TypeScript."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.server import typescript, wire


@pytest.mark.parametrize(
    "message",
    [
        '{"do":"act","at":0,"action":true}',
        '{"do":"act","at":"0","action":1}',
        '{"do":"act","at":0,"action":1,"seat":1}',
        '{"do":"act","at":-1,"action":1}',
        '{"do":"fly"}',
        '{"do":"chat","text":""}',
        "[]",
        "act",
    ],
)
def test_what_is_not_in_the_contract_is_not_guessed_at(message: str) -> None:
    with pytest.raises(ValidationError):
        wire.REQUEST.validate_json(message)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_view_survives_javascript(game: Game) -> None:
    """Numbers in JavaScript are exact up to 2^53."""
    assert all(field.high < 2**53 for field in game.FIELDS)


def test_the_typescript_has_every_message_and_every_field() -> None:
    written = typescript.generate()
    for model in (*wire.SOCKET_REQUESTS, *wire.SOCKET_REPLIES, *wire.BODIES):
        assert f"export interface {model.__name__} {{" in written
    for game in GAMES.values():
        for field in game.FIELDS:
            assert f"  {field.name}: number{'[]' if field.length else ''};" in written
    assert "  is_" not in written and "undefined" not in written


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_facts_for_drawing_are_in_the_typescript(game: Game) -> None:
    constant = (
        typescript.game_types(game).partition(f"export const {game.NAME.upper()} = ")[2].removesuffix(" as const;")
    )
    facts = json.loads(constant).get("facts")
    assert facts == (json.loads(json.dumps(game.FACTS)) if game.FACTS else None)


def test_the_typescript_in_the_tree_is_the_one_generated() -> None:
    kept = Path(__file__).parents[2] / "web" / "src" / "wire.ts"
    assert kept.read_text(encoding="utf-8") == typescript.generate()
