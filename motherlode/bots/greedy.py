"""Looks one action ahead in guessed worlds for the greatest lead in points; ties are broken at random."""

from motherlode import engine
from motherlode.game import CHANCE, Rng, below
from motherlode.table import Ask, Bot


def bot(worlds: int = 10) -> Bot:
    def choose(ask: Ask, rng: Rng) -> int:
        game, seat = ask.game, ask.seat
        value = dict.fromkeys(engine.useful(game, ask.view), 0)
        for _ in range(worlds if len(value) > 1 else 0):
            world = engine.copy(ask.view)
            game.guess(world, seat, rng)
            for a in value:
                s = engine.after(game, world, a)
                while s.turn == CHANCE:
                    game.apply(s, engine.draw(game, s, rng))
                points = engine.points(game, s)
                value[a] += points[seat] - max(p for other, p in enumerate(points) if other != seat)
        best = [a for a in value if value[a] == max(value.values())]
        return best[below(rng, len(best))]

    return choose
