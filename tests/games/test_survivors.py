"""What mutants of the rules once survived, and no check for all games catches; the game's name is in each test's."""

from motherlode import contract, engine
from motherlode.game import new_rng
from motherlode.games import GAMES


def test_goldmine_where_the_trump_card_went_is_open() -> None:
    """GM-2.3: whoever discards last draws it; however many cards each of them has discarded."""
    game, splits = GAMES["goldmine"], set()
    for number in range(30):
        for _, _, t in contract.random_game(game, engine.start(game, target=0), new_rng(number)):
            holders = [seat for seat in range(2) if t.trump >= 0 and t.hand[seat] >> t.trump & 1]
            for seat in holders:
                splits.add((t.threw[0], seat))
                for viewer in (-1, 0, 1):
                    assert engine.view(game, t, viewer).hand[seat] >> t.trump & 1
    assert len(splits) > 6
