"""The only path check there is: every file a tool touches is opened beneath a `Root`.

No path is checked first and opened later: opening is the check (see `beneath`). A `Root` itself is opened from `/`
without following a link in any component, so that its path is the folder's real one, or it is not opened at all.
"""

import os
from types import TracebackType

from bottega.workspaces.beneath import (
    Openat2,
    descend,
    open_absolute,
    open_walking,
    openat2,
    stat_walking,
)
from bottega.workspaces.listing import Entry, Kind, Listing, kind_of, listing
from bottega.workspaces.problems import (
    Linked,
    Missing,
    NoPermission,
    NotAFile,
    NotAFolder,
    PathOutsideWorkspace,
    WorkspaceGone,
    explained,
    outside,
    shown,
)

__all__ = [
    "Entry",
    "Kind",
    "Linked",
    "Listing",
    "Missing",
    "NoPermission",
    "NotAFile",
    "NotAFolder",
    "PathOutsideWorkspace",
    "Root",
]

PATH_MAX = 4095

Identity = tuple[int, int]
"""Device and inode."""


class Root:
    """A folder, opened once. Threads may share it; nothing may use it once it is closed."""

    def __init__(self, folder: str | os.PathLike[str], *, walking: bool = False) -> None:
        """Open `folder`, in whose path no link may be.

        `walking` resolves step by step even where the kernel could do it.
        """
        self._fd = -1
        given: str = os.path.abspath(os.fspath(folder))
        find = None if walking else openat2()
        try:
            opened = open_absolute(os.fsencode(given), find)
        except OSError as problem:
            raise explained(problem, given, follow=False) from None
        self._become(opened, given, find)

    def _become(
        self, opened: int, path: str, find: Openat2 | None, top: "Root | None" = None
    ) -> None:
        self._fd = opened
        self.path = path
        """Where it was opened; no component of it was a link then."""
        self._name = tuple(_parts(path))
        self._openat2 = find
        self._top = top

    def beneath(self, container: str) -> "Root":
        """The folder of that name in this one, in whose path no link may be. This one is then its `top`."""
        inside = self.relative(container or ".")
        if ".." in inside.split("/"):
            raise outside(container)
        opened = self.open_folder(inside, follow=False)
        path = self.path if inside == "." else os.path.join(self.path, inside)
        made = Root.__new__(Root)
        made._become(opened, path, self._openat2, self.clone() if inside != "." else None)
        return made

    def clone(self) -> "Root":
        """The same folder, to be closed by itself."""
        made = Root.__new__(Root)
        top = self._top.clone() if self._top else None
        opened = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._fd)
        made._become(opened, self.path, self._openat2, top)
        return made

    @property
    def top(self) -> "Root":
        """The folder of the project that this one lies in; itself where it is that."""
        return self._top or self

    @property
    def inside(self) -> str:
        """This folder as seen from its `top`."""
        return os.path.relpath(self.path, self.top.path)

    def fileno(self) -> int:
        return self._fd

    @property
    def identity(self) -> "Identity":
        """What tells the folder from any other that may come to stand at its path."""
        found = os.fstat(self._fd)
        return found.st_dev, found.st_ino

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
            if self._top:
                self._top.close()

    def __del__(self) -> None:
        self.close()

    def relative(self, path: str) -> str:
        """The path as seen from the root, by its letters alone; refuses what cannot be inside."""
        if "\0" in path:
            raise PathOutsideWorkspace(f"The path {shown(path)} holds a NUL character.")
        try:
            length = len(os.fsencode(path))
        except UnicodeEncodeError:
            raise PathOutsideWorkspace(f"The path {shown(path)} is no valid text.") from None
        if length > PATH_MAX:
            raise PathOutsideWorkspace(f"The path {shown(path)} is too long: {length} bytes.")
        parts = self._inside(path) if path.startswith("/") else _parts(path)
        depth = 0
        for part in parts:
            depth += -1 if part == ".." else 1
            if depth < 0:
                raise outside(path)
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
        kind = kind_of(os.fstat(opened).st_mode)
        if kind != "file":
            os.close(opened)
            raise _not_a_file(path, kind)
        return opened

    def open_folder(self, path: str = ".", *, follow: bool = True) -> int:
        """Open a folder for the caller, who closes it."""
        return self._open(path, os.O_RDONLY | os.O_DIRECTORY, 0, follow)

    def open_parent(self, path: str, made: "list[str] | None" = None) -> tuple[int, bytes]:
        """Open the folder of what is to be changed, for the caller, who closes it; also the last name.

        `path` is canonical: a link on the way was put there since, and none is followed. With `made`, folders that are
        missing are made, and listed there.
        """
        parts = self.relative(path).split("/")
        if ".." in parts:
            raise outside(path)
        if parts == ["."]:
            raise _not_a_file(path, "folder")
        steps, name = list(map(os.fsencode, parts[:-1])), os.fsencode(parts[-1])

        def note(depth: int) -> None:
            assert made is not None
            made.append("/".join(parts[:depth]))

        try:
            return descend(self._fd, steps, self.owner, None if made is None else note), name
        except OSError as problem:
            raise explained(problem, path) from None

    @property
    def owner(self) -> tuple[int, int]:
        """Whose files new ones become, user and group; only root can give them away."""
        if os.geteuid():
            return -1, -1
        found = os.fstat(self._fd)
        return found.st_uid, found.st_gid

    def check_present(self) -> None:
        """Refuse a workspace that was deleted, moved away or replaced since it was opened."""
        here = os.fstat(self._fd)
        there: os.stat_result | None = None
        try:
            there = os.stat(self.path)
        except PermissionError:  # this user may not look at the way to it
            there = here
        except OSError:
            pass
        if there is None or not here.st_nlink or not os.path.samestat(here, there):
            raise WorkspaceGone(
                f"The workspace {shown(self.path)} is gone: it was deleted, moved or replaced.",
                hint="Put it back, or begin a session in another folder.",
            )

    def stat(self, path: str, *, follow: bool = True) -> os.stat_result:
        """What the path names; links are followed while they stay inside, or not at all."""
        at = os.fsencode(self.relative(path))
        try:
            if self._openat2 is None:
                return stat_walking(self._fd, at, follow)
            opened = self._openat2(self._fd, at, os.O_PATH, 0, follow)
        except OSError as problem:
            raise explained(problem, path, follow) from None
        try:
            return os.fstat(opened)
        finally:
            os.close(opened)

    def list(self, path: str = ".", limit: int | None = None, *, follow: bool = True) -> Listing:
        """The entries of a folder, at most `limit` of them; links among them are only named."""
        opened = self.open_folder(path, follow=follow)
        try:
            return listing(opened, limit)
        except OSError as problem:
            raise explained(problem, path) from None
        finally:
            os.close(opened)

    def _open(self, path: str, flags: int, mode: int, follow: bool = True) -> int:
        at = os.fsencode(self.relative(path))
        mode = mode if flags & os.O_CREAT else 0
        try:
            return (self._openat2 or open_walking)(self._fd, at, flags, mode, follow)
        except OSError as problem:
            raise explained(problem, path, follow) from None

    def _inside(self, path: str) -> "list[str]":
        parts = _parts(path)
        if tuple(parts[: len(self._name)]) == self._name:
            return parts[len(self._name) :]
        raise outside(path)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _not_a_file(path: str, kind: Kind) -> NotAFile:
    return NotAFile(f"The path {shown(path)} names a {kind}, not a file.")
