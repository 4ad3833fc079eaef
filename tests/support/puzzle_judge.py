"""Judges of puzzles that share nothing with the miner but the rules: plain recursion, and games played out.

`exact_values` looks at everything that can follow. `is_confirmed` plays out worlds that agree with the view, between
players of a kind of their own: mostly short searches, and every fourth decision by looking a single action ahead.
"""

from math import sqrt
from statistics import mean, stdev

from motherlode import bots, engine
from motherlode.bots import greedy
from motherlode.game import CHANCE, OVER, Game, Record, below, new_rng
from motherlode.puzzles import Puzzle
from motherlode.table import Ask

BATCH, MOST = 20, 300  # worlds
SURE = 2.6  # standard errors
RIVALS = 2
THINKER = "search:100"

Value = tuple[list[float], list[float]]  # of every seat: the utility it expects, and its points, which break ties


class TooLarge(Exception):
    """More follows than is looked at."""


class Exact:
    """Everything that can follow a position of which nothing is hidden."""

    def __init__(self, game: Game, most: int) -> None:
        self.game, self.left = game, most
        self.known: dict[bytes, Value] = {}

    def value(self, s: Record) -> Value:
        """What every seat can expect, and its points, if each does the best for itself."""
        game = self.game
        if s.turn == OVER:
            return engine.utility(game, s), [float(x) for x in engine.points(game, s)]
        key = bytes(s)
        if key not in self.known:
            self.left -= 1
            if self.left < 0:
                raise TooLarge
            self.known[key] = self.expected(s) if s.turn == CHANCE else self.best(s)
        return self.known[key]

    def best(self, s: Record) -> Value:
        """What comes of the best action of the seat to act. Between two seats nothing is better than a sure win."""
        best, rank = None, (-2.0, 0.0)
        for a in engine.legal(self.game, s):
            value = self.value(engine.after(self.game, s, a))
            its_rank = round(value[0][s.turn], 9), value[1][s.turn]
            if best is None or its_rank > rank:
                best, rank = value, its_rank
            if s.seats == 2 and rank[0] == 1:
                break
        assert best
        return best

    def expected(self, s: Record) -> Value:
        """The mean over what chance may decide."""
        outcomes = engine.legal(self.game, s)
        odds = [self.game.odds(s, a) for a in outcomes]
        values = [self.value(engine.after(self.game, s, a)) for a in outcomes]

        def mean_of(what: int) -> list[float]:
            weighed = list(zip(odds, (value[what] for value in values), strict=True))
            return [sum(n * each[x] for n, each in weighed) / sum(odds) for x in range(s.seats)]

        return mean_of(0), mean_of(1)


def exact_values(puzzle: Puzzle, most: int) -> dict[int, float]:
    """The exact chance to win of every legal action; raises TooLarge."""
    game, view, n = puzzle.game, puzzle.ask().view, puzzle.seats
    judge = Exact(game, most)
    values = {a: judge.value(engine.after(game, view, a))[0][puzzle.seat] for a in engine.legal(game, view)}
    return {a: (utility * (n - 1) + 1) / n for a, utility in values.items()}


def is_confirmed(puzzle: Puzzle, answer: int | None = None) -> bool:
    """Whether playing out worlds shows with certainty that this action wins more often than its closest rivals."""
    game, ask = puzzle.game, puzzle.ask()
    answer = puzzle.answer if answer is None else answer
    rivals = sorted((a for a in puzzle.values if a != answer), key=lambda a: (-puzzle.values[a], a))[:RIVALS]
    leads: dict[int, list[float]] = {a: [] for a in rivals}
    while rivals:
        number = len(leads[rivals[0]])
        if number == MOST:
            return False
        for world in range(number, number + BATCH):
            won = {a: play_out(game, ask, a, world) for a in [answer, *rivals]}
            for a in rivals:
                leads[a].append(won[answer] - won[a])
        for a in list(rivals):
            error = stdev([*leads[a], 1.0, -1.0]) / sqrt(len(leads[a]))
            if mean(leads[a]) < -SURE * error:
                return False
            if mean(leads[a]) > SURE * error:
                rivals.remove(a)
    return True


def play_out(game: Game, ask: Ask, a: int, number: int) -> float:
    """What an action wins in a world: the same for all actions with this number."""
    s, rng = engine.copy(ask.view), new_rng(number, 77)
    game.guess(s, ask.seat, rng)
    game.apply(s, a)
    thinker, looker = bots.make(THINKER, game), greedy.bot(3)
    while s.turn != OVER:
        if s.turn == CHANCE:
            game.apply(s, engine.draw(game, s, rng))
            continue
        seen = Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), [])
        if len(seen.legal) == 1:
            game.apply(s, seen.legal[0])
        else:
            game.apply(s, (thinker if below(rng, 4) else looker)(seen, rng))
    winners = engine.winners(game, s)
    return (ask.seat in winners) / len(winners)
