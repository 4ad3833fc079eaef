"""GAMES, by name: every folder here, every installed package that offers one, and those in MOTHERLODE_GAMES.

A package offers a game by an entry point in the group `motherlode.games` that names its module of rules. The
environment variable holds files and folders, separated as in PATH; so other processes find what this one has loaded.

A *variant* is a game with other data (see `data.py`): its package is imported again, under a name of its own, while
`Data` takes the changed values. It is found as `goldmine~short`; its RULES follow from its contents, so that nothing
written under one `short` is read under another.
"""

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import cast

from motherlode import data, sentences
from motherlode.engine import Refusal
from motherlode.game import SHOWN, Game, Rules, adopt, record

PATHS = "MOTHERLODE_GAMES"
GROUP = "motherlode.games"
REQUIRED = [name for name in Rules.__dict__ if name.isidentifier() and not name.startswith("_")]


def find(name: str) -> Game:
    """The game of this name, or the variant if it was loaded."""
    if name in VARIANTS:
        return VARIANTS[name]
    if name in GAMES:
        return GAMES[name]
    base, tilde, _ = name.partition("~")
    if tilde and base in GAMES:
        raise Refusal(f"{GAMES[base].TITLE} has no variant {name!r} here: load its file of values first (--data FILE)")
    raise Refusal(f"there is no game {name!r}; the games are: {', '.join(GAMES)}")


def load(source: str) -> Game:
    """The game of this name, or in this file or folder, or the variant in this file of values (*.toml).

    Never hand it what a stranger sent: a file's code runs.
    """
    path = Path(source).expanduser()
    if source in GAMES or not (path.suffix in (".py", ".toml") or os.sep in source or path.is_dir()):
        return find(source)
    path = path.resolve()
    if path.suffix == ".toml":
        return list_game(load_values(path), str(path))
    file = path / "rules.py" if path.is_dir() else path
    if not file.is_file():
        nested = next(iter(sorted(path.glob("*/rules.py"))), None)
        advice = f"did you mean {nested.parent}?" if nested else "a game is a folder with rules.py, or a file"
        raise Refusal(f"{file} does not exist; {advice}")
    listed = (game for game in GAMES.values() if not game.VARIANT and Path(str(game.__file__)).resolve() == file)
    return next(listed, None) or add(check(load_file(file), str(file)), str(file))


def load_offer(offer: EntryPoint) -> Game:
    """The game of an installed package."""
    try:
        module = offer.load()
    except Exception as error:
        raise Refusal(f"{offer.value} cannot be loaded: {type(error).__name__}: {error}") from error
    rules = check(module, offer.value)
    return add(rules, rules.NAME)


def load_file(file: Path, *, name: str = "", changes: data.Changes | None = None) -> ModuleType:
    """Import a file as the rules of a package of its own, so that it can import its neighbours if it is a rules.py.

    As the variant of this name it is imported again, with these changes.
    """
    contents = bytes(file) + (f"\0{name}\0{data.contents_hash(changes)}".encode() if changes else b"")
    package = f"{file.parent.name if is_in_folder(file) else file.stem}_{hashlib.sha256(contents).hexdigest()[:8]}"
    full_name = f"{package}.rules"
    if full_name in sys.modules:
        return sys.modules[full_name]
    sys.modules[package] = ModuleType(package)
    sys.modules[package].__path__ = [str(file.parent)] if is_in_folder(file) else []
    setattr(sys.modules[package], data.CHANGES, changes or {})
    spec = spec_from_file_location(full_name, file)
    assert spec and spec.loader
    module = sys.modules[full_name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        for loaded in [other for other in sys.modules if other == package or other.startswith(f"{package}.")]:
            del sys.modules[loaded]
        if isinstance(error, Refusal):
            raise
        raise Refusal(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def variant(game: Game, changes: Mapping[str, object], name: str) -> Game:
    """The variant of a game with these values changed. What is wrong with them is refused."""
    if game.VARIANT:
        raise Refusal(f"{game.TITLE} is a variant itself: change the values of {game.NAME.partition('~')[0]} instead")
    checked = game.DATA.check(changes, game.TITLE)
    if not checked:
        raise Refusal(f"this variant of {game.TITLE} changes nothing: its values are the game's own")
    full_name = f"{game.NAME}~{data.check_name(name)}"
    known = VARIANTS.get(full_name)
    if known is None:
        known = VARIANTS[full_name] = make_variant(game, checked, name, full_name)
    elif checked != known.CHANGES:
        raise Refusal(f"there is another variant {full_name} already, with other values: give this one another name")
    return known


def make_variant(game: Game, changes: data.Changes, name: str, full_name: str) -> Game:
    rules = check(load_file(Path(str(game.__file__)), name=name, changes=changes), full_name)
    made = adopt(rules, game.SOURCE)
    made.NAME, made.TITLE = full_name, f"{game.TITLE} ({name})"
    made.RULES = data.variant_rules(game.RULES, changes)
    made.OLDEST_RULES = game.OLDEST_RULES and data.variant_rules(game.OLDEST_RULES, changes)
    made.VARIANT, made.CHANGES = name, changes
    return adopt_folder(made, game.SOURCE)  # now, for its `showing` imports the title


def load_variant(source: str, changes: Mapping[str, object], name: str) -> Game:
    """A variant in another process: the game is loaded, then changed."""
    return variant(load(source), changes, name)


def load_values(file: Path, game: Game | None = None) -> Game:
    """The variant in a file of values, of this game or of the game that it names itself.

    A single word, without an ending, names a file that comes with the game: `reduced` is `reduced.toml` in its folder.
    """
    file = own_values(file, game) if game is not None and data.VARIANT_NAME.fullmatch(str(file)) else file
    values = data.read_file(file)
    if game is None and not values.game:
        raise Refusal(f'{file} does not say its game: add a line like game = "{next(iter(GAMES))}"')
    if game is not None and values.game not in ("", game.NAME):
        raise Refusal(f"{file} has values for {values.game}, not for {game.NAME}")
    try:
        return variant(game or find(values.game), values.changes, values.name)
    except Refusal as refusal:
        raise Refusal(f"{file}: {refusal}") from None


def own_values(name: Path, game: Game) -> Path:
    """The file of values of this name that comes with a game; where there is none, the file of that name itself."""
    folder = Path(str(game.__file__)).parent
    known = sorted(path.stem for path in folder.glob("*.toml") if is_in_folder(Path(str(game.__file__))))
    if str(name) in known:
        return folder / f"{name}.toml"
    if not name.exists():
        raise Refusal(f"{game.TITLE} comes with no variant {str(name)!r}; it has: {', '.join(known) or 'none'}")
    return name


@contextmanager
def leave_out_what_fails() -> Iterator[None]:
    """One game that cannot be loaded must not stop the others. The command line says why it is missing."""
    try:
        yield
    except Refusal as refusal:
        LEFT_OUT.append(str(refusal))


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
    fields = [field.name for field in module.FIELDS]
    if fields[:2] != ["turn", "seats"] or "shown" not in fields:
        raise Refusal(f"{source} is not a game: FIELDS begin with turn and seats, and one of them is shown")
    return cast(Rules, module)


def add(rules: Rules, source: str) -> Game:
    """List a game, so that it is found by its name."""
    return list_game(adopt_folder(rules, source), source)


def adopt_folder(rules: Rules, source: str) -> Game:
    """Adopt rules together with the `showing` and the sentences in their folder, if there are any."""
    showing, clues = (load_neighbour(rules, name, source) for name in ("showing", "clues"))
    own, shown = vars(rules), vars(showing) if showing else {}
    twice = [name for name in SHOWN if name in shown and own.get(name, shown[name]) is not shown[name]]
    if twice:
        raise Refusal(f"{source}: rules.py and showing.py both have {', '.join(twice)}: keep each in one of them")
    game = adopt(rules, source, showing)
    if clues:
        game.CLUES, game.clues = clues.CLUES, clues.clues
    for language in sentences.LANGUAGES:
        sentences.read(game, language)  # what is wrong with them is refused now, not in the middle of a game
    return game


def load_neighbour(rules: Rules, name: str, source: str) -> ModuleType | None:
    try:
        return neighbour(cast(ModuleType, rules), name)
    except Exception as error:
        raise Refusal(f"{name}.py of {source} cannot be loaded: {type(error).__name__}: {error}") from error


def list_game(game: Game, source: str) -> Game:
    other = GAMES.get(game.NAME)
    if other is not None and other is not game:
        raise Refusal(f"{source} is a game named {game.NAME!r}, and so is {other.__file__}: use only one of them")
    GAMES[game.NAME] = game
    if os.sep in source and source not in paths():
        os.environ[PATHS] = os.pathsep.join([*paths(), source])
    return game


def paths() -> list[str]:
    return [path for path in os.environ.get(PATHS, "").split(os.pathsep) if path]


def neighbour(module: ModuleType, name: str) -> ModuleType | None:
    """A module of this name in the game's own folder, if there is one."""
    has_folder = module.__package__ and is_in_folder(Path(str(module.__file__)))
    found = find_spec(f"{module.__package__}.{name}") if has_folder else None
    return import_module(found.name) if found else None


@cache
def part(game: Game, name: str) -> ModuleType | None:
    """A module in the game's own folder, such as its `ending`, if it has one.

    A variant has none of those that say BASE_ONLY: what they know was found for the game's own data.
    """
    module = neighbour(game, name)
    return None if game.VARIANT and getattr(module, "BASE_ONLY", False) else module


GAMES: dict[str, Game] = {}
LEFT_OUT: list[str] = []  # why games of installed packages and of MOTHERLODE_GAMES could not be loaded
VARIANTS: dict[str, Game] = {}  # all that were made; of these, GAMES lists those that were loaded from a file
for found in sorted(found.name for found in iter_modules(__path__) if found.ispkg):
    add(import_module(f"{__name__}.{found}.rules"), found)
for offer in sorted(entry_points(group=GROUP)):
    with leave_out_what_fails():
        load_offer(offer)
for path in paths():
    with leave_out_what_fails():
        load(path)
