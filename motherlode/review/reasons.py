"""Why one action is better than another: what follows from them in worlds that the seat holds possible.

Both actions are played out in the same number of worlds, by the same quick players, up to the seat's next decision but
one. What the seat would be told there are events, and what its action would turn up is a find. Those are reasons that
follow from one action much more often than from the other, by more than luck explains.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any, NamedTuple

from motherlode import engine
from motherlode.bots import network, policy, search
from motherlode.game import CHANCE, HIDDEN, OVER, Event, Game, Record, TurnedUp, new_rng
from motherlode.review.mistakes import Decision
from motherlode.sentences import SEAT_ARGS
from motherlode.table import Ask, Bot

MOST = 3  # reasons for a mistake
LINES = 30  # that are played for each of the two actions
AHEAD = 2  # decisions of the seat after this one; a line ends before the last of them
LONGEST = 24  # entries of a line
QUICK = 30  # iterations of a search for one decision in a line
CLEAR = 0.15  # a smaller difference is not worth a sentence
SIGMAS = 3.0  # nor is one that luck explains

Key = tuple[str, tuple[tuple[str, str], ...]]
Reason = dict[str, Any]


class Line(NamedTuple):
    """What a seat would be told of what follows from an action."""

    events: set[Key]
    found: TurnedUp | None  # what the action turned up itself


def of_mistake(
    decision: Decision, best: int, number: int, positions: Sequence[Record], log: Sequence[int], *, plain: bool
) -> list[Reason]:
    """The reasons why `best` is better than what was chosen, the clearest first."""
    player = quick_player(decision.ask.game, plain=plain)
    pair = (best, decision.action)
    lines = [[line(decision, a, player, number, k) for k in range(LINES)] for a in pair]
    finds = [[one.found for one in each if one.found] for each in lines]
    reasons = [*found_reasons(decision, best, finds, positions, log), *event_reasons(lines)]
    # The last with the same key stays, which is the first by rank.
    different = {about(reason): reason for reason in sorted(reasons, key=rank, reverse=True)}
    return sorted(different.values(), key=rank)[:MOST]


def about(reason: Reason) -> str:
    """What is told of once: that one player takes the gold is why another does not."""
    if reason["kind"] == "found":
        return repr(reason["thing"])
    args = reason["event"]["args"].items()
    return repr((reason["event"]["kind"], [(arg, value) for arg, value in args if arg not in SEAT_ARGS]))


def rank(reason: Reason) -> tuple[bool, bool, float, bool]:
    """Finds come first, then what brings points, then what differs most, then what speaks for the better action."""
    is_find = reason["kind"] == "found"
    more = round(reason["best"] - reason["chosen"], 3)
    return not is_find, not is_find and "points" not in reason["event"]["args"], -abs(more), more < 0


def quick_player(game: Game, *, plain: bool) -> Bot:
    if network.brings(game):
        return policy.Policy(game, network.of(game), plain=plain)
    return search.bot(QUICK, plain=plain)


def line(decision: Decision, action: int, player: Bot, number: int, k: int) -> Line:
    """Play on from an action in a world that the seat holds possible."""
    game, seat = decision.ask.game, decision.ask.seat
    rng = new_rng(number, -1 - (decision.at * LINES + k) * engine.MOST_SEATS - seat)
    world = engine.copy(decision.ask.view)
    game.guess(world, seat, rng)
    events: set[Key] = set()
    found, own, is_action = None, 0, True
    view = decision.ask.view
    a = action
    for entry in range(LONGEST):
        if entry > 0:
            if world.turn == OVER:
                break
            is_action = is_action and world.turn == CHANCE
            if world.turn == CHANCE:
                a = engine.draw(game, world, rng)
            else:
                own += world.turn == seat
                if own == AHEAD:
                    break
                ask = Ask(game, world.turn, engine.view(game, world, world.turn), engine.legal(game, world), [])
                a = ask.legal[0] if len(ask.legal) == 1 else player(ask, rng)
        told = game.told(world, a, seat)
        world = engine.after(game, world, a)
        after = engine.view(game, world, seat)
        events |= {(one.kind, tuple(one.args.items())) for one in game.events(view, told, after)}
        if is_action and found is None:
            found = turned_up(game, view, told, after)
        view = after
    return Line(events, found)


def event_reasons(lines: list[list[Line]]) -> Iterator[Reason]:
    """What follows more often from one of the actions: events that bring points, and others of a kind that both bring.
    Only whoever looks at a card sees it: that is no reason."""
    counts = [Counter(key for one in each for key in one.events) for each in lines]
    kinds = kinds_of(counts)
    for key in sorted({*counts[0], *counts[1]}):
        shares = [counts[k][key] / len(lines[k]) for k in range(2)]
        kind, args = key
        if (kind in kinds or "points" in dict(args)) and is_clear(shares[0], shares[1], LINES):
            yield {"kind": "event", "event": Event(kind, dict(args))._asdict(), "best": shares[0], "chosen": shares[1]}


def kinds_of(counts: list[Counter[Key]]) -> set[str]:
    """The kinds of what follows from both actions."""
    return {kind for kind, _ in counts[0]} & {kind for kind, _ in counts[1]}


def found_reasons(
    decision: Decision, best: int, finds: list[list[TurnedUp]], positions: Sequence[Record], log: Sequence[int]
) -> Iterator[Reason]:
    """What one of the actions is likelier to turn up, where both turn up things of that kind. Where it lies is not
    compared, for that is the action's word."""
    game = decision.ask.game
    places = [set(game.ACTIONS.args(a).items()) for a in (best, decision.action)]
    # What every find has in common with its action says where it lies; what only some have is a coincidence.
    alike = [
        {arg for arg, _ in set(one.args.items()) & place}
        for place, each in zip(places, finds, strict=True)
        for one in each
    ]
    where = set.intersection(*alike) if alike else set()

    def what(one: TurnedUp) -> Key:
        return one.kind, tuple(sorted((arg, plain) for arg, plain in one.args.items() if arg not in where))

    counts = [Counter(map(what, each)) for each in finds]
    kinds = kinds_of(counts)
    for key in sorted({*counts[0], *counts[1]}):
        shares = [each[key] / LINES for each in counts]
        if key[0] in kinds and is_clear(shares[0], shares[1], LINES):
            likelier = 0 if shares[0] > shares[1] else 1
            thing = next(one for one in finds[likelier] if what(one) == key)
            is_known = game.recalled_places is not None and shares[likelier] == 1
            wanted = {*places[likelier], *thing.args.items()}
            seen_at = where_seen(decision, wanted, positions, log) if is_known else None
            yield {
                "kind": "found",
                "thing": thing._asdict(),
                "best": shares[0],
                "chosen": shares[1],
                "seen_at": seen_at,
            }


def turned_up(game: Game, before: Record, told: int, after: Record) -> TurnedUp | None:
    """What an entry turned up for an observer: what it was shown, or what chance decided openly."""
    shown = game.turned_up(after)
    if shown is None and before.turn == CHANCE and told != HIDDEN:
        return TurnedUp(game.OUTCOMES.read(told)[0].verb, game.OUTCOMES.args(told), game.OUTCOMES.name(told))
    return shown


def where_seen(
    decision: Decision, wanted: set[tuple[str, str]], positions: Sequence[Record], log: Sequence[int]
) -> int | None:
    """The last entry of the seat's log before the decision that showed it this thing in this place."""
    game, seat = decision.ask.game, decision.ask.seat
    found, place = None, set[tuple[str, str]]()
    for at in range(decision.at):
        told = game.told(positions[at], log[at], seat)
        before, after = (engine.view(game, positions[k], seat) for k in (at, at + 1))
        if before.turn != CHANCE:
            place = set() if told == HIDDEN else set(game.ACTIONS.args(told).items())
        thing = turned_up(game, before, told, after)
        if thing and wanted <= {*place, *thing.args.items()}:
            found = at
    return found


def is_clear(best: float, chosen: float, lines: int) -> bool:
    """Whether two shares of so many lines differ enough, and by more than luck explains."""
    both = (best + chosen) / 2
    error = sqrt(max(both * (1 - both), 1 / lines / 4) * 2 / lines)
    return abs(best - chosen) >= max(CLEAR, SIGMAS * error)
