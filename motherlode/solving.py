"""Exact answers where they can be computed: `solve` a position, `best_response` to a bot, its `exploitability`.

A position is a `Record` (the true one, or the view of the seat to act), a `Table` or an `Ask`. What can be computed:

    an ending               by the game's own solver (its module `ending`), from what is public
    an open position        of which nothing is hidden: all that can follow is grown
    a small game            from its opening; a `Table` or an `Ask` in the middle of it is found by its log

Everything comes from what the seat to act knows. A decision is the whole sequence of (actor, told, shown): seats are
taken to remember all of it, whatever a memory game's `forget` takes away from people and bots.

The stake is winning, by the utility of ALL-6 from -1 to 1, or the lead in points where an ending does not end the game.
*NashConv* is what best responses of all seats, one at a time, would gain together, and *exploitability* is NashConv
divided by the number of seats: OpenSpiel's definitions. A solution's `gap` is its NashConv.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.bots import equilibrium, exact, whole_game
from motherlode.bots.equilibrium import FEW, Array, Grown, TooLarge, without_shown
from motherlode.bots.mixed import Mix
from motherlode.bots.opponents import Opponents, Player
from motherlode.bots.strategy import Decisions, EndingStrategy, Strategy
from motherlode.engine import Refusal, copy, view
from motherlode.game import CHANCE, HIDDEN, OVER, Game, Record, new_rng
from motherlode.games import find
from motherlode.table import Ask, Table, Told

MOST_NODES = 1_000_000
GAP = 0.005
ITERATIONS = 10_000

Position = Record | Table | Ask
Stake = Literal["winning", "points"]


class Large(Refusal):
    """A tree has more nodes than are grown."""


class Solution(NamedTuple):
    """An equilibrium. `policy` is a bot that plays it, and its `mix(ask)` is the strategy at any decision to follow."""

    game: Game
    seat: int  # who is to act
    mix: Mix  # how likely each action of this seat is; none if chance is to act
    values: list[float]  # what each seat gets over all that the public thinks possible, or from the opening of a game
    expected: float | None  # what the seat to act gets, knowing what it knows; None where it has no choice or never is
    stake: Stake
    gap: float  # NashConv: the value lies within it
    policy: Strategy | EndingStrategy
    nodes: int  # of the tree; 0 where a game's own solver grows none

    @property
    def exploitability(self) -> float:
        return self.gap / len(self.values)


class Response(NamedTuple):
    """A best response of a seat to a bot in all other seats. `policy` is a bot that plays it."""

    seat: int
    value: float
    stake: Stake
    error: float  # of the value: 0 if the bot's mixes are known; else the value is so close with 95 % confidence
    policy: Strategy
    nodes: int


class Exploitability(NamedTuple):
    """What best responses gain against a bot that sits in all seats."""

    nash_conv: float
    exploitability: float  # NashConv by the number of seats
    values: list[float]  # what each seat gets if all play as the bot does
    best: list[float]  # what each seat gets with a best response
    stake: Stake
    error: float  # of NashConv, as in `Response`
    least: float  # NashConv; if mixes are estimated, what responses to one half of the answers gain against the other
    nodes: int
    decisions: int
    sampled: int  # decisions whose mix is estimated


class Known(NamedTuple):
    """What the seat to act knows, or the public if chance is to act, and its log, if that is known."""

    game: Game
    s: Record
    log: list[Told] | None


class Root(NamedTuple):
    """A tree, and the log before it."""

    grown: Grown
    before: list[Told]


def solve(position: Position, *, gap: float = GAP, iterations: int = ITERATIONS, most: int = MOST_NODES) -> Solution:
    """An equilibrium of all that can follow, to this gap if the iterations suffice; a tree has at most `most` nodes."""
    known = read(position)
    game, s = known.game, known.s
    answer = own_answer(known)
    solved = answer if isinstance(answer, equilibrium.Solved) else None
    if answer and not solved:
        return solved_openly(known, answer)
    if s.seats > 2:
        raise Refusal(
            f"an equilibrium is found for two seats, not for {s.seats}; best_response works with any number of them"
        )
    root = own_root(known, solved) if solved else grow(known, most)
    grown = root.grown
    balanced = solved
    if balanced is None or balanced.exploitability > gap:
        balanced = equilibrium.balance(game, grown, s, iterations=iterations, enough=gap)
    decisions = Decisions(game, grown)
    policy = Strategy(decisions, balanced.strategy, len(root.before))
    mix, expected = {}, None
    if s.turn >= 0:
        legal = engine.legal(game, s)
        mix = {legal[0]: 1.0}
        if len(legal) > 1:
            d = decisions.find(s.turn, s, (known.log or [])[len(root.before) :])
            mix, expected = policy.of_decision(d, legal), expectation(decisions, balanced.strategy, d)
    values = equilibrium.expect(grown, balanced.strategy)
    gained = max(0.0, balanced.exploitability)
    return Solution(game, s.turn, mix, values, expected, stake_of(grown), gained, policy, len(grown.tree.actor))


def as_plain(solution: Solution) -> dict[str, Any]:
    """A solution as plain JSON, with the names of actions."""
    names = solution.game.ACTIONS
    return {
        "game": solution.game.NAME,
        "seat": solution.seat,
        "values": solution.values,
        "expected": solution.expected,
        "stake": solution.stake,
        "mix": {names.name(a): share for a, share in solution.mix.items()},
        "gap": solution.gap,
        "exploitability": solution.exploitability,
        "nodes": solution.nodes,
    }


def own_answer(known: Known) -> exact.Solved | None:
    """What the game's own solver says, if it has one and that an answer."""
    ending = exact.ending_of(known.game)
    solved = ending.solve(known.s) if ending and known.s.turn >= 0 else None
    if isinstance(solved, equilibrium.Solved) and solved.asked not in solved.decision_of:
        raise Refusal(not_known(known.s.turn))
    return solved


def not_known(seat: int) -> str:
    return f"this is not what seat {seat}, who is to act, knows: give the position, or that seat's view of it"


def own_root(known: Known, solved: equilibrium.Solved) -> Root:
    """The tree of the game's own solver."""
    return Root(solved.grown, placeholders(known.log or []))


def solved_openly(known: Known, solved: exact.Solved) -> Solution:
    """What a game's own solver found where nothing is hidden: the equilibrium of a game of open information."""
    utility: Sequence[float] | None = getattr(solved, "utility", None)
    if not utility:
        raise Refusal(f"the solver of {known.game.TITLE} says how to play on from here, but not what that is worth")
    seat = int(known.s.turn)
    ending = exact.ending_of(known.game)
    assert ending is not None
    policy = EndingStrategy(ending)
    return Solution(known.game, seat, solved.mix, list(utility), utility[seat], "winning", 0.0, policy, 0)


def best_response(
    where: Game | str | Position, bot: Player | Sequence[Player], *, seat: int = 0, seats: int | None = None,
    samples: int = 0, most: int = MOST_NODES, **options: Any,
) -> Response:  # fmt: skip
    """The exact value of a best response of one seat to a bot in all others (or to one bot per seat).

    `where` is a game, to be played from its opening with these seats and options, or a position. The bot is asked at
    every decision. One that says its `mix` is taken at its word, and one that draws no random numbers plays the one
    action it answers with. Any other is refused, unless it is to be asked `samples` times at each decision.
    """
    root, game = grow_from(where, most, seats, options)
    check_seat(root.grown, seat)
    opponents = Opponents(game, root.grown, bot, before=root.before, samples=samples, but=seat)
    value, answer = equilibrium.respond(root.grown, opponents.shares, seat)
    policy = Strategy(opponents.decisions, answer, len(root.before))
    error = opponents.error(seat)
    return Response(seat, value, stake_of(root.grown), error, policy, len(root.grown.tree.actor))


def exploitability(
    where: Game | str | Position, bot: Player | Sequence[Player], *, seats: int | None = None,
    samples: int = 0, most: int = MOST_NODES, **options: Any,
) -> Exploitability:  # fmt: skip
    """NashConv and exploitability of a bot in all seats (or of one bot per seat); see `best_response`."""
    root, game = grow_from(where, most, seats, options)
    grown = root.grown
    opponents = Opponents(game, grown, bot, before=root.before, samples=samples)
    values = equilibrium.expect(grown, opponents.shares)
    best = [equilibrium.respond(grown, opponents.shares, x)[0] for x in range(len(values))]
    gained = sum(best) - sum(values)
    error = sum(map(opponents.error, range(len(values))))  # none of the values together, whose sum is always 0
    least = tested(opponents) if opponents.sampled and samples > 1 else gained
    nodes, decisions = len(grown.tree.actor), len(grown.tree.seat)
    return Exploitability(
        gained, gained / len(values), values, best, stake_of(grown), error, least, nodes, decisions,
        len(opponents.sampled),
    )  # fmt: skip


def tested(opponents: Opponents) -> float:
    """What responses to one half of the sampled answers gain against the other half.

    Responses fit the answers that they were found with, so NashConv comes out too high; what a response gains against
    other answers comes out right on average, and is at most what a best response does.
    """
    grown, halves, gained = opponents.grown, (opponents.half(0), opponents.half(1)), 0.0
    for found, other in (halves, halves[::-1]):
        for seat in range(len(grown.tree.worth)):
            answer = equilibrium.respond(grown, found, seat)[1]
            is_own = np.repeat(grown.tree.seat == seat, grown.tree.actions)
            gained += equilibrium.expect(grown, np.where(is_own, answer, other))[seat]
            gained -= equilibrium.expect(grown, other)[seat]
    return gained / 2


# Positions and their trees


def read(position: Position) -> Known:
    """What the seat to act knows; a game that is over is refused."""
    if isinstance(position, Table):
        known = Known(position.game, position.view(position.turn), position.told(position.turn))
    elif isinstance(position, Ask):
        if position.seat != position.view.turn:
            raise Refusal(not_known(position.view.turn))
        known = Known(position.game, position.view, position.log)
    else:
        known = Known(position.GAME, view(position.GAME, position, position.turn), None)
    if known.s.turn == OVER:
        raise Refusal("the game is over: there is nothing to solve")
    return known


def grow(known: Known, most: int) -> Root:
    """The tree that a position is part of: of all that can follow it if nothing is hidden, else of the whole game."""
    game, s = known.game, known.s
    opening = engine.start(game, s.seats, **engine.options_of(game, s))
    if bytes(s) == bytes(opening) or known.log == []:
        return Root(grow_world(game, opening, most, s), [])
    if is_open(game, s):
        return Root(grow_world(game, s, most, s), placeholders(known.log or []))
    if s.turn == CHANCE:
        raise Refusal("chance is to decide in this position: give one in which a seat is to act")
    if known.log is None:
        raise Refusal(
            f"what is hidden in this position of {game.TITLE} depends on how it was played{not_ended(game, s)}: "
            "give the table or the seat's ask, whose log says so"
        )
    return Root(grow_world(game, opening, most, s), [])


def grow_from(where: Game | str | Position, most: int, seats: int | None, options: dict[str, Any]) -> tuple[Root, Game]:
    """The tree from an opening or a position on."""
    if isinstance(where, Game | str):
        game = find(where) if isinstance(where, str) else where
        opening = engine.start(game, seats, **options)
        return Root(grow_world(game, opening, most, opening), []), game
    if seats is not None or options:
        raise Refusal("a position has its seats and options: they are only given with a game")
    known = read(where)
    game, solved = known.game, own_answer(known)
    if isinstance(solved, equilibrium.Solved):
        return own_root(known, solved), game
    root = grow(known, most)
    if len(root.before) < len(known.log or []):
        raise Refusal(
            f"what is hidden in this position of {game.TITLE} depends on how it was played: responses are found from "
            "the opening, from endings, and from positions in which nothing is hidden"
        )
    return root, game


def grow_world(game: Game, s: Record, most: int, asked: Record) -> Grown:
    """All that can follow a position that everybody knows."""
    worlds = [(s, 1.0)]
    try:
        return equilibrium.grow(game, whole_game, worlds, min(FEW, most), plain=True)
    except TooLarge as small:
        large = small
    if most > FEW:
        try:
            return equilibrium.grow(game, whole_game, worlds, most)
        except TooLarge as still:
            large = still
    raise Large(
        f"{game.TITLE} is too large to solve from here{not_ended(game, asked)}: its tree has at least {large.nodes:,} "
        f"nodes, and at most {large.most:,} are grown"
    )


def not_ended(game: Game, s: Record) -> str:
    """That the game's own solver has no answer, if there is a solver."""
    ending = exact.ending_of(game)
    return f" (nor does its own solver answer at {ending.size(s)})" if ending and s.turn >= 0 else ""


def is_open(game: Game, s: Record) -> bool:
    """Whether nothing is hidden from the public: `guess` then has nothing to fill."""
    public = view(game, s, -1)
    world = copy(public)
    game.guess(world, -1, new_rng(0))
    return without_shown(world) == without_shown(public) == without_shown(s)


def placeholders(log: list[Told]) -> list[Told]:
    """Of what came before a position only who acted: what else a seat was told differs between worlds."""
    return [Told(entry.actor, HIDDEN, bytes(len(entry.shown))) for entry in log]


def check_seat(grown: Grown, seat: int) -> None:
    if not 0 <= seat < len(grown.tree.worth):
        raise Refusal(f"there is no seat {seat}; the seats are 0 to {len(grown.tree.worth) - 1}")


def stake_of(grown: Grown) -> Stake:
    return "points" if grown.in_points else "winning"


def expectation(decisions: Decisions, shares: Array, d: int) -> float | None:
    """What the seat of a decision gets on average over its nodes, as likely as chance and the others make them."""
    tree, seat = decisions.tree, int(decisions.tree.seat[d])
    value = tree.worth[seat].copy()
    equilibrium.loops_for(decisions.grown).expect(tree, shares, value)
    whole = worth = 0.0
    for node in np.flatnonzero(tree.decision == d).tolist():
        others = 1.0
        for parent, k in decisions.path(node):
            if tree.actor[parent] >= 0 and tree.actor[parent] != seat:
                others *= float(shares[tree.begin[tree.decision[parent]] + k])
        whole += others * float(decisions.grown.odds[node])
        worth += others * float(value[node])
    return worth / whole if whole > 0 else None
