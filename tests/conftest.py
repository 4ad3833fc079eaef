"""What all tests share."""

import pytest
from hypothesis import settings

settings.register_profile("motherlode", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("motherlode")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="rewrite the playthroughs instead of comparing with them")


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite"))
