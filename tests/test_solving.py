"""Solving as an API: values, mixes and gaps against OpenSpiel, brute force and known equilibria."""

import json
import sys
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from support import example_game, hidden_coin
from support.command_line import Run

from motherlode import Refusal, Table, engine, games, solving, text
from motherlode.bots import equilibrium, exact, greedy, random
from motherlode.bots.mixed import Mix
from motherlode.bots.random import Random
from motherlode.contract import random_game, tables
from motherlode.engine import view
from motherlode.game import CHANCE, OVER, Game, Record, Rng, below, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask, Told

OPENSPIEL = pytest.mark.skipif(sys.platform == "win32", reason="OpenSpiel has no build for Windows")
NIGHT_COACH = games.check(games.load_file(example_game.FOLDER / "rules.py"), "example")
night_coach = games.adopt_folder(NIGHT_COACH, str(example_game.FOLDER / "rules.py"))
short = games.variant(GAMES["goldmine"], {"gold": [1, 2, 4], "ranks": [5, 6, 7]}, "solved-short")
one_trick = games.variant(GAMES["goldmine"], {"gold": [1], "suits": ["H"], "ranks": [1, 2, 3]}, "solved-one-trick")
FEW_CARDS = {
    "gold_values": [1, 2], "gold_cards": [1, 1], "miner_values": [2], "miner_cards": [0], "dynamites": 1,
    "rush_at": 1, "patience": 1,
}  # fmt: skip
few_cards = games.variant(GAMES["mount_goldrush"], FEW_CARDS, "solved-few-cards")

SMALL: list[tuple[Game, int, dict[str, Any]]] = [  # whole games
    *((hidden_coin.GAME, seats, {}) for seats in hidden_coin.SEATS),
    (night_coach, 2, {}),
    (one_trick, 2, {"target": 0}),
    *((few_cards, seats, {}) for seats in few_cards.SEATS),
]
WHOLE = pytest.mark.parametrize(("game", "seats", "options"), SMALL, ids=lambda value: getattr(value, "NAME", None))


class Noise:
    """A bot whose mix at a decision follows from what it is given: any mix, and often an action is never played."""

    def __init__(self, number: int) -> None:
        self.number = number

    def mix(self, ask: Ask) -> Mix:
        text = repr((self.number, ask.seat, bytes(ask.view), ask.log))
        rng = new_rng(sum((k + 1) * ord(letter) for k, letter in enumerate(text)))
        weights = [below(rng, 4) for _ in ask.legal]
        weights[below(rng, len(weights))] += 1
        return {a: weight / sum(weights) for a, weight in zip(ask.legal, weights, strict=True) if weight}

    def __call__(self, ask: Ask, rng: Rng) -> int:
        return exact.draw(self.mix(ask), rng)


# Whole games


@WHOLE
@OPENSPIEL
def test_best_responses_are_openspiels(game: Game, seats: int, options: dict[str, Any]) -> None:
    from support.spiel import Spiel

    spiel = Spiel(game, [(engine.start(game, seats, **options), 1.0)])
    some: list[Any] = [Random(), Noise(1), Noise(2)]
    if seats == 2:
        some.append(solving.solve(engine.start(game, seats, **options), gap=0.001).policy)
    for bot in some:
        policy = spiel.policy(bot)
        found = solving.exploitability(game, bot, seats=seats, **options)
        assert found.nash_conv == pytest.approx(spiel.nash_conv(policy), abs=1e-6)
        assert found.exploitability == found.nash_conv / seats and found.error == 0
        assert found.values == pytest.approx(spiel.values(policy), abs=1e-6)
        for seat in range(seats):
            response = solving.best_response(game, bot, seat=seat, seats=seats, **options)
            assert response.value == found.best[seat] == pytest.approx(spiel.best(policy, seat), abs=1e-6)
            with_it = [response.policy if x == seat else bot for x in range(seats)]
            assert solving.exploitability(game, with_it, seats=seats, **options).values[seat] == pytest.approx(
                response.value
            )


@WHOLE
def test_a_best_response_is_the_best_of_all_plans(game: Game, seats: int, options: dict[str, Any]) -> None:
    """Brute force: every plan of a seat that says an action for each of its decisions, where there are few plans."""
    opening = engine.start(game, seats, **options)
    for seat in range(seats):
        decisions: dict[Any, list[int]] = {}
        for bot in (Random(), Noise(3)):
            value(game, opening, seat, bot, None, decisions)
            plans = 1
            for legal in decisions.values():
                plans *= len(legal)
            if plans > 600:
                continue
            best = max(
                value(game, opening, seat, bot, dict(zip(decisions, plan, strict=True)), {})
                for plan in product(*decisions.values())
            )
            assert solving.best_response(game, bot, seat=seat, seats=seats, **options).value == pytest.approx(best)


def value(
    game: Game, s: Record, seat: int, bot: Any, plan: dict[Any, int] | None, met: dict[Any, list[int]],
    logs: list[list[Told]] | None = None,
) -> float:  # fmt: skip
    """What a seat gets with a plan against a bot, in plain recursion; without one, its decisions are collected."""
    if s.turn == OVER:
        return engine.utility(game, s)[seat]
    logs = logs or [[] for _ in range(s.seats)]
    legal = engine.legal(game, s)
    if s.turn == CHANCE:
        whole = sum(game.odds(s, a) for a in legal)
        mix = {a: game.odds(s, a) / whole for a in legal}
    elif s.turn == seat:
        key = repr(logs[seat])
        met[key] = legal
        mix = dict.fromkeys(legal, 1 / len(legal)) if plan is None else {plan[key]: 1.0}
    else:
        ask = Ask(game, s.turn, view(game, s, s.turn), legal, logs[s.turn])
        mix = bot.mix(ask) if len(legal) > 1 else {legal[0]: 1.0}
    total = 0.0
    for a, share in mix.items():
        t = engine.after(game, s, a)
        more = [Told(s.turn, game.told(s, a, x), engine.shown(game, t, x)) for x in range(s.seats)]
        after = [[*log, entry] for log, entry in zip(logs, more, strict=True)]
        total += share * value(game, t, seat, bot, plan, met, after)
    return total


def test_hiding_one_of_three_coins_has_the_known_equilibrium() -> None:
    solution = solving.solve(engine.start(hidden_coin.GAME), gap=1e-4)
    assert solution.values == pytest.approx([1 / 3, -1 / 3], abs=1e-4) and solution.gap <= 1e-4
    assert solution.exploitability == solution.gap / 2 and solution.stake == "winning"
    assert solution.mix == pytest.approx(dict.fromkeys(range(3), 1 / 3), abs=0.01)
    table = Table(hidden_coin.GAME)
    table.act("hide 1")
    assert solution.policy.mix(table.ask()) == pytest.approx(dict.fromkeys(range(3, 6), 1 / 3), abs=0.01)
    assert solving.best_response(hidden_coin.GAME, lambda ask, rng: ask.legal[0], seat=1).value == 1


def test_the_example_game_has_the_value_of_its_sheet() -> None:
    """NC-4.2: the shipper wins 7 of 12 games."""
    solution = solving.solve(engine.start(night_coach), gap=1e-4)
    assert abs((1 + solution.values[0]) / 2 - 7 / 12) <= solution.gap <= 1e-4 and solution.mix == {}
    assert sum(solution.values) == pytest.approx(0) and solution.nodes == 58


@pytest.mark.parametrize("game", [hidden_coin.GAME, night_coach], ids=lambda game: game.NAME)
def test_a_position_in_a_small_game_is_found_by_its_log(game: Game) -> None:
    whole = solving.solve(engine.start(game))
    for number in range(4):
        table = Table(game, seed=number)
        while not table.is_over:
            ask, solution = table.ask(), solving.solve(table)
            assert solution.mix == solving.solve(ask).mix and solution.seat == table.turn
            assert sum(solution.mix.values()) == pytest.approx(1) and set(solution.mix) <= set(ask.legal)
            assert solution.nodes == whole.nodes and solution.mix == whole.policy.mix(ask)
            table.play(*[solution.policy] * 2, actions=1)


def test_what_a_seat_can_expect_is_the_average_over_what_it_cannot_tell_apart() -> None:
    """The shipper knows the gold: what it expects with 1, 2 and 3 ounces is on average what it gets."""
    expected = []
    for ounces in (1, 2, 3):
        table = table_after(night_coach, f"gold {ounces}")
        solution = solving.solve(table, gap=1e-4)
        assert solution.expected is not None
        expected.append(solution.expected)
    assert len(set(expected)) > 1 and sum(expected) / 3 == pytest.approx(solution.values[0])
    # The outlaw sees whether a guard is hired, and infers from it.
    total = 0.0
    for hired in ("nobody", "guard"):
        table = table_after(night_coach, "gold 1", "load coach", f"hire {hired}")
        outlaw = solving.solve(table, gap=1e-4)
        assert outlaw.seat == 1 and outlaw.expected is not None
        total += outlaw.expected * sum(likely(solution, ounces, place, hired) for ounces, place in BAGS)
    assert total == pytest.approx(outlaw.values[1])


BAGS = list(product((1, 2, 3), ("coach", "mule")))


def likely(solution: solving.Solution, ounces: int, place: str, hired: str) -> float:
    """How likely the shipper has this bag there, and hires this."""
    share = 1 / 3
    done = [f"gold {ounces}"]
    for word in (f"load {place}", f"hire {hired}"):
        table = table_after(night_coach, *done)
        share *= solution.policy.mix(table.ask())[text.read_action(night_coach, table.position, word)]
        done.append(word)
    return share


def table_after(game: Game, *words: str) -> Table:
    s, actions = engine.start(game), []
    for word in words:
        actions.append(text.read_action(game, s, word))
        s = engine.after(game, s, actions[-1])
    return Table.replay(text.Played(game, s.seats, {}, actions))


@WHOLE
def test_a_bot_is_asked_as_at_a_table(game: Game, seats: int, options: dict[str, Any]) -> None:
    """At every decision that it plays to with what it would be given at a table, in view and log; at no other."""
    asked = set()

    def bot(ask: Ask, rng: Rng) -> int:
        asked.add((ask.seat, bytes(ask.view), tuple(ask.legal), tuple(ask.log)))
        return ask.legal[-1]

    assert solving.exploitability(game, bot, seats=seats, **options).error == 0
    met = set()
    for number in range(60 * seats):
        table, own = Table(game, seats, seed=number, **options), number % seats
        while not table.is_over:
            ask = table.ask()
            if ask.seat == own and len(ask.legal) > 1:
                met.add((ask.seat, bytes(ask.view), tuple(ask.legal), tuple(ask.log)))
            table.act(ask.legal[-1] if ask.seat == own else random.bot()(ask, table.rng))
    assert met <= asked and (game is few_cards or met == asked)  # of that one, games meet some


@pytest.mark.soak
@OPENSPIEL
def test_goldmine_of_two_tricks_is_as_openspiel_has_it() -> None:
    from support.spiel import Spiel

    made = games.variant(GAMES["goldmine"], {"gold": [1, 2], "ranks": [5, 6]}, "solved-two-tricks")
    opening = engine.start(made, target=0)
    spiel, solution = Spiel(made, [(opening, 1.0)]), solving.solve(opening)
    assert solution.nodes == 182_677 and solution.gap <= solving.GAP
    assert spiel.nash_conv(spiel.policy(solution.policy)) == pytest.approx(solution.gap, abs=1e-9)
    found = solving.exploitability(made, "random", target=0)
    assert found.nash_conv == pytest.approx(spiel.nash_conv(spiel.policy(Random())), abs=1e-9)


# Bots that draw


def test_a_bot_that_draws_is_refused_or_estimated_with_an_error() -> None:
    def drawing(ask: Ask, rng: Rng) -> int:
        return ask.legal[below(rng, len(ask.legal))]

    with pytest.raises(Refusal, match=r"draws random numbers.*samples=1000"):
        solving.exploitability(night_coach, drawing)
    with pytest.raises(Refusal, match="draws random numbers"):
        solving.best_response(night_coach, "greedy:10")
    truth = solving.exploitability(night_coach, "random")
    errors = []
    for samples in (100, 1000):
        found = solving.exploitability(night_coach, drawing, samples=samples)
        assert 0 < abs(found.nash_conv - truth.nash_conv) <= found.error
        assert found.least < truth.nash_conv < found.nash_conv and found.sampled == found.decisions
        errors.append(found.error)
        response = solving.best_response(night_coach, drawing, seat=1, samples=samples)
        assert abs(response.value - truth.best[1]) <= response.error < found.error
    assert errors[1] == pytest.approx(errors[0] / 10**0.5)
    assert solving.exploitability(night_coach, drawing, samples=100) == solving.exploitability(
        night_coach, drawing, samples=100
    )


def test_a_compiled_bot_that_draws_is_noticed() -> None:
    """Compiled code reads random numbers past Python: only their state shows it."""

    def bot(ask: Ask, rng: Rng) -> int:
        leads = greedy.values(ask, ask.legal, rng, 1, plain=False)
        return ask.legal[leads.index(max(leads))]

    with pytest.raises(Refusal, match="draws random numbers"):
        solving.best_response(night_coach, bot)


def test_random_by_name_is_uniform() -> None:
    for name in ("random", "random@50"):
        assert solving.exploitability(night_coach, name) == solving.exploitability(night_coach, Random())


# Endings


@cache
def endings() -> list[tuple[Game, Record]]:
    """Positions of seeded random games that their own solvers answer and of which the public does not know the end."""
    chosen: list[tuple[Game, Record]] = []
    for game, options, number, most in (
        (GAMES["goldmine"], {"target": 0}, 2, 1500),
        (GAMES["goldmine"], {"target": 50}, 5, 1500),
        (short, {"target": 0}, 4, 3000),
        (GAMES["gold_hunting"], {}, 4, 1500),
        (GAMES["gold_hunting"], {"heights": "hidden"}, 2, 1500),
        (GAMES["gold_hunting"], {"breakdown": 3}, 3, 1500),
    ):
        found = 0
        for seed in range(200):
            if found == number:
                break
            for s, _, _ in random_game(game, engine.start(game, **options), new_rng(seed, 8)):
                solved = small_ending(game, s, most)
                if solved and (solved.in_points or abs(solved.value) < 0.98):
                    found += 1
                    chosen.append((game, s))
                    break
        assert found == number
    return chosen


def small_ending(game: Game, s: Record, most: int) -> equilibrium.Solved | None:
    """An answer of the solver, if it is at once clear that its tree is small."""
    ending = games.part(game, "ending")
    if s.turn < 0 or len(engine.legal(game, s)) == 1 or not is_late(game, s) or ending is None:
        return None
    solved: equilibrium.Solved | None = ending.solve(view(game, s, s.turn))
    return solved if solved and len(solved.tree.actor) <= most else None


def is_late(game: Game, s: Record) -> bool:
    return s.trick == game.TRICKS - 1 if hasattr(game, "TRICKS") else s.phase == game.MINING and sum(s.left) <= 4


ENDINGS = pytest.mark.parametrize("at", range(20))


def test_there_are_twenty_endings_with_both_stakes() -> None:
    assert len(endings()) == 20 and {solving.solve(s).stake for _, s in endings()} == {"winning", "points"}


@ENDINGS
@OPENSPIEL
def test_endings_are_as_openspiels_cfr_plus_solves_them(at: int) -> None:
    """NashConv of our policy, by OpenSpiel, is the stated gap, and the value is that of OpenSpiel's CFR+ within it."""
    import pyspiel
    from support.spiel import Spiel

    game, s = endings()[at]
    ending: Any = games.part(game, "ending")
    solution = solving.solve(s, gap=0.001)

    def payoff(t: Record) -> list[float]:
        points = engine.points(game, t)
        is_won = solution.stake == "winning"
        return engine.utility(game, t) if is_won else [points[0] - points[1], points[1] - points[0]]

    spiel = Spiel(game, ending.worlds(s), lambda t: t.turn == OVER or ending.has_ended(t, s), payoff)
    ours = spiel.policy(solution.policy)
    assert 0 <= solution.gap <= 0.001 and spiel.nash_conv(ours) == pytest.approx(solution.gap, abs=1e-6)
    assert spiel.values(ours) == pytest.approx(solution.values, abs=1e-6)
    solver = pyspiel.CFRPlusSolver(spiel.game)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    theirs = solver.average_policy()
    their_gap = spiel.nash_conv(theirs)
    assert their_gap < 0.02 and abs(spiel.values(theirs)[0] - solution.values[0]) <= solution.gap + their_gap
    assert solving.exploitability(s, solution.policy).nash_conv == pytest.approx(solution.gap, abs=1e-9)


@ENDINGS
def test_endings_are_solved_from_what_the_seat_knows(at: int) -> None:
    game, s = endings()[at]
    world = view(game, s, s.turn)
    game.guess(world, s.turn, new_rng(1))
    answers = [solving.as_plain(solving.solve(known)) for known in (s, world, view(game, s, s.turn))]
    assert answers[0] == answers[1] == answers[2] and answers[0]["gap"] <= solving.GAP
    assert solving.solve(s).mix == solving.own_answer(solving.read(s)).mix  # type: ignore[union-attr]
    other = view(game, s, 1 - s.turn)
    if equilibrium.without_shown(view(game, other, s.turn)) != equilibrium.without_shown(view(game, s, s.turn)):
        with pytest.raises(Refusal, match=f"not what seat {s.turn}, who is to act, knows"):
            solving.solve(other)


@pytest.mark.parametrize("name", ["goldmine", "gold_hunting"])
def test_the_policy_of_an_ending_plays_on_from_a_table(name: str) -> None:
    """Both seats play it, and the other seat is asked later, with a log that says more than the position did."""
    played = 0
    for number in range(6):
        table = Table(name, seed=number)
        while not (table.is_over or is_late(table.game, table.position)):
            table.play(random.bot(), random.bot(), actions=1)
        if not table.is_over:
            deal, policy = getattr(table.position, "deal", 0), solving.solve(table).policy
            while not table.is_over and getattr(table.position, "deal", 0) == deal:
                mix = policy.mix(table.ask())
                assert list(mix) == engine.legal(table.game, table.position)
                table.play(policy, policy, actions=1)
                played += 1
    assert played > 10


OPEN = {"china_gold": 8, "mount_goldrush": 3, "claimpoker": 3}  # decisions before the end
assert OPEN.keys() == {
    name for name, game in GAMES.items() if exact.ending_of(game) and not hasattr(games.part(game, "ending"), "worlds")
}


@pytest.mark.parametrize(  # compiling takes long; here `few_cards` stands for `expectimax`
    "name", [name if name == "china_gold" else pytest.param(name, marks=pytest.mark.soak) for name in OPEN]
)
def test_open_endings_are_equilibria_at_every_seat_count(name: str) -> None:
    """NashConv of what the game's own solver plays is 0, over everything that can follow."""
    game, compared = GAMES[name], 0
    for seats in game.SEATS:
        played = list(random_game(game, engine.start(game, seats), new_rng(seats)))
        decisions = [s for s, _, _ in played if s.turn >= 0 and len(engine.legal(game, s)) > 1]
        for s in decisions[-OPEN[name] :]:
            solution = solving.solve(s)
            assert solution.gap == solution.exploitability == 0 and solution.expected == solution.values[s.turn]
            with suppress(Refusal):  # too large
                found = solving.exploitability(s, solution.policy, most=equilibrium.FEW)
                compared += 1
                assert found.nash_conv == pytest.approx(0, abs=1e-9)
                assert found.values == pytest.approx(solution.values, abs=1e-9)
    assert compared >= len(game.SEATS)


@pytest.mark.parametrize("seats", few_cards.SEATS)
def test_an_open_game_is_solved_whole_at_every_seat_count(seats: int) -> None:
    """By its own solver, and NashConv is that of the tree; a record of a small variant fills no whole words."""
    opening = engine.start(few_cards, seats)
    solution = solving.solve(opening)
    found = solving.exploitability(few_cards, solution.policy, seats=seats)
    assert found.nash_conv == pytest.approx(0, abs=1e-9) and found.values == pytest.approx(solution.values)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_open_is_what_hides_nothing_whoever_looks(game: Game) -> None:
    for seats, options in tables(game):
        for s, _, _ in list(random_game(game, engine.start(game, seats, **options), new_rng(seats)))[::5]:
            seen = [solving.is_open(game, t) for t in (s, *(view(game, s, x) for x in range(-1, seats)))]
            is_open = equilibrium.without_shown(view(game, s, -1)) == equilibrium.without_shown(s)
            assert seen == [is_open] * len(seen)


# What is refused


def test_what_is_too_large_is_refused_with_its_size_and_the_limit() -> None:
    with pytest.raises(Refusal, match=r"Goldmine is too large to solve from here: .* at least [\d,]+ nodes, .* 500 "):
        solving.solve(engine.start(GAMES["goldmine"]), most=500)
    with pytest.raises(Refusal, match=r"too large .*at trick 1 act.*at most 700 are grown"):
        solving.solve(Table("goldmine", seed=1), most=700)
    with pytest.raises(Refusal, match="at most 57 are grown"):
        solving.exploitability(night_coach, "random", most=57)
    assert solving.exploitability(night_coach, "random", most=58).nodes == 58


@pytest.mark.parametrize("at", [0, 7, 12, 19])
def test_a_compiled_tree_is_the_interpreted_one(at: int) -> None:
    game, s = endings()[at]
    ending: Any = games.part(game, "ending")
    plain, compiled = (equilibrium.grow(game, ending, ending.worlds(s), 10_000, plain=plain) for plain in (True, False))
    assert plain.is_plain and not compiled.is_plain
    for one, other in zip(plain.tree, compiled.tree, strict=True):
        assert one.tolist() == other.tolist()
    assert plain.keys.tolist() == compiled.keys.tolist() and plain.odds.tolist() == compiled.odds.tolist()


def test_bad_input_is_refused() -> None:
    def illegal(ask: Ask, rng: Rng) -> int:
        return 99

    class Wrong(Noise):
        def mix(self, ask: Ask) -> Mix:
            return dict.fromkeys(ask.legal, 0.3)

    over = Table(night_coach, seed=1)
    over.play(random.bot(), random.bot())
    hidden = next(
        s for s, _, _ in random_game(night_coach, engine.start(night_coach), new_rng(1)) if s.phase == night_coach.ROB
    )
    at_hidden = table_after(night_coach, "gold 1", "load coach", "hire guard")
    refused: list[tuple[Any, str]] = [
        (lambda: solving.solve(over), "the game is over"),
        (lambda: solving.solve(Table(night_coach, seed=1).ask()._replace(seat=1)), "not what seat 0, who is to act"),
        (lambda: solving.solve(Table("claimpoker", 4, seed=1)), "for two seats, not for 4; best_response"),
        (lambda: solving.solve(table_after(one_trick, "trump H2", "deal H1")), "chance is to decide"),
        (lambda: solving.solve(hidden), "depends on how it was played: give the table"),
        (lambda: solving.exploitability(hidden, "random"), "depends on how it was played"),
        (lambda: solving.exploitability(at_hidden, "random"), "responses are found from the opening"),
        (lambda: solving.exploitability(night_coach, illegal), "action 99 is not legal for seat 0; .* are"),
        (lambda: solving.exploitability(night_coach, Wrong(0)), "add up to 1"),
        (lambda: solving.exploitability(night_coach, ["random"]), "has 2 seats here, and there are 1 bots"),
        (lambda: solving.exploitability(night_coach, "cmd:cat"), "is a program"),
        (lambda: solving.exploitability(night_coach, "nobody"), "there is no bot"),
        (lambda: solving.exploitability("chess", "random"), "there is no game"),
        (lambda: solving.best_response(night_coach, "random", seat=2), "no seat 2; the seats are 0 to 1"),
        (lambda: solving.best_response(night_coach, "random", target=3), "no option 'target'"),
        (lambda: solving.best_response(engine.start(night_coach), "random", seats=2), "a position has its seats"),
        (
            lambda: solving.solve(engine.start(night_coach)).policy.mix(Table("goldmine", seed=1).ask()),
            "not for Goldmine",
        ),
    ]
    for call, said in refused:
        with pytest.raises(Refusal, match=said):
            call()


# The command line


def test_the_command_prints_value_mix_and_gap(run: Run) -> None:
    for at, unit in ((-1, "utility (ALL-6)"), (2, "points")):
        s = endings()[at][1]
        line = text.write_position(s.GAME, s)
        solution = solving.as_plain(solving.solve(s))
        assert json.loads(run("solve", line, "--json").out) == solution
        printed = run("solve", line).out
        assert f"seat 0: {solution['values'][0]:+.4f} {unit}\n" in printed and "gap: " in printed
        for action in solution["mix"]:
            assert f"\n{action}: " in printed


def test_the_command_takes_a_record_and_a_game(run: Run, tmp_path: Path) -> None:
    values = tmp_path / "one.toml"
    values.write_text('game = "goldmine"\nname = "solved-one-trick"\ngold = [1]\nsuits = ["H"]\nranks = [1, 2, 3]\n')
    opening = solving.as_plain(solving.solve(engine.start(one_trick, target=0)))
    assert json.loads(run("solve", "goldmine", "--data", values, "-o", "target=0", "--json").out) == opening
    table = Table("gold_hunting", seed=4)
    while not is_late(table.game, table.position):
        table.play(random.bot(), random.bot(), actions=1)
    table.save(tmp_path / "record.txt")
    found = json.loads(run("solve", tmp_path / "record.txt", "--gap", "0.001", "--json").out)
    assert found == solving.as_plain(solving.solve(table, gap=0.001)) and found["gap"] <= 0.001


def test_the_command_refuses_in_a_sentence(run: Run, tmp_path: Path) -> None:
    table = Table("gold_hunting", seed=4)
    table.play(random.bot(), random.bot())
    table.save(tmp_path / "record.txt")
    for arguments, said in (
        ([tmp_path / "record.txt"], "the game is over"),
        ([tmp_path / "record.txt", "--seats", 2], "a position has its seats"),
        (["chess"], "there is no game"),
        (["goldmine/2 turn=0 gold=x"], "gold has 6 values"),
    ):
        ran = run("solve", *arguments)
        assert ran.status == 2 and said in ran.err and not ran.out
