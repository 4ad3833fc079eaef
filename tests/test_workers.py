"""The processes that play for the laboratory end when nobody waits for them any more."""

import signal
from multiprocessing import active_children

from motherlode.lab.workers import in_processes, in_threads


def test_results_come_in_order_and_every_one() -> None:
    tasks = [(n,) for n in range(40)]
    for some in (in_processes, in_threads):
        assert list(some(abs, tasks, 2)) == list(range(40))


def work(number: int) -> int:
    if number:
        signal.pause()  # without end
    return number


def test_processes_are_ended_in_the_middle_of_their_work() -> None:
    before = set(active_children())
    results = in_processes(work, ((n,) for n in range(100)), 2)
    assert next(results) == 0 and set(active_children()) > before
    results.close()
    assert set(active_children()) == before


def test_the_processes_leave_ctrl_c_to_the_main_process() -> None:
    assert list(in_processes(signal.raise_signal, [(signal.SIGINT,)], 1)) == [None]
