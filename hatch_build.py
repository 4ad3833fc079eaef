"""The package holds the parlour's pages, so building it builds them: web/build.py, called by hatchling."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable install has the sources, and dev.py to build them."""
        if version != "editable":
            runpy.run_path(str(Path(self.root) / "web" / "build.py"))["build"]()
