"""Reads and replaces files where others may have put links, pipes or anything else in their place.

Every step opens a folder without following links, and works on one name in it.
"""

import errno
import hashlib
import os
import stat
from contextlib import suppress

import msgspec

from bottega.errors import Problem
from bottega.workspaces.changes import leftovers
from bottega.workspaces.confine import Root

LARGEST = 1 << 20
"""Bytes of a file that are kept."""
_MOST = 64 << 20
"""Bytes of a file that are looked at."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class File(msgspec.Struct, frozen=True):
    mode: int
    inode: int
    device: int
    sha: str = ""
    """Of the bytes, or of what a link says; empty: they cannot be read, or are too many."""
    content: bytes | None = None
    """None: too much to keep."""

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)


def refuse_shortage(problem: BaseException) -> None:
    """Raise it where the process has run out of descriptors or memory: that says nothing about what is there."""
    cause = problem if isinstance(problem, OSError) else problem.__context__
    if isinstance(cause, OSError) and cause.errno in _SHORT:
        raise cause


def look(root: Root, path: str) -> File | None:
    """What is there, the link itself if it is one; None: nothing. Raises `OSError` where that cannot be known."""
    try:
        folder, name = root.open_parent(path)
    except Problem as problem:
        refuse_shortage(problem)
        return None
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            target = os.fsencode(os.readlink(name, dir_fd=folder))
            return _file(found, hashlib.sha256(target).hexdigest(), target)
        if stat.S_ISREG(found.st_mode):
            return _read(folder, name, found)
        return _file(found)
    except OSError as problem:
        refuse_shortage(problem)
        return None
    finally:
        os.close(folder)


def _file(found: os.stat_result, sha: str = "", content: bytes | None = None) -> File:
    return File(found.st_mode, found.st_ino, found.st_dev, sha, content)


def _read(folder: int, name: bytes, found: os.stat_result) -> File:
    try:
        opened = os.open(name, _READ, dir_fd=folder)
    except OSError as problem:
        refuse_shortage(problem)
        return _file(found)
    with os.fdopen(opened, "rb") as file:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST:
            return _file(found)
        content = file.read(_MOST)
    sha = hashlib.sha256(content).hexdigest()
    return _file(found, sha, content if len(content) <= LARGEST else None)


def names(root: Root, path: str) -> list[str] | None:
    """The names in a folder; None: it is none, or may not be listed."""
    try:
        opened = root.open_folder(path or ".", follow=False)
    except Problem as problem:
        refuse_shortage(problem)
        return None
    try:
        return sorted(os.listdir(opened))
    except OSError as problem:
        refuse_shortage(problem)
        return None
    finally:
        os.close(opened)


def write(root: Root, path: str, content: bytes, mode: int = 0o644) -> None:
    """Put a new file in the place of whatever is there; raises `OSError` or a `Problem`."""
    folder, name = root.open_parent(path)
    fresh = leftovers.fresh_name()
    try:
        opened = os.open(fresh, _NEW, 0o600, dir_fd=folder)
        try:
            with os.fdopen(opened, "wb") as file:
                file.write(content)
                if root.owner != (-1, -1):
                    os.fchown(opened, *root.owner)
                os.fchmod(opened, stat.S_IMODE(mode) & 0o777)
            os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(fresh, dir_fd=folder)
            raise
    finally:
        os.close(folder)


def remove(root: Root, path: str) -> None:
    """Take away what is there, unless it is a folder; raises `OSError` or a `Problem`."""
    folder, name = root.open_parent(path)
    try:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)
