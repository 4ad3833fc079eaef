"""Endings of games that are small enough to be solved by looking at everything that can happen."""

from collections.abc import Iterator

from motherlode import contract, engine
from motherlode.game import CHANCE, OVER, Game, Record, new_rng
from motherlode.table import Ask


def ask_at(game: Game, s: Record) -> Ask:
    return Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), [])


def solve(game: Game, s: Record) -> list[float]:
    """What each seat can expect if each does the best for itself, nothing being hidden."""
    if s.turn == OVER:
        return engine.utility(game, s)
    ways = [(a, solve(game, engine.after(game, s, a))) for a in engine.legal(game, s)]
    if s.turn == CHANCE:
        total = sum(game.odds(s, a) for a, _ in ways)
        return [sum(game.odds(s, a) * value[x] for a, value in ways) / total for x in range(s.seats)]
    best: list[float] = max((value for _, value in ways), key=lambda value: value[s.turn])
    return best


def is_small(game: Game, s: Record, most: int) -> bool:
    """Whether few positions follow and, among more than two, nobody else's taste in equal things matters."""
    positions, todo, seat = 0, [s], s.turn
    while todo and positions <= most:
        t = todo.pop()
        positions += 1
        if s.seats > 2 and t.turn >= 0 and t.turn != seat:
            return False
        if t.turn != OVER:
            todo += [engine.after(game, t, a) for a in engine.legal(game, t)]
    return positions <= most


def endings(game: Game, games: int) -> Iterator[tuple[Record, dict[int, float]]]:
    """The earliest position of each game that can be solved, with the value of each action where they differ."""
    for number in range(games):
        played = contract.random_game(game, engine.start(game), new_rng(number, 5))
        for s in [s for s, _, _ in played if s.turn >= 0][-6:]:
            if len(engine.legal(game, s)) > 1 and is_small(game, s, 300):
                values = {a: solve(game, engine.after(game, s, a))[s.turn] for a in engine.legal(game, s)}
                if len(set(values.values())) > 1:
                    yield s, values
                    break
