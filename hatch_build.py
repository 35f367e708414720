"""Builds the studio's pages before a wheel is made of the sources, so that whoever installs it needs no Node."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Pages(BuildHookInterface):  # type: ignore[type-arg]
    """Runs for a wheel only: in a source tree `make` builds them, when they are needed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard" and (build := Path(self.root, "web", "build.py")).is_file():
            runpy.run_path(str(build), run_name="__main__")
