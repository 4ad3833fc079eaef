"""Training: networks that learn a game by playing it against themselves. It needs JAX; nothing else in the package
imports it."""
