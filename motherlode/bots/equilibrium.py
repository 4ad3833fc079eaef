"""Small endings with hidden information, for two seats, solved to an equilibrium by regret minimisation, for any game.

All worlds that agree with the public position, with their weights, are played on in every way. The nodes that the seat
to act cannot tell apart are one *decision*: its key is what the seat knew at the root and the sequence of (actor, told,
shown) since, see information.py. Predictive CFR+ then improves both strategies in turns, and exact best responses to
their averages say how far from an equilibrium they still are. The stake is winning, or the lead in points where the
ending does not end the game.

Nodes are numbered level by level, so that parents come before their children and siblings are neighbours: a pass over
the tree is a loop. Forced actions and certain outcomes make no nodes, but they count in the keys.
"""

from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.bots import information
from motherlode.bots.information import SPREAD
from motherlode.engine import copy, view
from motherlode.game import CHANCE, OVER, Bits, Game, Record, nth_action

LEAF = -2  # besides CHANCE and the seats
Array = np.ndarray[Any, Any]


class Tree(NamedTuple):
    """The game tree, in one array per property."""

    # Of each node
    actor: Array
    decision: Array
    first: Array  # its first child
    number: Array  # how many children it has
    worth: Array  # of a leaf: what seat 0 gets, times the probability of all chance outcomes on the way
    inner: Array  # the nodes that are not leaves
    # Of each decision
    seat: Array
    begin: Array  # the place of its first action in a strategy
    actions: Array  # how many actions it has
    depth: Array  # how many decisions of the same seat came before it


class Solved(NamedTuple):
    """The tree, a strategy for all of its decisions, and what best responses to it would gain."""

    tree: Tree
    strategy: Array
    value: float  # of seat 0
    exploitability: float  # of both seats together
    in_points: bool
    decision_of: dict[bytes, int]  # by the view that a seat has of the root
    asked: bytes  # the view of the seat that is to act
    legal: list[int]

    @property
    def mix(self) -> dict[int, float]:
        """How likely each legal action is, for the seat to act."""
        decision = self.decision_of[self.asked]
        begin = self.tree.begin[decision]
        shares = self.strategy[begin : begin + self.tree.actions[decision]].tolist()
        return dict(zip(self.legal, shares, strict=True))


def solve(
    game: Game,
    ending: ModuleType,
    s: Record,
    worlds: Sequence[tuple[Record, float]],
    *,
    most: int,
    iterations: int = 200,
    enough: float = 0.005,
) -> Solved | None:
    """An equilibrium of everything that can follow these worlds; None if it has more than `most` nodes.

    `s` is the position that the worlds agree with, as the seat to act sees it.
    """
    grown = grow(game, ending, worlds, most)
    if grown is None:
        return None
    tree, in_points, decision_of = grown
    from motherlode.compiled import build

    loops = build(cfr)
    actions = int(tree.actions.sum())
    regret, last, total, current, strategy = np.zeros((5, actions))
    loops.average(tree, total, current)
    nodes = len(tree.actor)
    reach, value = np.ones((2, nodes)), tree.worth.copy()
    gained = np.inf
    done, step = 0, 10
    while done < iterations and gained >= enough:
        loops.improve(tree, regret, last, total, current, reach, value, done, step)
        done += step
        step = done // 2  # best responses cost as much as several iterations
        loops.average(tree, total, strategy)
        best = [loops.respond(tree, strategy, seat, reach, value) for seat in (0, 1)]
        gained = best[0] + best[1]
    worth = float(loops.expect(tree, strategy, value))
    asked, legal = without_shown(view(game, s, s.turn)), engine.legal(game, s)
    return Solved(tree, strategy, worth, float(gained), in_points, decision_of, asked, legal)


def grow(
    game: Game, ending: ModuleType, worlds: Sequence[tuple[Record, float]], most: int
) -> tuple[Tree, bool, dict[bytes, int]] | None:
    """The tree of all that can follow, whether the stake is points, and the decision of each view at the root."""
    from motherlode.compiled import build, dtype

    loops = build(growing, game, ending)
    record = dtype(game)
    nodes = np.frombuffer(bytearray().join(bytes(world) for world, _ in worlds), record)
    views: dict[bytes, int] = {}
    keys = np.zeros((len(worlds), 2), np.int64)
    for i, (world, _) in enumerate(worlds):
        for seat in (0, 1):
            seen = bytes(view(game, world, seat))
            keys[i, seat] = SPREAD * (views.setdefault(seen + bytes([seat]), len(views)) + 1)
    weights = np.array([weight for _, weight in worlds])
    odds = weights / weights.sum()
    root = nodes[:1].copy()
    before = np.zeros((len(worlds), 2), np.int64)
    slots = np.zeros(1 << most.bit_length(), np.dtype(information.Slot))
    found = np.zeros((4, 1 << most.bit_length()), np.int64)  # seat, actions, depth of decisions; [3, 0] their number
    levels: list[tuple[Array, ...]] = []
    total, bits, points = 0, np.zeros(engine.words_of(game), np.int64), np.zeros(2, np.int64)
    is_whole = True
    while len(nodes):
        n = len(nodes)
        actor, decision, number = np.zeros(n, np.int8), np.full(n, -1, np.int64), np.zeros(n, np.int64)
        payoff, won = np.zeros(n), np.zeros(n)
        is_whole &= bool(
            loops.look(nodes, root, keys, before, slots, found, actor, decision, number, payoff, won, bits, points)
        )
        first = total + n + np.concatenate([[0], np.cumsum(number)[:-1]])
        levels.append((actor, decision, first, number, odds, payoff, won))
        total += n
        children = int(number.sum())
        if total + children > most:
            return None
        next_nodes = np.zeros(children, record)
        next_keys, next_before = np.zeros((children, 2), np.int64), np.zeros((children, 2), np.int64)
        next_odds = np.zeros(children)
        loops.expand(
            nodes, root, keys, before, odds, actor, next_nodes, next_keys, next_before, next_odds, bits,
            np.zeros(2, record),
        )  # fmt: skip
        nodes, keys, before, odds = next_nodes, next_keys, next_before, next_odds
    actor, decision, first, number, odds, payoff, won = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    of_decisions = found[:3, : found[3, 0]]
    begin = np.cumsum(of_decisions[1]) - of_decisions[1]
    inner = np.flatnonzero(actor != LEAF)
    parts = [decision, first, number, inner, of_decisions[0], begin, of_decisions[1], of_decisions[2]]
    small = [part.astype(np.int32) for part in parts]
    tree = Tree(actor, small[0], small[1], small[2], odds * (won if is_whole else payoff), *small[3:])
    mover = int(worlds[0][0].turn)
    decision_of = {without_shown(view(game, world, mover)): int(levels[0][1][i]) for i, (world, _) in enumerate(worlds)}
    return tree, not is_whole, decision_of


def without_shown(s: Record) -> bytes:
    """A view but for what was turned up last, which the seat knows anyway and the public may not have seen."""
    t = copy(s)
    for k in range(len(t.shown)):
        t.shown[k] = 0
    return bytes(t)


def growing(game: Game, ending: Any, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The loops that grow a game's tree."""
    game_legal, game_odds, game_score, game_winners = game.legal, game.odds, game.score, game.winners
    has_ended = ending.has_ended
    shared = information.programs(game, inner)
    act, find = shared.act, shared.find

    @inner
    def is_leaf(s: Record, root: Record) -> bool:
        return s.turn == OVER or has_ended(s, root)

    @inner
    def number_of(slots: Any, found: Any, key: int) -> int:
        """The number of the decision with this key; a new one gets the next number."""
        slot = slots[find(slots, key)]
        if slot.visits == 0:
            slot.key = key
            slot.value = found[3, 0]
            found[3, 0] += 1
        slot.visits += 1
        return int(slot.value)

    @entry
    def look(
        nodes: Any, root: Any, keys: Any, before: Any, slots: Any, found: Any, actor: Any, decision: Any, number: Any,
        payoff: Any, won: Any, bits: Bits, points: Bits,
    ) -> bool:  # fmt: skip
        """Who acts at each node of a level, and in which decision; whether all of its leaves end the game."""
        is_whole = True
        for i in range(len(nodes)):
            s = nodes[i]
            if is_leaf(s, root[0]):
                actor[i] = LEAF
                game_score(s, points)
                payoff[i] = points[0] - points[1]
                if s.turn == OVER:
                    winners = game_winners(s)
                    won[i] = (winners & 1) - (winners >> 1 & 1)
                else:
                    is_whole = False
                continue
            actor[i] = s.turn
            number[i] = game_legal(s, bits)
            if s.turn >= 0:
                d = number_of(slots, found, keys[i, s.turn])
                decision[i] = d
                found[0, d] = s.turn
                found[1, d] = number[i]
                found[2, d] = before[i, s.turn]
        return is_whole

    @entry
    def expand(
        nodes: Any, root: Any, keys: Any, before: Any, odds: Any, actor: Any, next_nodes: Any, next_keys: Any,
        next_before: Any, next_odds: Any, bits: Bits, pair: Any,
    ) -> None:  # fmt: skip
        """The children of a level's nodes."""
        at = 0
        for i in range(len(nodes)):
            if actor[i] == LEAF:
                continue
            choices = game_legal(nodes[i], bits)
            whole = 0
            if actor[i] == CHANCE:
                for k in range(choices):
                    whole += game_odds(nodes[i], nth_action(bits, k))
            for k in range(choices):
                game_legal(nodes[i], bits)
                a = nth_action(bits, k)
                next_odds[at] = odds[i]
                if actor[i] == CHANCE:
                    next_odds[at] *= game_odds(nodes[i], a) / whole
                for x in range(2):
                    next_keys[at, x] = keys[i, x]
                    next_before[at, x] = before[i, x]
                if actor[i] >= 0:
                    next_before[at, actor[i]] += 1
                pair[0] = nodes[i]
                act(pair, a, next_keys[at])
                while not is_leaf(pair[0], root[0]) and game_legal(pair[0], bits) == 1:
                    act(pair, nth_action(bits, 0), next_keys[at])
                next_nodes[at] = pair[0]
                at += 1

    return SimpleNamespace(look=look, expand=expand)


def cfr(inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The loops that improve strategies, for any tree."""

    @inner
    def share_out(tree: Any, weights: Any, strategy: Any, d: int) -> None:
        """A decision's strategy in proportion to the positive weights; uniform if there are none."""
        whole = 0.0
        for k in range(tree.begin[d], tree.begin[d] + tree.actions[d]):
            whole += max(0.0, weights[k])
        for k in range(tree.begin[d], tree.begin[d] + tree.actions[d]):
            strategy[k] = max(0.0, weights[k]) / whole if whole > 0 else 1 / tree.actions[d]

    @entry
    def average(tree: Any, total: Any, strategy: Any) -> None:
        for d in range(len(tree.seat)):
            share_out(tree, total, strategy, d)

    @inner
    def descend(tree: Any, strategy: Any, reach: Any) -> None:
        """How likely both seats are to play to each node."""
        for h in tree.inner:
            for k in range(tree.number[h]):
                child = tree.first[h] + k
                if tree.actor[child] != LEAF:
                    reach[0, child] = reach[0, h]
                    reach[1, child] = reach[1, h]
                    if tree.actor[h] >= 0:
                        reach[tree.actor[h], child] *= strategy[tree.begin[tree.decision[h]] + k]

    @inner
    def climb(tree: Any, strategy: Any, value: Any) -> None:
        """What each inner node is worth to seat 0, times the probability of chance on the way."""
        for h in tree.inner[::-1]:
            worth = 0.0
            if tree.actor[h] >= 0:
                b = tree.begin[tree.decision[h]]
                for k in range(tree.number[h]):
                    worth += strategy[b + k] * value[tree.first[h] + k]
            else:
                for k in range(tree.number[h]):
                    worth += value[tree.first[h] + k]
            value[h] = worth

    @entry
    def improve(
        tree: Any, regret: Any, last: Any, total: Any, strategy: Any, reach: Any, value: Any, done: int, steps: int
    ) -> None:
        """Run `steps` iterations of predictive CFR+, the seats in turns; iteration t has weight t² in the average."""
        for t in range(done + 1, done + steps + 1):
            for x in range(2):
                descend(tree, strategy, reach)
                climb(tree, strategy, value)
                for h in tree.inner:
                    if tree.actor[h] == x:
                        b = tree.begin[tree.decision[h]]
                        weight = reach[1 - x, h] if x == 0 else -reach[1 - x, h]
                        for k in range(tree.number[h]):
                            last[b + k] += weight * (value[tree.first[h] + k] - value[h])
                            total[b + k] += t * t * reach[x, h] * strategy[b + k]
                for d in range(len(tree.seat)):
                    if tree.seat[d] == x:
                        for k in range(tree.begin[d], tree.begin[d] + tree.actions[d]):
                            regret[k] = max(0.0, regret[k] + last[k])
                            last[k] += regret[k]  # predicts that the last regrets come again
                        share_out(tree, last, strategy, d)
                        for k in range(tree.begin[d], tree.begin[d] + tree.actions[d]):
                            last[k] = 0.0

    @inner
    def roots(tree: Any, value: Any) -> float:
        """The sum over the worlds: the nodes before the first child."""
        whole = 0.0
        for h in range(tree.first[0]):
            whole += value[h]
        return whole

    @entry
    def expect(tree: Any, strategy: Any, value: Any) -> float:
        """What seat 0 gets."""
        climb(tree, strategy, value)
        return float(roots(tree, value))

    @entry
    def respond(tree: Any, strategy: Any, x: int, reach: Any, value: Any) -> float:
        """What a seat gets with a best response, which is found from its last decisions back."""
        answer = strategy.copy()
        descend(tree, strategy, reach)
        deepest = 0
        for d in range(len(tree.seat)):
            if tree.seat[d] == x:
                deepest = max(deepest, tree.depth[d])
        sign = 1 - 2 * x
        worth = np.zeros(len(strategy))
        for level in range(deepest, -1, -1):
            climb(tree, answer, value)
            for h in tree.inner:
                if tree.actor[h] == x and tree.depth[tree.decision[h]] == level:
                    b = tree.begin[tree.decision[h]]
                    for k in range(tree.number[h]):
                        worth[b + k] += sign * reach[1 - x, h] * value[tree.first[h] + k]
            for d in range(len(tree.seat)):
                if tree.seat[d] == x and tree.depth[d] == level:
                    best = tree.begin[d]
                    for k in range(tree.begin[d], tree.begin[d] + tree.actions[d]):
                        best = k if worth[k] > worth[best] else best
                        answer[k] = 0.0
                    answer[best] = 1.0
        climb(tree, answer, value)
        return float(sign * roots(tree, value))

    return SimpleNamespace(average=average, improve=improve, expect=expect, respond=respond)
