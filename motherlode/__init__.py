"""Six gold-rush tabletop games: exact rules, hidden information done right, and fast.

>>> from motherlode import Table, bots
>>> table = Table("goldmine", seed=7, target=0)
>>> table.play(bots.make("random"), bots.make("greedy"))
>>> table.is_over, sum(table.points)
(True, 27)
"""

from motherlode import bots
from motherlode.engine import Refusal
from motherlode.games import GAMES
from motherlode.table import Illegal, NotYourTurn, Stale, Table

__all__ = ["GAMES", "Illegal", "NotYourTurn", "Refusal", "Stale", "Table", "bots"]
