"""How decisions are judged: by what the seat knew alone, as exact answers do, and with the reasons that hold."""

from typing import Any

import numpy as np
import pytest
from support import example_game
from support.endings import ask_at, endings
from support.lookalike_games import differing, twins

from motherlode import bots, contract, engine, games
from motherlode.bots import guided, levels, network, search
from motherlode.game import CHANCE, OVER, Game, Record, TurnedUp, below, new_rng
from motherlode.games import GAMES
from motherlode.review import known, lookahead, mistakes, reasons, values
from motherlode.review.mistakes import Decision
from motherlode.table import Ask, Table

GOLDMINE, MOUNT = GAMES["goldmine"], GAMES["mount_goldrush"]
SECRET = [GAMES[name] for name in ("goldmine", "blue_creek", "gold_hunting")]
OPTIONS = {"gold_hunting": {"heights": "hidden"}}
NIGHT_COACH = games.adopt_folder(
    games.check(games.load_file(example_game.FOLDER / "rules.py"), "example"), str(example_game.FOLDER / "rules.py")
)


def course(game: Game, opening: Record, log: list[int]) -> list[Record]:
    positions = [opening]
    for a in log:
        positions.append(engine.after(game, positions[-1], a))
    return positions


def test_iterations_follow_from_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that took twice as long in the legend is asked half as often; without a measured one, seldom."""

    def pace_if(strength: int, milliseconds: float | None) -> int:
        legend = f"policy+search:{strength}"
        rows = [{"level": "legend", "bot": legend, "milliseconds": milliseconds}] if milliseconds else []
        monkeypatch.setattr(levels, "read", lambda _: levels.Levels({"legend": legend}, rows))
        return mistakes.pace(GOLDMINE, plain=False)

    assert pace_if(1000, 50) == 10_000 == 2 * pace_if(1000, 100)
    assert pace_if(1000, 1) == mistakes.GUIDED_PACE and pace_if(1000, None) == mistakes.UNMEASURED_PACE
    monkeypatch.setattr(levels, "read", lambda _: levels.Levels(levels.DEFAULT, []))
    assert mistakes.pace(GOLDMINE, plain=False) == mistakes.UNMEASURED_PACE
    assert mistakes.pace(GOLDMINE, plain=True) == mistakes.PLAIN_PACE
    monkeypatch.setattr(network, "brings", lambda _: False)
    assert mistakes.pace(GOLDMINE, plain=False) == mistakes.PACE


# Nothing but what the seat knew


def judged(game: Game, positions: list[Record], log: list[int], seat: int) -> list[Any]:
    """Everything that a review says of a seat's play, with few iterations."""
    asked = mistakes.decisions(game, positions, log, seat)[:3]
    losses, blinkered = mistakes.judge(asked, 100.0, 1, plain=True)
    found: list[Any] = [loss._replace(decision=loss.decision.at) for loss in losses]  # type: ignore[arg-type]
    found += [(at, loss[1:]) for at, loss in blinkered.items()]
    for decision in asked:
        useful = engine.useful(game, decision.ask.view)
        best = next(a for a in useful if a != decision.action)
        found.append(reasons.of_mistake(decision, best, 1, positions, log, plain=True))
    return [*found, known.chances(game, [(seat, decision.ask.view) for decision in asked])]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in (
        (mistakes, "TREES", 2), (mistakes, "FEWEST", 6), (mistakes, "MOST", 6), (mistakes, "MATTERS", -1),
        (reasons, "LINES", 4), (reasons, "CLEAR", 0.0), (reasons, "SIGMAS", 0.0), (reasons, "QUICK", 4),
        (reasons, "LONGEST", 5), (values, "PLAYOUTS", 4),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)


def pairs(game: Game) -> list[tuple[list[Record], list[int], list[Record], list[int], int]]:
    """Two games that a seat cannot tell apart, for some seats."""
    found = []
    options = OPTIONS.get(game.NAME, {})
    for seats in (game.SEATS[0], game.SEATS[-1]):
        for seat in {0, seats - 1} if seats == game.SEATS[0] else {seats - 1}:
            log = twins(game, seats, options, seat, 26, tries=2)
            assert differing(game, seats, options, log) > len(log) // 3
            opening = engine.start(game, seats, **options)
            one, two = [pair.one for pair in log], [pair.two for pair in log]
            found.append((course(game, opening, one), one, course(game, opening, two), two, seat))
    return found


@pytest.mark.parametrize("game", SECRET, ids=[game.NAME for game in SECRET])
def test_what_a_seat_cannot_tell_apart_is_judged_alike(small: None, game: Game) -> None:
    compared = 0
    for one, log, two, other_log, seat in pairs(game):
        first, second = judged(game, one, log, seat), judged(game, two, other_log, seat)
        assert first == second
        compared += len(first) > 1
    assert compared


def test_a_judge_who_looks_at_the_cards_is_caught(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: what is hidden from the seat is not blanked."""
    alike = pairs(GOLDMINE)
    monkeypatch.setattr(engine, "view", lambda game, s, seat, **_: engine.copy(s))
    found = [
        judged(GOLDMINE, one, log, seat) != judged(GOLDMINE, two, other_log, seat)
        for one, log, two, other_log, seat in alike
    ]
    assert any(found)


def test_lines_from_the_true_position_would_differ(small: None) -> None:
    """Planted: reasons are looked for in the world as it is, not in those that the seat holds possible."""
    player, differences = reasons.quick_player(GOLDMINE, plain=True), 0
    for one, log, two, other_log, seat in pairs(GOLDMINE):
        found = []
        for positions, its_log in ((one, log), (two, other_log)):
            asked = [
                decision._replace(ask=decision.ask._replace(view=positions[decision.at]))
                for decision in mistakes.decisions(GOLDMINE, positions, its_log, seat)
            ]
            found.append(
                [reasons.line(decision, decision.action, player, 1, k) for decision in asked for k in range(4)]
            )
        differences += found[0] != found[1]
    assert differences


def test_one_seat_takes_no_time_from_another(small: None) -> None:
    """How long others think about tells what they hold: a seat's iterations follow from its own decisions."""
    one, log, *_, seat = pairs(GOLDMINE)[0]
    asked = mistakes.decisions(GOLDMINE, one, log, seat)
    assert mistakes.judge(asked, 100.0, 1, plain=True) == mistakes.judge(list(asked), 100.0, 1, plain=True)
    assert {decision.ask.seat for decision in asked} == {seat}


# Exact answers


@pytest.mark.parametrize("name", ["mount_goldrush", "china_gold"])
def test_losses_are_those_of_solved_endings(name: str) -> None:
    game, found = GAMES[name], 0
    for s, worth in endings(game, 8):
        share = (s.seats - 1) / s.seats  # of the utility in a chance to win
        best, worst = (pick(worth, key=lambda a: worth[a]) for pick in (max, min))
        decision = Decision(7, ask_at(game, s), worst)
        assert worth[mistakes.best_action(decision, 600, 1, plain=True)] == worth[best]
        loss = mistakes.compare(decision, best, 100, 1, plain=True)
        true = share * (worth[best] - worth[worst])
        assert loss.is_mistake and loss.low - 0.02 <= true <= loss.high + 0.02
        found += 1
    assert found


def test_what_is_equally_good_is_no_mistake() -> None:
    """In solved endings, between actions that are worth the same."""
    for s, worth in endings(MOUNT, 6):
        best = [a for a in worth if worth[a] == max(worth.values())]
        if len(best) > 1:
            loss = mistakes.compare(Decision(7, ask_at(MOUNT, s), best[0]), best[1], 100, 1, plain=True)
            assert not loss.is_mistake


def test_with_secrets_a_loss_is_that_over_all_worlds() -> None:
    """The outlaw of the Night Coach decides last, so its chances follow from the worlds it holds possible."""
    found = 0
    for number in range(6):
        played = list(contract.random_game(NIGHT_COACH, engine.start(NIGHT_COACH), new_rng(number)))
        s = next(s for s, _, _ in played if s.turn == 1)
        ask = ask_at(NIGHT_COACH, s)
        true = {a: chance_to_win(NIGHT_COACH, ask, a) for a in ask.legal}
        best, worst = (pick(true, key=lambda a: true[a]) for pick in (max, min))
        loss = mistakes.compare(Decision(5, ask, worst), best, 300, 1, plain=True)
        assert abs(loss.loss - (true[best] - true[worst])) < 0.08
        assert abs(loss.best_chance - true[best]) < 0.08
        found += loss.is_mistake
    assert found


def chance_to_win(game: Game, ask: Ask, a: int, worlds: int = 400) -> float:
    """Of an action that ends the game, over worlds as the seat draws them."""
    rng, won = new_rng(1), 0.0
    for _ in range(worlds):
        world = engine.copy(ask.view)
        game.guess(world, ask.seat, rng)
        end = engine.after(game, world, a)
        while end.turn == CHANCE:
            end = engine.after(game, end, engine.draw(game, end, rng))
        assert end.turn == OVER
        winners = engine.winners(game, end)
        won += (ask.seat in winners) / len(winners)
    return won / worlds


# The trees


def decisions_of(game: Game, seed: int = 3) -> list[Decision]:
    table = Table(game, seed=seed)
    table.play(*[bots.make("random")] * table.seats)
    return mistakes.decisions(game, table.positions, table.log, 0)


@pytest.mark.parametrize("plain", [True, False])
def test_trees_try_some_of_the_actions_in_turn(plain: bool) -> None:
    ask = decisions_of(GOLDMINE)[2].ask
    among = engine.useful(GOLDMINE, ask.view)[:3]
    trees: list[mistakes.Tree] = [
        search.Tree(ask, 400, new_rng(3), plain=plain, by=GOLDMINE.LENGTH, among=among),
        guided.Tree(ask, network.of(GOLDMINE), 400, new_rng(3), plain=plain, among=among),
    ]
    for tree in trees:
        tree.grow(20)
        tree.grow(10)
        assert {one.action: one.tries for one in tree.root()} == dict.fromkeys(among, 10)
        used: Any = tree.memory[-1]
        nodes = int(used[0])
        tree.grow(9, settled=True)
        assert {one.action: one.tries for one in tree.root()} == dict.fromkeys(among, 13)
        if isinstance(tree, search.Tree):
            assert int(used[0]) == nodes  # a settled tree does not grow


def test_settled_trees_are_alike_compiled_and_plain() -> None:
    ask = decisions_of(GOLDMINE)[2].ask
    among = engine.useful(GOLDMINE, ask.view)[:2]
    judges: list[mistakes.Judge] = ["policy", "random play"]
    for judge in judges:
        plain, compiled = (
            mistakes.settled_wins(ask, judge, among, 40, new_rng(3), plain=plain) for plain in (True, False)
        )
        assert plain == compiled


def pooled() -> values.Net:
    """A network of values with random weights, whose places have units of their own."""
    draws = np.random.default_rng(1)
    common, places = np.arange(40, dtype=np.int32), np.arange(40, 70, dtype=np.int32).reshape(10, 3)
    sizes = {"each": (3, 4), "trunk0": (44, 8), "trunk1": (8, 8), "out": (8, 10)}
    layers = {f"{name}.weights": draws.normal(0, 0.5, size).astype(np.float32) for name, size in sizes.items()}
    layers |= {f"{name}.bias": draws.normal(0, 0.5, size[1]).astype(np.float32) for name, size in sizes.items()}
    return values.Net(layers, common, places, (0.0, 1.0), {"sha256": "x"})


@pytest.mark.parametrize(("game", "plain"), [(GOLDMINE, True), (GOLDMINE, False), (MOUNT, True)])
def test_below_the_trees_is_what_a_position_is_worth(monkeypatch: pytest.MonkeyPatch, game: Game, plain: bool) -> None:
    """The first iteration of a tree that tries one action ends where chance has acted after it."""
    if game is MOUNT:
        net = pooled()
        monkeypatch.setattr(values, "of", lambda game: net)
    for decision in decisions_of(game)[:6]:
        ask, a, rng = decision.ask, decision.action, new_rng(8)
        tree = lookahead.Tree(ask, 4, new_rng(8), plain=plain, among=[a])
        tree.grow(1)
        world = engine.copy(ask.view)
        game.guess(world, ask.seat, rng)
        below(rng, 1)  # which of the untried actions is tried, of which there is one
        end = engine.after(game, world, a)
        while end.turn == CHANCE:
            end = engine.after(game, end, engine.draw(game, end, rng))
        assert tree.root()[0].win == pytest.approx(values.worth(game, [end]).wins[0, ask.seat], abs=1e-5)


# Time, memory and reasons


def test_when_time_is_up_the_rest_is_left_out(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = decisions_of(MOUNT)
    ticks = iter(range(10_000))
    monkeypatch.setattr("motherlode.review.mistakes.time.thread_time", lambda: next(ticks))
    losses, _ = mistakes.judge(asked, 6.0, 1, plain=True)
    assert len(losses) < len(asked)


def test_something_had_to_be_remembered_where_sight_does_not_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In solved endings what was turned up decides; with a `forget` that forgets nothing, all of it is in sight."""
    found = 0
    for s, worth in endings(MOUNT, 8):
        best, worst = (pick(worth, key=lambda a: worth[a]) for pick in (max, min))
        decision = Decision(7, ask_at(MOUNT, s), worst)
        blinkered = mistakes.compare(mistakes.in_sight(decision), best, 100, 1, plain=True)
        found += blinkered.low <= 0
        with monkeypatch.context() as patch:
            patch.setattr(MOUNT, "forget", lambda s, seat, kept: None)
            assert mistakes.compare(mistakes.in_sight(decision), best, 100, 1, plain=True).low > 0
    assert found


def test_reasons_say_what_is_found_and_where_it_was_seen() -> None:
    """Whoever turns a card again that it has seen finds what it was."""
    table = Table(MOUNT, seed=5)
    table.play(*[bots.make("random")] * 2)
    seen = 0
    for decision in mistakes.decisions(MOUNT, table.positions, table.log, 0):
        found = reasons.line(decision, decision.action, bots.make("random"), 1, 0).found
        place = set(MOUNT.ACTIONS.args(decision.action).items())
        if found is None:
            continue
        at = reasons.where_seen(decision, {*place, *found.args.items()}, table.positions, table.log)
        if at is None:
            continue
        seen += 1
        thing = reasons.turned_up(
            MOUNT,
            engine.view(MOUNT, table.positions[at], 0),
            table.log[at],
            engine.view(MOUNT, table.positions[at + 1], 0),
        )
        assert at < decision.at and isinstance(thing, TurnedUp) and thing.args["kind"] == found.args["kind"]
    assert seen


def test_a_difference_must_be_clear() -> None:
    assert reasons.is_clear(1.0, 0.0, 30) and reasons.is_clear(0.0, 0.5, 30)
    assert not reasons.is_clear(0.1, 0.0, 30) and not reasons.is_clear(0.6, 0.4, 30)
    assert reasons.is_clear(0.6, 0.4, 3000)
