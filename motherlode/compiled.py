"""A game's loops compiled by Numba, and the disk cache they are kept in.

Numba's own cache looks only at the file of the entry function, so a changed rule elsewhere would run stale native code.
Each build therefore has a cache folder named by a hash of everything compiled into it: the source of every module
whose functions it calls, in this package or outside, and the values of their constants, which differ between variants.
"""

import hashlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from threading import RLock
from types import FunctionType, MappingProxyType, ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import platformdirs
from filelock import FileLock
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import overload, register_jitable

from motherlode import engine
from motherlode import game as contract
from motherlode.game import Game, Record

PACKAGE = __name__.partition(".")[0]
KEEP_DAYS = 30
FEW = 6  # tuples up to this length are compiled as they are
Programs = Callable[..., SimpleNamespace]  # builds loops, as `engine.programs` does
INNER = {"no_cfunc_wrapper": True}  # nobody calls a rule or an inner loop from C
# Without counting references to arrays, which takes longer than a step of a game; for loops that allocate nothing.
LEAN_ENTRY = {"_nrt": False}
LEAN_INNER = {**INNER, **LEAN_ENTRY, "forceinline": True}
LOCK = RLock()  # Numba has one setting for the cache folder


def members(module: ModuleType) -> dict[str, Any]:
    """What a module has; of a game, without what only tells people about it, for that is not compiled."""
    skipped = contract.SHOWN if isinstance(module, Game) else ()
    return {name: item for name, item in vars(module).items() if name not in skipped}


def rule_modules(*modules: ModuleType) -> list[ModuleType]:
    """These modules, and all modules that they take rules from."""
    found: dict[str, ModuleType] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module.__name__ not in found:
            found[module.__name__] = module
            taken = [item for item in vars(module).values() if getattr(item, "is_rule", False)]
            waiting += [sys.modules[item.__module__] for item in taken if item.__module__ in sys.modules]
    return list(found.values())


def program_modules(programs: Programs) -> list[ModuleType]:
    """The module that builds loops, and the modules of this package that it takes functions from."""
    found: dict[str, ModuleType] = {}
    waiting = [sys.modules[programs.__module__]]
    while waiting:
        module = waiting.pop()
        if module.__name__ not in found:
            found[module.__name__] = module
            for item in members(module).values():
                name = item.__name__ if isinstance(item, ModuleType) else getattr(item, "__module__", None)
                is_code = isinstance(item, (FunctionType, ModuleType)) and str(name).startswith(f"{PACKAGE}.")
                waiting += [sys.modules[str(name)]] if is_code and name in sys.modules else []
    return list(found.values())


def constants(module: ModuleType) -> Iterator[str]:
    """The values that compiled code takes from a module."""
    for name, item in sorted(members(module).items()):
        if isinstance(item, np.ndarray):
            yield f"{name} {item.dtype} {item.tolist()}"
        elif isinstance(item, (int, float, tuple)) and not name.startswith("__"):
            yield f"{name} {item!r}"


def sources_hash(modules: list[ModuleType]) -> str:
    """A hash of everything that compiled code is made from."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for module in sorted({module.__name__: module for module in modules}.values(), key=lambda module: module.__name__):
        digest.update(module.__name__.encode() + b"\0" + Path(str(module.__file__)).read_bytes() + b"\0")
        for constant in constants(module):
            digest.update(constant.encode() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder(modules: list[ModuleType]) -> Path:
    """The folder for code compiled from these modules. Folders that nobody has used for a while are removed."""
    root = Path(platformdirs.user_cache_dir("motherlode")) / "numba"
    folder = root / sources_hash(modules)
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    clear_old(root)
    return folder


@cache
def clear_old(root: Path) -> None:
    for other in root.iterdir():
        if time.time() - other.stat().st_mtime > KEEP_DAYS * 86400:
            shutil.rmtree(other, ignore_errors=True)


@cache
def register(module: ModuleType) -> None:
    """Tell Numba about the rules of a module, and of all modules that it takes rules from."""
    for each in rule_modules(module):
        register_own(each)


@cache
def register_own(module: ModuleType) -> None:
    """Tell Numba about a module's rules, with its tables of numbers as arrays.

    Numba compiles a tuple's index to a jump, a costly one on a GPU; an array's is a load. Interpreted, tuples win.
    """
    tables = {name: np.array(item, np.int64) for name, item in vars(module).items() if is_table(item)}
    for item in list(vars(module).values()):
        if getattr(item, "is_rule", False) and item.__module__ == module.__name__:
            compile_instead(item, FunctionType(item.__code__, {**vars(module), **tables}, item.__name__))


def has_rules(module: ModuleType) -> bool:
    return any(getattr(item, "is_rule", False) and item.__module__ == module.__name__ for item in vars(module).values())


def is_table(item: object) -> bool:
    return isinstance(item, tuple) and len(item) > FEW and all(type(value) is int for value in item)


def compile_instead(rule: FunctionType, twin: FunctionType) -> None:
    overload(rule, strict=False, jit_options=INNER)(lambda *_: twin)


@cache
def dtype_of(kind: Any) -> np.dtype[Any]:
    """The NumPy type of a ctypes one; finding it takes longer than a short search."""
    found: np.dtype[Any] = np.dtype(kind)
    return found


def dtype(game: Game) -> np.dtype[Any]:
    """The record's NumPy type: the layout of its ctypes one, byte for byte."""
    return dtype_of(game.RECORD)


def as_array(game: Game, s: Record) -> Any:
    """A record as compiled rules take it: an array of one, over the same bytes."""
    return np.frombuffer(memoryview(s), dtype(game))


def as_numpy(array: Any) -> Any:
    """A ctypes array as compiled code takes it, over the same bytes."""
    return np.frombuffer(array, dtype_of(array._type_))


class Cache(FunctionCache):  # type: ignore[misc]
    """The folder says what was compiled. Numba also looks at the closure, whose pickled bytes are others in a process
    that reads a module from __pycache__ than in the one that put it there, and would compile again."""

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return sig, codegen.magic_tuple()


def entry(program: FunctionType, flags: Mapping[str, bool] = MappingProxyType({})) -> Any:
    """What Python calls. Its cache is in the folder that Numba has been told of."""
    dispatcher = numba.njit(nogil=True, error_model="numpy", **flags)(program)
    dispatcher._cache = Cache(program)
    dispatcher.compile = one_at_a_time(dispatcher.compile, Path(numba.config.CACHE_DIR) / f"{program.__name__}.lock")
    return dispatcher


def one_at_a_time(compile_it: Callable[[Any], Any], file: Path) -> Callable[[Any], Any]:
    """Of several processes that need the same code one compiles it; the others wait, and find it in the cache."""
    lock = FileLock(file)

    def compile_alone(signature: Any) -> Any:
        with global_compiler_lock, lock:  # in this order: threads that compile what calls each other do not block
            return compile_it(signature)

    return compile_alone


@cache
def compiled(game: Game, programs: Programs = engine.programs) -> SimpleNamespace:
    """The game's loops (see `engine.programs`) in native code, from the cache where it has them."""
    return build(programs, game)


@cache
def build(programs: Programs, *modules: ModuleType) -> SimpleNamespace:
    """Loops such as a solver's in native code: `programs` is handed the modules, `inner` and `entry`."""
    import_module("motherlode.pdep")
    builders = program_modules(programs)
    sources = [contract, sys.modules["motherlode.pdep"], *builders]
    for module in (contract, *modules, *(builder for builder in builders if has_rules(builder))):
        register(home(module))
        sources += rule_modules(home(module))
    with LOCK:
        numba.config.CACHE_DIR = str(cache_folder(sources))
        if getattr(programs, "is_lean", False):
            lean_entry = partial(entry, flags=LEAN_ENTRY)
            return programs(*modules, inner=register_jitable(**LEAN_INNER), entry=lean_entry)
        return programs(*modules, inner=register_jitable(**INNER), entry=entry)


def home(module: ModuleType) -> ModuleType:
    """The imported module: a game with members replaced, as in tests, has the rules of the one it was made from."""
    return import_module(module.__name__)


def perft(game: Game, s: Record, depth: int) -> dict[int, int]:
    """`engine.perft` in native code."""
    positions = np.zeros(depth + 1, dtype(game))
    bits = np.zeros((depth + 1, engine.words_of(game)), np.int64)
    under = {}
    for a in engine.legal(game, s) if depth else []:
        positions[:1] = as_array(game, engine.after(game, s, a))
        under[a] = int(compiled(game).perft(positions, bits, depth - 1))
    return under
