"""A server whose bots fall asleep after some answers, all in the middle of a turn."""

import asyncio
from typing import Any

from motherlode import cli
from motherlode.server.thinking import Thinkers

ANSWERS = iter(range(12))
REAL = Thinkers.choose


async def choose(thinkers: Thinkers, *asked: Any) -> int:
    if next(ANSWERS, None) is None:
        print("asleep", flush=True)
        await asyncio.Event().wait()
    return await REAL(thinkers, *asked)


if __name__ == "__main__":
    Thinkers.choose = choose  # type: ignore[method-assign]
    cli.main()
