"""What lay face down in a finished game, as far as its log tells: what chance decided later was there all the time.

This holds where decks were shuffled once (`shuffles.py`): whoever had looked earlier would have found the same. A game
says in FACE_DOWN where things lie. What nobody ever turned up stays unseen, for nothing in the log decides it.
"""

from collections.abc import Sequence

from motherlode.game import CHANCE, UNSEEN, Game, Record


def opened(game: Game, positions: Sequence[Record]) -> list[Record]:
    """Copies of all positions of a game, in which the things that are turned up later are seen."""
    found, after = [], None
    later: dict[tuple[str, int], int] = {}  # what will be turned up at this place, the next time that something is
    for s in reversed(positions):
        t = type(s).from_buffer_copy(bytes(s))
        for name, which in game.FACE_DOWN.items():
            now, then = getattr(s, name), getattr(after or s, name)
            is_new = any(a != UNSEEN and b == UNSEEN for a, b in zip(now, then, strict=True))  # laid out anew
            for place, thing in enumerate(now):
                is_other = (
                    getattr(s, which)[place] != getattr(after, which)[place] if after and which != name else False
                )
                if thing != UNSEEN or is_new or is_other:
                    later.pop((name, place), None)
                elif then[place] != UNSEEN and s.turn == CHANCE:
                    later[name, place] = then[place]
                if (name, place) in later:
                    getattr(t, name)[place] = later[name, place]
        found.append(t)
        after = s
    return found[::-1]
