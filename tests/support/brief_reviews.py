"""Reviews that take little time and say little."""

import pytest

from motherlode.review import known, mistakes, reasons, values


def be_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in (
        (mistakes, "FEWEST", 4), (mistakes, "MOST", 4), (mistakes, "TREES", 2), (reasons, "LINES", 2),
        (reasons, "QUICK", 2), (reasons, "LONGEST", 4), (known, "WORLDS", 2), (values, "PLAYOUTS", 4),
        (values, "FEW_DEALS", 4), (values, "DEALS", 4), (values, "SAMPLE", 4),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    values._start.cache_clear()
