"""Every second decision, on average, is the one that looks worst an action ahead: below the level of chance.

Where chance decides much, even random play wins a game now and then against somebody who thinks. A first opponent
should not.
"""

from motherlode.bots import greedy, random
from motherlode.game import Rng, below
from motherlode.table import Ask, Bot


def bot(player: Bot) -> Bot:
    """The same player, careless."""
    worst = random.where_blind(greedy.bot(is_best=False))

    def choose(ask: Ask, rng: Rng) -> int:
        return (worst if below(rng, 2) else player)(ask, rng)

    return choose
