"""Doors for learners: observations, batches of games, and the environments of other libraries.

`Batch` and `layout` need nothing but this package; `pettingzoo`, `gymnasium` and `openspiel` each need the library that
they are named after, and only they use its words.
"""

from typing import TYPE_CHECKING, Any

from motherlode.envs.observation import layout

if TYPE_CHECKING:
    from motherlode.envs.batch import Batch

__all__ = ["Batch", "layout"]


def __getattr__(name: str) -> Any:
    """`Batch` imports Numba, which takes a while, so it is imported when somebody asks for it."""
    if name == "Batch":
        from motherlode.envs.batch import Batch

        return Batch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
