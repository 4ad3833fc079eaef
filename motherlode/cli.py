"""The command line: parses, calls, prints. Commands to play, read and serve are here, the others in `cli_*.py`.

Bad input is answered with one sentence and exit status 2. Ctrl-C ends a command with exit status 130; `simulate`,
`match` and `ladder` then print what was played so far.
"""

import os
import sys
from datetime import datetime
from importlib.metadata import version as installed_version
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import typer
from rich.console import Console
from rich.markdown import Markdown
from typer.core import TyperGroup

from motherlode import (
    GAMES,
    admin,
    cli_lab,
    cli_learners,
    cli_puzzles,
    cli_review,
    cli_strength,
    engine,
    sentences,
    sheet,
    text,
)
from motherlode import bots as bot_makers
from motherlode import games as game_loader
from motherlode.bots.function import FunctionFailed
from motherlode.command_line import (
    INTERRUPTED,
    REFUSED,
    DataFile,
    GameName,
    InWords,
    OptionList,
    Seats,
    complete_game,
    console,
    find_game,
    read_options,
)
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.joined_table import JoinedTable
from motherlode.parlour_client import Parlour, is_link
from motherlode.table import Table, read_file
from motherlode.terminal import InputEnded, Quit, TerminalGame, accept_every_encoding, ink, seat_players
from motherlode.text_game import TextGame


def load_games(paths: list[str] | None) -> None:
    for path in paths or []:
        game_loader.load(path)


class Commands(TyperGroup):
    """Says what Typer would pass over in silence: a closed output, and Ctrl-C."""

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
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discards what is still buffered
            raise Refusal("the output was closed before everything was written") from None
        except KeyboardInterrupt:
            print("motherlode: interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        return answer


app = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(admin.app, name="admin")

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
GameOrLink = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        autocompletion=complete_game,
        help=f"one of: {', '.join(GAMES)}; the file or folder of a game; or the link of a table of a parlour",
    ),
]
RecordFile = Annotated[Path, typer.Argument(metavar="RECORD", help="the file of a record")]


def print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"motherlode {installed_version('motherlode')}")
        raise typer.Exit


@app.callback()
def alone(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    game_paths: GamePaths = None,
) -> None:
    """Six gold-rush tabletop games. Without a command: serve the parlour on this machine and open the browser."""
    if context.invoked_subcommand is None:
        serve(browser=True)


@app.command()
def play(
    game: GameOrLink,
    data: DataFile = None,
    seats: Seats = None,
    players: Annotated[
        str | None,
        typer.Option(help="one per seat, comma-separated: me, me:Ann, or a bot: baron, search:400, py:mine:choose, …"),
    ] = None,
    option: OptionList = None,
    seed: Annotated[int | None, typer.Option(help="makes chance and bots repeatable")] = None,
    record: Annotated[Path | None, typer.Option(help="continue this record")] = None,
    save: Annotated[Path | None, typer.Option(help="where to save the record; by default in your data folder")] = None,
    knowledge: Annotated[
        bool | None,
        typer.Option(
            help="show everything you have ever been shown, or only what lies open now; by default as the game has it",
            show_default=False,
        ),
    ] = None,
    words: InWords = False,
    name: Annotated[str | None, typer.Option(help="with a link: what you are called at the table")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="with a link: only watch")] = False,
) -> None:
    """Play a game in the terminal, against bots or other people; or sit down at a table of a parlour by its link."""
    if is_link(game):
        if any((data, seats, players, option, record)) or seed is not None or knowledge is not None:
            raise Refusal(
                "a table that is joined by its link is made already: only --name, --watch and --save go with it"
            )
        JoinedTable(
            Parlour(game), console().file, sys.stdin, new_file=new_record, name=name, only_watch=watch, save=save
        ).play()
        return
    if name or watch:
        raise Refusal("--name and --watch go with the link of a table, such as http://localhost:8000/table/ID")
    found = find_game(game, data)
    seed = None if seed is None else engine.check_seed(seed)
    if record:
        table = Table.load(record, seed=seed)
        if table.game is not found and (data or table.game.SOURCE != found.SOURCE):
            raise Refusal(f"{record} is a game of {table.game.TITLE}, not of {found.TITLE}")
    else:
        table = Table(found, seats, seed=seed, **read_options(found, option))
    names = players.split(",") if players else ["me"] + ["greedy"] * (table.seats - 1)
    seated = seat_players(names, table.seats, table.game)
    warm_up([name for name, player in zip(names, seated, strict=True) if player.bot], table.game)
    sight = table.game.REMEMBERS if knowledge is None else not knowledge
    make_game = TextGame if words else TerminalGame
    terminal_game = make_game(table, seated, console(), sys.stdin, sight=sight)
    table.players = [name.removeprefix("me:") for name in names]
    path = save or new_record(table.game.NAME)
    path.parent.mkdir(parents=True, exist_ok=True)
    resume = f"to continue: motherlode play {table.game.SOURCE} --record {path}"
    try:
        terminal_game.play()
    except (Quit, KeyboardInterrupt):
        terminal_game.console.print(f"\n{resume}")
    except InputEnded as end:
        raise Refusal(f"{end}; {resume}") from None
    except FunctionFailed:
        terminal_game.console.print(f"\n{resume}")
        raise
    finally:
        terminal_game.end()
        table.save(path)
    if table.is_over:
        terminal_game.show_record(path)


def warm_up(names: list[str], game: Game) -> None:
    """Compile what these bots need, and say so: the first time this takes some seconds."""
    for name in names:
        if not bot_makers.is_warm(name, game):
            with Console(stderr=True).status("warming up …"):
                bot_makers.warm(name, game)


def new_record(game: str) -> Path:
    """A new file for a record, named after the time; a number is added if another game has taken the name."""
    folder = Path(platformdirs.user_data_dir("motherlode")) / "records"
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    for number in count(1):
        path = folder / (f"{game}-{now}.txt" if number == 1 else f"{game}-{now}-{number}.txt")
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path
    raise AssertionError("there is always a free name")


@app.command()
def rules(
    game: GameName,
    clause: Annotated[str | None, typer.Argument(help="a single clause, such as GM-3.2 or 3.2")] = None,
    data: DataFile = None,
    language: Annotated[str, typer.Option(help=" or ".join(sheet.LANGUAGES))] = "en",
    rulings: Annotated[
        bool, typer.Option("--rulings", help="list what was decided where the printed rules leave a choice, and why")
    ] = False,
) -> None:
    """Show the rules of a game, one clause of them, or the rulings."""
    found = find_game(game, data)
    if rulings:
        print_rulings(found, clause, language)
    elif clause:
        console().print(sheet.clause(found, clause, language), markup=False)
    elif sys.stdout.isatty():
        console().print(Markdown(sheet.read(found, language)))
    else:
        print(sheet.read(found, language), end="")


def print_rulings(game: Game, clause: str | None, language: str) -> None:
    """One line per ruling: of one clause, or of all."""
    wanted = sheet.full_number(game, clause) if clause else None
    rulings = [*sheet.rulings(game, language), *sheet.rulings(sheet.COMMON, language)]
    listed = [ruling for ruling in rulings if wanted in (None, ruling.clause)]
    if not listed:
        raise Refusal(f"there is no ruling in {wanted}")
    for ruling in listed:
        print(sheet.ruling_line(ruling, language))


@app.command("data")
def print_data(game: GameName, data: DataFile = None) -> None:
    """Print the counts and values of a game as a file to edit.

    With --data a command plays the variant in such a file.
    """
    found = find_game(game, data)
    base = found.NAME.partition("~")[0]
    print(found.DATA.toml(base, found.VARIANT or "mine"), end="")


@app.command()
def replay(
    record: RecordFile,
    seat: Annotated[
        int | None, typer.Option(help="as this seat was told it (-1: the public); by default everything")
    ] = None,
    at: Annotated[int | None, typer.Option(help="stop after this many actions")] = None,
    show: Annotated[bool, typer.Option(help="show the position before every decision")] = False,
) -> None:
    """Check a record action by action, and print its log."""
    played = text.read_record(read_file(record), new_variants=True)
    if at is not None and not 0 <= at <= len(played.actions):
        raise Refusal(f"the record has {len(played.actions)} actions: --at is a number from 0 to that, not {at}")
    if seat is not None and not -1 <= seat < played.seats:
        raise Refusal(f"the record has seats 0 to {played.seats - 1}, and -1 for the public; not {seat}")
    game, s, out = played.game, played.start(), console()
    names = sentences.seat_names(played.seats, played.players)
    for a in played.actions[:at]:
        if show and s.turn >= 0:
            out.print(ink(game, "\n" + game.show(s if seat is None else engine.view(game, s, seat)) + "\n"))
        told = text.tell(game, s, a, seat)
        out.print(f"{text.actor_name(s.turn)} {told.words}", markup=False)
        for event in told.events:
            out.print(f"  → {sentences.event(game, event, names, first=0)}", markup=False)
        game.apply(s, a)
    out.print(ink(game, "\n" + game.show(s if seat is None else engine.view(game, s, seat)) + "\n"))
    is_whole = at is None or at == len(played.actions)
    out.print(text.result(game, s, played.resigned if is_whole else ()))


@app.command()
def verify(
    record: RecordFile,
    seen: Annotated[Path | None, typer.Option(help="what your page saw of the game, as downloaded there")] = None,
) -> None:
    """Check the shuffles and the log of a server's record, also against what you saw of the game."""
    from motherlode import proof
    from motherlode import seen as seeing

    played = text.read_record(read_file(record), new_variants=True)
    verdict = proof.verify(played)
    if not verdict.was_checked:
        raise Refusal(f"{record}: there is nothing to verify: {verdict.words}")
    findings = seeing.check(played, seeing.read(read_file(seen))) if seen else []
    wrong = [finding.words for finding in findings if not finding.is_good]
    if not verdict.is_good or wrong:
        raise Refusal(f"{record} is not genuine: {'; '.join([verdict.words, *wrong])}")
    print("\n".join([verdict.words, *(finding.words for finding in findings)]))


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


for others in (cli_puzzles, cli_lab, cli_strength, cli_review, cli_learners):
    app.registered_commands += others.app.registered_commands


def main() -> None:
    """Run a command; if its input was wrong, say so in one sentence and exit with status 2."""
    accept_every_encoding()
    for reason in game_loader.LEFT_OUT:
        print(f"motherlode: a game is left out: {reason}", file=sys.stderr)
    try:
        app(prog_name="motherlode")
    except Refusal as refusal:
        trace = refusal.trace if isinstance(refusal, FunctionFailed) else ""
        print(f"{trace}motherlode: {refusal}", file=sys.stderr)
    except OSError as error:
        what = f"{error.filename or 'writing'}: {error.strerror}" if error.strerror else str(error)
        print(f"motherlode: {what}", file=sys.stderr)
    else:
        return
    sys.exit(REFUSED)


if __name__ == "__main__":
    main()
