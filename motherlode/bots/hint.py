"""What would you do? An answer from the seat's own information, by the search.

One search finds the best actions, as a bot would. It stops its games early, where who leads is not yet who wins; so a
second one, that plays them to the end, says how often these actions win.
"""

from typing import NamedTuple

from motherlode.bots import search
from motherlode.game import Rng
from motherlode.table import Ask
from motherlode.text import name

ITERATIONS = 20_000
MOST = 3  # suggestions
CLOSE = 0.01  # a difference in the chance to win that is no difference


class Suggestion(NamedTuple):
    action: int
    words: str
    win: (
        float | None
    )  # the estimated chance to win; None where it was not tried: the only action, or too short a search


def suggest(ask: Ask, rng: Rng, iterations: int = ITERATIONS, *, plain: bool = False) -> list[Suggestion]:
    """The best two or three actions, the best first; the only one, if there is one."""
    if len(ask.legal) == 1:
        return [Suggestion(ask.legal[0], name(ask.game, ask.view, ask.legal[0]), None)]
    best = [found.action for found in search.search(ask, rng, iterations, plain=plain)[:MOST]]
    to_the_end = search.search(ask, rng, iterations, plain=plain, cut=ask.game.LENGTH)
    win = {found.action: found.win if found.tries else None for found in to_the_end}
    return [Suggestion(a, name(ask.game, ask.view, a), win[a]) for a in best]


def say(suggestions: list[Suggestion]) -> str:
    """A sentence."""
    first, *others = suggestions
    if not others:
        return f"There is nothing to choose: {first.words}."
    rest = " or ".join(other.words + ("" if other.win is None else f" ({other.win:.0%})") for other in others)
    if first.win is None:
        return f"I would {first.words}; then {rest}."
    if all(other.win is not None and abs(first.win - other.win) < CLOSE for other in others):
        return f"It makes little difference: {first.words} wins about {first.win:.0%} of the time, as does {rest}."
    return f"I would {first.words}: that wins about {first.win:.0%} of the time; then {rest}."
