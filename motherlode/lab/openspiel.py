"""OpenSpiel's own information-set tree search as a player of our games, for the benchmark.

This is OpenSpiel's Python search, which follows its C++ search step by step. The C++ search itself cannot be used: it
draws worlds by a method that a game written in Python cannot provide, and takes no evaluator from Python. A `State` is
what the search asks of a position, around our compiled rules. Like any bot it is given an `Ask`; worlds come from
`guess`, and a node is what the seat to act may know: its view.

It is named `openspiel:100/1.5` for 100 simulations with an exploration (OpenSpiel's `uct_c`) of 1.5, and
`openspiel:50ms/1.5` for 50 ms. As `openspiel-own` it plays its rollouts itself, through `State`, instead of using a
compiled playout with the same distribution.

`run` plays our strongest level against it: with equal iterations, and in equal time.
"""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np

from motherlode import bots, engine
from motherlode.bots import BotSpec, levels
from motherlode.compiled import as_array, as_numpy, compiled
from motherlode.engine import Refusal
from motherlode.game import CHANCE, OVER, Bits, Game, Rng, below, new_rng, nth_action
from motherlode.lab.match import match
from motherlode.table import Ask, Bot, Table

Say = Callable[[str], None]
NAME = re.compile(r"(openspiel|openspiel-own):([0-9.]+)(ms)?/([0-9.]+)")
ENDLESS = 10**9  # simulations, for a search that the clock stops
EXPLORES = (0.5, 1.0, 2.0)  # OpenSpiel's examples use 2; the value that does best against us is measured
PILOT = 60  # games that find the best value
PACE, PACE_MS = 16, 20  # games that find how long our strongest level takes, and OpenSpiel's milliseconds in them
EQUAL, TIMED, OWN = 400, 200, 100  # games with equal iterations, in equal time, and there with its own rollouts
ITERATIONS = 100


def programs(game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any]) -> SimpleNamespace:
    """The rules one by one, for calls from Python."""
    game_legal, game_apply, game_odds = game.legal, game.apply, game.odds
    game_hide, game_guess, game_winners = game.hide, game.guess, game.winners
    playout = engine.programs(game, inner, entry).playout

    @entry
    def legal(s: Any, bits: Bits, actions: Bits) -> int:
        choices = game_legal(s[0], bits)
        for k in range(choices):
            actions[k] = nth_action(bits, k)
        return choices

    @entry
    def odds(s: Any, actions: Bits, choices: int, weights: Bits) -> None:
        for k in range(choices):
            weights[k] = game_odds(s[0], actions[k])

    @entry
    def apply(s: Any, a: int) -> None:
        game_apply(s[0], a)

    @entry
    def hide(s: Any, seat: int) -> None:
        game_hide(s[0], seat)

    @entry
    def guess(s: Any, seat: int, rng: Rng) -> None:
        game_guess(s[0], seat, rng)

    @entry
    def winners(s: Any) -> int:
        return game_winners(s[0])

    @entry
    def rollout(s: Any, rng: Rng, bits: Bits) -> int:
        playout(s[0], rng, bits)
        return game_winners(s[0])

    return SimpleNamespace(
        legal=legal, odds=odds, apply=apply, hide=hide, guess=guess, winners=winners, rollout=rollout
    )


class Rules:
    """The rules of a game as a state calls them, with their scratch memory."""

    def __init__(self, game: Game, seats: int, rng: Rng) -> None:
        import pyspiel

        self.programs = compiled(game, programs)
        self.bits = as_numpy(engine.new_bits(game))
        self.actions, self.weights = np.zeros((2, 64 * len(self.bits)), np.int64)
        self.rng = as_numpy(rng)
        self.utility = [engine.shared(seats, [x for x in range(seats) if won >> x & 1]) for won in range(1 << seats)]
        kind = pyspiel.GameType
        self.type = SimpleNamespace(
            dynamics=kind.Dynamics.SEQUENTIAL, information=kind.Information.IMPERFECT_INFORMATION
        )

    def get_type(self) -> Any:
        return self.type


class State:
    """A position or a view, with those methods of OpenSpiel's states that its search calls."""

    def __init__(self, rules: Rules, record: Any) -> None:
        self.rules, self.record = rules, record
        self.look()

    def look(self) -> None:
        self.turn = int(self.record["turn"][0])
        self.known: bytes | None = None

    def get_game(self) -> Rules:
        return self.rules

    def clone(self) -> "State":
        return State(self.rules, self.record.copy())

    def current_player(self) -> int:
        return self.turn

    def is_terminal(self) -> bool:
        return self.turn == OVER

    def is_chance_node(self) -> bool:
        return self.turn == CHANCE

    def legal_actions(self, _seat: int | None = None) -> list[int]:
        rules = self.rules
        choices = rules.programs.legal(self.record, rules.bits, rules.actions)
        actions: list[int] = rules.actions[:choices].tolist()
        return actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        rules = self.rules
        choices = rules.programs.legal(self.record, rules.bits, rules.actions)
        rules.programs.odds(self.record, rules.actions, choices, rules.weights)
        odds = rules.weights[:choices] / rules.weights[:choices].sum()
        return list(zip(rules.actions[:choices].tolist(), odds.tolist(), strict=True))

    def apply_action(self, a: int) -> None:
        self.rules.programs.apply(self.record, a)
        self.look()

    def information_state_string(self) -> bytes:
        """What the seat to act knows; OpenSpiel only compares it."""
        if self.known is None:
            view = self.record.copy()
            self.rules.programs.hide(view, self.turn)
            self.known = view.tobytes()
        return self.known

    def returns(self) -> list[float]:
        return self.rules.utility[self.rules.programs.winners(self.record)]

    def guess(self, seat: int) -> "State":
        """A world that agrees with this view."""
        world = self.record.copy()
        self.rules.programs.guess(world, seat, self.rules.rng)
        return State(self.rules, world)

    def rollout(self) -> list[float]:
        """The result of playing on at random."""
        rules = self.rules
        return rules.utility[rules.programs.rollout(self.record.copy(), rules.rng, rules.bits)]


class TimeIsUp(Exception):
    """Ends OpenSpiel's search, which has no time limit, between two simulations."""


def bot(simulations: int, milliseconds: float | None, explore: float, *, own: bool) -> Bot:
    """OpenSpiel's search, with its default policy at the end; with its `own` rollouts or with compiled ones."""
    from open_spiel.python.algorithms import ismcts, mcts

    def choose(ask: Ask, rng: Rng) -> int:
        began, done = time.perf_counter(), 0
        random = np.random.RandomState(below(rng, 1 << 31))
        rules = Rules(ask.game, ask.view.seats, new_rng(below(rng, 1 << 31)))
        rollouts = mcts.RandomRolloutEvaluator(1, random)
        evaluator = rollouts if own else SimpleNamespace(evaluate=State.rollout, prior=rollouts.prior)
        player = ismcts.ISMCTSBot(rules, evaluator, explore, simulations, random_state=random)

        def world(view: State, seat: int) -> State:
            nonlocal done
            done += 1
            # The first simulation tries no action yet.
            if milliseconds is not None and done > 2 and time.perf_counter() > began + milliseconds / 1000:
                raise TimeIsUp
            return view.guess(seat)

        player.set_resampler(world)
        view = State(rules, as_array(ask.game, ask.view).copy())
        try:
            return int(player.step(view))
        except TimeIsUp:
            actions, odds = zip(*player.get_final_policy(view, player._root_node), strict=True)
            return int(random.choice(actions, p=odds))

    return choose


def make(name: str, game: Game | None = None, *, limit: float = bots.LIMIT) -> Bot:
    """`bots.make`, with OpenSpiel's search under its names."""
    if not (found := NAME.fullmatch(name)):
        return bots.make(name, game, limit=limit)
    kind, much, is_time, explore = found.groups()
    own = kind == "openspiel-own"
    return (
        bot(ENDLESS, float(much), float(explore), own=own) if is_time else bot(int(much), None, float(explore), own=own)
    )


def warm(name: str, game: Game) -> None:
    """`bots.warm`; OpenSpiel's search is compiled before the match."""
    if not NAME.fullmatch(name):
        bots.warm(name, game)


def play(game: Game, ours: str, theirs: str, games: int, seed: int, cores: int | None) -> dict[str, Any]:
    """Ours against theirs in all other seats."""
    players = [ours] + [theirs] * (game.SEATS[0] - 1)
    answer = match(game, players, games=games, seed=seed, cores=cores, make=make, warm=warm)
    if answer["interrupted"]:
        raise KeyboardInterrupt
    first, second = answer["players"][:2]
    return {
        "game": game.NAME,
        "seats": game.SEATS[0],
        "ours": ours,
        "theirs": theirs,
        "score": first["score"],
        "interval": first["score_interval"],
        "games": answer["games"],
        "milliseconds": [1000 * row["seconds_per_decision"] for row in (first, second)],
    }


def run(
    games: list[Game], say: Say, *, cores: int | None = None, equal: int = EQUAL, timed: int = TIMED, own: int = OWN
) -> list[dict[str, Any]]:
    """Our strongest level against OpenSpiel's search: with the same number of iterations, and in the same time."""
    if not find_spec("pyspiel"):
        raise Refusal(
            "OpenSpiel is not installed: python3 dev.py bench installs it, or pip install motherlode[openspiel]"
        )
    rows = []
    for game in games:
        say(f"{game.TITLE}: warming up")
        make("openspiel:2/1", game)(Table(game, seed=0).ask(), new_rng(0))
        strongest = levels.bot_name(levels.names(game)[-1], game)
        alike = str(replace(BotSpec.parse(strongest, game), strength=ITERATIONS))
        say(f"{game.TITLE}: OpenSpiel's best exploration")
        pilots = {c: play(game, alike, f"openspiel:{ITERATIONS}/{c}", PILOT, 1, cores) for c in EXPLORES}
        best = min(EXPLORES, key=lambda c: pilots[c]["score"])
        say(f"{game.TITLE}: equal iterations, exploration {best}")
        rows.append(play(game, alike, f"openspiel:{ITERATIONS}/{best}", equal, 0, cores))
        for kind, number in (("openspiel", timed), ("openspiel-own", own)):
            say(f"{game.TITLE}: equal time, {kind}")
            ours, theirs = play(game, strongest, f"{kind}:{PACE_MS}ms/{best}", PACE, 1, cores)["milliseconds"]
            rows.append(play(game, strongest, f"{kind}:{PACE_MS * ours / theirs:.1f}ms/{best}", number, 0, cores))
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """The answer as a table for the documents."""
    lines = [
        "| game | seats | ours | OpenSpiel | score | 95 % | games | ms per decision, ours | OpenSpiel |",
        "|---" * 9 + "|",
    ]
    for row in rows:
        low, high = row["interval"]
        ours, theirs = (f"{x:.3g}" for x in row["milliseconds"])
        cells = [row["game"], str(row["seats"]), f"`{row['ours']}`", f"`{row['theirs']}`", f"{row['score']:.1%}"]
        lines.append("| " + " | ".join([*cells, f"{low:.1%} – {high:.1%}", f"{row['games']:,}", ours, theirs]) + " |")
    return "\n".join(lines)
