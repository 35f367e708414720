"""A file on its way in: its bytes go to a passing name beside, and come into place whole or not at all.

What a dead process leaves of one is removed by whoever changes something in that folder next (`leftovers`).
"""

import os
from contextlib import suppress

from bottega.errors import Problem
from bottega.projects.files.changing import Made
from bottega.projects.files.limits import MIB, UPLOAD
from bottega.projects.files.version import NONE, refuse_other, version_of
from bottega.tools.reading import TooLarge
from bottega.workspaces.beneath import sync_folder
from bottega.workspaces.changes import leftovers
from bottega.workspaces.changes.apply import NotWritten
from bottega.workspaces.confine import Missing, Root
from bottega.workspaces.fence import Holds
from bottega.workspaces.problems import explained, shown

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class Upload:
    """Every method waits for the disk; `close` is called last, whatever happened."""

    def __init__(self, root: Root, path: str) -> None:
        """`path` is canonical."""
        self._root = root
        self._path = path
        self._size = 0
        self._folder = _nearest(root, path)
        self._name = leftovers.fresh_name()
        try:
            leftovers.clean(self._folder)
            self._file = os.open(self._name, _NEW, 0o666, dir_fd=self._folder)
        except OSError as problem:
            os.close(self._folder)
            raise _told(problem, path) from None

    def write(self, chunk: bytes) -> None:
        self._size += len(chunk)
        refuse_too_large(self._path, self._size)
        rest = memoryview(chunk)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as problem:
            raise _told(problem, self._path) from None

    def finish(self, version: str, fence: Holds) -> Made:
        """Put it in place, if what is there is that version; folders that are missing are made."""
        try:
            version_now = version_of(self._file)
            with fence.held():
                self._root.check_present()
                created = self._place(version)
        except OSError as problem:
            raise _told(problem, self._path) from None
        return Made(self._path, version_now, self._size, created)

    def close(self) -> None:
        with suppress(OSError):
            os.unlink(self._name, dir_fd=self._folder)
        os.close(self._file)
        os.close(self._folder)

    def _place(self, version: str) -> bool:
        try:
            opened = self._root.open_file(self._path, follow=False)
        except Missing:
            opened = -1
        try:
            refuse_other(self._path, version, NONE if opened < 0 else version_of(opened))
            self._take_rights(opened)
        finally:
            if opened >= 0:
                os.close(opened)
        os.fsync(self._file)
        folder, name = self._root.open_parent(self._path, [])
        try:
            os.rename(self._name, name, src_dir_fd=self._folder, dst_dir_fd=folder)
            sync_folder(folder)
        finally:
            os.close(folder)
        return opened < 0

    def _take_rights(self, old: int) -> None:
        """Those of the file that it replaces, but never the bits that lend a user's or a group's rights."""
        owner = self._root.owner
        if old >= 0:
            found = os.fstat(old)
            os.fchmod(self._file, found.st_mode & 0o777)
            owner = (found.st_uid, found.st_gid)
        if owner != (-1, -1):
            with suppress(PermissionError):  # only root may give a file to another
                os.fchown(self._file, *owner)


def refuse_too_large(path: str, size: int) -> None:
    if size > UPLOAD:
        raise TooLarge(
            f"The upload {shown(path)} is larger than {UPLOAD // MIB} MB; nothing was written.",
            hint="Bring it into the folder by other means.",
        )


def _nearest(root: Root, path: str) -> int:
    """The folder of the path, opened; where that is missing, the nearest above it that is there."""
    while True:
        try:
            return root.open_parent(path)[0]
        except Missing:
            path = path.rpartition("/")[0]


def _told(problem: OSError, path: str) -> Exception:
    told = explained(problem, path)
    if isinstance(told, Problem):
        return told
    return NotWritten(f"The file {shown(path)} could not be written: {problem.strerror}.")
