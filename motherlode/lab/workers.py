"""Processes that play for `simulate` and `match`, and that end at once when the user presses Ctrl-C."""

import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children

from motherlode.engine import Refusal

LARGEST_SEED = (1 << 63) - 1


@contextmanager
def worker_processes(number: int) -> Iterator[ProcessPoolExecutor]:
    """A pool; when KeyboardInterrupt ends the block, its processes are terminated in the middle of their work."""
    others = set(active_children())
    pool = ProcessPoolExecutor(number, initializer=ignore_interrupts)
    try:
        yield pool
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in active_children():
            if child not in others:
                child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def ignore_interrupts() -> None:
    """Ctrl-C reaches the whole process group; it is for the main process to act on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def check_numbers(games: int, seed: int, cores: int | None) -> None:
    """Refuse what no run can be made of."""
    if games < 1:
        raise Refusal(f"games must be 1 or more, not {games}")
    if cores is not None and cores < 1:
        raise Refusal(f"cores must be 1 or more, not {cores}")
    check_seed(seed)


def check_seed(seed: int) -> int:
    """Random numbers are made from 64 bits."""
    if not -LARGEST_SEED - 1 <= seed <= LARGEST_SEED:
        raise Refusal(f"a seed is a number from {-LARGEST_SEED - 1} to {LARGEST_SEED}, not {seed}")
    return seed
