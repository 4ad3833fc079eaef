"""The levels of every game, with what was measured of them, as a page is told."""

import json
from pathlib import Path

import pytest
from support.local_server import Visitor, play_out, serving
from support.outside_game import NAME, TITLE, outside_game

from motherlode import games
from motherlode.bots import levels
from motherlode.games import GAMES
from motherlode.server.routes import game_card
from motherlode.server.settings import BEST, QUICK, UNMEASURED, Settings
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
    row = {"seats": 2, "score": 0.7, "interval": [0.6, 0.8], "games": 100, "seed": 0, "milliseconds": 1.0}
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


# The substitute, where nobody has chosen one: the strongest level that is quick


def test_the_strongest_level_within_a_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By what was measured of the level as it is now, the slowest of its results."""
    game, path = GAMES["goldmine"], tmp_path / "levels.json"
    chosen = {"greenhorn": "random", "panner": "search:9", "digger": "search:99", "baron": "search:999"}
    rows = [
        {"level": "panner", "bot": "search:9", "against": "greenhorn", "milliseconds": 1.0},
        {"level": "digger", "bot": "search:99", "against": "panner", "milliseconds": 10.0},
        {"level": "baron", "bot": "search:999", "against": "digger", "milliseconds": 90.0},
        {"level": "baron", "bot": "search:999", "against": "random", "milliseconds": 100.0},
    ]
    path.write_text(json.dumps({"levels": chosen, "measured": rows}), "utf-8")
    monkeypatch.setattr(levels, "path", lambda game: path)
    times = {0.5: None, 1.0: "panner", 10.0: "digger", 99.0: "digger", 100.0: "baron"}
    assert {time: levels.strongest(game, time) for time in times} == times
    chosen["baron"] = "search:9999"
    path.write_text(json.dumps({"levels": chosen, "measured": rows}), "utf-8")
    assert levels.strongest(game, 1000.0) == "digger"


def test_the_substitute_is_the_strongest_level_that_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for game in GAMES.values():
        found = Settings().substitute_in(game)
        slower = levels.names(game)[levels.names(game).index(found) + 1 :]
        rows = {row["level"]: row for row in levels.read(game).measured}
        assert rows[found]["milliseconds"] <= QUICK < min((rows[name]["milliseconds"] for name in slower), default=9e9)
        assert Settings(substitute="random").substitute_in(game) == "random"  # whoever runs the server has chosen
    variant = games.variant(GAMES["goldmine"], {"targets": (20, 40)}, "shorter")
    assert Settings().substitute_in(variant) == UNMEASURED  # nobody has measured it
    monkeypatch.setattr(levels, "path", lambda game: None)
    assert Settings().substitute_in(GAMES["goldmine"]) == UNMEASURED


def test_it_is_fixed_when_the_table_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(f"sqlite:///{tmp_path}/parlour.db", substitute=BEST) as server, Visitor(server) as ada:
        server.parlour.bot_workers.prepare = lambda bot, game: None  # type: ignore[method-assign]
        best = server.parlour.settings.substitute_in(GAMES["goldmine"])
        tables = [ada.make("goldmine", "me", "anyone", **more) for more in ({}, {"substitute": "random"})]
        assert [card["substitute"] for card in tables] == [best, "random"] and best in levels.names(GAMES["goldmine"])
        monkeypatch.setattr(levels, "path", lambda game: None)  # now it would be another
        assert server.parlour.settings.substitute_in(GAMES["goldmine"]) == UNMEASURED
        assert ada.get(f"/api/tables/{tables[0]['id']}")["substitute"] == best
        assert server.parlour.tables[tables[0]["id"]].substitute == best
        old = server.parlour.tables[tables[0]["id"]]  # as of a version that stored none
        old.facts.settings = old.settings.model_copy(update={"substitute": None})
        assert old.substitute == ada.get(f"/api/tables/{old.id}")["substitute"] == UNMEASURED


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
