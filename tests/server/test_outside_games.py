"""Games from outside the package: the pages have no board for them, so they are told the position as text."""

from pathlib import Path

import pytest
from support.outside_game import NAME, outside_game

from motherlode import contract, engine, games, text
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.server import messages, typescript


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_game_with_a_board_is_not_told_as_text(game: Game) -> None:
    assert messages.drawing(game, bytes(engine.start(game))).text is None


def test_the_text_is_made_from_the_seats_own_view(tmp_path: Path) -> None:
    with outside_game(tmp_path) as game:
        for _, _, t in contract.random_game(game, engine.start(game, 2, target=0), new_rng(1)):
            for seat in (-1, 0, 1):
                view = engine.view(game, t, seat, sight=True)
                other = engine.copy(view)
                game.guess(other, seat, new_rng(2))  # another deal that looks the same to this seat
                game.hide(other, seat)
                assert messages.drawing(game, bytes(view)).text == game.show(view) == game.show(other)


def test_a_replay_is_told_as_text_to_a_seat_and_to_one_who_sees_everything(tmp_path: Path) -> None:
    with outside_game(tmp_path) as game:
        actions = [a for _, a, _ in contract.random_game(game, engine.start(game, 2, target=0), new_rng(3))]
        played = text.Played(game, 2, engine.check_options(game, {"target": 0}), actions)
        after_deal = engine.replay(game, played.start(), actions[:13])
        for seat in (None, 0, 1):
            said = messages.replay(played, seat).positions[13].text
            assert said == game.show(after_deal if seat is None else engine.view(game, after_deal, seat))


def test_the_generated_types_are_those_of_this_package(tmp_path: Path) -> None:
    written = typescript.generate()
    with outside_game(tmp_path):
        assert NAME in GAMES and typescript.generate() == written
    assert NAME not in GAMES


def test_a_variant_is_told_as_text() -> None:
    """Boards are drawn for the game's own data."""
    goldmine = GAMES["goldmine"]
    changed = games.variant(goldmine, {"targets": (20, 40)}, "shorter")
    assert messages.has_board(goldmine) and not messages.has_board(changed)
    assert "match to 20" in str(messages.drawing(changed, bytes(engine.start(changed))).text)
