"""Opens an address in the person's browser, with no program that lies in a project: the address signs them in."""

import subprocess
import sys
from collections.abc import Mapping

from bottega.workspaces import programs


def open_address(address: str, environment: Mapping[str, str]) -> "subprocess.Popen[bytes] | None":
    """Start what opens it, and do not wait; None where that cannot be started."""
    path = programs.outside(environment.get("PATH", ""))
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-m", "webbrowser", address],
            env={**environment, "PATH": path},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
