"""The pictures and figures of the documents are made by commands: `dev.py pictures` and `dev.py bench pages`."""

from pathlib import Path

import pytest
from measure import DOCUMENT, END, START, write
from pictures import LARGEST, PICTURES
from support.visiting import ROOT


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.file)
def test_a_picture_is_there_and_small(picture: object) -> None:
    path = ROOT / "docs" / getattr(picture, "file", "")
    assert 10_000 < path.stat().st_size <= LARGEST


def test_the_document_has_the_figures() -> None:
    figures = DOCUMENT.read_text("utf-8").partition(START)[2].partition(END)[0]
    assert "load average" in figures
    assert figures.count("\n| ") == 7  # a head and five rows


def test_figures_replace_the_old_ones_and_nothing_else(tmp_path: Path) -> None:
    document = tmp_path / "parlour.md"
    document.write_text(f"before\n{START}\nold\n{END}\nafter\n", "utf-8")
    write(document, "new")
    assert document.read_text("utf-8") == f"before\n{START}\nnew\n{END}\nafter\n"
