"""GAMES: the only list of games."""

from motherlode.game import Game
from motherlode.games import gold_hunting, goldmine

GAMES: dict[str, Game] = {game.NAME: game for game in (gold_hunting, goldmine)}
