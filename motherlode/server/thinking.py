"""Bots think here, in processes of their own: handed what their seat may know, they answer with an action."""

import asyncio
import multiprocessing
import os
import threading
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from typing import Any

from motherlode.table import Ask, Told


def watch_parent() -> None:
    """A process whose server was killed must not stay."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def choose(bot: str, game: str, seat: int, view: bytes, legal: list[int], log: list[tuple[Any, ...]], seed: int) -> int:
    from motherlode import GAMES, bots
    from motherlode.game import new_rng

    found = GAMES[game]
    told = [Told(*entry) for entry in log]
    ask = Ask(found, seat, found.RECORD.from_buffer_copy(view), legal, told)
    return int(bots.make(bot)(ask, new_rng(seed)))


class Thinkers:
    """A pool of them, started when the first bot is to act."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.pool: ProcessPoolExecutor | None = None

    async def choose(self, bot: str, ask: Ask, seed: int) -> int:
        """The bot's action; if its process dies (memory, a signal) another one is tried, once."""
        log = [tuple(told) for told in ask.log]
        arguments: tuple[Any, ...] = (bot, ask.game.NAME, ask.seat, bytes(ask.view), ask.legal, log, seed)
        for is_last in (False, True):
            if self.pool is None:
                context = multiprocessing.get_context("spawn")
                self.pool = ProcessPoolExecutor(self.processes, context, initializer=watch_parent)
            pool = self.pool
            try:
                return await asyncio.get_running_loop().run_in_executor(pool, choose, *arguments)
            except BrokenExecutor:
                if self.pool is pool:
                    self.pool = None
                if is_last:
                    raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        """End them, whatever they think about."""
        if self.pool is not None:
            thinking = list((self.pool._processes or {}).values())  # Python 3.14 has terminate_workers()
            self.pool.shutdown(wait=False, cancel_futures=True)
            for process in thinking:
                process.terminate()
