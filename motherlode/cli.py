"""The command line: parses, calls, prints. Bad input is one sentence and exit status 2."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import Progress
from rich.table import Table as Grid
from typer.core import TyperGroup

from motherlode import GAMES, engine, sheet, text
from motherlode import bots as bot_makers
from motherlode import games as game_loader
from motherlode.bots import levels
from motherlode.engine import Refusal
from motherlode.table import Table, read_file
from motherlode.terminal import InputEnded, Quit, Sitting, ink, seat_players


def load_games(paths: list[str] | None) -> None:
    for path in paths or []:
        game_loader.load(path)


def game_name(source: str) -> str:
    return game_loader.load(source).NAME


class Commands(TyperGroup):
    """The commands. A closed output, at which Typer exits with status 1 and no word, is bad input like any other."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command, which takes the option --game as well."""
        command = super().get_command(ctx, cmd_name)
        option = next(option for option in self.params if option.name == "game_paths")
        if command and option not in command.params:
            command.params.append(option)
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered goes nowhere
            raise Refusal("the output was closed before all of it was written") from None
        return answer


app = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


GamePaths = Annotated[
    list[str] | None,
    typer.Option(
        "--game",
        metavar="PATH",
        help="also load the game in this file or folder",
        callback=load_games,
        expose_value=False,
        is_eager=True,  # the games are there when a command reads its other arguments
    ),
]


@app.callback()
def alone(context: typer.Context, game_paths: GamePaths = None) -> None:
    """Six gold-rush tabletop games. Without a command: serve the parlour on this machine and open the browser."""
    if context.invoked_subcommand is None:
        serve(browser=True)


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME", callback=game_name, help=f"one of: {', '.join(GAMES)}; or the file or folder of a game"
    ),
]
Seats = Annotated[int | None, typer.Option(help="number of players; the game's smallest if not given")]
Seed = Annotated[int | None, typer.Option(help="makes chance and bots repeatable")]
OptionList = Annotated[
    list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="an option of the game")
]
AsJson = Annotated[bool, typer.Option("--json", help="one JSON object")]
RecordFile = Annotated[Path, typer.Argument(metavar="RECORD", help="a record's file")]


class Screen(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # rich would leave with status 1 and no word


def console() -> Console:
    return Screen(highlight=False, soft_wrap=True)


def read_options(pairs: list[str] | None) -> dict[str, Any]:
    options = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise Refusal(f"an option is written name=value, not {pair!r}")
        options[name] = value
    return options


@app.command()
def play(
    game: GameName,
    seats: Seats = None,
    players: Annotated[
        str | None,
        typer.Option(help="one a seat: me (or me:Ann) at this keyboard, or a bot: greenhorn … baron, search:400"),
    ] = None,
    option: OptionList = None,
    seed: Seed = None,
    record: Annotated[Path | None, typer.Option(help="go on from this record")] = None,
    save: Annotated[Path | None, typer.Option(help="where to keep the record; else your own folder of records")] = None,
    knowledge: Annotated[
        bool, typer.Option(help="show all you were ever shown, also what you should remember")
    ] = False,
) -> None:
    """Play a whole game in the terminal, against bots or with others at the same keyboard."""
    if record:
        table = Table.load(record, seed=seed)
        if table.game is not text.find_game(game):
            raise Refusal(f"{record} is a game of {table.game.TITLE}, not of {text.find_game(game).TITLE}")
    else:
        table = Table(text.find_game(game), seats, seed=seed, **read_options(option))
    names = players.split(",") if players else ["me"] + ["greedy"] * (table.seats - 1)
    seated = seat_players(names, table.seats, table.game)
    warm_up([name for name, player in zip(names, seated, strict=True) if player.bot], table.game)
    sitting = Sitting(table, seated, console(), sys.stdin, sight=not knowledge)
    table.players = [name.removeprefix("me:") for name in names]
    path = save or new_record_path(table.game.NAME)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        sitting.play()
    except (Quit, KeyboardInterrupt):
        sitting.console.print(f"\nto go on: motherlode play {table.game.SOURCE} --record {path}")
    except InputEnded as end:
        raise Refusal(f"{end}; to go on: motherlode play {table.game.SOURCE} --record {path}") from None
    else:
        sitting.console.print(f"the record: {path}")
    finally:
        table.save(path)


def warm_up(names: list[str], game: Any) -> None:
    """Compile what these bots need, and say so: the first time takes some seconds."""
    for name in names:
        if not bot_makers.is_warm(name, game):
            with Console(stderr=True).status("warming up …"):
                bot_makers.warm(name, game)


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal, if there is one; what it gives is told of every so much that is done."""
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.advance(task, done)


def new_record_path(game: str) -> Path:
    now = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    return Path(platformdirs.user_data_dir("motherlode")) / "records" / f"{game}-{now}.txt"


@app.command()
def rules(
    game: GameName,
    clause: Annotated[str | None, typer.Argument(help="one clause, as GM-3.2 or 3.2")] = None,
    language: Annotated[str, typer.Option(help=" or ".join(sheet.LANGUAGES))] = "en",
) -> None:
    """The rules of a game, or one clause of them."""
    found = text.find_game(game)
    if clause:
        console().print(sheet.clause(found, clause, language), markup=False)
    elif sys.stdout.isatty():
        console().print(Markdown(sheet.read(found, language)))
    else:
        print(sheet.read(found, language), end="")


@app.command()
def simulate(
    game: GameName,
    seats: Seats = None,
    games: Annotated[int, typer.Option(help="how many games")] = 1000,
    seed: Annotated[int, typer.Option(help="the same seed gives the same answer")] = 0,
    bots: Annotated[str | None, typer.Option(help="one a seat: random,greedy")] = None,
    option: OptionList = None,
    cores: Annotated[int | None, typer.Option(help="how many cores to use; all if not given")] = None,
    as_json: AsJson = False,
) -> None:
    """Play many games and sum them up: points, wins, decisions, speed."""
    from motherlode.lab.simulate import simulate as run

    found = text.find_game(game)
    with progress_bar(found.TITLE, games) as advance:
        answer = run(
            found,
            seats=seats,
            games=games,
            seed=seed,
            players=bots.split(",") if bots else None,
            options=read_options(option),
            cores=cores,
            progress=advance,
        )
    if as_json:
        print(json.dumps(answer))
    else:
        print_simulation(answer)


def print_simulation(answer: dict[str, Any]) -> None:
    options = ", ".join(f"{name}={value}" for name, value in answer["options"].items())
    grid = Grid(
        "seat", "bot", "points", "± sd", "wins", title=f"{answer['games']} games of {answer['game']} ({options})"
    )
    for seat in range(answer["seats"]):
        points, deviation, won = (answer[key][seat] for key in ("mean_points", "sd_points", "win_share"))
        grid.add_row(str(seat), answer["bots"][seat], f"{points:.2f}", f"{deviation:.2f}", f"{won:.1%}")
    out = console()
    out.print(grid)
    mean, deviation = answer["mean_decisions"], answer["sd_decisions"]
    out.print(f"{mean:.1f} ± {deviation:.1f} decisions a game, {answer['decisions_per_second']:,.0f} a second")


@app.command()
def match(
    game: GameName,
    bots: Annotated[str, typer.Option(help="one a seat, parted by commas: baron,search:400 or cmd:./mine,greedy")],
    games: Annotated[int, typer.Option(help="how many games; whole deals are played, each from every seat")] = 100,
    seed: Annotated[int, typer.Option(help="the same seed gives the same answer")] = 0,
    option: OptionList = None,
    cores: Annotated[int | None, typer.Option(help="how many cores to use; all if not given")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FOLDER", help="keep every game's record here")] = None,
    stop: Annotated[bool, typer.Option("--stop", help="stop as soon as it is decided who is best")] = False,
    limit: Annotated[float, typer.Option(help="seconds a bot from outside may take for an answer")] = bot_makers.LIMIT,
    as_json: AsJson = False,
) -> None:
    """Bots against each other: every deal from every seat, with win shares, points and Elo."""
    from motherlode.lab.match import match as run

    found, players = text.find_game(game), bots.split(",")
    with progress_bar(found.TITLE, games) as advance:
        answer = run(
            found, players, games=games, seed=seed, options=read_options(option), cores=cores, save=save, stop=stop,
            limit=limit, progress=advance,
        )  # fmt: skip
    if as_json:
        print(json.dumps(answer))
    else:
        print_match(answer)


def print_match(answer: dict[str, Any]) -> None:
    options = ", ".join(f"{name}={value}" for name, value in answer["options"].items())
    title = f"{answer['games']} games of {answer['game']} ({options})" + answer["stopped"] * ", stopped: decided"
    grid = Grid("bot", "wins (95 %)", "points", "Elo (95 %)", "decisions", "ms each", title=title)
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
    for name in dict.fromkeys(lost["player"] for lost in answer["lost"]):
        seats = [lost for lost in answer["lost"] if lost["player"] == name]
        first = f"deal {seats[0]['deal']}, seat {seats[0]['seat']}: it {seats[0]['why']}"
        out.print(f"{name} lost its seat, which went on at random, {len(seats)} times; first in {first}", markup=False)
    out.print(f"{answer['seconds']:.1f} s")


@app.command()
def ladder(
    game: GameName,
    games: Annotated[int, typer.Option(help="how many games for each pair of levels")] = 1000,
    seed: Annotated[int, typer.Option(help="the same seed gives the same answer")] = 0,
    cores: Annotated[int | None, typer.Option(help="how many cores to use; all if not given")] = None,
    docs: Annotated[Path, typer.Option(metavar="FOLDER", help="where ladder.md and ladder.svg are written")] = Path(
        "docs"
    ),
    as_json: AsJson = False,
) -> None:
    """Measure each level of a game against the one below, and write the docs' table and plot."""
    from motherlode.lab import ladder as measuring

    found = text.find_game(game)
    if not docs.is_dir():
        raise Refusal(f"there is no folder {docs}: run this in the project's folder, or name one with --docs")
    with progress_bar(found.TITLE, games * len(levels.names(found))) as advance:
        rows = list(measuring.measure(found, games=games, seed=seed, cores=cores, progress=advance))
    measuring.write(docs, found, rows)
    if as_json:
        print(json.dumps(rows))
        return
    grid = Grid("level", "bot", "against", "score (95 %)", "games", "ms each", title=found.TITLE)
    for row in rows:
        low, high = row["interval"]
        cells = [row["level"], row["bot"], row["against"], f"{row['score']:.1%} ({100 * low:.0f} … {100 * high:.0f})"]
        grid.add_row(*cells, str(row["games"]), f"{row['milliseconds']:g}")
    console().print(grid)


@app.command()
def replay(
    record: RecordFile,
    seat: Annotated[
        int | None, typer.Option(help="as this seat was told it (-1: the public); everything if not given")
    ] = None,
    at: Annotated[int | None, typer.Option(help="stop after so many actions")] = None,
    show: Annotated[bool, typer.Option(help="draw the position before every decision")] = False,
) -> None:
    """Check a record action by action and tell it again."""
    played = text.read_record(read_file(record))
    if at is not None and not 0 <= at <= len(played.actions):
        raise Refusal(f"the record has {len(played.actions)} actions; --at {at} is not among them")
    if seat is not None and not -1 <= seat < played.seats:
        raise Refusal(f"the record has seats 0 to {played.seats - 1}, and -1 for the public; not {seat}")
    game, s, out = played.game, played.start(), console()
    for a in played.actions[:at]:
        if show and s.turn >= 0:
            out.print(ink(game, "\n" + game.show(s if seat is None else engine.view(game, s, seat)) + "\n"))
        out.print(f"{text.actor_name(s.turn)} {text.tell(game, s, a, seat)}", markup=False)
        game.apply(s, a)
    out.print(ink(game, "\n" + game.show(s if seat is None else engine.view(game, s, seat)) + "\n"))
    out.print(text.result(game, s))


@app.command()
def verify(record: RecordFile) -> None:
    """Check a record of a table server: the shuffles follow from its secret, and nothing was changed."""
    from motherlode import proof

    verdict = proof.verify(text.read_record(read_file(record)))
    if not verdict.is_good:
        raise Refusal(f"{record} does not hold: {verdict.words}")
    print(verdict.words)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="the address to listen on; 0.0.0.0 for everybody")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8000,
    database: Annotated[
        str | None,
        typer.Option(help="sqlite:///FILE or postgresql://…; MOTHERLODE_DATABASE or a file of your own if not given"),
    ] = None,
    workers: Annotated[int, typer.Option(help="processes, on one PostgreSQL")] = 1,
    browser: Annotated[bool, typer.Option(help="open the browser")] = False,
) -> None:
    """Serve the parlour: tables, bots and pages, until Ctrl-C."""
    from motherlode.server import serve as server

    server.run(host, port, database, workers, browser=browser)


@app.command()
def perft(
    game: GameName,
    depth: Annotated[int, typer.Option(help="how many actions deep")] = 2,
    position: Annotated[str | None, typer.Option(help="a position as text; the opening if not given")] = None,
    seats: Seats = None,
    option: OptionList = None,
    as_json: AsJson = False,
) -> None:
    """Count the sequences of actions, chance's included, under each first one: a check of the rules."""
    found = text.find_game(game)
    if depth < 0:
        raise Refusal(f"depth must be 0 or more, not {depth}")
    if position:
        named, s = text.read_position(position)
        if named is not found:
            raise Refusal(f"the position is one of {named.TITLE}, not of {found.TITLE}")
        for what, is_now, always in found.sums(s):
            if is_now != always:
                raise Refusal(f"that position cannot be: {what} are {is_now} and always {always}")
    else:
        s = engine.start(found, seats, **read_options(option))
    from motherlode.compiled import perft as count

    under = count(found, s, depth)
    if as_json:
        print(json.dumps({text.name(found, s, a): n for a, n in under.items()}))
        return
    for a, n in under.items():
        print(f"{text.name(found, s, a)}: {n}")
    print(f"all: {sum(under.values()) if depth else 1}")


@app.command()
def bench(
    what: Annotated[
        str, typer.Argument(metavar="[WHAT]", help="games, server (one under load), or openspiel: matches against it")
    ] = "games",
    as_json: AsJson = False,
    games: Annotated[str | None, typer.Option(help="only these, parted by commas")] = None,
    tables: Annotated[int, typer.Option(min=1, help="of the server, four sockets at each")] = 500,
    rate: Annotated[float, typer.Option(min=1, help="actions a second at the server's tables")] = 300,
    seconds: Annotated[float, typer.Option(min=1, help="how long they are played")] = 30,
    bots: Annotated[int, typer.Option(min=0, help="then again, beside so many of the strongest bots that think")] = 0,
) -> None:
    """Measure the speed of everything, beside OpenSpiel's where it is installed; a server under load; or strength."""

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    if what == "server":
        from motherlode.server import load_test

        answer = load_test.run(say, tables, rate, seconds, bots)
        print(json.dumps(answer, indent=1) if as_json else load_test.table(answer))
        return
    chosen = [text.find_game(name) for name in (games.split(",") if games else GAMES)]
    if what == "openspiel":
        from motherlode.lab import openspiel

        rows = openspiel.run(chosen, say)
        print(json.dumps(rows, indent=1) if as_json else openspiel.table(rows))
        return
    if what != "games":
        raise Refusal(f"games, server or openspiel can be measured, not {what!r}")
    from motherlode.lab import bench as benchmark

    answer = benchmark.run(chosen, say)
    print(json.dumps(answer, indent=1) if as_json else benchmark.table(answer))


def main() -> None:
    """Run a command; whatever was wrong with the input, say it in a sentence and exit with 2."""
    for reason in game_loader.LEFT_OUT:
        print(f"motherlode: a game is left out: {reason}", file=sys.stderr)
    try:
        app()
    except Refusal as refusal:
        print(f"motherlode: {refusal}", file=sys.stderr)
    except OSError as error:
        print(f"motherlode: {error.filename or 'writing'}: {error.strerror}", file=sys.stderr)
    else:
        return
    sys.exit(2)


if __name__ == "__main__":
    main()
