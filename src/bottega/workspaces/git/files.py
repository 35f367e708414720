"""Reads and replaces files where others may have put links, pipes or anything else in their place.

Every step opens a folder without following links, and works on one name in it.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import msgspec

from bottega.errors import Problem
from bottega.workspaces.changes import leftovers
from bottega.workspaces.confine import Root
from bottega.workspaces.entries import in_order

T = TypeVar("T")
LARGEST = 1 << 20
"""Bytes of a file that are kept."""
MOST = 64 << 20
"""Bytes of a file that are looked at."""
_NAMES = 300_000
"""Names in a folder that are kept in memory."""
DEEPEST = 32
"""Folders within folders that are held open at once."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT})
_NOWHERE = frozenset({errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP, errno.ENOTDIR, errno.ENOENT})
_HELD = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class File(msgspec.Struct, frozen=True):
    mode: int
    inode: int
    device: int
    sha: str = ""
    """Of the bytes, or of what a link says; empty: they cannot be read, or are too many."""
    content: bytes | None = None
    """None: too much to keep."""
    names: int = 1
    """How many it has."""

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)


class Crowded(OSError):
    """A folder has more names than are kept in memory: a part of them would hide what is in the rest."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EOVERFLOW, f"A folder has more than {_NAMES:,} names")
        self.path = path
        self.repository: str | None = None
        """The one whose list it is, if that is known."""


def refuse_crowd(path: str, count: int) -> None:
    """Raise `Crowded` where so many are more than are kept in memory."""
    if count > _NAMES:
        raise Crowded(path)


def is_straight(said: bytes) -> bool:
    """Whether a path steps back at most where it begins: behind a link, `..` is not what its letters say."""
    steps = said.split(b"/")
    while steps and steps[0] in (b"", b".", b".."):
        del steps[0]
    return b".." not in steps


def refuse_shortage(problem: BaseException) -> None:
    """Raise it where descriptors, memory or room on a disk are short: that says nothing about what is there."""
    cause = problem if isinstance(problem, OSError) else problem.__context__
    if isinstance(cause, OSError) and cause.errno in _SHORT:
        raise cause


def _refuse_unknown(problem: Exception) -> None:
    """Raise it unless it says that there is nothing, as it does of what no file can be called."""
    refuse_shortage(problem)
    if isinstance(problem, OSError) and problem.errno not in _NOWHERE:
        raise problem


@contextmanager
def opened_up(held: int) -> Generator[str]:
    """A way to the file or folder of a descriptor, with every right to it for the moment, where it is ours.

    Git needs no right to list a folder, nor to read a program that it runs: what was planted may have neither.
    """
    now = os.fstat(held)
    itself, rights = f"/proc/self/fd/{held}", stat.S_IMODE(now.st_mode)
    wanted = rights | (0o700 if stat.S_ISDIR(now.st_mode) else 0o600)
    if wanted == rights or now.st_uid != os.geteuid():
        yield itself
        return
    os.chmod(itself, wanted)
    try:
        yield itself
    finally:
        with suppress(OSError):
            os.chmod(itself, rights)


def listable(above: int, name: bytes) -> int:
    """Open a folder in another one to list it; -1: nobody can reach what is in it. Raises `OSError`.

    One that programs can pass, and that we can by no means list, is an error: they may have put something there.
    """
    held = os.open(name, _HELD | os.O_DIRECTORY, dir_fd=above)
    try:
        with opened_up(held) as itself:
            try:
                return os.open(itself, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except PermissionError:
                if os.access(itself, os.X_OK, effective_ids=True):
                    raise
                return -1
    finally:
        os.close(held)


def glance(root: Root, path: str) -> File | None:
    """What kind of file is there, whatever it holds; as `look` otherwise."""
    return look(root, path, 0)


def look(root: Root, path: str, most: int = MOST) -> File | None:
    """What is there, the link itself if it is one; None: nothing. Raises `OSError` where that cannot be known.

    Files of more than `most` bytes are not read: one may be huge and weigh nothing.
    """
    try:
        folder, name = root.open_parent(path)
    except (Problem, OSError) as problem:
        _refuse_unknown(problem)
        return None
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            target = os.fsencode(os.readlink(name, dir_fd=folder))
            return _file(found, hashlib.sha256(target).hexdigest(), target)
        if stat.S_ISREG(found.st_mode) and most:
            return _read(folder, name, found, most)
        return _file(found)
    except OSError as problem:
        refuse_shortage(problem)
        return None
    finally:
        os.close(folder)


def status(root: Root, path: str) -> os.stat_result | None:
    """What the system knows of what is there; None: nothing is. Raises `OSError` where that cannot be known."""
    try:
        folder, name = root.open_parent(path)
    except (Problem, OSError) as problem:
        _refuse_unknown(problem)
        return None
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as problem:
        refuse_shortage(problem)
        return None
    finally:
        os.close(folder)


def _file(found: os.stat_result, sha: str = "", content: bytes | None = None) -> File:
    return File(found.st_mode, found.st_ino, found.st_dev, sha, content, found.st_nlink)


def _read(folder: int, name: bytes, found: os.stat_result, most: int) -> File:
    try:
        opened = _readable(folder, name)
    except OSError as problem:
        refuse_shortage(problem)
        return _file(found)
    with os.fdopen(opened, "rb") as file:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            return _file(found)
        content = file.read(LARGEST + 1)
        sha, read = hashlib.sha256(content), len(content)
        while read < most and (piece := file.read(LARGEST)):  # many may look at once
            sha.update(piece)
            read += len(piece)
    return _file(found, sha.hexdigest(), content if read <= LARGEST else None)


def _readable(folder: int, name: bytes) -> int:
    """Open what is to be read, a file of ours whatever its mode says; raises `OSError`."""
    try:
        return os.open(name, _READ, dir_fd=folder)
    except PermissionError:
        held = os.open(name, _HELD, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(held).st_mode):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fsdecode(name))
        with opened_up(held) as itself:
            return os.open(itself, _READ & ~os.O_NOFOLLOW)
    finally:
        os.close(held)


def open_readable(root: Root, path: str) -> int | None:
    """A regular file to read, which the caller closes; None: there is none, or it cannot be read."""
    try:
        folder, name = root.open_parent(path)
    except (Problem, OSError) as problem:
        _refuse_unknown(problem)
        return None
    try:
        opened = _readable(folder, name)
    except OSError as problem:
        refuse_shortage(problem)
        return None
    finally:
        os.close(folder)
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    return None


def _every(_: str) -> bool:
    return True


def names(root: Root, path: str, wanted: Callable[[str], bool] = _every) -> list[str] | None:
    """The names in a folder, perhaps only those that are wanted; None: it is none, or nobody can reach them.

    Raises `OSError` where they cannot be known.
    """
    with _listing(root, path) as opened:
        if opened < 0:
            return None
        with os.scandir(opened) as entries:
            found = (entry.name for entry in entries if wanted(entry.name))
            return list(in_order(_bounded(path, found), str))


def beneath(root: Root, folder: str, *, deep: bool = True) -> Iterator[str]:
    """The paths of all files in a folder, and of those in its folders; whatever is no folder is a file here."""
    left = [folder]
    while left:
        at = left.pop()
        prefix = f"{at}/" if at else ""
        with _listing(root, at) as opened:
            if opened < 0:
                continue
            with os.scandir(opened) as entries:
                every = ((each.name, each.is_dir(follow_symlinks=False)) for each in entries)
                found = list(in_order(_bounded(at, every), lambda each: each[0]))
        yield from (prefix + name for name, is_folder in found if not is_folder)
        if deep:
            left += (prefix + name for name, is_folder in found if is_folder)


def walked(root: Root, folder: str, *, deep: bool = True, depth: int = 0) -> Iterator[str]:
    """As `beneath`, in no order, and however many there are: none is kept."""
    if depth > DEEPEST:
        try:
            yield from beneath(root, folder)
        except Crowded:
            raise Crowded(folder) from None
        return
    prefix = f"{folder}/" if folder else ""
    with _listing(root, folder) as opened:
        if opened < 0:
            return
        with os.scandir(opened) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    yield prefix + entry.name
                elif deep:
                    yield from walked(root, prefix + entry.name, depth=depth + 1)


def stats(root: Root, folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """The regular files in a folder, however many, with what the system knows of them."""
    with _listing(root, folder) as opened:
        if opened < 0:
            return
        with os.scandir(opened) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    if entry.is_file(follow_symlinks=False):
                        yield entry.name, entry.stat(follow_symlinks=False)


@contextmanager
def _listing(root: Root, path: str) -> Generator[int]:
    """A folder to list, as its descriptor; -1: it is none, or nobody can reach what is in it."""
    opened = root.open_folder() if path in ("", ".") else _opened_to_list(root, path)
    try:
        yield opened
    finally:
        if opened >= 0:
            os.close(opened)


def _opened_to_list(root: Root, path: str) -> int:
    try:
        folder, name = root.open_parent(path)
    except (Problem, OSError) as problem:
        _refuse_unknown(problem)
        return -1
    try:
        return listable(folder, name)
    except PermissionError:
        if os.access(".", os.X_OK, dir_fd=folder, effective_ids=True):
            raise
        return -1
    except OSError as problem:
        _refuse_unknown(problem)
        return -1
    finally:
        os.close(folder)


def _bounded(path: str, things: Iterable[T]) -> Iterator[T]:
    """All that is in a folder, unless it is `Crowded`."""
    for number, thing in enumerate(things):
        if number >= _NAMES:
            raise Crowded(path)
        yield thing


@contextmanager
def _changing(root: Root, path: str) -> Generator[tuple[int, bytes]]:
    """The folder of what is to be changed, with the right to do so where it is ours, and its name there."""
    folder, name = root.open_parent(path)
    try:
        with opened_up(folder):
            yield folder, name
    finally:
        os.close(folder)


def write(root: Root, path: str, content: bytes, mode: int = 0o644) -> None:
    """Put a new file in the place of whatever is there; raises `OSError` or a `Problem`."""
    with _changing(root, path) as (folder, name):
        _replace(root, folder, name, (content,), mode)


def set_apart(root: Root, path: str, most: int) -> int | None:
    """Put a copy in the place of a file that has other names, too; how many bytes that took.

    None: it has more than `most`. Raises `OSError` or a `Problem`.
    """
    with (
        _changing(root, path) as (folder, name),
        os.fdopen(_readable(folder, name), "rb") as file,
    ):
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "It is no file any more", path)
        if found.st_size > most:
            return None
        content = file.read(most + 1)  # it may grow
        if len(content) > most:
            return None
        _replace(root, folder, name, (content,), found.st_mode)
        return len(content)


def _replace(root: Root, folder: int, name: bytes, pieces: Iterable[bytes], mode: int) -> None:
    fresh = leftovers.fresh_name()
    opened = os.open(fresh, _NEW, 0o600, dir_fd=folder)
    try:
        with os.fdopen(opened, "wb") as file:
            file.writelines(pieces)
            if root.owner != (-1, -1):
                os.fchown(opened, *root.owner)
            os.fchmod(opened, stat.S_IMODE(mode) & 0o777)
        os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(fresh, dir_fd=folder)
        raise


def remove(root: Root, path: str) -> None:
    """Take away what is there, unless it is a folder; raises `OSError` or a `Problem`."""
    with _changing(root, path) as (folder, name), suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
