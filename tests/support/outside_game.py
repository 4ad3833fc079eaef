"""A game from outside the package: Goldmine's rules under another name, in a folder of its own.

It brings rules and an English sheet, and nothing else: no levels, no board, no words, no picture.
"""

import asyncio
import importlib.util
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from motherlode import sheet
from motherlode.bots import levels
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.server.bot_workers import BotWorkers, Question, answer
from motherlode.table import Ask

FOLDER = Path(sheet.__file__).parent / "games" / "goldmine"
NAME, TITLE = "testmine", "The Test Mine"


@contextmanager
def outside_game(folder: Path) -> Iterator[Game]:
    """Write it there, and let the server and its bots know it."""
    code = (FOLDER / "rules.py").read_text("utf-8")
    (folder / "rules.py").write_text(
        code.replace('NAME = "goldmine"', f"NAME = {NAME!r}").replace('TITLE = "Goldmine"', f"TITLE = {TITLE!r}"),
        "utf-8",
    )
    spec = importlib.util.spec_from_file_location(f"{NAME}_rules", folder / "rules.py")
    assert spec and spec.loader
    game = importlib.util.module_from_spec(spec)
    read = sheet.read
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, spec.name, game)
        spec.loader.exec_module(game)
        patch.setitem(GAMES, NAME, game)
        patch.setitem(levels.LEVELS, NAME, {"greenhorn": "random", "panner": "search:5"})
        patch.setattr(sheet, "read", lambda name, language="en": read("goldmine" if name == NAME else name, language))
        patch.setattr(BotWorkers, "prepare", lambda workers, bot, game: None)
        patch.setattr(BotWorkers, "_ask", ask_here)
        yield game


async def ask_here(workers: BotWorkers, bot: str | None, ask: Ask, seed: int, *, plain: bool) -> Any:
    """Think in this process, which knows the game, with the interpreted search."""
    told = [tuple(entry) for entry in ask.log]
    question = Question(bot, ask.game.NAME, ask.seat, bytes(ask.view), ask.legal, told, seed, True)
    return await asyncio.to_thread(answer, question, threading.Lock())
