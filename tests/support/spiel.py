"""Our rules from some worlds on as a game of OpenSpiel: chance draws the world, and then it is played on in every way.

The tree is grown in plain Python, without the solver's help, and handed over in Gambit's format for extensive games, so
that OpenSpiel's own CFR+, best responses and NashConv run natively on it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyspiel

from motherlode import engine
from motherlode.bots.mixed import Mixed
from motherlode.game import CHANCE, OVER, Game, Record
from motherlode.table import Ask, Told

Logs = list[list[Told]]  # of each seat


class Spiel:
    """The game of OpenSpiel, and what a seat is given at each of its information states."""

    def __init__(
        self,
        game: Game,
        worlds: Sequence[tuple[Record, float]],
        is_leaf: Callable[[Record], bool] = lambda s: s.turn == OVER,
        payoff: Callable[[Record], list[float]] | None = None,
    ) -> None:
        self.rules, self.is_leaf = game, is_leaf
        self.payoff = payoff or (lambda s: engine.utility(game, s))
        self.asks: list[Ask] = []
        self.of_seat: list[int] = []  # their numbers among those of their seat, from 1
        self.count = [0] * worlds[0][0].seats
        self.numbers: dict[Any, int] = {}  # of what a seat knew at the root and was told since
        self.leaves = 0
        seats = worlds[0][0].seats
        whole = sum(weight for _, weight in worlds)
        lines = ['EFG 2 R "ours" { ' + " ".join(f'"{x}"' for x in range(seats)) + ' } ""']
        lines.append(chance([(i, weight / whole) for i, (_, weight) in enumerate(worlds)]))
        for s, _ in worlds:
            lines += self.grow(s, [[] for _ in range(seats)], [bytes(engine.view(game, s, x)) for x in range(seats)])
        self.game = pyspiel.load_efg_game("\n".join(lines) + "\n")
        assert self.game.num_players() == seats and self.game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM

    def grow(self, s: Record, logs: Logs, seen: list[bytes]) -> Iterator[str]:
        """The lines of a position and of all that can follow."""
        game = self.rules
        if self.is_leaf(s):
            self.leaves += 1
            shares = self.payoff(s)
            shares = [*shares[:-1], -sum(shares[:-1])]  # exactly zero-sum, as OpenSpiel wants it
            yield f't "" {self.leaves} "" {{ {" ".join(map(str, shares))} }}'
            return
        actions = engine.legal(game, s)
        if s.turn == CHANCE:
            odds = [game.odds(s, a) for a in actions]
            yield chance([(a, x / sum(odds)) for a, x in zip(actions, odds, strict=True)])
        else:
            key = (s.turn, seen[s.turn], tuple(logs[s.turn]))
            number = self.numbers.setdefault(key, len(self.asks))
            if number == len(self.asks):
                self.asks.append(Ask(game, s.turn, engine.view(game, s, s.turn), actions, logs[s.turn]))
                self.of_seat.append(self.count[s.turn] + 1)
                self.count[s.turn] += 1
            names = " ".join(f'"{a}"' for a in actions)
            yield f'p "" {s.turn + 1} {self.of_seat[number]} "{number}" {{ {names} }} 0'
        for a in actions:
            t = engine.after(game, s, a)
            more = [Told(s.turn, game.told(s, a, x), engine.shown(game, t, x)) for x in range(s.seats)]
            yield from self.grow(t, [[*log, entry] for log, entry in zip(logs, more, strict=True)], seen)

    def policy(self, bot: Mixed) -> Any:
        """A bot of ours as a policy of OpenSpiel's."""
        table = {}
        for name, state in pyspiel_states(self.game).items():
            ask = self.asks[int(name.rpartition("-")[2])]
            mix = bot.mix(ask) if len(ask.legal) > 1 else {ask.legal[0]: 1.0}
            named = {state.action_to_string(a): a for a in state.legal_actions()}
            assert set(named) == set(map(str, ask.legal))
            table[name] = [(named[str(a)], mix.get(a, 0.0)) for a in ask.legal]
        return pyspiel.TabularPolicy(table)

    def nash_conv(self, policy: Any) -> float:
        return float(pyspiel.nash_conv(self.game, policy, False))

    def values(self, policy: Any) -> list[float]:
        found: list[float] = pyspiel.expected_returns(self.game.new_initial_state(), policy, -1, False)
        return found

    def best(self, policy: Any, seat: int) -> float:
        found = pyspiel.TabularBestResponse(self.game, seat, policy)
        return float(found.value_from_state(self.game.new_initial_state()))


def chance(outcomes: list[tuple[int, float]]) -> str:
    named = " ".join(f'"{a}" {share:.17f}' for a, share in outcomes)
    return f'c "" {len(outcomes)} "" {{ {named} }} 0'


def pyspiel_states(game: Any) -> dict[str, Any]:
    """A state of each information state."""
    found: dict[str, Any] = {}
    todo = [game.new_initial_state()]
    while todo:
        state = todo.pop()
        if not state.is_terminal():
            if not state.is_chance_node():
                found.setdefault(state.information_state_string(), state)
            todo += [state.child(a) for a in state.legal_actions()]
    return found
