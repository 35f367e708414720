"""What stands in a workspace for guarded paths that are not there, while a sandbox is open; then it is taken away.

Written down before it is made, so that what a crash left behind is taken away later. While any sandbox is open on a
workspace its folder is locked (shared, in the kernel), and nothing is taken away: a guard's mount would go with it.
"""

import fcntl
import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bottega.errors import Problem
from bottega.failpoint import failpoint
from bottega.ids import fresh
from bottega.workspaces.sandbox.guards.guard import Guard

_WAIT = 5.0
"""Seconds for somebody else to take theirs away."""


class Note(msgspec.Struct, frozen=True):
    workspace: str
    folders: tuple[str, ...]
    files: dict[str, str]


class Hold:
    """One open sandbox's claim on its workspace. Every method blocks: it waits for the disk."""

    def __init__(self, state: Path, workspace: str, owner: tuple[int, int] | None = None) -> None:
        self._notes = state / "placeholders"
        self._workspace = workspace
        self._owner = owner
        self._written: list[Path] = []
        self._lock = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._alone = self._claim()
            if self._alone:
                sweep(self._notes, workspace)
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

    def make(self, guards: Sequence[Guard]) -> list[Guard]:
        """Make what is missing; returns the guards that can be put up: what can never be made needs none."""
        missing = [guard for guard in guards if guard.missing]
        if not missing or os.statvfs(self._workspace).f_flag & os.ST_RDONLY:
            return [guard for guard in guards if not guard.missing]
        folders = tuple(guard.path for guard in missing if guard.missing == "folder")
        files = {guard.path: guard.text for guard in missing if guard.missing == "file"}
        self._note(Note(self._workspace, folders, files))
        failpoint("sandbox.noted")
        for guard in missing:
            self._make(guard)
        failpoint("sandbox.placed")
        return list(guards)

    def _note(self, note: Note) -> None:
        self._notes.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._notes / f"{fresh('hold')}.json"
        path.write_bytes(msgspec.json.encode(note))
        self._written.append(path)

    def _make(self, guard: Guard) -> None:
        try:
            if guard.missing == "folder":
                os.mkdir(guard.path, 0o755)
            else:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                fd = os.open(guard.path, flags, 0o644)
                with os.fdopen(fd, "w") as file:
                    file.write(guard.text)
        except FileExistsError:
            return  # somebody made it meanwhile; it is guarded as it is
        if self._owner is not None:
            os.chown(guard.path, *self._owner, follow_symlinks=False)

    def release(self) -> None:
        """Take away what nobody else needs."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            sweep(self._notes, self._workspace)
        except OSError:
            pass  # another sandbox is open here, and takes it away when it closes
        finally:
            os.close(self._lock)


def sweep(notes: Path, workspace: str = "") -> None:
    """Take away what was left behind; the caller holds the workspace's lock alone."""
    for path in sorted(notes.glob("*.json")):
        try:
            note = msgspec.json.decode(path.read_bytes(), type=Note)
        except (OSError, msgspec.DecodeError):
            path.unlink(missing_ok=True)  # a crash cut it short, before anything was made
            continue
        if note.workspace != workspace:
            continue
        _remove(note)
        path.unlink(missing_ok=True)


def _remove(note: Note) -> None:
    """Only what still is as it was made: whatever somebody put there stays."""
    for path, text in note.files.items():
        try:
            found = os.lstat(path)
            if stat.S_ISREG(found.st_mode) and found.st_size == len(text):
                with open(path, encoding="utf-8", errors="replace") as file:
                    same = file.read() == text
                if same:
                    os.unlink(path)
        except OSError:
            continue
    for path in reversed(note.folders):
        try:
            os.rmdir(path)
        except OSError:
            continue


def identities(guards: Sequence[Guard]) -> dict[str, tuple[int, int]]:
    """Which file each guard was put on. A file that is replaced from outside takes its guard away with it."""
    found: dict[str, tuple[int, int]] = {}
    for guard in guards:
        try:
            seen = os.lstat(guard.path)
        except OSError:
            found[guard.path] = (0, 0)
        else:
            found[guard.path] = (seen.st_dev, seen.st_ino)
    return found
