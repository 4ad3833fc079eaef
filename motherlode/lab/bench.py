"""How fast everything is, measured in one run so that ratios hold on a noisy machine; beside OpenSpiel if installed."""

import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from motherlode import engine
from motherlode.bots import search
from motherlode.engine import DECISIONS, Refusal
from motherlode.game import Game, new_rng
from motherlode.games import part
from motherlode.lab.simulate import run_compiled
from motherlode.table import Table

Say = Callable[[str], None]
SECONDS = 1.0  # a measurement lasts about this long, and the best of three counts
ROLLOUTS = 1000
ITERATIONS = 100_000

FIRST_GAME = """
import time
began = time.perf_counter()
from motherlode import engine
from motherlode.games import GAMES
from motherlode.lab.simulate import run_compiled
game = GAMES[{name!r}]
run_compiled(game, engine.start(game), 0, 1)
print(time.perf_counter() - began)
"""


def best(measure: Callable[[], float]) -> float:
    return max(measure() for _ in range(3))


def compiled_speed(game: Game, seats: int, options: dict[str, Any]) -> float:
    """Decisions per second on one core, from the opening to the end, dealing included."""
    opening = engine.start(game, seats, **options)
    games = 1000
    while True:
        began = time.perf_counter()
        sums, _ = run_compiled(game, opening, 1, games)
        if (seconds := time.perf_counter() - began) > SECONDS / 3:
            return float(sums[DECISIONS] / seconds)
        games *= 2


def search_speed(game: Game, seats: int, options: dict[str, Any]) -> float:
    """Iterations of the tree search per second of one core's own time, from the first decision."""
    ask = Table(game, seats, seed=1, **options).ask()
    began = time.process_time()
    search.search(ask, new_rng(0), ITERATIONS)
    return ITERATIONS / (time.process_time() - began)


def interpreted_speed(game: Game, seats: int, options: dict[str, Any]) -> float:
    opening = engine.start(game, seats, **options)
    decisions, number, began = 0, 0, time.perf_counter()
    while (seconds := time.perf_counter() - began) < SECONDS / 3:
        decisions += engine.simulate(game, opening, number, 1)[0][DECISIONS]
        number += 1
    return decisions / seconds


def first_game(game: Game, folder: str) -> float:
    """Seconds until a fresh process has played its first compiled game, its imports included."""
    command = [sys.executable, "-c", FIRST_GAME.format(name=game.NAME)]
    done = subprocess.run(
        command, env={**os.environ, "XDG_CACHE_HOME": folder}, stdout=subprocess.PIPE, text=True, check=True
    )
    return float(done.stdout)


def measure_game(game: Game, say: Say) -> list[dict[str, Any]]:
    say(f"{game.TITLE}: compiling")
    with tempfile.TemporaryDirectory() as folder:
        cold = first_game(game, folder)
        cached = min(first_game(game, folder) for _ in range(3))
    rows = []
    for seats in game.SEATS:
        for options in measured_options(game):
            say(f"{game.TITLE}: {seats} seats {options}")
            rows.append(
                {
                    "game": game.NAME,
                    "seats": seats,
                    "options": options,
                    "decisions_per_second": best(lambda o=options, n=seats: compiled_speed(game, n, o)),  # type: ignore[misc]
                    "interpreted_per_second": best(lambda o=options, n=seats: interpreted_speed(game, n, o)),  # type: ignore[misc]
                    "search_per_second": best(lambda o=options, n=seats: search_speed(game, n, o)),  # type: ignore[misc]
                    "first_game_cold_seconds": cold,
                    "first_game_cached_seconds": cached,
                }
            )
    return rows


def measured_options(game: Game) -> list[dict[str, Any]]:
    """The default options, and those that the game's module `benchmark` asks for."""
    benchmark = part(game, "benchmark")
    return [engine.check_options(game, {}), *([benchmark.OPTIONS] if benchmark else [])]


def open_spiel_speed(name: str) -> dict[str, Any]:
    """Random play of an OpenSpiel game on one core: its C++ rollouts, and a Python loop with and without the deal."""
    import pyspiel

    game, rng = pyspiel.load_game(name), random.Random(1)
    decisions = rolled = rolling = dealing = looping = 0.0
    for number in range(100):
        began = time.perf_counter()
        state = game.new_initial_state()
        while state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, odds)[0])
        dealt, mine = state.clone(), 0
        dealing += time.perf_counter() - began
        began = time.perf_counter()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            mine += 1
        looping += time.perf_counter() - began
        # One simulation of a tree search is ROLLOUTS rollouts of its root, all in C++.
        bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(ROLLOUTS, number), 1.0, 1, 100, False, number, False)
        began = time.perf_counter()
        bot.step(dealt)
        rolling += time.perf_counter() - began
        decisions += mine
        rolled += ROLLOUTS * mine
    return {
        "game": name,
        "cpp_per_second": rolled / rolling,
        "python_per_second": decisions / looping,
        "python_with_deal_per_second": decisions / (looping + dealing),
    }


def run(games: list[Game], say: Say) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "date": date.today().isoformat(),  # noqa: DTZ011 - the day where it was measured
        "games": [row for game in games for row in measure_game(game, say)],
        "open_spiel": [],
    }
    for game in games if find_spec("pyspiel") else ():
        benchmark = part(game, "benchmark")
        for name in benchmark.OPENSPIEL if benchmark else ():
            say(f"OpenSpiel: {name}")
            speed = max((open_spiel_speed(name) for _ in range(3)), key=lambda a: float(a["cpp_per_second"]))
            answer["open_spiel"].append({**speed, "beside": game.NAME})
    return answer


def table(answer: dict[str, Any]) -> str:
    """The answer as tables for docs/speed.md."""
    lines = [
        f"Measured on {answer['date']} on one core of {answer['machine']}.",
        "",
        "| game | seats | options | compiled | interpreted | search iterations | first game | from the cache |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in answer["games"]:
        options = ", ".join(f"{name}={value}" for name, value in row["options"].items())
        speed = f"{row['decisions_per_second'] / 1e6:.1f} million | {row['interpreted_per_second']:,.0f}"
        waits = f"{row['first_game_cold_seconds']:.1f} s | {row['first_game_cached_seconds']:.2f} s"
        searched = f"{row['search_per_second']:,.0f}"
        lines.append(f"| {row['game']} | {row['seats']} | {options} | {speed} | {searched} | {waits} |")
    ours = {row["game"]: row["decisions_per_second"] for row in answer["games"]}  # the last options of each game
    if answer["open_spiel"]:
        kinds = {"cpp": "C++ rollouts", "python": "Python loop", "python_with_deal": "Python loop with dealing"}
        heads = " | ".join(f"{kind} | ours is" for kind in kinds.values())
        lines += ["", f"| OpenSpiel | beside | {heads} |", "|---" * (2 + 2 * len(kinds)) + "|"]
        for row in answer["open_spiel"]:
            speeds = [row[f"{kind}_per_second"] for kind in kinds]
            cells = " | ".join(f"{speed / 1e6:.2f} million | {ours[row['beside']] / speed:.1f}×" for speed in speeds)
            lines.append(f"| {row['game']} | {row['beside']} | {cells} |")
    return "\n".join(lines)


def write(path: Path, name: str, text: str) -> None:
    """Put a text between the markers `<!-- name -->` and `<!-- /name -->` of a document."""
    before = path.read_text("utf-8")
    marked = re.compile(f"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
    if not marked.search(before):
        raise Refusal(f"{path} has no place for this: the lines <!-- {name} --> and <!-- /{name} -->")
    path.write_text(marked.sub(lambda _: text.rstrip("\n") + "\n", before), "utf-8")
