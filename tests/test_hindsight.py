"""What lay face down: whoever had looked earlier would have found what the replay shows."""

import random
from collections.abc import Iterator

import pytest

from motherlode import engine, hindsight, text
from motherlode.game import CHANCE, OVER, UNSEEN, Game, Record, below, new_rng
from motherlode.games import GAMES
from motherlode.server import messages
from motherlode.shuffles import Shuffles
from motherlode.table import Table

FACE_DOWN = [name for name, game in GAMES.items() if game.FACE_DOWN]


def played(game: Game, seed: int) -> Iterator[tuple[Record, Shuffles]]:
    """Every position of a random game, with the decks as they lie then."""
    rng = new_rng(seed)
    decks = Shuffles(game, lambda deck, n: random.Random(f"{seed} {deck}").sample(range(n), n))
    s = engine.start(game, game.SEATS[-1])
    while s.turn != OVER:
        yield s, decks.copy()
        legal = engine.legal(game, s)
        s = engine.after(game, s, decks.outcome(s) if s.turn == CHANCE else legal[below(rng, len(legal))])
    yield s, decks


def lying(game: Game, s: Record) -> dict[tuple[str, int], int]:
    return {(name, place): thing for name in game.FACE_DOWN for place, thing in enumerate(getattr(s, name))}


def looks(game: Game, s: Record, decks: Shuffles) -> Iterator[tuple[tuple[str, int], int]]:
    """What is turned up by any action that is legal now, and the chance that follows it."""
    for t in [s] if s.turn == CHANCE else [engine.after(game, s, a) for a in engine.legal(game, s)]:
        if t.turn == CHANCE:
            before, after = lying(game, t), lying(game, engine.after(game, t, decks.copy().outcome(t)))
            yield from ((key, thing) for key, thing in after.items() if before[key] == UNSEEN != thing)


@pytest.mark.parametrize("name", FACE_DOWN)
def test_whoever_looks_earlier_finds_the_same(name: str) -> None:
    game, compared = GAMES[name], 0
    for seed in range(3):
        positions = list(played(game, seed))
        opened = hindsight.opened(game, [s for s, _ in positions])
        for (s, decks), seen in list(zip(positions, opened, strict=True))[:: 5 if name == "mount_goldrush" else 2]:
            now, then = lying(game, s), lying(game, seen)
            assert all(then[key] == thing for key, thing in now.items() if thing != UNSEEN)
            for key, thing in looks(game, s, decks):
                if now[key] == UNSEEN and then[key] != UNSEEN:
                    assert then[key] == thing
                    compared += 1
    assert compared > 20


def test_a_replay_with_everything_open_shows_goldmines_gold(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first look on, and only what was turned up in the end; a seat's own view stays as it was."""
    table = Table("goldmine", seed=3, target=0)
    rng = new_rng(3)
    while not table.is_over:
        legal = table.legal()
        table.act(legal[below(rng, len(legal))])
    record = table.record()._replace(drawn=text.DECKS)
    last = record.positions()[-1]
    first_turn = next(p for p in messages.replay(record, None).positions if p.turn >= 0)
    assert first_turn.view["gold"] == list(last.gold) and UNSEEN not in last.gold
    for seat in (0, -1):
        theirs = next(p for p in messages.replay(record, seat).positions if p.turn >= 0)
        assert set(theirs.view["gold"]) == {UNSEEN}  # type: ignore[arg-type]
    without_decks = messages.replay(record._replace(drawn=""), None)  # nothing lay there
    assert set(next(p for p in without_decks.positions if p.turn >= 0).view["gold"]) == {UNSEEN}  # type: ignore[arg-type]
