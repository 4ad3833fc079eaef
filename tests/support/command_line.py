"""The command line in the process of the tests: `run` in conftest.py calls it."""

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from motherlode import cli


class Ran(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Ran]


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["motherlode", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capsys.readouterr()
        return Ran(int(stop.value.code or 0), out, err)

    return call
