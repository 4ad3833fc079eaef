"""A game's loops compiled by Numba, and the disk cache they are kept in.

Numba's own cache looks only at the file of the entry function, so a changed rule elsewhere would run stale native code.
The cache folder is therefore named by a hash of all the package's sources; folders of other sources are cleared away.
"""

import ctypes
import hashlib
import shutil
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import platformdirs
from numba.extending import register_jitable

from motherlode import engine
from motherlode import game as contract
from motherlode.game import Field, Game, Record

PACKAGE = Path(__file__).parent.parent
KEEP_DAYS = 30


def sources_hash(package: Path = PACKAGE) -> str:
    """A hash of everything that compiled code is made from."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """This version's folder for compiled code; those of other versions go when nobody has used them for a while."""
    root = Path(platformdirs.user_cache_dir("motherlode")) / "numba"
    folder = root / sources_hash()
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    for other in root.iterdir():
        if time.time() - other.stat().st_mtime > KEEP_DAYS * 86400:
            shutil.rmtree(other, ignore_errors=True)
    return folder


@cache
def register(module: ModuleType) -> None:
    """Tell Numba of a module's rules."""
    for item in list(vars(module).values()):
        if getattr(item, "is_rule", False) and item.__module__ == module.__name__:
            register_jitable(item)


def dtype(fields: tuple[Field, ...]) -> np.dtype[Any]:
    """The record's NumPy type: the layout of `game.record`, byte for byte."""
    structure = contract.record(fields)
    by_name = {field.name: field for field in fields}
    names = [name for name, *_ in structure._fields_]
    kinds = []
    for name in names:
        base = np.dtype(by_name[name].ctype())
        kinds.append((base, (by_name[name].length,)) if by_name[name].length else base)
    offsets = [getattr(structure, name).offset for name in names]
    return np.dtype(
        {"names": names, "formats": kinds, "offsets": offsets, "itemsize": ctypes.sizeof(structure)}, align=True
    )


def as_array(game: Game, s: Record) -> Any:
    """A record as compiled rules take it: an array of one, over the same bytes."""
    return np.frombuffer(s, dtype(game.FIELDS))


@cache
def compiled(game: Game) -> SimpleNamespace:
    """The game's loops (see `engine.programs`) in native code, from the cache where it has them."""
    import_module("motherlode.lab.pdep")
    register(contract)
    register(import_module(game.__name__))
    numba.config.CACHE_DIR = str(cache_folder())
    return engine.programs(game, inner=register_jitable, entry=numba.njit(cache=True, nogil=True, error_model="numpy"))


@cache
def build(programs: Callable[..., SimpleNamespace], *modules: ModuleType) -> SimpleNamespace:
    """Other loops, such as a solver's, in native code: `programs` is handed the modules, `inner` and `entry`."""
    import_module("motherlode.lab.pdep")
    for module in (contract, *modules):
        register(module)
    numba.config.CACHE_DIR = str(cache_folder())
    entry = numba.njit(cache=True, nogil=True, error_model="numpy")
    return programs(*modules, inner=register_jitable, entry=entry)


def perft(game: Game, s: Record, depth: int) -> dict[int, int]:
    """`engine.perft` in native code."""
    room = np.zeros(depth + 1, dtype(game.FIELDS))
    bits = np.zeros((depth + 1, engine.words_of(game)), np.int64)
    under = {}
    for a in engine.legal(game, s) if depth else []:
        room[:1] = as_array(game, engine.after(game, s, a))
        under[a] = int(compiled(game).perft(room, bits, depth - 1))
    return under
