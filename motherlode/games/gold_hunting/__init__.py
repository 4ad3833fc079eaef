"""Gold Hunting: everything that belongs to this game alone."""
