"""Firefox and WebKit: one short game in each, from *Play now* to its end; the long run plays all games."""

from collections.abc import Iterator

import pytest
from browser import OTHER_ENGINES
from support.engines import Engine, Other, started
from support.visiting import Parlour

from motherlode.games import GAMES

CLICKS = 3000
SHORT = "gold_hunting"


@pytest.fixture(scope="module", params=OTHER_ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with started(request.param) as running:
        yield running


@pytest.mark.parametrize(
    "game", [SHORT, *(pytest.param(game, marks=pytest.mark.soak) for game in GAMES if game != SHORT)]
)
def test_a_whole_game(engine: Engine, parlour: Parlour, game: str) -> None:
    ada = Other(engine, parlour)
    ada.click(f"Play now: {GAMES[game].TITLE}")
    ada.wait_for("[data-table][data-mine=true] [data-board] > div")
    ada.play_on(CLICKS)
    ada.wait_for(".outcome h2")
    assert ada.complaints() == []
