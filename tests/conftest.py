"""What all tests share."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from support import command_line, example_game, networks

from motherlode.bots import network
from motherlode.game import Game
from motherlode.games import GAMES, PATHS
from motherlode.server.processes import LOWEST_PRIORITY

# Seconds of test time, added up over all workers, on two quiet cores. What a folder takes is printed after every run;
# a folder over its budget is to be mended, but a busy machine fails no test.
BUDGET = {"tests": 300, "tests/games": 75, "tests/server": 350, "tests/web": 450}
seconds: Counter[str] = Counter()

if hasattr(os, "nice"):  # as the server's bots have: beside tests of a higher priority they would hardly get any time
    os.nice(LOWEST_PRIORITY)

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what one of the many processes compiles, the others read

settings.register_profile("motherlode", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("motherlode")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="rewrite the playthroughs instead of comparing with them")


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite"))


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[command_line.Run]:
    """A command in this process, which starts at once; see what it prints and its exit status.

    Games that it loads are forgotten afterwards.
    """
    before = dict(GAMES)
    monkeypatch.setenv(PATHS, os.environ.get(PATHS, ""))  # loading adds to it, for other processes
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "100")
    yield command_line.runner(monkeypatch, capsys)
    for name in GAMES.keys() - before.keys():
        del GAMES[name]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the example package is installed in."""
    return example_game.install(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="session")
def policy_files(tmp_path_factory: pytest.TempPathFactory) -> dict[Game, Path]:
    """A policy for every game, with random weights."""
    folder = tmp_path_factory.mktemp("policies")
    files = {game: folder / f"{name}.npz" for name, game in GAMES.items()}
    for game, file in files.items():
        networks.bring(game, file)
    return files


@pytest.fixture
def policies(monkeypatch: pytest.MonkeyPatch, policy_files: dict[Game, Path]) -> None:
    """Every game brings a policy, in this process."""
    monkeypatch.setattr(network, "path", policy_files.get)


@pytest.fixture
def no_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game brings a policy, in this process."""
    monkeypatch.setattr(network, "path", lambda game: None)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    folders = report.nodeid.partition("::")[0].split("/")[:-1]
    seconds["/".join(folders[:2])] += report.duration  # type: ignore[assignment]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for folder, spent in sorted(seconds.items()):
        allowed = BUDGET.get(folder)
        over = "; over its budget" if allowed and spent > allowed else ""
        terminalreporter.write_line(f"{folder}: {spent:.0f} s of {allowed or 'no'} s{over}")
