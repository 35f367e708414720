"""What tells whether a file is still the one that somebody read: its version, which means nothing else.

It is the sha256 of the content; of a file that is too large to be read for that, what the system knows of it.
"""

import hashlib
import os
import stat

from bottega.errors import Problem
from bottega.projects.files.limits import MIB, WHOLE
from bottega.workspaces.confine import Root
from bottega.workspaces.problems import Stale, shown

NONE = ""
"""The version of a file that is not there."""


class Changed(Stale):
    """The file is not the version that was named; nothing was written."""

    def __init__(self, path: str, version: str) -> None:
        what = "has changed since it was read" if version else "is not there any more"
        super().__init__(
            f"The file {shown(path)} {what}; nothing was changed.",
            hint="Read it again, then make the change on what is there now.",
        )
        self.version = version


class Taken(Stale):
    """Something stands where nothing should be."""

    def __init__(self, path: str, version: str = NONE) -> None:
        super().__init__(
            f"There is something at {shown(path)} already; nothing was changed.",
            hint="Read it first, and give its version, or choose another name.",
        )
        self.version = version


def digest(content: bytes) -> str:
    """The version of a file with that content."""
    return hashlib.sha256(content).hexdigest()


def version_of(opened: int) -> str:
    """Of an open file, which is read from its begin. Waits for the disk."""
    found = os.fstat(opened)
    if not stat.S_ISREG(found.st_mode) or found.st_size > WHOLE:
        return f"{found.st_ino:x}-{found.st_size:x}-{found.st_mtime_ns:x}"
    digest = hashlib.sha256()
    at = 0
    while at <= WHOLE and (chunk := os.pread(opened, MIB, at)):
        digest.update(chunk)
        at += len(chunk)
    return digest.hexdigest()


def version_at(root: Root, path: str) -> str:
    """Of the file at a canonical path; where there is none, or no file, `NONE`. Waits for the disk."""
    try:
        opened = root.open_file(path, follow=False)
    except (Problem, OSError):
        return NONE
    try:
        return version_of(opened)
    finally:
        os.close(opened)


def refuse_other(path: str, wanted: str, found: str) -> None:
    """Refuse to change a file that is not what `wanted` names."""
    if wanted == found:
        return
    raise Changed(path, found) if wanted else Taken(path, found)
