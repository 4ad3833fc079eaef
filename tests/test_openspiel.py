"""OpenSpiel's door: its own tests and algorithms on our games, and its states beside our positions."""

import importlib
import os
import pickle
import random
import subprocess
import sys
import unittest
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import example_game

from motherlode import Refusal, Table, bots, engine, games, solving, text
from motherlode.contract import random_game, some, tables
from motherlode.game import CHANCE, OVER, Game, Record, new_rng, read_record
from motherlode.games import GAMES
from motherlode.table import Ask, Told

if sys.platform == "win32":
    pytest.skip("OpenSpiel has no build for Windows", allow_module_level=True)

import pyspiel
from absl import flags
from open_spiel.integration_tests import api_test
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import (
    best_response,
    cfr,
    exploitability,
    external_sampling_mccfr,
    generate_playthrough,
    ismcts,
    mcts,
    outcome_sampling_mccfr,
)
from open_spiel.python.tests import games_sim_test

from motherlode.envs import openspiel
from motherlode.envs.openspiel import PolicyPlayer, SpielGame, SpielState, resampler
from motherlode.envs.positions import Rules, read_entry, split

EVERY_GAME = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.NAME)
COMPILED = ("goldmine", "china_gold")  # secrets, many actions; compiling all takes long
SEEDED = [
    pytest.param(game, id=name, marks=[] if name in COMPILED else pytest.mark.soak) for name, game in GAMES.items()
]
ROOT = Path(__file__).parent.parent
TINY = {"gold": [1, 2], "suits": ["H", "C"], "ranks": [2, 3, 4]}  # Goldmine with two tricks and six cards


def load(game: Game, seats: int | None = None, *, compiled: bool = False, log: int = 3, **options: Any) -> SpielGame:
    given = {**options, "players": seats or game.SEATS[0], "compiled": compiled, "log": log}
    found: SpielGame = pyspiel.load_game(f"motherlode_{game.NAME}", given)
    return found


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with this package, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), games.PATHS: ""}
    return subprocess.run([sys.executable, *arguments], check=False, env=environment, capture_output=True, text=True)


def some_tables(game: Game) -> list[tuple[int, dict[str, Any]]]:
    """Every number of seats, each with other options; the last one has the defaults."""
    most = max(2, len(game.SEATS))
    of_seats = {seats: [table for table in tables(game) if table[0] == seats] for seats in game.SEATS}
    return [some(of_seats[game.SEATS[at % len(game.SEATS)]], most, 0)[-1 - at] for at in range(most)]


def played(game: SpielGame, number: int) -> Iterator[SpielState]:
    """The states of a random game, the last one included."""
    rng, state = random.Random(number), game.new_initial_state()
    while not state.is_terminal():
        yield state.clone()
        state.apply_action(rng.choice(state.legal_actions()))
    yield state


@pytest.fixture(scope="module")
def night_coach() -> Iterator[SpielGame]:
    """The example game, which is small enough for every algorithm."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(games.PATHS, "")
        game = games.load(str(example_game.FOLDER))
        openspiel.register(game)
        yield load(game, log=4)
        del GAMES[game.NAME]


# OpenSpiel's own tests


@EVERY_GAME
def test_random_simulations_with_serialisation(game: Game) -> None:
    for seats, options in some_tables(game):
        pyspiel.random_sim_test(load(game, seats, **options), num_sims=1, serialize=True, verbose=False)


def passes(base: type, game: SpielGame, name: str) -> None:
    random.seed(1)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(type(name, (base,), {"game": game, "game_name": name})).run(result)
    assert result.testsRun >= 5 and result.wasSuccessful(), [*result.errors, *result.failures]


@EVERY_GAME
def test_the_api_tests(game: Game) -> None:
    passes(api_test.EnforceAPIOnPartialTreeBase, load(game), game.NAME)


def test_the_api_tests_on_a_whole_tree(night_coach: SpielGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """3 bags, 2 places, 2 guards and 3 robberies; the shipper sees bag and place, the outlaw only the guard."""
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, "whole", (1, 3 + 6 + 12, 36))
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, "whole", 3 + 6 + 2)
    passes(api_test.EnforceAPIOnFullTreeBase, night_coach, "whole")


@EVERY_GAME
def test_the_simulation_tests_with_pickles(game: Game) -> None:
    np.random.seed(1)
    seats, options = some_tables(game)[-1]
    games_sim_test.GamesSimTest("test_pig").sim_game(load(game, seats, **options))


@EVERY_GAME
def test_a_playthrough_replays(game: Game, tmp_path: Path) -> None:
    flags.FLAGS.mark_as_parsed()
    file = tmp_path / "playthrough.txt"
    file.write_text(generate_playthrough.playthrough(str(load(game, log=1)), [], seed=3), "utf-8")
    before, again = generate_playthrough.replay(str(file))
    assert before == again and "IsTerminal() = True" in again


# States beside our positions


@EVERY_GAME
def test_parameters_are_seats_and_options(game: Game) -> None:
    (kind,) = [kind for kind in pyspiel.registered_games() if kind.short_name == f"motherlode_{game.NAME}"]
    assert (kind.min_num_players, kind.max_num_players) == (min(game.SEATS), max(game.SEATS))
    defaults = {option.name: option.values[0] for option in game.OPTIONS}
    assert kind.parameter_specification == {"players": game.SEATS[0], "log": 32, "compiled": True, **defaults}
    for seats, options in tables(game):
        found = load(game, seats, **options)
        assert found.new_initial_state().position == bytes(engine.start(game, seats, **options))
        assert (found.num_players(), found.max_game_length()) == (seats, game.LENGTH)
        assert (found.num_distinct_actions(), found.max_chance_outcomes()) == (len(game.ACTIONS), len(game.OUTCOMES))


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(Refusal, match="Claimpoker is for 3 or 4 or 5 seats, not 2"):
        pyspiel.load_game("motherlode_claimpoker(players=2)")
    with pytest.raises(Refusal, match="target can be 30, 50, 0, not 40"):
        pyspiel.load_game("motherlode_goldmine(target=40)")
    with pytest.raises(Refusal, match="only for records of earlier versions"):
        pyspiel.load_game("motherlode_gold_hunting(taking=always)")
    with pytest.raises(Refusal, match="the last 0 to 1000 entries"):
        pyspiel.load_game("motherlode_goldmine(log=-1)")
    with pytest.raises(pyspiel.SpielError, match="Available parameters are: compiled, log, players, scoring, target"):
        pyspiel.load_game("motherlode_goldmine(goal=40)")
    game = load(GAMES["goldmine"])
    with pytest.raises(Refusal, match="observers have no parameters"):
        game.make_py_observer(None, {"x": 1})
    recall = pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE)
    with pytest.raises(Refusal, match="perfect recall is offered for what one player knows"):
        game.make_py_observer(recall)
    with pytest.raises(Refusal, match=r"this is for motherlode_goldmine.*, not for ChinaGold with 2 seats"):
        game.state_for(Table("china_gold", seed=1).ask())
    with pytest.raises(Refusal, match="nobody is to act: chance decides"):
        game.new_initial_state().ask()


@EVERY_GAME
def test_an_illegal_action_is_refused_and_changes_nothing(game: Game) -> None:
    for state in some(list(played(load(game), 4)), 20, 1):
        before = state.serialize()
        table = game.OUTCOMES if state.is_chance_node() else game.ACTIONS
        for a in {*some([*table], 8, 2), len(table), 1 << 40, -5} - {*state.legal_actions()}:
            with pytest.raises(Refusal, match=f"{game.TITLE}: {a} is not legal here; (legal are|the game is over)"):
                state.apply_action(a)
        assert state.serialize() == before


@EVERY_GAME
def test_a_state_is_our_position(game: Game) -> None:
    for number, (seats, options) in enumerate(some_tables(game)):
        opening = engine.start(game, seats, **options)
        spiel = load(game, seats, **options)
        state, log, chance = spiel.new_initial_state(), list[int](), 0
        for s, a, t in random_game(game, opening, new_rng(number)):
            legal = engine.legal(game, s)
            assert state.position == bytes(s) and state.legal_actions() == legal and not state.is_terminal()
            assert [state.action_to_string(b) for b in legal] == [text.name(game, s, b) for b in legal]
            assert state.is_chance_node() == (s.turn == CHANCE) and state.current_player() == s.turn
            if s.turn == CHANCE:
                odds = [game.odds(s, b) for b in legal]
                assert [share for _, share in state.chance_outcomes()] == pytest.approx([x / sum(odds) for x in odds])
                chance += 1
            assert state.returns() == state.rewards() == [0.0] * seats
            before = state.clone()
            state.apply_action(a)
            log.append(a)
            assert before.position == bytes(s) and state.position == bytes(t) and state.history() == log
        assert t.turn == OVER and state.is_terminal() and state.legal_actions() == []
        assert state.returns() == state.rewards() == engine.utility(game, t)
        assert chance <= spiel.max_chance_nodes_in_history()
        assert all(spiel.min_utility() <= x <= spiel.max_utility() for x in state.returns())


def at_table(game: Game, seats: int, options: dict[str, Any], number: int) -> tuple[Table, list[SpielState]]:
    """A random game at a table, with its states."""
    table = Table(game, seats, seed=number, **options)
    table.play(*[bots.make("random")] * seats)
    state = load(game, seats, log=5, **options).new_initial_state()
    states = [state.clone()]
    for a in table.log:
        state.apply_action(a)
        states.append(state.clone())
    return table, states


@EVERY_GAME
def test_a_seat_is_given_its_view_and_what_it_was_told(game: Game) -> None:
    for number, (seats, options) in enumerate(some_tables(game)):
        table, states = at_table(game, seats, options, number)
        for at in some(list(range(len(states))), 12, number):
            s, state = table.positions[at], states[at]
            for seat in range(seats):
                log, view = table.told(seat)[:at], engine.view(game, s, seat)
                assert [read_entry(game, content) for content in split(game, state.told(seat))] == log
                for layout, tensor in (
                    (state.get_game().layout, state.information_state_tensor(seat)),
                    (state.get_game().make_py_observer().layout, state.observation_tensor(seat)),
                ):
                    assert tensor == layout.encode(view, seat, log, np.float32)[: layout.filled].tolist()
                assert state.observation_string(seat) == f"seat {seat}: {text.write_position(game, view)}"
            if s.turn >= 0:
                ask = state.ask()
                assert bytes(ask.view) == bytes(engine.view(game, s, s.turn)) and ask.log == table.told(s.turn)[:at]
                known = state.get_game().state_for(ask)
                assert known.information_state_string() == state.information_state_string()
                assert known.information_state_tensor() == state.information_state_tensor()
                assert known.history() == [] and known.legal_actions() == state.legal_actions() == ask.legal


@EVERY_GAME
def test_information_states_tell_apart_what_a_seat_was_told_and_nothing_else(game: Game) -> None:
    """In several games, and after each action in several worlds that the seat to act cannot tell apart."""
    seats, options = some_tables(game)[-1]
    guess, pairs = resampler(3), set()
    for number in range(2):
        states = list(played(load(game, seats, **options), number))
        for state in states:
            pairs |= {(state.information_state_string(seat), (seat, state.told(seat))) for seat in range(seats)}
        for state in some([state for state in states if state.current_player() >= 0], 40, number):
            seat = state.current_player()
            for world in [guess(state, seat) for _ in range(4)]:
                for a in some(world.legal_actions(), 8, number):
                    child = world.child(a)
                    pairs.add((child.information_state_string(seat), (seat, child.told(seat))))
    assert len({words for words, _ in pairs}) == len({told for _, told in pairs}) == len(pairs) > 100


@EVERY_GAME
def test_factored_observations(game: Game) -> None:
    """The public one is the public's view, and the private one is what a seat knows beyond it."""
    none, single, everyone = (getattr(pyspiel.PrivateInfoType, x) for x in ("NONE", "SINGLE_PLAYER", "ALL_PLAYERS"))
    spiel = load(game)

    def observer(is_public: bool, private: Any) -> Any:
        return spiel.make_py_observer(
            pyspiel.IIGObservationType(perfect_recall=False, public_info=is_public, private_info=private)
        )

    public, own, whole = observer(True, none), observer(False, single), observer(True, everyone)
    for state in some(list(played(spiel, 2)), 20, 1):
        s = state.record()
        assert public.string_from(state, 0) == text.write_position(game, engine.view(game, s, -1))
        public.set_from(state, 0)
        back, seat = public.layout.decode(public.tensor)
        assert (bytes(back), seat) == (bytes(engine.view(game, s, -1)), -1) and own.tensor is None
        whole.set_from(state, 1)
        assert bytes(whole.layout.decode(whole.tensor)[0]) == bytes(s)
        assert sum(piece.size for piece in whole.dict.values()) == whole.tensor.size
        for seat in range(s.seats):
            knows_more = bytes(engine.view(game, s, seat)) != bytes(engine.view(game, s, -1))
            assert bool(own.string_from(state, seat)) == knows_more


@EVERY_GAME
def test_a_seat_cannot_tell_a_guessed_world_from_the_real_one(game: Game) -> None:
    """OpenSpiel's test of resampling, and more: a seat is given the same, and nothing is left of the truth."""
    seats, options = some_tables(game)[-1]
    others = set()
    for state in some(list(played(load(game, seats, **options), 5)), 25, 2):
        if state.is_chance_node() or state.is_terminal():
            continue
        for seat in range(seats):
            numbers = [resampler(7), resampler(7)]
            world = numbers[0](state, seat)
            assert bytes(world.view(seat)) == bytes(state.view(seat))
            for what in ("information_state_string", "information_state_tensor", "observation_string"):
                assert getattr(world, what)(seat) == getattr(state, what)(seat)
            assert world.current_player() == state.current_player()
            if state.current_player() == seat:
                assert world.legal_actions() == state.legal_actions() and world.ask().log == state.ask().log
            again = numbers[1](world, seat)  # what is drawn depends on what the seat knows, and on nothing else
            assert again.serialize() == world.serialize() or not openspiel.has_secrets(game)
            assert again.position == world.position
            if openspiel.has_secrets(game):
                assert world.history() == []
                others.add(world.position == state.position)
                other = (seat + 1) % seats
                third = resampler(9)(world, other)
                assert third.information_state_string(other) == world.information_state_string(other)
            copy = pickle.loads(pickle.dumps(world))
            assert copy.information_state_string(seat) == state.information_state_string(seat)
            while not world.is_terminal():
                world.apply_action(world.legal_actions()[-1])
                if world.move_number() > 30:
                    break
    assert False in others or not openspiel.has_secrets(game)


@EVERY_GAME
def test_worlds_are_those_of_guess(game: Game) -> None:
    spiel = load(game, game.SEATS[-1])
    for state in some([state for state in played(spiel, 6) if state.current_player() >= 0], 10, 1):
        for seat in range(game.SEATS[-1]):
            world = state.view(seat)
            game.guess(world, seat, new_rng(1 << 51))
            assert state.resample_from_infostate(seat, lambda: 0.25).position == bytes(world)


@pytest.mark.parametrize("game", SEEDED)
def test_compiled_rules_say_the_same(game: Game) -> None:
    seats = game.SEATS[-1]
    plain, fast = (Rules(game, seats, is_compiled=is_compiled) for is_compiled in (False, True))
    for state in played(load(game, seats), 8):
        position = state.position
        for seat in range(-1, seats):
            assert plain.view(position, seat) == fast.view(position, seat)
            if state.current_player() >= 0:
                assert plain.guess(position, seat, 5) == fast.guess(position, seat, 5)
        if state.is_terminal():
            assert plain.returns(position) == fast.returns(position)
            continue
        legal = plain.legal(position)
        assert fast.legal(position) == legal
        if state.is_chance_node():
            assert plain.outcomes(position) == fast.outcomes(position)
        for a in (*some(legal, 3, 1), len(game.ACTIONS) + 64, -1):
            assert plain.act(position, a) == fast.act(position, a)


def test_threads_do_not_disturb_each_other() -> None:
    spiel = load(GAMES["goldmine"], compiled=True)

    def play(number: int) -> list[str]:
        return [state.serialize() for state in played(spiel, number)]

    alone = [play(number) for number in range(8)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(play, range(8))) == alone


def test_what_is_pickled_is_read_by_another_process(tmp_path: Path) -> None:
    """It imports the door by itself. A game has all it needs there: OpenSpiel's own pickles of Python games do not."""
    spiel = load(GAMES["goldmine"], target=0)
    state = list(played(spiel, 1))[30]
    file = tmp_path / "pickle"
    file.write_bytes(pickle.dumps((spiel, state, resampler(1)(state, 0))))
    program = (
        "import pathlib, pickle, sys\n"
        "game, state, world = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "print(game, game.new_initial_state(), state.history(), state.clone(), world.information_state_string(0))"
    )
    output = run("-c", program, str(file))
    expected = f"{spiel} {spiel.new_initial_state()} {state.history()} {state} {state.information_state_string(0)}\n"
    assert (output.returncode, output.stdout, output.stderr) == (0, expected, "")


def test_a_variant_is_registered_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "VARIANTS", {})
    game = games.variant(GAMES["goldmine"], TINY, "tiny")
    assert openspiel.register(game) == "motherlode_goldmine~tiny"
    spiel = load(game, target=0)
    pyspiel.random_sim_test(spiel, num_sims=2, serialize=True, verbose=False)
    assert spiel.num_distinct_actions() < load(GAMES["goldmine"]).num_distinct_actions()


def test_without_openspiel_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "motherlode.envs.openspiel")
    with pytest.raises(ImportError, match=r"pip install motherlode\[openspiel\]"):
        importlib.import_module("motherlode.envs.openspiel")


# OpenSpiel's algorithms


class Node(NamedTuple):
    """A position, what each seat was told on the way to it, and how likely chance and the others make it."""

    s: Record
    told: tuple[tuple[Told, ...], ...]
    odds: float

    def after(self, game: Game, a: int, share: float) -> "Node":
        s, t = self.s, engine.after(game, self.s, a)
        more = [Told(s.turn, game.told(s, a, x), engine.shown(game, t, x)) for x in range(s.seats)]
        return Node(t, tuple((*log, entry) for log, entry in zip(self.told, more, strict=True)), self.odds * share)


def best_value(game: Game, seat: int, nodes: list[Node], player: PolicyPlayer) -> float:
    """What a seat can get that is at one of these nodes, by our rules in plain Python; the others play as `player`."""
    value, mine = 0.0, dict[Any, list[Node]]()
    while nodes:
        node = nodes.pop()
        s, legal = node.s, engine.legal(game, node.s) if node.s.turn != OVER else []
        if s.turn == OVER:
            value += node.odds * engine.utility(game, s)[seat]
        elif s.turn == seat:
            mine.setdefault(node.told[seat], []).append(node)
        elif s.turn == CHANCE:
            whole = sum(game.odds(s, a) for a in legal)
            nodes += [node.after(game, a, game.odds(s, a) / whole) for a in legal]
        else:
            mix = player.mix(Ask(game, s.turn, engine.view(game, s, s.turn), legal, list(node.told[s.turn])))
            nodes += [node.after(game, a, mix[a]) for a in legal]
    for alike in mine.values():
        legal = engine.legal(game, alike[0].s)
        value += max(best_value(game, seat, [node.after(game, a, 1.0) for node in alike], player) for a in legal)
    return value


def plain_nash_conv(spiel: SpielGame, found: Any) -> float:
    game, opening = spiel.game, read_record(spiel.game, spiel.opening)
    root = Node(opening, ((),) * opening.seats, 1.0)
    player = PolicyPlayer(spiel, found)
    return sum(best_value(game, seat, [root], player) for seat in range(opening.seats))


def test_cfr_plus_solves_the_example_game(night_coach: SpielGame) -> None:
    """Its shipper wins 7 of 12 games (see its sheet), and NashConv is the same by OpenSpiel and by our own rules."""
    uniform = policy.UniformRandomPolicy(night_coach)
    solver = cfr.CFRPlusSolver(night_coach)
    native = pyspiel.CFRPlusSolver(night_coach)
    for _ in range(200):
        solver.evaluate_and_update_policy()
        native.evaluate_and_update_policy()
    for found in (uniform, solver.average_policy(), native.average_policy()):
        gap = exploitability.nash_conv(night_coach, found)
        assert plain_nash_conv(night_coach, found) == pytest.approx(gap, abs=1e-9)
    assert pyspiel.nash_conv(night_coach, native.average_policy()) == pytest.approx(gap, abs=1e-9) and gap < 0.005
    value = -best_response.BestResponsePolicy(night_coach, 1, found).value(night_coach.new_initial_state())
    assert value <= 7 / 6 - 1 <= value + gap


def test_nash_conv_is_that_of_our_solver(night_coach: SpielGame) -> None:
    solver = cfr.CFRPlusSolver(night_coach)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    for found in (policy.UniformRandomPolicy(night_coach), solver.average_policy()):
        ours = solving.exploitability(night_coach.game, PolicyPlayer(night_coach, found))
        assert ours.nash_conv == pytest.approx(exploitability.nash_conv(night_coach, found), abs=1e-6)


def test_sampling_finds_it_too(night_coach: SpielGame) -> None:
    np.random.seed(1)
    external = external_sampling_mccfr.ExternalSamplingSolver(night_coach)
    outcome = outcome_sampling_mccfr.OutcomeSamplingSolver(night_coach)
    for solver, iterations, enough in ((external, 400, 0.25), (outcome, 1500, 0.4)):
        for _ in range(iterations):
            solver.iteration()
        assert exploitability.nash_conv(night_coach, solver.average_policy()) < enough  # uniform play: 0.5


@EVERY_GAME
def test_searches_play(game: Game) -> None:
    """ISMCTS draws worlds as we do, and the same from a seed; MCTS plays where nothing is hidden."""
    spiel = load(game, game.SEATS[-1])
    states = [state for state in played(spiel, 3) if state.current_player() >= 0 and len(state.legal_actions()) > 1]
    for state in some(states, 2, 1):
        actions = set()
        for _ in range(2):
            rng = np.random.RandomState(1)
            rollouts = mcts.RandomRolloutEvaluator(1, rng)
            if openspiel.has_secrets(game):
                search = ismcts.ISMCTSBot(spiel, rollouts, 1.0, 6, random_state=rng)
                search.set_resampler(resampler(1))
            else:
                search = mcts.MCTSBot(spiel, 1.0, 6, rollouts, random_state=rng)
            actions.add(int(search.step(state)))
        assert len(actions) == 1 and actions <= {*state.legal_actions()}


def test_its_own_resampling_finds_a_guarded_bag(night_coach: SpielGame) -> None:
    """Without a resampler of ours: the outlaw, who loses 5 ounces by robbing a guarded coach, never does."""
    rng = np.random.RandomState(3)
    state = night_coach.new_initial_state()
    for name in ("gold 1", "load mule", "hire guard"):
        state.apply_action(state.string_to_action(name))
    search = ismcts.ISMCTSBot(night_coach, mcts.RandomRolloutEvaluator(1, rng), 1.0, 200, random_state=rng)
    assert state.action_to_string(search.step(state)) != "rob coach"


def test_a_learning_environment_plays_every_seat() -> None:
    game = GAMES["claimpoker"]
    env = rl_environment.Environment(load(game, 4), chance_event_sampler=rl_environment.ChanceEventSampler(seed=1))
    step = env.reset()
    while not step.last():
        seat = step.observations["current_player"]
        assert len(step.observations["info_state"][seat]) == env.observation_spec()["info_state"][0]
        step = env.step([step.observations["legal_actions"][seat][0]])
    assert sum(step.rewards) == pytest.approx(0) and max(step.rewards) > 0


def test_the_example_runs_and_python_ends_quietly() -> None:
    output = run(str(ROOT / "examples" / "openspiel_cfr.py"))
    assert (output.returncode, output.stderr) == (0, "")
    lines = output.stdout.splitlines()
    assert float(lines[0].removeprefix("NashConv ")) < 0.01 and lines[-1].startswith("points ")
    assert any(line.startswith("seat 1: rob coach") for line in lines)
