"""The promises of the contract, for all games and all their options."""

import pytest

from motherlode import contract
from motherlode.game import Game
from motherlode.games import GAMES


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_contract_is_kept(game: Game) -> None:
    contract.check(game)
