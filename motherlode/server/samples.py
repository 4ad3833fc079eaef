"""Sample views of a game, as the wire gives them to a board: `python -m motherlode.server.samples goldmine`.

Options can follow (`gold_hunting heights=hidden accident=2`). The first samples are openings.
"""

import json
import sys
from typing import Any

from motherlode import contract, engine, text
from motherlode.game import OVER, Game, Record, fields_of, new_rng
from motherlode.server import told_logs


def samples(game: Game, seats: int, number: int, every: int, options: dict[str, Any]) -> list[dict[str, Any]]:
    """A random game: every so often the view of the seat to act, with its legal actions; and how it ends."""
    found = []
    opening = engine.start(game, seats, **engine.check_options(game, options))
    for at, (s, a, t) in enumerate(contract.random_game(game, opening, new_rng(number))):
        if at % every == 0 or t.turn == OVER:
            found.append(sample(game, at, s, a, t, max(t.turn, 0)))
    return found


def sample(game: Game, at: int, s: Record, a: int, t: Record, seat: int) -> dict[str, Any]:
    """What a seat is shown after action `a` led from `s` to `t`."""
    view = engine.view(game, t, seat, sight=True)
    legal = engine.legal(game, t) if t.turn == seat else []
    return {
        "view": fields_of(game, view),
        "drawn": game.drawn(view),
        "seat": seat,
        "legal": [{"action": b, "words": text.name(game, t, b)} for b in legal],
        "did": [told_logs.tell(game, at, s, a, t, seat).model_dump()],
        "names": ["Ada", "Bo", "Cleo", "Dan", "Eve"][: t.seats],
    }


if __name__ == "__main__":
    chosen = text.find_game(sys.argv[1])
    given = dict(word.split("=") for word in sys.argv[2:])
    print(json.dumps([view for seats in chosen.SEATS for view in samples(chosen, seats, seats, 7, given)]))
