"""Where what was taken away is kept, in the home and for its owner only."""

import os
import time
from pathlib import Path

from bottega.ids import fresh
from bottega.workspaces.confine import Root
from bottega.workspaces.git.files import File, open_readable

_LARGEST = 8 << 20
"""Bytes that are kept of one file."""
_MOST = 500
"""Things that are kept of one workspace; the oldest go."""


class Quarantine:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, root: Root, path: str, file: File) -> str:
        """Copy it; where in the home the copy is. It cannot be run, and git takes it for nothing."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._make_room()
        plain = "".join(each if each.isalnum() or each in "._-" else "_" for each in path)[-100:]
        made = self._folder / f"{time.time_ns()}-{fresh('q')[-6:]}-{plain or 'file'}"
        opened = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(opened, "wb") as kept:
            if file.is_link:
                kept.write(b"a symbolic link to " + (file.content or b""))
            elif file.content is not None:
                kept.write(file.content)
            elif file.is_file:
                kept.write(_beginning(root, path))
        return f"sandbox/quarantine/{self._folder.name}/{made.name}"

    def _make_room(self) -> None:
        for old in sorted(self._folder.iterdir())[: -_MOST + 1]:
            old.unlink(missing_ok=True)


def _beginning(root: Root, path: str) -> bytes:
    opened = open_readable(root, path)
    if opened is None:
        return b""
    with os.fdopen(opened, "rb") as file:
        return file.read(_LARGEST)
