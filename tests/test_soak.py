"""The long runs, for `dev.py soak`: a million complete random games of each game at every seat count.

Of every game one position at random and the last one are kept; in all of them every field is in its bounds and every
sum of the sheet holds. (The contract's tests check both after every single action, of fewer games.)
"""

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numba
import numpy as np
import pytest
from numba.extending import register_jitable

from motherlode import contract, engine
from motherlode.compiled import as_array, compiled, dtype
from motherlode.game import CHANCE, HIDDEN, OVER, UNSEEN, Game, below, nth_action, seed
from motherlode.games import GAMES

MILLION = int(os.environ.get("MOTHERLODE_SOAK_GAMES", "1000000"))
CHUNK = 10_000
TABLES = [(game.NAME, seats) for game in GAMES.values() for seats in game.SEATS]


def sampler(game: Game) -> Any:
    compiled(game)  # tells Numba of the rules
    legal, apply = game.legal, game.apply
    draw = engine.programs(game, inner=register_jitable, entry=register_jitable).draw

    @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator]
    def sample(opening: Any, first: int, room: Any, rng: Any, lot: Any, bits: Any, kept: Any, ends: Any) -> None:
        s = room[0]
        for k in range(len(kept)):
            room[0] = opening[0]
            rng[0], lot[0] = 0, 0
            seed(rng, 2026, first + k)
            seed(lot, 2027, first + k)
            at = 0
            while s.turn != OVER:
                at += 1
                if below(lot, at) == 0:
                    kept[k] = room[0]
                if s.turn == CHANCE:
                    apply(s, draw(s, rng, bits))
                else:
                    apply(s, nth_action(bits, below(rng, legal(s, bits))))
            ends[k] = room[0]

    return sample


SAMPLERS: dict[str, Any] = {}


def check_chunk(name: str, seats: int, first: int) -> int:
    game = GAMES[name]
    if name not in SAMPLERS:
        SAMPLERS[name] = sampler(game)
    sample = SAMPLERS[name]
    options = contract.tables(game)
    _, chosen = options[first // CHUNK % len(options)]
    opening = as_array(game, engine.start(game, seats, **chosen))
    kept, ends = np.zeros(CHUNK, dtype(game)), np.zeros(CHUNK, dtype(game))
    rng, lot, bits = np.zeros(1, np.uint64), np.zeros(1, np.uint64), np.zeros(engine.words_of(game), np.int64)
    sample(opening, first, opening.copy(), rng, lot, bits, kept, ends)
    for records in (kept, ends):
        for field in game.FIELDS:
            values = records[field.name]
            inside = (values >= field.low) & (values <= field.high)
            if field.blank:
                inside |= (values == UNSEEN) | (values == HIDDEN)
            assert inside.all(), f"{name}: {field.name} is out of its bounds"
        for record in records:
            contract.check_sums(game, game.RECORD.from_buffer_copy(record.tobytes()))
    assert (ends["turn"] == OVER).all()
    return CHUNK


@pytest.mark.soak
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_million_games(name: str, seats: int) -> None:
    with ProcessPoolExecutor() as pool:
        games = sum(pool.map(partial(check_chunk, name, seats), range(0, MILLION, CHUNK)))
    print(f"{name}, {seats} seats: {games:,} games, every sum held")
    assert games >= MILLION


def test_a_small_dose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one game: the loop has to be compiled, and the contract's tests check the others."""
    monkeypatch.setattr("test_soak.CHUNK", 100)
    assert check_chunk("claimpoker", 3, 0) == 100
