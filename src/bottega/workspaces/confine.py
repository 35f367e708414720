"""The only path check there is: every file a tool touches is opened beneath a `Root`.

No path is checked first and opened later: opening is the check (see `beneath`).
"""

import errno
import os
import stat
from types import TracebackType
from typing import Literal

import msgspec

from bottega.errors import NotFound, Problem, Refused
from bottega.workspaces.beneath import open_walking, openat2, stat_walking

Kind = Literal["file", "folder", "link", "pipe", "socket", "device"]

PATH_MAX = 4095
_SHOWN = 120


class PathOutsideWorkspace(Refused):
    """The path does not stay inside the workspace."""

    code = "path_outside_workspace"


class Missing(NotFound):
    """There is nothing at that path."""


class NotAFile(Problem):
    """A folder, pipe, socket or device stands where a file was wanted."""

    code = "not_a_file"


class NotAFolder(Problem):
    """Something else stands where a folder was wanted."""

    code = "not_a_folder"


class Linked(Refused):
    """A symbolic link stands where none may be followed: it is new, or leads nowhere."""

    code = "linked"


class NoPermission(Problem):
    """The system does not let this user do that."""

    code = "no_permission"


class Entry(msgspec.Struct, frozen=True):
    name: str
    kind: Kind
    size: int = 0
    """Bytes of a file; 0 for anything else."""
    target: str = ""
    """Where a link points, as it is written in the link."""


class Listing(msgspec.Struct, frozen=True):
    entries: tuple[Entry, ...]
    """Folders first, then by name."""
    total: int
    """How many there are, even where fewer are listed."""


class Root:
    """A folder, opened once. Threads may share it; nothing may use it once it is closed."""

    def __init__(self, folder: str | os.PathLike[str], *, walking: bool = False) -> None:
        """Open `folder`; `walking` resolves step by step even where the kernel could do it."""
        given = os.fspath(folder)
        try:
            self._fd = os.open(given, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as problem:
            raise _explained(problem, given) from None
        self.path = os.path.realpath(given)
        self._names = tuple({tuple(_parts(self.path)), tuple(_parts(os.path.abspath(given)))})
        self._openat2 = None if walking else openat2()

    def __enter__(self) -> "Root":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def relative(self, path: str) -> str:
        """The path as seen from the root, by its letters alone; refuses what cannot be inside."""
        if "\0" in path:
            raise PathOutsideWorkspace(f"The path {_shown(path)} holds a NUL character.")
        try:
            length = len(os.fsencode(path))
        except UnicodeEncodeError:
            raise PathOutsideWorkspace(f"The path {_shown(path)} is no valid text.") from None
        if length > PATH_MAX:
            raise PathOutsideWorkspace(f"The path {_shown(path)} is too long: {length} bytes.")
        parts = self._inside(path) if path.startswith("/") else _parts(path)
        depth = 0
        for part in parts:
            depth += -1 if part == ".." else 1
            if depth < 0:
                raise _outside(path)
        return "/".join(parts) or "."

    def canonical(self, path: str) -> str:
        """The path that this one leads to, links resolved; of what is not there yet, where it would be."""
        at = self.relative(path)
        missing: list[str] = []
        # Step by step, a link that is only looked at would be taken for what it leads to.
        look = os.O_PATH if self._openat2 else os.O_RDONLY | os.O_NONBLOCK
        while True:
            try:
                opened = self._open(at, look, 0)
            except Missing:
                at, _, name = at.rpartition("/")
                if name == "..":
                    raise
                missing.insert(0, name)
                at = at or "."
                continue
            try:
                found = os.readlink(f"/proc/self/fd/{opened}")
            finally:
                os.close(opened)
            inside = os.path.relpath(found, os.readlink(f"/proc/self/fd/{self._fd}"))
            return "/".join((*(() if inside == "." else (inside,)), *missing)) or "."

    def open_file(
        self, path: str, flags: int = os.O_RDONLY, mode: int = 0o666, *, follow: bool = True
    ) -> int:
        """Open a regular file for the caller, who closes it; a pipe never makes this wait.

        A canonical path is opened without `follow`: a link that has come since leads nowhere.
        """
        opened = self._open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, mode, follow)
        kind = _kind(os.fstat(opened).st_mode)
        if kind != "file":
            os.close(opened)
            raise _not_a_file(path, kind)
        return opened

    def open_folder(self, path: str = ".", *, follow: bool = True) -> int:
        """Open a folder for the caller, who closes it."""
        return self._open(path, os.O_RDONLY | os.O_DIRECTORY, 0, follow)

    def stat(self, path: str, *, follow: bool = True) -> os.stat_result:
        """What the path names; links are followed while they stay inside, or not at all."""
        at = os.fsencode(self.relative(path))
        try:
            if self._openat2 is None:
                return stat_walking(self._fd, at, follow)
            opened = self._openat2(self._fd, at, os.O_PATH, 0, follow)
        except OSError as problem:
            raise _explained(problem, path, follow) from None
        try:
            return os.fstat(opened)
        finally:
            os.close(opened)

    def list(self, path: str = ".", limit: int | None = None, *, follow: bool = True) -> Listing:
        """The entries of a folder, at most `limit` of them; links among them are only named."""
        opened = self.open_folder(path, follow=follow)
        try:
            with os.scandir(opened) as found:
                every = sorted(found, key=_rank)
            return Listing(tuple(_entry(each, opened) for each in every[:limit]), len(every))
        except OSError as problem:
            raise _explained(problem, path) from None
        finally:
            os.close(opened)

    def _open(self, path: str, flags: int, mode: int, follow: bool = True) -> int:
        at = os.fsencode(self.relative(path))
        mode = mode if flags & os.O_CREAT else 0
        try:
            return (self._openat2 or open_walking)(self._fd, at, flags, mode, follow)
        except OSError as problem:
            raise _explained(problem, path, follow) from None

    def _inside(self, path: str) -> "list[str]":
        parts = _parts(path)
        for name in self._names:
            if tuple(parts[: len(name)]) == name:
                return parts[len(name) :]
        raise _outside(path)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _shown(path: str) -> str:
    return repr(path if len(path) <= _SHOWN else path[:_SHOWN] + "…")


def _outside(path: str) -> PathOutsideWorkspace:
    return PathOutsideWorkspace(
        f"The path {_shown(path)} is outside the workspace.",
        hint="Use a path relative to the workspace folder.",
    )


_WORDS: dict[int, tuple[type[Problem], str]] = {
    errno.EXDEV: (
        PathOutsideWorkspace,
        "The path {} leads out of the workspace through a symbolic link.",
    ),
    errno.ENAMETOOLONG: (PathOutsideWorkspace, "The path {} is too long."),
    errno.ENOENT: (Missing, "There is nothing at {}."),
    errno.ENOTDIR: (NotAFolder, "The path {} names or passes something that is no folder."),
    errno.EISDIR: (NotAFile, "The path {} names a folder, not a file."),
    errno.ENXIO: (NotAFile, "The path {} names a pipe, socket or device, not a file."),
    errno.ELOOP: (NotAFile, "The path {} goes in circles through symbolic links."),
    errno.EACCES: (NoPermission, "The system gives no permission for {}."),
    errno.EPERM: (NoPermission, "The system gives no permission for {}."),
}


def _explained(problem: OSError, path: str, follow: bool = True) -> Exception:
    """The system's word as ours; what has no word of ours stays as it is."""
    if problem.errno == errno.ELOOP and not follow:
        return Linked(
            f"The path {_shown(path)} passes a symbolic link that leads nowhere, or is new."
        )
    if problem.errno not in _WORDS:
        return OSError(problem.errno, problem.strerror, path)
    fact, words = _WORDS[problem.errno]
    return fact(words.format(_shown(path)))


def _not_a_file(path: str, kind: Kind) -> NotAFile:
    return NotAFile(f"The path {_shown(path)} names a {kind}, not a file.")


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISFIFO(mode):
        return "pipe"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _rank(found: "os.DirEntry[str]") -> tuple[bool, str, str]:
    return (not found.is_dir(follow_symlinks=False), found.name.casefold(), found.name)


def _entry(found: "os.DirEntry[str]", folder: int) -> Entry:
    try:
        status = found.stat(follow_symlinks=False)
        kind = _kind(status.st_mode)
        target = os.readlink(found.name, dir_fd=folder) if kind == "link" else ""
    except OSError:  # it vanished or changed its kind meanwhile
        return Entry(found.name, "file")
    return Entry(found.name, kind, status.st_size if kind == "file" else 0, target)
