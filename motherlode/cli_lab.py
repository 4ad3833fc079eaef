"""Commands of the laboratory: many games, counts of actions, exact answers, speed."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as Grid

from motherlode import GAMES, engine, text
from motherlode import games as game_loader
from motherlode.command_line import (
    INTERRUPTED,
    AsJson,
    Cores,
    DataFile,
    GameName,
    OptionList,
    Seats,
    Seed,
    console,
    find_game,
    in_background,
    print_changes,
    progress_bar,
    read_options,
    title_of,
)
from motherlode.engine import Refusal
from motherlode.table import Table, read_file

app = typer.Typer()


@app.command()
def simulate(
    game: GameName,
    data: DataFile = None,
    seats: Seats = None,
    games: Annotated[int, typer.Option(help="number of games")] = 1000,
    seed: Seed = 0,
    bots: Annotated[
        str | None,
        typer.Option(
            help="one per seat, comma-separated: random,greedy or py:mine:choose,greedy; by default all random"
        ),
    ] = None,
    option: OptionList = None,
    cores: Cores = None,
    count: Annotated[
        bool, typer.Option("--count", help="also count actions and events; slower, as all games are played at tables")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play many games and add them up: points, wins, decisions, speed."""
    from motherlode.lab.simulate import simulate as run

    found = find_game(game, data)
    with progress_bar(found.TITLE, games) as advance:
        answer = run(
            found,
            seats=seats,
            games=games,
            seed=seed,
            players=bots.split(",") if bots else None,
            options=read_options(found, option),
            cores=cores,
            count=count,
            progress=advance,
        )
    if as_json:
        print(json.dumps(answer))
    else:
        print_simulation(answer)
    if answer["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def print_simulation(answer: dict[str, Any]) -> None:
    grid = Grid("seat", "bot", "points", "± sd", "wins", title=title_of(answer))
    for seat in range(answer["seats"]):
        points, deviation, won = (answer[key][seat] for key in ("mean_points", "sd_points", "win_share"))
        grid.add_row(str(seat), answer["bots"][seat], f"{points:.2f}", f"{deviation:.2f}", f"{won:.1%}")
    out = console()
    out.print(grid)
    print_changes(out, answer)
    mean, deviation = answer["mean_decisions"], answer["sd_decisions"]
    speed = f"{answer['decisions_per_second']:,.0f} per second"
    out.print(f"{mean:.1f} ± {deviation:.1f} decisions per game, {speed}")
    if "counts" in answer:
        print_counts(out, answer["counts"], answer["games"])


def print_counts(out: Console, counts: dict[str, Any], games: int) -> None:
    """How often each thing happened per game, the most frequent first."""
    grid = Grid("action", "per game", "nothing else useful", "not useful")
    for verb, times in sorted(counts["actions"].items(), key=lambda item: -item[1]["chosen"]):
        grid.add_row(verb, *(f"{times[what] / games:.3f}" for what in ("chosen", "forced", "useless")))
    out.print(grid)
    if not counts["events"]:
        return  # the game tells none
    grid = Grid("event", "per game")
    for kind, number in sorted(counts["events"].items(), key=lambda item: -item[1]):
        grid.add_row(kind, f"{number / games:.3f}")
    out.print(grid)


@app.command()
def perft(
    game: GameName,
    data: DataFile = None,
    depth: Annotated[int, typer.Option(help="number of actions per sequence")] = 2,
    position: Annotated[str | None, typer.Option(help="a position as text; by default the opening")] = None,
    seats: Seats = None,
    option: OptionList = None,
    as_json: AsJson = False,
) -> None:
    """Count sequences of actions: a check of the rules.

    Chance's outcomes count as actions. The sequences are counted by their first action.
    """
    found = find_game(game, data)
    if depth < 0:
        raise Refusal(f"depth must be 0 or more, not {depth}")
    if position:
        named, s = text.read_position(position)
        if named is not found:
            raise Refusal(f"that is a position of {named.TITLE}, not of {found.TITLE}")
        for what, is_now, always in found.sums(s):
            if is_now != always:
                raise Refusal(f"that position is impossible: {what} are {is_now}, but must be {always}")
    else:
        s = engine.start(found, seats, **read_options(found, option))
    from motherlode.compiled import perft as count_sequences

    counts = in_background(lambda: count_sequences(found, s, depth))
    if as_json:
        print(json.dumps({text.name(found, s, a): n for a, n in counts.items()}))
        return
    for a, n in counts.items():
        print(f"{text.name(found, s, a)}: {n}")
    print(f"all: {sum(counts.values()) if depth else 1}")


@app.command()
def solve(
    position: Annotated[
        str,
        typer.Argument(metavar="POSITION", help="a position as text, the file of a record, or a game: its opening"),
    ],
    data: DataFile = None,
    seats: Seats = None,
    option: OptionList = None,
    gap: Annotated[float, typer.Option(min=0, help="how far from an equilibrium the answer may be")] = 0.005,
    as_json: AsJson = False,
) -> None:
    """Solve an ending or a small game: values, how likely each action should be, and the gap to an equilibrium."""
    from motherlode import solving

    where: solving.Position
    is_record = Path(position).is_file() and Path(position).suffix not in (".py", ".toml")
    if is_record or "=" in position:
        if seats or option:
            raise Refusal("a position has its seats and options: they are only given with a game")
        if data:
            game_loader.load_values(data)
        played = text.read_record(read_file(position), new_variants=True) if is_record else None
        where = Table.replay(played) if played else text.read_position(position)[1]
    else:
        found = find_game(position, data)
        where = engine.start(found, seats, **read_options(found, option))
    solution = in_background(lambda: solving.solve(where, gap=gap))
    answer = solving.as_plain(solution)
    if as_json:
        print(json.dumps(answer))
        return
    for seat, value in enumerate(answer["values"]):
        print(f"seat {seat}: {value:+.4f} {'points' if answer['stake'] == 'points' else 'utility (ALL-6)'}")
    for action, share in answer["mix"].items():
        print(f"{action}: {share:.1%}")
    print(f"gap: {answer['gap']:.2g}")


@app.command()
def bench(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="games, envs (for learners), reviews, server (under load), page (in Chromium), or openspiel (matches)",
        ),
    ] = "games",
    as_json: AsJson = False,
    write: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="write the table into this document, between its markers <!-- WHAT -->"),
    ] = None,
    games: Annotated[str | None, typer.Option(help="only these games, comma-separated")] = None,
    tables: Annotated[int, typer.Option(min=1, help="server: tables, with four sockets each")] = 500,
    rate: Annotated[float, typer.Option(min=1, help="server: actions per second")] = 300,
    seconds: Annotated[float, typer.Option(min=1, help="server: how long it is measured")] = 30,
    bots: Annotated[int, typer.Option(min=0, help="server: measure again beside this many thinking bots")] = 0,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="server: on this database, instead of a new SQLite file")
    ] = None,
    postgres: Annotated[bool, typer.Option("--postgres", help="server: on a new PostgreSQL, started for it")] = False,
    workers: Annotated[int, typer.Option(min=1, help="server: its processes")] = 1,
    runs: Annotated[int, typer.Option(min=1, help="page: how often everything is measured")] = 3,
) -> None:
    """Measure speed, a server under load, the pages, or playing strength.

    The speed of the games is shown beside that of OpenSpiel, if it is installed.
    """
    from motherlode.lab import bench as benchmark

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    chosen = [find_game(name) for name in (games.split(",") if games else GAMES)]
    if what == "server":
        from motherlode.server import load_test

        answer: Any = load_test.run(say, load_test.Scenario(tables, rate, seconds, bots, database, postgres, workers))
        table = load_test.table(answer)
    elif what == "page":
        from motherlode.server import page_bench

        answer = page_bench.run(say, runs)
        table = page_bench.table(answer)
    elif what == "openspiel":
        from motherlode.lab import openspiel

        answer = openspiel.run(chosen, say)
        table = openspiel.table(answer)
    elif what == "envs":
        from motherlode.lab import bench_envs

        answer = bench_envs.run(chosen, say)
        table = bench_envs.table(answer)
    elif what == "reviews":
        from motherlode.lab import bench_reviews

        answer = bench_reviews.run(chosen, say)
        table = bench_reviews.table(answer)
    elif what == "games":
        answer = benchmark.run(chosen, say)
        table = benchmark.table(answer)
    else:
        raise Refusal(f"games, envs, reviews, server, page or openspiel can be measured, not {what!r}")
    if write:
        benchmark.write(write, load_test.marker(answer) if what == "server" else what, table)
    print(json.dumps(answer, indent=1) if as_json else table)
