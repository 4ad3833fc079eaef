"""Variants at the tables: those that the host has loaded are played; a stranger's record loads none."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.local_server import Visitor, play_out, serving

from motherlode import Table, bots, games, proof, text
from motherlode.games import GAMES

SHORT = 'game = "goldmine"\nname = "short"\ngold = [1, 2]\nsuits = ["H", "C"]\nranks = [2, 3, 4]\n'


@pytest.fixture(autouse=True)
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The host loads a variant, for this process and those it starts."""
    monkeypatch.setenv(games.PATHS, "")
    file = tmp_path / "short.toml"
    file.write_text(SHORT, "utf-8")
    games.load(str(file))
    yield file
    del GAMES["goldmine~short"], games.VARIANTS["goldmine~short"]


def test_a_variant_is_offered_and_played(ada: Visitor) -> None:
    card = next(card for card in ada.get("/api/games") if card["name"] == "goldmine~short")
    assert card["title"] == "Goldmine (short)" and card["rules"] == GAMES["goldmine~short"].RULES
    assert len(ada.get("/api/games/goldmine~short")["fields"]) == len(GAMES["goldmine"].FIELDS)
    table = ada.make("goldmine~short", "me", "random", options={"target": 0})["id"]
    play_out([ada.open(table, 0)], pick=1)
    record = ada.http.get(f"/api/tables/{table}/record").text
    assert "data.gold: [1, 2]" in record
    assert proof.verify(text.read_record(record)).is_good
    assert ada.post("/api/records", record=record) == ada.get(f"/api/tables/{table}/replay")


def test_a_running_table_is_not_taken_up_with_other_values(short: Path, tmp_path: Path) -> None:
    """The file is edited while a table waits: the table says why it cannot go on."""
    database = f"sqlite:///{tmp_path / 'other.db'}"
    with serving(database) as server, Visitor(server, "Ada") as ada:
        table = ada.make("goldmine~short", "me", "me", options={"target": 0})["id"]
    del GAMES["goldmine~short"], games.VARIANTS["goldmine~short"]
    short.write_text(SHORT.replace("[1, 2]", "[1, 4]"), "utf-8")
    games.load(str(short))
    with serving(database) as server, Visitor(server, "Ada") as ada:
        answer = ada.http.get(f"/api/tables/{table}")
        assert answer.status_code == 400 and "it would not replay" in answer.text, answer.text


def test_a_strangers_record_loads_no_variant(ada: Visitor) -> None:
    other = games.variant(GAMES["goldmine"], {"gold": [1, 4], "suits": ["H", "C"], "ranks": [2, 3, 4]}, "strange")
    table = Table(other, seed=1, target=0)
    table.play(*[bots.make("random")] * 2)
    record = text.write_record(table.record())
    del games.VARIANTS["goldmine~strange"]
    loaded = set(sys.modules)
    for sent in (record, record.replace("~strange", "~short")):
        answer = ada.http.post("/api/records", json={"record": sent})
        assert answer.status_code == 400 and "variant" in answer.text
    assert set(sys.modules) == loaded and "goldmine~strange" not in games.VARIANTS
