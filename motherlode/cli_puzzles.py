"""Commands about puzzles: to solve them, and to look for new ones."""

import os
import shlex
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from motherlode import puzzles as kept
from motherlode.command_line import (
    INTERRUPTED,
    Cores,
    GameName,
    InWords,
    Seed,
    complete_game,
    console,
    find_game,
    progress_bar,
)
from motherlode.engine import Refusal
from motherlode.puzzle_terminal import PuzzleTerminal, today
from motherlode.puzzles import Puzzle
from motherlode.text_puzzle import TextPuzzle

app = typer.Typer()
TODAY = "today"


Id = Annotated[str | None, typer.Option("--id", metavar="ID", help="this puzzle, named by its game and its number")]
Day = Annotated[str | None, typer.Option(metavar="DATE", help=f"the puzzle of a day: 2026-11-18, or {TODAY}")]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="write them there; by default they are printed")]
MaybeGame = Annotated[
    str | None,
    typer.Argument(metavar="GAME", autocompletion=complete_game, help="the game: its easiest puzzle comes first"),
]


@app.command()
def puzzle(game: MaybeGame = None, puzzle_id: Id = None, day: Day = None, words: InWords = False) -> None:
    """Solve puzzles: find the best action, from what the seat to act knows."""
    make = TextPuzzle if words else PuzzleTerminal
    make(choose(game, puzzle_id, day), console()).play(sys.stdin)


def choose(game: str | None, puzzle_id: str | None, day: str | None) -> Puzzle:
    """The puzzle that is asked for."""
    found = find_game(game) if game else None
    if puzzle_id and day:
        raise Refusal("give either --id or --day: both choose the puzzle")
    if puzzle_id:
        chosen = kept.find(puzzle_id)
    elif day:
        chosen = kept.of_the_day(read_day(day))[1]
    elif found:
        chosen = kept.some_of(found)[0]
    else:
        raise Refusal(f"name a game, or give --id ID or --day {TODAY}: motherlode puzzle --help says more")
    if found not in (None, chosen.game):
        raise Refusal(f"{chosen.id} is a puzzle of {chosen.game.TITLE}, not of {found.TITLE}: leave the game out")
    return chosen


def read_day(word: str) -> date:
    if word == TODAY:
        return today()
    try:
        return date.fromisoformat(word)
    except ValueError:
        raise Refusal(f"a day is written as 2026-11-18, or it is {TODAY}, not {word[:80]!r}") from None


@app.command()
def puzzles(
    game: GameName,
    games: Annotated[int, typer.Option(help="look through at most so many games")] = 1000,
    seed: Seed = 0,
    count: Annotated[int, typer.Option(min=1, help="stop after so many puzzles")] = 100,
    cores: Cores = None,
    out: Out = None,
    rate: Annotated[
        bool, typer.Option("--rate", help="look for none: let levels that are new try those that the game brings")
    ] = False,
) -> None:
    """Look for puzzles in games between strong players. Ctrl-C ends the search and keeps those found so far."""
    from motherlode.lab import puzzles as lab
    from motherlode.lab.workers import check_numbers

    found = find_game(game)
    check_numbers(games, seed, cores)
    if rate:
        brought, rated = kept.brought_by(found), []
        lab.warm(found)
        with progress_bar(f"puzzles of {found.TITLE}", len(brought.puzzles)) as advance:
            for one in brought.puzzles:
                rated.append(lab.rated_by_all(one, seed))
                advance(1)
        put(kept.write(brought.made, rated), out)
        return
    cores = cores or os.cpu_count() or 1
    with progress_bar(f"puzzles of {found.TITLE}", count) as advance:
        mined = lab.mine(found, games=games, seed=seed, count=count, cores=cores, progress=advance)
    command = f"motherlode puzzles {shlex.quote(game)} --games {mined.games} --seed {seed} --count {count}"
    made = kept.Made(command, version("motherlode"), found.RULES, today().isoformat(), lab.JUDGED)
    put(kept.write(made, mined.puzzles), out)
    proved = sum(one.proof == "proved" for one in mined.puzzles)
    said = f"{len(mined.puzzles)} puzzles in {mined.games} games, {proved} of them proved"
    print(said + (", interrupted" if mined.interrupted else ""), file=sys.stderr)
    if mined.interrupted:
        raise typer.Exit(INTERRUPTED)


def put(content: str, out: Path | None) -> None:
    """Write into a file, or print."""
    if out:
        out.write_text(content, "utf-8")
    else:
        print(content, end="")
