"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings
from support import example_game

settings.register_profile("motherlode", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("motherlode")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="rewrite the playthroughs instead of comparing with them")


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite"))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the example package is installed in."""
    return example_game.install(tmp_path_factory.mktemp("installed"))
