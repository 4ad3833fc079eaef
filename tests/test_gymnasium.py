"""Gymnasium's check passes for every game, and an environment is the game, played against the bots that were named."""

import copy
import ctypes
import pickle
import shlex
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from support.outside_game import outside_game
from support.two_piles import GAME as TWO_PILES

from motherlode import bots, contract, engine, text
from motherlode.engine import Refusal
from motherlode.envs.gymnasium import SeatEnv, env_id, register
from motherlode.envs.observation import layout
from motherlode.game import CHANCE, OVER, Game, Rng, below, new_rng
from motherlode.games import GAMES
from motherlode.shuffles import Draws
from motherlode.table import Ask, Illegal, Table

EVERY_GAME = pytest.mark.parametrize("game", [*GAMES.values(), TWO_PILES], ids=lambda game: game.NAME)
EVERY_GAME_WITH_A_RULE = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)  # that can be broken
EVERY_TABLE = pytest.mark.parametrize(
    ("game", "seats"), [pytest.param(game, n, id=f"{game.NAME}-{n}") for game in GAMES.values() for n in game.SEATS]
)
plain = partial(SeatEnv, compiled=False)


def legal(env: SeatEnv) -> list[int]:
    found: list[int] = np.flatnonzero(env.action_masks()).tolist()
    return found


def play(env: SeatEnv, decisions: int, rng: Rng) -> list[tuple[Any, ...]]:
    """Play at random, for so many decisions or to the end; what the steps gave."""
    given: list[tuple[Any, ...]] = []
    while decisions and not env.is_done:
        choices = legal(env)
        row, *rest = env.step(choices[below(rng, len(choices))])
        given.append((row.tolist(), *rest))
        decisions -= 1
    return given


@EVERY_TABLE
@pytest.mark.parametrize("opponent", ["random", "greenhorn", "greedy:1"])
def test_the_check_passes(game: Game, seats: int, opponent: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = gymnasium.make(
        env_id(game), opponent=opponent, seats=seats, seat="random" if seats > 2 else seats - 1, compiled=False
    )
    check_env(made.unwrapped)
    assert game.TITLE in capsys.readouterr().out  # it was rendered for people too


def test_a_strong_level_in_compiled_rules_passes_too() -> None:
    made = gymnasium.make("motherlode/Goldmine-v1", opponent="digger", seat="random", target=50)
    check_env(made.unwrapped, skip_render_check=True)
    found: Any = made.unwrapped
    alike = plain("goldmine", "digger", seat="random", target=50)
    for env in (found, alike):
        env.reset(seed=1)
        env.reset()
    assert str(play(found, -1, new_rng(3))) == str(play(alike, -1, new_rng(3)))
    assert found.metadata["rules"] == GAMES["goldmine"].RULES


@EVERY_GAME
def test_an_environment_is_the_game_against_these_bots(game: Game) -> None:
    """Game k of a seed: chance from stream k, and the bots from one of their own below 0."""
    for number, (seats, options) in enumerate(contract.some(contract.tables(game), 4, 1)):
        names = ["greedy:1" if bot == number else "random" for bot in range(seats)]
        seat = (number + 1) % seats
        dtype, log = (("uint8", 0), ("float32", 2))[number % 2]
        others = names[:seat] + names[seat + 1 :]
        env = plain(game, others, seat=seat, seats=seats, dtype=dtype, log=log, **options)
        row, info = env.reset(seed=number)
        for k in range(2):
            rng, mine = new_rng(number, k), new_rng(7, number)
            theirs = new_rng(number, -1 - 2 * k)
            players = [bots.make(name, game) for name in names]
            table = Table.replay(text.Played(game, seats, options, []), chance=Draws(game, rng))
            reward, done = 0.0, False
            while True:
                while table.turn == CHANCE:
                    table.append(engine.draw(game, table.position, rng))
                if table.turn == OVER:
                    break
                if table.turn != seat:
                    table.append(players[table.turn](table.ask(), theirs))
                    continue
                assert (reward, done, info["seat"]) == (0, False, seat)
                expected = layout(game, log).encode(table.view(seat), seat, table.told(seat), np.dtype(dtype))
                assert np.array_equal(row, expected)
                choices = engine.legal(game, table.position)
                assert np.flatnonzero(info["action_mask"]).tolist() == choices == legal(env)
                a = choices[below(mine, len(choices))]
                row, reward, done, truncated, info = env.step(a)
                assert not truncated
                table.append(a)
            assert done
            assert reward == engine.utility(game, table.position)[seat]
            assert (info["points"], info["winners"]) == (table.points, table.winners)
            assert info["action_mask"].all()
            row, info = env.reset()


@EVERY_GAME_WITH_A_RULE
def test_an_illegal_action_loses(game: Game) -> None:
    for number, (seats, options) in enumerate(contract.some(contract.tables(game), 4, 1)):
        env = plain(game, seat=seats - 1, seats=seats, **options)
        env.reset(seed=number)
        play(env, 1, new_rng(number))
        assert env.episode
        view = engine.view(game, env.episode.position, env.seat)
        forbidden = [a for a in game.ACTIONS if a not in legal(env)]
        a = forbidden[number % len(forbidden)]
        strict = plain(game, seat=seats - 1, seats=seats, illegal="raise", **options)
        strict.load(env.save())
        choices = [game.ACTIONS.name(each) for each in legal(env)]
        _, reward, terminated, truncated, info = env.step(a)
        assert (reward, terminated, truncated) == (-1, True, False)
        assert (info["illegal"], info["clause"], info["legal"]) == (a, engine.why(game, view, a), choices)
        assert info["action_mask"].all()
        with pytest.raises(Refusal, match="the episode is over; call reset"):
            env.step(a)
        with pytest.raises(Illegal) as refusal:
            strict.step(a)
        assert (refusal.value.clause, str(refusal.value)) == (info["clause"], info["why"])
        assert strict.episode
        assert strict.episode.log == env.episode.log
        assert not strict.is_done


@EVERY_GAME_WITH_A_RULE
def test_worlds_that_the_seat_cannot_tell_apart_give_it_the_same(game: Game) -> None:
    hides = differed = 0
    for number, (seats, options) in enumerate(contract.some(contract.tables(game), 5, 2)):
        env = plain(game, seat=number % seats, seats=seats, render_mode="ansi", **options)
        env.reset(seed=number)
        play(env, 2, new_rng(number))
        if env.is_done:
            continue
        other = copy.deepcopy(env)
        assert env.episode and other.episode
        world = engine.view(game, env.episode.position, env.seat)
        hides += bytes(world) != bytes(env.episode.position)
        game.guess(world, env.seat, new_rng(number, 9))
        differed += bytes(world) != bytes(env.episode.position)
        ctypes.memmove(ctypes.byref(other.episode.position), bytes(world), ctypes.sizeof(world))
        forbidden = next(a for a in game.ACTIONS if a not in legal(env))
        assert env.render() == other.render()
        given = [each.step(forbidden) for each in (env, other)]
        assert np.array_equal(given[0][0], given[1][0])
        assert str(given[0][1:]) == str(given[1][1:])
        assert env.render() == other.render()
    assert differed or not hides


@EVERY_GAME
def test_copies_go_on_as_the_original_does(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, game.NAME, game)  # where a pickled game is looked up
    seats = game.SEATS[-1]
    env = plain(game, "greedy:1", seat="random", seats=seats)
    env.reset(seed=4)
    play(env, 2, new_rng(1))
    saved = env.save()
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), plain(game, "greedy:1", seats=seats)]
    copies[2].load(pickle.loads(pickle.dumps(saved)))
    given = [str(play(each, -1, new_rng(2))) for each in (env, *copies)]
    assert given[1:] == given[:1] * 3
    env.load(saved)
    assert str(play(env, -1, new_rng(2))) == given[0]


def test_a_random_seat_is_another_one_in_every_episode_and_follows_from_the_seed() -> None:
    env = plain("mount_goldrush", seats=3, seat="random")
    runs = []
    for _ in range(2):
        seats = [env.reset(seed=5)[1]["seat"]]
        seats += [env.reset()[1]["seat"] for _ in range(20)]
        runs.append(seats)
    assert runs[0] == runs[1]
    assert {*runs[0]} == {0, 1, 2}


def test_a_function_can_be_the_opponent_and_random_is_what_the_bot_would_do() -> None:
    by_name, by_function = plain("goldmine", "random"), plain("goldmine", bots.make("random"))
    for env in (by_name, by_function):
        env.reset(seed=2)
    assert str(play(by_name, -1, new_rng(1))) == str(play(by_function, -1, new_rng(1)))

    def cheat(ask: Ask, rng: Rng) -> int:
        return next(a for a in ask.game.ACTIONS if a not in ask.legal)

    with pytest.raises(Illegal, match="is not legal here"):
        plain("goldmine", cheat, seat=0).reset(seed=7)  # seat 1 begins


def program(folder: Path, code: str) -> str:
    path = folder / "player.py"
    path.write_text(code, "utf-8")
    return "cmd:" + shlex.join([sys.executable, str(path)])


def test_a_program_can_be_the_opponent_and_ends_with_the_episode(tmp_path: Path) -> None:
    answer = "{'action': int(min(json.loads(input())['legal'], key=int))}"
    code = f"import json\nwhile True:\n    print(json.dumps({answer}), flush=True)"
    env = plain("goldmine", program(tmp_path, code), target=0)
    env.reset(seed=7)
    (player,) = env.players.values()
    assert isinstance(player, bots.outside.Outside)
    assert player.program
    process = player.program.process
    assert process.poll() is None
    first = plain("goldmine", lambda ask, rng: ask.legal[0], target=0)
    first.reset(seed=7)
    given = play(env, -1, new_rng(1))
    assert str(given) == str(play(first, -1, new_rng(1)))
    assert process.poll() is not None
    assert "lost_seats" not in given[-1][-1]


def test_a_program_can_stay_for_the_next_episode(tmp_path: Path) -> None:
    code = "import json\nwhile ask := json.loads(input()):\n    "
    code += "print(json.dumps({'action': min(ask.get('legal', [0]), key=int), 'stay': True}), flush=True)"
    env = plain("goldmine", program(tmp_path, code), target=0)
    processes = []
    for seed in (7, 8):
        env.reset(seed=seed)
        play(env, 1, new_rng(1))
        (player,) = env.players.values()
        assert isinstance(player, bots.outside.Outside) and player.program
        processes.append(player.program.process)
        assert "lost_seats" not in play(env, -1, new_rng(1))[-1][-1]
    assert processes[0] is processes[1]
    bots.end_programs()
    assert processes[0].poll() is not None


def test_a_program_that_fails_is_named(tmp_path: Path) -> None:
    env = plain("goldmine", program(tmp_path, "raise SystemExit(3)"), target=0)
    env.reset(seed=7)
    assert "ended with status 3" in play(env, -1, new_rng(1))[-1][-1]["lost_seats"][1]
    env.close()
    env.close()


def test_masks_are_never_all_false_in_a_vector_of_environments() -> None:
    """With the next step after the end any action will do, but there has to be one."""
    vector = SyncVectorEnv([partial(plain, "goldmine", target=0)] * 3)
    _, info = vector.reset(seed=1)
    ended, rng = 0, new_rng(1)
    for _ in range(60):
        choices = [np.flatnonzero(mask) for mask in info["action_mask"]]
        assert all(len(each) for each in choices)
        _, _, done, _, info = vector.step(np.array([each[below(rng, len(each))] for each in choices]))
        assert "illegal" not in info
        ended += done.sum()
    assert ended > 3


def test_ids() -> None:
    assert [env_id(GAMES[name]) for name in ("goldmine", "china_gold")] == [
        "motherlode/Goldmine-v1",
        "motherlode/ChinaGold-v1",
    ]
    assert all(env_id(game) in gymnasium.registry for game in GAMES.values())
    assert gymnasium.make("motherlode.envs.gymnasium:motherlode/Goldmine-v1", compiled=False).spec
    assert register(GAMES["goldmine"]) == "motherlode/Goldmine-v1"  # again, without a warning


def test_a_game_from_outside_can_be_registered(tmp_path: Path) -> None:
    with outside_game(tmp_path) as game:
        name = register(game)
        try:
            made = gymnasium.make(name, opponent="greedy:1", compiled=False)
            check_env(made.unwrapped, skip_render_check=True)
        finally:
            del gymnasium.registry[name]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"seats": 6}, "is for 3 or 4 or 5 seats, not 6"),
        ({"seat": 3}, "Claimpoker with 3 seats: seat is 0 to 2, or for a single game 'random', not 3"),
        ({"seat": "first"}, "'random', not 'first'"),
        ({"opponent": "duke"}, "there is no bot 'duke'"),
        ({"opponent": ["random"]}, "Claimpoker with 3 seats has 2 opponents, not 1"),
        ({"opponent": ["random", 4]}, "an opponent is the name of a bot or a function, not 4"),
        ({"opponent": 4}, "an opponent is the name of a bot or a function, not 4"),
        ({"scoring": "none"}, "scoring can be example, text, not 'none'"),
        ({"render_mode": "svg"}, "render_mode is human, ansi, rgb_array or None, not 'svg'"),
        ({"dtype": "float64"}, "observations are uint8 or float32"),
        ({"illegal": "skip"}, "illegal is 'end' or 'raise'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(Refusal, match=message):
        plain(**{"game": "claimpoker", **settings})


def test_wrong_calls_are_refused() -> None:
    env = plain("goldmine")
    for call in (partial(env.step, 0), env.render, env.save, env.action_masks):
        with pytest.raises(Refusal, match="Goldmine: call reset first"):
            call()
    env.reset(seed=1)
    for action in (-1, 42, 1.0, None, np.array([1, 2])):
        with pytest.raises(Refusal, match="they are numbered 0 to 41"):
            env.step(action)  # type: ignore[arg-type]
    with pytest.raises(Refusal, match="make the environment with render_mode"):
        env.render()
    with pytest.raises(Refusal, match="this is not what save"):
        env.load({})
    one: Any = np.int64(1)
    assert plain("goldmine", seat=one, dtype=np.float32).reset(seed=1)[1]["seat"] == 1
    other = plain("goldmine", target=0)
    other.reset(seed=1)
    with pytest.raises(Refusal, match="saved in another game, or with other seats or options"):
        env.load(other.save())


def test_without_gymnasium_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "motherlode.envs.gymnasium")
    with pytest.raises(ImportError, match=r"pip install motherlode\[gymnasium\]"):
        import_module("motherlode.envs.gymnasium")
