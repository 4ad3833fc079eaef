"""GAMES, by name: every folder here, every installed package that offers one, and those in MOTHERLODE_GAMES.

A package offers a game by an entry point in the group `motherlode.games` that names its module of rules. The
environment variable holds files and folders, separated as in PATH; so other processes find what this one has loaded.
"""

import hashlib
import os
import sys
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import cast

from motherlode.engine import Refusal
from motherlode.game import Game, Rules, adopt, record

PATHS = "MOTHERLODE_GAMES"
GROUP = "motherlode.games"
REQUIRED = [name for name in Rules.__dict__ if name.isidentifier() and not name.startswith("_")]


def find(name: str) -> Game:
    """The game of this name."""
    if name not in GAMES:
        raise Refusal(f"there is no game {name!r}; the games are: {', '.join(GAMES)}")
    return GAMES[name]


def load(source: str) -> Game:
    """The game of this name, or in this file or folder. Never hand it what a stranger sent: a file's code runs."""
    path = Path(source).expanduser()
    if source in GAMES or not (path.suffix == ".py" or os.sep in source or path.is_dir()):
        return find(source)
    path = path.resolve()
    file = path / "rules.py" if path.is_dir() else path
    if not file.is_file():
        raise Refusal(f"{file} does not exist; a game is a folder with rules.py, or a file")
    return add(check(load_file(file), str(file)), str(file))


def load_file(file: Path) -> ModuleType:
    """Import a file as the rules of a package of its own, so that it can import its neighbours if it is a rules.py."""
    package = f"{file.parent.name if is_in_folder(file) else file.stem}_{hashlib.sha256(bytes(file)).hexdigest()[:8]}"
    name = f"{package}.rules"
    if name in sys.modules:
        return sys.modules[name]
    sys.modules[package] = ModuleType(package)
    sys.modules[package].__path__ = [str(file.parent)] if is_in_folder(file) else []
    spec = spec_from_file_location(name, file)
    assert spec and spec.loader
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name], sys.modules[package]
        raise Refusal(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def is_in_folder(file: Path) -> bool:
    """Whether a game has a folder of its own, with its sheets and other parts."""
    return file.name == "rules.py"


def check(module: ModuleType, source: str) -> Rules:
    """A module from outside, if it has all that a game must have."""
    if hasattr(module, "FIELDS") and not hasattr(module, "RECORD"):
        module.RECORD = record(module.FIELDS)  # type: ignore[attr-defined]
    missing = [name for name in REQUIRED if not hasattr(module, name)]
    if missing:
        raise Refusal(f"{source} is not a game: it has no {', '.join(missing)}; see docs/your-own-game.md")
    return cast(Rules, module)


def add(rules: Rules, source: str) -> Game:
    """List a game, so that it is found by its name."""
    other = GAMES.get(rules.NAME)
    if other is not None and other is not rules:
        raise Refusal(f"{source} is a game named {rules.NAME!r}, and so is {other.__file__}: rename one of them")
    GAMES[rules.NAME] = adopt(rules, source)
    if os.sep in source and source not in paths():
        os.environ[PATHS] = os.pathsep.join([*paths(), source])
    return GAMES[rules.NAME]


def paths() -> list[str]:
    return [path for path in os.environ.get(PATHS, "").split(os.pathsep) if path]


def part(game: Game, name: str) -> ModuleType | None:
    """A module in the game's own folder, such as its `ending`, if it has one."""
    found = find_spec(f"{game.__package__}.{name}")
    return import_module(found.name) if found else None


GAMES: dict[str, Game] = {}
for found in sorted(found.name for found in iter_modules(__path__) if found.ispkg):
    add(import_module(f"{__name__}.{found}.rules"), found)
for offered in sorted(entry_points(group=GROUP)):
    add(check(offered.load(), offered.value), offered.name)
for path in paths():
    load(path)
