"""A game's loops compiled by Numba, and the disk cache they are kept in.

Numba's own cache looks only at the file of the entry function, so a changed rule elsewhere would run stale native code.
The cache folder is therefore named by a hash of all the package's sources; folders of other sources are cleared away.
"""

import hashlib
import shutil
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import platformdirs
from numba.extending import overload, register_jitable

from motherlode import engine
from motherlode import game as contract
from motherlode.game import Game, Record

PACKAGE = Path(__file__).parent
KEEP_DAYS = 30
FEW = 6  # a tuple up to so long is compiled as it is
Programs = Callable[..., SimpleNamespace]  # builds loops, as `engine.programs` does


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
    """Tell Numba of a module's rules, with its tables of numbers as arrays.

    Numba compiles a tuple's index to a jump, a costly one on a GPU; an array's is a load. Interpreted, tuples win.
    """
    tables = {name: np.array(item, np.int64) for name, item in vars(module).items() if is_table(item)}
    for item in list(vars(module).values()):
        if getattr(item, "is_rule", False) and item.__module__ == module.__name__:
            compile_instead(item, FunctionType(item.__code__, {**vars(module), **tables}, item.__name__))


def is_table(item: object) -> bool:
    return isinstance(item, tuple) and len(item) > FEW and all(type(value) is int for value in item)


def compile_instead(rule: FunctionType, twin: FunctionType) -> None:
    overload(rule, strict=False)(lambda *_: twin)


def dtype(game: Game) -> np.dtype[Any]:
    """The record's NumPy type: the layout of its ctypes one, byte for byte."""
    return np.dtype(game.RECORD)


def as_array(game: Game, s: Record) -> Any:
    """A record as compiled rules take it: an array of one, over the same bytes."""
    return np.frombuffer(s, dtype(game))


def as_numpy(array: Any) -> Any:
    """A ctypes array as compiled code takes it, over the same bytes."""
    return np.frombuffer(array, np.dtype(array._type_))


@cache
def compiled(game: Game, programs: Programs = engine.programs) -> SimpleNamespace:
    """The game's loops (see `engine.programs`) in native code, from the cache where it has them."""
    import_module("motherlode.pdep")
    register(contract)
    register(import_module(game.__name__))
    numba.config.CACHE_DIR = str(cache_folder())
    return programs(game, inner=register_jitable, entry=numba.njit(cache=True, nogil=True, error_model="numpy"))


@cache
def build(programs: Callable[..., SimpleNamespace], *modules: ModuleType) -> SimpleNamespace:
    """Other loops, such as a solver's, in native code: `programs` is handed the modules, `inner` and `entry`."""
    import_module("motherlode.pdep")
    for module in (contract, *modules):
        register(module)
    numba.config.CACHE_DIR = str(cache_folder())
    entry = numba.njit(cache=True, nogil=True, error_model="numpy")
    return programs(*modules, inner=register_jitable, entry=entry)


def perft(game: Game, s: Record, depth: int) -> dict[int, int]:
    """`engine.perft` in native code."""
    room = np.zeros(depth + 1, dtype(game))
    bits = np.zeros((depth + 1, engine.words_of(game)), np.int64)
    under = {}
    for a in engine.legal(game, s) if depth else []:
        room[:1] = as_array(game, engine.after(game, s, a))
        under[a] = int(compiled(game).perft(room, bits, depth - 1))
    return under
