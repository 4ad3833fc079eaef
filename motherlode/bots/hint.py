"""Hints: the best actions for a seat, by a search, from what that seat may know.

Where the game brings a network, it guides the search and says how often an action wins. Until that search is compiled
the network alone answers (`plain`): it knows what it would do, and how often it would win.

Elsewhere one search finds the best actions, as a bot would, and how far apart they are. It cuts its games short, when
the leader may not yet be the winner, so a second search, which plays to the end, estimates how often the best action
wins.
"""

from typing import NamedTuple

from motherlode import engine
from motherlode.bots import guided, network, policy, search
from motherlode.bots.spec import PLAIN
from motherlode.game import Game, Rng
from motherlode.table import Ask
from motherlode.text import name

ITERATIONS, GUIDED = 20_000, 4000  # of a search, and of one that a network guides
MOST = 3  # suggestions
CLOSE = 0.01  # a difference in the chance to win that does not matter

Judged = list[tuple[int, float | None]]  # actions with their chance to win, the best first


class Suggestion(NamedTuple):
    action: int
    words: str
    win: float | None  # the estimated chance to win; None for an only action, and for one that was never tried


def judge(game: Game) -> str:
    """The bot that finds hints: what it needs has to be compiled for them."""
    return "policy+search" if network.brings(game) else "search"


def suggest(
    ask: Ask, rng: Rng, iterations: int | None = None, *, plain: bool = False, core_seconds: float | None = None
) -> list[Suggestion]:
    """The best two or three actions, the best first; or the only one. All searches together get the core time."""
    game, choices = ask.game, engine.useful(ask.game, ask.view)
    if len(choices) == 1:
        return [Suggestion(choices[0], name(game, ask.view, choices[0]), None)]
    if not network.brings(game):
        iterations = iterations or (PLAIN if plain else ITERATIONS)
        judged = by_search(ask, rng, iterations, plain=plain, core_seconds=core_seconds)
    elif plain:
        judged = by_network(ask, choices)
    else:
        judged = by_guided_search(ask, rng, iterations or GUIDED, core_seconds=core_seconds)
    if game.blind(ask.view):  # any plan would be a tell
        judged = [(a, judged[0][1]) for a in choices]
    return [Suggestion(a, name(game, ask.view, a), win) for a, win in judged[:MOST]]


def by_search(ask: Ask, rng: Rng, iterations: int, *, plain: bool, core_seconds: float | None) -> Judged:
    half = core_seconds and core_seconds / 2
    found = search.search(ask, rng, iterations, plain=plain, core_seconds=half)
    level = search.search(ask, rng, iterations, plain=plain, core_seconds=half, rollout=ask.game.LENGTH)[0].win
    return with_chances(found, level)


def by_guided_search(ask: Ask, rng: Rng, iterations: int, *, core_seconds: float | None) -> Judged:
    found = guided.search(ask, rng, network.of(ask.game), iterations, core_seconds=core_seconds)
    return with_chances(found, found[0].win)


def by_network(ask: Ask, choices: list[int]) -> Judged:
    """By NumPy: the likeliest actions, and what the network expects of the best."""
    logits, values = policy.Policy(ask.game, network.of(ask.game), plain=True).outputs(ask.view, ask.seat)
    first, *others = sorted(choices, key=lambda a: (-logits[a], a))
    seats = ask.view.seats
    win = (float(values[0]) / network.VALUE * (seats - 1) + 1) / seats
    return [(first, min(1.0, max(0.0, win))), *[(a, None) for a in others]]


def with_chances(found: list[search.Found], level: float) -> Judged:
    """Each action's chance to win, at most `level`, that of the best: a hint must not advise what it says wins less."""

    def win(one: search.Found) -> float | None:
        return min(level, max(0.0, level + one.win - found[0].win)) if one.tries else None

    return [(one.action, win(one)) for one in found]


def say(suggestions: list[Suggestion]) -> str:
    """The suggestions as a sentence."""
    first, *others = suggestions
    if not others:
        return f"There is nothing to choose: {first.words}."
    rest = " or ".join(other.words + ("" if other.win is None else f" ({other.win:.0%})") for other in others)
    if first.win is None:
        return f"I would {first.words}. Next best: {rest}."
    if all(other.win is not None and abs(first.win - other.win) < CLOSE for other in others):
        best = f"{first.words} wins about {first.win:.0%} of the time"
        return f"It makes little difference: {best}; {rest} would do as well."
    return f"I would {first.words}: that wins about {first.win:.0%} of the time. Next best: {rest}."
