"""What worker processes do when the process that they work for has ended."""

import multiprocessing
import os
import threading


def exit_with_parent() -> None:
    """End this process when the one that started it has ended, even if it was killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
