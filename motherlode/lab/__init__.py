"""The laboratory: many games, matches between bots, measurements."""
