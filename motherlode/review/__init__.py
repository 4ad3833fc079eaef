"""What a finished game was: deal + chance + own decisions + the others' decisions = result."""
