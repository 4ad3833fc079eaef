"""Loops over the tree of `equilibrium.py`: predictive CFR+ for two seats; best responses and values for any number.

`value` has one entry per node. Its leaves are what the caller says, and a loop fills in what the other nodes are worth.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

LEAF = -2  # an actor besides CHANCE and the seats


def programs(inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The loops: `entry` compiles those that are called from Python, `inner` those that they call."""

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
        """How likely each seat is to play to each node."""
        for h in tree.inner:
            for k in range(tree.number[h]):
                child = tree.first[h] + k
                if tree.actor[child] != LEAF:
                    for x in range(len(reach)):
                        reach[x, child] = reach[x, h]
                    if tree.actor[h] >= 0:
                        reach[tree.actor[h], child] *= strategy[tree.begin[tree.decision[h]] + k]

    @inner
    def climb(tree: Any, strategy: Any, value: Any) -> None:
        """What each inner node is worth, in the terms of the leaves, times the probability of chance on the way."""
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
        """Run `steps` iterations of predictive CFR+, the two seats in turns; iteration t weighs t² in the average.

        `value` is in the terms of seat 0.
        """
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
        """What the seat gets in whose terms the leaves are."""
        climb(tree, strategy, value)
        return float(roots(tree, value))

    @entry
    def respond(tree: Any, strategy: Any, x: int, reach: Any, value: Any, answer: Any) -> float:
        """What seat x gets with a best response, which is found from its last decisions back, and put in `answer`.

        `value` is in the terms of x, and `answer` a copy of `strategy`.
        """
        descend(tree, strategy, reach)
        deepest = 0
        for d in range(len(tree.seat)):
            if tree.seat[d] == x:
                deepest = max(deepest, tree.depth[d])
        worth = np.zeros(len(strategy))
        for level in range(deepest, -1, -1):
            climb(tree, answer, value)
            for h in tree.inner:
                if tree.actor[h] == x and tree.depth[tree.decision[h]] == level:
                    others = 1.0
                    for y in range(len(reach)):
                        others *= reach[y, h] if y != x else 1.0
                    b = tree.begin[tree.decision[h]]
                    for k in range(tree.number[h]):
                        worth[b + k] += others * value[tree.first[h] + k]
            for d in range(len(tree.seat)):
                if tree.seat[d] == x and tree.depth[d] == level:
                    best = tree.begin[d]
                    for k in range(tree.begin[d], tree.begin[d] + tree.actions[d]):
                        best = k if worth[k] > worth[best] else best
                        answer[k] = 0.0
                    answer[best] = 1.0
        climb(tree, answer, value)
        return float(roots(tree, value))

    return SimpleNamespace(average=average, improve=improve, expect=expect, respond=respond)
