"""What fails for a while, and what must not be survived."""

import logging
import os
import threading

log = logging.getLogger("motherlode")
UNSYNCED = ("SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC")


class Fault:
    """Something that may fail for a while: the log says so once, and once when it works again."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.is_failing = False
        self.lock = threading.Lock()

    def failed(self, reason: str) -> None:
        if self._turned(is_failing=True):
            log.error("%s: failing", self.what, extra={"reason": reason})

    def works(self) -> None:
        if self.is_failing and self._turned(is_failing=False):
            log.warning("%s: working again", self.what)

    def _turned(self, *, is_failing: bool) -> bool:
        with self.lock:
            was, self.is_failing = self.is_failing, is_failing
            return was != is_failing


class Damaged:
    """The damaged tables: the log names each once."""

    def __init__(self) -> None:
        self.named: set[str] = set()
        self.lock = threading.Lock()

    def name(self, table: str, reason: str) -> None:
        with self.lock:
            is_new = table not in self.named
            self.named.add(table)
        if is_new:
            log.error("a table is damaged", extra={"table": table, "reason": reason})


def end_if_unsynced(error: BaseException) -> None:
    """End the process if the disk did not sync a commit.

    What it holds is unknown then, and the next sync would succeed although pages of this one are lost; only reading
    the file again, after a restart, shows what is stored.
    """
    if getattr(getattr(error, "orig", None), "sqlite_errorname", "") in UNSYNCED:
        log.critical("the disk did not sync what was to be stored; the server ends", extra={"reason": str(error.orig)})  # type: ignore[attr-defined]
        os._exit(1)
