"""The board never jumps: the prompt, the board and its fixed places stay within a pixel through a whole game."""

from collections.abc import Callable

import pytest
from support.local_server import Server
from support.steadiness import moved, watch
from support.visiting import Visit

from motherlode.games import GAMES

SIZES = {"desk": {"width": 1280, "height": 720}, "phone": {"width": 390, "height": 844}}
CLICKS = 700


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_nothing_jumps(server: Server, visit: Callable[..., Visit], game: str, size: str) -> None:
    ada = visit(viewport=SIZES[size], has_touch=size == "phone")
    ada.play_now(GAMES[game].TITLE)
    watch(ada)
    ada.play_on(CLICKS)
    assert not moved(ada)
