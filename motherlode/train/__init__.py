"""Training: networks that learn a game by playing it against themselves. It needs JAX; only its commands import it."""

import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # on a GPU the games need memory too
