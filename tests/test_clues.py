"""What networks are told besides observations: the same everywhere, from the view alone, and true."""

from itertools import product

import numpy as np
import pytest

from motherlode import contract, engine
from motherlode.envs import Batch, clues
from motherlode.game import Game, Record
from motherlode.games import GAMES

TOLD = {name: game for name, game in GAMES.items() if game.CLUES}
GAME = pytest.mark.parametrize("game", TOLD.values(), ids=TOLD)


def by_name(game: Game, s: Record, seat: int) -> dict[str, list[int]]:
    row = clues.row(game, engine.view(game, s, seat), seat)
    return {clue.name: row[columns].reshape(-1).tolist() for clue, columns in clues.columns(game)}


@GAME
def test_compiled_clues_are_those_of_the_view(game: Game) -> None:
    for number, (seats, options) in enumerate(contract.some(contract.tables(game), 6, 0)):
        batch = Batch(game, 40, seats=seats, seed=number, autoreset="same_step", **options)
        for _ in range(4):
            for _ in range(15):
                batch.step(batch.sample())
            told = batch.clues()
            for i in range(0, 40, 5):
                seat = int(batch.observer[i])
                row = clues.row(game, engine.view(game, batch.position(i), seat), seat)
                assert (row == np.concatenate([batch.observation[i], told[i]])).all()


def test_games_without_clues_have_rows_of_observations() -> None:
    game = GAMES["goldmine"]
    batch = Batch(game, 2)
    assert batch.clues().shape == (2, 0) and clues.width(game) == batch.layout.size
    assert (clues.row(game, engine.view(game, batch.position(0), 0), 0) == batch.observe(0)[0]).all()


@pytest.mark.parametrize("overlay", GAMES["china_gold"].OPTIONS[0].values)
def test_china_gold_is_told_what_every_dig_carries_off(overlay: str) -> None:
    game = GAMES["china_gold"]
    batch, found = Batch(game, 60, seed=3, overlay=overlay), 0
    for _ in range(12):
        for _ in range(6):
            batch.step(batch.sample())
        for i in range(0, 60, 9):
            s = batch.position(i)
            if s.turn < 0:
                continue
            me, other = s.turn, 1 - s.turn
            digs = np.array(by_name(game, s, me)["digs"]).reshape(91, 16)
            legal = engine.legal(game, s)
            for way, site in product(range(4), range(91)):
                after = engine.after(game, s, 91 * way + site) if 91 * way + site in legal else s
                gold = [min(after.gold[seat] - s.gold[seat], 15) for seat in (me, other)]
                assert digs[site, 2 * way : 2 * way + 2].tolist() == gold
                found += sum(gold) > 0
    assert found > 30


def test_claimpoker_is_told_what_cards_bring() -> None:
    """In the first round, where nobody's balance is negative: it is what the round counts."""
    game, checked = GAMES["claimpoker"], 0
    for seats in game.SEATS:
        batch = Batch(game, 30, seats=seats, seed=1)
        for _ in range(30):
            batch.step(batch.sample())
            s = batch.position(7)
            if s.turn < 0 or s.round > 0:
                continue
            me, now = s.turn, engine.points(game, s)
            told = by_name(game, s, me)
            assert [told["balance"][r] - 24 for r in range(seats)] == [now[(me + r) % seats] for r in range(seats)]
            names = [game.NAMES[game.LOOK[card]] for card in range(len(game.CARDS)) if s.held[me] >> card & 1]
            for kind, word in enumerate(game.KINDS):
                figures = sum(int(name[-1]) for name in names if name[:-1] == word)
                shown = sum(word in name.split("-") for name in names)
                assert told["number"][kind] == figures + shown
                assert told["odd"][kind] == (figures + shown) % 2
            if s.phase != game.GIVING or s.beneath:
                continue
            for a in engine.legal(game, s):
                which, to = divmod(a - game.GIVE, game.MOST_SEATS)
                after = engine.after(game, s, a)
                if after.round == 0 and after.phase != game.ANSWERING:
                    then, r = engine.points(game, after), (to - me) % seats
                    assert then[to] - now[to] == told["given"][2 * r + which] - 24
                    assert then[me] - now[me] == told["given"][1 - which] - 24
                    checked += 1
    assert checked > 60
