"""The levels of every game, with what was measured of them, as a page is told."""

import json
from pathlib import Path

import pytest
from support.local_server import Visitor, play_out
from support.outside_game import NAME, TITLE, outside_game

from motherlode.bots import levels
from motherlode.games import GAMES
from motherlode.server.routes import game_card
from motherlode.server.wire import GameCard


def test_every_game_names_its_levels_with_their_strength(ada: Visitor) -> None:
    for card in ada.get("/api/games"):
        game = GAMES[card["name"]]
        assert [level["name"] for level in card["levels"]] == levels.names(game)
        lowest, *others = card["levels"]
        assert lowest == {"name": lowest["name"], "bot": levels.bot_name(lowest["name"], game)} | dict.fromkeys(
            ("against", "score", "interval", "games")
        )
        assert [level["bot"] for level in others] == [levels.bot_name(level["name"], game) for level in others]
        for level, below in zip(others, card["levels"], strict=False):
            if level["against"] is not None:
                low, high = level["interval"]
                assert level["against"] == below["name"] and level["games"] > 0
                assert 0 <= low <= level["score"] <= high <= 1
        assert ada.get(f"/api/games/{game.NAME}")["levels"] == card["levels"]


def test_what_was_measured_of_another_bot_is_not_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Rows of the ladder count for the very bot and opponent they name."""
    game = GAMES["goldmine"]
    lowest, second, third = levels.names(game)[:3]
    row = {"score": 0.7, "interval": [0.6, 0.8], "games": 100, "seed": 0, "milliseconds": 1.0}
    rows = [
        {"level": second, "bot": levels.bot_name(second, game), "against": lowest, **row},
        {"level": third, "bot": "search:7", "against": second, **row},
        {"level": third, "bot": levels.bot_name(third, game), "against": "random", **row},
    ]
    path = tmp_path / "levels.json"
    path.write_text(json.dumps({"levels": levels.read(game).bots, "measured": rows}), "utf-8")
    monkeypatch.setattr(levels, "path", lambda game: path)
    _, one, two, *_ = levels.measured(game)
    assert (one["against"], one["score"], one["interval"], one["games"]) == (lowest, 0.7, [0.6, 0.8], 100)
    assert two["against"] is two["score"] is two["interval"] is two["games"] is None


def test_a_game_without_levels_has_the_default_ones_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "path", lambda game: None)
    card = GameCard(**game_card(GAMES["goldmine"]))
    assert [level.name for level in card.levels] == list(levels.DEFAULT)
    assert {level.score for level in card.levels} == {None}


def test_a_game_that_brings_nothing_optional_is_served(ada: Visitor, tmp_path: Path) -> None:
    """No levels, no board, no words: the API lists it, describes it, and plays it against a search."""
    with outside_game(tmp_path):
        (card,) = [card for card in ada.get("/api/games") if card["name"] == NAME]
        assert card["title"] == TITLE and [level["score"] for level in card["levels"]] == [None] * len(levels.DEFAULT)
        assert ada.get(f"/api/games/{NAME}")["actions"]
        table = ada.make(NAME, "me", "greedy", options={"target": 0})
        with ada.open(table["id"], 0) as page:
            assert TITLE in page.table["text"]
            play_out([page])
        assert ada.get(f"/api/tables/{table['id']}/replay")["checked"]["chance"]
