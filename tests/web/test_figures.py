"""The pictures and figures of the documents are made by commands: `dev.py pictures` and `motherlode bench page`."""

import pytest
from pictures import LARGEST, PICTURES
from support.command_line import Run
from support.visiting import ROOT, Contexts, Parlour

from motherlode.games import GAMES
from motherlode.server import browsers, page_bench


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.file)
def test_a_picture_is_there_and_small(picture: object) -> None:
    path = ROOT / "docs" / getattr(picture, "file", "")
    assert 10_000 < path.stat().st_size <= LARGEST


def test_the_document_has_the_figures() -> None:
    document = (ROOT / "docs" / "parlour.md").read_text("utf-8")
    figures = document.partition("<!-- page -->")[2].partition("<!-- /page -->")[0]
    assert "load average" in figures and "run 3 |" in figures
    assert figures.count("\n| ") == 2 + 7 + len(GAMES)  # a head, and a row for each figure
    assert "| the first page over the wire | 150 KiB |" in figures


def test_the_pages_are_light(contexts: Contexts, parlour: Parlour) -> None:
    """Over the wire, the typeface included; how quick they are is a benchmark."""
    first, tables = page_bench.weights(contexts.browser, parlour.url)
    assert 20_000 < first <= page_bench.FIRST_PAGE
    assert tables.keys() == GAMES.keys()
    for name, weight in tables.items():
        assert first < weight <= page_bench.TABLE, name


ANSWER = {
    "machine": "A browser",
    "load_before": 0.5,
    "runs": [
        {
            "first_page_bytes": 100 * 1024,
            "table_bytes": dict.fromkeys(GAMES, 160 * 1024),
            "usable_seconds": [0.3, 0.4, slowest],
            "other_screen_ms": [10.0] * 19 + [99.0],
            "clicks": dict.fromkeys(GAMES, 2),
            "longest_task_ms": dict.fromkeys(GAMES, task),
        }
        for slowest, task in ((0.5, 0.0), (3.0, 71.0))
    ],
}


def test_every_run_is_told() -> None:
    table = page_bench.table(ANSWER)
    assert "| … the slowest of them |  | 0.50 s | 3.00 s |" in table
    assert "| the longest task in a whole game: Goldmine | 50 ms | under 50 ms | 71 ms |" in table
    assert "95 of 100 actions | 50 ms | 99 ms | 99 ms |" in table


def test_without_chromium_it_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsers, "find_chromium", lambda: None)
    ran = run("bench", "page")
    assert ran.status == 2 and "there is no Chromium: install it" in ran.err
