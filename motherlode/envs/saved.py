"""Batches as files and pickles: a header that says what is played, and the arrays of all rows."""

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motherlode import games
from motherlode.compiled import dtype
from motherlode.engine import Refusal, check_new_options
from motherlode.envs.batch_cpu import Array, new_rows
from motherlode.envs.checks import check_number
from motherlode.game import HIDDEN, Game

if TYPE_CHECKING:
    from motherlode.envs.batch import Batch, Player

VERSION = 2
SETTINGS = ("rows", "seats", "seed", "log", "dtype", "autoreset", "chance", "debug")  # as `Batch` takes them
UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error)
WHAT = ("saved", "game", "data", "variant", "rules", "options", "random", "policies", "apart")


def header(batch: "Batch") -> dict[str, Any]:
    game, players = batch.game, batch.players
    what = {
        "saved": VERSION,
        "game": game.NAME.partition("~")[0],
        "data": dict(game.CHANGES),
        "variant": game.VARIANT,
        "rules": game.RULES,
        "options": batch.options,
        "random": [seat for seat, player in players.items() if player == "random"],
        "policies": [seat for seat, player in players.items() if player != "random"],
        "apart": batch.apart,
    }
    return what | {name: getattr(batch, name) for name in SETTINGS} | {"dtype": batch.dtype.name}


def arrays(batch: "Batch") -> dict[str, Array]:
    """Every array on the host; records as bytes."""
    found = {name: batch.work.to_host(array) for name, array in batch.work.rows._asdict().items()}
    return {**found, "records": found["records"].view(np.uint8).reshape(batch.rows, -1)}


def write(batch: "Batch", path: Path) -> None:
    half = path.with_name(path.name + ".part")
    try:
        with half.open("wb") as file:
            told = np.frombuffer(json.dumps(header(batch)).encode(), np.uint8)
            np.savez_compressed(file, allow_pickle=False, header=told, **arrays(batch))
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def read(path: Path, device: str, players: "Mapping[int, Player] | None") -> "Batch":
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            found = {name: saved[name] for name in saved.files}
        told = json.loads(found.pop("header").tobytes())
    except UNREADABLE as error:
        raise Refusal(f"{path} is not a saved batch: {error}") from None
    try:
        return restore(told, found, device, players)
    except Refusal as refusal:
        raise Refusal(f"{path}: {refusal}") from None


def restore(
    told: dict[str, Any],
    found: dict[str, Array],
    device: str,
    players: "Mapping[int, Player] | None",
    threads: int | None = None,
) -> "Batch":
    """The batch of a header and arrays."""
    from motherlode.envs.batch import Batch

    if not isinstance(told, dict) or told.get("saved") != VERSION:
        raise Refusal(f"this batch was saved in another format than {VERSION}")
    if {*told} != {*WHAT, *SETTINGS}:
        odd = ", ".join(sorted({*told} ^ {*WHAT, *SETTINGS}))
        raise Refusal(f"the header of a saved batch lacks or should not have: {odd}")
    if [type(told[name]) for name in ("options", "random", "policies")] != [dict, list, list]:
        raise Refusal("the header of a saved batch has options by name, and lists of seats")
    game = find_game(told)
    inside: dict[int, Player] = dict.fromkeys(told["random"], "random")
    given = dict(players or {})
    if {*told["policies"]} != {*given}:
        raise Refusal(
            f"policies played seats {sorted(told['policies'])} of this batch: give those with players=, "
            f"not for {sorted(given)}"
        )
    check_size(told, found)
    check_new_options(game, told["options"])
    settings = {name: told[name] for name in SETTINGS}
    batch = Batch(game, device=device, players={**inside, **given}, threads=threads, **told["options"], **settings)
    batch.apart = check_number("apart", told["apart"])
    check(batch, found)
    batch.work.put(found)
    return batch


def find_game(told: dict[str, Any]) -> Game:
    """The game by its name, never by a file that a header might name; a variant by its values."""
    game = games.find(told["game"])
    if told["data"]:
        game = games.variant(game, told["data"], told["variant"])
    if told["rules"] != game.RULES:
        raise Refusal(
            f"this batch was saved under version {told['rules']} of {game.TITLE}'s rules, which are now {game.RULES}"
        )
    return game


def check_size(told: dict[str, Any], found: dict[str, Array]) -> None:
    """Refuse a header that speaks of other rows than there are, before memory is taken for them."""
    told_of = (told["rows"], told["seats"], told["log"])
    if "told" not in found or found["told"].shape[:3] != told_of:
        raise Refusal(f"the arrays of this batch are not for {told['rows']} rows, as its header says")


def check(batch: "Batch", found: dict[str, Array]) -> None:
    """Refuse arrays that are not this batch's: compiled loops trust their shapes and kinds."""
    wanted = new_rows(batch, batch.rows, lambda shape, kind: np.broadcast_to(np.zeros((), kind), shape))._asdict()
    wanted["records"] = np.broadcast_to(np.uint8(0), (batch.rows, dtype(batch.game).itemsize))
    if {*wanted} != {*found}:
        raise Refusal(f"a saved batch has the arrays {', '.join(wanted)}, not {', '.join(found)}")
    for name, array in wanted.items():
        if (found[name].shape, found[name].dtype) != (array.shape, array.dtype):
            raise Refusal(
                f"{name} of a saved batch of {batch.game.TITLE} is {array.dtype} of shape {array.shape}, "
                f"not {found[name].dtype} of shape {found[name].shape}"
            )
    records = found["records"].view(dtype(batch.game)).reshape(batch.rows)
    for field in batch.game.FIELDS:
        low = HIDDEN if field.blank else field.low
        values = records[field.name]
        if values.min(initial=low) < low or values.max(initial=low) > field.high:
            raise Refusal(f"{field.name} of a saved batch of {batch.game.TITLE} is from {low} to {field.high}")
