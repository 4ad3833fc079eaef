"""A guest's mistakes in reviewed games, to try again: one comes back after intervals that grow while it is found."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

from motherlode import engine
from motherlode.games import GAMES
from motherlode.review import review
from motherlode.server import messages, review_wire
from motherlode.server.live_table import LiveTable
from motherlode.server.messages import timestamp
from motherlode.server.review_queries import Judged, StoredMistake

DAY = 24 * 3600.0
INTERVALS = (1 * DAY, 3 * DAY, 7 * DAY, 21 * DAY, 60 * DAY)


def is_due(one: StoredMistake, now: float) -> bool:
    return one.due is not None and one.due <= now


def after_try(was: StoredMistake, *, is_best: bool, now: float) -> dict[str, Any]:
    """When it comes back. Whoever finds it before it is due has tried, and nothing grows; found after the longest
    interval, it has been learned."""
    if not is_best:
        return {"tries": was.tries + 1, "step": 0, "due": now + INTERVALS[0]}
    if not is_due(was, now):
        return {"tries": was.tries + 1}
    if was.step == len(INTERVALS):
        return {"tries": was.tries + 1, "due": None}
    return {"tries": was.tries + 1, "step": was.step + 1, "due": now + INTERVALS[was.step]}


def card(one: StoredMistake, now: float) -> review_wire.MyMistake:
    game = GAMES.get(one.game)
    return review_wire.MyMistake(
        table=one.sitting,
        seat=one.seat,
        at=one.at,
        game=one.game,
        title=game.TITLE if game else one.game,
        kind=one.kind,
        loss=one.loss,
        made=timestamp(one.made),
        tries=one.tries,
        step=one.step,
        due=None if one.due is None else timestamp(one.due),
        due_now=is_due(one, now),
    )


def position(live: LiveTable, one: StoredMistake, now: float) -> review_wire.MistakePosition:
    """As the seat knew it, with all that it had been told."""
    game, s = live.game, live.core.positions[one.at]
    drawn = messages.drawing(game, bytes(engine.view(game, s, one.seat)))
    return review_wire.MistakePosition(
        mistake=card(one, now),
        players=list(live.record().players),
        **drawn._asdict(),
        legal=[messages.legal_action(game, a) for a in engine.legal(game, s)],
        log=live.logs.told(one.seat, 0, one.at),
    )


# How often a guest errs


def pooled(game: str | None, judged: Sequence[Judged]) -> review_wire.ErrorRate:
    """Over all decisions of these games. Games are judged independently, so their variances add up."""
    decisions = sum(one.decisions for one in judged)
    error = sum(one.decisions * one.error for one in judged) / decisions
    widths = (one.decisions * (one.high - one.low) / (2 * review.SURE) for one in judged)
    around = review.SURE * sqrt(sum(width * width for width in widths)) / decisions
    interval = max(0.0, error - around), error + around
    return review_wire.ErrorRate(
        game=game,
        games=len(judged),
        decisions=decisions,
        error=error,
        interval=interval,
        rating=review.rating(error, decisions),
    )


def rates(judged: Sequence[Judged]) -> list[review_wire.ErrorRate]:
    """Of all games together, if there are several, then of each."""
    games = list(dict.fromkeys(one.game for one in judged))
    found = [pooled(None, judged)] if len(games) > 1 else []
    return found + [pooled(game, [one for one in judged if one.game == game]) for game in games]
