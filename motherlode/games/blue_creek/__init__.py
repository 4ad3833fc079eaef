"""Gold Rush at Blue Creek: everything that belongs to this game alone."""
