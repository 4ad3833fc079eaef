"""What the server needs of the operating system for its worker processes; also where it is not Unix."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOWEST_PRIORITY = 19
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def lower_priority() -> None:
    """Let every other process go first, where the system knows priorities."""
    if hasattr(os, "nice"):
        os.nice(LOWEST_PRIORITY)


def ignore_stop_signals() -> None:
    """Ctrl-C, and SIGTERM to the whole process group, are for the server, which ends its workers itself."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


@contextlib.contextmanager
def stop_signals_held() -> Iterator[None]:
    """A process started in here has its stop signals held until it calls `ignore_stop_signals`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it later would release the signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file that no other process can hold meanwhile; a process that ends, however it does, lets go of it.

    BlockingIOError: another one holds it.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            try:
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            except OSError as error:
                raise BlockingIOError(*error.args) from None
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(file)
