"""What is asked and told of reviews and mistakes. Chances are shares of 1; `at` is a place in the log."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from motherlode.review.review import Rating
from motherlode.server.wire import Action, Did, Incoming, Legal, Outgoing, View

Interval = tuple[float, float]


class Judgement(Outgoing):
    """What the judge says, as far as the pages use it."""

    model_config = ConfigDict(extra="ignore")


class Parts(Judgement):
    """How a game went for a seat: deal + chance + own + others = result."""

    start: float
    deal: float
    chance: float
    own: float
    others: float
    result: float


class PointParts(Parts):
    scored: float


class CurvePoint(Judgement):
    """What a seat's position was worth: as it knew it, and with everything open."""

    at: int
    known: float
    open: float


class Happening(Judgement):
    """An event, or a thing that was turned up."""

    kind: str
    args: dict[str, str]
    words: str = ""


class Reason(Judgement):
    """Why another action is better: an event follows it more or less often, or it turns something up more often."""

    kind: Literal["event", "found"]
    best: float
    chosen: float
    event: Happening | None = None
    thing: Happening | None = None
    seen_at: int | None = None


class Mistake(Judgement):
    at: int
    seat: int
    kind: str  # the verb of what was done
    action: int
    words: str
    best: int
    best_words: str
    chance: float
    best_chance: float
    loss: float
    interval: Interval
    remember: bool = False  # the better action rests on something that was shown earlier
    reasons: list[Reason] = Field(default=[])


class SeatReview(Parts):
    seat: int
    won: float
    points: PointParts | None = None
    curve: list[CurvePoint]
    decisions: int
    error: float | None = None  # the chance lost per decision
    error_interval: Interval | None = None
    rating: Rating | None = None
    mistakes: list[Mistake]


class Review(Judgement):
    """What a finished game was."""

    version: int
    game: str
    players: list[str]
    length: int
    judge: dict[str, Any] = Field(default={})
    seats: list[SeatReview]


class ReviewState(Outgoing):
    """A review, or how far it has come: not asked for, waiting or being made, or it could not be made."""

    state: Literal["none", "working", "done", "failed"]
    place: int | None = None  # how many games are reviewed before it; 0: it is being reviewed
    no: str | None = None  # why it could not be made
    review: Review | None = None
    shared: bool = False  # whoever has the link may see it
    mine: list[int]  # your seats


class MyMistake(Outgoing):
    """A mistake of yours. What would have been better is told when you have tried again."""

    table: str
    seat: int
    at: int
    game: str
    title: str
    kind: str
    loss: float
    made: str  # when it was found
    tries: int
    step: int  # how many times in a row you have found it, with growing intervals between
    due: str | None  # when to try it again; null: you have learned it
    due_now: bool


class ErrorRate(Outgoing):
    """What was lost per decision over many games."""

    game: str | None  # null: all games together
    games: int
    decisions: int
    error: float
    interval: Interval
    rating: Rating | None  # null: too few decisions to say


class MyMistakes(Outgoing):
    """Your mistakes, those that are due first, and how often you err."""

    mistakes: list[MyMistake]
    total: int
    due: int
    rates: list[ErrorRate]


class MistakePosition(Outgoing):
    """A position that you decided in, as your seat knew it."""

    mistake: MyMistake
    players: list[str]
    view: View
    drawn: dict[str, Any] | None = None
    text: str | None = None
    legal: list[Legal]
    log: list[Did]


class Try(Incoming):
    """What you would do now."""

    action: Action


class Tried(Outgoing):
    right: bool
    mistake: MyMistake  # with the date when it comes back
    answer: Mistake


BODIES = (ReviewState, MyMistakes, MistakePosition, Try, Tried)
