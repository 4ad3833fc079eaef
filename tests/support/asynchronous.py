"""Run a coroutine in a test that is a plain function."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """To its end, in a thread of its own: one that has driven a browser before has a loop already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, main).result()
