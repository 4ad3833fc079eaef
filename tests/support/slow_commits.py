"""The load test on a server that takes 50 ms longer for every commit: `serve` and `bench server` of one program."""

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from motherlode import cli
from motherlode.server import load_test, storage

DELAY = 0.05  # seconds


def slow_down() -> None:
    commit = storage.Storage._commit

    def commit_slowly(self: storage.Storage, works: Sequence[Any]) -> Any:
        time.sleep(DELAY)
        return commit(self, works)

    storage.Storage._commit = commit_slowly  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        slow_down()
        cli.main()
    else:
        load_test.PROGRAM = [__file__]
        tables, rate, seconds = (int(argument) for argument in sys.argv[2::2])
        print(json.dumps(load_test.run(lambda line: None, load_test.Scenario(tables, rate, seconds))))
