"""A network learns a single deal of Goldmine by playing against itself (PPO): three minutes on one core.

    cd examples
    python self_play.py                 # writes self_play.npz
    motherlode match goldmine -o target=0 --bots py:self_play:choose,prospector --games 2000

`train` needs JAX (`pip install jax`); the bot, `choose`, does not.
"""

import argparse
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from motherlode.envs import Batch, layout
from motherlode.game import Rng, below
from motherlode.table import Ask

FILE = Path("self_play.npz")
ROWS, STEPS = 512, 64  # games side by side, and steps between two lessons
EPOCHS, PARTS = 2, 8  # how often a lesson is gone through, in how many parts
HIDDEN, RATE, CLIP, LAMBDA, ENTROPY = 256, 1e-3, 0.2, 0.95, 0.01


def new_net(columns: int, actions: int, rng: np.random.Generator) -> dict[str, Any]:
    sizes = {"first": (columns, HIDDEN), "second": (HIDDEN, HIDDEN), "policy": (HIDDEN, actions), "value": (HIDDEN, 1)}
    net = {name: rng.normal(0, (2 / size[0]) ** 0.5, size) for name, size in sizes.items()}
    net |= {f"{name}_bias": np.zeros(size[1]) for name, size in sizes.items()}
    net["policy"] *= 0.01
    return {name: array.astype(np.float32) for name, array in net.items()}


def forward(xp: Any, net: dict[str, Any], seen: Any, mask: Any) -> tuple[Any, Any]:
    """By NumPy or JAX: a score for every action, lowest for illegal ones; and the result that the seat expects."""
    hidden = xp.maximum(seen @ net["first"] + net["first_bias"], 0)
    hidden = xp.maximum(hidden @ net["second"] + net["second_bias"], 0)
    scores = xp.where(mask > 0, hidden @ net["policy"] + net["policy_bias"], -1e9)
    return scores, (hidden @ net["value"] + net["value_bias"])[..., 0]


def advantages(seat: Any, value: Any, done: Any, reward: Any, last_seat: Any, last_value: Any) -> tuple[Any, Any]:
    """How much better a decision turned out than its seat expected, and whether that is known yet; by step and row.

    It led to what the seat expects at its own next decision, or to its result if the game ended before.
    """
    everybody, (_, rows, seats) = np.arange(len(last_seat)), reward.shape
    ahead, gain, known = np.zeros((rows, seats)), np.zeros((rows, seats)), np.zeros((rows, seats), bool)
    ahead[everybody, last_seat], known[everybody, last_seat] = last_value, True
    gains, are_known = np.zeros(seat.shape, np.float32), np.zeros(seat.shape, bool)
    for t in reversed(range(len(seat))):
        over, mine = done[t], (everybody, seat[t])
        ahead[over], gain[over], known[over] = reward[t][over], 0, True
        gain[mine] = known[mine] * (ahead[mine] - value[t] + LAMBDA * gain[mine])
        gains[t], are_known[t] = gain[mine], known[mine]
        ahead[mine], known[mine] = value[t], True
    return gains, are_known


def train(game: str, decisions: int, *, seed: int = 0, rows: int = ROWS, **options: Any) -> dict[str, Any]:
    """A network after so many decisions against itself; repeatable by its seed."""
    import jax  # not above: the bot plays without it
    from jax import numpy as jnp

    @jax.jit  # type: ignore[untyped-decorator]
    def act(net: Any, seen: Any, mask: Any, key: Any) -> Any:
        scores, value = forward(jnp, net, seen, mask)
        action = jax.random.categorical(key, scores)
        return action, jnp.take_along_axis(jax.nn.log_softmax(scores), action[:, None], 1)[:, 0], value

    def loss(net: Any, seen: Any, mask: Any, action: Any, log: Any, gain: Any, goal: Any, known: Any) -> Any:
        scores, value = forward(jnp, net, seen, mask)
        logs = jax.nn.log_softmax(scores)
        ratio = jnp.exp(jnp.take_along_axis(logs, action[:, None], 1)[:, 0] - log)
        policy = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gain)
        entropy = -(jnp.exp(logs) * logs * mask).sum(1)
        return ((0.5 * (value - goal) ** 2 - policy - ENTROPY * entropy) * known).mean()

    @jax.jit  # type: ignore[untyped-decorator]
    def learn(net: Any, mean: Any, square: Any, count: int, rate: float, lesson: Any) -> Any:
        """Adam."""
        wrong, slope = jax.value_and_grad(loss)(net, *lesson)
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slope)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, slope)
        rate *= jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        net = jax.tree.map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), net, mean, square)
        return net, mean, square, wrong

    batch = Batch(game, rows, seed=seed, dtype="float32", autoreset="same_step", **options)
    rng, keys = np.random.default_rng(seed), iter(jax.random.split(jax.random.key(seed), 1 + decisions // rows))
    net = new_net(batch.layout.size, len(batch.game.ACTIONS), rng)
    mean = square = jax.tree.map(np.zeros_like, net)
    lessons, count = decisions // (rows * STEPS), 0
    for number in range(lessons):
        played = []
        for _ in range(STEPS):
            before = batch.observation.copy(), batch.mask.copy(), batch.seat.copy()
            chosen = [np.asarray(each) for each in act(net, *before[:2], next(keys))]
            batch.step(chosen[0])
            played.append((*before, *chosen, batch.done.copy(), batch.reward.copy()))
        seen, mask, seat, action, log, value, done, reward = map(np.stack, zip(*played, strict=True))
        _, last_value = forward(np, {k: np.asarray(w) for k, w in net.items()}, batch.observation, batch.mask)
        gain, known = advantages(seat, value, done, reward, batch.seat, last_value)
        goal, gain = gain + value, (gain - gain[known].mean()) / gain[known].std()
        whole = [
            array.reshape(rows * STEPS, *array.shape[2:]) for array in (seen, mask, action, log, gain, goal, known)
        ]
        for _ in range(EPOCHS):
            for part in np.array_split(rng.permutation(rows * STEPS), PARTS):
                count += 1
                lesson = [array[part] for array in whole]
                net, mean, square, wrong = learn(net, mean, square, count, RATE * (1 - number / lessons), lesson)
        if number % 10 == 9:
            print(f"{(number + 1) * rows * STEPS:,} decisions, loss {wrong:.4f}", flush=True)
    return {name: np.asarray(array) for name, array in net.items()}


@cache
def load() -> dict[str, Any]:
    with np.load(FILE) as saved:
        return {name: saved[name] for name in saved.files}


def choose(ask: Ask, rng: Rng) -> int:
    """The bot: it takes each action as often as the network says."""
    seen = layout(ask.game).encode(ask.view, ask.seat, dtype=np.float32)
    mask = np.zeros(len(ask.game.ACTIONS))
    mask[ask.legal] = 1
    scores, _ = forward(np, load(), seen, mask)
    shares = np.cumsum(np.exp(scores - scores.max()))
    return int(np.searchsorted(shares, shares[-1] * below(rng, 1 << 30) / (1 << 30), side="right"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=6_000_000)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    np.savez(FILE, **train("goldmine", given.decisions, seed=given.seed, rows=given.rows, target=0))
