"""Perft: how many sequences of actions lead on from a position, chance's included; the counts are in tests/perft."""

from pathlib import Path

import pytest

from motherlode import engine, text
from motherlode.games import GAMES

FILES = sorted((Path(__file__).parent / "perft").glob("*.txt"))


def counts() -> list[tuple[str, int, int]]:
    """(position, depth, count) of all files."""
    found, position = [], ""
    for path in FILES:
        for line in path.read_text(encoding="utf-8").splitlines():
            if "=" in line and not line.startswith("#"):
                position = line
            elif line and not line.startswith("#"):
                depth, count = map(int, line.split())
                found.append((position, depth, count))
    return found


def test_every_game_has_counts() -> None:
    assert {path.stem for path in FILES} == set(GAMES)


@pytest.mark.parametrize(("position", "depth", "count"), counts())
def test_perft(position: str, depth: int, count: int) -> None:
    game, s = text.read_position(position)
    under = engine.perft(game, s, depth)
    listed = "\n".join(f"  {text.name(game, s, a)}: {n}" for a, n in under.items())
    assert sum(under.values()) == count, f"the count under each first action of\n{position}\n{listed}"
