"""Many games at once as Gymnasium's vector environment: every row is the single game of its number, in every mode."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from motherlode.engine import Refusal
from motherlode.envs.gymnasium import SeatEnv, VectorEnv, env_id
from motherlode.envs.observation import layout
from motherlode.game import Game, below, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask

COMPILED = ("goldmine",)  # compiling all takes long
COMPILED_GAMES = pytest.mark.parametrize(
    "game",
    [pytest.param(game, id=name, marks=[] if name in COMPILED else pytest.mark.soak) for name, game in GAMES.items()],
)
ROWS, FINISHED = 3, 7  # games that are played to their end


class Seen(NamedTuple):
    """What a step of an episode gave; the first has no reward."""

    row: list[int]
    mask: list[int]
    reward: float
    done: bool


def choice(mask: Any, number: int, step: int) -> int:
    """What is played in this step of the game of this number: now and then something illegal."""
    rng = new_rng(number, step)
    allowed = np.flatnonzero(mask if number % 4 != 3 or step < 5 else mask == 0)
    allowed = allowed if len(allowed) else np.flatnonzero(mask)
    return int(allowed[below(rng, len(allowed))])


def single(env: SeatEnv, games: int) -> list[list[Seen]]:
    """The first games of seed 7, one after the other."""
    played = []
    for number in range(games):
        row, info = env.reset(seed=7) if number == 0 else env.reset()
        seen = [Seen(row.tolist(), info["action_mask"].tolist(), 0.0, False)]
        while not env.is_done:
            row, reward, done, _, info = env.step(choice(info["action_mask"], number, len(seen)))
            seen.append(Seen(row.tolist(), info["action_mask"].tolist(), reward, done))
        played.append(seen)
    return played


def together(env: VectorEnv) -> dict[int, list[Seen]]:
    """The games of seed 7 that the rows play, as the caller gets to see them."""
    played: dict[int, list[Seen]] = {}
    number = list(range(ROWS))
    masks: Any = None

    def note(rows: Any, masks: Any, rewards: Any, done: Any, row: int) -> None:
        seen = Seen(rows[row].tolist(), masks[row].tolist(), rewards[row], bool(done[row]))
        played.setdefault(number[row], []).append(seen)

    rows, infos = env.reset(seed=7)
    no_reward, never = np.zeros(ROWS), np.zeros(ROWS, bool)
    for row in range(ROWS):
        note(rows, infos["action_mask"], no_reward, never, row)
    while sum(seen[-1].done for seen in played.values()) < FINISHED:
        masks, before = infos["action_mask"], [len(played[n]) for n in number]
        actions = [choice(masks[row], number[row], before[row]) for row in range(ROWS)]
        begins = [played[n][-1].done for n in number]
        rows, rewards, done, truncated, infos = env.step(np.array(actions))
        assert rows in env.observation_space
        assert not truncated.any()
        for row in range(ROWS):
            if begins[row]:  # the next step after the end: another game, and no reward
                number[row] += ROWS
                assert not done[row]
            if env.autoreset == AutoresetMode.SAME_STEP and done[row]:
                assert infos["_final_obs"][row] and infos["_final_info"][row]
                note(infos["final_obs"], infos["final_info"]["action_mask"], rewards, done, row)
                number[row] += ROWS
                note(rows, infos["action_mask"], no_reward, never, row)
            else:
                assert not infos.get("_final_obs", never)[row]
                note(rows, infos["action_mask"], rewards, done, row)
        if env.autoreset == AutoresetMode.DISABLED and done.any():
            with pytest.raises(Refusal, match=r"rows \[\d.*\] are over: reset them"):
                env.step(np.array(actions))
            rows, infos = env.reset(options={"reset_mask": done})
            for row in np.flatnonzero(done).tolist():
                number[row] += ROWS
                note(rows, infos["action_mask"], no_reward, never, row)
    return played


def lowest(mask: Any) -> Any:
    return np.argmax(mask, axis=-1)


def lowest_bot(ask: Ask, rng: Any) -> int:
    return ask.legal[0]


@COMPILED_GAMES
@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)
@pytest.mark.parametrize("by_policy", [False, True], ids=["random", "policy"])
def test_every_row_is_the_single_game_of_its_number(game: Game, mode: AutoresetMode, by_policy: bool) -> None:
    seats, policy = game.SEATS[-1], lambda rows, masks: lowest(masks)
    settings: dict[str, Any] = {
        "seat": seats - 1,
        "seats": seats,
        "log": 2 * by_policy,
        "dtype": ("uint8", "float32")[by_policy],
    }
    found = together(VectorEnv(game, ROWS, policy if by_policy else "random", autoreset_mode=mode, **settings))
    alike = single(SeatEnv(game, lowest_bot if by_policy else "random", **settings), max(found) + 1)
    for number, seen in found.items():
        expected = alike[number][: len(seen)]
        assert [each.row for each in seen] == [each.row for each in expected]
        assert [each.mask for each in seen] == [each.mask for each in expected]
        assert [each.done for each in seen] == [each.done for each in expected]
        assert [each.reward for each in seen] == pytest.approx([each.reward for each in expected])
    assert any(seen[-1].reward == -1 and seen[-1].done for number, seen in found.items() if number % 4 == 3)


def goldmine(rows: int = ROWS, **settings: Any) -> VectorEnv:
    return VectorEnv("goldmine", rows, **{"target": 0, **settings})


def test_gymnasium_makes_one() -> None:
    made: Any = gymnasium.make_vec(env_id(GAMES["goldmine"]), num_envs=4, opponent="random", seat=1, target=0)
    assert isinstance(made, VectorEnv)
    assert made.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert (made.num_envs, made.observation_space.shape) == (4, (4, layout(GAMES["goldmine"]).size))
    assert made.action_space == gymnasium.spaces.MultiDiscrete([42] * 4)
    rows, infos = made.reset(seed=1)
    assert rows in made.observation_space
    assert infos["_action_mask"].all()
    named = gymnasium.make_vec(
        env_id(GAMES["goldmine"]), num_envs=2, vectorization_mode="sync", opponent="greedy:1", compiled=False
    )
    assert named.reset(seed=1)[0].shape[0] == 2


def test_an_illegal_action_loses_its_row_and_says_why() -> None:
    env = goldmine()
    _, infos = env.reset(seed=7)
    actions = env.batch.sample()
    actions[1] = np.flatnonzero(infos["action_mask"][1] == 0)[0]
    _, rewards, done, _, infos = env.step(actions)
    assert (rewards.tolist(), done.tolist()) == ([0, -1, 0], [False, True, False])
    assert infos["_illegal"].tolist() == infos["_why"].tolist() == [False, True, False]
    assert infos["illegal"][1] == actions[1]
    assert infos["clause"][1] in infos["why"][1]
    assert infos["legal"][1]
    assert infos["why"][0] is None
    assert infos["action_mask"][1].all()
    strict = goldmine(illegal="raise")
    strict.reset(seed=7)
    before = strict.batch.records.tobytes()
    with pytest.raises(Refusal, match=r"Goldmine, row 1: .* is not legal for seat 0"):
        strict.step(actions)
    assert strict.batch.records.tobytes() == before


def test_resets_go_on_to_other_games_and_seeds_come_back() -> None:
    env = goldmine()
    first = env.reset(seed=3)[0]
    assert env.batch.stream.tolist() == [0, 1, 2]
    env.reset()
    assert env.batch.stream.tolist() == [3, 4, 5]
    env.reset(options={"reset_mask": np.array([False, True, False])})
    assert env.batch.stream.tolist() == [3, 7, 5]
    assert np.array_equal(env.reset(seed=3)[0], first)
    other = [goldmine(), goldmine()]
    for each in other:
        each.reset()
    assert other[0].batch.seed != other[1].batch.seed


def test_arrays_are_copies_unless_asked_otherwise() -> None:
    for copy in (True, False):
        env = goldmine(copy=copy)
        rows, infos = env.reset(seed=1)
        kept = rows.copy(), infos["action_mask"].copy()
        env.step(env.batch.sample())
        assert np.array_equal(rows, kept[0]) == copy
        assert np.array_equal(infos["action_mask"], kept[1]) == copy


def test_rendering_shows_every_row_to_its_seat() -> None:
    env = goldmine(2, render_mode="ansi")
    env.reset(seed=1)
    single = SeatEnv("goldmine", target=0, render_mode="ansi", compiled=False)
    single.reset(seed=1)
    screens = env.render()
    assert len(screens) == 2
    assert screens[0] == single.render()
    assert goldmine(1, render_mode="rgb_array").render()[0].shape[2] == 3


def refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(Refusal, match=message):
        call()


def test_wrong_input_is_refused() -> None:
    refused(partial(goldmine, opponent="digger"), "the opponent is 'random' or a function .* not 'digger'")
    refused(partial(goldmine, seat="random"), "seat is 0 to 1, or for a single game 'random', not 'random'")
    refused(partial(goldmine, autoreset_mode="never"), "autoreset_mode is 'NextStep' or .* not 'never'")
    refused(partial(goldmine, render_mode="human"), "render_mode is ansi, rgb_array or None, not 'human'")
    refused(partial(goldmine, 0), "rows")
    env = goldmine()
    refused(partial(env.step, [0, 0, 0]), "call reset first")
    mask = np.array([True, False, False])
    refused(partial(env.reset, options={"reset_mask": mask}), "a seed begins games in all rows")
    env.reset(seed=1)
    refused(partial(env.reset, seed=1, options={"reset_mask": mask}), "a seed begins games in all rows")
    for wrong in (mask[:2], mask & False, mask.astype(int), [True, False, False]):
        refused(partial(env.reset, options={"reset_mask": wrong}), "reset_mask is an array of 3 booleans")
    refused(partial(env.reset, seed=[1, 2, 3]), "a seed is a whole number")  # type: ignore[arg-type]
    for actions in ([0, 0], [0.5, 0, 0], [[0], [0], [0]]):
        refused(partial(env.step, np.array(actions)), "Goldmine: step takes 3 whole numbers")
    for a in (-1, -2, 42):
        refused(partial(env.step, np.array([*env.batch.sample()[:2], a])), f"Goldmine, row 2: {a} is no action")
