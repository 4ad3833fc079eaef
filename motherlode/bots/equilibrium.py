"""Small endings with secrets, for two seats, solved to an equilibrium by regret minimisation, for any game.

All worlds that agree with the public position, with their weights, are played on in every way. The nodes that the seat
to act cannot tell apart are one *decision*: it is keyed on what the seat knew at the root and the sequence of (actor,
told, shown) since. Predictive CFR+ then improves both strategies in turns, and exact best responses to their averages
say how far from an equilibrium they still are. What is played for is winning, or the lead in points where the ending
does not end the game.

Nodes are numbered level by level, so that parents come before their children and children lie side by side: a pass over
the tree is a loop. Forced actions and sure outcomes make no nodes, though they are heard.
"""

from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.engine import copy, view
from motherlode.game import CHANCE, OVER, Bits, Game, Record, nth_action

LEAF = -2  # besides CHANCE and the seats
Array = np.ndarray[Any, Any]


class Tree(NamedTuple):
    """Node by node: who acts, in which decision, the first child and how many there are, and (leaves) what seat 0 gets
    times the odds that chance plays so. The nodes that are no leaves. Decision by decision: its seat, where its actions
    begin, how many, and how many decisions of the same seat came before it."""

    actor: Array
    decision: Array
    first: Array
    number: Array
    worth: Array
    inner: Array
    seat: Array
    begin: Array
    actions: Array
    depth: Array


class Solved(NamedTuple):
    """The tree, how likely each action of each decision is, and what best responses to that would gain in all."""

    tree: Tree
    strategy: Array
    value: float  # of seat 0
    exploitability: float
    in_points: bool
    decision_of: dict[bytes, int]  # of a view at the root

    def mix(self, seen: Record) -> list[float]:
        """How likely each legal action is, in order, for the seat with this view of the root."""
        decision = self.decision_of[without_shown(seen)]
        begin = self.tree.begin[decision]
        mixed: list[float] = self.strategy[begin : begin + self.tree.actions[decision]].tolist()
        return mixed


def solve(
    game: Game,
    ending: ModuleType,
    worlds: Sequence[tuple[Record, float]],
    *,
    most: int,
    iterations: int = 200,
    enough: float = 0.005,
) -> Solved | None:
    """An equilibrium of all that can follow these worlds; None if it has more than `most` nodes."""
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
    return Solved(tree, strategy, float(loops.expect(tree, strategy, value)), float(gained), in_points, decision_of)


def grow(
    game: Game, ending: ModuleType, worlds: Sequence[tuple[Record, float]], most: int
) -> tuple[Tree, bool, dict[bytes, int]] | None:
    """The tree of all that can follow, whether it is played for points, and the decision of each view at the root."""
    from motherlode.compiled import as_array, build, dtype

    loops = build(growing, game, ending)
    kind = dtype(game)
    room = np.zeros(len(worlds), kind)
    views: dict[bytes, int] = {}
    heard = np.zeros((len(worlds), 2), np.uint64)
    for i, (world, _) in enumerate(worlds):
        room[i : i + 1] = as_array(game, world)
        for seat in (0, 1):
            seen = bytes(view(game, world, seat))
            heard[i, seat] = views.setdefault(seen + bytes([seat]), len(views)) + 1
    weights = np.array([weight for _, weight in worlds])
    odds = weights / weights.sum()
    root = room[:1].copy()
    before = np.zeros((len(worlds), 2), np.int64)
    table = np.zeros((1 << most.bit_length(), 2), np.uint64)
    found = np.zeros((4, 1 << most.bit_length()), np.int64)  # seat, actions, depth of decisions; [3, 0] their number
    levels: list[tuple[Array, ...]] = []
    total, bits, out = 0, np.zeros(engine.words_of(game), np.int64), np.zeros(2, np.int64)
    is_whole = True
    while len(room):
        n = len(room)
        actor, decision, number = np.zeros(n, np.int8), np.full(n, -1, np.int64), np.zeros(n, np.int64)
        payoff, won = np.zeros(n), np.zeros(n)
        is_whole &= bool(
            loops.look(room, root, heard, before, table, found, actor, decision, number, payoff, won, bits, out)
        )
        first = total + n + np.concatenate([[0], np.cumsum(number)[:-1]])
        levels.append((actor, decision, first, number, odds, payoff, won))
        total += n
        children = int(number.sum())
        if total + children > most:
            return None
        following = np.zeros(children, kind)
        heard_then, before_then = np.zeros((children, 2), np.uint64), np.zeros((children, 2), np.int64)
        odds_then = np.zeros(children)
        loops.expand(
            room, root, heard, before, odds, actor, following, heard_then, before_then, odds_then, bits,
            np.zeros(2, kind),
        )  # fmt: skip
        room, heard, before, odds = following, heard_then, before_then, odds_then
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
    game_legal, game_apply, game_odds = game.legal, game.apply, game.odds
    game_hide, game_told, game_score, game_winners = game.hide, game.told, game.score, game.winners
    has_ended = ending.has_ended
    shown_length = next(field.length for field in game.FIELDS if field.name == "shown")

    @inner
    def mix(h: Any, x: int) -> Any:
        h = (h ^ np.uint64(x + 1000)) * np.uint64(0x9E3779B97F4A7C15)
        return h ^ (h >> np.uint64(29))

    @inner
    def is_leaf(s: Record, root: Record) -> bool:
        return s.turn == OVER or has_ended(s, root)

    @inner
    def act(room: Any, a: int, heard: Any, scratch: Any) -> None:
        """Do it, and add what both seats hear of it."""
        s = room[0]
        actor = s.turn
        for x in range(2):
            heard[x] = mix(mix(heard[x], actor), game_told(s, a, x))
        game_apply(s, a)
        is_shown = False
        for k in range(shown_length):
            is_shown |= s.shown[k] != 0
        for x in range(2):
            if is_shown:
                scratch[0] = room[0]
                game_hide(scratch[0], x)
                for k in range(shown_length):
                    heard[x] = mix(heard[x], scratch[0].shown[k])

    @inner
    def find(table: Any, found: Any, key: Any, seat: int) -> Any:
        """The number of the decision with this key; a new one is entered."""
        key = mix(key, seat) | np.uint64(1)  # 0 is a free entry
        slot = np.int64(key >> np.uint64(8)) & (len(table) - 1)
        while table[slot, 0] != 0:
            if table[slot, 0] == key:
                return np.int64(table[slot, 1])
            slot = (slot + 1) & (len(table) - 1)
        number = found[3, 0]
        found[3, 0] += 1
        table[slot, 0] = key
        table[slot, 1] = number
        return number

    @entry
    def look(
        room: Any, root: Any, heard: Any, before: Any, table: Any, found: Any, actor: Any, decision: Any, number: Any,
        payoff: Any, won: Any, bits: Bits, out: Bits,
    ) -> bool:  # fmt: skip
        """Who acts at each node of a level, and in which decision; whether all of its leaves end the game."""
        is_whole = True
        for i in range(len(room)):
            s = room[i]
            if is_leaf(s, root[0]):
                actor[i] = LEAF
                game_score(s, out)
                payoff[i] = out[0] - out[1]
                if s.turn == OVER:
                    winners = game_winners(s)
                    won[i] = (winners & 1) - (winners >> 1 & 1)
                else:
                    is_whole = False
                continue
            actor[i] = s.turn
            number[i] = game_legal(s, bits)
            if s.turn >= 0:
                d = find(table, found, heard[i, s.turn], s.turn)
                decision[i] = d
                found[0, d] = s.turn
                found[1, d] = number[i]
                found[2, d] = before[i, s.turn]
        return is_whole

    @entry
    def expand(
        room: Any, root: Any, heard: Any, before: Any, odds: Any, actor: Any, following: Any, heard_then: Any,
        before_then: Any, odds_then: Any, bits: Bits, scratch: Any,
    ) -> None:  # fmt: skip
        """The children of a level's nodes."""
        at = 0
        for i in range(len(room)):
            if actor[i] == LEAF:
                continue
            choices = game_legal(room[i], bits)
            whole = 0
            if actor[i] == CHANCE:
                for k in range(choices):
                    whole += game_odds(room[i], nth_action(bits, k))
            for k in range(choices):
                game_legal(room[i], bits)
                a = nth_action(bits, k)
                odds_then[at] = odds[i]
                if actor[i] == CHANCE:
                    odds_then[at] *= game_odds(room[i], a) / whole
                for x in range(2):
                    heard_then[at, x] = heard[i, x]
                    before_then[at, x] = before[i, x]
                if actor[i] >= 0:
                    before_then[at, actor[i]] += 1
                following[at] = room[i]
                act(following[at : at + 1], a, heard_then[at], scratch)
                while not is_leaf(following[at], root[0]) and game_legal(following[at], bits) == 1:
                    act(following[at : at + 1], nth_action(bits, 0), heard_then[at], scratch)
                at += 1

    return SimpleNamespace(look=look, expand=expand)


def cfr(inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The loops that improve strategies, for any tree."""

    @inner
    def share_out(tree: Any, weights: Any, strategy: Any, d: int) -> None:
        """A decision's strategy in proportion to what is positive in the weights; uniform if nothing is."""
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
        """What each node is worth to seat 0, with the odds of chance counted in; that of leaves is there."""
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
        """So many iterations of predictive CFR+, the seats in turns; iteration t counts t² in the average."""
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
                            last[k] += regret[k]  # play as if the last regrets came again
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
        return roots(tree, value)

    @entry
    def respond(tree: Any, strategy: Any, x: int, reach: Any, value: Any) -> float:
        """What a seat gets by a best response: its last decisions are settled first, then those before them."""
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
        return sign * roots(tree, value)

    return SimpleNamespace(average=average, improve=improve, expect=expect, respond=respond)
