"""One edit on its way: compared with what is there, written beside it, switched in by one rename.

Every step works on an open folder and one name in it, and follows no link. Until `switch` nothing of the old file has
changed; after it `switch_back` needs no room on the disk, as the old file is still there under a passing name.
"""

import errno
import os
import stat
from contextlib import suppress

from bottega.failpoint import failpoint
from bottega.workspaces.beneath import sync_folder
from bottega.workspaces.changes import leftovers
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Edit
from bottega.workspaces.listing import kind_of
from bottega.workspaces.problems import Missing, NotAFile, explained, shown, stale

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_NO_LINKS = {errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EACCES, errno.EXDEV}
_ATTRIBUTES = ("user.", "system.posix_acl_access")


def current(root: Root, path: str) -> bytes | None:
    """The whole content of the file at a canonical path, following no link; None: nothing is there."""
    try:
        folder, name = root.open_parent(path)
    except Missing:
        return None
    try:
        found = _open(folder, name, path)
        if found is None:
            return None
        with os.fdopen(found, "rb") as file:
            return file.read()
    except OSError as problem:
        raise explained(problem, path) from None
    finally:
        os.close(folder)


class Site:
    def __init__(self, root: Root, edit: Edit) -> None:
        self.edit = edit
        self._root = root
        self._folder = -1
        self._name = b""
        self._old: os.stat_result | None = None
        self._next = b""
        """The passing name of the new bytes."""
        self._spare = b""
        """The passing name of the old file."""
        self._new: os.stat_result | None = None
        self.made: list[str] = []
        """Folders that had to be made for it, outermost first."""

    def compare(self) -> None:
        """Refuse where the file is not what the edit was worked out from; changes nothing."""
        edit = self.edit
        try:
            self._folder, self._name = self._root.open_parent(edit.path)
            opened = _open(self._folder, self._name, edit.path)
        except Missing:
            opened = None
        if opened is None:
            if edit.before is not None:
                raise stale(edit.path, "is gone")
            return
        try:
            self._old = os.fstat(opened)
            if edit.before is None:
                raise stale(edit.path, "is there by now")
            if self._old.st_size != len(edit.before) or _content(opened) != edit.before:
                raise stale(edit.path)
        finally:
            os.close(opened)
        self._check_writable()

    def prepare(self) -> None:
        """Write the new bytes beside the old file, durably, and keep the old file under another name."""
        if self._folder < 0:
            self._folder, self._name = self._root.open_parent(self.edit.path, self.made)
        leftovers.clean(self._folder)
        if self.edit.after is not None:
            failpoint("files.before_write")
            self._next = leftovers.fresh_name()
            self._new = self._write(self._next, self.edit.after)
        if self._old:
            self._keep_spare(self._old)

    def switch(self) -> None:
        """Put the new file in the old one's place, or take the old one away."""
        self._check_unchanged()
        failpoint("files.before_rename")
        if self._next:
            self._rename(self._next, self._name)
            self._next = b""
        elif self._old:
            os.unlink(self._name, dir_fd=self._folder)
        failpoint("files.after_rename")

    def switch_back(self) -> None:
        """Undo `switch`, if it came that far."""
        failpoint("files.before_switch_back")
        if self._old:
            found = self._stat(self._name)
            if not found or not _same(found, self._old):
                self._rename(self._spare, self._name)
                self._spare = b""
        elif self._new and not self._next:
            found = self._stat(self._name)
            if found and _same(found, self._new):
                os.unlink(self._name, dir_fd=self._folder)

    def sync(self) -> None:
        failpoint("files.before_sync")
        sync_folder(self._folder)

    def close(self) -> None:
        """Leave no passing name behind."""
        if self._folder < 0:
            return
        for name in filter(None, (self._next, self._spare)):
            with suppress(OSError):
                os.unlink(name, dir_fd=self._folder)
        os.close(self._folder)
        self._folder = -1

    def _check_writable(self) -> None:
        """A rename needs no right to the file itself; who may not write a file must not replace it either."""
        try:
            look = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            os.close(os.open(self._name, look, dir_fd=self._folder))
        except OSError as problem:
            if problem.errno != errno.ETXTBSY:  # a program that runs can still be replaced
                raise explained(problem, self.edit.path) from None

    def _check_unchanged(self) -> None:
        found = self._stat(self._name)
        old = self._old
        if old is None or found is None:
            if found is not old:
                raise stale(self.edit.path, "has come or gone meanwhile")
        elif not _same(found, old) or found.st_mtime_ns != old.st_mtime_ns:
            raise stale(self.edit.path)

    def _keep_spare(self, old: os.stat_result) -> None:
        self._spare = leftovers.fresh_name()
        try:
            os.link(
                self._name,
                self._spare,
                src_dir_fd=self._folder,
                dst_dir_fd=self._folder,
                follow_symlinks=False,
            )
        except OSError as problem:
            if problem.errno not in _NO_LINKS:
                raise
            assert self.edit.before is not None
            self._write(self._spare, self.edit.before)
            return
        found = self._stat(self._spare)
        if not found or not _same(found, old):
            raise stale(self.edit.path)

    def _write(self, name: bytes, content: bytes) -> os.stat_result:
        """A new file of that name with the old one's owner and rights; nobody else may read it before it is whole."""
        # Never the bits that lend a user's or a group's rights: the bytes are no longer those that got them.
        usual = (self.edit.mode or 0o666) & 0o777
        file = os.open(name, _NEW, 0o600 if self._old else usual, dir_fd=self._folder)
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(file, rest) :]
            if self._old:
                self._keep_rights(file, self._old)
            elif (owner := self._root.owner) != (-1, -1):
                os.fchown(file, *owner)
            os.fsync(file)
            return os.fstat(file)
        finally:
            os.close(file)

    def _keep_rights(self, file: int, old: os.stat_result) -> None:
        if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):  # only root may give a file to another
                os.fchown(file, old.st_uid, old.st_gid)
        os.fchmod(file, old.st_mode & 0o777)
        with suppress(OSError, AttributeError):  # not every system and disk has attributes
            opened = os.open(self._name, _READ, dir_fd=self._folder)
            try:
                for each in os.listxattr(opened):
                    if each.startswith(_ATTRIBUTES):
                        os.setxattr(file, each, os.getxattr(opened, each))
            finally:
                os.close(opened)

    def _rename(self, source: bytes, target: bytes) -> None:
        os.rename(source, target, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def _stat(self, name: bytes) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


def _open(folder: int, name: bytes, path: str) -> int | None:
    """Open a file to read it; None: nothing is there."""
    try:
        opened = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise stale(path, "has become a symbolic link") from None
        raise explained(problem, path) from None
    found = os.fstat(opened).st_mode
    if not stat.S_ISREG(found):
        os.close(opened)
        raise NotAFile(f"The path {shown(path)} names a {kind_of(found)}, not a file.")
    return opened


def _content(opened: int) -> bytes:
    with os.fdopen(opened, "rb", closefd=False) as file:
        return file.read()


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return os.path.samestat(one, other) and one.st_size == other.st_size
