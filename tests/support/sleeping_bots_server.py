"""A server whose bots fall asleep after some answers, all in the middle of a turn."""

import asyncio
from typing import Any

from motherlode import cli
from motherlode.server.bot_workers import BotWorkers

ANSWERS = iter(range(12))
REAL = BotWorkers.choose


async def choose(bot_workers: BotWorkers, *asked: Any, **more: Any) -> int:
    if next(ANSWERS, None) is None:
        print("asleep", flush=True)
        await asyncio.Event().wait()
    return await REAL(bot_workers, *asked, **more)


if __name__ == "__main__":
    setattr(BotWorkers, "choose", choose)  # noqa: B010 - the type checker would refuse the assignment
    cli.main()
