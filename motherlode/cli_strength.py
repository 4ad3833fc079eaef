"""Commands that say how strong bots are: against each other, level by level."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from motherlode import bots as bot_makers
from motherlode.bots import levels
from motherlode.command_line import (
    INTERRUPTED,
    AsJson,
    Cores,
    DataFile,
    GameName,
    OptionList,
    Seed,
    console,
    find_game,
    print_changes,
    progress_bar,
    read_options,
    title_of,
)
from motherlode.engine import Refusal
from motherlode.game import Game

app = typer.Typer()


@app.command()
def match(
    game: GameName,
    bots: Annotated[
        str, typer.Option(help="one per seat, comma-separated: baron,search:400 or py:mine:choose,cmd:./mine")
    ],
    data: DataFile = None,
    games: Annotated[int, typer.Option(help="number of games, rounded up to play every deal from every seat")] = 100,
    seed: Seed = 0,
    option: OptionList = None,
    cores: Cores = None,
    save: Annotated[Path | None, typer.Option(metavar="FOLDER", help="save the record of every game here")] = None,
    stop: Annotated[bool, typer.Option("--stop", help="stop as soon as it is clear who is best")] = False,
    limit: Annotated[float, typer.Option(help="seconds that a program may take for an answer")] = bot_makers.LIMIT,
    as_json: AsJson = False,
) -> None:
    """Play bots against each other: win shares, points and Elo.

    Every deal is played from every seat.
    """
    from motherlode.lab.match import match as run

    found, players = find_game(game, data), bots.split(",")
    with progress_bar(found.TITLE, games) as advance:
        answer = run(
            found, players, games=games, seed=seed, options=read_options(found, option), cores=cores, save=save,
            stop=stop, limit=limit, progress=advance,
        )  # fmt: skip
    if as_json:
        print(json.dumps(answer))
    else:
        print_match(answer)
    if answer["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def print_match(answer: dict[str, Any]) -> None:
    grid = Grid("bot", "wins (95 %)", "points", "Elo (95 %)", "decisions", "ms each", title=title_of(answer))
    for row in answer["players"]:
        low, high = row["win_interval"]
        worse, better = row["elo_interval"]
        grid.add_row(
            row["bot"], f"{row['win_share']:.1%} ({100 * low:.0f} … {100 * high:.0f})", f"{row['mean_points']:.2f}",
            f"{row['elo']:+.0f} ({worse:+.0f} … {better:+.0f})", f"{row['decisions']:,}",
            f"{1000 * row['seconds_per_decision']:.2f}",
        )  # fmt: skip
    out = console()
    out.print(grid)
    print_changes(out, answer)
    for name in dict.fromkeys(lost["player"] for lost in answer["lost"]):
        seats = [lost for lost in answer["lost"] if lost["player"] == name]
        first = f"deal {seats[0]['deal']}, seat {seats[0]['seat']}: it {seats[0]['why']}"
        out.print(
            f"{name} lost its seat, which played on at random, {len(seats)} times; first in {first}", markup=False
        )
    out.print(f"{answer['seconds']:.1f} s")


@app.command()
def ladder(
    game: GameName,
    data: DataFile = None,
    games: Annotated[int, typer.Option(help="number of games per pair of levels")] = 1000,
    seed: Seed = 0,
    cores: Cores = None,
    docs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="save the results in the game's levels.json; rewrite ladder.md and plot"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure each level of a game against the level below."""
    from motherlode.lab import ladder as measuring

    found = find_game(game, data)
    if docs and not docs.is_dir():
        raise Refusal(f"there is no folder {docs}")
    if docs and found.VARIANT:
        raise Refusal(f"{found.TITLE} is a variant: its results are printed, and not saved with those of the game")
    rows: list[levels.Row] = []
    interrupted = False
    with progress_bar(found.TITLE, games * len(levels.names(found))) as advance:
        try:
            rows.extend(measuring.measure(found, games=games, seed=seed, cores=cores, progress=advance))
        except KeyboardInterrupt:
            interrupted = True
    if docs and not interrupted:
        measuring.write(docs, found, rows)
    if as_json:
        print(json.dumps(rows))
    else:
        print_ladder(found, rows)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def print_ladder(found: Game, rows: list[levels.Row]) -> None:
    grid = Grid("level", "bot", "against", "score (95 %)", "games", "ms each", title=found.TITLE)
    for row in rows:
        low, high = row["interval"]
        cells = [row["level"], row["bot"], row["against"], f"{row['score']:.1%} ({100 * low:.0f} … {100 * high:.0f})"]
        grid.add_row(*cells, str(row["games"]), f"{row['milliseconds']:g}")
    console().print(grid)
