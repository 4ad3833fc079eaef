"""The Night Coach, a game for Motherlode."""
