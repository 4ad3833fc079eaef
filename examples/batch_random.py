"""Random play of 4,096 games of Goldmine side by side: what a learner is given, and what it answers."""

import numpy as np

from motherlode.envs import Batch

batch = Batch("goldmine", 4096, seed=1, autoreset="same_step")
rng = np.random.default_rng(1)
games, results = 0, np.zeros(batch.seats)
for _ in range(100):
    seen = batch.observation  # (4096, 288) bytes: what the seat to act knows
    mask = batch.mask  # (4096, 42) bytes: 1 for what it may do
    scores = rng.random(mask.shape) * mask  # a network would take these from `seen`
    batch.step(scores.argmax(axis=1))
    games += int(batch.done.sum())
    results += batch.reward.sum(axis=0)  # (4096, 2): at the end of a game every seat's result, else 0

print(f"{games:,} games, mean result by seat {results / games}")
