"""A game from outside the package: Goldmine's rules, or another game's, under another name, in a folder of its own.

It brings rules with their `events` and `showing`, and an English sheet: no levels, no board, no words, no picture.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from motherlode import games
from motherlode.bots import network
from motherlode.game import Game
from motherlode.games import GAMES
from support.networks import bring

NAME, TITLE = "testmine", "The Test Mine"
TAUGHT = [f"taught_{name}" for name in GAMES]  # by `taught_games`


@contextmanager
def outside_game(
    folder: Path, more: str = "", *, like: str = "goldmine", name: str = NAME, title: str = TITLE
) -> Iterator[Game]:
    """Write it, with more code at the end, into this folder, and list it for this process and those it starts."""
    source = Path(games.__file__).parent / like
    code = (source / "rules.py").read_text("utf-8")
    for field, value in {"NAME": name, "TITLE": title}.items():
        code, replaced = re.subn(rf'^{field} = ".*"$', f"{field} = {value!r}", code, flags=re.MULTILINE)
        assert replaced == 1
    (folder / "rules.py").write_text(code + more, "utf-8")
    for file in ("events.py", "showing.py", "sheet.md"):
        shutil.copy(source / file, folder)
    before = os.environ.get(games.PATHS)
    try:
        yield games.load(str(folder))
    finally:
        GAMES.pop(name, None)
        os.environ.pop(games.PATHS, None)  # not set if it cannot be loaded
        if before is not None:
            os.environ[games.PATHS] = before


@contextmanager
def taught_games(folder: Path, *names: str) -> Iterator[None]:
    """Games of TAUGHT: each is like one of the package and brings a policy, here and in processes that are started."""
    with ExitStack() as stack:
        for name in names:
            own = folder / name
            own.mkdir()
            like = name.removeprefix("taught_")
            game = stack.enter_context(outside_game(own, like=like, name=name, title=f"Taught {like}"))
            bring(game, own / network.FILE)
        yield
