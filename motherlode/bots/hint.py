"""What would you do? An answer from the seat's own information, by the search."""

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
    win: float  # the estimated chance to win


def suggest(ask: Ask, rng: Rng, iterations: int = ITERATIONS, *, plain: bool = False) -> list[Suggestion]:
    """The best two or three actions, the best first; the only one, if there is one."""
    found = search.search(ask, rng, iterations, plain=plain)[:MOST]
    return [Suggestion(f.action, name(ask.game, ask.view, f.action), f.win) for f in found]


def say(suggestions: list[Suggestion]) -> str:
    """A sentence."""
    first, *others = suggestions
    if not others:
        return f"There is nothing to choose: {first.words}."
    rest = " or ".join(f"{other.words} ({other.win:.0%})" for other in others)
    if all(abs(first.win - other.win) < CLOSE for other in others):
        return f"It makes little difference: {first.words} wins about {first.win:.0%} of the time, as does {rest}."
    return f"I would {first.words}: that wins about {first.win:.0%} of the time; then {rest}."
