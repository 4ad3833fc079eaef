"""How fast and how exact the solvers of endings are: `python -m motherlode.lab.endings [GAMES]`.

Plays random games and times the solver at every decision that it has an answer for. Times are of one core, without
compilation.
"""

import sys
import time
from collections import defaultdict

from motherlode.bots import exact
from motherlode.game import Game, below
from motherlode.games import GAMES
from motherlode.table import Table

Measured = tuple[float, float | None]  # seconds, and exploitability where the answer is an equilibrium


def measure(game: Game, ending: exact.Ending, seats: int, games: int) -> dict[str, list[Measured]]:
    """Every decision that is solved, by size. One more game is played first, to compile."""
    found: dict[str, list[Measured]] = defaultdict(list)
    for number in range(-1, games):
        table = Table(game, seats, seed=1000 + number)
        while not table.is_over:
            ask = table.ask()
            if len(ask.legal) > 1:
                began = time.process_time()
                solved = ending.solve(ask.view)
                seconds = time.process_time() - began
                if number >= 0:
                    size = ending.size(ask.view) if solved else "no answer"
                    found[size].append((seconds, getattr(solved, "exploitability", None)))
            table.act(ask.legal[below(table.rng, len(ask.legal))])
    return found


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'game':<16}{'seats':<7}{'from':<18}{'decisions':>10}{'median s':>10}{'worst s':>9}{'exploitability':>16}")
    for name, game in GAMES.items():
        ending = exact.ending_of(game)
        for seats in game.SEATS if ending else ():
            assert ending
            found = measure(game, ending, seats, games)
            for size in sorted(found, key=lambda size: -max(seconds for seconds, _ in found[size])):
                seconds = sorted(second for second, _ in found[size])
                gains = [gain for _, gain in found[size] if gain is not None]
                print(f"{name:<16}{seats:<7}{size:<18}{len(seconds):>10}{seconds[len(seconds) // 2]:>10.3f}", end="")
                print(f"{seconds[-1]:>9.3f}" + (f"{max(gains):>16.4f}" if gains else ""), flush=True)


if __name__ == "__main__":
    main()
