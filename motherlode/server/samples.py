"""Sample views of a game, as the wire gives them to a board: `python -m motherlode.server.samples goldmine`."""

import json
import sys
from typing import Any

from motherlode import contract, engine, text
from motherlode.game import HIDDEN, Game, new_rng


def samples(game: Game, seats: int, number: int, every: int) -> list[dict[str, Any]]:
    """A random game: now and then the view of the seat to act, with what it may do."""
    found = []
    for at, (s, a, t) in enumerate(contract.random_game(game, engine.start(game, seats), new_rng(number))):
        seat = t.turn if t.turn >= 0 else 0
        if at % every:
            continue
        view = engine.view(game, t, seat, sight=True)
        fields = {f.name: list(getattr(view, f.name)) if f.length else getattr(view, f.name) for f in game.FIELDS}
        told = game.told(s, a, seat)
        found.append(
            {
                "view": fields,
                "seat": seat,
                "legal": [
                    {"action": b, "words": text.name(game, t, b)} for b in (engine.legal(game, t) if t.turn >= 0 else [])
                ],
                "did": [
                    {
                        "at": at,
                        "actor": s.turn,
                        "action": None if told == HIDDEN else told,
                        "words": text.tell(game, s, a, seat),
                    }
                ],
                "names": ["Ada", "Bo", "Cleo", "Dan", "Eve"][:seats],
            }
        )
    return found


if __name__ == "__main__":
    chosen = text.find_game(sys.argv[1])
    print(json.dumps([view for seats in chosen.SEATS for view in samples(chosen, seats, seats, 7)]))
