"""Any legal action, each equally likely: a bot of its own, and what all bots do where a plan would be a tell."""

from motherlode.game import Rng, below
from motherlode.table import Ask, Bot


def bot() -> Bot:
    def choose(ask: Ask, rng: Rng) -> int:
        return ask.legal[below(rng, len(ask.legal))]

    return choose


def where_blind(player: Bot) -> Bot:
    """The same player, who decides at random where the game says that any plan would be a tell."""
    random = bot()

    def choose(ask: Ask, rng: Rng) -> int:
        return (random if ask.game.blind(ask.view) else player)(ask, rng)

    return choose
