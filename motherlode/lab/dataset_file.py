"""The files of datasets: their columns, their facts, and writing them, whole games at a time."""

import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.envs.episode import VERSION
from motherlode.game import Game
from motherlode.lab.dataset_rows import ENDING, FULL, PLAYED, RIGHT, ROWS, Array, Games, Loop, Made

FORMAT = 1  # of the files
KEY = "motherlode"  # of the facts in a file's metadata
REPLAY = ("seed", "chance", "chance_after", "head")  # what no learner may look at
COLUMNS = {
    "game": "the number of the game: its stream of random numbers, or its place among the records",
    "decision": "which decision of its game it is, from 0 on",
    "decisions": "how many its game has",
    "seat": "who decides",
    "view": "what the seat knows: the bytes of the game's record after `hide`",
    "observation": "the same as numbers, see `motherlode observe`",
    "mask": "1 for every action that is legal",
    "action": "what the seat does",
    "utility": "what the seat has won in the end, from -1 to 1 (ALL-6); null in an unfinished game",
    "points": "the points of the seat in the end; null in an unfinished game",
    "seed": "for replay: of all random numbers; null in games from records",
    "chance": "for replay: what chance decided since the decision before",
    "chance_after": "for replay: what chance decided after the last decision of the game; empty in other rows",
    "head": "for replay: what a record of the game says before its actions, as JSON, without names",
}
SETTINGS = {"compression": "zstd", "compression_level": 3, "write_page_checksum": True}
HEX = re.compile(r"[0-9a-f]*")
Progress = Callable[[int], None]


@cache
def arrow() -> tuple[Any, Any]:
    """pyarrow and its module for Parquet, which is an extra."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise Refusal(
            "datasets are Parquet files, for which pyarrow is needed: pip install motherlode[parquet]"
        ) from None


class Chunk(NamedTuple):
    """Some whole games and their rows."""

    game: Game
    games: Games
    made: Made
    heads: list[str]
    head: Array  # of each game, its place in `heads`
    seed: int | None


Chunks = Generator[Chunk, None, None]


# Heads: everything a record says besides its actions and its players


def write_head(played: text.Played) -> str:
    for word in (played.chain, *(word for seal in played.seals for word in (seal.commitment, seal.secret))):
        if not HEX.fullmatch(word):
            raise Refusal(f"commitments, secrets and chains are in hex, not {word[:80]!r}")
    parts = {
        "seats": played.seats, "options": played.options, "rules": played.rules, "seals": played.seals,
        "given": played.given, "chain": played.chain, "drawn": played.drawn, "resigned": played.resigned,
    }  # fmt: skip
    return json.dumps({name: part for name, part in parts.items() if part or name in ("seats", "options")})


@cache
def read_head(game: Game, head: str) -> text.Played:
    """A game without its actions."""
    try:
        parts = json.loads(head)
        parts["seals"] = tuple(text.Seal(place, c, s, tuple(shares)) for place, c, s, shares in parts.pop("seals", ()))
        parts["resigned"] = tuple(parts.pop("resigned", ()))
        parts["options"] = engine.check_options(game, parts["options"])
        engine.check_seats(game, parts["seats"])
        return text.Played(game, actions=[], **parts)
    except (ValueError, TypeError, KeyError) as error:
        raise Refusal(f"{head[:80]!r} is not the head of a game of {game.TITLE}: {error}") from None


def replay(loop: Loop, listed: Games, heads: list[str], head: Array, seed: int | None) -> Chunk:
    """The rows of games, by their logs. Where somebody has resigned, that decides the result."""
    made = loop.replay(listed, seed)
    given_up = [at for at, written in enumerate(heads) if read_head(loop.game, written).resigned]
    for g in np.flatnonzero(np.isin(head, given_up)):
        if g < made.reached[PLAYED]:
            settle(loop.game, listed, made, int(g), read_head(loop.game, heads[head[g]]))
    return Chunk(loop.game, listed, made, heads, head, seed)


def settle(game: Game, listed: Games, made: Made, g: int, played: text.Played) -> None:
    """Write the result of a game that somebody has given up."""
    log = listed.log[int(listed.end[g - 1]) if g else 0 : int(listed.end[g])].tolist()
    s = engine.replay(game, played.start(), log)
    utility = engine.shared(played.seats, text.winners(game, s, played.resigned))
    own = made.game == g
    own[made.reached[ROWS] :] = False
    made.utility[own] = np.array(utility, np.float32)[made.seat[own]]
    made.points[own] = np.array(engine.points(game, s))[made.seat[own]]
    made.over[g] = True


def schema(loop: Loop, *, replay: bool) -> Any:
    pa, _ = arrow()
    outcomes = pa.list_(pa.int32())
    types = {
        "game": pa.int64(), "decision": pa.int32(), "decisions": pa.int32(), "seat": pa.int8(),
        "observation": pa.list_(pa.uint8(), loop.layout.size),
        "view": pa.binary(len(bytes(loop.game.RECORD()))),
        "mask": pa.list_(pa.uint8(), len(loop.game.ACTIONS)),
        "action": pa.int32(), "utility": pa.float32(), "points": pa.int32(),
        "seed": pa.int64(), "chance": outcomes, "chance_after": outcomes,
        "head": pa.dictionary(pa.int32(), pa.string()),
    }  # fmt: skip
    left_out = {"view" if loop.is_observed else "observation", *(() if replay else REPLAY)}
    return pa.schema([(name, types[name]) for name in COLUMNS if name not in left_out])


def as_table(loop: Loop, chunk: Chunk, columns: Any) -> Any:
    """A chunk's rows as Arrow takes them, without copying the large ones."""
    pa, _ = arrow()
    made, n = chunk.made, int(chunk.made.reached[ROWS])
    of = made.game[:n]
    unknown = ~made.over[of]
    plain = {name: getattr(made, name)[:n] for name in ("decision", "decisions", "seat", "action")}
    size = len(bytes(loop.game.RECORD()))

    def fixed(rows: Array) -> Any:
        return pa.FixedSizeListArray.from_arrays(pa.array(rows[:n].reshape(-1)), rows.shape[1])

    def lists(values: Array, ends: Array) -> Any:
        offsets = np.concatenate([np.zeros(1, np.int32), ends[:n]])
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values[: offsets[-1]]))

    makers: dict[str, Callable[[], Any]] = {
        "game": lambda: pa.array(chunk.games.number[of].astype(np.int64)),
        "view": lambda: pa.FixedSizeBinaryArray.from_buffers(pa.binary(size), n, [None, pa.py_buffer(made.known)]),
        "observation": lambda: fixed(made.observation),
        "mask": lambda: fixed(made.mask),
        "utility": lambda: pa.array(made.utility[:n], mask=unknown),
        "points": lambda: pa.array(made.points[:n], mask=unknown),
        "seed": lambda: pa.array(np.full(n, chunk.seed or 0), mask=np.full(n, chunk.seed is None)),
        "chance": lambda: lists(made.outcome, made.outcome_end),
        "chance_after": lambda: lists(made.last, made.last_end),
        "head": lambda: pa.DictionaryArray.from_arrays(pa.array(chunk.head[of]), pa.array(chunk.heads, pa.string())),
    }
    arrays = [makers[name]() if name in makers else pa.array(plain[name]) for name in columns.names]
    return pa.Table.from_arrays(arrays, schema=columns)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file to write instead, which replaces this one if all goes well, and else is removed."""
    half = path.with_name(path.name + ".part")
    try:
        yield half
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise


def write(
    loop: Loop, path: Path, chunks: Chunks, facts: dict[str, Any], *, replay: bool, progress: Progress | None
) -> dict[str, Any]:
    """Write a dataset, a row group per chunk, and return its facts. Seats and options are those of all its games."""
    _, parquet = arrow()
    columns = schema(loop, replay=replay)
    if not path.absolute().parent.is_dir():
        raise Refusal(f"there is no folder {path.absolute().parent}")
    heads: set[str] = set()
    rows = played = 0
    with (
        written_whole(path) as half,
        closing(chunks),
        parquet.ParquetWriter(half, columns, **SETTINGS) as writer,
    ):
        for chunk in chunks:
            made, n = chunk.made, int(chunk.made.reached[ROWS])
            if made.reached[ENDING] not in (RIGHT, FULL):
                raise AssertionError(f"game {chunk.games.number[made.reached[PLAYED]]} does not replay")
            writer.write_table(as_table(loop, chunk, columns), row_group_size=len(made.game))
            heads |= {table_head(loop.game, head) for head in chunk.heads}
            rows, played = rows + n, played + int(np.count_nonzero(made.decision[:n] == 0))
            if progress:
                progress(n)
        if not rows:
            raise Refusal(f"there is no decision of {loop.game.TITLE} to write")
        written = json.dumps({**game_facts(loop), **common(heads), **facts, "games": played, "rows": rows})
        writer.add_key_value_metadata({KEY: written})
    read: dict[str, Any] = json.loads(written)
    return read


def table_head(game: Game, head: str) -> str:
    """The part of a head that says what was played: seats and options."""
    played = read_head(game, head)
    return json.dumps({"seats": played.seats, "options": played.options})


def common(heads: set[str]) -> dict[str, Any]:
    """The seats and options of all games, by their `table_head`; null where they differ."""
    alike: dict[str, Any] = json.loads(next(iter(heads))) if len(heads) == 1 else {"seats": None, "options": None}
    return alike


def game_facts(loop: Loop) -> dict[str, Any]:
    """What a file says of its game and of its rows."""
    game, log = loop.game, loop.layout.log if loop.is_observed else None
    facts: dict[str, Any] = {"format": FORMAT, "version": version("motherlode")}
    facts |= {"game": game.NAME, "rules": game.RULES, "data": dict(game.CHANGES)}
    return {**facts, "rows_have": "observation" if loop.is_observed else "view", "log": log, "observations": VERSION}
