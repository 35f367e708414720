"""What stands in a workspace for shielded paths that are not there, while a sandbox is open; then it is taken away.

Written down before it is made, so that what a crash left behind is taken away later. Both go from the open workspace
down, past no link: what is swapped meanwhile leads nowhere. While any sandbox is open on a
workspace its folder is locked (shared, in the kernel), and nothing is taken away: a shield's mount would go with it.
"""

import fcntl
import os
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from bottega.errors import Problem
from bottega.failpoint import failpoint
from bottega.ids import fresh
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.shields.shield import OURS, Shield

_WAIT = 5.0
"""Seconds for somebody else to take theirs away."""
_NAMES = (*OURS, "HEAD", ".git")


class Note(msgspec.Struct, frozen=True):
    workspace: str
    folders: tuple[str, ...]
    files: dict[str, str]


class Hold:
    """One open sandbox's claim on its workspace. Every method blocks: it waits for the disk."""

    def __init__(self, state: Path, root: Root, owner: tuple[int, int] | None = None) -> None:
        """The root stays open until this is released."""
        self._notes = state / "placeholders"
        self._root = root
        self._workspace = root.path
        self._owner = owner
        self._written: list[Path] = []
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        self._lock = os.open(".", flags, dir_fd=root.fileno())
        try:
            self._alone = self._claim()
            if self._alone:
                sweep(self._notes, root)
                fcntl.flock(self._lock, fcntl.LOCK_SH)
        except BaseException:
            os.close(self._lock)
            raise

    def _claim(self) -> bool:
        """True: nobody else has a sandbox here."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            pass
        until = time.monotonic() + _WAIT
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return False
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Problem(
                        f"The folder {self._workspace!r} is locked by another program.",
                        hint="Find it with `lsof`, end it, and try again.",
                    ) from None
                time.sleep(0.02)
            except OSError:  # this file system has no such locks: then nothing is ever taken away
                return False

    def make(self, shields: Sequence[Shield]) -> list[Shield]:
        """Make what is missing; returns the shields that can be put up: what can never be made needs none."""
        missing = [shield for shield in shields if shield.missing]
        if not missing or os.statvfs(self._root.fileno()).f_flag & os.ST_RDONLY:
            return [shield for shield in shields if not shield.missing]
        folders = tuple(shield.path for shield in missing if shield.missing == "folder")
        files = {shield.path: shield.text for shield in missing if shield.missing == "file"}
        self._note(Note(self._workspace, folders, files))
        failpoint("sandbox.noted")
        for shield in missing:
            self._make(shield)
        failpoint("sandbox.placed")
        return list(shields)

    def _note(self, note: Note) -> None:
        self._notes.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._notes / f"{fresh('hold')}.json"
        path.write_bytes(msgspec.json.encode(note))
        self._written.append(path)

    def _make(self, shield: Shield) -> None:
        parent, name = self._root.open_parent(shield.path)
        try:
            if shield.missing == "folder":
                os.mkdir(name, 0o755, dir_fd=parent)
            else:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                with os.fdopen(os.open(name, flags, 0o644, dir_fd=parent), "w") as file:
                    file.write(shield.text)
            if self._owner is not None:
                os.chown(name, *self._owner, dir_fd=parent, follow_symlinks=False)
        except FileExistsError:
            return  # somebody made it meanwhile; it is shielded as it is
        finally:
            os.close(parent)

    def release(self) -> None:
        """Take away what nobody else needs."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            sweep(self._notes, self._root)
        except OSError:
            pass  # another sandbox is open here, and takes it away when it closes
        finally:
            os.close(self._lock)


def sweep(notes: Path, root: Root) -> None:
    """Take away what was left behind; the caller holds the workspace's lock alone."""
    for path in sorted(notes.glob("*.json")):
        try:
            note = msgspec.json.decode(path.read_bytes(), type=Note)
        except (OSError, msgspec.DecodeError):
            path.unlink(missing_ok=True)  # a crash cut it short, before anything was made
            continue
        if note.workspace != root.path:
            continue
        _remove(note, root)
        path.unlink(missing_ok=True)


def _remove(note: Note, root: Root) -> None:
    """Only what still is as it was made: whatever somebody put there stays."""
    for path, text in note.files.items():
        with suppress(OSError, Problem), _parent(root, path) as (parent, name):
            with os.fdopen(root.open_file(path, follow=False), "rb") as file:
                same = file.read(len(text) + 1) == text.encode()
            if same:
                os.unlink(name, dir_fd=parent)
    for path in reversed(note.folders):
        with suppress(OSError, Problem), _parent(root, path) as (parent, name):
            os.rmdir(name, dir_fd=parent)


@contextmanager
def _parent(root: Root, path: str) -> Generator[tuple[int, bytes]]:
    parent, name = root.open_parent(path)
    try:
        yield parent, name
    finally:
        os.close(parent)


def stands_for_nothing(workspace: int, name: str) -> bool:
    """Whether this entry of an open workspace is an empty folder as a sandbox puts there: nobody wants to see it."""
    if name not in _NAMES:
        return False
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        opened = os.open(name, flags, dir_fd=workspace)
    except OSError:
        return False
    try:
        return not os.listdir(opened)
    finally:
        os.close(opened)


def identities(shields: Sequence[Shield]) -> dict[str, tuple[int, int]]:
    """Which file each shield was put on. A file that is replaced from outside takes its shield away with it."""
    found: dict[str, tuple[int, int]] = {}
    for shield in shields:
        try:
            seen = os.lstat(shield.path)
        except OSError:
            found[shield.path] = (0, 0)
        else:
            found[shield.path] = (seen.st_dev, seen.st_ino)
    return found
