"""Reads the beginning of a file that may be there, and never follows a link out of the workspace."""

import os

from bottega.errors import Problem
from bottega.workspaces.confine import Root


def beginning(root: Root, path: str, most: int) -> bytes | None:
    """At most that many bytes; None where there is no such file, or it cannot be read."""
    try:
        with os.fdopen(root.open_file(path), "rb") as file:
            return file.read(most)
    except (Problem, OSError):
        return None


def whole(root: Root, path: str, most: int) -> bytes | None:
    """All of a file; None where it is not there, cannot be read, or is larger than that."""
    body = beginning(root, path, most + 1)
    return None if body is None or len(body) > most else body


def text(root: Root, path: str, most: int = 1024 * 1024) -> str:
    return (whole(root, path, most) or b"").decode(errors="replace")
