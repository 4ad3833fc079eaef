"""Small endings and games with hidden information, solved to an equilibrium by regret minimisation, for any game.

All worlds that agree with the public position, with their weights, are played on in every way. The nodes that the seat
to act cannot tell apart are one *decision*: its key is what the seat knew at the root and the sequence of (actor, told,
shown) since, see information.py. For two seats, predictive CFR+ then improves both strategies in turns, and exact best
responses to their averages say how far from an equilibrium they still are. Best responses are for any number of seats.
The stake is winning (ALL-6), or the lead in points where the ending does not end the game.

Nodes are numbered level by level, so that parents come before their children and siblings are neighbours: a pass over
the tree is a loop. Forced actions and certain outcomes make no nodes, but they count in the keys. The same source runs
interpreted, which is sooner done with a small tree, and compiled.
"""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.bots import cfr, information
from motherlode.bots.cfr import LEAF
from motherlode.bots.information import SPREAD
from motherlode.engine import copy, view
from motherlode.game import CHANCE, OVER, Bits, Game, Record, nth_action

FEW = 1000  # nodes of a tree that needs no compiled loops
World = tuple[Record, float]  # with its weight
Array = np.ndarray[Any, Any]


class Tree(NamedTuple):
    """The game tree, in one array per property."""

    # Of each node
    actor: Array
    decision: Array
    first: Array  # its first child
    number: Array  # how many children it has
    worth: Array  # by seat; of a leaf: what the seat gets, times the probability of all chance outcomes on the way
    inner: Array  # the nodes that are not leaves
    # Of each decision
    seat: Array
    begin: Array  # the place of its first action in a strategy
    actions: Array  # how many actions it has
    depth: Array  # how many decisions of the same seat came before it


class Grown(NamedTuple):
    """A tree, and what its nodes and decisions are in the game."""

    tree: Tree
    odds: Array  # of each node: the probability of all chance outcomes on the way
    keys: Array  # of each decision
    in_points: bool
    worlds: Sequence[World]  # the first nodes
    views: dict[bytes, int]  # what each seat may know at the root, followed by the seat: the number that its keys have
    is_plain: bool  # so small that its loops need not be compiled


class TooLarge(Exception):
    """A tree with more nodes than it may have."""

    def __init__(self, nodes: int, most: int) -> None:
        super().__init__(f"{nodes:,} nodes and more, {most:,} at most")
        self.nodes, self.most = nodes, most


class Solved(NamedTuple):
    """The tree, a strategy for all of its decisions, and what best responses to it would gain."""

    grown: Grown
    tree: Tree
    strategy: Array
    value: float  # of seat 0
    exploitability: float  # of both seats together: NashConv
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
    try:
        grown = grow(game, ending, worlds, most)
    except TooLarge:
        return None
    return balance(game, grown, s, iterations=iterations, enough=enough)


def balance(game: Game, grown: Grown, s: Record, *, iterations: int, enough: float) -> Solved:
    """An equilibrium of a tree for two seats, as far as this many iterations come, or until it is good enough."""
    tree, loops = grown.tree, loops_for(grown)
    actions = int(tree.actions.sum())
    regret, last, total, current, strategy = np.zeros((5, actions))
    loops.average(tree, total, current)
    reach, value = np.ones((2, len(tree.actor))), tree.worth[0].copy()
    gained = np.inf
    done, step = 0, 10
    while done < iterations and gained >= enough:
        loops.improve(tree, regret, last, total, current, reach, value, done, step)
        done += step
        step = done // 2  # best responses cost as much as several iterations
        loops.average(tree, total, strategy)
        gained = sum(respond(grown, strategy, seat)[0] for seat in (0, 1))
    worth = float(loops.expect(tree, strategy, value))
    asked, legal = without_shown(view(game, s, s.turn)), engine.legal(game, s)
    decision_of = {
        without_shown(view(game, world, s.turn)): int(tree.decision[i]) for i, (world, _) in enumerate(grown.worlds)
    }
    return Solved(grown, tree, strategy, worth, float(gained), grown.in_points, decision_of, asked, legal)


def loops_for(grown: Grown) -> SimpleNamespace:
    """The loops over this tree."""
    if grown.is_plain:
        return plain_loops()
    from motherlode.compiled import build

    return build(cfr.programs)


@cache
def plain_loops() -> SimpleNamespace:
    return cfr.programs(engine.uncompiled, engine.uncompiled)


def respond(grown: Grown, strategy: Array, seat: int) -> tuple[float, Array]:
    """What a best response to the others' strategies is worth to a seat, and all strategies with it in its place."""
    tree, answer = grown.tree, strategy.copy()
    reach = np.ones((len(tree.worth), len(tree.actor)))
    best = loops_for(grown).respond(tree, strategy, seat, reach, tree.worth[seat].copy(), answer)
    return float(best), answer


def expect(grown: Grown, strategy: Array) -> list[float]:
    """What each seat gets."""
    return [float(loops_for(grown).expect(grown.tree, strategy, worth.copy())) for worth in grown.tree.worth]


class Memory(NamedTuple):
    """How the arrays are made that rules write to: interpreted rules need those of ctypes, compiled ones NumPy's."""

    records: Callable[[int], Any]
    keys: Callable[[int], Any]
    slots: Callable[[int], Any]
    bits: Callable[[], Any]


def memory(game: Game, seats: int, *, plain: bool) -> Memory:
    if plain:
        return Memory(
            lambda n: (game.RECORD * n)(),
            lambda n: (ctypes.c_int64 * seats * n)(),
            lambda n: (information.Slot * n)(),
            lambda: engine.new_bits(game),
        )
    from motherlode.compiled import dtype

    return Memory(
        lambda n: np.zeros(n, dtype(game)),
        lambda n: np.zeros((n, seats), np.int64),
        lambda n: np.zeros(n, np.dtype(information.Slot)),
        lambda: np.zeros(engine.words_of(game), np.int64),
    )


def grow(game: Game, ending: ModuleType, worlds: Sequence[World], most: int, *, plain: bool = False) -> Grown:
    """The tree of all that can follow these worlds, by interpreted rules if it is to be `plain`."""
    if plain:
        loops = growing(game, ending, engine.uncompiled, engine.uncompiled)
    else:
        from motherlode.compiled import build

        loops = build(growing, game, ending)
    seats = int(worlds[0][0].seats)
    new = memory(game, seats, plain=plain)
    nodes, keys, root = new.records(len(worlds)), new.keys(len(worlds)), new.records(1)
    memoryview(nodes).cast("B")[:] = b"".join(bytes(world) for world, _ in worlds)
    views: dict[bytes, int] = {}
    for i, (world, _) in enumerate(worlds):
        for seat in range(seats):
            seen = bytes(view(game, world, seat)) + bytes([seat])
            keys[i][seat] = first_key(views.setdefault(seen, len(views)))
    weights = np.array([weight for _, weight in worlds])
    odds = weights / weights.sum()
    root[0] = nodes[0]
    before = np.zeros((len(worlds), seats), np.int64)
    slots = new.slots(1 << most.bit_length())
    found = np.zeros((4, len(slots)), np.int64)  # seat, actions, depth and key of decisions
    decisions = np.zeros(1, np.int64)  # how many there are
    levels: list[tuple[Array, ...]] = []
    total, bits, points, pair = 0, new.bits(), np.zeros(seats, np.int64), new.records(2)
    is_whole = True
    while len(nodes):
        n = len(nodes)
        actor, decision, number = np.zeros(n, np.int8), np.full(n, -1, np.int64), np.zeros(n, np.int64)
        payoff, won = np.zeros((2, n, seats))
        is_whole &= bool(
            loops.look(
                nodes, root, keys, before, slots, found, decisions, actor, decision, number, payoff, won, bits, points
            )
        )
        first = total + n + np.concatenate([[0], np.cumsum(number)[:-1]])
        levels.append((actor, decision, first, number, odds, payoff, won))
        total += n
        children = int(number.sum())
        if total + children > most:
            raise TooLarge(total + children, most)
        next_nodes, next_keys = new.records(children), new.keys(children)
        next_before, next_odds = np.zeros((children, seats), np.int64), np.zeros(children)
        loops.expand(
            nodes, root, keys, before, odds, actor, next_nodes, next_keys, next_before, next_odds, bits, pair
        )  # fmt: skip
        nodes, keys, before, odds = next_nodes, next_keys, next_before, next_odds
    actor, decision, first, number, odds, payoff, won = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    seat_of, actions, depth, keys = found[:, : decisions[0]]
    inner = np.flatnonzero(actor != LEAF)
    parts = [decision, first, number, inner, seat_of, np.cumsum(actions) - actions, actions, depth]
    small = [part.astype(np.int32) for part in parts]
    worth = np.ascontiguousarray((odds[:, None] * (won if is_whole else payoff)).T)
    tree = Tree(actor, small[0], small[1], small[2], worth, *small[3:])
    return Grown(tree, odds, keys.copy(), not is_whole, worlds, views, plain)


def first_key(number: int) -> int:
    """The key of what a seat may know at the root."""
    return SPREAD * (number + 1)


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
    def number_of(slots: Any, decisions: Any, key: int) -> int:
        """The number of the decision with this key; a new one gets the next number."""
        slot = slots[find(slots, key)]
        if slot.visits == 0:
            slot.key = key
            slot.value = decisions[0]
            decisions[0] += 1
        slot.visits += 1
        return int(slot.value)

    @inner
    def lead(points: Bits, seats: int, seat: int) -> float:
        """How far a seat is ahead of the others, on average."""
        others = 0
        for x in range(seats):
            others += points[x] if x != seat else 0
        return points[seat] - others / (seats - 1)

    @inner
    def utility(winners: int, seats: int, seat: int) -> float:
        """ALL-6."""
        number = 0
        for x in range(seats):
            number += (winners >> x) & 1
        return (seats / number - 1) / (seats - 1) if (winners >> seat) & 1 == 1 else -1 / (seats - 1)

    @entry
    def look(
        nodes: Any, root: Any, keys: Any, before: Any, slots: Any, found: Any, decisions: Any, actor: Any,
        decision: Any, number: Any, payoff: Any, won: Any, bits: Bits, points: Bits,
    ) -> bool:  # fmt: skip
        """Who acts at each node of a level, and in which decision; whether all of its leaves end the game."""
        is_whole = True
        for i in range(len(nodes)):
            s = nodes[i]
            if is_leaf(s, root[0]):
                actor[i] = LEAF
                game_score(s, points)
                for x in range(s.seats):
                    payoff[i, x] = lead(points, s.seats, x)
                    if s.turn == OVER:
                        won[i, x] = utility(game_winners(s), s.seats, x)
                is_whole &= s.turn == OVER
                continue
            actor[i] = s.turn
            number[i] = game_legal(s, bits)
            if s.turn >= 0:
                d = number_of(slots, decisions, keys[i][s.turn])
                decision[i] = d
                found[0, d] = s.turn
                found[1, d] = number[i]
                found[2, d] = before[i, s.turn]
                found[3, d] = keys[i][s.turn]
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
                for x in range(nodes[i].seats):
                    next_keys[at][x] = keys[i][x]
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
