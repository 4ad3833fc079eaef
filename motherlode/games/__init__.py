"""GAMES: the only list of games."""

from motherlode.game import Game
from motherlode.games import goldmine, mount_goldrush

GAMES: dict[str, Game] = {game.NAME: game for game in (goldmine, mount_goldrush)}
