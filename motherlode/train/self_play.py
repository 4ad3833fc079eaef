"""A network learns a game by playing it against itself, or against a rival: how much a bot can be exploited.

Many games are played side by side (`envs.Batch`); after some steps of all of them comes a lesson (`ppo`).
"""

import time
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import numpy as jnp

from motherlode.bots import network
from motherlode.bots.network import Net
from motherlode.engine import Refusal
from motherlode.envs import Batch
from motherlode.envs.observation import layout
from motherlode.envs.stepping import LEAVE
from motherlode.game import Game
from motherlode.train import floats, ppo
from motherlode.train.ppo import Lesson, Rival, State, placed
from motherlode.train.settings import Settings, as_plain, other_tables

LAST = 0.1  # what rate and entropy fall to
SAVED = ("what", "decisions", "seed", "seconds")  # beside what was learned
SAMPLE = 8192  # observations that show how much the layers put out
LONGEST = 200  # actions of random play by which rows are moved apart at first: random games can be very long


class Progress(NamedTuple):
    """Where training is after a lesson."""

    decisions: int
    seconds: float  # of playing and learning, without compilation
    loss: float
    entropy: float
    kept: float  # the share of decisions whose outcome is known, which are learned from


class SelfPlay:
    """Training of one game. The same seed on the same machine gives the same network."""

    def __init__(
        self, game: Game, settings: Settings, *, seed: int = 0, device: str = "cpu", seats: int | None = None,
        state: State | None = None, decisions: int = 0, rival: Rival | None = None, **options: Any,
    ) -> None:  # fmt: skip
        """With a rival, the learner has one seat in every row, each as often, and the rival all others."""
        self.game, self.settings, self.seed, self.device = game, settings, seed, device
        self.shape = network.shape_of(game, settings.places, settings.place_actions)
        self.most, self.actions = max(game.SEATS), len(game.ACTIONS)
        self.kind = jnp.bfloat16 if device == "cuda" else jnp.float32
        rng = np.random.default_rng(seed)
        weights = floats.new_weights(self.shape, self.most, settings, layout(game).size, rng)
        self.state = state or ppo.new_state(weights)
        self.decisions, self.seconds = decisions, 0.0
        self.rival = rival
        others = other_tables(game, seats, options) if rival is None else []
        share = settings.rows // 2 if others else settings.rows
        make = partial(Batch, game, share, seed=seed, device=device, autoreset="same_step")
        self.main = make(seats=seats, **options)
        self.others = [make(seats=n, **found) for n, found in others]
        self.keys = placed(jax.random.key(seed + (decisions << 16)))
        batches = [self.main, *self.others]
        self.scales = [scatter(batch, jax.random.fold_in(self.keys, number)) for number, batch in enumerate(batches)]
        self.lessons = 0

    @cached_property
    def programs(self) -> Any:
        return ppo.compile_programs(self.settings, self.shape, self.kind, self.rival)

    def train(self, decisions: int, minutes: float | None = None) -> Iterator[Progress]:
        """Learn until so many decisions have been made, or the time is up; tells after every lesson."""
        began = time.perf_counter()
        while self.decisions < decisions:
            done = self.decisions / decisions
            if minutes is not None:
                done = max(done, (time.perf_counter() - began) / (60 * minutes))
            if done >= 1:
                return
            yield self.learn(done)

    def learn(self, done: float) -> Progress:
        """Play some steps and learn from them; `done` says which share of the training is over."""
        began, settings = time.perf_counter(), self.settings
        chosen = [0] + ([1 + self.lessons % len(self.others)] if self.others else [])
        self.keys, key = jax.random.split(self.keys)
        lesson, last = self.play(chosen, key, settings.margin * max(0.0, 1 - 2 * done))
        fall = 1 - (1 - LAST) * done
        rates = jnp.array([settings.rate * fall, settings.entropy * fall], jnp.float32)
        self.state, (loss, entropy, kept) = self.programs.learn(self.state, lesson, last, rates)
        self.lessons += 1
        made = settings.rows * settings.steps
        self.decisions += made
        told = float(loss), float(entropy), float(kept)
        if self.lessons > 1:  # the first compiles
            self.seconds += time.perf_counter() - began
        return Progress(self.decisions, self.seconds, *told)

    def play(self, chosen: list[int], key: Any, margin: float = 0.0) -> tuple[Lesson, Any]:
        """Some steps of these batches; and after them who acts, what is expected, and how many seats there are."""
        settings, n = self.settings, self.settings.rows
        batches = [[self.main, *self.others][number] for number in chosen]
        scales = [self.scales[number] for number in chosen]
        columns = len(self.shape.top), self.main.layout.size if settings.critic else 0
        lesson = self.programs.new_lesson(settings.steps, n, columns, self.actions, self.most)
        own = jnp.concatenate([jnp.arange(batch.rows) % batch.seats for batch in batches])
        for step in range(settings.steps):
            before = self.before(batches, "mask", "seat")
            now = jax.random.fold_in(key, step)
            acts, lesson = self.programs.act(self.state.weights, lesson, step, before, own, now)
            jax.block_until_ready(acts)  # the memory that was read is written anew now
            for batch, actions in zip(batches, acts, strict=True):
                batch.step(actions)
            lesson = self.programs.note(lesson, step, shared(batches, "done", "reward", "points"), scales, margin)
            jax.block_until_ready(lesson.done)
        seats = jnp.concatenate([jnp.full(batch.rows, batch.seats, jnp.int32) for batch in batches])
        last = (*self.programs.expect(self.state.weights, self.before(batches, "seat")), seats)
        return lesson, jax.block_until_ready(last)

    def before(self, batches: list[Batch], *names: str) -> list[tuple[Any, ...]]:
        """What is known before a decision: rows, whole positions for the critic, and what else is named."""
        if self.settings.critic:
            states = [jnp.from_dlpack(batch.state()) for batch in batches]
        else:
            states = [jnp.zeros((batch.rows, 0), jnp.uint8) for batch in batches]
        rest = shared(batches, *names)
        return [(seen(batch), state, *more) for batch, state, more in zip(batches, states, rest, strict=True)]

    def net(self, card: dict[str, Any]) -> Net:
        """The network in whole numbers."""
        plain = {
            name: {part: np.asarray(array) for part, array in layer.items()}
            for name, layer in self.state.weights.items()
        }
        batches = [self.main, *self.others]
        few = SAMPLE // len(batches) + 1
        rows = np.concatenate([np.asarray(seen(batch)[:few]) for batch in batches])
        state = np.concatenate([batch.work.to_host(batch.state())[:few] for batch in batches])
        told = {"seed": self.seed, "decisions": self.decisions, "settings": as_plain(self.settings)}
        return floats.in_whole_numbers(self.shape, plain, rows, state, card | told)

    # Files

    def save(self, file: Path) -> None:
        """Write everything that training goes on from. Games in progress are not kept: they begin anew."""
        leaves = jax.tree.leaves(self.state)
        held = {f"leaf{k}": np.asarray(leaf) for k, leaf in enumerate(leaves)}
        part = file.with_suffix(".part.npz")
        told = (network.fingerprint(self.game), self.decisions, self.seed, self.seconds)
        held |= {name: np.array(value) for name, value in zip(SAVED, told, strict=True)}
        np.savez(part, allow_pickle=False, **held)
        part.replace(file)


def seen(batch: Batch) -> Any:
    """The rows that a network is shown of a batch: observations and clues."""
    found = jnp.from_dlpack(batch.observation)
    return jnp.concatenate([found, jnp.from_dlpack(batch.clues())], 1) if batch.game.CLUES else found


def shared(batches: list[Batch], *names: str) -> list[tuple[Any, ...]]:
    """What batches hand out, as JAX's arrays over the same memory."""
    return [tuple(jnp.from_dlpack(getattr(batch, name)) for name in names) for batch in batches]


def scatter(batch: Batch, key: Any) -> float:
    """Take every row to another moment of its game, by random play; how large leads in points are in such games.

    Games of a kind are about equally long. If all began at once, a lesson would be about one part of the game alone.
    """
    length, has_ended, squares = 0, jnp.zeros(batch.rows, jnp.bool_), 0.0
    while length < LONGEST and has_ended.mean() < 0.5:
        batch.step(batch.sample())
        ((done, points),) = shared([batch], "done", "points")
        squares += float(jnp.where(done & ~has_ended, (ppo.leads(points) ** 2).mean(1), 0).sum())
        has_ended = jax.block_until_ready(has_ended | done)
        length += 1
    batch.reset()
    begins = jax.random.randint(key, (batch.rows,), 0, length)
    for step in range(length):
        chosen = jnp.where(step >= begins, jnp.from_dlpack(batch.sample()), LEAVE)
        batch.step(jax.block_until_ready(chosen))
    deviation: float = (squares / max(1.0, float(has_ended.sum()))) ** 0.5
    return 2 * deviation + 1e-6  # a lead is seldom larger


def load(file: Path, game: Game, settings: Settings, **given: Any) -> SelfPlay:
    """Training that goes on from a file."""
    fresh = SelfPlay(game, settings, **given)
    leaves, tree = jax.tree.flatten(fresh.state)
    try:
        with np.load(file) as held:
            found = {name: held[name] for name in held.files}
        what, decisions, seed, seconds = (found.pop(name).item() for name in SAVED)
    except (OSError, KeyError, ValueError) as error:
        raise Refusal(f"{file} is no saved training: {error}") from None
    if what != network.fingerprint(game):
        raise Refusal(f"{file} was saved for another game than {game.TITLE}, or for other observations of it")
    arrays = list(found.values())
    if [array.shape for array in arrays] != [np.shape(leaf) for leaf in leaves]:
        raise Refusal(f"{file} was saved with another network: train with the settings that it was begun with")
    state = placed(jax.tree.unflatten(tree, [jnp.asarray(array) for array in arrays]))
    learner = SelfPlay(game, settings, **given | {"seed": seed, "state": state, "decisions": decisions})
    learner.seconds = seconds
    return learner
