"""Information-set Monte-Carlo tree search for any game.

Every iteration guesses a world that agrees with the seat's view and plays it to an end. Each seat has a tree of its
own, whose nodes are what that seat has been told since the root, so nobody in the search acts on what it could not
know. Inside the trees an action is chosen by UCB among those that are legal in this world; below them at random.

`programs` builds the search of one game as `engine.programs` builds its loops: the same source runs interpreted and
compiled by Numba, with the same answer. Nothing is allocated in the loop: a node is a slot of a hash table (see
information.py), and the actions tried at a node are a chain of arms.
"""

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import log, sqrt
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

from motherlode import engine
from motherlode.bots import information
from motherlode.bots.information import Slot, narrow
from motherlode.engine import MOST_SEATS
from motherlode.game import CHANCE, OVER, Bits, Game, Record, Rng, Words, below, has, new_rng, nth_action
from motherlode.table import Ask, Bot

EXPLORE = 0.5
POINTS = 0.5  # what all points together are worth, where a win is worth 1
SHORTEST, LONGEST = 12, 30  # random decisions after which the points on the table are taken for the result
PATIENCE = 50  # iterations for one more of these decisions: a short search learns nothing from long random play
NONE = -1  # no arm
DEPTH = 256  # decisions of a path through the trees; what comes later is played at random
MOST_NODES = 1 << 18  # of a tree; a full one goes on learning but grows no more
ARMS_PER_NODE = 3
CHUNK = 64  # iterations between two looks at the clock
FASTEST = 500  # iterations per millisecond that no game reaches


class Arm(ctypes.Structure):
    """An action tried at a node: how often, how often it could have been, and what it brought."""

    _fields_ = (
        ("value", ctypes.c_double),
        ("won", ctypes.c_double),
        ("tries", ctypes.c_int32),
        ("open", ctypes.c_int32),
        ("next", ctypes.c_int32),
        ("action", ctypes.c_int32),
    )


def build(
    game: Game, finish: Callable[..., Any], inner: Callable[[Any], Any], entry: Callable[[Any], Any]
) -> SimpleNamespace:
    """The search of one game: `finish` says what is below the trees, as that of `programs` does."""
    game_legal, game_apply, game_guess = game.useful or game.legal, game.apply, game.guess
    draw = engine.programs(game, inner, entry).draw
    shared = information.programs(game, inner)
    start, act, find = shared.start, shared.act, shared.find
    words = engine.words_of(game)

    @inner
    def select(node: Any, arms: Any, choices: int, bits: Bits, untried: Bits, used: Bits, rng: Rng) -> int:
        """The arm to try: a random one of those not tried yet, else the most promising."""
        for w in range(words):
            untried[w] = bits[w]
        best, most, arm = NONE, -1.0, node.value
        while arm != NONE:
            a = arms[arm].action
            if has(bits, a):
                choices -= 1
                untried[a >> 6] &= ~(1 << (a & 63))
                arms[arm].open += 1
                tries = arms[arm].tries
                hope = arms[arm].value / tries + EXPLORE * sqrt(log(arms[arm].open) / tries)
                if hope > most:
                    best, most = arm, hope
            arm = arms[arm].next
        if choices > 0 and used[1] < len(arms):
            best = used[1]
            used[1] += 1
            arms[best].action = nth_action(untried, below(rng, choices))
            arms[best].open = node.visits
            arms[best].next = node.value
            node.value = best
        return best

    @inner
    def favourite(node: Any, arms: Any, bits: Bits) -> int:
        """The arm that was tried most often."""
        best, most, arm = NONE, 0, node.value
        while arm != NONE:
            if arms[arm].tries > most and has(bits, arms[arm].action):
                best, most = arm, arms[arm].tries
            arm = arms[arm].next
        return best

    @entry
    def grow(
        view: Any, seat: int, iterations: int, settled: bool, by: Any, among: Words, pair: Any, rng: Rng, bits: Bits,
        untried: Bits, points: Bits, keys: Bits, path: Bits, actors: Bits, won: Any, value: Any, nodes: Any, arms: Any,
        used: Bits,
    ) -> None:  # fmt: skip
        """Grow the trees by this many iterations; `by` is handed to `finish`.

        At the root the actions in `among`, if there are any, are tried in turn, and no others. Trees that are settled
        do not grow: everybody does what was tried most often.

        `used` counts nodes and arms; pair[0] is the world, and what else stands before `nodes` is scratch memory.
        """
        s = pair[0]
        for _ in range(iterations):
            pair[0] = view[0]
            game_guess(s, seat, rng)
            start(keys, s.seats, seat)
            depth = 0
            while s.turn != OVER:
                actor = s.turn
                is_new = False
                if actor == CHANCE:
                    a = draw(s, rng, bits)
                else:
                    choices = game_legal(s, bits)
                    a = nth_action(bits, 0)
                    if choices > 1 or depth == 0:  # the root is a node, even where only one action is useful
                        node = nodes[find(nodes, keys[actor])]
                        is_new = node.visits == 0
                        if is_new:
                            if settled or 2 * used[0] >= len(nodes):
                                break
                            used[0] += 1
                            node.key = keys[actor]
                            node.value = NONE
                        node.visits += 1
                        if depth == len(path):
                            break
                        if depth == 0 and len(among) > 0:
                            choices = narrow(bits, among, (node.visits - 1) % len(among), 1)
                        if settled:
                            arm = favourite(node, arms, bits)
                        else:
                            arm = select(node, arms, choices, bits, untried, used, rng)
                        if arm == NONE:
                            break
                        a = arms[arm].action
                        path[depth] = arm
                        actors[depth] = actor
                        depth += 1
                if is_new:
                    game_apply(s, a)
                    break
                act(pair, a, keys)
            finish(s, by, rng, bits, points, won, value)
            for k in range(depth):
                arms[path[k]].tries += 1
                arms[path[k]].won += won[actors[k]]
                arms[path[k]].value += value[actors[k]]

    return SimpleNamespace(grow=grow, start=start, act=act)


def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The search of one game: `entry` compiles what is called from Python, `inner` what that calls."""
    game_legal, game_apply = game.useful or game.legal, game.apply
    game_score, game_winners = game.score, game.winners
    draw = engine.programs(game, inner, entry).draw

    @inner
    def play_on(s: Record, most: int, rng: Rng, bits: Bits) -> None:
        """Play at random to the end, or for at most this many decisions."""
        decisions = 0
        while s.turn != OVER and decisions < most:
            if s.turn == CHANCE:
                game_apply(s, draw(s, rng, bits))
            else:
                game_apply(s, nth_action(bits, below(rng, game_legal(s, bits))))
                decisions += 1

    @inner
    def leaders(s: Record, points: Bits) -> int:
        """Who has won or, where the game was not played to its end, has the most points."""
        if s.turn == OVER:
            return game_winners(s)
        most, won = points[0], 0
        for x in range(s.seats):
            most = max(most, points[x])
        for x in range(s.seats):
            won |= int(points[x] == most) << x
        return won

    @inner
    def finish(s: Record, most: int, rng: Rng, bits: Bits, points: Bits, won: Any, value: Any) -> None:
        """Play on at random for at most this many decisions, and say what came of it for every seat."""
        play_on(s, most, rng, bits)
        game_score(s, points)
        winners, number, total = leaders(s, points), 0, 0
        for x in range(s.seats):
            number += (winners >> x) & 1
            total += points[x]
        for x in range(s.seats):
            won[x] = ((winners >> x) & 1) / number
            value[x] = won[x] + POINTS * points[x] / max(1, total)

    return build(game, finish, inner, entry)


class Found(NamedTuple):
    """What a search found out about an action: how often it was tried, its estimated chance to win, and its value."""

    action: int
    tries: int
    win: float
    value: float


class Tree:
    """The trees of one search, and its scratch memory. The value of a node's slot is its first arm."""

    def __init__(
        self, ask: Ask, most: int, rng: Rng, *, plain: bool, by: Any = LONGEST, among: Sequence[int] = (),
        loops: Callable[..., SimpleNamespace] = programs,
    ) -> None:  # fmt: skip
        game, words = ask.game, engine.words_of(ask.game)
        self.nodes = (Slot * (1 << (2 * most).bit_length()))()
        self.arms = (Arm * (ARMS_PER_NODE * most))()
        sizes = (words, words, MOST_SEATS, MOST_SEATS, DEPTH, DEPTH)
        view, pair = (game.RECORD * 1)(ask.view), (game.RECORD * 2)()
        integers = [(ctypes.c_int64 * n)() for n in sizes]
        tried = (ctypes.c_int64 * len(among))(*among)
        results = [(ctypes.c_double * MOST_SEATS)() for _ in range(2)]
        arrays = [view, tried, pair, rng, *integers, *results, self.nodes, self.arms, (ctypes.c_int64 * 2)()]
        if plain:
            self.program = interpreted(game, loops).grow
        else:
            from motherlode.compiled import as_numpy, compiled

            self.program = compiled(game, loops).grow
            arrays = [as_numpy(array) for array in arrays]
        self.seat, self.by, self.view, self.memory = ask.seat, by, arrays[0], arrays[1:]

    def grow(self, iterations: int, *, settled: bool = False) -> None:
        self.program(self.view, self.seat, iterations, settled, self.by, *self.memory)

    def root_arms(self) -> list[Arm]:
        """What is known of the root's actions. The root is in place 0: its key is 0 and it was the first node."""
        arms, at = [], self.nodes[0].value
        while at != NONE:
            arms.append(self.arms[at])
            at = arms[-1].next
        return arms

    def root(self) -> list[Found]:
        return [Found(arm.action, arm.tries, arm.won, arm.value) for arm in self.root_arms()]


@cache
def interpreted(game: Game, loops: Callable[..., SimpleNamespace] = programs) -> SimpleNamespace:
    return loops(game, inner=engine.uncompiled, entry=engine.uncompiled)


def warm(game: Game) -> None:
    """Compile the search of a game, or load it from the cache; until then it can be asked with `plain`."""
    s, rng = engine.start(game), new_rng(0)
    while s.turn == CHANCE:
        game.apply(s, engine.draw(game, s, rng))
    search(Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), []), rng, 1)
    _warm.add(game)


_warm: set[Game] = set()  # games whose search is compiled


def is_warm(game: Game) -> bool:
    return game in _warm


class Growing(Protocol):
    """The trees of one search, its own or another module's."""

    def grow(self, iterations: int) -> None: ...

    def root(self) -> list[Found]:
        """What is known of the root's actions: here `win` and `value` are sums over the tries."""


class Limits(NamedTuple):
    """When a search ends besides after its iterations: after so much time, or core time."""

    milliseconds: float | None = None
    core_seconds: float | None = None
    clock: Callable[[], float] = time.monotonic
    chunk: int = CHUNK  # iterations between two looks at the clock


def explore(
    ask: Ask, rng: Rng, iterations: int, new_tree: Callable[[Rng], Growing], *, trees: int, limits: Limits
) -> list[Found]:
    """What trees that are grown by this many iterations find out about the useful actions, the best first."""
    milliseconds, core_seconds, clock, chunk = limits
    number, began = below(rng, 1 << 31), clock()
    choices = engine.useful(ask.game, ask.view)
    if len(choices) == 1:
        return [Found(choices[0], 0, 0.0, 0.0)]
    grown = [new_tree(new_rng(number, stream)) for stream in range(trees)]

    def grow(tree: Growing) -> None:
        core_began = time.thread_time()

        def has_time() -> bool:
            if core_seconds is not None and time.thread_time() >= core_began + core_seconds:
                return False
            return milliseconds is None or clock() < began + milliseconds / 1000

        done, step = 0, iterations if milliseconds is None and core_seconds is None else chunk
        while done == 0 or (done < iterations and has_time()):
            tree.grow(min(step, iterations - done))
            done += step

    if trees == 1:
        grow(grown[0])
    else:
        with ThreadPoolExecutor(min(trees, os.cpu_count() or 1)) as pool:
            list(pool.map(grow, grown))
    sums = {a: [0, 0.0, 0.0] for a in choices}
    for tree in grown:
        for a, *known in tree.root():
            sums[a] = [x + y for x, y in zip(sums[a], known, strict=True)]
    answer = [Found(a, int(n), won / max(1, n), value / max(1, n)) for a, (n, won, value) in sums.items()]
    return sorted(answer, key=lambda found: (-found.tries, -found.value, found.action))


def search(
    ask: Ask,
    rng: Rng,
    iterations: int,
    *,
    milliseconds: float | None = None,
    trees: int = 1,
    plain: bool = False,
    rollout: int | None = None,
    clock: Callable[[], float] = time.monotonic,
    core_seconds: float | None = None,
) -> list[Found]:
    """What is found out about the useful actions, the best first.

    Each tree gets this many iterations, or fewer if the time is up before, or the core time that it may use. Several
    trees grow on several cores and are added up. Without such limits the answer is the same for the same random
    numbers, iterations and number of trees, compiled or plain. After at most `rollout` random decisions an iteration
    takes the points for the result.
    """
    most = min(iterations, MOST_NODES, *([] if milliseconds is None else [1 + int(milliseconds * FASTEST)]))
    if rollout is None:
        rollout = min(LONGEST, SHORTEST + iterations // PATIENCE)
    limits = Limits(milliseconds, core_seconds, clock, 1 if plain else CHUNK)

    def new_tree(own: Rng) -> Tree:
        return Tree(ask, most, own, plain=plain, by=rollout)

    return explore(ask, rng, iterations, new_tree, trees=trees, limits=limits)


def bot(
    iterations: int = 1000,
    *,
    milliseconds: float | None = None,
    trees: int = 1,
    plain: bool = False,
    core_seconds: float | None = None,
) -> Bot:
    def choose(ask: Ask, rng: Rng) -> int:
        found = search(
            ask, rng, iterations, milliseconds=milliseconds, trees=trees, plain=plain, core_seconds=core_seconds
        )
        return found[0].action

    return choose
