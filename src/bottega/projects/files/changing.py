"""A person's changes of files: each names the version that it is about, and changes nothing where that is not there.

`.git` is git's: what is written there decides what git runs, outside of every sandbox, for whoever uses it next.
"""

import errno
import os
import shutil
import stat

import msgspec

from bottega.errors import BadUsage, Conflict, Problem
from bottega.projects.files.limits import MIB, WHOLE
from bottega.projects.files.version import (
    NONE,
    Changed,
    Taken,
    digest,
    refuse_other,
    version_at,
    version_of,
)
from bottega.tools.editing.change import Protected
from bottega.tools.editing.written import EMPTY, written
from bottega.tools.reading import TooLarge
from bottega.workspaces.beneath import rename_new, sync_folder
from bottega.workspaces.changes.apply import NotWritten, apply
from bottega.workspaces.confine import Missing, Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.fence import Holds
from bottega.workspaces.git.proposed import version_control_danger
from bottega.workspaces.gitfiles import is_of_git
from bottega.workspaces.problems import Stale, explained, shown


class Made(msgspec.Struct, frozen=True):
    """A file as it was left."""

    path: str
    version: str
    size: int
    created: bool


def refuse_gits(path: str) -> None:
    if is_of_git(path):
        raise Protected(
            f"The path {shown(path)} belongs to git, and may decide what git runs.",
            hint="Use git itself to change it.",
        )


def refuse_plant(root: Root, path: str) -> None:
    """Refuse a canonical path at which version control would find something to run. Waits for the disk."""
    if why := version_control_danger(root, (path,)):
        raise Protected(
            f"The path {shown(path)} cannot be written from here: {why}.",
            hint="Have the owner of this machine do it there.",
        )


def named(root: Root, path: str) -> str:
    """The canonical path of an entry itself, even where it is a link. Waits for the disk."""
    folder, _, name = root.relative(path).rpartition("/")
    if name in (".", ".."):
        raise BadUsage(f"The path {shown(path)} names no entry of a folder.")
    above = root.canonical(folder or ".")
    return name if above == "." else f"{above}/{name}"


def write(root: Root, path: str, content: str, version: str, fence: Holds) -> Made:
    """Give the file at a canonical path another text, encoded as it was. Waits for the disk."""
    before = current(root, path)
    found = NONE if before is None else digest(before)
    refuse_other(path, version, found)
    old = EMPTY if before is None else written(before, path)
    after = old.filled(content).body()
    try:
        if after != before:
            apply(root, Change((Edit(path, before, after),)), fence)
    except Stale:
        now = version_at(root, path)
        raise (Changed(path, now) if version else Taken(path, now)) from None
    return Made(path, digest(after), len(after), before is None)


def make_folder(root: Root, path: str, fence: Holds) -> None:
    """A new folder at a canonical path, with those above it. Waits for the disk."""
    made: list[str] = []
    with fence.held():
        root.check_present()
        opened, _ = root.open_parent(f"{path}/new", made)
        os.close(opened)
    if path not in made:
        raise Taken(path)


def remove(root: Root, path: str, version: str, fence: Holds, *, recursive: bool = False) -> None:
    """Remove the entry itself; a folder that is not empty only where that was said. Waits for the disk."""
    with fence.held():
        root.check_present()
        folder, name = root.open_parent(path)
        try:
            mode = _looked_at(folder, name, path, version)
            if not stat.S_ISDIR(mode):
                os.unlink(name, dir_fd=folder)
            elif recursive:
                shutil.rmtree(name, dir_fd=folder)
            else:
                os.rmdir(name, dir_fd=folder)
            sync_folder(folder)
        except OSError as problem:
            raise _told(problem, path) from None
        except RecursionError:
            raise NotWritten(
                f"The folder {shown(path)} is too deep; not all of it was removed.",
                hint="Remove folders in it one by one.",
            ) from None
        finally:
            os.close(folder)


def move(root: Root, path: str, to: str, version: str, fence: Holds) -> None:
    """Give the entry another name or place, where nothing is yet. Waits for the disk."""
    with fence.held():
        root.check_present()
        folder, name = root.open_parent(path)
        try:
            _looked_at(folder, name, path, version)
            target, new_name = root.open_parent(to)
            try:
                rename_new(name, folder, new_name, target)
                sync_folder(target)
                sync_folder(folder)
            finally:
                os.close(target)
        except OSError as problem:
            raise _told(problem, path, to) from None
        finally:
            os.close(folder)


def _looked_at(folder: int, name: bytes, path: str, version: str) -> int:
    """What kind of thing it is; refused where it is a file of another version. Only files have one."""
    found = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISREG(found):
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            now = version_of(opened)
        finally:
            os.close(opened)
        if now != version:
            raise Changed(path, now)
    return found


def _told(problem: OSError, path: str, to: str = "") -> Exception:
    if problem.errno == errno.ENOTEMPTY:
        return Conflict(
            f"The folder {shown(path)} is not empty.",
            hint="Say `recursive` to remove it with all that is in it.",
        )
    if problem.errno == errno.EEXIST:
        return Taken(to or path)
    if problem.errno == errno.EINVAL:
        return BadUsage(f"The folder {shown(path)} cannot be moved into itself.")
    told = explained(problem, path)
    if isinstance(told, Problem):
        return told
    return NotWritten(f"The path {shown(path)} could not be changed: {problem.strerror}.")


def current(root: Root, path: str) -> bytes | None:
    """The content of the file at a canonical path; None: there is none. Refuses what is too large to be edited."""
    try:
        opened = root.open_file(path, follow=False)
    except Missing:
        return None
    with os.fdopen(opened, "rb") as file:
        body = file.read(WHOLE + 1)
    if len(body) > WHOLE:
        raise TooLarge(
            f"The file {shown(path)} is larger than {WHOLE // MIB} MB; it cannot be edited as text.",
            hint="Replace it with an upload.",
        )
    return body
