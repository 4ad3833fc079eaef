"""Mount Goldrush: everything that belongs to this game alone."""
