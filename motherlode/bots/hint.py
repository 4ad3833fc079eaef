"""Hints: the best actions for a seat, by the search, from what that seat may know.

One search finds the best actions, as a bot would, and how far apart they are. It cuts its games short, when the leader
may not yet be the winner, so a second search, which plays to the end, estimates how often the best action wins.
"""

from typing import NamedTuple

from motherlode import engine
from motherlode.bots import search
from motherlode.game import Rng
from motherlode.table import Ask
from motherlode.text import name

ITERATIONS = 20_000
MOST = 3  # suggestions
CLOSE = 0.01  # a difference in the chance to win that does not matter


class Suggestion(NamedTuple):
    action: int
    words: str
    win: float | None  # the estimated chance to win; None for an only action, and for one that was never tried


def suggest(
    ask: Ask, rng: Rng, iterations: int = ITERATIONS, *, plain: bool = False, core_seconds: float | None = None
) -> list[Suggestion]:
    """The best two or three actions, the best first; or the only one. Both searches together get the core time."""
    choices = engine.useful(ask.game, ask.view)
    if len(choices) == 1:
        return [Suggestion(choices[0], name(ask.game, ask.view, choices[0]), None)]
    is_blind, half = ask.game.blind(ask.view), core_seconds and core_seconds / 2
    best = [] if is_blind else search.search(ask, rng, iterations, plain=plain, core_seconds=half)[:MOST]
    level = search.search(ask, rng, iterations, plain=plain, core_seconds=half, rollout=ask.game.LENGTH)[0].win
    if is_blind:
        return [Suggestion(a, name(ask.game, ask.view, a), level) for a in choices[:MOST]]

    def win(found: search.Found) -> float | None:
        """The chance to win, at most that of the best action: a hint must not advise what it says wins less often."""
        return min(level, max(0.0, level + found.win - best[0].win)) if found.tries else None

    return [Suggestion(found.action, name(ask.game, ask.view, found.action), win(found)) for found in best]


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
