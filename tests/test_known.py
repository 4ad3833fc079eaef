"""The search finds the answer where it is known: the exact endings, and positions of Blue Creek anybody can solve.

Each legal action of an ending gets its exact value: the margin in gold, the expected utility, or what it brings with
best play against an equilibrium. What the search chooses must be as good as the best, within a margin that is stated.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from games.test_blue_creek import ALL_REVEALED, at, owning
from support.endings import ask_at
from support.play import names

from motherlode import engine, text
from motherlode.bots import cfr, equilibrium, search
from motherlode.compiled import build
from motherlode.contract import random_game
from motherlode.game import OVER, Game, Record, new_rng
from motherlode.games import GAMES
from motherlode.games.china_gold import ending as last_digs
from motherlode.games.claimpoker import ending as last_takes
from motherlode.games.gold_hunting import ending as last_lifts
from motherlode.games.goldmine import ending as last_tricks
from motherlode.games.mount_goldrush import ending as last_cards

blue_creek = GAMES["blue_creek"]

ITERATIONS = 20_000
EXPECTED = {"mount_goldrush": last_cards.solve, "claimpoker": last_takes.solve}
MIXED = {"goldmine": last_tricks, "gold_hunting": last_lifts}
# By game: how many decisions before its end, its options, and the margin: a fraction of a win, in ChinaGold gold.
ENDINGS = {
    "china_gold": (6, {}, 0),
    "mount_goldrush": (5, {}, 0.05),
    "claimpoker": (3, {}, 0.05),
    "goldmine": (3, {"target": 0}, 0.05),
    "gold_hunting": (4, {}, 0.05),
}


def values(game: Game, s: Record) -> dict[int, float]:
    """The exact value of each legal action for the seat to act; empty where it is not known."""
    if game.NAME in MIXED:
        return against_an_equilibrium(game, s)
    after = {a: engine.after(game, s, a) for a in engine.legal(game, s)}
    if game.NAME == "china_gold":
        return {a: margin(t, s.turn) for a, t in after.items()} if last_digs.solve(s) else {}
    solve = EXPECTED[game.NAME]
    if solve(s) is None:
        return {}
    return {a: utility(game, t)[s.turn] for a, t in after.items()}


def margin(s: Record, seat: int) -> float:
    """By how much gold a seat of ChinaGold wins from here."""
    lead = s.gold[seat] - s.gold[1 - seat]
    if s.turn == OVER:
        return lead
    solved = last_digs.solve(s)
    assert solved is not None
    return lead + (solved.margin if s.turn == seat else -solved.margin)


def utility(game: Game, s: Record) -> list[float]:
    if s.turn == OVER:
        return engine.utility(game, s)
    solved = EXPECTED[game.NAME](s)
    assert solved is not None
    return solved.utility


def against_an_equilibrium(game: Game, s: Record) -> dict[int, float]:
    """What each action brings, with the best that can follow, while the other seat keeps to an equilibrium."""
    solved = MIXED[game.NAME].solve(s)
    if solved is None:
        return {}
    tree = solved.tree
    value, reach = tree.worth[s.turn].copy(), np.ones((2, len(tree.actor)))
    build(cfr.programs).respond(tree, solved.strategy, s.turn, reach, value, solved.strategy.copy())
    decision = solved.decision_of[equilibrium.without_shown(engine.view(game, s, s.turn))]
    worlds = np.flatnonzero((tree.decision == decision) & (tree.actor == s.turn))
    odds = len(worlds) / tree.first[0]  # all worlds come before the first child
    return {a: value[tree.first[worlds] + k].sum() / odds for k, a in enumerate(engine.legal(game, s))}


def endings(game: Game, games: int) -> Iterator[tuple[Record, dict[int, float]]]:
    """One position of each game where it matters what is done, with the exact values."""
    last, options, _ = ENDINGS[game.NAME]
    for number in range(games):
        played = random_game(game, engine.start(game, **options), new_rng(number, 6))
        choices = [s for s, _, _ in played if s.turn >= 0 and len(engine.legal(game, s)) > 1]
        for s in choices[-last:]:
            known = values(game, s)
            if known and max(known.values()) - min(known.values()) > 0.1:
                yield s, known
                break


@pytest.mark.parametrize("name", ENDINGS)
def test_the_search_finds_what_the_exact_endings_know(name: str) -> None:
    game, found = GAMES[name], 0
    for s, known in endings(game, 12):
        answer = search.search(ask_at(game, s), new_rng(1), ITERATIONS)[0].action
        assert known[answer] >= max(known.values()) - ENDINGS[name][2] - 1e-6, text.write_position(game, s)
        found += 1
    assert found >= 3


TWO = {"seats": "2", "seen": "0+1,2+3,.,.", "first": "0+1+2+3"}
RICH = "shovel-knife sieve-knife " + " ".join(card for card in blue_creek.GOLD if card.count("-") == 2) + " teeth-3"
POOR = "sieve pickaxe shovel knife sieve-pickaxe pickaxe-shovel tooth"
NINE_EMPTY = {"river": "-," + ",".join(["empty"] * 9), "concealed": "0"}
# What there is to do, and what anybody would do.
OBVIOUS = [
    (at("turn 3", "river sieve", **ALL_REVEALED, **TWO), {"reveal 0"}),
    (at("turn 3", "river teeth-2a", **ALL_REVEALED, **TWO), {"reveal 1", "reveal 2", "reveal 5", "reveal 6"}),
    (owning(POOR, RICH, pile=16, **NINE_EMPTY, **TWO), {"doubt"}),  # two gold among 17 cards: doubt and rob
    (at(**TWO), {f"turn {place}" for place in range(10)}),  # 16 gold among 46: a doubt gives it away
]


@pytest.mark.parametrize(("s", "best"), OBVIOUS)
def test_the_search_finds_what_is_obvious_in_blue_creek(s: Record, best: set[str]) -> None:
    assert best < set(names(blue_creek, s))
    answer = search.search(ask_at(blue_creek, s), new_rng(1), 2000)[0].action
    assert text.name(blue_creek, s, answer) in best
