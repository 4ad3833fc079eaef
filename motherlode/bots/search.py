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

EXPLORE = 0.5
POINTS = 0.5  # what all the points are worth beside a win
SHORTEST, CUT = 12, 30  # decisions at random before the points on the table are taken for the result: least, most
PATIENCE = 50  # iterations for one more of them, for a few tries say nothing through the noise of long play at random
NONE = -1  # no arm
DEPTH = 256  # decisions of a way through the trees; what comes later is played at random
MOST_NODES = 1 << 18  # of a tree; then it only learns and grows no more
ARMS = 3  # for each node
CHUNK = 64  # iterations between two looks at the clock
FASTEST = 500  # iterations a millisecond that no game reaches
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
    draw = engine.programs(game, inner, entry).draw
    words = engine.words_of(game)
    shown = next(field.length for field in game.FIELDS if field.name == "shown")

    @inner
    def hear(heard: Bits, x: int, what: int) -> None:
        """Add something to what seat x was told. Stored in between, for there the bits beyond 64 are dropped."""
        heard[x] = (heard[x] ^ what) * STIR
        heard[x] ^= heard[x] >> 29

    @inner
    def see(room: Any, x: int, heard: Bits) -> None:
        """Add what was shown to seat x, if anything was."""
        turned = 0
        for k in range(shown):
            turned |= room[0].shown[k]
        if turned == 0:
            return
        room[1] = room[0]
        game_hide(room[1], x)
        turned = 0
        for k in range(shown):
            turned |= room[1].shown[k]
        for k in range(shown if turned != 0 else 0):
            hear(heard, x, room[1].shown[k])

    @inner
    def act(room: Any, a: int, heard: Bits) -> None:
        """Do it, and tell every seat: who, what, and what it showed."""
        s = room[0]
        for x in range(s.seats):
            hear(heard, x, 4096 * (s.turn + 2) + game_told(s, a, x) + 2)
        game_apply(s, a)
        for x in range(s.seats):
            see(room, x, heard)

    @inner
    def find(nodes: Any, key: int) -> int:
        """The place of this node, or the free one where it belongs."""
        last = len(nodes) - 1
        place = key & last
        while nodes[place].visits > 0 and nodes[place].key != key:
            place = (place + 1) & last
        return place

    @inner
    def select(node: Any, arms: Any, choices: int, bits: Bits, untried: Bits, used: Bits, rng: Rng) -> int:
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
                hope = arms[arm].value / tries + EXPLORE * sqrt(log(arms[arm].open) / tries)
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
    def play_on(s: Record, cut: int, rng: Rng, bits: Bits) -> None:
        """Play at random to the end, or until so many decisions are made."""
        decisions = 0
        while s.turn != OVER and decisions < cut:
            if s.turn == CHANCE:
                game_apply(s, draw(s, rng, bits))
            else:
                game_apply(s, nth_action(bits, below(rng, game_legal(s, bits))))
                decisions += 1

    @inner
    def leaders(s: Record, out: Bits) -> int:
        """Who has won or, where the game was not played to its end, has most points."""
        if s.turn == OVER:
            return game_winners(s)
        most, won = out[0], 0
        for x in range(s.seats):
            most = max(most, out[x])
        for x in range(s.seats):
            won |= int(out[x] == most) << x
        return won

    @inner
    def reward(s: Record, way: Bits, who: Bits, depth: int, arms: Any, out: Bits) -> None:
        """Tell every arm on the way what came of it."""
        game_score(s, out)
        won = leaders(s, out)
        winners, total = 0, 0
        for x in range(s.seats):
            winners += (won >> x) & 1
            total += out[x]
        for k in range(depth):
            arm, x = way[k], who[k]
            share = ((won >> x) & 1) / winners
            arms[arm].tries += 1
            arms[arm].won += share
            arms[arm].value += share + POINTS * out[x] / max(1, total)

    @entry
    def grow(
        view: Any, seat: int, iterations: int, cut: int, room: Any, rng: Rng, bits: Bits, untried: Bits, out: Bits,
        heard: Bits, way: Bits, who: Bits, nodes: Any, arms: Any, used: Bits,
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
                        arm = select(node, arms, choices, bits, untried, used, rng)
                        if arm == NONE:
                            break
                        a = arms[arm].action
                        way[depth] = arm
                        who[depth] = actor
                        depth += 1
                if is_new:
                    game_apply(s, a)
                    break
                act(room, a, heard)
            play_on(s, cut, rng, bits)
            reward(s, way, who, depth, arms, out)

    return SimpleNamespace(grow=grow, act=act)


class Found(NamedTuple):
    """What a search says of an action: how often it was tried, its estimated chance to win, and its value."""

    action: int
    tries: int
    win: float
    value: float


class Tree:
    """The trees of one search, and all the room it works in."""

    def __init__(self, ask: Ask, most: int, rng: Rng, *, plain: bool, cut: int = CUT) -> None:
        game, words = ask.game, engine.words_of(ask.game)
        self.nodes = (Node * (1 << (2 * most).bit_length()))()
        self.arms = (Arm * (ARMS * most))()
        sizes = (words, words, MOST_SEATS, MOST_SEATS, DEPTH, DEPTH)
        view, room, scratch = (game.RECORD * 1)(ask.view), (game.RECORD * 2)(), [(ctypes.c_int64 * n)() for n in sizes]
        arrays = [view, room, rng, *scratch, self.nodes, self.arms, (ctypes.c_int64 * 2)()]
        if plain:
            self.program = interpreted(game).grow
        else:
            from motherlode.compiled import as_numpy, compiled

            self.program = compiled(game, programs).grow
            arrays = [as_numpy(array) for array in arrays]
        self.seat, self.cut, self.view, self.room = ask.seat, cut, arrays[0], arrays[1:]

    def grow(self, iterations: int) -> None:
        self.program(self.view, self.seat, iterations, self.cut, *self.room)

    def found(self) -> list[Arm]:
        """What is known of the root's actions. The root is in place 0: its key is 0 and it was the first node."""
        arms, at = [], self.nodes[0].first
        while at != NONE:
            arms.append(self.arms[at])
            at = arms[-1].next
        return arms


@cache
def interpreted(game: Game) -> SimpleNamespace:
    return programs(game, inner=engine.as_it_is, entry=engine.as_it_is)


def warm(game: Game) -> None:
    """Compile the search of a game, or load it from the cache; until then it can be asked with `plain`."""
    s, rng = engine.start(game), new_rng(0)
    while s.turn == CHANCE:
        game.apply(s, engine.draw(game, s, rng))
    search(Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), []), rng, 1)
    _warm.add(game.NAME)


_warm: set[str] = set()


def is_warm(game: Game) -> bool:
    return game.NAME in _warm


def search(
    ask: Ask,
    rng: Rng,
    iterations: int,
    *,
    milliseconds: float | None = None,
    trees: int = 1,
    plain: bool = False,
    cut: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> list[Found]:
    """What is found out about the legal actions, the best first.

    So many iterations in each tree, or fewer if the time is up before. Several trees grow on several cores and are
    added up. Without a time limit the answer is the same for the same random numbers, iterations and number of trees,
    compiled or plain.
    """
    number, began = below(rng, 1 << 31), clock()
    if len(ask.legal) == 1:
        return [Found(ask.legal[0], 0, 0.0, 0.0)]
    most = min(iterations, MOST_NODES, *([] if milliseconds is None else [1 + int(milliseconds * FASTEST)]))
    if cut is None:
        cut = min(CUT, SHORTEST + iterations // PATIENCE)
    grown = [Tree(ask, most, new_rng(number, stream), plain=plain, cut=cut) for stream in range(trees)]

    def grow(tree: Tree) -> None:
        if milliseconds is None:
            tree.grow(iterations)
            return
        chunk, done = 1 if plain else CHUNK, 0
        while done == 0 or (done < iterations and clock() < began + milliseconds / 1000):
            tree.grow(chunk)
            done += chunk

    if trees == 1:
        grow(grown[0])
    else:
        with ThreadPoolExecutor(min(trees, os.cpu_count() or 1)) as pool:
            list(pool.map(grow, grown))
    sums = {a: [0, 0.0, 0.0] for a in ask.legal}
    for tree in grown:
        for arm in tree.found():
            sums[arm.action] = [x + y for x, y in zip(sums[arm.action], (arm.tries, arm.won, arm.value), strict=True)]
    answer = [Found(a, int(n), won / max(1, n), value / max(1, n)) for a, (n, won, value) in sums.items()]
    return sorted(answer, key=lambda found: (-found.tries, -found.value, found.action))


def bot(iterations: int = 1000, *, milliseconds: float | None = None, trees: int = 1, plain: bool = False) -> Bot:
    def choose(ask: Ask, rng: Rng) -> int:
        return search(ask, rng, iterations, milliseconds=milliseconds, trees=trees, plain=plain)[0].action

    return choose
