"""Reading datasets: every game is played again from what its rows say, and every row compared with what comes of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from motherlode import games, text
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.lab.dataset_file import (
    FORMAT,
    KEY,
    REPLAY,
    Chunk,
    arrow,
    as_table,
    common,
    read_head,
    replay,
    schema,
    table_head,
)
from motherlode.lab.dataset_rows import ENDING, ILLEGAL, LATE, NOT_OF_SEED, PLAYED, ROWS, Array, Games, Loop

FACTS = (
    "format",
    "game",
    "rules",
    "data",
    "seats",
    "options",
    "seed",
    "rows_have",
    "log",
    "games",
    "rows",
)  # that are needed for a replay
MAY_BE_NULL = ("utility", "points", "seed")
FAULTS = {
    ILLEGAL: "what was done is not legal",
    NOT_OF_SEED: "chance did not decide what follows from the seed",
    LATE: "the game was over before",
}


def read_facts(path: str | Path) -> dict[str, Any]:
    """What a dataset says of itself."""
    return facts_of(open_file(path), path)


def open_file(path: str | Path) -> Any:
    pa, parquet = arrow()
    if not Path(path).is_file():
        raise Refusal(f"there is no file {path}")
    try:
        return parquet.ParquetFile(path, page_checksum_verification=True)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise Refusal(f"{path} is no Parquet file, or not a whole one: {error}") from None


def facts_of(file: Any, path: str | Path) -> dict[str, Any]:
    written = (file.metadata.metadata or {}).get(KEY.encode())
    if written is None:
        raise Refusal(f"{path} is no dataset of ours: its metadata has no {KEY!r}")
    try:
        facts: dict[str, Any] = json.loads(written)
        is_whole = {*FACTS} <= {*facts}
    except (ValueError, TypeError):
        is_whole = False
    if not is_whole:
        raise Refusal(f"{path} is damaged: its metadata should say {', '.join(FACTS)}")
    if facts["format"] != FORMAT:
        raise Refusal(f"{path} is a dataset of format {facts['format']}, and this reads format {FORMAT}")
    return facts


def find_game(facts: dict[str, Any]) -> Game:
    """The game of a dataset; a variant is loaded by its data."""
    base, _, variant = facts["game"].partition("~")
    game = games.variant(games.find(base), facts["data"], variant) if facts["data"] else games.find(base)
    if facts["rules"] != game.RULES:
        raise Refusal(
            f"this was written under version {facts['rules']} of the rules of {game.TITLE}, and this is version "
            f"{game.RULES}: it would not replay as it was played"
        )
    return game


def verified(path: str | Path, *, compiled: bool = True) -> Iterator[Chunk]:
    """The games of a dataset, played again; anything that is not as the file says is refused with its row."""
    file = open_file(path)
    facts = facts_of(file, path)
    loop = Loop(find_game(facts), facts["log"] if facts["rows_have"] == "observation" else None, is_compiled=compiled)
    columns = schema(loop, replay=True)
    if missing := [name for name in columns.names if name not in file.schema_arrow.names]:
        without = "was written without what a replay needs" if {*missing} <= {*REPLAY} else "is no whole dataset"
        raise Refusal(f"{path} {without}: it has no column {', '.join(missing)}")
    if not file.schema_arrow.equals(columns):
        raise Refusal(f"{path} has other columns than a dataset of {loop.game.TITLE}")
    heads: set[str] = set()
    played = rows = 0
    for first, part in whole_games(file, path):
        for name in columns.names:
            if name not in MAY_BE_NULL and part[name].null_count:
                raise Refusal(f"{path}: column {name} has rows without a value")
        chunk = play_again(loop, part, facts["seed"])
        compare(loop, path, first, chunk, part)
        yield chunk
        heads |= {table_head(loop.game, chunk.heads[at]) for at in {*chunk.head.tolist()}}
        played, rows = played + len(chunk.head), rows + len(part)
    if (played, rows) != (facts["games"], facts["rows"]):
        said = f"{facts['games']} games with {facts['rows']} rows"
        raise Refusal(f"{path} says that it has {said}, and has {played} games with {rows} rows")
    if common(heads) != {"seats": facts["seats"], "options": facts["options"]}:
        raise Refusal(f"{path} has games of other seats or options than it says")


def whole_games(file: Any, path: str | Path) -> Iterator[tuple[int, Any]]:
    """The rows of a file, some whole games at a time, with the number of the first."""
    pa, _ = arrow()
    rest, first = file.schema_arrow.empty_table(), 0
    for group in range(file.num_row_groups):
        try:
            part = pa.concat_tables([rest, file.read_row_group(group)]).unify_dictionaries().combine_chunks()
        except (OSError, ValueError, pa.ArrowException) as error:
            raise Refusal(f"{path} is damaged: {error}") from None
        starts = np.flatnonzero(part["decision"].to_numpy() == 0)
        end = len(part) if group + 1 == file.num_row_groups else int(starts[-1]) if len(starts) else 0
        if end and (not len(starts) or starts[0] > 0):
            raise Refusal(f"{path}: row {first} is in the middle of a game")
        if end:
            yield first, part[:end].combine_chunks()
        rest, first = part[end:], first + end


def play_again(loop: Loop, given: Any, seed: int | None) -> Chunk:
    """The games of these rows, by what the rows say was done."""
    starts = np.flatnonzero(given["decision"].to_numpy() == 0)
    head = given["head"].combine_chunks()
    heads: list[str] = head.dictionary.to_pylist()
    which: Array = head.indices.to_numpy()[starts]
    openings = [bytes(read_head(loop.game, written).start()) for written in heads]
    log, ends = read_log(given)
    listed = Games(
        loop.memory.numbers(given["game"].to_numpy()[starts]),
        loop.memory.records(b"".join(openings[at] for at in which)),
        loop.memory.numbers(log),
        loop.memory.numbers(ends[np.append(starts[1:], len(given)) - 1]),
    )
    return replay(loop, listed, heads, which, seed)


def read_log(given: Any) -> tuple[Array, Array]:
    """Everything that was done in these rows, and where each row's part of it ends."""
    before, after = (values_of(given[name]) for name in ("chance", "chance_after"))
    ends = np.cumsum(before[1] + 1 + after[1])
    log = np.zeros(int(ends[-1]), np.int64)
    for (values, lengths), firsts in ((before, ends - before[1] - 1 - after[1]), (after, ends - after[1])):
        log[np.repeat(firsts - (np.cumsum(lengths) - lengths), lengths) + np.arange(len(values))] = values
    log[ends - after[1] - 1] = given["action"].to_numpy()
    return log, ends


def values_of(column: Any) -> tuple[Array, Array]:
    """All values of a column of lists, and how long each list is."""
    lengths = np.concatenate([np.asarray(chunk.value_lengths()) for chunk in column.chunks]).astype(np.int64)
    return np.concatenate([np.asarray(chunk.flatten()) for chunk in column.chunks]), lengths


def compare(loop: Loop, path: str | Path, first: int, chunk: Chunk, given: Any) -> None:
    """Refuse rows that are not those of their games."""
    reached = chunk.made.reached
    if reached[ENDING] in FAULTS:
        starts = np.flatnonzero(given["decision"].to_numpy() == 0)
        last = np.append(starts[1:], len(given))[reached[PLAYED]] - 1
        at = min(int(reached[ROWS]), int(last))
        raise Refusal(f"{say_row(path, first, given, at)}: {FAULTS[reached[ENDING]]}")
    made = as_table(loop, chunk, schema(loop, replay=True))
    if len(made) != len(given):
        raise Refusal(f"{path}: from row {first} on there are {len(given)} rows for {len(made)} decisions")
    wrong = {name: first_difference(made[name], given[name]) for name in made.column_names}
    found = {name: at for name, at in wrong.items() if at is not None}
    if found:
        name = min(found, key=lambda name: found[name])
        raise Refusal(f"{say_row(path, first, given, found[name])}: {name} is not what comes of the game")


def say_row(path: str | Path, first: int, given: Any, at: int) -> str:
    game, decision = (given[name][at].as_py() for name in ("game", "decision"))
    return f"{path}, row {first + at} (game {game}, decision {decision})"


def first_difference(one: Any, other: Any) -> int | None:
    """The first row in which two columns differ."""
    if one.equals(other):
        return None
    same, different = 0, len(one)  # the first rows that are equal, and that are not
    while different - same > 1:
        half = (same + different) // 2
        if one[:half].equals(other[:half]):
            same = half
        else:
            different = half
    return same


def check(path: str | Path, *, compiled: bool = True) -> dict[str, Any]:
    """Play every game of a dataset again and compare every row; return the file's facts."""
    for _ in verified(path, compiled=compiled):
        pass
    return read_facts(path)


def records(path: str | Path, *, compiled: bool = True) -> Iterator[text.Played]:
    """The games of a dataset as records, each checked; nobody has a name."""
    for chunk in verified(path, compiled=compiled):
        ends = [0, *map(int, chunk.games.end)]
        for g in range(int(chunk.made.reached[PLAYED])):
            log = [int(a) for a in chunk.games.log[ends[g] : ends[g + 1]]]
            head = chunk.heads[chunk.head[g]]
            yield read_head(chunk.game, head)._replace(actions=log)
