"""Reads the beginning of a file that may be there, and never follows a link out of the workspace.

What is read for a model is `denied` by rules as it is to tools, under each of its names.
"""

import os
from collections.abc import Callable

from bottega.errors import Problem
from bottega.workspaces.confine import Root

Denied = Callable[[str], bool]


def nothing(_: str) -> bool:
    """No rule denies it."""
    return False


def beginning(root: Root, path: str, most: int, denied: Denied = nothing) -> bytes | None:
    """At most that many bytes; None where there is no such file, it cannot be read, or a rule denies it."""
    try:
        if denied(os.path.normpath(path)) or denied(root.canonical(path)):
            return None
        with os.fdopen(root.open_file(path), "rb") as file:
            return file.read(most)
    except (Problem, OSError):
        return None


def whole(root: Root, path: str, most: int, denied: Denied = nothing) -> bytes | None:
    """All of a file; None where it is not there, cannot be read, is denied, or is larger than that."""
    body = beginning(root, path, most + 1, denied)
    return None if body is None or len(body) > most else body


def text(root: Root, path: str, most: int = 1024 * 1024, denied: Denied = nothing) -> str:
    return (whole(root, path, most, denied) or b"").decode(errors="replace")
