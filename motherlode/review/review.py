"""The review of a finished game as plain JSON: for every seat where its result came from, and its mistakes.

A part of the result is what a position was worth after something happened minus what it was worth before (`parts`). A
mistake is judged from what its seat knew (`mistakes`), and told with its reasons (`reasons`).
"""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any, Literal

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.game import OVER, Game, Record
from motherlode.review import known, mistakes, parts, reasons, values
from motherlode.review.mistakes import Loss

VERSION = 1
SECONDS = 5.0  # of core time, at most
JUDGING = 0.5  # the share of them in which decisions are judged
REASONED = 3  # mistakes of a seat that are told with reasons
FEWEST = 10  # decisions that a rating takes
Rating = Literal["flawless", "sharp", "steady", "shaky", "wild"]
RATINGS: tuple[tuple[Rating, float], ...] = (  # for an error of at most so much
    ("flawless", 0.003),
    ("sharp", 0.01),
    ("steady", 0.02),
    ("shaky", 0.035),
    ("wild", 1.0),
)
SURE = 1.96  # standard errors within which 95 % lie


def review(
    played: text.Played, *, seconds: float = SECONDS, seed: int = 0, seats: Sequence[int] | None = None,
    plain: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """What a finished game was, for these seats or all; `plain` needs no compiled search."""
    game = played.game
    positions = played.positions()
    if positions[-1].turn != OVER and played.resigned:
        raise Refusal("the game ended when somebody resigned: only what was played to the end can be reviewed")
    if positions[-1].turn != OVER:
        raise Refusal("the game is not over: a running game is never reviewed")
    chosen = range(played.seats) if seats is None else sorted(set(seats))
    for seat in chosen:
        if not 0 <= seat < played.seats:
            raise Refusal(f"the game has seats 0 to {played.seats - 1}, not {seat}")
    course = parts.parts(game, positions)
    places = [at for at, s in enumerate(positions) if s.turn >= 0 or s.turn == OVER]
    open_wins = values.worth(game, [positions[at] for at in places]).wins
    share = seconds * JUDGING / played.seats
    return {
        "version": VERSION,
        "game": game.NAME,
        "rules": game.RULES if played.rules is None else played.rules,
        "data": dict(game.CHANGES),
        "options": played.own_options(),
        "players": list(played.players),
        "length": len(played.actions),
        "judge": {"values": values.name(game), "search": mistakes.name(game, plain=plain), "worlds": known.WORLDS},
        "seats": [
            of_seat(game, positions, played.actions, course[seat], seed, share, plain=plain)
            | {"curve": curve(game, positions, places, open_wins[:, seat].tolist(), seat)}
            for seat in chosen
        ],
    }


def of_seat(
    game: Game, positions: Sequence[Record], log: Sequence[int], part: parts.Parts, seed: int, seconds: float, *,
    plain: bool,
) -> dict[str, Any]:  # fmt: skip
    wins, points = part.wins._asdict(), part.points._asdict()
    losses, blinkered = mistakes.judge(mistakes.decisions(game, positions, log, part.seat), seconds, seed, plain=plain)
    costliest = sorted((loss for loss in losses if loss.is_mistake), key=lambda loss: (-loss.loss, loss.decision.at))
    error, interval = error_of(losses)
    return {
        "seat": part.seat,
        **{key: wins[key] for key in ("start", "deal", "chance", "own", "others", "result")},
        "won": wins["final"],
        "points": {key: points[key] for key in ("start", "deal", "chance", "own", "others", "result")}
        | {"scored": points["final"]},
        "decisions": len(losses),
        "error": error,
        "error_interval": interval,
        "rating": rating(error, len(losses)),
        "mistakes": [
            told(loss, seed, positions, log, blinkered.get(loss.decision.at), has_reasons=k < REASONED, plain=plain)
            for k, loss in enumerate(costliest)
        ],
    }


def told(
    loss: Loss, seed: int, positions: Sequence[Record], log: Sequence[int], blinkered: Loss | None, *,
    has_reasons: bool, plain: bool,
) -> dict[str, Any]:  # fmt: skip
    ask, action = loss.decision.ask, loss.decision.action
    game = ask.game
    why = reasons.of_mistake(loss.decision, loss.best, seed, positions, log, plain=plain) if has_reasons else []
    return {
        "at": loss.decision.at,
        "seat": ask.seat,
        "kind": game.ACTIONS.read(action)[0].verb,
        "action": action,
        "words": text.name(game, ask.view, action),
        "best": loss.best,
        "best_words": text.name(game, ask.view, loss.best),
        "stands_for": game.drawn(ask.view).get("stands_for", {}),  # what words of both mean in this position
        "chance": loss.chance,
        "best_chance": loss.best_chance,
        "loss": loss.loss,
        "interval": [loss.low, loss.high],
        "remember": blinkered is not None and blinkered.low <= 0,
        "reasons": why,
    }


def curve(
    game: Game, positions: Sequence[Record], places: Sequence[int], wins: Sequence[float], seat: int
) -> list[dict[str, Any]]:
    """The seat's chance to win before every decision and at the end, as it knew it and with everything open."""
    views = [(seat, engine.view(game, positions[at], seat)) for at in places[:-1]]
    as_known = [*known.chances(game, views), wins[-1]]
    return [{"at": at, "known": one, "open": other} for at, one, other in zip(places, as_known, wins, strict=True)]


def error_of(losses: Sequence[Loss]) -> tuple[float | None, list[float] | None]:
    """The chance lost per decision, at least 0, and where it lies with 95 % confidence for a player who plays so.

    The decisions are taken for a sample of those that the player may meet: few of them say little.
    """
    if not losses:
        return None, None
    each = [loss.loss for loss in losses]
    error = SURE * stdev(each) / sqrt(len(each)) if len(each) > 1 else 1.0
    mean = fmean(each)
    return max(0.0, mean), [max(0.0, mean - error), min(1.0, max(0.0, mean + error))]


def rating(error: float | None, decisions: int) -> Rating | None:
    """A word for an error rate; None where there are too few decisions to say."""
    if error is None or decisions < FEWEST:
        return None
    return next(word for word, most in RATINGS if error <= most)
