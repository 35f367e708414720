"""Every repository in a workspace, wherever it lies: ignored folders are looked into as well, links are not followed.

A folder's time of change tells whether its names have changed since the last look, and no program can forge it: only
those that did are read again. Each folder is opened from the one above it, so that a deep tree costs no more than a
wide one; what does not fit into the bounds is said, and nobody may take it for looked at.
"""

import errno
import os
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import count

import msgspec

from bottega.workspaces.beneath import open_walking, openat2
from bottega.workspaces.confine import PATH_MAX, Identity, Root
from bottega.workspaces.git.contents.parts import Part, part_of
from bottega.workspaces.git.files import glance, listable

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OTHERS = frozenset({".hg", ".jj"})
_NAMED = _OTHERS | {".git"}
_MARKS = _NAMED | {"head", "objects", "refs", "commondir"}
_RACY = 50_000_000
"""Nanoseconds: a folder that changed so shortly before it was read may change again without its times telling."""
LONGEST = 60.0
"""Seconds for one look."""
_FOLDERS = 5_000_000
"""Folders that are looked at."""
_WIDEST = 1_000_000
"""Folders in one folder."""
_REPOSITORIES = 5_000
_ODD = 20_000
"""Links, special files and files with several names in all repositories."""
_REMEMBERED = 400_000
"""Folders that need not be read again if they have not changed, with those that are in them."""
_WENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""A folder is no longer there: any other error is one of ours, and what lies there was not looked at."""
_OPEN = 32
"""Folders that are held open at once."""


class Found(msgspec.Struct):
    repositories: set[str] = msgspec.field(default_factory=set[str])
    """Folders that git takes for a repository, relative to the workspace; empty: the workspace itself."""
    pointers: set[str] = msgspec.field(default_factory=set[str])
    """Files called `.git`, which say where the repository is."""
    links: set[str] = msgspec.field(default_factory=set[str])
    """Symbolic links called `.git`, `.hg` or `.jj`."""
    others: set[str] = msgspec.field(default_factory=set[str])
    """Folders called `.hg` or `.jj`, of Mercurial and Jujutsu."""
    odd: set[str] = msgspec.field(default_factory=set[str])
    """In repositories: symbolic links, special files, and files with several names that are no objects."""
    wanted: frozenset[Identity] = frozenset()
    """Folders that are asked for."""
    places: dict[Identity, str] = msgspec.field(default_factory=dict[Identity, str])
    """Where they are."""
    folders: int = 0
    remembered: int = 0
    """Folders that need not be read again, and what they hold."""
    whole: bool = True
    """False: not everything could be looked at."""
    is_crowded: bool = False
    """It is not whole, because there is too much of git's."""

    def add(self, other: "Found") -> None:
        """What was found elsewhere."""
        self.repositories |= other.repositories
        self.pointers |= other.pointers
        self.links |= other.links
        self.others |= other.others
        self.odd |= other.odd
        self.places |= other.places


class _Seen(msgspec.Struct, frozen=True, array_like=True, gc=False):
    changed: int
    """0: it is to be read again."""
    folders: tuple[str, ...]
    repository: bool
    pointers: tuple[str, ...]
    """More than one where names differ only in capital letters."""
    links: tuple[str, ...]
    is_work_tree: bool
    """Something in it is called `.git`."""
    odd: tuple[str, ...]
    """What is neither a folder nor a regular file."""


class _Step(msgspec.Struct):
    """A folder on the way down."""

    path: str
    identity: tuple[int, int]
    opened: int
    """-1: it is closed, for there are too many."""
    left: Iterator[str]
    part: Part = Part.NONE
    """Of a repository."""


class Scanner:
    """Looks at one workspace again and again. Waits for the disk: use a thread."""

    def __init__(self) -> None:
        self._known: dict[Identity, _Seen] = {}

    def scan(
        self,
        root: Root,
        seconds: float = LONGEST,
        wanted: Collection[Identity] = (),
        known: Collection[str] = (),
    ) -> Found:
        """Where not everything can be looked at, repositories that are `known` are all the same."""
        found, seen = Found(wanted=frozenset(wanted)), dict[tuple[int, int], _Seen]()
        self._walk(root, "", seconds, found, seen)
        if not found.whole:
            self.add(root, known, found, seconds)
        self._known = seen
        return found

    def add(
        self, root: Root, known: Collection[str], found: Found, seconds: float = LONGEST
    ) -> None:
        """Look at these repositories, each with bounds of its own: what crowds one of them hides no other."""
        deadline, seen = time.monotonic() + seconds, dict[tuple[int, int], _Seen]()
        for path in sorted(known):
            now = glance(root, path) if path else None
            if now is None or not now.is_folder:
                continue
            there = Found(repositories={path}, wanted=found.wanted)
            self._walk(root, path, deadline - time.monotonic(), there, seen)
            found.add(there)

    def _walk(
        self,
        root: Root,
        path: str,
        seconds: float,
        found: Found,
        known: dict[tuple[int, int], _Seen],
    ) -> None:
        """Through a folder and all that is in it."""
        deadline = time.monotonic() + seconds
        top = root.open_folder()
        way: list[_Step] = []
        try:
            opened = _opened(top, path, found)
            if opened >= 0:
                self._enter(opened, path, way, found, known)
            for turn in count():
                if not way:
                    break
                found.is_crowded |= _is_full(found)
                if found.is_crowded or _is_late(turn, deadline, found):
                    found.whole = False
                    break
                self._further(top, way, found, known)
        finally:
            for step in way:
                _close(step)
            os.close(top)

    def _further(
        self, top: int, way: list[_Step], found: Found, known: dict[tuple[int, int], _Seen]
    ) -> None:
        """Into the next folder of the last one on the way, or back up."""
        step = way[-1]
        name = next(step.left, None)
        if name is None:
            _close(way.pop())
            return
        path = f"{step.path}/{name}" if step.path else name
        if len(os.fsencode(path)) > PATH_MAX:
            return  # nobody can name it, and so git cannot be run there
        if step.opened < 0 and not _reopened(top, step, found):
            step.left = iter(())  # it has gone, or is elsewhere
            return
        opened = _open(step.opened, os.fsencode(name), found)
        if opened < 0:
            return
        if len(way) >= _OPEN:
            _close(way[-_OPEN])
        self._enter(opened, path, way, found, known)

    def _enter(
        self,
        opened: int,
        path: str,
        way: list[_Step],
        found: Found,
        known: dict[tuple[int, int], _Seen],
    ) -> None:
        step = _Step(path, (0, 0), opened, iter(()))
        way.append(step)
        try:
            now = os.fstat(opened)
            step.identity = (now.st_dev, now.st_ino)
            above = way[-2].part if len(way) > 1 else Part.NONE
            if step.identity in found.wanted:
                found.places[step.identity] = path
            seen = self._known.get(step.identity)
            if seen is None or seen.changed != now.st_ctime_ns:
                seen = _read(opened, now)
            name = path.rpartition("/")[2].lower()
            is_repository = seen.repository or name == ".git"
            step.part = part_of(name, above, is_repository, seen.is_work_tree)
            shared = _shared(opened) if step.part.may_share_nothing else ()
        except OSError:
            found.whole = False
            return
        if found.remembered + len(seen.folders) < _REMEMBERED:
            found.remembered += len(seen.folders) + 1
            known[step.identity] = seen
        found.folders += 1
        prefix = f"{path}/" if path else ""
        _note(seen, path, prefix, found)
        if step.part is not Part.NONE:
            found.odd.update(prefix + each for each in (*seen.odd, *shared))
        if len(seen.folders) > _WIDEST:
            found.whole = False
        step.left = iter(seen.folders)


def _is_full(found: Found) -> bool:
    each = (found.repositories, found.pointers, found.links, found.others)
    return len(found.odd) > _ODD or any(len(some) > _REPOSITORIES for some in each)


def _is_late(turn: int, deadline: float, found: Found) -> bool:
    return found.folders > _FOLDERS or (turn % 256 == 0 and time.monotonic() > deadline)


def _close(step: _Step) -> None:
    if step.opened >= 0:
        os.close(step.opened)
        step.opened = -1


def _opened(top: int, path: str, found: Found) -> int:
    """A folder in the workspace, past no link; -1: it went, or nobody can open it."""
    try:
        way = os.fsencode(path or ".")
        return (openat2() or open_walking)(top, way, _FOLDER, 0, False)
    except OSError as problem:
        found.whole &= problem.errno in _WENT
        return -1


def _reopened(top: int, step: _Step, found: Found) -> bool:
    step.opened = _opened(top, step.path, found)
    if step.opened < 0:
        return False
    now = os.fstat(step.opened)
    return (now.st_dev, now.st_ino) == step.identity


def _open(above: int, name: bytes, found: Found) -> int:
    """A folder in another one; -1: it went, is something else by now, or nobody's here."""
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except PermissionError:
        return _locked(above, name, found)
    except OSError as problem:
        found.whole &= problem.errno in _WENT
        return -1


def _locked(above: int, name: bytes, found: Found) -> int:
    """A folder that may be passed but not listed hides nothing from git."""
    if not os.access(".", os.X_OK, dir_fd=above, effective_ids=True):
        return -1  # nor can anybody pass the one above it
    try:
        return listable(above, name)
    except OSError as problem:
        found.whole &= problem.errno in _WENT
        return -1


def _note(seen: _Seen, path: str, prefix: str, found: Found) -> None:
    name = path.rpartition("/")[2].lower()
    if seen.repository or name == ".git":
        found.repositories.add(path)
    if name in _OTHERS:
        found.others.add(path)
    found.pointers.update(prefix + pointer for pointer in seen.pointers)
    found.links.update(prefix + link for link in seen.links)


def _read(opened: int, now: os.stat_result) -> _Seen:
    began = time.time_ns()
    folders: list[str] = []
    marks: set[str] = set()
    pointers: list[str] = []
    links: list[str] = []
    odd: list[str] = []
    with os.scandir(opened) as entries:
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
                if len(folders) > _WIDEST:
                    break
                if name == ".git":  # whatever crowds are beside it
                    folders[0], folders[-1] = folders[-1], folders[0]
            elif len(odd) <= _ODD and not entry.is_file(follow_symlinks=False):
                odd.append(name)
            lower = name.lower()
            if lower in _MARKS:
                marks.add(lower)
                if lower in _NAMED and entry.is_symlink():
                    links.append(name)
                elif lower == ".git" and entry.is_file(follow_symlinks=False):
                    pointers.append(name)
    repository = "head" in marks and ("commondir" in marks or {"objects", "refs"} <= marks)
    racy = now.st_ctime_ns > began - _RACY
    changed = 0 if racy else now.st_ctime_ns
    named = (tuple(links), ".git" in marks, tuple(odd))
    return _Seen(changed, tuple(folders), repository, tuple(pointers), *named)


def _shared(opened: int) -> list[str]:
    """Files with several names. No time of the folder tells that one has got another name elsewhere."""
    found: list[str] = []
    with os.scandir(opened) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                if (
                    entry.is_file(follow_symlinks=False)
                    and entry.stat(follow_symlinks=False).st_nlink > 1
                ):
                    found.append(entry.name)
                    if len(found) > _ODD:
                        break
    return found


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
