"""Every repository in a workspace, wherever it lies: ignored folders are looked into as well, links are not followed.

A folder's time of change tells whether its names have changed since the last look, and no program can forge it: only
those that did are read again.
"""

import os
import stat
import time
from contextlib import suppress

import msgspec

from bottega.workspaces.beneath import open_walking, openat2
from bottega.workspaces.confine import PATH_MAX, Root

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MARKS = frozenset({"head", "objects", "refs", "commondir", ".git"})
_RACY = 50_000_000
"""Nanoseconds: a folder that changed so shortly before it was read may change again without its times telling."""
LONGEST = 60.0
"""Seconds for one look."""


class Found(msgspec.Struct):
    repositories: set[str] = msgspec.field(default_factory=set[str])
    """Folders that git takes for a repository, relative to the workspace; empty: the workspace itself."""
    pointers: set[str] = msgspec.field(default_factory=set[str])
    """Files called `.git`, which say where the repository is."""
    links: set[str] = msgspec.field(default_factory=set[str])
    """Symbolic links called `.git`."""
    folders: int = 0
    whole: bool = True
    """False: not everything could be looked at."""


class _Seen(msgspec.Struct, frozen=True, array_like=True, gc=False):
    inode: int
    device: int
    changed: int
    """0: it is to be read again."""
    folders: tuple[str, ...]
    repository: bool
    pointer: str
    link: str


class Scanner:
    """Looks at one workspace again and again. Waits for the disk: use a thread."""

    def __init__(self) -> None:
        self._known: dict[str, _Seen] = {}

    def scan(self, root: Root, seconds: float = LONGEST) -> Found:
        found, known = Found(), dict[str, _Seen]()
        deadline = time.monotonic() + seconds
        top = root.open_folder()
        try:
            left = [""]
            while left:
                path = left.pop()
                if len(known) % 256 == 0 and time.monotonic() > deadline:
                    found.whole = False
                    break
                seen = self._look(top, path, found)
                if seen is None:
                    continue
                known[path] = seen
                prefix = f"{path}/" if path else ""
                _note(seen, path, prefix, found)
                left += [prefix + name for name in seen.folders]
        finally:
            os.close(top)
        found.folders = len(known)
        self._known = known
        return found

    def _look(self, top: int, path: str, found: Found) -> _Seen | None:
        raw = os.fsencode(path) or b"."
        if len(raw) > PATH_MAX:
            return None  # nobody can name it, and so git cannot be run there
        try:
            opened = (openat2() or open_walking)(top, raw, _FOLDER, 0, False)
        except PermissionError:
            return _unlocked(top, raw, found)
        except OSError:  # it went, or is something else by now
            return None
        try:
            now = os.fstat(opened)
            known = self._known.get(path)
            if known and (known.inode, known.device, known.changed) == (
                now.st_ino,
                now.st_dev,
                now.st_ctime_ns,
            ):
                return known
            return _read(opened, now)
        except OSError:
            found.whole = False
            return None
        finally:
            os.close(opened)


def _note(seen: _Seen, path: str, prefix: str, found: Found) -> None:
    if seen.repository or path.rpartition("/")[2].lower() == ".git":
        found.repositories.add(path)
    if seen.pointer:
        found.pointers.add(prefix + seen.pointer)
    if seen.link:
        found.links.add(prefix + seen.link)


def _read(opened: int, now: os.stat_result) -> _Seen:
    began = time.time_ns()
    folders: list[str] = []
    marks: set[str] = set()
    pointer = link = ""
    with os.scandir(opened) as entries:
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
            lower = name.lower()
            if lower in _MARKS:
                marks.add(lower)
                if lower == ".git" and entry.is_symlink():
                    link = name
                elif lower == ".git" and entry.is_file(follow_symlinks=False):
                    pointer = name
    repository = "head" in marks and ("commondir" in marks or {"objects", "refs"} <= marks)
    racy = now.st_ctime_ns > began - _RACY
    changed = 0 if racy else now.st_ctime_ns
    return _Seen(now.st_ino, now.st_dev, changed, tuple(folders), repository, pointer, link)


def _unlocked(top: int, raw: bytes, found: Found) -> _Seen | None:
    """A folder that may be passed but not listed hides nothing from git: open it up for a moment."""
    try:
        flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        held = (openat2() or open_walking)(top, raw, flags, 0, False)
    except OSError:
        return None
    try:
        now = os.fstat(held)
        if now.st_uid != os.geteuid():
            return None  # it is nobody's here, so no program of ours has put anything there
        itself = f"/proc/self/fd/{held}"
        os.chmod(itself, stat.S_IMODE(now.st_mode) | 0o700)
        try:
            opened = os.open(itself, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                return _read(opened, os.fstat(opened))
            finally:
                os.close(opened)
        finally:
            with suppress(OSError):
                os.chmod(itself, stat.S_IMODE(now.st_mode))
    except OSError:
        found.whole = False
        return None
    finally:
        os.close(held)


_scanners: dict[tuple[int, int], Scanner] = {}
_SCANNERS = 8


def scanner_of(root: Root) -> Scanner:
    """One for each workspace, so that it need not be read anew by everybody who looks."""
    key = root.identity
    found = _scanners.get(key)
    if found is None:
        while len(_scanners) >= _SCANNERS:
            with suppress(KeyError, StopIteration, RuntimeError):
                del _scanners[next(iter(_scanners))]
        found = _scanners[key] = Scanner()
    return found
