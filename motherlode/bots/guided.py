"""The search that a network guides: `policy+search:400`.

It is the search of `search.py` with a network in place of random play below the trees. Inside the trees an action is
chosen by what it brought and by how likely the network finds it (PUCT). An iteration ends at a node of the asking seat
that is new, and takes what the network expects there; a finished game is worth its utility (ALL-6). The network is
shown what the seat to act knows in the world of this iteration, never the world itself.

Others' nodes are passed: the first time, and half of the time later, the action is drawn, as often as it was taken so
far. If all chose what is best so far, guesser and hider would fall into step, and one would always win.

A node is what a seat knew at the root and has been told since. The asking seat knew the same in every world, and
another seat what it knows in this one: so what the network says at a node is asked once and kept.

`build` makes the loops of one game as `search.programs` does: compiled they run the network in native code, in plain
Python they ask NumPy, with the same answer. Nothing is allocated in the loop.
"""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from math import sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np

from motherlode import engine
from motherlode.bots import information, network, policy
from motherlode.bots.information import Slot, narrow
from motherlode.bots.network import VALUE, Net
from motherlode.bots.policy import SHARES
from motherlode.bots.search import DEPTH, Found, Limits, explore
from motherlode.engine import MOST_SEATS, lean
from motherlode.envs import clues
from motherlode.envs.rotation import relative
from motherlode.game import CHANCE, OVER, Bits, Game, Record, Rng, Words, below, new_rng, nth_action
from motherlode.table import Ask, Bot

EXPLORE = 1.5  # how much the network's opinion counts against what was found
DOUBT = 0.2  # an action not tried yet is thought so much worse than its node
EVEN = 0.05  # the share of the network's opinion that all actions get alike: it may be sure of what is wrong
FINE = 1 << 30  # the resolution of a draw
MOST_NODES = 1 << 16  # of a tree; a full one goes on learning but grows no more
NODES_PER_SEAT = 2  # that there is room for in an iteration
ARMS_PER_NODE = 64
CHUNK = 8  # iterations between two looks at the clock
FASTEST = 100  # iterations per millisecond that no network reaches


class Arm(ctypes.Structure):
    """An action at a node: how likely the network finds it, how often it was tried, and what it brought.

    Before a node's arms stands one for the node itself, whose `action` is their number.
    """

    _fields_ = (
        ("value", ctypes.c_double),
        ("prior", ctypes.c_double),
        ("tries", ctypes.c_int32),
        ("action", ctypes.c_int32),
    )


def build(game: Game, run: Any, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The search of one game: `run` runs the network, as that of `policy.programs` does."""
    game_legal, game_guess, game_hide, game_winners = game.useful or game.legal, game.guess, game.hide, game.winners
    draw = engine.programs(game, inner, entry).draw
    shared = information.programs(game, inner)
    start, act, find, stir = shared.start, shared.act, shared.find, shared.stir
    size = ctypes.sizeof(game.RECORD)

    @inner
    def know(pair: Any, seat: int, keys: Bits, content: Words) -> None:
        """Add to the other seats' keys what they know at the root; `content` is the bytes of the pair."""
        for x in range(pair[0].seats):
            if x != seat:
                pair[1] = pair[0]
                game_hide(pair[1], x)
                for k in range(size):
                    stir(keys, x, content[size + k])

    @inner
    def settle(s: Record, worth: Any) -> None:
        """What a finished game is worth to every seat."""
        won, n, winners = game_winners(s), s.seats, 0
        for x in range(n):
            winners += (won >> x) & 1
        for x in range(n):
            worth[x] = (n / winners - 1) / (n - 1) if (won >> x) & 1 else -1 / (n - 1)

    @inner
    def look(pair: Any, seat: int, net: Any, to: Any, logits: Words, values: Words, worth: Any) -> None:
        """Ask the network in the view of the seat to act: logits, and what the game is worth to every seat."""
        pair[1] = pair[0]
        game_hide(pair[1], seat)
        run(pair[1], seat, net, to, logits, values)
        n = pair[0].seats
        for x in range(n):
            worth[x] = min(max(values[relative(x, seat, n)] / VALUE, -1 / (n - 1)), 1.0)

    @inner
    def enter(
        node: Any, key: int, choices: int, bits: Bits, logits: Words, value: float, arms: Any, used: Bits
    ) -> None:
        """Make a node, with an arm for each legal action."""
        first = used[1]
        used[0] += 1
        used[1] += choices + 1
        node.key = key
        node.visits = 1
        node.value = first
        arms[first].action = choices
        arms[first].tries = 1
        arms[first].value = value
        most = logits[nth_action(bits, 0)]
        for k in range(choices):
            a = nth_action(bits, k)
            arms[first + 1 + k].action = a
            most = max(most, logits[a])
        total = 0
        for k in range(1, choices + 1):
            lower = most - logits[arms[first + k].action]
            total += SHARES[lower] if lower < len(SHARES) else 0
        for k in range(1, choices + 1):
            lower = most - logits[arms[first + k].action]
            share = (SHARES[lower] if lower < len(SHARES) else 0) / total
            arms[first + k].prior = (1 - EVEN) * share + EVEN / choices

    @inner
    def select(first: int, arms: Any) -> int:
        """The arm to try at a node."""
        best, most = first + 1, -1e9
        level = arms[first].value / arms[first].tries - DOUBT
        weight = EXPLORE * sqrt(arms[first].tries)
        for arm in range(first + 1, first + 1 + arms[first].action):
            tries = arms[arm].tries
            hope = (arms[arm].value / tries if tries > 0 else level) + weight * arms[arm].prior / (1 + tries)
            if hope > most:
                best, most = arm, hope
        return best

    @inner
    def favourite(first: int, arms: Any) -> int:
        """The arm that was tried most often, where the network's opinion counts as the first try."""
        best, most = first + 1, -1.0
        for arm in range(first + 1, first + 1 + arms[first].action):
            if arms[arm].tries + arms[arm].prior > most:
                best, most = arm, arms[arm].tries + arms[arm].prior
        return best

    @inner
    def sample(first: int, arms: Any, rng: Rng) -> int:
        """An arm, each as often as it was tried so far, where the network's opinion counts as the first try."""
        rest, drawn = below(rng, FINE) / FINE * arms[first].tries, first + 1
        for arm in range(first + 1, first + 1 + arms[first].action):
            if rest >= 0:
                drawn = arm
                rest -= arms[arm].tries + arms[arm].prior
        return drawn

    @entry
    def grow(
        view: Any, seat: int, iterations: int, settled: bool, among: Words, pair: Any, content: Words, rng: Rng,
        bits: Bits, keys: Bits, path: Bits, heads: Bits, actors: Bits, worth: Any, net: Any, to: Any, logits: Words,
        values: Words, nodes: Any, arms: Any, used: Bits,
    ) -> None:  # fmt: skip
        """Grow the trees by this many iterations; at the root the actions in `among` are tried as `search` does.

        In settled trees the asking seat does what it tried most often, and the others what they did, as often.

        `used` counts nodes and arms; pair[0] is the world, and what else stands before `nodes` is scratch memory.
        """
        s = pair[0]
        for _ in range(iterations):
            pair[0] = view[0]
            game_guess(s, seat, rng)
            start(keys, s.seats, seat)
            know(pair, seat, keys, content)
            depth = 0
            while s.turn != OVER:
                actor = s.turn
                if actor == CHANCE:
                    a = draw(s, rng, bits)
                else:
                    choices = game_legal(s, bits)
                    is_even = depth == 0 and len(among) > 0
                    if is_even:
                        choices = narrow(bits, among, 0, len(among))
                    a = nth_action(bits, 0)
                    if choices > 1 or depth == 0:  # the root is a node, even where only one action is useful
                        node = nodes[find(nodes, keys[actor])]
                        is_new = node.visits == 0
                        if is_new or depth == len(path):
                            look(pair, actor, net, to, logits, values, worth)
                            is_full = 2 * used[0] >= len(nodes) or used[1] + choices >= len(arms)
                            if is_new and not is_full:
                                enter(node, keys[actor], choices, bits, logits, worth[actor], arms, used)
                            if is_full or depth == len(path) or (actor == seat and depth > 0):
                                break
                        first = node.value
                        is_drawn = actor != seat and (settled or is_new or below(rng, 2) == 0)
                        arm = sample(first, arms, rng) if is_drawn else select(first, arms)
                        if settled and actor == seat:
                            arm = favourite(first, arms)
                        if is_even:
                            arm = first + 1 + (arms[first].tries - 1) % choices
                        a = arms[arm].action
                        path[depth] = arm
                        heads[depth] = first
                        actors[depth] = actor
                        depth += 1
                act(pair, a, keys)
            if s.turn == OVER:
                settle(s, worth)
            for k in range(depth):
                arms[path[k]].tries += 1
                arms[path[k]].value += worth[actors[k]]
                arms[heads[k]].tries += 1
                arms[heads[k]].value += worth[actors[k]]

    return SimpleNamespace(grow=grow, start=start, know=know)


@lean
def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The search of one game, for native code."""
    return build(game, policy.programs(game, inner, entry).run, inner, entry)


def run_plain(s: Record, seat: int, net: Net, to: None, logits: Any, values: Any) -> None:
    """`run` of `policy.programs` by NumPy."""
    (logits[:],), (values[:],) = network.run(net, clues.row(s.GAME, s, seat)[None])


@cache
def interpreted(game: Game) -> SimpleNamespace:
    return build(game, run_plain, engine.uncompiled, engine.uncompiled)


class Tree:
    """The trees of one search, and its scratch memory. The value of a node's slot is its first arm."""

    def __init__(self, ask: Ask, net: Net, most: int, rng: Rng, *, plain: bool, among: Sequence[int] = ()) -> None:
        game = ask.game
        self.nodes = (Slot * (1 << (2 * most).bit_length()))()
        self.arms = (Arm * (ARMS_PER_NODE * most + len(game.ACTIONS) + 1))()
        self.seats = ask.view.seats
        view, pair = (game.RECORD * 1)(ask.view), (game.RECORD * 2)()
        content = (ctypes.c_int8 * ctypes.sizeof(pair)).from_buffer(pair)
        integers = [(ctypes.c_int64 * n)() for n in (engine.words_of(game), MOST_SEATS, DEPTH, DEPTH, DEPTH)]
        tried = (ctypes.c_int64 * len(among))(*among)
        arrays = [view, tried, pair, content, rng, *integers, (ctypes.c_double * MOST_SEATS)()]
        logits, values = (np.zeros(n, np.int32) for n in (len(net.shape.order), len(net.layers["values"].bias)))
        trees = [self.nodes, self.arms, (ctypes.c_int64 * 2)()]
        asked: list[Any] = [net, None]
        self.program = interpreted(game).grow
        if not plain:
            from motherlode.compiled import as_numpy, compiled

            asked = [policy.flat(net), policy.new_scratch(net)]
            self.program = compiled(game, programs).grow
            arrays, trees = ([as_numpy(array) for array in each] for each in (arrays, trees))
        self.seat, self.view, self.memory = ask.seat, arrays[0], [*arrays[1:], *asked, logits, values, *trees]

    def grow(self, iterations: int, *, settled: bool = False) -> None:
        self.program(self.view, self.seat, iterations, settled, *self.memory)

    def root(self) -> list[Found]:
        """What is known of the root's actions. The root is in place 0: its key is 0 and it was the first node."""
        first, n = self.nodes[0].value, self.seats
        arms = [self.arms[first + 1 + k] for k in range(self.arms[first].action)]
        return [Found(arm.action, arm.tries, (arm.value * (n - 1) + arm.tries) / n, arm.value) for arm in arms]


def search(
    ask: Ask,
    rng: Rng,
    net: Net,
    iterations: int,
    *,
    milliseconds: float | None = None,
    trees: int = 1,
    plain: bool = False,
    core_seconds: float | None = None,
) -> list[Found]:
    """What is found out about the useful actions, the best first; limits are as those of `search.search`."""
    most = iterations if milliseconds is None else min(iterations, 1 + int(milliseconds * FASTEST))
    nodes = min(NODES_PER_SEAT * ask.view.seats * most, MOST_NODES)
    limits = Limits(milliseconds, core_seconds, chunk=1 if plain else CHUNK)

    def new_tree(own: Rng) -> Tree:
        return Tree(ask, net, nodes, own, plain=plain)

    return explore(ask, rng, iterations, new_tree, trees=trees, limits=limits)


def bot(
    net: Net,
    iterations: int,
    *,
    milliseconds: float | None = None,
    trees: int = 1,
    plain: bool = False,
    core_seconds: float | None = None,
) -> Bot:
    def choose(ask: Ask, rng: Rng) -> int:
        found = search(
            ask, rng, net, iterations, milliseconds=milliseconds, trees=trees, plain=plain, core_seconds=core_seconds
        )
        return found[0].action

    return choose


def warm(game: Game) -> None:
    """Compile the search of a game, or load it from the cache; until then it can be asked with `plain`."""
    s, rng = engine.start(game), new_rng(0)
    while s.turn == CHANCE:
        game.apply(s, engine.draw(game, s, rng))
    ask = Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), [])
    Tree(ask, policy.blank(game), 1, rng, plain=False).grow(1)
    _warm.add(game)


_warm: set[Game] = set()  # games whose search is compiled


def is_warm(game: Game) -> bool:
    return game in _warm
