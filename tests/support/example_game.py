"""The example package of this repository, installed with pip as a user installs it, into a folder of the tests."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distributions
from pathlib import Path

import pytest

from motherlode import games
from motherlode.game import Game

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "examples" / "night_coach"
FOLDER = PACKAGE / "night_coach"  # the game itself
NAME = "night_coach"


def install(folder: Path) -> Path:
    """Build and install the package, without a network."""
    quiet = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-build-isolation", "--no-deps")
    command = [sys.executable, "-m", "pip", "install", *quiet, "--target", str(folder), str(PACKAGE)]
    subprocess.run(command, check=True)
    return folder


def environment(installed: Path) -> dict[str, str]:
    """For a process that has the package."""
    return {"PYTHONPATH": os.pathsep.join([str(ROOT), str(installed)]), games.PATHS: ""}


@contextmanager
def listed(installed: Path) -> Iterator[Game]:
    """The installed game, found in this process by its entry point; nothing is left of it afterwards."""
    (package,) = distributions(path=[str(installed)])
    (offer,) = package.entry_points.select(group=games.GROUP)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(installed))
        yield games.load_offer(offer)
    del games.GAMES[NAME]
    for module in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[module]
