"""Games of bots, kept as their logs, from which values are learned (`train.values`)."""

import json
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from motherlode import bots, engine
from motherlode.engine import Refusal
from motherlode.game import Game, Record, Rng, below, new_rng
from motherlode.lab.workers import in_processes
from motherlode.table import Bot, Table
from motherlode.train.settings import other_tables

FILE = "games.jsonl"
CHUNK = 8  # games that are handed out at a time
RANDOM = 20  # one of so many decisions is made at random, so that odd positions are seen too


class Played(NamedTuple):
    """A finished game."""

    seats: int
    options: dict[str, Any]
    log: list[int]

    def positions(self, game: Game) -> list[Record]:
        """All positions, from the opening to the end."""
        found = [engine.start(game, self.seats, **self.options)]
        for a in self.log:
            found.append(engine.after(game, found[-1], a))
        return found


def play(game: Game, players: list[str], seed: int, first: int, stop: int) -> list[Played]:
    """Games first…stop-1 of a seed, each with bots that are drawn from `players`.

    Half of them have the fewest seats and the default options, the others go through all seat counts and options.
    """
    others = other_tables(game, None, {})
    made = {name: bots.make(name, game) for name in players}
    return [play_one(game, made, others, seed, stream) for stream in range(first, stop)]


def play_one(
    game: Game, made: dict[str, Bot], others: list[tuple[int, dict[str, Any]]], seed: int, stream: int
) -> Played:
    seats, options = others[stream // 2 % len(others)] if stream % 2 and others else (min(game.SEATS), {})
    table, rng = Table(game, seats, seed=seed, stream=stream, **options), new_rng(seed, -1 - stream)
    chosen = [made[[*made][below(rng, len(made))]] for _ in range(seats)]
    while not table.is_over:
        table.act(decide(chosen[table.turn], table, rng))
    return Played(seats, table.options, list(table.log))


def decide(bot: Bot, table: Table, rng: Rng) -> int:
    legal = engine.useful(table.game, table.view(table.turn))
    return legal[below(rng, len(legal))] if below(rng, RANDOM) == 0 else bot(table.ask(), rng)


def write(game: Game, players: list[str], folder: Path, *, games: int, seed: int, cores: int) -> Iterator[int]:
    """Play games into a file; those that it holds are not played again. Tells how many there are, again and again."""
    file = folder / FILE
    done = sum(1 for _ in file.open("rb")) if file.exists() else 0
    for name in players:
        bots.warm(name, game)
    tasks = ((first, min(first + CHUNK, games)) for first in range(done, games, CHUNK))
    work = partial(play, game, players, seed)
    with file.open("a", encoding="utf-8") as out, closing(in_processes(work, tasks, cores)) as results:
        for played in results:
            out.writelines(json.dumps(one._asdict(), separators=(",", ":")) + "\n" for one in played)
            out.flush()
            done += len(played)
            yield done


def read(folder: Path) -> Iterator[Played]:
    """The games of a folder; a line that was cut off ends them."""
    file = folder / FILE
    if not file.exists():
        raise Refusal(f"there are no games in {folder}: {file.name} is missing")
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):
                return
            found = json.loads(line)
            yield Played(found["seats"], found["options"], found["log"])
