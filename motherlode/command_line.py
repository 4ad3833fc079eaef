"""What commands share: their arguments, games by name, and how they print."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import Progress

from motherlode import GAMES, engine
from motherlode import games as game_loader
from motherlode.data import write as write_value
from motherlode.engine import Refusal
from motherlode.game import Game

REFUSED, INTERRUPTED = 2, 130  # exit status


T = TypeVar("T")


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
        "--data",
        metavar="FILE",
        help="the variant in this file of values (`motherlode data GAME` writes one), or one that comes with the game",
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


class Screen(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # rich would exit with status 1 and no message


def console() -> Console:
    return Screen(highlight=False, soft_wrap=True)


def find_game(name: str, data: Path | None = None) -> Game:
    """The game that the argument GAME names, or the game in this file or folder; with --data, a variant of it."""
    game = game_loader.load(name)
    return game_loader.load_values(data, game) if data else game


InWords = Annotated[bool, typer.Option("--text", help="in words alone, one line per event: for screen readers")]


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


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on the terminal, if there is one; call what it yields with every number of games played."""
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.advance(task, done)


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
