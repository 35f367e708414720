"""Where what was taken away is kept, in the home and for its owner only: little of each, and a bounded share a person.

What a program planted may be huge and weigh nothing, as sparse files do: only its beginning is kept. Of one person the
oldest goes, and where the disk has nothing to spare there is no copy.
"""

import errno
import os
import threading
import time
from pathlib import Path

from bottega.fairness import caller
from bottega.ids import fresh
from bottega.workspaces.confine import Root
from bottega.workspaces.git.files import File, open_readable

LARGEST = 256 << 10
"""Bytes that are kept of one file: a hook, a script or settings, which may be somebody's work."""
MOST_BYTES = 64 << 20
"""Of one person, wherever it was planted; the oldest go."""
MOST = 500
"""Things of one person."""
_OFTEN = 32
"""Things after which it is counted anew what is there: other processes keep some, too."""
_lock = threading.Lock()
_since: dict[Path, int] = {}
"""How many were kept since the last count, by folder."""


class Quarantine:
    def __init__(self, folder: Path, reserve: int = 0) -> None:
        """`reserve` is how many bytes of the disk stay free."""
        self._place = folder
        self._reserve = reserve

    def keep(self, root: Root, path: str, file: File) -> str:
        """Copy its beginning; where in the home that is. It cannot be run, and git takes it for nothing."""
        whose = caller()
        folder = self._place / (f"person-{whose.person}" if whose else "nobody")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._refuse_when_full()
        _make_room(folder)
        plain = "".join(each if each.isalnum() or each in "._-" else "_" for each in path)[-100:]
        made = folder / f"{time.time_ns()}-{fresh('q')[-6:]}-{plain or 'file'}"
        opened = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(opened, "wb") as kept:
            if file.is_link:
                kept.write(b"a symbolic link to " + (file.content or b"")[:LARGEST])
            elif file.content is not None:
                kept.write(file.content[:LARGEST])
            elif file.is_file:
                kept.write(_beginning(root, path))
        return f"sandbox/quarantine/{folder.name}/{made.name}"

    def _refuse_when_full(self) -> None:
        found = os.statvfs(self._place)
        if found.f_bavail * found.f_frsize - LARGEST < self._reserve:
            raise OSError(errno.ENOSPC, "The disk of the home has nothing to spare")


def _make_room(folder: Path) -> None:
    """Drop the oldest until one more fits; counting takes longer than keeping, and is done now and then."""
    with _lock:
        _since[folder] = (_since.get(folder, _OFTEN) + 1) % _OFTEN
        if _since[folder] != 1:
            return
    sizes = {each.name: each.stat(follow_symlinks=False).st_size for each in os.scandir(folder)}
    count, size = len(sizes) + _OFTEN, sum(sizes.values()) + _OFTEN * LARGEST
    for name in sorted(sizes):
        if count <= MOST and size <= MOST_BYTES:
            return
        (folder / name).unlink(missing_ok=True)
        count, size = count - 1, size - sizes[name]


def _beginning(root: Root, path: str) -> bytes:
    opened = open_readable(root, path)
    if opened is None:
        return b""
    with os.fdopen(opened, "rb") as file:
        return file.read(LARGEST)
