"""What JAX compiles for training: how decisions are made, what came of them, and what is learned from that.

This is proximal policy optimisation held to a magnet. A decision that turned out better than its seat expected is made
more likely, in small steps (clip); being unpredictable is rewarded (entropy); and the policy is held to a copy of
itself that follows slowly (the magnet). In games of hidden information this keeps it from chasing its own tail.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from motherlode.bots.network import Shape
from motherlode.train import floats
from motherlode.train.floats import Weights
from motherlode.train.settings import Settings

NEVER = -1e9  # the logit of an illegal action
Rival = Callable[[Any, Any], Any]  # the logits of all actions, by rows of observations and masks


class State(NamedTuple):
    """What is learned, and what Adam knows of it."""

    weights: Weights
    magnet: Weights
    mean: Weights
    square: Weights
    count: Any  # parts learned


class Lesson(NamedTuple):
    """What happened in some steps of all rows: by step and row."""

    seen: Any
    state: Any  # the whole position; nothing if there is no critic
    mask: Any
    seat: Any
    mine: Any  # whether the learner decides, or its rival
    action: Any
    log: Any  # the logarithm of how likely the action was
    values: Any  # what the critic or else the network expected, for every seat counted from the one to act
    done: Any  # after the action
    reward: Any


def new_state(weights: Weights) -> State:
    def each(make: Callable[[Any], Any]) -> Weights:
        made: Weights = jax.tree.map(make, weights)  # memory of its own, because `learn` reuses it
        return made

    zeros, count = jnp.zeros_like, jnp.zeros((), jnp.int32)
    return cast("State", placed(State(each(jnp.array), each(jnp.array), each(zeros), each(zeros), count)))


def placed(arrays: Any) -> Any:
    """On the device that all is done on: JAX compiles once more for arrays of which it does not know this."""
    return jax.device_put(arrays, jax.devices()[0])


def leads(points: Any) -> Any:
    """By row and seat, how many points it has more than the others on average: 0 until the game ends."""
    seats = points.shape[1]
    return (points * seats - points.sum(1, keepdims=True)) / (seats - 1)


class Programs(NamedTuple):
    """What JAX compiles."""

    new_lesson: Callable[..., Lesson]
    act: Callable[..., Any]
    note: Callable[..., Lesson]
    expect: Callable[..., Any]
    outcomes: Callable[..., Any]
    learn: Callable[..., Any]


def compile_programs(settings: Settings, shape: Shape, kind: Any, rival: Rival | None = None) -> Programs:
    """The programs of a training: against itself, or against a rival that is said by its logits."""

    def look(weights: Weights, seen: Any) -> tuple[Any, Any]:
        return floats.forward(shape, weights, seen, jnp, kind)

    def expected(weights: Weights, state: Any, values: Any) -> Any:
        """What the critic expects; without one, what the network does by what its seat knows."""
        return floats.criticise(shape, weights, state, jnp, kind) if settings.critic else values

    def logs_of(logits: Any, mask: Any) -> Any:
        return jax.nn.log_softmax(jnp.where(mask > 0, logits, NEVER))

    def new_lesson(steps: int, n: int, columns: tuple[int, int], actions: int, seats: int) -> Lesson:
        """Nothing yet; columns of rows, and of whole positions."""

        def zeros(kind: Any, *more: int) -> Any:
            return jnp.zeros((steps, n, *more), kind)

        flags, numbers = jnp.uint8, jnp.float32
        lesson = Lesson(
            zeros(flags, columns[0]), zeros(flags, columns[1]), zeros(flags, actions),
            zeros(jnp.int8), zeros(jnp.bool_), zeros(jnp.int32), zeros(numbers), zeros(numbers, seats),
            zeros(jnp.bool_), zeros(numbers, seats),
        )  # fmt: skip
        return cast("Lesson", placed(lesson))

    def write(cells: Any, step: int, now: Any) -> Any:
        return cells.at[step].set(now.astype(cells.dtype))

    @partial(jax.jit, donate_argnums=1)
    def act(weights: Weights, lesson: Lesson, step: int, before: Any, own: Any, key: Any) -> tuple[Any, Lesson]:
        """An action for every row, and the lesson with the decision in it; `own` are the learner's seats."""
        seen, state, mask, seat = (jnp.concatenate(parts) for parts in zip(*before, strict=True))
        logits, values = look(weights, seen)
        values = expected(weights, state, values)
        mine = jnp.ones(len(seat), jnp.bool_)
        if rival is not None:
            mine = seat == own
            logits = jnp.where(mine[:, None], logits, rival(seen, mask))
        logs = logs_of(logits, mask)
        action = jax.random.categorical(key, logs)
        log = jnp.take_along_axis(logs, action[:, None], 1)[:, 0]
        new = {"seen": seen, "state": state, "mask": mask, "seat": seat, "mine": mine}
        new |= {"action": action, "log": log, "values": values}
        lesson = lesson._replace(**{name: write(getattr(lesson, name), step, cells) for name, cells in new.items()})
        sizes = np.cumsum([len(each[-1]) for each in before])[:-1]
        return jnp.split(action.astype(jnp.int32), sizes), lesson

    @partial(jax.jit, donate_argnums=0)
    def note(lesson: Lesson, step: int, after: Any, scales: Any, margin: Any) -> Lesson:
        """The lesson with what came of the actions in it; `scales` say how large leads in points are."""
        seats = lesson.reward.shape[-1]
        done = jnp.concatenate([done for done, _, _ in after])
        results = [
            (1 - margin) * reward + margin * jnp.clip(leads(points) / scale, -1, 1)
            for (_, reward, points), scale in zip(after, scales, strict=True)
        ]
        reward = jnp.concatenate([jnp.pad(result, ((0, 0), (0, seats - result.shape[1]))) for result in results])
        return lesson._replace(done=write(lesson.done, step, done), reward=write(lesson.reward, step, reward))

    @jax.jit  # type: ignore[untyped-decorator]
    def expect(weights: Weights, now: Any) -> Any:
        """Who is to act after the last step, and what the network expects for every seat, counted from that one."""
        seen, state, seat = (jnp.concatenate(parts) for parts in zip(*now, strict=True))
        return seat, expected(weights, state, look(weights, seen)[1])

    def outcomes(lesson: Lesson, last: Any) -> tuple[Any, Any, Any, Any]:
        """By step and row: the advantage of a decision, and whether it is known; what every seat, counted from the one
        that decides, can expect after it, and whether that is known.

        It leads to what a seat expects at its own next decision, or to its result if the game ends before.
        """
        seats = lesson.reward.shape[-1]
        last_seat, last_values, count = last

        def own(seat: Any) -> Any:
            return jax.nn.one_hot(seat, seats, dtype=jnp.bool_)

        first = own(last_seat) * last_values[:, :1]

        def back(carried: Any, now: Any) -> Any:
            ahead, gain, known = carried  # of every seat
            seat, value, done, reward = now
            over = done[:, None]
            ahead, gain, known = jnp.where(over, reward, ahead), jnp.where(over, 0, gain), known | over
            goal, is_known, mine = ahead + settings.decay * gain, known, own(seat)
            of_mine = (mine * known).any(1)
            found = of_mine * ((mine * goal).sum(1) - value)
            gain = jnp.where(mine, found[:, None], gain)
            return (jnp.where(mine, value[:, None], ahead), gain, known | mine), (found, goal, is_known, of_mine)

        begin = first, jnp.zeros_like(first), own(last_seat)
        steps = lesson.seat, lesson.values[..., 0], lesson.done, lesson.reward
        _, (gain, goal, known, of_mine) = lax.scan(back, begin, steps, reverse=True)
        nth, count = jnp.arange(seats), count[:, None]
        turned = jnp.where(nth < count, (nth + lesson.seat[..., None]) % count, nth)  # as `rotation.absolute`
        goal, known = (jnp.take_along_axis(cells, turned, 2) for cells in (goal, known))
        return gain, of_mine, goal, known

    def loss(weights: Weights, magnet: Weights, part: Any, entropy_worth: Any) -> Any:
        """What is wrong with the network: it does unlikely what turned out well, and expects what did not happen."""
        seen, state, mask, action, log, gain, goal, goal_known, known = part
        logits, values = look(weights, seen)
        logs = logs_of(logits, mask)
        held = logs_of(look(magnet, seen)[0], mask)
        ratio = jnp.exp(jnp.take_along_axis(logs, action[:, None], 1)[:, 0] - log)
        better = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip) * gain)
        shares = jnp.exp(logs) * mask
        entropy = -(shares * logs).sum(1)
        apart = (shares * (logs - held)).sum(1)
        wrong = (goal_known * (values - goal) ** 2).sum(1)
        if settings.critic:
            wrong += (goal_known * (expected(weights, state, values) - goal) ** 2).sum(1)
        each = 0.5 * wrong + known * (settings.magnet * apart - better - entropy_worth * entropy)
        return each.mean(), (entropy * known).mean()

    def adam(state: State, slope: Weights, rate: Any) -> State:
        count = state.count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.mean, slope)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, state.square, slope)
        step = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        weights = jax.tree.map(lambda w, m, s: w - step * m / (jnp.sqrt(s) + 1e-8), state.weights, mean, square)
        return State(weights, state.magnet, mean, square, count)

    @partial(jax.jit, donate_argnums=0)
    def learn(state: State, lesson: Lesson, last: Any, rates: Any) -> tuple[State, Any]:
        """The state after a lesson, and the last loss, the entropy and the share of decisions learned from."""
        gain, known, goal, goal_known = outcomes(lesson, last)
        known, goal_known = known & lesson.mine, goal_known & lesson.mine[..., None]
        number = jnp.maximum(known.sum(), 1)
        mean = gain.sum() / number
        spread = jnp.sqrt(((gain - mean) ** 2 * known).sum() / number) + 1e-6
        gain = known * (gain - mean) / spread
        whole = (lesson.seen, lesson.state, lesson.mask, lesson.action, lesson.log, gain, goal, goal_known, known)
        size = settings.rows // (2 * settings.parts)

        def learn_part(state: State, at: Any) -> Any:
            """Learn from a share of the rows, of either batch."""
            part = [
                jnp.concatenate(
                    [
                        lax.dynamic_slice_in_dim(cells, first + at * size, size, 1).reshape(
                            settings.steps * size, *cells.shape[2:]
                        )
                        for first in (0, settings.rows // 2)
                    ]
                )
                for cells in whole
            ]
            (wrong, entropy), slope = jax.value_and_grad(loss, has_aux=True)(
                state.weights, state.magnet, part, rates[1]
            )
            return adam(state, slope, rates[0]), (wrong, entropy)

        order = jnp.tile(jnp.arange(settings.parts), settings.epochs)
        state, (wrong, entropy) = lax.scan(learn_part, state, order)
        magnet = jax.tree.map(lambda m, w: m + settings.follow * (w - m), state.magnet, state.weights)
        return state._replace(magnet=magnet), (wrong[-1], entropy.mean() / known.mean(), known.mean())

    return Programs(new_lesson, act, note, expect, outcomes, learn)
