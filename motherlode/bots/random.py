"""Any legal action, each equally likely."""

from motherlode.game import Rng, below
from motherlode.table import Ask, Bot


def bot() -> Bot:
    def choose(ask: Ask, rng: Rng) -> int:
        return ask.legal[below(rng, len(ask.legal))]

    return choose
