"""The command line: parses, calls, prints.

Bad input is answered with one sentence and exit status 2. Ctrl-C ends a command with exit status 130; `simulate`,
`match` and `ladder` then print what was played so far.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version as installed_version
from itertools import count
from pathlib import Path
from typing import Annotated, Any, TypeVar

import platformdirs
import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import Progress
from rich.table import Table as Grid
from typer.core import TyperGroup

from motherlode import GAMES, admin, engine, sentences, sheet, text
from motherlode import bots as bot_makers
from motherlode import games as game_loader
from motherlode.bots import levels
from motherlode.bots.function import FunctionFailed
from motherlode.data import write as write_value
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.table import Table, read_file
from motherlode.terminal import InputEnded, Quit, TerminalGame, accept_every_encoding, ink, seat_players

REFUSED, INTERRUPTED = 2, 130  # exit status
T = TypeVar("T")


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


def complete_game(start: str) -> list[str]:
    return [name for name in GAMES if name.startswith(start)]


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        autocompletion=complete_game,
        help=f"one of: {', '.join(GAMES)}; or the file or folder of a game",
    ),
]
DataFile = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="FILE", help="the variant in this file of values; `motherlode data GAME` writes one"
    ),
]
Seats = Annotated[int | None, typer.Option(help="number of players; by default the game's smallest")]
Seed = Annotated[int, typer.Option(help="the same seed gives the same result")]
OptionList = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="an option of the game; repeatable"),
]
Cores = Annotated[int | None, typer.Option(help="number of cores to use; by default all")]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON instead of a table")]
RecordFile = Annotated[Path, typer.Argument(metavar="RECORD", help="the file of a record")]


class Screen(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # rich would exit with status 1 and no message


def console() -> Console:
    return Screen(highlight=False, soft_wrap=True)


def find_game(name: str, data: Path | None = None) -> Game:
    """The game that the argument GAME names, or the game in this file or folder; with --data, a variant of it."""
    game = game_loader.load(name)
    return game_loader.load_values(data, game) if data else game


def in_background(work: Callable[[], T]) -> T:
    """Do compiled work in a thread: the main thread only waits, and so answers Ctrl-C at once."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised again where the result is waited for
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done.result()


def read_options(game: Game, pairs: list[str] | None) -> dict[str, Any]:
    """The options of a new game."""
    options = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise Refusal(f"an option is written NAME=VALUE, not {pair!r}")
        options[name] = value
    return engine.check_new_options(game, options)


@app.command()
def play(
    game: GameName,
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
) -> None:
    """Play a game in the terminal, against bots or other people."""
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
    terminal_game = TerminalGame(table, seated, console(), sys.stdin, sight=sight)
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
    else:
        terminal_game.console.print(f"the record: {path}")
    finally:
        terminal_game.end()
        table.save(path)


def warm_up(names: list[str], game: Game) -> None:
    """Compile what these bots need, and say so: the first time this takes some seconds."""
    for name in names:
        if not bot_makers.is_warm(name, game):
            with Console(stderr=True).status("warming up …"):
                bot_makers.warm(name, game)


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on the terminal, if there is one; call what it yields with every number of games played."""
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.advance(task, done)


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


def title_of(answer: dict[str, Any]) -> str:
    """What was played; and whether it ended before its time."""
    options = ", ".join(f"{name}={value}" for name, value in answer["options"].items())
    title = f"{answer['games']} games of {answer['game']}" + (f" ({options})" if options else "")
    title += ", stopped: decided" if answer.get("stopped") else ""
    return title + (", interrupted" if answer["interrupted"] else "")


def print_changes(out: Console, answer: dict[str, Any]) -> None:
    """The values in which a variant differs from its game."""
    for name, value in answer["data"].items():
        out.print(f"{name} = {write_value(value)}", markup=False)


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
            help="games, envs (for learners), server (under load), page (in Chromium), or openspiel (matches)",
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
    elif what == "games":
        answer = benchmark.run(chosen, say)
        table = benchmark.table(answer)
    else:
        raise Refusal(f"games, envs, server, page or openspiel can be measured, not {what!r}")
    if write:
        benchmark.write(write, load_test.marker(answer) if what == "server" else what, table)
    print(json.dumps(answer, indent=1) if as_json else table)


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
