"""At a terminal whoever waits is told what for."""

import sys
from io import StringIO
from pathlib import Path

import pytest

from motherlode import cli
from motherlode.bots import search

SAID = "warming up"


@pytest.fixture(autouse=True)
def cold_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled yet, as far as this process knows; and its output is a terminal."""
    monkeypatch.setattr(search, "_warm", set())
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.usefixtures("no_policies")
@pytest.mark.parametrize(("player", "warms"), [("greedy:2", False), ("search:5", True), ("baron", True)])
def test_warming_up_is_said(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    player: str,
    warms: bool,
) -> None:
    """Before the game where a bot needs it; else when the first hint does."""
    play = ["motherlode", "play", "goldmine", "--players", f"me,{player}", "--save", str(tmp_path / "record.txt")]
    monkeypatch.setattr(sys, "argv", play)
    monkeypatch.setattr(sys, "stdin", StringIO("hint\nhint\nquit\n"))
    with pytest.raises(SystemExit) as stop:
        cli.main()
    out, err = capsys.readouterr()
    assert not stop.value.code and (SAID in err) == warms and (SAID in out) != warms
    assert out.count("thinking") >= 2
    assert out.count("% of the time") + out.count("nothing to choose") == 2
