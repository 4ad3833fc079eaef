"""The board never jumps: the prompt, the board and its fixed places stay within a pixel, whatever the game has come to.

All moments are looked at in one page, where every table has its places where the one before had them. The long run
plays whole games.
"""

from collections.abc import Callable

import pytest
from support.local_server import Server
from support.positions import OPTIONS, last_of, phases, sit, walk
from support.steadiness import moved, watch
from support.visiting import Visit

from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.text import Played

SIZES = {"desk": {"width": 1280, "height": 720}, "phone": {"width": 390, "height": 844}}
FEW_CLICKS = 5
CLICKS = 700


def moments(game: Game) -> list[Played]:
    """Seat 0 acts: in every phase, in the course of a game, and for the last time in it."""
    a_game = [played for s, played in walk(game, 1, 0, **OPTIONS.get(game.NAME, {})) if s.turn == 0]
    course = [a_game[len(a_game) // 3], a_game[2 * len(a_game) // 3], a_game[-1]]
    return [*(played for played in phases(game).values() if last_of(played).turn == 0), *course]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_nothing_jumps(server: Server, visit: Callable[..., Visit], game: str, size: str) -> None:
    ada = visit(viewport=SIZES[size], has_touch=size == "phone")
    ada.ask("/api/guests", name="Ada")
    watch(ada)
    for played in moments(GAMES[game]):
        sit(ada, played, name="")
        for _ in range(FEW_CLICKS):
            if not ada.click_something():
                break
    assert not moved(ada)


@pytest.mark.soak
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_nothing_jumps_in_a_whole_game(server: Server, visit: Callable[..., Visit], game: str, size: str) -> None:
    ada = visit(viewport=SIZES[size], has_touch=size == "phone")
    ada.play_now(GAMES[game].TITLE)
    watch(ada)
    ada.play_on(CLICKS)
    assert not moved(ada)
