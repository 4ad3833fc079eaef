"""Information-set Monte-Carlo tree search, in plain Python, for any game of the contract.

Every iteration guesses a world that agrees with the seat's view and plays it out. Each seat has a tree of its own,
whose nodes are what that seat has been told since the root: the sequence of (actor, told, shown). So nobody in the
search acts on what it could not know. Inside the trees actions are chosen by UCB over those legal in this world; below
them at random.
"""

from math import log, sqrt

from motherlode import engine
from motherlode.game import CHANCE, OVER, Game, Record, Rng, below
from motherlode.table import Ask, Bot

EXPLORE = 0.7


class Arm:
    """What is known of one action at one node: how often it was tried, could have been, and what it brought."""

    __slots__ = ("open", "tries", "value")

    def __init__(self) -> None:
        self.tries = self.open = 0
        self.value = 0.0


Node = dict[int, Arm]
Key = tuple[int, int]  # a seat, and the hash of all it was told since the root


def bot(iterations: int = 200) -> Bot:
    def choose(ask: Ask, rng: Rng) -> int:
        if len(ask.legal) == 1:
            return ask.legal[0]
        tree: dict[Key, Node] = {}
        for _ in range(iterations):
            world = engine.copy(ask.view)
            ask.game.guess(world, ask.seat, rng)
            iterate(ask.game, world, tree, rng)
        root = tree[ask.seat, 0]
        return max(ask.legal, key=lambda a: root[a].tries)

    return choose


def iterate(game: Game, s: Record, tree: dict[Key, Node], rng: Rng) -> None:
    """Descend the trees in this world, add one node, play out, and tell every node on the way."""
    heard = [0] * s.seats
    way: list[tuple[int, Arm]] = []
    while s.turn != OVER:
        seat = s.turn
        if seat == CHANCE:
            a = engine.draw(game, s, rng)
        else:
            key = seat, heard[seat]
            is_new = key not in tree
            node = tree.setdefault(key, {})
            a = select(node, engine.legal(game, s), rng)
            way.append((seat, node[a]))
            if is_new:
                game.apply(s, a)
                engine.playout(game, s, rng)
                break
        told = [game.told(s, a, x) for x in range(s.seats)]
        game.apply(s, a)
        heard = [hash((heard[x], seat, told[x], engine.shown(game, s, x))) for x in range(s.seats)]
    utility = engine.utility(game, s)
    for seat, arm in way:
        arm.tries += 1
        arm.value += utility[seat]


def select(node: Node, legal: list[int], rng: Rng) -> int:
    for a in legal:
        node.setdefault(a, Arm()).open += 1
    untried = [a for a in legal if node[a].tries == 0]
    if untried:
        return untried[below(rng, len(untried))]
    return max(legal, key=lambda a: node[a].value / node[a].tries + EXPLORE * sqrt(log(node[a].open) / node[a].tries))
