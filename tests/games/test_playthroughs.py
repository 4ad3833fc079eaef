"""One game of each, told as a person can read it, kept in tests/playthroughs; rewritten by `pytest --rewrite`."""

from pathlib import Path

import pytest

from motherlode import contract, engine, sentences, text
from motherlode.game import Game, new_rng
from motherlode.games import GAMES

FOLDER = Path(__file__).parent / "playthroughs"


def tell(game: Game) -> str:
    """A random game from the last seat's view: what it was told, and its screen now and then."""
    opening = engine.start(game)
    seat, lines = opening.seats - 1, []
    s = opening
    for number, (s, a, t) in enumerate(contract.random_game(game, opening, new_rng(2026))):
        if number % 20 == 0:
            lines += ["", game.show(engine.view(game, s, seat)), ""]
        told = text.tell(game, s, a, seat)
        lines.append(f"{text.actor_name(s.turn)} {told.words}")
        lines += [f"  → {sentences.event(game, event, sentences.seat_names(s.seats))}" for event in told.events]
        contract.check_sums(game, t)
        s = t
    lines += ["", game.show(s), "", text.result(game, s)]
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_playthrough(game: Game, rewrite: bool) -> None:
    path = FOLDER / f"{game.NAME}.txt"
    if rewrite:
        path.write_text(tell(game), encoding="utf-8")
    assert tell(game) == path.read_text(encoding="utf-8")
