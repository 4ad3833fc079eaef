"""PettingZoo's own suites pass for every game, and an environment is the game: its chance, views, actions, result."""

import copy
import ctypes
import itertools
import pickle
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pettingzoo
import pytest
from support.two_piles import GAME as TWO_PILES

from motherlode import contract, engine, text
from motherlode.engine import Refusal
from motherlode.envs import picture
from motherlode.envs.observation import layout
from motherlode.envs.pettingzoo import env, raw_env
from motherlode.game import CHANCE, OVER, Game, Rng, below, new_rng
from motherlode.games import GAMES
from motherlode.shuffles import Draws
from motherlode.table import Illegal, Table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the suites import environments in a way that PettingZoo itself discourages
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
    from pettingzoo.test.state_test import test_state as check_state
    from pettingzoo.test.state_test import test_state_space as check_state_space

GAMES_HERE = [*GAMES.values(), TWO_PILES]
EVERY_GAME = pytest.mark.parametrize("game", GAMES_HERE, ids=lambda game: game.NAME)
EVERY_TABLE = pytest.mark.parametrize(
    ("game", "seats"), [pytest.param(game, n, id=f"{game.NAME}-{n}") for game in GAMES_HERE for n in game.SEATS]
)
COMPILED = ("goldmine",)  # compiling all takes long
COMPILED_GAMES = pytest.mark.parametrize(
    "game",
    [pytest.param(game, id=name, marks=[] if name in COMPILED else pytest.mark.soak) for name, game in GAMES.items()],
)
# The suites know by name which environments may have observations with a mask, and these are not among them.
WITH_A_MASK = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)
plain = partial(env, compiled=False)
plain_raw = partial(raw_env, compiled=False)


def some_tables(game: Game, most: int = 6) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """A few tables of a game at every number of seats, with a seed for each."""
    for seats in game.SEATS:
        tables = [options for n, options in contract.tables(game) if n == seats]
        for number, options in enumerate(contract.some(tables, max(1, most // len(game.SEATS)), seats)):
            yield number, seats, options


def play(game: Any, decisions: int, rng: Rng) -> list[str]:
    """Play at random, for so many decisions or to the end; who acted."""
    acted = []
    while decisions and not game.terminations[game.agent_selection]:
        acted.append(game.agent_selection)
        legal = np.flatnonzero(game.observe(game.agent_selection)["action_mask"])
        game.step(legal[below(rng, len(legal))])
        decisions -= 1
    return acted


def middle(game: Game, seats: int, options: dict[str, Any], number: int, **settings: Any) -> raw_env:
    """An environment in the middle of a game."""
    found = plain_raw(game, seats, **settings, **options)
    found.reset(seed=number)
    whole = copy.deepcopy(found)
    play(found, len(play(whole, -1, new_rng(number))) // 2, new_rng(number))
    return found


@WITH_A_MASK
@EVERY_TABLE
def test_the_suites_pass(
    game: Game, seats: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api_test(plain(game, seats))
    seed_test(partial(plain, game, seats))
    render_test(partial(plain, game, seats))
    ticks = itertools.count(step=0.5)
    monkeypatch.setattr(
        sys.modules["pettingzoo.test.performance_benchmark"], "time", SimpleNamespace(time=lambda: next(ticks))
    )
    performance_benchmark(plain(game, seats))
    check_state_space(plain_raw(game, seats))
    check_state(plain(game, seats), num_cycles=100)
    assert "Passed API test" in capsys.readouterr().out


@WITH_A_MASK
@COMPILED_GAMES
def test_compiled_and_interpreted_environments_are_equal(game: Game) -> None:
    api_test(env(game))
    seats = game.SEATS[-1]
    both = [env(game, seats), plain(game, seats)]
    for each in both:
        each.reset(seed=5)
    rngs = [new_rng(1), new_rng(1)]
    while both[0].agents:
        (seen, *rest), (other, *others) = (each.last() for each in both)
        assert both[0].agent_selection == both[1].agent_selection
        assert rest == others
        assert all(np.array_equal(seen[key], other[key]) for key in seen)
        for each, rng in zip(both, rngs, strict=True):
            legal = np.flatnonzero(each.last()[0]["action_mask"])
            each.step(None if each.terminations[each.agent_selection] else legal[below(rng, len(legal))])
    assert both[0].unwrapped.episode.log == both[1].unwrapped.episode.log


@EVERY_GAME
def test_an_environment_is_the_game(game: Game) -> None:
    """Game k of a seed: chance from stream k, the views as observations, the legal actions as the mask, ALL-6."""
    for number, seats, options in some_tables(game):
        dtype, log = (("uint8", 0), ("float32", 2))[number % 2]
        found = plain(game, seats, dtype=dtype, log=log, **options)
        found.reset(seed=number)
        for k in range(2):
            s, rng, mine = engine.start(game, seats, **options), new_rng(number, k), new_rng(7, number)
            table = Table.replay(text.Played(game, seats, options, []), chance=Draws(game, rng))
            while True:
                while table.turn == CHANCE:
                    table.append(engine.draw(game, table.position, rng))
                s = table.position
                if s.turn == OVER:
                    break
                assert found.agent_selection == f"seat_{s.turn}"
                assert found.last()[1:] == (0.0, False, False, {})
                legal = engine.legal(game, s)
                for seat in range(seats) if table.at % 5 == 0 else [s.turn]:
                    seen = found.observe(f"seat_{seat}")
                    assert seen in found.observation_space(f"seat_{seat}")
                    row = layout(game, log).encode(table.view(seat), seat, table.told(seat), np.dtype(dtype))
                    assert np.array_equal(seen["observation"], row)
                    assert np.flatnonzero(seen["action_mask"]).tolist() == (legal if seat == s.turn else [])
                a = legal[below(mine, len(legal))]
                found.step(a)
                table.append(a)
            won = {}
            for agent in found.agent_iter():
                seen, won[agent], terminated, truncated, info = found.last()
                assert (terminated, truncated) == (True, False)
                assert seen["action_mask"].all()
                assert info == {"points": engine.points(game, s), "winners": engine.winners(game, s)}
                found.step(None)
            assert [won[f"seat_{seat}"] for seat in range(seats)] == engine.utility(game, s)
            assert sum(won.values()) == pytest.approx(0)
            found.reset()


def test_an_agent_with_two_decisions_in_a_row_stays_selected() -> None:
    found = plain_raw("claimpoker")
    found.reset(seed=1)
    acted = play(found, 6, new_rng(1))
    assert any(one == two for one, two in itertools.pairwise(acted))


@EVERY_GAME
def test_an_illegal_action_loses_and_only_its_seat_is_told_why(game: Game) -> None:
    for number, seats, options in some_tables(game):
        found = middle(game, seats, options, number)
        playing, agent = found.episode, found.agent_selection
        assert playing
        forbidden = [a for a in game.ACTIONS if a not in engine.legal(game, playing.position)]
        a = forbidden[number % len(forbidden)]
        v = engine.view(game, playing.position, playing.turn)
        before = found.save()
        found.step(a)
        assert all(found.terminations.values())
        assert found.rewards == {other: -1 if other == agent else 1 / (seats - 1) for other in found.possible_agents}
        told = dict(found.infos)
        mine = told.pop(agent)
        assert list(told.values()) == [{"illegal_by": agent}] * (seats - 1)
        assert mine["illegal"] == a
        assert mine["clause"] == engine.why(game, v, a)
        assert mine["legal"] == [game.ACTIONS.name(b) for b in engine.legal(game, v)]
        assert mine["clause"] in mine["why"]
        assert game.ACTIONS.name(a) in mine["why"]
        assert mine["legal"][0] in mine["why"]
        rewards = dict(found.rewards)
        for other in found.agent_iter():
            assert found.last()[1:] == (rewards[other], True, False, {**told, agent: mine}[other])
            found.step(None)

        strict = plain_raw(game, seats, illegal="raise", **options)
        strict.load(before)
        with pytest.raises(Illegal) as refusal:
            strict.step(a)
        assert refusal.value.clause == mine["clause"]
        assert str(refusal.value) == mine["why"]
        assert strict.episode
        assert vars(strict.episode)["log"] == before["episode"].log
        assert bytes(strict.episode.position) == bytes(before["episode"].position)
        assert not any(strict.terminations.values())


@EVERY_GAME
def test_worlds_that_a_seat_cannot_tell_apart_give_it_the_same(game: Game) -> None:
    hides = differed = 0
    for number, seats, options in some_tables(game):
        found = middle(game, seats, options, number, render_mode="ansi")
        playing, agent = found.episode, found.agent_selection
        assert playing
        forbidden = next(a for a in game.ACTIONS if not playing.allows(a))
        world = engine.view(game, playing.position, playing.turn)
        hides += bytes(world) != bytes(playing.position)
        game.guess(world, playing.turn, new_rng(number, 9))
        other = copy.deepcopy(found)
        assert other.episode
        ctypes.memmove(ctypes.byref(other.episode.position), bytes(world), ctypes.sizeof(world))
        differed += bytes(world) != bytes(playing.position)
        given = [(each.observe(agent), each.render()) for each in (found, other)]
        assert np.array_equal(given[0][0]["observation"], given[1][0]["observation"])
        assert np.array_equal(given[0][0]["action_mask"], given[1][0]["action_mask"])
        assert given[0][1] == given[1][1]
        for each in (found, other):
            each.step(forbidden)
        assert found.infos == other.infos
        assert found.render() == game.show(engine.view(game, playing.position, -1))
    assert differed or not hides


@EVERY_GAME
def test_copies_go_on_as_the_original_does(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, game.NAME, game)  # where a pickled game is looked up
    for number, seats, options in some_tables(game, most=2):
        found = middle(game, seats, options, number, log=number % 2)
        saved = found.save()
        copies = [
            copy.deepcopy(found),
            pickle.loads(pickle.dumps(found)),
            plain_raw(game, seats, log=number % 2, **options),
        ]
        copies[2].load(pickle.loads(pickle.dumps(saved)))
        ends = []
        for each in (found, *copies):
            play(each, -1, new_rng(4))
            assert each.episode
            ends.append((each.episode.log, each.rewards, each.infos, each.observe("seat_0")["observation"].tolist()))
        assert ends[1:] == ends[:1] * 3
        found.load(saved)
        play(found, 1, new_rng(4))
        assert found.episode
        assert found.episode.log == ends[0][0][: len(found.episode.log)]
        assert len(saved["episode"].log) < len(found.episode.log) <= len(ends[0][0])


def test_seeds_give_games_and_no_seed_gives_others() -> None:
    found = plain_raw("goldmine")
    found.reset()
    assert found.setup.seed is not None
    first = found.setup.seed
    found.reset()
    assert (found.setup.seed, found.setup.number) == (first, 1)
    other = plain_raw("goldmine")
    other.reset()
    assert other.setup.seed != first
    found.reset(seed=-3)
    assert (found.setup.seed, found.setup.number) == (-3, 0)


def test_what_is_said_about_an_environment() -> None:
    found = env("china_gold", overlay="delta", render_mode="ansi", compiled=False)
    assert str(found) == found.metadata["name"] == "china_gold_v1"
    assert found.metadata["is_parallelizable"] is False
    assert found.metadata["rules"] == GAMES["china_gold"].RULES
    assert {"ansi", "rgb_array"} < {*found.metadata["render_modes"]}
    assert found.possible_agents == ["seat_0", "seat_1"]
    assert isinstance(found.unwrapped, raw_env)


@EVERY_GAME
def test_pettingzoo_makes_them_by_name(game: Game) -> None:
    assert (game.NAME in GAMES) == (f"motherlode/{game.NAME}-v1" in pettingzoo.aec_registry)
    if game.NAME in GAMES:
        made = pettingzoo.make("aec", f"motherlode/{game.NAME}_v1", seats=game.SEATS[-1], compiled=False)
        assert made.unwrapped.game is game
        assert len(made.possible_agents) == game.SEATS[-1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"seats": 3}, "Goldmine is for 2 seats, not 3"),
        ({"target": 31}, "target can be 30, 50, 0, not 31"),
        ({"stakes": 2}, "Goldmine has no option 'stakes'"),
        ({"render_mode": "svg"}, "render_mode is human, ansi, rgb_array or None, not 'svg'"),
        ({"dtype": "int8"}, "observations are uint8 or float32, not 'int8'"),
        ({"illegal": "ignore"}, "illegal is 'end' or 'raise', not 'ignore'"),
        ({"log": -1}, "not -1"),
        ({"log": 1.5}, "log is a whole number, not 1.5"),
        ({"game": None}, "a game is named"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(Refusal, match=message):
        env(**{"game": "goldmine", **settings})


def test_wrong_calls_are_refused_and_change_nothing() -> None:
    found = plain_raw("goldmine")
    for call in (partial(found.step, 0), found.render, found.save, found.state, partial(found.observe, "seat_0")):
        with pytest.raises(Refusal, match="Goldmine: call reset first"):
            call()
    with pytest.raises(Refusal, match="a seed is a number"):
        found.reset(seed=1 << 63)
    with pytest.raises(Refusal, match=r"a seed is a whole number, not 1\.5"):
        found.reset(seed=1.5)  # type: ignore[arg-type]
    found.reset(seed=1)
    before = pickle.dumps(found)
    for action in (-1, 42, 1.0, None, "look 0", np.array([1, 2])):
        with pytest.raises(Refusal, match=r"Goldmine has no action .*: they are numbered 0 to 41"):
            found.step(action)  # type: ignore[arg-type]
    with pytest.raises(Refusal, match="no agent 'player_1' here; they are: seat_0, seat_1"):
        found.observe("player_1")
    with pytest.raises(Refusal, match="make the environment with render_mode"):
        found.render()
    for saved in (None, {}, {"episode": None}, {"episode": found.episode}):
        with pytest.raises(Refusal, match="this is not what save"):
            found.load(saved)  # type: ignore[arg-type]
    for other in (plain_raw("goldmine", target=0), plain_raw("gold_hunting")):
        other.reset(seed=1)
        with pytest.raises(Refusal, match="this was saved in another game, or with other seats or options"):
            found.load(other.save())
    assert pickle.dumps(found) == before
    play(found, -1, new_rng(1))
    for _ in range(2):
        found.step(None)
    with pytest.raises(Refusal, match="all agents have left; call reset"):
        found.step(None)


def test_a_picture_shows_the_text_and_nothing_else() -> None:
    def inked_lines(image: np.ndarray) -> list[bool]:
        """Of every line, whether there is anything in it."""
        is_ink = (image != picture.PAPER).any(axis=(1, 2)).reshape(-1, 11 * picture.ZOOM).any(axis=1)
        found: list[bool] = is_ink.tolist()
        return found

    game = GAMES["mount_goldrush"]
    found = plain_raw(game, render_mode="rgb_array")
    found.reset(seed=1)
    play(found, 9, new_rng(1))
    assert found.episode
    image = found.render()
    assert isinstance(image, np.ndarray)
    lines = game.show(engine.view(game, found.episode.position, found.episode.turn)).splitlines()
    assert (len(lines), max(map(len, lines))) <= (picture.LINES, picture.COLUMNS)
    blank = [False] * picture.MARGIN
    below_it = [False] * (picture.LINES - len(lines))
    assert inked_lines(image) == blank + [line.strip() != "" for line in lines] + below_it + blank
    assert np.array_equal(image, picture.draw("\n".join(lines)))
    assert not np.array_equal(image, picture.draw("\n".join(lines).replace("0", "8")))
    assert picture.draw("").shape == image.shape
    large = picture.draw("x" * 200 + "\n" * 60 + "北")
    assert [at for at, is_inked in enumerate(inked_lines(large)) if is_inked] == [1, 61]
    assert large.shape[1] == 202 * 6 * picture.ZOOM


def test_without_pettingzoo_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "motherlode.envs.pettingzoo")
    with pytest.raises(ImportError, match=r"pip install motherlode\[pettingzoo\]"):
        import_module("motherlode.envs.pettingzoo")
