"""How tests speak of positions and actions: as text."""

from motherlode import engine, text
from motherlode.game import CHANCE, Game, Record


def position(line: str) -> tuple[Game, Record]:
    return text.read_position(line)


def play(game: Game, s: Record, *actions: str) -> Record:
    """The position after these actions by name, chance's outcomes included; each must be legal."""
    for words in actions:
        a = text.read_action(game, s, words)
        assert a in engine.legal(game, s), f"{words} is not legal at {text.write_position(game, s)}"
        s = engine.after(game, s, a)
    return s


def names(game: Game, s: Record) -> list[str]:
    """The legal actions, at CHANCE the possible outcomes, by name."""
    return [text.name(game, s, a) for a in engine.legal(game, s)]


def why(game: Game, s: Record, words: str) -> str | None:
    """The clause that forbids the seat to act to do this."""
    assert s.turn != CHANCE
    return engine.why(game, engine.view(game, s, s.turn), text.read_action(game, s, words))
