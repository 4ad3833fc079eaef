"""Training. It runs in processes of its own: JAX warns of every fork after it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import example_game
from support.command_line import Run

from motherlode import games, solving
from motherlode.bots import network
from motherlode.engine import Refusal
from motherlode.games import GAMES
from motherlode.train.settings import other_tables, read_settings, settings_of

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COACH = example_game.FOLDER / "rules.py"
SMALL = ["--set", "width=32", "--set", "layers=2", "--set", "rows=512", "--set", "steps=8", "--set", "parts=4"]


def python(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(EXAMPLES)}
    done = subprocess.run([sys.executable, *arguments], check=False, capture_output=True, text=True, env=env)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """A folder in which a small game was trained, in two goes."""
    folder = tmp_path_factory.mktemp("trained")
    more = ["--set", "rate=0.003", "--set", "magnet=1.0", "--out", str(folder)]
    for decisions in ("200000", "500000"):
        done = python("-m", "motherlode.cli", "train", str(COACH), "--decisions", decisions, *SMALL, *more)
    return folder, json.loads(done.stdout), done.stderr


def test_a_network_learns_to_be_hard_to_exploit(trained: tuple[Path, dict[str, Any], str]) -> None:
    folder, card, said = trained
    game = games.adopt_folder(games.check(games.load_file(COACH), "example"), str(COACH))
    before = solving.exploitability(game, "random").exploitability
    after = solving.exploitability(game, f"policy:{folder / network.FILE}").exploitability
    assert before == pytest.approx(0.25) and after < 0.15
    assert card == network.read(folder / network.FILE, game).card
    assert card["decisions"] >= 500_000 and card["settings"]["magnet"] == 1.0
    assert "decisions so far" in said and "2 layers of 32 units" in said


def test_the_moments_of_a_training_are_measured(trained: tuple[Path, dict[str, Any], str], run: Run) -> None:
    folder = trained[0]
    rows = json.loads(run("train", str(COACH), "--out", str(folder), "--against", "random", "--games", "60").out)
    assert [row["decisions"] for row in rows] == sorted(int(file.stem) for file in (folder / "moments").glob("*.npz"))
    assert rows == json.loads((folder / "strength.json").read_text())
    assert all(row["interval"][0] < row["score"] < row["interval"][1] for row in rows)
    assert (folder / "strength.svg").read_text().count("stroke-width") == len(rows) + 1
    assert json.loads((folder / "policy.json").read_text())["measured"] == rows[-1:]


REFUSED = [
    ([str(COACH), "--set", "width=64"], "was saved with another network"),
    (["goldmine", "--set", "width=32"], "was saved for another game than Goldmine"),
    ([str(COACH), "--device", "cuda"], "JAX finds no GPU"),
    ([str(COACH), "--decisions", "0"], "decisions is a number from 1 on"),
    ([str(COACH), "--minutes", "0"], "minutes is more than 0"),
]

TRY_ALL = """
import contextlib, io, json, sys
from motherlode import cli

def said(arguments):
    sys.argv, told = ["motherlode", *arguments], io.StringIO()
    with contextlib.redirect_stderr(told):
        try:
            code = cli.main()
        except SystemExit as end:
            code = end.code
    return [code, told.getvalue()]

print(json.dumps([said(arguments) for arguments in json.loads(sys.argv[1])]))
"""


def test_what_cannot_be_trained_is_said(trained: tuple[Path, dict[str, Any], str]) -> None:
    commands = [["train", "--out", str(trained[0]), *arguments] for arguments, _ in REFUSED]
    answers = json.loads(python("-c", TRY_ALL, json.dumps(commands)).stdout)
    for (arguments, said), (code, told) in zip(REFUSED, answers, strict=True):
        assert code == 2 and said in told, (arguments, code, told)


def test_settings_are_checked(run: Run, tmp_path: Path) -> None:
    for setting, said in (
        ("widht=3", "the settings are: width, layers"),
        ("width=wide", "width is a number, not 'wide'"),
        ("width=0", "width is a whole number from 1 on"),
        ("critic=-1", "critic is a whole number from 0 on"),
        ("clip=-1", "clip is a number from 0 to 10"),
        ("rows=100", "rows must be a multiple of twice the parts"),
    ):
        with pytest.raises(Refusal, match=said):
            read_settings(GAMES["goldmine"], [setting])
    assert run("train", "goldmine", "--out", str(tmp_path), "--set", "width").err.count("NAME=VALUE") == 1
    assert "nothing to measure" in run("train", "goldmine", "--out", str(tmp_path), "--against", "random").err


def test_every_table_is_trained_at() -> None:
    for game in GAMES.values():
        others = other_tables(game, None, {})
        assert {seats for seats, _ in others} | {min(game.SEATS)} == set(game.SEATS)
        for option in game.OPTIONS:
            values = {options[option.name] for _, options in others}
            assert len(values) >= min(2, len(option.values))
        assert settings_of(game).width
    fixed = other_tables(GAMES["goldmine"], 2, {"target": 0})
    assert fixed == []


OUTCOMES = """
import numpy as np
from jax import numpy as jnp
from motherlode.bots import network
from motherlode.games import GAMES
from motherlode.train import ppo
from motherlode.train.settings import Settings
from self_play import LAMBDA, advantages

steps, rows, seats = 40, 50, 3
rng = np.random.default_rng(0)
seat, last = rng.integers(0, seats, (steps, rows)), rng.integers(0, seats, rows)
value, done = rng.normal(size=(steps, rows)), rng.random((steps, rows)) < 0.1
reward, last_value = rng.normal(size=(steps, rows, seats)) * done[..., None], rng.normal(size=rows)
expected, known = advantages(seat, value, done, reward, last, last_value)
settings = Settings(decay=LAMBDA)
programs = ppo.compile_programs(settings, network.shape_of(GAMES["goldmine"]), jnp.float32)
values = np.concatenate([value[..., None], rng.normal(size=(steps, rows, 4))], 2)
nothing = jnp.zeros((steps, rows))
padded = np.concatenate([reward, np.zeros((steps, rows, 2))], 2)  # up to five seats could sit there
seat_, values, done_, padded = map(jnp.asarray, (seat, values, done, padded))
lesson = ppo.Lesson(nothing, nothing, nothing, seat_, nothing, nothing, nothing, values, done_, padded)
end = jnp.asarray(last), jnp.asarray(last_value)[:, None], jnp.full(rows, seats)
gain, is_known, goal, goal_known = map(np.asarray, programs.outcomes(lesson, end))
assert (is_known == known).all() and 0.9 < known.mean() < 1
np.testing.assert_allclose(gain, expected, atol=1e-5)
np.testing.assert_allclose(goal[..., 0][known], (expected + value)[known], atol=1e-5)  # the seat's own comes first
ended = done[-1]
for other in range(1, seats):  # after the last action of a game every seat gets its result
    whose = (seat[-1] + other) % seats
    np.testing.assert_allclose(goal[-1][ended, other], reward[-1][ended, whose[ended]], atol=1e-6)
assert goal_known[-1][ended, :seats].all()
"""

TRACED = """
import numpy as np
from motherlode.train.values import TRACE, Positions, traced

# Two games of two seats at a table for three, of two and of three positions; the empty seat counts for -1.
seats = np.array([[0, 1, 2], [1, 0, 2], [1, 0, 2], [0, 1, 2], [1, 0, 2]])
is_last = np.array([False, True, False, False, True])
ends = np.array([[1.0, 0, -1], [0, 1, -1], [1, 0, -1], [0, 1, -1], [1, 0, -1]])  # seat 0, then seat 1 won
told = np.array([[9.0, 9, 0], [0.3, 0.7, 0], [9, 9, 0], [0.4, 0.6, 0], [0.2, 0.8, 0]])
found = traced(Positions(seats, ends, ends, seats, is_last), ends, told)
np.testing.assert_allclose(found[is_last], ends[is_last])
np.testing.assert_allclose(found[0, :2], [TRACE + (1 - TRACE) * 0.7, (1 - TRACE) * 0.3])  # by seat
np.testing.assert_allclose(found[3, :2], [(1 - TRACE) * 0.8, TRACE + (1 - TRACE) * 0.2])
np.testing.assert_allclose(found[2, :2], (1 - TRACE) * told[3, 1::-1] + TRACE * found[3, 1::-1])
"""

SEEDED = """
import jax, sys
import numpy as np
from motherlode.games import GAMES
from motherlode.train.self_play import SelfPlay
from motherlode.train.settings import settings_of

def learned(name, seed, programs=None):
    game = GAMES[name]
    small = settings_of(game, width=16, layers=1, each=8, critic=8, rows=32, steps=4, parts=2)
    learner = SelfPlay(game, small, seed=seed)
    if programs:
        learner.programs = programs  # compiled once
    told = [learner.learn(0.0) for _ in range(2)]
    assert all(np.isfinite(one.loss) and 0 < one.entropy for one in told), told
    return [np.asarray(leaf) for leaf in jax.tree.leaves(learner.state.weights)], learner.programs

for name in sys.argv[1:]:
    one, programs = learned(name, 1)
    two, other = (learned(name, seed, programs)[0] for seed in (1, 2))
    assert all((x == y).all() for x, y in zip(one, two)) and any((x != y).any() for x, y in zip(one, other))
"""


SCATTERED = """
import numpy as np
from motherlode.games import GAMES
from motherlode.train.self_play import SelfPlay
from motherlode.train.settings import settings_of

game = GAMES["claimpoker"]
learner = SelfPlay(game, settings_of(game, rows=512), seed=1)
ended = []
for _ in range(90):  # a game has about a hundred decisions, so nearly every row ends one
    learner.main.step(learner.main.sample())
    ended.append(learner.main.done.sum())
assert sum(ended) > 200 and max(ended) < 12, ended  # if all had begun at once, most would end in one step
"""


def test_rows_are_at_different_moments_of_their_games() -> None:
    python("-c", SCATTERED)


MARGIN = """
import jax
import numpy as np
from motherlode.games import GAMES
from motherlode.train.self_play import SelfPlay
from motherlode.train.settings import settings_of

game = GAMES["claimpoker"]
learner = SelfPlay(game, settings_of(game, width=8, layers=1, rows=256, steps=32, parts=4), seed=1)
for margin in (0.0, 1.0):
    lesson, _ = learner.play([0, 1], jax.random.key(1), margin)
    done, reward = np.asarray(lesson.done), np.asarray(lesson.reward)
    ends = reward[done]
    assert len(ends) > 40 and not reward[~done].any() and np.abs(ends).max() <= 1
    if margin:
        assert len(np.unique(ends[:, 0])) > 20 and np.corrcoef(ends[:, 0], ends[:, 1])[0, 1] < 0
        assert 0.2 < ends[:, 0].std() < 0.7  # leads are of the size of results
        free = (np.abs(ends) < 1).all(1)
        np.testing.assert_allclose(ends[free].sum(1), 0, atol=1e-5)
    else:
        assert len(np.unique(ends.round(3))) < 12  # won, lost or shared, at three seats and others
"""


def test_a_lead_in_points_may_be_a_part_of_the_result() -> None:
    python("-c", MARGIN)


def test_advantages_are_those_of_the_example() -> None:
    python("-c", OUTCOMES)


def test_values_are_told_what_is_told_of_the_next_positions() -> None:
    python("-c", TRACED)


CRITIC = """
import numpy as np
from motherlode.bots import network
from motherlode.bots.network import VALUE
from motherlode.envs import Batch
from motherlode.game import OVER
from motherlode.games import GAMES
from motherlode.train.self_play import SelfPlay
from motherlode.train.settings import settings_of

game = GAMES["goldmine"]
small = settings_of(game, width=64, layers=2, critic=64, rows=512, steps=16, parts=8, rate=0.002)
learner = SelfPlay(game, small, seed=1, seats=2, target=0)
for _ in range(300):
    learner.learn(0.0)
net = learner.net({})
assert net.has_critic

def play(batch, steps):
    for _ in range(steps):
        logits = network.run(net, batch.observation)[0]
        batch.step(np.where(batch.mask > 0, logits, -(1 << 30)).argmax(1))
        yield batch.reward.copy()  # 0 but in the step that ends a game

batch = Batch(game, 4000, seed=2, autoreset="disabled", target=0)
list(play(batch, 8))
values = network.run(net, batch.observation)[1], network.run_critic(net, batch.state())
whose = batch.seat.copy()
result = sum(play(batch, 40))
assert (batch.seat == OVER).all() and (whose >= 0).all()
mine = result[np.arange(len(batch)), whose]
errors = [((value[:, 0] / VALUE - mine) ** 2).mean() for value in values]
assert errors[1] < 0.95 * errors[0] < 0.95 * mine.var(), errors
"""

BY_CRITIC = """
import jax
import numpy as np
from jax import numpy as jnp
from motherlode.games import GAMES
from motherlode.train import floats
from motherlode.train.self_play import SelfPlay
from motherlode.train.settings import settings_of

game = GAMES["goldmine"]
learner = SelfPlay(game, settings_of(game, width=16, layers=1, critic=8, rows=64, steps=8, parts=4, rate=0.003))
learner.learn(0.0)  # so that values differ
lesson, (last_seat, last_values, _) = learner.play([0, 1], jax.random.key(1))
weights, shape = learner.state.weights, learner.shape

def wrong(state):
    goal, known = learner.programs.outcomes(lesson, (last_seat, last_values, jnp.full(64, 2)))[2:]
    values = floats.criticise(shape, state.weights, lesson.state.reshape(-1, lesson.state.shape[2]), jnp, learner.kind)
    return float((known * (values.reshape(goal.shape) - goal) ** 2).mean())

for step in range(8):
    values = floats.criticise(shape, weights, lesson.state[step], jnp, learner.kind)
    np.testing.assert_allclose(lesson.values[step], values, atol=1e-5)
    own = floats.forward(shape, weights, lesson.seen[step], jnp, learner.kind)[1]
    assert np.abs(own - values).max() > 1e-3
assert (np.asarray(lesson.state) != np.asarray(lesson.seen)).any()  # it sees what the seat does not
before = wrong(learner.state)
for _ in range(10):
    learner.state, _ = learner.programs.learn(learner.state, lesson, (last_seat, last_values, jnp.full(64, 2)),
                                              jnp.array([0.003, 0.0], jnp.float32))
assert wrong(learner.state) < 0.9 * before
"""


def test_decisions_are_judged_by_the_critic() -> None:
    python("-c", BY_CRITIC)


@pytest.mark.soak
def test_a_critic_that_sees_everything_expects_more_rightly() -> None:
    python("-c", CRITIC)


def test_the_same_seed_teaches_the_same() -> None:
    """In a game of several seats, and in one with places."""
    python("-c", SEEDED, "claimpoker", "mount_goldrush")


ALIKE = """
import numpy as np
from motherlode.engine import view
from jax import numpy as jnp
from motherlode.bots import network
from motherlode.bots.network import LOGIT
from motherlode import Table, bots
from motherlode.envs import layout
from motherlode.games import GAMES
from motherlode.train import floats, rivals
from motherlode.train.settings import settings_of

for game in (GAMES["goldmine"], GAMES["mount_goldrush"]):  # without places, and with them
    settings, rng = settings_of(game, width=24, layers=2, each=8, critic=16), np.random.default_rng(0)
    shape = network.shape_of(game, settings.places, settings.place_actions)
    weights = floats.new_weights(shape, max(game.SEATS), settings, layout(game).size, rng)
    table = Table(game, max(game.SEATS), seed=3)
    table.play(*[bots.make("random")] * table.seats)
    positions = [s for s in table.positions if s.turn >= 0][::3]
    seen = np.stack([layout(game).encode(view(game, s, s.turn), s.turn) for s in positions])
    net = floats.in_whole_numbers(shape, weights, seen, seen, {})
    logits = rivals.of_net(net)(jnp.asarray(seen), None)
    assert (np.asarray(logits * LOGIT) == network.run(net, seen)[0]).all(), game.NAME
"""

ADVERSARY = """
from motherlode import games, solving
from motherlode.engine import Refusal
from motherlode.games import load
from motherlode.train.adversary import SETTINGS, Adversary, lower_bound
from motherlode.train.rivals import rival
from motherlode.train.settings import Settings

game = load(sys.argv[1])
settings = Settings(width=32, layers=2, rows=512, steps=8, parts=4, rate=0.003, **SETTINGS)
how = Adversary(game, settings, 150_000, None, 0, "cpu", None, {})
found = lower_bound(how, "random", games=6000, every=4, tell=print)
exact = solving.exploitability(game, "random").exploitability
low, high = found["interval"]
assert low < exact and high > 0.9 * exact, found

class Lazy(Adversary):
    def learn(self, bot, tell):
        return rival("random", self.game)

try:
    lower_bound(Lazy(*how), "random", games=2000, every=4, tell=print)
except Refusal as refused:
    assert "does not find a planted weakness" in str(refused)
else:
    raise AssertionError("an adversary that learned nothing counts")
try:
    lower_bound(how, "greedy:1", games=10, every=4, tell=print)
except Refusal as refused:
    assert "against random and against policies, not against greedy:1" in str(refused)
"""


def test_jax_computes_in_whole_numbers_what_numpy_does() -> None:
    python("-c", ALIKE)


def test_a_learned_adversary_finds_what_a_best_response_would() -> None:
    python("-c", "import sys" + ADVERSARY, str(COACH))
