"""The last tricks and lifts as games of hidden information: worlds, tree and best responses against plain Python."""

from collections import Counter
from typing import Any

import pytest

from motherlode import engine
from motherlode.bots import equilibrium
from motherlode.bots.cfr import LEAF
from motherlode.contract import far_off, random_game, without_shown
from motherlode.engine import after, copy, legal, shown, view
from motherlode.game import CHANCE, OVER, Game, Record, new_rng
from motherlode.games import GAMES
from motherlode.games.gold_hunting import ending as last_lifts
from motherlode.games.goldmine import ending as last_tricks
from motherlode.games.goldmine.rules import ACT, ANSWER, LEAD

goldmine = GAMES["goldmine"]

gold_hunting = GAMES["gold_hunting"]

Told = tuple[Any, ...]


def tricks(number: int, trick: int, phase: int, target: int = 0) -> Record:
    played = random_game(goldmine, engine.start(goldmine, target=target), new_rng(number))
    return next(s for s, _, _ in played if s.turn >= 0 and (s.trick, s.phase) == (trick, phase))


def second_action(number: int, left: int) -> Record:
    """In the last trick but one, the one who may look (1) or must discard (2)."""
    played = random_game(goldmine, engine.start(goldmine, target=0), new_rng(number))
    return next(s for s, _, _ in played if s.turn >= 0 and (s.trick, s.phase, s.left) == (4, ACT, left))


def lifts(number: int, left: int, phase: int = gold_hunting.MINING, **options: Any) -> Record:
    played = random_game(gold_hunting, engine.start(gold_hunting, **options), new_rng(number))
    return next(s for s, _, _ in played if s.turn >= 0 and s.phase == phase and sum(s.left) == left)


SOME = [
    *((goldmine, last_tricks, tricks(number, 5, ACT)) for number in (0, 1)),
    (goldmine, last_tricks, tricks(4, 5, ACT, target=30)),
    *((gold_hunting, last_lifts, lifts(number, left)) for number, left in ((0, 3), (1, 4), (3, 4))),
    (gold_hunting, last_lifts, lifts(7, 3, heights="hidden", breakdown=3)),
    (gold_hunting, last_lifts, lifts(18, 3, gold_hunting.TAKING, breakdown=3)),
]
ENDINGS = pytest.mark.parametrize(("game", "ending", "s"), SOME)


@ENDINGS
def test_the_worlds_are_those_of_guess(game: Game, ending: Any, s: Record) -> None:
    odds = {without_shown(copy(world)): weight for world, weight in ending.worlds(s)}
    assert len(odds) == len(ending.worlds(s))
    rng = new_rng(1)

    def sample() -> bytes:
        w = view(game, s, -1)
        game.guess(w, -1, rng)
        return without_shown(w)

    assert far_off(Counter(sample() for _ in range(20 * len(odds))), odds) < 6


def settle(game: Game, ending: Any, root: Record, s: Record, told: list[Told]) -> tuple[Record, list[Told]]:
    """Do what is forced; both seats are told of it."""
    while not is_leaf(ending, root, s) and len(legal(game, s)) == 1:
        s, told = act(game, s, legal(game, s)[0], told)
    return s, told


def act(game: Game, s: Record, a: int, told: list[Told]) -> tuple[Record, list[Told]]:
    t = after(game, s, a)
    return t, [(*told[x], s.turn, game.told(s, a, x), shown(game, t, x)) for x in (0, 1)]


def is_leaf(ending: Any, root: Record, s: Record) -> bool:
    return s.turn == OVER or (ending is last_tricks and s.deal != root.deal)


class Walk:
    """The whole ending in plain Python, beside the solver's tree, node by node."""

    def __init__(
        self, game: Game, ending: Any, s: Record, found: list[tuple[Record, float]], solved: equilibrium.Solved
    ) -> None:
        self.game, self.ending, self.root, self.solved, self.tree = game, ending, s, solved, solved.tree
        self.decisions: dict[Told, int] = {}
        total = sum(weight for _, weight in found)
        self.nodes: list[tuple[int, Record, list[Told], float]] = [
            (i, world, [(bytes(view(game, world, x)),) for x in (0, 1)], weight / total)
            for i, (world, weight) in enumerate(found)
        ]

    def children(self, node: int, s: Record, told: list[Told], odds: float) -> list[Any]:
        actions, tree = legal(self.game, s), self.tree
        assert tree.actor[node] == s.turn and tree.number[node] == len(actions) > 1
        if s.turn >= 0:
            assert self.decisions.setdefault((s.turn, *told[s.turn]), tree.decision[node]) == tree.decision[node]
        weights = [self.game.odds(s, a) if s.turn == CHANCE else 1 for a in actions]
        whole = sum(weights) if s.turn == CHANCE else 1
        grown = []
        for k, (a, w) in enumerate(zip(actions, weights, strict=True)):
            t, both = settle(self.game, self.ending, self.root, *act(self.game, s, a, told))
            grown.append((int(tree.first[node]) + k, t, both, odds * w / whole))
        return grown

    def payoff(self, s: Record) -> float:
        points = engine.points(self.game, s)
        return points[0] - points[1] if self.solved.in_points else engine.utility(self.game, s)[0]

    def shares(self, node: int) -> list[float]:
        begin = self.tree.begin[self.tree.decision[node]]
        shares: list[float] = self.solved.strategy[begin : begin + self.tree.number[node]].tolist()
        return shares

    def check_leaves(self) -> None:
        todo = list(self.nodes)
        while todo:
            node, s, told, odds = todo.pop()
            if is_leaf(self.ending, self.root, s):
                assert self.tree.actor[node] == LEAF
                assert self.tree.worth[0][node] == pytest.approx(odds * self.payoff(s))
            else:
                todo += self.children(node, s, told, odds)

    def best(self, seat: int, nodes: list[Any]) -> float:
        """What a seat can get, when it is at one of these nodes and the other one keeps to the strategy."""
        value, mine = 0.0, {}  # type: tuple[float, dict[Told, list[Any]]]
        while nodes:
            node, s, told, odds = nodes.pop()
            if is_leaf(self.ending, self.root, s):
                value += (1 - 2 * seat) * odds * self.payoff(s)
            elif s.turn == seat:
                mine.setdefault(told[seat], []).append((node, s, told, odds))
            else:
                some = self.children(node, s, told, odds)
                shares = self.shares(node) if s.turn >= 0 else [1.0] * len(some)
                nodes += [(n, t, h, o * q) for (n, t, h, o), q in zip(some, shares, strict=True)]
        for alike in mine.values():
            grown = [self.children(*at) for at in alike]
            value += max(self.best(seat, [some[k] for some in grown]) for k in range(len(grown[0])))
        return value


@pytest.mark.parametrize(
    ("game", "ending", "s"),
    [
        *SOME,
        (goldmine, last_tricks, tricks(3, 4, LEAD)),
        (goldmine, last_tricks, tricks(5, 4, LEAD, target=50)),
        (goldmine, last_tricks, second_action(0, 1)),
        (goldmine, last_tricks, second_action(2, 2)),
    ],
)
def test_tree_and_exploitability_are_those_of_plain_python(game: Game, ending: Any, s: Record) -> None:
    """Of many worlds only some, which make a game as well."""
    worlds = ending.worlds(s)
    found = [(world, 1.0 + i % 3) for i, (world, _) in enumerate(worlds[:: -(-len(worlds) // 30)])]
    solved = equilibrium.solve(game, ending, s, found, most=20_000)
    assert solved is not None and solved.exploitability < 0.01
    walk = Walk(game, ending, s, found, solved)
    walk.check_leaves()
    best = [walk.best(seat, list(walk.nodes)) for seat in (0, 1)]
    assert sum(best) == pytest.approx(solved.exploitability, abs=1e-9)
    assert -best[1] - 1e-9 <= solved.value <= best[0] + 1e-9
    assert len(set(walk.decisions.values())) == len(walk.decisions) == len(solved.tree.seat)


@ENDINGS
def test_the_whole_ending_is_solved(game: Game, ending: Any, s: Record) -> None:
    solved = ending.solve(s)
    assert solved is not None and 0 <= solved.exploitability + 1e-9 < 0.01
    mix = solved.mix
    assert list(mix) == legal(game, s) and sum(mix.values()) == pytest.approx(1)


def test_the_stake_is_points_only_where_the_game_goes_on() -> None:
    for solved in (last_tricks.solve(s) for game, _, s in SOME if game is goldmine and s.target == 0):
        assert solved is not None and not solved.in_points
    goes_on = last_tricks.solve(tricks(5, 4, ANSWER, target=50))
    assert goes_on is not None and goes_on.in_points


def test_from_too_far_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert last_tricks.solve(tricks(0, 4, ACT)) is None and last_tricks.solve(tricks(0, 3, ANSWER)) is None
    assert last_lifts.solve(lifts(0, 12)) is None
    assert last_lifts.solve(lifts(0, 3, accident=50)) is None
    monkeypatch.setattr(last_lifts, "MOST_NODES", 10)
    assert last_lifts.solve(lifts(0, 4)) is None


@pytest.mark.parametrize("s", [*(lifts(number, 4) for number in range(6)), SOME[-2][2], SOME[-1][2]])
def test_the_count_of_lines_is_an_upper_bound(s: Record) -> None:
    solved = last_lifts.solve(s)
    assert solved is not None
    leaves = int((solved.tree.actor == LEAF).sum())
    assert leaves <= last_lifts.lines_from(s) * len(last_lifts.worlds(s)) <= 100 * leaves
