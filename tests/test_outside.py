"""Bots from outside: the documented example plays; one that fails loses its seat, and the game goes on."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from motherlode import GAMES, Refusal, Table, bots, engine, text
from motherlode.game import new_rng
from motherlode.lab.match import match

DOCS = Path(__file__).parent.parent / "docs" / "bots.md"


def program(folder: Path, source: str) -> str:
    """The name of a bot that is this program."""
    path = folder / "program.py"
    path.write_text(source, "utf-8")
    return "cmd:" + shlex.join([sys.executable, str(path)])


def example() -> str:
    found = re.search(r"```python\n(#!.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert found
    return found[1]


def test_the_documented_example_plays_every_game(tmp_path: Path) -> None:
    name = program(tmp_path, example())
    for game in GAMES.values():
        seats = game.SEATS[0]
        table = Table(game, seats, seed=3)
        outside = bots.make(name)
        table.play(outside, *[bots.make("random")] * (seats - 1), actions=10)
        assert bots.end(outside) is None
        again, outside = Table(game, seats, seed=3), bots.make(name)
        again.play(outside, *[bots.make("random")] * (seats - 1), actions=10)
        assert bots.end(outside) is None and again.log == table.log


def test_the_documented_example_is_better_than_chance(tmp_path: Path) -> None:
    answer = match(GAMES["goldmine"], [program(tmp_path, example()), "random"], games=200, options={"target": 0})
    assert answer["lost"] == [] and answer["players"][0]["win_share"] > 0.55


def test_a_program_is_told_what_its_seat_may_know_and_no_more(tmp_path: Path) -> None:
    """It writes down what it was asked; in a world its seat cannot tell from the real one that is the same."""
    source = "import json, sys\nfor line in sys.stdin:\n open({!r}, 'a').write(line)\n"
    source += " print(json.dumps({{'action': min(json.loads(line)['legal'])}}), flush=True)\n"
    name = program(tmp_path, source.format(str(tmp_path / "asked")))
    table = Table("goldmine", seed=3, target=0)
    game, real = table.game, table.position
    world = engine.view(game, real, table.turn)
    game.guess(world, table.turn, new_rng(1))
    assert bytes(world) != bytes(real)
    for s in (real, world):
        outside = bots.make(name)
        ask = table.ask()._replace(view=engine.view(game, s, table.turn))
        assert outside(ask, new_rng(5)) in ask.legal
        assert bots.end(outside) is None
    first, second = (tmp_path / "asked").read_text("utf-8").splitlines()
    assert first == second and '"random"' in first


FAILING = {
    "raise SystemExit(3)": "ended with status 3 at action",
    "input(); raise SystemExit(4)": "ended with status 4 at action",
    "import sys; sys.stdin.read()": "was silent for 0 s at action",
    "input(); print('nonsense', flush=True); input()": "answered 'nonsense' at action",
    "input(); print('{}', flush=True); input()": "answered '{}' at action",
    "input(); print('[1]', flush=True); input()": "answered '[1]' at action",
    """input(); print('{"action": 99}', flush=True); input()""": """answered '{"action": 99}' at action""",
    """input(); print('{"action": "play H2"}', flush=True); input()""": "answered 'play H2', which is illegal, at",
    "import sys; sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush(); input()": "ended with status",
}


@pytest.mark.parametrize("source", FAILING)
def test_a_failing_program_loses_its_seat_and_the_game_goes_on(tmp_path: Path, source: str) -> None:
    limit = 0 if "silent" in FAILING[source] else 60
    outside = bots.make(program(tmp_path, source), limit=limit)
    table = Table("goldmine", seed=3, target=0)
    table.play(outside, bots.make("random"))
    assert table.is_over
    assert FAILING[source] in (bots.end(outside) or "")


def test_a_match_says_who_lost_a_seat(tmp_path: Path) -> None:
    name = program(tmp_path, "raise SystemExit(3)")
    answer = match(GAMES["goldmine"], [name, "random"], games=4, options={"target": 0}, cores=1)
    assert answer["games"] == 4 and [lost["seat"] for lost in answer["lost"]] == [0, 1, 0, 1]
    assert all(lost["player"] == name and "status 3" in lost["why"] for lost in answer["lost"])


def test_a_program_that_cannot_be_started_loses_its_seat(tmp_path: Path) -> None:
    path = tmp_path / "no-program"
    path.write_bytes(b"\0\0\0\0")
    path.chmod(0o755)
    outside = bots.make(f"cmd:{path}")
    table = Table("goldmine", seed=3, target=0)
    table.play(outside, bots.make("random"))
    assert "could not be started" in (bots.end(outside) or "")


@pytest.mark.parametrize(
    ("name", "said"),
    [("cmd:", "no program ''"), ("cmd:nonesuch -x", "no program 'nonesuch'"), ("cmd:'", "cannot be read")],
)
def test_a_program_that_is_not_there_is_refused(name: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        bots.make(name)


def test_what_a_program_is_asked_reads_back() -> None:
    """`position` is the view as text, `legal` the actions by number and name."""
    ask = Table("gold_hunting", seed=1).ask()
    asked = bots.outside.question(ask, 1)
    assert bytes(text.read_position(asked["position"])[1]) == bytes(ask.view)
    assert {int(a) for a in asked["legal"]} == set(ask.legal)
    assert asked["view"]["turn"] == ask.seat and len(asked["log"]) == len(ask.log)
