"""Commands for learners: what they are given, datasets, and training."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid

from motherlode.command_line import (
    AsJson,
    Cores,
    DataFile,
    GameName,
    OptionList,
    Seats,
    Seed,
    console,
    find_game,
    progress_bar,
    read_options,
)
from motherlode.engine import Refusal

app = typer.Typer()


@app.command()
def observe(
    game: GameName,
    data: DataFile = None,
    log: Annotated[int, typer.Option(help="with this many entries of what the seat was told, the latest first")] = 0,
    columns: Annotated[bool, typer.Option("--columns", help="name every column")] = False,
    as_json: AsJson = False,
) -> None:
    """What a learner is given: the columns of an observation, and what they mean.

    Seats and what belongs to them are counted from the seat that observes, except for the observer itself.
    """
    from motherlode.envs.observation import layout

    found = layout(find_game(game, data), log)
    rows = [(f.columns, f.kind, f.field.name, f.field.meaning) for f in found.features]
    for back in range(log):
        first = found.knowledge + back * found.entry
        meaning = "who acted, what the seat was told of it, and what it was shown"
        rows.append((range(first, first + found.entry), "entry", f"log[{back}]", meaning))
    if found.size > found.filled:
        rows.append((range(found.filled, found.size), "filling", "", "zeros, up to a multiple of eight columns"))
    if as_json:
        features = [
            {"name": name, "kind": kind, "first": cells.start, "columns": len(cells), "meaning": meaning}
            for cells, kind, name, meaning in rows
        ]
        print(json.dumps({"game": found.game.NAME, "size": found.size, "features": features, "columns": found.names()}))
    elif columns:
        print("\n".join(f"{at} {name}" for at, name in enumerate(found.names())))
    else:
        grid = Grid("columns", "kind", "field", "meaning", title=f"{found.game.TITLE}: {found.size} columns")
        for cells, kind, name, meaning in rows:
            grid.add_row(f"{cells.start}–{cells.stop - 1}" if len(cells) > 1 else str(cells.start), kind, name, meaning)
        console().print(grid)


@app.command()
def dataset(
    what: Annotated[str, typer.Argument(metavar="GAME|FILE", help="the game to be written, or a dataset to be read")],
    data: DataFile = None,
    seats: Seats = None,
    bots: Annotated[
        str | None, typer.Option(help="one per seat, comma-separated, as in `simulate`; by default all random")
    ] = None,
    decisions: Annotated[
        int | None, typer.Option(help="number of decisions, made up to whole games", show_default="100000")
    ] = None,
    records: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="instead of bots' games, those of this record or folder; repeatable"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", help="the file to write; of a dataset, a new folder for its records")
    ] = None,
    observation: Annotated[bool, typer.Option("--observation", help="rows have observations instead of views")] = False,
    log: Annotated[
        int | None, typer.Option(help="observations with this many entries of what the seat was told")
    ] = None,
    option: OptionList = None,
    seed: Seed = 0,
    cores: Cores = None,
    without_replay: Annotated[
        bool, typer.Option("--without-replay", help="leave out what a learner may not know; then nothing replays")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="play a dataset again and compare every row")] = False,
) -> None:
    """Write decisions as a Parquet file, from games of bots or from records; or check such a file, or read it back.

    Prints what the file says of itself.
    """
    from motherlode.lab import dataset as work

    if what.endswith(".parquet"):
        given = (data, seats, bots, decisions, records, log, option, observation, without_replay)
        if any(given):
            raise Refusal(f"{what} is a dataset: it can be read with --check, or with --out FOLDER as records")
        facts = work.check(what) if check else work.read_facts(what)
        if out:
            facts["records"] = work.write_records(what, out)
        print(json.dumps(facts))
        return
    if check:
        raise Refusal(f"--check reads a dataset, a file whose name ends in .parquet, not {what}")
    if out is None or out.suffix != ".parquet":
        raise Refusal(f"--out says where the dataset goes: a file whose name ends in .parquet, not {out}")
    found, entries = find_game(what, data), 0 if log is None and observation else log
    if records:
        if seats or bots or decisions or option:
            raise Refusal("records have their own seats, options and players: leave out what is for bots")
        print(json.dumps(work.from_records(found, records, out, log=entries, with_replay=not without_replay)))
        return
    wanted = 100_000 if decisions is None else decisions
    with progress_bar(found.TITLE, wanted) as advance:
        facts = work.make(
            found, out, decisions=wanted, seats=seats, seed=seed, players=bots.split(",") if bots else None,
            options=read_options(found, option), log=entries, with_replay=not without_replay, cores=cores,
            progress=advance,
        )  # fmt: skip
    print(json.dumps(facts))


@app.command()
def train(
    game: GameName,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="where the network is trained; one that is there is gone on with")
    ],
    data: DataFile = None,
    decisions: Annotated[int, typer.Option(help="number of decisions to learn from, with those made before")] = 10**7,
    minutes: Annotated[float | None, typer.Option(help="stop after so many minutes, if that is sooner")] = None,
    seats: Annotated[int | None, typer.Option(help="only this number of players; by default all of them")] = None,
    option: OptionList = None,
    seed: Seed = 0,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="a setting, as in `motherlode.train.settings`; repeatable"),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="BOT", help="do not train, but measure what was trained against this bot")
    ] = None,
    games: Annotated[int, typer.Option(help="number of games for each measurement")] = 200,
    cores: Cores = None,
) -> None:
    """Train a network by playing a game against itself; then measure it with --against. Needs `motherlode[train]`.

    The bot policy:FOLDER/policy.npz plays as the network says. Prints the card of the network, or what was measured.
    """
    found = find_game(game, data)

    def tell(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    if against:
        from motherlode.train.strength import measure

        print(json.dumps(measure(found, out, against, games=games, seed=seed, cores=cores, tell=tell)))
        return
    from motherlode.train.settings import read_settings

    chosen = read_options(found, option)
    given = {pair.partition("=")[0]: chosen[pair.partition("=")[0]] for pair in option or []}
    settings = read_settings(found, setting or [])
    try:
        from motherlode.train.run import Wanted
        from motherlode.train.run import train as work
    except ImportError as missing:
        raise Refusal(f"training needs JAX: pip install motherlode[train] ({missing})") from None
    print(json.dumps(work(found, settings, out, Wanted(decisions, minutes, seed, device, seats, given), tell)))


@app.command()
def values(
    game: GameName,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="where games are kept, and the network is written")],
    bots: Annotated[str, typer.Option(help="who plays, comma-separated; drawn anew for every seat of every game")],
    games: Annotated[int, typer.Option(help="number of games, with those that the folder has")] = 10_000,
    width: Annotated[int, typer.Option(help="units of a layer")] = 192,
    epochs: Annotated[int, typer.Option(help="how often all positions are learned from")] = 6,
    seed: Seed = 0,
    cores: Cores = None,
) -> None:
    """Train the network that judges finished games, on games of bots. Needs `motherlode[train]`.

    Plays the games, of which it keeps the logs, and writes values.npz and its card values.json, which it prints.
    """
    from motherlode.train import games as playing

    found = find_game(game)
    try:
        from motherlode.train import values as learning
    except ImportError as missing:
        raise Refusal(f"training needs JAX: pip install motherlode[train] ({missing})") from None

    def tell(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    out.mkdir(parents=True, exist_ok=True)
    with progress_bar(found.TITLE, games) as advance:
        before = 0
        for done in playing.write(found, bots.split(","), out, games=games, seed=seed, cores=cores or 1):
            advance(done - before)
            before = done
    print(json.dumps(learning.train(found, out, width=width, epochs=epochs, seed=seed, tell=tell)))
