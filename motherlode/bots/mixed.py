"""Bots that can say how likely each of their actions is."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from motherlode.game import Rng
from motherlode.table import Ask, Bot

Mix = dict[int, float]  # how likely each action is


@runtime_checkable
class Mixed(Protocol):
    """A bot that says how likely each of its actions is."""

    def mix(self, ask: Ask, /) -> Mix: ...


def redirected(player: Bot, where: Callable[[Ask], tuple[Bot, Ask]]) -> Bot:
    """A bot that asks another one, or something else; it says its mix if `player`, whom it mostly asks, does."""

    def choose(ask: Ask, rng: Rng) -> int:
        bot, given = where(ask)
        return bot(given, rng)

    def mix(ask: Ask) -> Mix:
        bot, given = where(ask)
        assert isinstance(bot, Mixed)
        return bot.mix(given)

    if isinstance(player, Mixed):
        choose.mix = mix  # type: ignore[attr-defined]
    return choose
