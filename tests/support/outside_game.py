"""A game from outside the package: Goldmine's rules under another name, in a folder of its own.

It brings rules with their `events` and `showing`, and an English sheet: no levels, no board, no words, no picture.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from motherlode import games
from motherlode.game import Game
from motherlode.games import GAMES

FOLDER = Path(games.__file__).parent / "goldmine"
NAME, TITLE = "testmine", "The Test Mine"


@contextmanager
def outside_game(folder: Path, more: str = "") -> Iterator[Game]:
    """Write it, with more code at the end, into this folder, and list it for this process and those it starts."""
    code = (FOLDER / "rules.py").read_text("utf-8")
    for old, new in {'NAME = "goldmine"': f"NAME = {NAME!r}", 'TITLE = "Goldmine"': f"TITLE = {TITLE!r}"}.items():
        assert old in code
        code = code.replace(old, new)
    (folder / "rules.py").write_text(code + more, "utf-8")
    for name in ("events.py", "showing.py", "sheet.md"):
        shutil.copy(FOLDER / name, folder)
    before = os.environ.get(games.PATHS)
    try:
        yield games.load(str(folder))
    finally:
        GAMES.pop(NAME, None)
        os.environ.pop(games.PATHS, None)  # not set if it cannot be loaded
        if before is not None:
            os.environ[games.PATHS] = before
