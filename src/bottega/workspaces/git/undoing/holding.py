"""Descriptors that keep the numbers of files from being given to others, for as long as these numbers count."""

import os
from contextlib import suppress

from bottega.errors import Problem
from bottega.workspaces.confine import Root

_MOST = 16
"""Descriptors that one sandbox has for the outermost of what is mounted read-only; the rest is compared by content."""


class Holding:
    """Of one sandbox."""

    def __init__(self) -> None:
        self._held: list[int] = []

    def hold(self, root: Root, path: str) -> bool:
        """Whether the file is held; not if there are too many already."""
        if len(self._held) >= _MOST:
            return False
        with suppress(Problem, OSError):
            folder, name = root.open_parent(path)
            try:
                flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
                self._held.append(os.open(name, flags, dir_fd=folder))
                return True
            finally:
                os.close(folder)
        return False

    def release(self) -> None:
        while self._held:
            os.close(self._held.pop())
