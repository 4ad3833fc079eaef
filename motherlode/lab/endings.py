"""How fast exact endings are, and how exact: `python -m motherlode.lab.endings [GAMES]`.

Random games are played up to their endings, which are played exactly. Each decision is timed; times are those of the
process, on one core, without compiling.
"""

import sys
import time
from collections import defaultdict
from typing import Any

from motherlode.bots import exact
from motherlode.game import Game, Record, below
from motherlode.games import GAMES
from motherlode.games.china_gold import ending as last_digs
from motherlode.table import Table


def size(game: Game, s: Record) -> str:
    """How far from the end, in the game's own words."""
    if game.NAME == "china_gold":
        return f"{len(last_digs.face_down(s))} face down"
    if game.NAME == "mount_goldrush":
        return f"{game.left(s)} cards"
    if game.NAME == "claimpoker":
        return f"{sum(s.left)} cards"
    if game.NAME == "goldmine":
        return f"trick {s.trick + 1} {game.PHASES[s.phase]}"
    return f"{sum(s.left)} lifts"


def measure(game: Game, seats: int, games: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds and exploitability of every decision that is solved, by size; one more game goes first, to compile."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    solvers: dict[str, Any] = {**exact.SURE, **exact.MIXED}
    for number in range(-1, games):
        table = Table(game, seats, seed=1000 + number)
        while not table.is_over:
            ask = table.ask()
            began = time.process_time()
            solved = solvers[game.NAME](ask.view) if len(ask.legal) > 1 else None
            seconds = time.process_time() - began
            if number >= 0 and len(ask.legal) > 1:
                key = size(game, ask.view) if solved else "no answer"
                found[key].append((seconds, getattr(solved, "exploitability", 0.0)))
            a = ask.legal[below(table.rng, len(ask.legal))]
            table.act(a)
    return found


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'game':<16}{'seats':<7}{'from':<18}{'decisions':>10}{'median s':>10}{'worst s':>9}{'exploitability':>16}")
    for name in (*exact.SURE, *exact.MIXED):
        for seats in GAMES[name].SEATS:
            found = measure(GAMES[name], seats, games)
            for key in sorted(found, key=lambda key: -max(seconds for seconds, _ in found[key])):
                seconds = sorted(second for second, _ in found[key])
                worst = max(gain for _, gain in found[key])
                print(f"{name:<16}{seats:<7}{key:<18}{len(seconds):>10}{seconds[len(seconds) // 2]:>10.3f}", end="")
                print(f"{seconds[-1]:>9.3f}" + (f"{worst:>16.4f}" if name in exact.MIXED else ""), flush=True)


if __name__ == "__main__":
    main()
