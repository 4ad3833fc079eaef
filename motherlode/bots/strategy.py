"""A strategy for every decision of a grown tree as a bot: `mix(ask)` says how likely each of its actions is.

A decision is found by the log since the root and, where a seat may have known different things there, by its view. Not
a seat's view at the root: a bot that is asked later for the first time has none.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from motherlode import engine
from motherlode.bots import exact, information
from motherlode.bots.equilibrium import Array, Grown, first_key, without_shown
from motherlode.bots.mixed import Mix
from motherlode.engine import Refusal
from motherlode.game import Game, Record, Rng
from motherlode.table import Ask, Told


class Decisions:
    """The decisions of a tree, each with what its seat knows."""

    def __init__(self, game: Game, grown: Grown) -> None:
        self.game, self.grown, self.tree = game, grown, grown.tree
        self.inner_first = self.tree.first[self.tree.inner]
        self.by_key = {key: d for d, key in enumerate(grown.keys.tolist())}
        numbers, nodes = np.unique(self.tree.decision, return_index=True)
        self.first_node: dict[int, int] = dict(zip(numbers.tolist(), nodes.tolist(), strict=True))

    @cached_property
    def roots(self) -> dict[int, Array]:
        """For each seat the keys of what it may know at the root."""
        seats = range(len(self.tree.worth))
        found = {x: [number for seen, number in self.grown.views.items() if seen[-1] == x] for x in seats}
        return {x: np.array([first_key(number) for number in numbers], np.int64) for x, numbers in found.items()}

    def parent(self, node: int) -> int:
        at = np.searchsorted(self.inner_first, node, side="right") - 1
        return int(self.tree.inner[at])

    def path(self, node: int) -> list[tuple[int, int]]:
        """The nodes on the way to a node, each with the number of the child that follows."""
        way = []
        while node >= len(self.grown.worlds):
            parent = self.parent(node)
            way.append((parent, node - int(self.tree.first[parent])))
            node = parent
        return way[::-1]

    def before(self, d: int) -> tuple[int | None, int]:
        """The decision of the same seat before this one, and the place of its action in a strategy; None if it is the
        first."""
        tree, node = self.tree, self.first_node[d]
        while node >= len(self.grown.worlds):
            parent = self.parent(node)
            if tree.actor[parent] == tree.seat[d]:
                last = int(tree.decision[parent])
                return last, int(tree.begin[last]) + node - int(tree.first[parent])
            node = parent
        return None, 0

    def follow(self, node: int) -> list[tuple[Record, int, Record]]:
        """The way to an inner node as (before, action, after), with the forced actions."""
        way = self.path(node)
        s = self.grown.worlds[way[0][0] if way else node][0]
        steps = []
        for _, k in way:
            actions = engine.legal(self.game, s)[k : k + 1]
            while len(actions) == 1:
                before, s = s, engine.after(self.game, s, actions[0])
                steps.append((before, actions[0], s))
                actions = engine.legal(self.game, s)
        return steps

    def ask(self, d: int, before: Sequence[Told] = ()) -> Ask:
        """What the seat of a decision is given, with what it was told before the root."""
        seat, node = int(self.tree.seat[d]), self.first_node[d]
        steps = self.follow(node)
        s = steps[-1][2] if steps else self.grown.worlds[node][0]
        log = [Told(s.turn, self.game.told(s, a, seat), engine.shown(self.game, t, seat)) for s, a, t in steps]
        return Ask(self.game, seat, engine.view(self.game, s, seat), engine.legal(self.game, s), [*before, *log])

    def find(self, seat: int, view: Record, since: Sequence[Told]) -> int:
        """The decision of a seat that was told this since the root."""
        keys = information.after_log(self.game, self.roots[seat], since)
        found = [self.by_key[key] for key in keys.tolist() if key in self.by_key]
        if len(self.roots[seat]) > 1:
            seen = without_shown(view)
            found = [d for d in found if without_shown(self.ask(d).view) == seen]
        if not found:
            raise Refusal(
                f"seat {seat} is asked about a decision of {self.game.TITLE} that cannot follow the position solved: "
                "its log must go on from there"
            )
        if len(found) > 1:
            raise Refusal(f"{self.game.TITLE}: seat {seat}'s view does not say what it knew at the position solved")
        return found[0]


class Strategy:
    """A bot that plays a strategy of a tree. Of the log it is asked with, `at` entries came before the root."""

    def __init__(self, decisions: Decisions, shares: Array, at: int = 0) -> None:
        self.decisions, self.shares, self.at = decisions, shares, at

    def mix(self, ask: Ask) -> Mix:
        """How likely each legal action is."""
        if ask.game is not self.decisions.game:
            raise Refusal(f"this is a strategy for {self.decisions.game.TITLE}, not for {ask.game.TITLE}")
        if len(ask.legal) == 1:
            return {ask.legal[0]: 1.0}
        return self.of_decision(self.decisions.find(ask.seat, ask.view, ask.log[self.at :]), ask.legal)

    def of_decision(self, d: int, legal: Sequence[int]) -> Mix:
        begin = int(self.decisions.tree.begin[d])
        return dict(zip(legal, self.shares[begin : begin + len(legal)].tolist(), strict=True))

    def __call__(self, ask: Ask, rng: Rng) -> int:
        return exact.draw(self.mix(ask), rng)


class EndingStrategy:
    """A bot that plays as a game's own solver says where nothing is hidden: each decision is then solved by itself."""

    def __init__(self, ending: exact.Ending) -> None:
        self.ending = ending

    def mix(self, ask: Ask) -> Mix:
        """How likely each legal action is; those left out are never played."""
        if len(ask.legal) == 1:
            return {ask.legal[0]: 1.0}
        solved = self.ending.solve(ask.view)
        if solved is None:
            raise Refusal(f"{ask.game.TITLE} is not solved at {self.ending.size(ask.view)}")
        return solved.mix

    def __call__(self, ask: Ask, rng: Rng) -> int:
        return exact.draw(self.mix(ask), rng)
