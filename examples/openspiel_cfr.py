"""Solve the example game with OpenSpiel's CFR+, measure how far it is from an equilibrium, and play it at a table."""

from pathlib import Path

import pyspiel
from open_spiel.python.algorithms import cfr, exploitability

from motherlode import Table, games
from motherlode.envs import openspiel

name = openspiel.register(games.load(str(Path(__file__).parent / "night_coach" / "night_coach")))
game = pyspiel.load_game(f"{name}(compiled=False)")

solver = cfr.CFRPlusSolver(game)
for _ in range(300):
    solver.evaluate_and_update_policy()
policy = solver.average_policy()
print(f"NashConv {exploitability.nash_conv(game, policy):.4f}")

player = openspiel.PolicyPlayer(game, policy)
table = Table("night_coach", seed=1)
while not table.is_over:
    ask = table.ask()
    for action, share in player.mix(ask).items():
        print(f"seat {ask.seat}: {ask.game.ACTIONS.name(action):12} {share:5.1%}")
    table.act(player(ask, table.rng))
print("points", table.points)
