"""Does to a file what a verdict says, with no more bytes than there is room for: it is a person's disk."""

import os

from bottega.errors import Problem
from bottega.workspaces.confine import Root
from bottega.workspaces.git import files
from bottega.workspaces.git.judge import Verdict

LARGEST = 8 << 20
"""Bytes of a file with several names of which a copy is made."""
MOST = 64 << 20
"""Bytes of all that are made in one look."""
_GONE = "{} (it is too large to be copied: this name goes, and its other ones stay)"


class Corrections:
    """Of one guard."""

    def __init__(self, reserve: int) -> None:
        """`reserve` is how many bytes of the folder's disk stay free."""
        self._reserve = reserve
        self._room = MOST

    def begin(self) -> None:
        """A look begins."""
        self._room = MOST

    def correct(self, root: Root, path: str, verdict: Verdict) -> str:
        """Why it was done, in words. Raises `OSError` or a `Problem` where it cannot be done."""
        if verdict.problem:
            raise Problem(verdict.problem)
        if verdict.apart:
            return self._set_apart(root, path, verdict.why)
        if verdict.content is None:
            files.remove(root, path)
        else:
            files.write(root, path, verdict.content, verdict.mode)
        return verdict.why

    def _set_apart(self, root: Root, path: str, why: str) -> str:
        disk = os.statvfs(root.fileno())
        free = disk.f_bavail * disk.f_frsize - self._reserve
        copied = files.set_apart(root, path, min(LARGEST, self._room, max(free, 0)))
        if copied is None:
            files.remove(root, path)
            return _GONE.format(why)
        self._room -= copied
        return why
