"""Any legal action, each equally likely: a bot of its own, and what all bots do where a plan would be a tell."""

from motherlode.bots.mixed import Mix, redirected
from motherlode.game import Rng, below
from motherlode.table import Ask, Bot


class Random:
    """Any legal action."""

    def __call__(self, ask: Ask, rng: Rng) -> int:
        return ask.legal[below(rng, len(ask.legal))]

    def mix(self, ask: Ask) -> Mix:
        """How likely each action is."""
        return dict.fromkeys(ask.legal, 1 / len(ask.legal))


def bot() -> Bot:
    return Random()


def where_blind(player: Bot) -> Bot:
    """The same player, who decides at random where the game says that any plan would be a tell."""
    random = Random()
    return redirected(player, lambda ask: (random if ask.game.blind(ask.view) else player, ask))
