"""Work on several cores, with results in order. Ctrl-C, or not asking for more results, ends the work at once."""

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import active_children
from typing import Any, TypeVar

from motherlode.engine import Refusal, check_seed
from motherlode.parent import exit_with_parent

AHEAD = 4  # tasks handed out per worker
R = TypeVar("R")
Results = Generator[R, None, None]


def in_processes(work: Callable[..., R], tasks: Iterable[tuple[Any, ...]], number: int) -> Results[R]:
    """work(*task) of every task. Closing the generator terminates its processes in the middle of their work."""
    others = set(active_children())
    pool = ProcessPoolExecutor(number, initializer=begin)
    try:
        yield from in_order(pool, work, tasks, AHEAD * number)
    except BaseException:
        for child in active_children():
            if child not in others:
                child.terminate()
        raise
    finally:
        pool.shutdown()


def in_threads(work: Callable[..., R], tasks: Iterable[tuple[Any, ...]], number: int) -> Results[R]:
    """work(*task) of every task, for compiled work."""
    with ThreadPoolExecutor(number) as pool:
        yield from in_order(pool, work, tasks, AHEAD * number)


def in_order(pool: Executor, work: Callable[..., R], tasks: Iterable[tuple[Any, ...]], ahead: int) -> Results[R]:
    """The results in the order of the tasks, of which this many are handed out ahead."""
    waiting: deque[Future[R]] = deque()
    for task in tasks:
        waiting.append(pool.submit(work, *task))
        if len(waiting) == ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def begin() -> None:
    """Ctrl-C reaches the whole process group, but only the main process acts on it; this one ends when that does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exit_with_parent()


def check_numbers(games: int, seed: int, cores: int | None) -> None:
    """Refuse numbers that no run can be made of."""
    if games < 1:
        raise Refusal(f"games must be 1 or more, not {games}")
    if cores is not None and cores < 1:
        raise Refusal(f"cores must be 1 or more, not {cores}")
    check_seed(seed)
