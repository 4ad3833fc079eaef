"""The API as its page tells it: the examples run, and everything there is is on it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.local_server import Server, Visitor

from motherlode import text
from motherlode.games import GAMES
from motherlode.server import wire

DOCS = Path(__file__).parents[2] / "docs" / "api.md"


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert found
    return found[1]


def test_the_python_player(server: Server, tmp_path: Path) -> None:
    code = example("python")
    assert code.count("\n") <= 44
    player = tmp_path / "player.py"
    player.write_text(code)
    done = subprocess.run([sys.executable, str(player), server.url], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\d+-\d+, seat [01] wins$", done.stdout.strip())


def test_the_curl_player(server: Server, tmp_path: Path) -> None:
    if not shutil.which("curl"):
        pytest.fail("curl is not installed")
    script = tmp_path / "player.sh"
    script.write_text(example("sh"))
    done = subprocess.run(["sh", str(script), server.url], capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert text.read_record(done.stdout).seals[0].secret


def test_every_route_is_documented(ada: Visitor) -> None:
    docs = DOCS.read_text("utf-8")
    paths = ada.get("/api/openapi.json")["paths"]
    assert len(paths) > 15
    for path in paths:
        named = re.sub("{(table|puzzle)}", "{id}", path).replace("{name}", "{game}")
        assert f"`{named}" in docs or f" {named}" in docs, named


def test_the_page_has_every_message(ada: Visitor) -> None:
    page = ada.http.get("/api/docs").text
    for model in (*wire.SOCKET_REQUESTS, *wire.SOCKET_REPLIES):
        assert f"interface {model.__name__} " in page
    assert "POST /api/tables" in page and "<script" not in page


@pytest.mark.parametrize("game", GAMES)
def test_everything_about_a_game(ada: Visitor, game: str) -> None:
    sheet = ada.get(f"/api/games/{game}")
    assert [field["name"] for field in sheet["fields"]] == [field.name for field in GAMES[game].FIELDS]
    assert sheet["sheet"].startswith("# ") and "ALL-5" in sheet["clauses"]
    assert not any(mark in told for told in sheet["clauses"].values() for mark in ("**", "`", "["))
    last = sheet["actions"][-1]
    size = 1
    for arg in last["args"]:
        size *= len(arg["words"])
    assert last["first"] + size == len(GAMES[game].ACTIONS)
    card = next(card for card in ada.get("/api/games") if card["name"] == game)
    assert card.items() <= sheet.items()
    assert card["has_memory"] == (game in ("mount_goldrush", "blue_creek", "goldmine"))
    assert card["remembers"] == (game != "goldmine")


def test_bots_and_the_missing_front_end(ada: Visitor) -> None:
    assert {"random", "greedy", "search"} <= {bot["name"] for bot in ada.get("/api/bots")}
    assert ada.http.get("/").status_code == 200


def test_starting_compiles_nothing() -> None:
    code = "import sys, motherlode.server.serve; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
