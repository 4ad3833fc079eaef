"""Mistakes: what the best action was worth beside the chosen one, from what the seat knew and nothing else.

A decision is judged in three steps. A search finds the actions that it would rather take. A tree tries these and the
chosen one in turn, and nothing else at its root; the best of them is the one to compare with. If that is another than
was chosen, eight new trees try these two in turn: what lies between them is the loss, and how far the trees differ is
its interval. They know nothing of the search that found the action, so the luck of having been found does not count (no
winner's curse), and both actions are tried equally often. Some of them are smaller than others, and where a game
brings a network, every other one judges by something else (`judges`): where an answer depends on how far one looks, or
on whom one asks, the interval is wide.

What a seat is told about its play depends on what it knew: its decisions share time with nobody else's, and random
numbers follow from the place in the log.
"""

import time
from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Literal, NamedTuple, TypeVar

from motherlode import engine
from motherlode.bots import guided, levels, network, search
from motherlode.bots.spec import BotSpec
from motherlode.game import Game, Record, Rng, new_rng
from motherlode.review import lookahead, values
from motherlode.table import Ask

TREES = 8  # that estimate a loss
WITHIN = 2.365  # Student's t: 95 % of means of 8 lie within so many standard errors
FIRST = 0.5  # the share of the iterations that find the best action: half of them in a search, half in one tree
IN_SIGHT = 0.25  # the share of the others that tells, in a memory game, whether remembering was needed
RIVALS = 3  # actions that a search would rather take, which are compared with the chosen one
SMALLEST, LARGEST = 0.4, 1.6  # of the trees that estimate a loss, beside the mean
MATTERS = 0.01  # a smaller chance is not worth a word
# Iterations per second of one core that every game reaches: of a search, and of any without compiled loops. Of a search
# that a network guides it is half as many as the game's legend was measured to do, but no more than the other figure.
PACE, PLAIN_PACE = 130_000, 500
GUIDED_SHARE, GUIDED_PACE, UNMEASURED_PACE = 0.5, 40_000, 5_000
GUARD = 1.5  # times the seconds: more core time than that is not spent
FEWEST, MOST = 16, 20_000  # iterations of a tree
BEYOND = 1.5  # times the iterations that all losses may take for the sake of `FEWEST`; longer games are thinned out


Judge = Literal["policy", "values", "random play"]
Tree = guided.Tree | search.Tree
T = TypeVar("T")


class Decision(NamedTuple):
    """A decision with at least two useful actions, as its seat saw it."""

    at: int  # entries of the log before it
    ask: Ask
    action: int  # that was chosen


class Loss(NamedTuple):
    """What was lost by a decision, as a chance to win, with 95 % confidence between `low` and `high`."""

    decision: Decision
    best: int
    best_chance: float
    chance: float
    low: float
    high: float

    @property
    def loss(self) -> float:
        return self.best_chance - self.chance

    @property
    def is_mistake(self) -> bool:
        return self.low > 0 and self.loss >= MATTERS


def decisions(game: Game, positions: Sequence[Record], log: Sequence[int], seat: int) -> list[Decision]:
    """Where a seat had something to choose; not where any plan would be a tell."""
    found = []
    for at, a in enumerate(log):
        if positions[at].turn == seat:
            view = engine.view(game, positions[at], seat)
            if len(engine.useful(game, view)) > 1 and not game.blind(view):
                found.append(Decision(at, Ask(game, seat, view, engine.legal(game, view), []), a))
    return found


def judge(
    asked: Sequence[Decision], seconds: float, number: int, *, plain: bool = False
) -> tuple[list[Loss], dict[int, Loss]]:
    """The loss of every decision of one seat and, for mistakes in a memory game, from what lay in sight (by `at`).

    The seconds of core time say how many iterations there are. In a very long game only some decisions are judged,
    evenly spread. Seconds also end the work where a core is slower than any should be; the rest is left out then.
    """
    if not asked:
        return [], {}
    if not plain:
        warm(asked[0])
    deadline = time.thread_time() + GUARD * seconds
    game = asked[0].ask.game
    remembers = game.recalled_places is not None
    iterations = int(seconds * pace(game, plain=plain))
    first = share(iterations * FIRST, len(asked))
    best: list[tuple[Decision, int]] = []
    for decision in asked:
        if time.thread_time() > deadline:
            break
        best.append((decision, best_action(decision, first, number, plain=plain)))
    again = IN_SIGHT if remembers else 0.0
    for_losses = iterations * (1 - FIRST) * (1 - again) / TREES
    most = for_losses * BEYOND / FEWEST
    best = spread(best, most / max(1, doubtful(best)))
    rest = share(for_losses, doubtful(best))
    losses, blinkered = [], {}
    for decision, action in best:
        if action == decision.action:
            losses.append(Loss(decision, action, 0.0, 0.0, 0.0, 0.0))
        elif time.thread_time() <= deadline:
            losses.append(compare(decision, action, rest, number, plain=plain))
    wrong = [loss for loss in losses if loss.is_mistake] if remembers else []
    rest = share(iterations * (1 - FIRST) * again / TREES, len(wrong))
    for loss in wrong:
        if time.thread_time() <= deadline:
            blinkered[loss.decision.at] = compare(in_sight(loss.decision), loss.best, rest, number, plain=plain)
    return losses, blinkered


def warm(decision: Decision) -> None:
    """Compile everything that judges this game's decisions, or load it from the cache: that takes no time from them."""
    if decision.ask.game not in _warm:
        best_action(decision, FEWEST, 0, plain=False)
        for judge in judges(decision.ask.game, plain=False):
            settled_wins(decision.ask, judge, [decision.action], FEWEST, new_rng(0), plain=False)
        _warm.add(decision.ask.game)


_warm: set[Game] = set()  # games whose judges are compiled


def name(game: Game, *, plain: bool) -> str:
    """What judges decisions."""
    return f"{TREES} trees, with {' and '.join(judges(game, plain=plain))}"


def pace(game: Game, *, plain: bool) -> int:
    """Iterations per second: from constants and what was measured, so that a review can be repeated."""
    if plain or not network.brings(game):
        return PLAIN_PACE if plain else PACE
    legend = BotSpec("level", level=levels.NAMES[-1])
    if legend.level not in levels.names(game):
        return UNMEASURED_PACE
    took = levels.milliseconds_of(game, legend.level)
    return (
        min(GUIDED_PACE, int(GUIDED_SHARE * legend.in_game(game).strength * 1000 / took)) if took else UNMEASURED_PACE
    )


def share(iterations: float, among: int) -> int:
    return min(MOST, max(FEWEST, int(iterations / max(1, among))))


def doubtful(best: Sequence[tuple[Decision, int]]) -> int:
    """For how many decisions there is something better than what was chosen."""
    return sum(action != decision.action for decision, action in best)


def spread(items: Sequence[T], part: float) -> list[T]:
    """This part of them, evenly spread; all, if it is 1 or more. It does not look at them, so it favours none."""
    return [item for k, item in enumerate(items) if part >= 1 or int((k + 1) * part) > int(k * part)]


def in_sight(decision: Decision) -> Decision:
    """The decision as it is for somebody who remembers nothing."""
    view = engine.copy(decision.ask.view)
    decision.ask.game.forget(view, decision.ask.seat, 0)
    return decision._replace(ask=decision.ask._replace(view=view))


def stream(decision: Decision, number: int, use: int) -> Rng:
    """Random numbers for a use of their own."""
    return new_rng(number, (decision.at * engine.MOST_SEATS + decision.ask.seat) * (TREES + 1) + use)


def best_action(decision: Decision, iterations: int, number: int, *, plain: bool) -> int:
    """The best action that is found, the chosen one if none is better."""
    ask, rng = decision.ask, stream(decision, number, TREES)
    half = iterations // 2
    if network.brings(ask.game):
        found = guided.search(ask, rng, network.of(ask.game), half, plain=plain)
    else:
        found = search.search(ask, rng, half, plain=plain)
    among = sorted({decision.action, *(one.action for one in found[:RIVALS])})
    wins = settled_wins(ask, judges(ask.game, plain=plain)[0], among, iterations - half, rng, plain=plain)
    return max(among, key=lambda a: (wins[a], a == decision.action))


def judges(game: Game, *, plain: bool) -> list[Judge]:
    """What stands below the trees, at most two of these, the best first: the game's policy, its values, random play."""
    found: list[Judge] = ["policy"] if network.brings(game) else []
    found += ["values"] if values.brings(game) and not plain else []
    return found if len(found) == 2 else [*found, "random play"]


def new_tree(ask: Ask, judge: Judge, among: list[int], iterations: int, rng: Rng, *, plain: bool) -> Tree:
    """A tree that tries these actions, in which everybody plays to win."""
    game = ask.game
    if judge == "policy":
        most = guided.NODES_PER_SEAT * ask.view.seats * iterations
        return guided.Tree(ask, network.of(game), most, rng, plain=plain, among=among)
    if judge == "values":
        return lookahead.Tree(ask, iterations, rng, plain=plain, among=among)
    return search.Tree(ask, iterations, rng, plain=plain, by=game.LENGTH, among=among)


def settled_wins(
    ask: Ask, judge: Judge, among: list[int], iterations: int, rng: Rng, *, plain: bool
) -> dict[int, float]:
    """How often each of these actions wins.

    While a tree grows it also tries what is bad, so only what comes afterwards counts, in a tree that is settled.
    """
    tree = new_tree(ask, judge, among, iterations, rng, plain=plain)
    after = max(iterations // 2, len(among))
    tree.grow(max(iterations - after, len(among)))
    before = {found.action: found for found in tree.root()}
    tree.grow(after, settled=True)
    return {found.action: mean_since(before[found.action], found) for found in tree.root()}


def compare(decision: Decision, best: int, iterations: int, number: int, *, plain: bool) -> Loss:
    """What lies between the best action and the chosen one."""
    ask, pair = decision.ask, sorted((best, decision.action))
    below = judges(ask.game, plain=plain)
    wins = []
    for k in range(TREES):
        size = int(iterations * (SMALLEST + (LARGEST - SMALLEST) * k / (TREES - 1)))
        rng = stream(decision, number, k)
        wins.append(settled_wins(ask, below[k % len(below)], pair, size, rng, plain=plain))
    losses = [each[best] - each[decision.action] for each in wins]
    loss, error = fmean(losses), WITHIN * stdev(losses) / sqrt(TREES)
    best_chance, chance = (fmean(each[a] for each in wins) for a in (best, decision.action))
    return Loss(decision, best, best_chance, chance, loss - error, loss + error)


def mean_since(before: search.Found, after: search.Found) -> float:
    return (after.win - before.win) / (after.tries - before.tries)
