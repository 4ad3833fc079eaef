"""Doors for learners: observations, batches of games, and the environments of other libraries.

`observation` and `batch` need nothing but this package; `pettingzoo`, `gymnasium` and `openspiel` each need the library
that they are named after, and only they use its words.
"""
