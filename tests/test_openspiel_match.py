"""OpenSpiel's search as a player of our games, which knows what its seat may know."""

import sys
from collections import Counter

import pytest

from motherlode import Refusal, engine
from motherlode.bots import levels
from motherlode.contract import random_game, some
from motherlode.game import OVER, Game, Record, new_rng
from motherlode.games import GAMES
from motherlode.lab import openspiel
from motherlode.table import Ask

SOME = ("china_gold", "goldmine", "mount_goldrush")  # many actions, secrets, many seats; compiling all takes long
EVERY = [pytest.param(game, id=name, marks=[] if name in SOME else pytest.mark.soak) for name, game in GAMES.items()]
GAME = pytest.mark.parametrize("game", EVERY)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="OpenSpiel has no build for Windows")


def test_without_openspiel_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openspiel, "find_spec", lambda name: None)
    with pytest.raises(Refusal, match=r"pip install motherlode\[openspiel\]"):
        openspiel.run([GAMES["goldmine"]], print)


def test_its_names_are_no_bots_of_ours() -> None:
    with pytest.raises(Refusal, match="there is no bot 'openspiel'"):
        openspiel.make("openspiel:100")


def test_the_compiled_rollouts_have_the_distribution_of_its_own() -> None:
    import numpy as np
    from open_spiel.python.algorithms import mcts

    game, n = GAMES["goldmine"], 600
    s = some([s for s, _, _ in random_game(game, engine.start(game, target=0), new_rng(3)) if s.turn >= 0], 3, 1)[1]
    state = openspiel.spiel_game(game, 2).new_initial_state()
    state.put(bytes(s))
    rollouts = mcts.RandomRolloutEvaluator(n, np.random.RandomState(5))
    own, ours = rollouts.evaluate(state), openspiel.Rollouts(game, new_rng(4), rollouts.prior)
    seen = Counter(tuple(ours.evaluate(state)) for _ in range(n))
    assert state.position == bytes(s)
    wins = Counter({result: count for result, count in seen.items() if abs(result[0]) == 1})
    lead = sum(result[0] * count for result, count in seen.items()) / n
    assert len(wins) == 2 and abs(lead - own[0]) < 6 * (2 / n) ** 0.5


@GAME
def test_a_node_is_an_observation(game: Game) -> None:
    """What the search tells apart is what OpenSpiel's own option for it tells apart, over states of several games."""
    from open_spiel.python.algorithms import ismcts

    spiel = openspiel.spiel_game(game, game.SEATS[0])
    theirs, ours = (
        kind(spiel, None, 1.0, 1, use_observation_string=True) for kind in (ismcts.ISMCTSBot, openspiel.search())
    )
    pairs = set()
    for number in range(2):
        for s, _, _ in random_game(game, engine.start(game), new_rng(number)):
            if s.turn >= 0:
                state = spiel.new_initial_state()
                state.put(bytes(s))
                pairs.add((theirs.get_state_key(state), ours.get_state_key(state)))
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs) > 20


@GAME
def test_it_answers_from_what_its_seat_may_know(game: Game) -> None:
    rng = new_rng(1)
    for seats in game.SEATS:
        played = random_game(game, engine.start(game, seats), new_rng(seats))
        choices = [s for s, _, _ in played if s.turn >= 0 and len(engine.legal(game, s)) > 1]
        for s in some(choices, 3, seats):
            world = engine.view(game, s, s.turn)
            game.guess(world, s.turn, rng)
            for name in ("openspiel:20/1", "openspiel-own:3/1", "openspiel:0ms/2"):
                answers = []
                for real in (s, world):
                    ask = Ask(game, s.turn, engine.view(game, real, s.turn), engine.legal(game, real), [])
                    answers.append(openspiel.make(name, game)(ask, new_rng(9)))
                assert answers[0] == answers[1] and answers[0] in engine.legal(game, s)


def test_it_finds_a_win() -> None:
    """In the last decisions of ChinaGold, with all open, it finds what wins: it is a worthy rival."""
    game, found = GAMES["china_gold"], 0
    for number in range(40):
        s = [s for s, _, _ in random_game(game, engine.start(game), new_rng(number)) if s.turn >= 0][-2]
        wins = {a: engine.utility(game, last)[s.turn] for a, last in lasts(game, s)}
        if len(set(wins.values())) > 1:
            ask = Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), [])
            assert wins[openspiel.make("openspiel:200/1", game)(ask, new_rng(1))] == max(wins.values())
            found += 1
    assert found >= 1


def lasts(game: Game, s: Record) -> list[tuple[int, Record]]:
    """Each action with the end that it brings, where it brings one at once or only one thing can follow."""
    ends = []
    for a in engine.legal(game, s):
        t = engine.after(game, s, a)
        while t.turn != OVER:
            following = engine.legal(game, t)
            t = min((engine.after(game, t, b) for b in following), key=lambda u: engine.points(game, u)[s.turn])
        ends.append((a, t))
    return ends


def test_the_benchmark_plays_with_equal_iterations_and_in_equal_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, few in {"PILOT": 2, "PACE": 2, "PACE_MS": 2, "ITERATIONS": 10}.items():
        monkeypatch.setattr(openspiel, name, few)
    said: list[str] = []
    monkeypatch.setattr(levels, "bot_name", lambda name, game: "search:500")
    rows = openspiel.run([GAMES["goldmine"]], said.append, cores=1, equal=4, timed=2, own=2)
    assert [row["games"] for row in rows] == [4, 2, 2] and [row["ours"] for row in rows] == ["search:10"] + [
        "search:500"
    ] * 2
    assert [row["theirs"].partition(":")[0] for row in rows] == ["openspiel", "openspiel", "openspiel-own"]
    assert all(0 <= row["interval"][0] <= row["score"] <= row["interval"][1] <= 1 for row in rows)
    lines = openspiel.table(rows).splitlines()
    assert len(lines) == 5 and len({line.count("|") for line in lines}) == 1
