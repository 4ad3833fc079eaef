"""What would you do? An answer from the seat's own information, by the search.

One search finds the best actions, as a bot would, and how far they are apart. It stops its games early, where who leads
is not yet who wins; so a second one, that plays them to the end, says how often the best of all wins.
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
    win: float | None  # the estimated chance to win; None of an only action, and of one not tried by too short a search


def suggest(ask: Ask, rng: Rng, iterations: int = ITERATIONS, *, plain: bool = False) -> list[Suggestion]:
    """The best two or three actions, the best first; the only one, if there is one."""
    if len(ask.legal) == 1:
        return [Suggestion(ask.legal[0], name(ask.game, ask.view, ask.legal[0]), None)]
    best = search.search(ask, rng, iterations, plain=plain)[:MOST]
    level = search.search(ask, rng, iterations, plain=plain, cut=ask.game.LENGTH)[0].win

    def win(found: search.Found) -> float | None:
        """Nobody is advised to do what is said to win less often than another."""
        return min(level, max(0.0, level + found.win - best[0].win)) if found.tries else None

    return [Suggestion(found.action, name(ask.game, ask.view, found.action), win(found)) for found in best]


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
