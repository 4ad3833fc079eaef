"""The code that learners follow runs: the blocks of docs/learning.md, and the examples beside it."""

import importlib
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motherlode import GAMES, Table, bots
from motherlode.envs.batch import Batch
from motherlode.lab.match import match

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
DOSE, TRIED = 128 * 64 * 8, 600  # decisions that are learned from, and games that are tried


@pytest.fixture(scope="module")
def self_play() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "examples"))
    yield importlib.import_module("self_play")
    sys.path.remove(str(ROOT / "examples"))
    del sys.modules["self_play"]


def in_another_process(*arguments: str, folder: Path) -> None:
    """Run Python with warnings as errors; not in this process, because JAX warns of every fork after it."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-W", "error", *arguments], check=True, cwd=folder, env=environment)


def test_the_code_of_the_guide_runs(tmp_path: Path) -> None:
    for number, block in enumerate(BLOCKS):
        (tmp_path / f"block_{number}.py").write_text(block, encoding="utf-8")
    blocks = ", ".join(f"'block_{number}.py'" for number in range(len(BLOCKS)))
    in_another_process("-c", f"import runpy\nfor block in ({blocks}): runpy.run_path(block)", folder=tmp_path)


def test_the_guide_shows_the_example() -> None:
    assert (ROOT / "examples" / "batch_random.py").read_text("utf-8") in BLOCKS
    assert len(BLOCKS) >= 7


def test_random_play_is_what_it_says() -> None:
    found = runpy.run_path(str(ROOT / "examples" / "batch_random.py"))
    said = re.findall(r"# \((\d+), (\d+)\)", (ROOT / "examples" / "batch_random.py").read_text("utf-8"))
    shapes = [found["batch"].observation.shape, found["batch"].mask.shape, found["batch"].reward.shape]
    assert [tuple(map(int, shape)) for shape in said] == shapes
    assert found["games"] > 4096 and found["results"].sum() == pytest.approx(0, abs=1e-3)


def by_definition(at: tuple[int, int], seat: Any, value: Any, done: Any, reward: Any, last: Any, decay: float) -> Any:
    """A decision's advantage, found by looking ahead in its row for the same seat's next decision."""
    t, row = at
    for later in range(t, len(seat)):
        if later > t and seat[later, row] == seat[at]:
            follows = by_definition((later, row), seat, value, done, reward, last, decay)
            return value[later, row] - value[at] + decay * (follows or 0)
        if done[later, row]:
            return reward[later, row, seat[at]] - value[at]
    return last[1][row] - value[at] if last[0][row] == seat[at] else None


def test_a_decision_is_judged_by_its_own_seats_next_one(self_play: Any) -> None:
    """With seats that do not alternate, three of them, and games that end at any moment."""
    rng = np.random.default_rng(3)
    steps, rows, seats = 12, 20, 3
    seat, value = rng.integers(0, seats, (steps, rows)), rng.normal(size=(steps, rows))
    done = rng.random((steps, rows)) < 0.2
    reward = rng.normal(size=(steps, rows, seats)) * done[:, :, None]
    last = rng.integers(0, seats, rows), rng.normal(size=rows)
    gains, known = self_play.advantages(seat, value, done, reward, *last)
    unknown = 0
    for at in np.ndindex(steps, rows):
        expected = by_definition(at, seat, value, done, reward, last, self_play.LAMBDA)
        unknown += expected is None
        assert known[at] == (expected is not None)
        assert gains[at] == pytest.approx(expected or 0, abs=1e-5)
    assert 0 < unknown < steps * rows / 2


def test_self_play_learns_and_is_a_bot(self_play: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After two percent of the guide's dose it beats random play clearly, as a policy of a batch and as a bot."""
    in_another_process(self_play.__file__, "--decisions", str(DOSE), "--rows", "128", folder=tmp_path)
    monkeypatch.chdir(tmp_path)
    self_play.load.cache_clear()
    net = self_play.load()
    batch = Batch("goldmine", 300, seed=5, dtype="float32", players={1: "random"}, target=0)
    played, won = 0, 0.0
    while played < TRIED:
        scores, _ = self_play.forward(np, net, batch.observation, batch.mask)
        batch.step(scores.argmax(axis=1))
        played, won = played + int(batch.done.sum()), won + float(batch.reward[:, 0].sum())
    assert won / played > 0.2

    name = "py:self_play:choose"
    answer = match(GAMES["goldmine"], [name, "random"], games=300, options={"target": 0}, cores=1)
    assert answer["players"][0]["win_share"] > 0.55
    first, second = (Table("goldmine", seed=2, target=0) for _ in range(2))
    for table in (first, second):
        table.play(bots.make(name), bots.make(name))
    assert first.log == second.log
    self_play.load.cache_clear()
