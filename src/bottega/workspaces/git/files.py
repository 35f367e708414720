"""Reads and replaces files where others may have put links, pipes or anything else in their place.

Every step opens a folder without following links, and works on one name in it.
"""

import errno
import hashlib
import os
import stat
import threading
from contextlib import suppress
from typing import ClassVar

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


class Held:
    """Files whose numbers are kept from being given to others, by an open descriptor each.

    All guards of a process share the descriptors. Their number is bounded: what is not held has no proof that it is
    still the same file, and is judged like one that programs could write.
    """

    MOST = 32
    """Files that one guard holds."""
    ALL = 512
    """Files that all guards of the process hold."""
    _open: ClassVar[dict[tuple[int, int], list[int]]] = {}
    """By device and inode, the descriptor and how many hold it."""
    _one: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self) -> None:
        self._mine: set[tuple[int, int]] = set()

    def hold(self, root: Root, path: str) -> bool:
        """Whether it is held now."""
        if len(self._mine) >= self.MOST:
            return False
        try:
            folder, name = root.open_parent(path)
            try:
                opened = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            finally:
                os.close(folder)
        except (Problem, OSError):
            return False
        return self._shared(opened)

    def _shared(self, opened: int) -> bool:
        found = os.fstat(opened)
        key = (found.st_dev, found.st_ino)
        with self._one:
            if key in self._mine or key in self._open:
                os.close(opened)
            elif len(self._open) >= self.ALL:
                os.close(opened)
                return False
            else:
                self._open[key] = [opened, 0]
            if key not in self._mine:
                self._mine.add(key)
                self._open[key][1] += 1
        return True

    def release(self) -> None:
        with self._one:
            while self._mine:
                key = self._mine.pop()
                self._open[key][1] -= 1
                if not self._open[key][1]:
                    os.close(self._open.pop(key)[0])
