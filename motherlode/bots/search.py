"""Information-set Monte-Carlo tree search for any game of the contract.

Every iteration guesses a world that agrees with the seat's view and plays it out. Each seat has a tree of its own,
whose nodes are what that seat has been told since the root: the sequence of (actor, told, shown). So nobody in the
search acts on what it could not know. Inside the trees actions are chosen by UCB over those legal in this world; below
them at random.

`programs` builds the search of one game like `engine.programs` its loops: the same source runs interpreted and compiled
by Numba, with the same answer. Nothing is allocated in the loop. Nodes are places of a hash table, named by a 64-bit
hash of what was told; the actions tried at a node are a chain of arms.
"""

import ctypes
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import log, sqrt
from types import SimpleNamespace
from typing import Any, NamedTuple

from motherlode import engine
from motherlode.engine import MOST_SEATS
from motherlode.game import CHANCE, OVER, Bits, Game, Record, Rng, below, has, new_rng, nth_action
from motherlode.table import Ask, Bot

EXPLORE = 0.7
POINTS = 0.1  # what all the points are worth beside a win
NONE = -1  # no arm
DEPTH = 256  # decisions of a way through the trees; what comes later is played at random
MOST_NODES = 1 << 18  # of a tree; then it only learns and grows no more
ARMS = 3  # for each node
CHUNK = 64  # iterations between two looks at the clock
STIR = -0x61C8864680B583EB  # odd, and as good as random


class Arm(ctypes.Structure):
    """An action that was tried at a node: how often it was, could have been, and what it brought."""

    _fields_ = (
        ("value", ctypes.c_double),
        ("won", ctypes.c_double),
        ("tries", ctypes.c_int32),
        ("open", ctypes.c_int32),
        ("next", ctypes.c_int32),
        ("action", ctypes.c_int32),
    )


class Node(ctypes.Structure):
    """A place of the hash table; no visits: it is free."""

    _fields_ = (("key", ctypes.c_int64), ("visits", ctypes.c_int32), ("first", ctypes.c_int32))


def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The search of one game: `entry` compiles what is called from Python, `inner` what that calls."""
    game_legal, game_apply, game_told, game_hide = game.legal, game.apply, game.told, game.hide
    game_guess, game_score, game_winners = game.guess, game.score, game.winners
    loops = engine.programs(game, inner, entry)
    draw, playout = loops.draw, loops.playout
    words = engine.words_of(game)
    shown = next(field.length for field in game.FIELDS if field.name == "shown")

    @inner
    def hear(heard: Bits, x: int, what: int) -> None:
        """Add something to what seat x was told. Stored in between, for there the bits beyond 64 are dropped."""
        heard[x] = (heard[x] ^ what) * STIR
        heard[x] ^= heard[x] >> 29

    @inner
    def hear_shown(room: Any, heard: Bits) -> None:
        turned = 0
        for k in range(shown):
            turned |= room[0].shown[k]
        if turned == 0:
            return
        for x in range(room[0].seats):
            room[1] = room[0]
            game_hide(room[1], x)
            turned = 0
            for k in range(shown):
                turned |= room[1].shown[k]
            for k in range(shown if turned != 0 else 0):
                hear(heard, x, room[1].shown[k])

    @inner
    def find(nodes: Any, key: int) -> int:
        """The place of this node, or the free one where it belongs."""
        last = len(nodes) - 1
        place = key & last
        while nodes[place].visits > 0 and nodes[place].key != key:
            place = (place + 1) & last
        return place

    @inner
    def select(node: Any, arms: Any, choices: int, explore: float, bits: Bits, untried: Bits, used: Bits, rng: Rng) -> int:
        """The arm to try: one not tried yet, by lot, else the most promising."""
        for w in range(words):
            untried[w] = bits[w]
        best, most, arm = NONE, -1.0, node.first
        while arm != NONE:
            a = arms[arm].action
            if has(bits, a):
                choices -= 1
                untried[a >> 6] &= ~(1 << (a & 63))
                arms[arm].open += 1
                tries = arms[arm].tries
                hope = arms[arm].value / tries + explore * sqrt(log(arms[arm].open) / tries)
                if hope > most:
                    best, most = arm, hope
            arm = arms[arm].next
        if choices > 0 and used[1] < len(arms):
            best = used[1]
            used[1] += 1
            arms[best].action = nth_action(untried, below(rng, choices))
            arms[best].open = node.visits
            arms[best].next = node.first
            node.first = best
        return best

    @inner
    def reward(s: Record, way: Bits, who: Bits, depth: int, points: float, arms: Any, out: Bits) -> None:
        """Tell every arm on the way what came of it."""
        game_score(s, out)
        won = game_winners(s)
        winners, total = 0, 0
        for x in range(s.seats):
            winners += (won >> x) & 1
            total += out[x]
        for k in range(depth):
            arm, x = way[k], who[k]
            share = ((won >> x) & 1) / winners
            arms[arm].tries += 1
            arms[arm].won += share
            arms[arm].value += share + points * out[x] / max(1, total)

    @entry
    def grow(
        view: Any, seat: int, iterations: int, explore: float, points: float,
        room: Any, rng: Rng, bits: Bits, untried: Bits, out: Bits, heard: Bits, way: Bits, who: Bits,
        nodes: Any, arms: Any, used: Bits,
    ) -> None:  # fmt: skip
        """So many iterations more. `used` counts nodes and arms; `room`, `bits` and so on are room to work in."""
        s = room[0]
        for _ in range(iterations):
            room[0] = view[0]
            game_guess(s, seat, rng)
            for x in range(s.seats):
                heard[x] = (x - seat) % s.seats
            depth = 0
            while s.turn != OVER:
                actor = s.turn
                is_new = False
                if actor == CHANCE:
                    a = draw(s, rng, bits)
                else:
                    choices = game_legal(s, bits)
                    a = nth_action(bits, 0)
                    if choices > 1:
                        node = nodes[find(nodes, heard[actor])]
                        is_new = node.visits == 0
                        if is_new:
                            if 2 * used[0] >= len(nodes):
                                break
                            used[0] += 1
                            node.key = heard[actor]
                            node.first = NONE
                        node.visits += 1
                        if depth == len(way):
                            break
                        arm = select(node, arms, choices, explore, bits, untried, used, rng)
                        if arm == NONE:
                            break
                        a = arms[arm].action
                        way[depth] = arm
                        who[depth] = actor
                        depth += 1
                if is_new:
                    game_apply(s, a)
                    break
                for x in range(s.seats):
                    hear(heard, x, 4096 * (actor + 2) + game_told(s, a, x) + 2)
                game_apply(s, a)
                hear_shown(room, heard)
            playout(s, rng, bits)
            reward(s, way, who, depth, points, arms, out)

    return SimpleNamespace(grow=grow)


class Found(NamedTuple):
    """What a search says of an action: how often it was tried, its chance to win, and its value."""

    action: int
    tries: int
    win: float
    value: float


class Tree:
    """The trees of one search, and all the room it works in."""

    def __init__(self, ask: Ask, most: int, rng: Rng, *, plain: bool, explore: float, points: float) -> None:
        game, most = ask.game, min(most, MOST_NODES)
        words = engine.words_of(game)
        self.view = (game.RECORD * 1)(ask.view)
        self.nodes = (Node * (1 << (2 * most).bit_length()))()
        self.arms = (Arm * (ARMS * most))()
        room = [(game.RECORD * 2)(), rng, *((ctypes.c_int64 * n)() for n in (words, words, MOST_SEATS, MOST_SEATS))]
        room += [(ctypes.c_int64 * DEPTH)(), (ctypes.c_int64 * DEPTH)(), self.nodes, self.arms, (ctypes.c_int64 * 2)()]
        grow, rest = interpreted(game).grow, [self.view, *room]
        if not plain:
            from motherlode.lab import compiled

            grow, rest = compiled.compiled(game, programs).grow, [compiled.as_numpy(array) for array in rest]
        self.grow = lambda iterations: grow(rest[0], ask.seat, iterations, explore, points, *rest[1:])

    def found(self) -> list[Found]:
        """What is known of the root's actions, the most tried first; the root was the first node, its key is 0."""
        found, at = [], self.nodes[0].first
        while at != NONE:
            arm = self.arms[at]
            found.append(Found(arm.action, arm.tries, arm.won, arm.value))
            at = arm.next
        return found


@cache
def interpreted(game: Game) -> SimpleNamespace:
    return programs(game, inner=engine.as_it_is, entry=engine.as_it_is)


def warm(game: Game) -> None:
    """Compile the search of a game, or load it from the cache; until then it can be asked with `plain`."""
    s = engine.start(game)
    while s.turn == CHANCE:
        game.apply(s, engine.draw(game, s, new_rng(0)))
    search(Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), []), new_rng(0), 1)


def search(
    ask: Ask, rng: Rng, iterations: int, *, milliseconds: float | None = None, trees: int = 1, plain: bool = False,
    explore: float = EXPLORE, points: float = POINTS, clock: Callable[[], float] = time.monotonic,
) -> list[Found]:  # fmt: skip
    """Everything found out about the legal actions, the best first.

    So many iterations in each tree, or as many as fit into the time. Several trees grow on several cores and are added
    up; the answer is the same for the same random numbers, iterations and number of trees.
    """
    number, end = below(rng, 1 << 31), None if milliseconds is None else clock() + milliseconds / 1000

    def grow(stream: int) -> list[Found]:
        tree = Tree(ask, iterations, new_rng(number, stream), plain=plain, explore=explore, points=points)
        if end is None:
            tree.grow(iterations)
        else:
            done = 0
            while done == 0 or (done < iterations and clock() < end):
                tree.grow(CHUNK)
                done += CHUNK
        return tree.found()

    if trees == 1:
        grown = [grow(0)]
    else:
        with ThreadPoolExecutor(min(trees, os.cpu_count() or 1)) as pool:
            grown = list(pool.map(grow, range(trees)))
    total = {a: [0, 0.0, 0.0] for a in ask.legal}
    for found in grown:
        for a, *sums in found:
            total[a] = [x + y for x, y in zip(total[a], sums, strict=True)]
    answer = [Found(a, tries, won / max(1, tries), value / max(1, tries)) for a, (tries, won, value) in total.items()]
    return sorted(answer, key=lambda found: (-found.tries, -found.value, found.action))


def bot(
    iterations: int = 1000, *, milliseconds: float | None = None, trees: int = 1, plain: bool = False,
    explore: float = EXPLORE, points: float = POINTS,
) -> Bot:  # fmt: skip
    def choose(ask: Ask, rng: Rng) -> int:
        if len(ask.legal) == 1:
            return ask.legal[0]
        return search(
            ask, rng, iterations, milliseconds=milliseconds, trees=trees, plain=plain, explore=explore, points=points
        )[0].action

    return choose
