"""Ignore files of a workspace, looked at without opening what could keep a program waiting.

Programs that search open every ignore file on their way. A pipe in place of one would hold them up, and a huge one
would fill the memory: then they are given the rules of the others instead.
"""

import os
import stat

import msgspec

from bottega.workspaces.confine import Root
from bottega.workspaces.entries import in_order

NAMES = (".gitignore", ".ignore", ".rgignore")
LARGEST = 256 * 1024
"""Bytes of one that is read."""
_FOLDERS = 20_000
_DEEPEST = 64
_STEP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Found(msgspec.Struct):
    names: tuple[str, ...] = NAMES
    sound: list[str] = []
    """Those that can be read, outer folders first."""
    odd: str = ""
    """The first that is none: a pipe, a device, something huge."""
    folders: int = 0


def look_at(root: Root, path: str = ".", names: tuple[str, ...] = NAMES) -> Found:
    """The ignore files in a folder and in all below it; no link to a folder is followed. Waits for the disk."""
    found = Found(names)
    opened = root.open_folder(path, follow=False)
    try:
        _folder(opened, "" if path == "." else f"{path}/", found)
    finally:
        os.close(opened)
    return found


def _folder(opened: int, path: str, found: Found) -> None:
    folders: list[str] = []
    with os.scandir(opened) as entries:
        for entry in entries:
            if entry.name in found.names:
                _file(opened, entry.name, path, found)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name == ".git":
                    _file(opened, ".git/info/exclude", path, found)
                elif len(folders) <= _FOLDERS:  # no more are looked into
                    folders.append(entry.name)
            elif entry.name == ".git" and not _names_a_folder(opened):
                found.odd = found.odd or f"{path}.git"
    for name in in_order(folders, str):
        found.folders += 1
        if found.folders > _FOLDERS or path.count("/") > _DEEPEST:
            return
        try:
            inner = os.open(name, _STEP, dir_fd=opened)
        except OSError:
            continue
        try:
            _folder(inner, f"{path}{name}/", found)
        finally:
            os.close(inner)


def _file(opened: int, name: str, path: str, found: Found) -> None:
    try:
        seen = os.stat(name, dir_fd=opened)
    except OSError:  # it is not there, or leads nowhere
        return
    if stat.S_ISREG(seen.st_mode) and seen.st_size <= LARGEST:
        found.sound.append(f"{path}{name}")
    elif not stat.S_ISDIR(seen.st_mode):
        found.odd = found.odd or f"{path}{name}"


def _names_a_folder(opened: int) -> bool:
    """Whether `.git`, a file, names a repository in which nothing waits for a reader."""
    try:
        file = os.open(".git", os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=opened)
    except OSError:
        return True  # nobody can read it
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return False
        words = os.read(file, 4096).decode(errors="surrogateescape")
    finally:
        os.close(file)
    place = words.partition("gitdir:")[2].strip()
    try:
        there = os.stat(os.path.join(place, "commondir"), dir_fd=opened)
    except (OSError, ValueError):
        return True
    return stat.S_ISREG(there.st_mode)
