"""Firefox and WebKit: one short game in each, from *Play now* to its end; the long run plays all games."""

from collections.abc import Iterator

import pytest
from support.engines import Engine, Other, started
from support.layout import CHOOSE_LONGEST, NEW_TABLES, SETTLE, WIDE, WIDTHS
from support.visiting import TURN_TO, Parlour

from motherlode.games import GAMES
from motherlode.server.browsers import OTHER_ENGINES

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
    assert all(ada.run("() => window.felt", None))
    assert ada.complaints() == []


def test_a_new_table_is_no_wider_than_a_phone(engine: Engine, parlour: Parlour) -> None:
    """Though the names of some players in the lists are long."""
    ada = Other(engine, parlour)
    wide = []
    for game in NEW_TABLES:
        ada.run(TURN_TO, f"/#make/{game}")
        ada.wait_for(f"form[data-game={game}] option[value=me]")
        ada.run(CHOOSE_LONGEST, None)
        for width in WIDTHS:
            engine.resize(width)
            ada.run(SETTLE, width)
            wide += [f"{game}: {found} px at {width}" for found in [ada.run(WIDE, None)] if found > width]
        engine.resize(1280)
    assert not wide
    assert ada.complaints() == []
