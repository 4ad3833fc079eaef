"""GAMES: the only list of games."""

from motherlode.game import Game
from motherlode.games import blue_creek, china_gold, claimpoker, gold_hunting, goldmine, mount_goldrush

GAMES: dict[str, Game] = {
    game.NAME: game for game in (blue_creek, china_gold, claimpoker, gold_hunting, goldmine, mount_goldrush)
}
