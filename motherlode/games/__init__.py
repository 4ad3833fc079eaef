"""GAMES: the only list of games."""

from motherlode.game import Game
from motherlode.games import claimpoker, goldmine

GAMES: dict[str, Game] = {game.NAME: game for game in (claimpoker, goldmine)}
