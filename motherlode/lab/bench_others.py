"""Other libraries' environments, and ours as they see them, stepped at random for `motherlode bench envs`."""

import os
import random
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from motherlode.game import Game
from motherlode.lab.bench_envs import Run, Say, per_core, rate, row

PGX = ("kuhn_poker", "connect_four", "2048", "sparrow_mahjong")
PGX_ROWS = {"cpu": (1024, 4096), "gpu": (1 << 17,)}  # that are tried; with more, XLA compiles for minutes
PGX_STEPS = 10  # compiled into one call
OPENSPIEL = ("kuhn_poker", "leduc_poker", "connect_four")
SYNC_ROWS, VECTOR_ROWS = 64, 4096
Rows = Iterator[dict[str, Any]]


def run(games: list[Game], say: Say) -> Rows:
    """Rows of every library that is installed."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would print among the rows
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of a GPU's memory
    for needed, measure in LIBRARIES:
        missing = [name for name in needed if not find_spec(name)]
        if missing:
            say(f"{needed[0]}: left out, as {' and '.join(missing)} is not installed")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other libraries
            for each in measure(games):
                say(f"{each['library']}: {each['game']}")
                yield each


def pgx_rows(games: list[Game]) -> Rows:
    """Pgx on the device that JAX uses: steps with observations, games that start again, random legal actions."""
    import jax

    device = jax.default_backend()
    for name in PGX:
        speeds = {}
        for rows in PGX_ROWS["cpu" if device == "cpu" else "gpu"]:
            walk, players = pgx_walk(name, rows)
            speeds[rows] = per_core(walk) if device == "cpu" else rate(walk, time.perf_counter)
        rows = max(speeds, key=lambda n: speeds[n])
        yield row("pgx", name, players, rows, speeds[rows], {"gpu": "cuda"}.get(device, device))


def pgx_walk(name: str, rows: int) -> tuple[Run, int]:
    import jax
    import pgx  # type: ignore[import-untyped]
    from jax import numpy as jnp
    from pgx.experimental.wrappers import auto_reset  # type: ignore[import-untyped]

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit  # type: ignore[untyped-decorator]
    def walk(state: Any, key: Any) -> Any:
        def one(_: int, now: Any) -> Any:
            state, key = now
            key, choosing, drawing = jax.random.split(key, 3)
            scores = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            chosen = jax.random.categorical(choosing, scores)
            return step(state, chosen, jax.random.split(drawing, rows)), key

        return jax.lax.fori_loop(0, PGX_STEPS, one, (state, key))

    now = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), rows)), jax.random.key(1)

    def run(rounds: int) -> int:
        nonlocal now
        for _ in range(rounds):
            now = walk(*now)
        jax.block_until_ready(now)
        return rounds * PGX_STEPS * rows

    return run, env.num_players


def pettingzoo_rows(games: list[Game]) -> Rows:
    """An AEC environment, stepped as its documents show."""
    from pettingzoo.classic import connect_four_v3, tictactoe_v3

    from motherlode.envs import pettingzoo

    envs = {"connect_four_v3": connect_four_v3.env(), "tictactoe_v3": tictactoe_v3.env()}
    envs |= {f"motherlode/{game.NAME}_v1": pettingzoo.env(game) for game in games}
    for name, env in envs.items():
        yield row("pettingzoo", name, len(env.possible_agents), 1, per_core(agents_in_turn(env)))
        env.close()


def agents_in_turn(env: Any) -> Run:
    rng = random.Random(1)

    def run(rounds: int) -> int:
        steps = 0
        for _ in range(rounds):
            env.reset()
            for _ in env.agent_iter():
                seen, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                else:
                    env.step(rng.choice(np.flatnonzero(seen["action_mask"]).tolist()))
                    steps += 1
        return steps

    return run


def openspiel_rows(games: list[Game]) -> Rows:
    from open_spiel.python import rl_environment

    from motherlode.envs import openspiel

    names = [*OPENSPIEL, *(openspiel.register(game) for game in games)]
    for name in names:
        env = rl_environment.Environment(name)
        yield row("openspiel", name, env.num_players, 1, per_core(time_steps(env)))


def time_steps(env: Any) -> Run:
    rng = random.Random(1)

    def run(rounds: int) -> int:
        steps = 0
        for _ in range(rounds):
            now = env.reset()
            while not now.last():
                legal = now.observations["legal_actions"][now.observations["current_player"]]
                now = env.step([rng.choice(legal)])
                steps += 1
        return steps

    return run


def gymnasium_rows(games: list[Game]) -> Rows:
    """CartPole in Gymnasium's own vector environment, and ours, with a random opponent inside the step."""
    import gymnasium
    from gymnasium.vector import SyncVectorEnv

    from motherlode.envs.gymnasium import VectorEnv, env_id

    poles = SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * SYNC_ROWS)
    yield row("gymnasium", "CartPole-v1", 1, SYNC_ROWS, per_core(vector_steps(poles, poles.action_space.sample)))
    for game in games:
        env = VectorEnv(game, VECTOR_ROWS, threads=1)
        speed = per_core(vector_steps(env, env.batch.sample))
        yield row("gymnasium", env_id(game), min(game.SEATS), VECTOR_ROWS, speed)


def vector_steps(env: Any, sample: Callable[[], Any]) -> Run:
    env.reset(seed=1)

    def run(rounds: int) -> int:
        for _ in range(rounds):
            env.step(sample())
        return rounds * int(env.num_envs)

    return run


LIBRARIES: tuple[tuple[tuple[str, ...], Callable[[list[Game]], Rows]], ...] = (
    (("pgx", "jax"), pgx_rows),
    (("pettingzoo", "pygame"), pettingzoo_rows),
    (("open_spiel", "pyspiel"), openspiel_rows),
    (("gymnasium",), gymnasium_rows),
)
