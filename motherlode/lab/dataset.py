"""Decisions as a Parquet file: what the seat to act knew and might do, what it did, and what came of it.

    make(game, path, decisions=1_000_000)   games of bots, whole ones in the order of their numbers
    from_records(game, files, path)         records, without the names of players
    check(path)                             plays all games again and compares every row
    records(path)                           the games as records

Game k of a seed draws chance from `new_rng(seed, k)` by `engine.draw`, as in a `Batch`; where all play at random, so do
the seats, as `Batch.sample` does. A file does not depend on the number of cores. `dataset_file.COLUMNS` says what is in
it.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from motherlode import bots, engine, text
from motherlode.bots import BotSpec
from motherlode.engine import Refusal
from motherlode.envs.episode import Episode
from motherlode.game import Game, new_rng
from motherlode.lab.dataset_check import check, read_facts, records
from motherlode.lab.dataset_file import COLUMNS, Chunk, Chunks, Progress, arrow, replay, write, write_head
from motherlode.lab.dataset_rows import PLAYED, ROWS, Games, Loop, Made
from motherlode.lab.workers import check_numbers, in_processes
from motherlode.table import read_file

__all__ = ["COLUMNS", "check", "from_records", "make", "read_facts", "records", "write_records"]
GAMES_AT_ONCE = 4  # that a process is handed


def random_games(loop: Loop, opening: bytes, head: str, seed: int, decisions: int) -> Chunks:
    """The games of a seed in which every seat plays at random, until there are so many decisions."""
    first = 0
    while decisions > 0:
        drawn, made = loop.draw(opening, seed, first, room=min(loop.room(), 2 * decisions))
        cut(made, decisions)
        played = int(made.reached[PLAYED])
        yield Chunk(loop.game, drawn, made, [head], np.zeros(played, np.int32), seed)
        first += played
        decisions -= int(made.reached[ROWS])


def cut(made: Made, decisions: int) -> None:
    """Leave out the games that begin after so many decisions."""
    if made.reached[ROWS] > decisions:
        last = made.game[decisions - 1]
        made.reached[[PLAYED, ROWS]] = last + 1, np.searchsorted(made.game[: made.reached[ROWS]], last, "right")


def replayed(loop: Loop, played: Iterable[text.Played], seed: int | None) -> Chunks:
    """The rows of games that were played elsewhere; they are numbered as they come."""
    waiting: list[text.Played] = []
    number, entries = 0, 0

    def chunk() -> Chunk:
        written = [write_head(one) for one in waiting]
        heads = list(dict.fromkeys(written))
        which = np.array([heads.index(head) for head in written], np.int32)
        return replay(loop, gather(loop, number, waiting), heads, which, seed)

    for one in played:
        if waiting and entries + len(one.actions) > loop.room():
            yield chunk()
            number, entries = number + len(waiting), 0
            waiting = []
        waiting.append(one)
        entries += len(one.actions)
    if waiting:
        yield chunk()


def gather(loop: Loop, first: int, played: Sequence[text.Played]) -> Games:
    return Games(
        loop.memory.numbers(np.arange(first, first + len(played))),
        loop.memory.records(b"".join(bytes(one.start()) for one in played)),
        loop.memory.numbers([a for one in played for a in one.actions]),
        loop.memory.numbers(np.cumsum([len(one.actions) for one in played])),
    )


def play_games(
    game: Game, opening: bytes, seed: int, players: list[str], first: int, stop: int
) -> list[tuple[list[int], int]]:
    """The logs of games first…stop-1 of bots, and how many decisions each has. Every seat has its own generator."""
    start = game.RECORD.from_buffer_copy(opening)
    chosen = [bots.make(name, game) for name in players]
    found = []
    for stream in range(first, stop):
        episode = Episode(game, start, seed, stream, compiled=False)
        rngs = [new_rng(seed, -1 - (stream * len(players) + seat)) for seat in range(len(players))]
        decisions = 0
        while not episode.is_over:
            table = episode.table()
            episode.do(table.check(chosen[table.turn](table.ask(), rngs[table.turn])))
            decisions += 1
        found.append((episode.log, decisions))
    return found


def bot_games(
    blank: text.Played, opening: bytes, seed: int, players: list[str], decisions: int, cores: int
) -> Iterator[text.Played]:
    """Games 0, 1, … of bots, in processes, until there are so many decisions."""
    play = partial(play_games, blank.game, opening, seed, players)
    tasks = ((first, first + GAMES_AT_ONCE) for first in count(0, GAMES_AT_ONCE))
    with closing(in_processes(play, tasks, cores)) as results:
        for found in results:
            for log, own in found:
                yield blank._replace(actions=log)
                decisions -= own
                if decisions <= 0:
                    return


def make(
    game: Game,
    path: str | Path,
    *,
    decisions: int,
    seats: int | None = None,
    seed: int = 0,
    players: Sequence[str] | None = None,
    options: dict[str, Any] | None = None,
    log: int | None = None,
    with_replay: bool = True,
    cores: int | None = None,
    compiled: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write games of bots, by default random ones, as many as have this number of decisions; return the file's facts.

    Rows have views, or with `log` observations with so many entries of what the seat was told. What is not `compiled`
    gives the same file, slowly.
    """
    arrow()
    if decisions < 1:
        raise Refusal(f"decisions must be 1 or more, not {decisions}")
    check_numbers(1, seed, cores)
    opening = engine.start(game, seats, **engine.check_new_options(game, options or {}))
    names = ["random"] * opening.seats if players is None else list(players)
    if len(names) != opening.seats:
        raise Refusal(f"{opening.seats} seats need {opening.seats} bots, not {len(names)}: {', '.join(names)}")
    for name in names:
        spec = BotSpec.parse(name, game)
        if spec.kind == "program":
            raise Refusal(f"bots from outside play in a match, not here: {name}")
        spec.warm(game)
    loop = Loop(game, log, is_compiled=compiled)
    blank = text.Played(game, int(opening.seats), engine.options_of(game, opening), [])
    if set(names) == {"random"}:
        chunks = random_games(loop, bytes(opening), write_head(blank), seed, decisions)
    else:
        workers = cores or os.cpu_count() or 1
        chunks = replayed(loop, bot_games(blank, bytes(opening), seed, names, decisions, workers), seed)
    facts = {"bots": names, "seed": seed if with_replay else None}
    return write(loop, Path(path), chunks, facts, replay=with_replay, progress=progress)


def from_records(
    game: Game,
    files: Iterable[str | Path],
    path: str | Path,
    *,
    log: int | None = None,
    with_replay: bool = True,
    compiled: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the games of records, of files or all files in folders; return the file's facts.

    Records of other games, and those without a decision, are left out; `left_out` says how many.
    """
    arrow()
    found = [one for named in map(Path, files) for one in (sorted(named.iterdir()) if named.is_dir() else [named])]
    left_out: list[Path] = []

    def read() -> Iterator[text.Played]:
        for file in found:
            try:
                played = text.read_record(read_file(file), new_variants=True)
            except Refusal as refusal:
                raise Refusal(f"{file}: {refusal}") from None
            if played.game is game and has_decision(played):
                yield played
            else:
                left_out.append(file)

    loop = Loop(game, log, is_compiled=compiled)
    chunks = replayed(loop, read(), None)
    facts = write(loop, Path(path), chunks, {"bots": None, "seed": None}, replay=with_replay, progress=progress)
    return {**facts, "left_out": len(left_out)}


def has_decision(played: text.Played) -> bool:
    s = played.start()
    for a in played.actions:
        if s.turn >= 0:
            return True
        played.game.apply(s, a)
    return False


def write_records(path: str | Path, folder: str | Path) -> int:
    """Write every game of a dataset into a file of a new folder, as a record; return how many there are."""
    folder = Path(folder)
    if folder.exists():
        raise Refusal(f"{folder} is there already: records are written into a new folder")
    half = folder.with_name(folder.name + ".part")
    half.mkdir()
    number = -1
    try:
        for number, played in enumerate(records(path)):
            file = half / f"{played.game.NAME}-{number:06}.txt"
            file.write_text(text.write_record(played), encoding="utf-8")
        half.rename(folder)
    except BaseException:
        shutil.rmtree(half)
        raise
    return number + 1
