"""GAMES: the only list of games."""

from motherlode.game import Game
from motherlode.games import blue_creek, goldmine

GAMES: dict[str, Game] = {game.NAME: game for game in (blue_creek, goldmine)}
