"""OpenSpiel's own information-set tree search as a player of our games, for the benchmark.

This is OpenSpiel's Python search, which follows its C++ search step by step. The C++ search itself cannot be used: it
draws worlds by a method that a game written in Python cannot provide, and takes no evaluator from Python. It searches
the states of `motherlode.envs.openspiel`. Like any bot it is given an `Ask`; worlds come from `guess`, and a node is
what the seat to act may know: its view.

It is named `openspiel:100/1.5` for 100 simulations with an exploration (OpenSpiel's `uct_c`) of 1.5, and
`openspiel:50ms/1.5` for 50 ms. As `openspiel-own` it plays its rollouts itself, through OpenSpiel's states, instead of
using a compiled playout with the same distribution.

`run` plays our strongest level against it: with equal iterations, and in equal time.
"""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from motherlode import bots, engine
from motherlode.bots import BotSpec, levels
from motherlode.compiled import as_numpy, compiled, dtype
from motherlode.engine import Decorator, Refusal
from motherlode.game import Bits, Game, Rng, below, new_rng
from motherlode.lab.match import match
from motherlode.table import Ask, Bot, Table

if TYPE_CHECKING:
    from motherlode.envs.openspiel import SpielGame, SpielState

Say = Callable[[str], None]
NAME = re.compile(r"(openspiel|openspiel-own):([0-9.]+)(ms)?/([0-9.]+)")
ENDLESS = 10**9  # simulations, for a search that the clock stops
EXPLORES = (0.5, 1.0, 2.0)  # OpenSpiel's examples use 2; the value that does best against us is measured
PILOT = 60  # games that find the best value
PACE, PACE_MS = 16, 20  # games that find how long our strongest level takes, and OpenSpiel's milliseconds in them
EQUAL, TIMED, OWN = 400, 200, 100  # games with equal iterations, in equal time, and there with its own rollouts
ITERATIONS = 100


def programs(game: Game, inner: Decorator, entry: Decorator) -> SimpleNamespace:
    playout, game_winners = engine.programs(game, inner, entry).playout, game.winners

    @entry
    def rollout(s: Any, rng: Rng, bits: Bits) -> int:
        """Play on at random, and say who has won."""
        playout(s[0], rng, bits)
        return game_winners(s[0])

    return SimpleNamespace(rollout=rollout)


class Rollouts:
    """An evaluator for OpenSpiel's search: `mcts.RandomRolloutEvaluator` with one rollout, compiled."""

    def __init__(self, game: Game, rng: Rng, prior: Callable[["SpielState"], Any]) -> None:
        self.programs, self.type, self.prior = compiled(game, programs), dtype(game), prior
        self.rng, self.bits = as_numpy(rng), as_numpy(engine.new_bits(game))

    def evaluate(self, state: "SpielState") -> list[float]:
        position = np.frombuffer(bytearray(state.position), self.type)
        return state.rules.utility[self.programs.rollout(position, self.rng, self.bits)]


@cache
def spiel_game(game: Game, seats: int) -> "SpielGame":
    """The game as one with secrets, even if it has none: the search takes no other."""
    from motherlode.envs import openspiel

    return openspiel.SpielGame(game, {openspiel.SEATS_ARG: seats}, openspiel.game_type(game, is_imperfect=True))


class TimeIsUp(Exception):
    """Ends OpenSpiel's search, which has no time limit, between two simulations."""


@cache
def search() -> Any:
    """OpenSpiel's search, with its default policy at the end."""
    from open_spiel.python.algorithms import ismcts

    class Search(ismcts.ISMCTSBot):  # type: ignore[misc]
        """A node is an observation, as the search offers it, but in bytes: words would take longer than the search."""

        def get_state_key(self, state: "SpielState") -> tuple[int, bytes]:
            seat = state.current_player()
            return seat, state.rules.view(state.position, seat)

    return Search


def bot(simulations: int, milliseconds: float | None, explore: float, *, own: bool) -> Bot:
    """OpenSpiel's search, with its `own` rollouts or with compiled ones."""
    from open_spiel.python.algorithms import mcts

    from motherlode.envs.openspiel import resampler

    def choose(ask: Ask, rng: Rng) -> int:
        began, done = time.perf_counter(), 0
        random = np.random.RandomState(below(rng, 1 << 31))
        guess = resampler(below(rng, 1 << 31))
        game = spiel_game(ask.game, ask.view.seats)
        rollouts = mcts.RandomRolloutEvaluator(1, random)
        evaluator = rollouts if own else Rollouts(ask.game, new_rng(below(rng, 1 << 31)), rollouts.prior)
        player = search()(game, evaluator, explore, simulations, random_state=random)

        def world(known: "SpielState", seat: int) -> "SpielState":
            nonlocal done
            done += 1
            # The first simulation tries no action yet.
            if milliseconds is not None and done > 2 and time.perf_counter() > began + milliseconds / 1000:
                raise TimeIsUp
            return guess(known, seat)

        player.set_resampler(world)
        known = game.state_for(ask)
        try:
            return int(player.step(known))
        except TimeIsUp:
            actions, odds = zip(*player.get_final_policy(known, player._root_node), strict=True)
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
